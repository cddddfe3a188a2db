"""Environment → frozen settings, read once by service.py.

Each field is set by an environment variable: DOCEXTRACT_ and its name in capitals, for example
DOCEXTRACT_MAX_IMAGES=4. Or in a TOML file that DOCEXTRACT_CONFIG names, under its own name: max_images = 4. The
environment has the last word. A value that makes no sense stops the service at its start, with a message.
"""

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from limits import RateLimitItem
from pydantic import BeforeValidator, Field
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from docextract import keys
from docextract.images.decoding import DecodingLimits
from docextract.quality.criteria import Severity, Strictness, parse_severities

Device = Literal["auto", "cpu", "cuda"]
_CONFIG = "DOCEXTRACT_CONFIG"
_ORIGIN = re.compile(r"\*|https?://[^/\s,]+")


_CHECKOUT = Path(__file__).resolve().parents[2]
MOST_THREADS = 8  # for one model: with more, what cannot be shared out takes longer than what is


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _origins(given: Any) -> Any:
    """Separated by commas, or a list."""
    found = given.split(",") if isinstance(given, str) else given
    origins = [str(origin).strip() for origin in found]
    if not all(_ORIGIN.fullmatch(origin) for origin in origins):
        raise ValueError("an origin is `https://` and a host, without a path: https://app.example.org, or * for all")
    return origins


class Settings(BaseSettings):
    """Everything about the service that can be set."""

    model_config = SettingsConfigDict(
        env_prefix="DOCEXTRACT_",
        frozen=True,
        extra="ignore",
        arbitrary_types_allowed=True,  # a rate limit, as its library has it
        hide_input_in_errors=True,  # a key may stand where its digest belongs
    )

    models_dir: Path = Path("models")  # see models_folder
    device: Device = "auto"
    gpu_share: float = Field(0.5, gt=0, le=1)  # of one GPU, the same for both runners: unequal shares take two GPUs

    max_image_bytes: int = Field(10_000_000, gt=0)
    max_images: int = Field(10, gt=0)  # pages of PDFs counted one by one
    max_request_bytes: int = Field(25_000_000, gt=0)
    min_side_px: int = Field(64, gt=0)
    max_side_px: int = Field(10_000, gt=0)
    max_pixels: int = Field(50_000_000, gt=0)
    max_pdf_pages: int = Field(10, gt=0)

    strictness: Strictness = "normal"  # of a photo's check, where the caller does not say
    # By criterion, where it is not the usual one and the caller does not say: glare:error,rotated:off.
    severity: Annotated[dict[str, Severity], NoDecode, BeforeValidator(parse_severities)] = Field(default_factory=dict)
    # What a photo's score has to reach: {"normal": 0.6}. Those that are not set are the quality model's own.
    thresholds: dict[Strictness, Annotated[float, Field(ge=0, le=1)]] = Field(default_factory=dict)

    # Who may ask: see http/access.py. Without any key, only callers on this machine, unless it is open to all.
    api_keys: Annotated[tuple[keys.ApiKey, ...], NoDecode, BeforeValidator(keys.parse_keys)] = Field(
        default_factory=tuple
    )
    api_keys_file: Path | None = None  # the same lines in a file, read again when it changes
    open_to_all: bool = False  # without keys, answer everybody who reaches the port
    open_metrics: bool = False  # /metrics without a key
    # Of each caller, where their key has none of its own: "60/minute".
    rate_limit: Annotated[RateLimitItem, BeforeValidator(keys.parse_rate_limit)] | None = None
    # Pages of these origins may ask from a browser: https://app.example.org,https://other.example.org
    allowed_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_origins)] = Field(default_factory=tuple)

    timeout_s: float = Field(60.0, gt=0)  # for a whole request
    upload_timeout_s: float = Field(20.0, gt=0)  # for a body; one that comes faster than 10 kB/s has longer
    # For the work before a request, about, as pages took lately; one who would wait longer is answered 503 at once.
    max_wait_s: float = Field(20.0, gt=0)
    max_concurrency: int = Field(64, gt=0)  # requests of each operation in the service at once, however short the wait
    decode_threads: int = Field(2, gt=0)  # pictures decoded at once; each may take 400 MB for a moment, a WebP 800
    front_workers: int = Field(1, gt=0)
    # For each model. Unless set: all cores for reading, which is nine tenths of the work, and half of them for judging.
    runner_threads: int | None = Field(None, gt=0)
    extraction_workers: int = Field(
        default_factory=lambda: max(1, _cores() // MOST_THREADS), gt=0
    )  # each with the model

    quality_batch: int = Field(32, ge=1)  # images; 1: every request by itself
    extraction_batch: int = Field(8, ge=1)  # pages; 1: every request by itself
    runner_concurrency: int = Field(256, gt=0)  # calls inside a runner at once, waiting ones included

    ready_timeout_s: float = Field(2.0, gt=0)  # for a runner to say that it is ready
    log_format: Literal["text", "json"] = "text"
    drain_file: Path | None = None  # while it exists, /readyz says 503: touch it, wait, then SIGTERM

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given in code, then the environment, then the file."""
        file = os.environ.get(_CONFIG)
        if file and not Path(file).is_file():
            raise FileNotFoundError(f"{_CONFIG} names {file}, which is no file")
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, file)

    @property
    def models_folder(self) -> Path:
        """`models_dir` where it is absolute or in the working directory, else that folder of the checkout or Bento."""
        if self.models_dir.is_absolute() or self.models_dir.is_dir():
            return self.models_dir
        return _CHECKOUT / self.models_dir

    @property
    def quality_threads(self) -> int:
        """For judging photos."""
        return self.runner_threads or min(MOST_THREADS, max(1, _cores() // 2))

    @property
    def extraction_threads(self) -> int:
        """For reading, in each worker."""
        return self.runner_threads or min(MOST_THREADS, _cores())

    @property
    def runner_timeout_s(self) -> float:
        """Less than the request's own, so that the inner clock rings first."""
        return self.timeout_s * 0.9

    @property
    def stuck_after_s(self) -> float:
        """A batch that has taken so long hangs: whoever asked for it has left half that time ago."""
        return self.timeout_s * 2

    @property
    def needs_key(self) -> bool:
        """Whether keys are configured, if only by the name of an empty file."""
        return bool(self.api_keys) or self.api_keys_file is not None

    @property
    def limits(self) -> DecodingLimits:
        """What `decoding` may open."""
        return DecodingLimits(self.max_image_bytes, self.min_side_px, self.max_side_px, self.max_pixels, self.max_pdf_pages)
