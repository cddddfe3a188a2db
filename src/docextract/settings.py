"""The settings of the service, read once at its start from the environment and an optional TOML file.

Each field has an environment variable: DOCEXTRACT_ and its name in capitals, for example DOCEXTRACT_MAX_IMAGES=4. The
TOML file that DOCEXTRACT_CONFIG names uses the field's name: max_images = 4. The environment takes precedence. An
invalid value, or an unknown name in the file, stops the service at its start, with a message.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from limits import RateLimitItem
from pydantic import BeforeValidator, Field, model_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from docextract import keys
from docextract.images.limits import DecodingLimits
from docextract.quality.criteria import Severity, Strictness, parse_severities

Device = Literal["auto", "cpu", "cuda"]
_PREFIX = "DOCEXTRACT_"
_CONFIG_VARIABLE = "DOCEXTRACT_CONFIG"
_CLIENT_VARIABLES = {"DOCEXTRACT_API_KEY", "DOCEXTRACT_SERVER"}  # of the command line
_MISSPELT = 0.85  # share of equal characters, as difflib counts them
_HOST = re.compile(r"[a-z0-9_.-]+|[0-9a-f:.]+")
_ORIGIN = re.compile(r"\*|https?://[^/\s,]+")

_CHECKOUT = Path(__file__).resolve().parents[2]
_PACKAGE = Path(__file__).resolve().parent  # a wheel has the models inside
MAX_MODEL_THREADS = 8  # with more, the part that cannot run in parallel takes longer than the part that can


def _core_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _parse_origins(value: Any) -> Any:
    """Parse a list, or a text with commas. Raises ValueError."""
    parts = value.split(",") if isinstance(value, str) else value
    origins = [str(origin).strip() for origin in parts]
    if not all(_ORIGIN.fullmatch(origin) for origin in origins):
        raise ValueError(
            "an origin must be `https://` and a host, without a path: https://app.example.org, or * for all"
        )
    return origins


def _parse_hosts(value: Any) -> Any:
    """Parse a list, or a text with commas. Raises ValueError."""
    parts = value.split(",") if isinstance(value, str) else value
    hosts = [str(host).strip().lower() for host in parts]
    if not all(_HOST.fullmatch(host) for host in hosts):
        raise ValueError("a host is a name or an address without scheme, port and path: scanner.example.org")
    return hosts


def _find_models(models_dir: Path, working_directory: Path) -> Path:
    if models_dir.is_absolute() or (working_directory / models_dir).is_dir():
        return working_directory / models_dir
    packaged = _PACKAGE / models_dir
    return packaged if packaged.is_dir() else _CHECKOUT / models_dir


class Settings(BaseSettings):
    """All settings of the service."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        frozen=True,
        arbitrary_types_allowed=True,  # for the type of rate_limit
        hide_input_in_errors=True,  # the input may contain a key where its digest belongs
    )

    models_dir: Path = Path("models")  # see models_folder
    device: Device = "auto"
    gpu_share: float = Field(0.5, gt=0, le=1)  # of one GPU, for each runner; unequal shares would need two GPUs

    max_image_bytes: int = Field(10_000_000, gt=0)
    max_images: int = Field(10, gt=0)  # files of a request
    max_pages: int = Field(20, gt=0)  # pages of all files of a request
    max_request_bytes: int = Field(25_000_000, gt=0)
    min_side_px: int = Field(64, gt=0)
    max_side_px: int = Field(10_000, gt=0)
    max_pixels: int = Field(50_000_000, gt=0)

    strictness: Strictness = "normal"  # the default of requests
    # Overrides the default severity by criterion; requests may override it again: glare:error,rotated:off.
    severity: Annotated[dict[str, Severity], NoDecode, BeforeValidator(parse_severities)] = Field(default_factory=dict)
    # The score that a photo must reach: {"normal": 0.6}. The others have the quality model's thresholds.
    thresholds: dict[Strictness, Annotated[float, Field(ge=0, le=1)]] = Field(default_factory=dict)

    # The share of wrong values among those that are accepted without review, as far as the calibration set shows.
    target_error: float = Field(0.01, gt=0, lt=1)

    # Access, see http/access.py. Without keys, only callers on this machine are answered, unless open_to_all is set.
    api_keys: Annotated[tuple[keys.ApiKey, ...], NoDecode, BeforeValidator(keys.parse_keys)] = Field(
        default_factory=tuple
    )
    api_keys_file: Path | None = None  # the same lines in a file, reloaded when it changes
    open_to_all: bool = False  # without keys, answer every caller that reaches the port
    open_metrics: bool = False  # /metrics without a key
    # For each caller whose key has no rate limit of its own: "60/minute".
    rate_limit: Annotated[RateLimitItem, BeforeValidator(keys.parse_rate_limit)] | None = None
    # Without keys, host names under which the service may be called beside localhost: scanner.example.org. With
    # open_to_all and none given, it may be called under every name.
    allowed_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_parse_hosts)] = Field(default_factory=tuple)
    # Origins whose web pages may call the service: https://app.example.org,https://other.example.org
    allowed_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_parse_origins)] = Field(
        default_factory=tuple
    )

    timeout_s: float = Field(60.0, gt=0)  # for a whole request
    upload_timeout_s: float = Field(20.0, gt=0)  # for a body; one that arrives faster than 10 kB/s has more time
    # Estimated from the recent time per page; a request that would wait longer is answered 503 at once.
    max_wait_s: float = Field(20.0, gt=0)
    max_concurrency: int = Field(64, gt=0)  # requests of each operation at the same time, however short the wait
    decode_threads: int = Field(
        2, gt=0
    )  # pictures decoded in parallel; each may take 400 MB for a moment, a WebP 800 MB
    front_workers: int = Field(1, gt=0)
    # For each model. Default: all cores for extraction, which is nine tenths of the work, and half of them for quality.
    runner_threads: int | None = Field(None, gt=0)
    extraction_workers: int = Field(
        default_factory=lambda: max(1, _core_count() // MAX_MODEL_THREADS), gt=0
    )  # each loads the model

    quality_batch: int = Field(32, ge=1)  # images; 1: every request on its own
    extraction_batch: int = Field(8, ge=1)  # pages; 1: every request on its own
    runner_concurrency: int = Field(256, gt=0)  # calls in a runner at the same time, including waiting ones

    ready_timeout_s: float = Field(2.0, gt=0)  # for a runner's answer to the readiness check
    log_format: Literal["text", "json"] = "text"
    drain_file: Path | None = None  # while it exists, /readyz answers 503: create it, wait, then send SIGTERM

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Raise ValueError for a misspelt name in the file; of the environment, only known names are in values."""
        for name in sorted(values.keys() - cls.model_fields.keys()):
            meant = get_close_matches(name.lower(), cls.model_fields, 1)
            raise ValueError(f"{name} is no setting" + (f", did you mean {meant[0]}?" if meant else ""))
        return values

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order of precedence: arguments in code, the environment, the file."""
        file = os.environ.get(_CONFIG_VARIABLE)
        if file and not Path(file).is_file():
            raise FileNotFoundError(f"{_CONFIG_VARIABLE} names {file}, which is not a file")
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, file)

    @property
    def models_folder(self) -> Path:
        """`models_dir` if it is absolute or in the working directory; else that folder of the installation.

        That is the checkout, the Bento or the installed package, whichever has it.
        """
        return _find_models(self.models_dir, Path())

    @property
    def quality_threads(self) -> int:
        """Threads of the quality model."""
        return self.runner_threads or min(MAX_MODEL_THREADS, max(1, _core_count() // 2))

    @property
    def extraction_threads(self) -> int:
        """Threads of the extraction model in each worker."""
        return self.runner_threads or min(MAX_MODEL_THREADS, _core_count())

    @property
    def runner_timeout_s(self) -> float:
        """Shorter than the timeout of the request, so that the runner's timeout is reported first."""
        return self.timeout_s * 0.9

    @property
    def stuck_after_s(self) -> float:
        """A batch that takes longer has hung: the requests in it timed out after half of this time."""
        return self.timeout_s * 2

    @property
    def needs_key(self) -> bool:
        """Whether keys are configured; an empty file counts."""
        return bool(self.api_keys) or self.api_keys_file is not None

    @property
    def limits(self) -> DecodingLimits:
        """The limits of decoding."""
        return DecodingLimits(self.max_image_bytes, self.min_side_px, self.max_side_px, self.max_pixels, self.max_pages)


def models_folder_of(environment: Mapping[str, str], working_directory: Path) -> Path:
    """Return `Settings.models_folder` of another process. Raises OSError or ValueError for an unreadable file."""
    values: dict[str, object] = {}
    if file := environment.get(_CONFIG_VARIABLE):
        values = tomllib.loads((working_directory / file).read_text(encoding="utf-8"))
    default = values.get("models_dir", Settings.model_fields["models_dir"].default)
    return _find_models(Path(environment.get("DOCEXTRACT_MODELS_DIR", str(default))), working_directory)


def misspelt_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that are no setting but whose name resembles one, each with the variable that was probably meant."""
    settings = [_PREFIX + name.upper() for name in Settings.model_fields]
    known = {*settings, *_CLIENT_VARIABLES, _CONFIG_VARIABLE}
    unknown = sorted(name for name in environment if name.upper().startswith(_PREFIX) and name.upper() not in known)
    meant = {name: get_close_matches(name.upper(), settings, 1, _MISSPELT) for name in unknown}
    return {name: found[0] for name, found in meant.items() if found}
