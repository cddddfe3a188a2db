"""The slow steps of the measurement, done by several processes and cached: a second run of the same models is fast.

A result is cached under a digest of everything that it depends on. OCR results depend on the pixels that the reader
received: a new quality network therefore repeats OCR only for pages that it crops differently, and a new layout
network repeats none. Simulated photos depend on the generator's files and on the typefaces; answers depend on the
files of both models and on the sources of the service.
"""

import hashlib
import importlib.metadata
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from docextract.client import Client
from docextract.extraction.ocr.reading import Reader
from docextract.images.geometry import Page
from docextract.predictions import TextLine
from docextract.registry import Version
from docextract.serving import local
from training.datasets import pictures, reads, simulated_photos
from training.datasets.simulated_photos import PhotoSpec, simulate_photo
from training.evaluation import baselines
from training.evaluation.compare import EvaluatedModels
from training.evaluation.evaluate import make_extract_call
from training.synth import fonts

_ROOT = Path(__file__).resolve().parents[3]
_PACKAGE = _ROOT / "src" / "docextract"
_GENERATOR_SOURCES = (_ROOT / "training" / "synth", Path(simulated_photos.__file__), _PACKAGE / "documents")
# Sources that an answer depends on. Routes, clients and the registry may change without a new measurement.
_ANSWER_SOURCES = tuple(
    _PACKAGE / name
    for name in ("answers", "documents", "extraction", "images", "pipeline", "predictions.py", "quality")
)
_OCR_SOURCES = (_PACKAGE / "extraction" / "ocr",)


def content_digest(*parts: str | bytes) -> str:
    """Digest of the parts in this order, 20 characters. Each part is hashed with its length."""
    whole = hashlib.blake2b(digest_size=10)
    for part in parts:
        one = part.encode() if isinstance(part, str) else part
        whole.update(len(one).to_bytes(8, "big") + one)
    return whole.hexdigest()


@cache
def source_digest(*places: Path) -> str:
    """Digest of the files at these places, each a file or a folder; compiled Python is left out."""
    found = (file for place in places for file in (place.rglob("*") if place.is_dir() else [place]))
    files = sorted(file for file in found if file.is_file() and file.suffix != ".pyc")
    return content_digest(*(part for file in files for part in (str(file.relative_to(_ROOT)), file.read_bytes())))


class ResultCache:
    """Results as JSON files, one per kind and key; several processes read and write it at the same time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def file(self, kind: str, key: str) -> Path:
        """Path of the result, whether it exists or not."""
        return self._folder / kind / f"{key}.json"

    def get(self, kind: str, key: str) -> Any:
        """The cached result; None if there is none."""
        file = self.file(kind, key)
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    def put(self, kind: str, key: str, result: Any) -> Any:
        """Write a result atomically. Returns it as it will be read back."""
        file = self.file(kind, key)
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
        temporary.replace(file)
        return json.loads(file.read_text(encoding="utf-8"))


class CachedReads:
    """OCR whose results are cached by reader and pixels."""

    def __init__(self, cache: ResultCache) -> None:
        self._cache = cache
        self._version = f"{importlib.metadata.version('rapidocr')} {source_digest(*_OCR_SOURCES)}"

    def read(self, reader: Reader, pages: Sequence[Page]) -> list[Sequence[TextLine]]:
        """Return the text lines of each page, in input order."""
        return [self._read_page(reader, page) for page in pages]

    def _read_page(self, reader: Reader, page: Page) -> Sequence[TextLine]:
        key = content_digest(self._version + reader.digest, str(page.shape), page.tobytes())
        row = self._cache.get("reads", key)
        if row is None:
            height, width = page.shape[:2]
            found = reads.OcrResult(key, reader.read([page])[0], width, height)
            row = self._cache.put("reads", key, reads.dump(found))
        return reads.parse(row).lines


@dataclass(frozen=True)
class WorkerSettings:
    """What every worker process needs."""

    cache_folder: Path
    quality: Version
    extraction: Mapping[str, Version]  # by their name in this measurement: "candidate", "served"
    surfaces: Path | None


@dataclass(frozen=True)
class Job:
    """A slow step: the name of a method of Worker, the key of its result in the cache, and the method's arguments."""

    kind: str
    key: str
    arguments: tuple[Any, ...]


class Worker:
    """The work of one process. Models are loaded when they are first needed."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self._cache = ResultCache(settings.cache_folder)
        self._open = ExitStack()

    def run(self, job: Job) -> None:
        """Do a job and put its result into the cache."""
        method: Callable[..., Any] = getattr(self, job.kind)
        self._cache.put(job.kind, job.key, method(job.key, *job.arguments))

    def photo(self, key: str, spec: PhotoSpec) -> Any:
        """Simulate one photo and save it next to its result. Returns its ground truth."""
        made = simulate_photo(spec, self._textures)
        file = _photo_file(self._cache, key)
        file.parent.mkdir(parents=True, exist_ok=True)
        pictures.save(made.photo, file, made.jpeg_quality)
        return made.truth

    def answer(self, key: str, image: Path, name: str) -> Any:
        """The body of /extraction for this image. name: of the extraction version."""
        return make_extract_call(self._clients[name], include=("polygons", "lines"))(image)

    def baseline(self, key: str, image: Path, name: str) -> Any:
        """The text lines that a baseline reader finds, from top to bottom."""
        return self._baselines[name](pictures.load(image))

    @cached_property
    def _textures(self) -> tuple[Page, ...]:
        return pictures.load_folder(self._settings.surfaces)

    @cached_property
    def _clients(self) -> dict[str, Client]:
        import torch

        torch.set_num_threads(1)
        quality = self._settings.quality
        assessor = quality.load("cpu")
        cached_reads = CachedReads(self._cache)
        return {
            name: self._open.enter_context(
                local.client(EvaluatedModels(version, quality, assessor, cached_reads, "cpu"))
            )
            for name, version in self._settings.extraction.items()
        }

    @cached_property
    def _baselines(self) -> Mapping[str, baselines.LineReader]:
        return baselines.load_readers()


_worker: Worker | None = None  # of this process


def _start_worker(settings: WorkerSettings) -> None:
    global _worker
    _worker = Worker(settings)


def _run_job(job: Job) -> None:
    if _worker is None:
        raise RuntimeError("this process has no worker; processes are started by WorkerPool")
    _worker.run(job)


def _photo_file(cache: ResultCache, key: str) -> Path:
    return cache.file("photo", key).with_suffix(".jpg")


class WorkerPool:
    """A context manager that runs jobs in several worker processes and caches their results."""

    def __init__(self, settings: WorkerSettings, processes: int) -> None:
        self._settings, self._processes = settings, processes
        self._cache = ResultCache(settings.cache_folder)
        self._open = ExitStack()

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def results(self, jobs: Sequence[Job], title: str) -> list[Any]:
        """Return one result per job, in input order; only missing ones are computed. title: shown with the progress."""
        missing = {(job.kind, job.key): job for job in jobs if not self._cache.file(job.kind, job.key).exists()}
        if missing:
            for done, _ in enumerate(self._pool.map(_run_job, missing.values()), start=1):
                end = "\n" if done == len(missing) else ""
                print(f"\r{title} {done}/{len(missing)}", end=end, file=sys.stderr, flush=True)
        return [self._cache.get(job.kind, job.key) for job in jobs]

    def picture(self, key: str) -> Path:
        """File of the simulated photo with this key."""
        return _photo_file(self._cache, key)

    @cached_property
    def _pool(self) -> ProcessPoolExecutor:
        """Started with the first job: loading the models takes longer than a few pages."""
        pool = ProcessPoolExecutor(self._processes, get_context("spawn"), _start_worker, (self._settings,))
        self._open.callback(pool.shutdown, cancel_futures=True)  # stopping the run does not wait for the other jobs
        return pool


def photo_job(spec: PhotoSpec, surfaces: Path | None) -> Job:
    """The simulation of a photo. Its key covers the specification, the generator's files, typefaces and textures."""
    textures = "".join(f"{file.name}{file.stat().st_size}" for file in pictures.list_pictures(surfaces))
    typefaces = fonts.digest(fonts.available())
    return Job(
        "photo", content_digest(source_digest(*_GENERATOR_SOURCES), typefaces, textures, spec.cache_key()), (spec,)
    )


def answer_job(image: Path, name: str, settings: WorkerSettings) -> Job:
    """The answer of both models to an image."""
    models = (settings.quality.digest, settings.extraction[name].digest)
    return Job("answer", content_digest(image.read_bytes(), *models, source_digest(*_ANSWER_SOURCES)), (image, name))


def baseline_job(image: Path, name: str) -> Job:
    """The text lines of a baseline reader for an image."""
    return Job("baseline", content_digest(image.read_bytes(), baselines.version(name)), (image, name))


__all__ = [
    "CachedReads", "Job", "ResultCache", "Worker", "WorkerPool", "WorkerSettings", "answer_job", "baseline_job",
    "content_digest", "photo_job",
]  # fmt: skip
