"""Environment → frozen settings, read once by service.py.

Each field is set by an environment variable: DOCEXTRACT_ and its name in capitals, for example
DOCEXTRACT_MAX_IMAGES=4. Or in a TOML file that DOCEXTRACT_CONFIG names, under its own name: max_images = 4. The
environment has the last word. A value that makes no sense stops the service at its start, with a message.
"""

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from docextract.decoding import Limits
from docextract.quality.criteria import Severity, Strictness, severities

Device = Literal["auto", "cpu", "cuda"]
_CONFIG = "DOCEXTRACT_CONFIG"


def _half_the_cores() -> int:
    """Two runners share the machine."""
    return max(1, len(os.sched_getaffinity(0)) // 2) if hasattr(os, "sched_getaffinity") else 1


class Settings(BaseSettings):
    """Everything about the service that can be set."""

    model_config = SettingsConfigDict(env_prefix="DOCEXTRACT_", frozen=True, extra="ignore")

    models_dir: Path = Path("models")  # relative to service.py
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
    severity: Annotated[dict[str, Severity], NoDecode, BeforeValidator(severities)] = Field(default_factory=dict)
    # What a photo's score has to reach: {"normal": 0.6}. Those that are not set are the quality model's own.
    thresholds: dict[Strictness, Annotated[float, Field(ge=0, le=1)]] = Field(default_factory=dict)

    timeout_s: float = Field(60.0, gt=0)  # for a whole request
    upload_timeout_s: float = Field(20.0, gt=0)  # for a body; one that comes faster than 10 kB/s has longer
    # For the work before a request, about, as pages took lately; one who would wait longer is answered 503 at once.
    max_wait_s: float = Field(20.0, gt=0)
    max_concurrency: int = Field(64, gt=0)  # requests of each operation in the service at once, however short the wait
    decode_threads: int = Field(2, gt=0)  # pictures being decoded at once; each may take 400 MB for a moment
    front_workers: int = Field(1, gt=0)
    runner_threads: int = Field(default_factory=_half_the_cores, gt=0)  # for each model

    quality_batch: int = Field(32, ge=1)  # images; 1: every request by itself
    extraction_batch: int = Field(8, ge=1)  # pages; 1: every request by itself
    runner_concurrency: int = Field(256, gt=0)  # calls inside a runner at once, waiting ones included

    ready_timeout_s: float = Field(2.0, gt=0)  # for a runner to say that it is ready
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
    def runner_timeout_s(self) -> float:
        """Less than the request's own, so that the inner clock rings first."""
        return self.timeout_s * 0.9

    @property
    def limits(self) -> Limits:
        """What `decoding` may open."""
        return Limits(self.max_image_bytes, self.min_side_px, self.max_side_px, self.max_pixels, self.max_pdf_pages)
