"""Everything that is slow, done by a few processes and kept: a second run with the same models has its results at once.

A result is kept under a digest of all that it depends on. What was read depends on the pixels that the reader was sent,
so another quality model has only those pages read anew that it cuts out in another way, and another extraction model
none. Photographs depend on the generator's sources, answers on both models' files and on the service's sources.
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
from docextract.predictions import Line
from docextract.registry import Version
from docextract.serving import local
from training.datasets import pictures, reads
from training.evaluation import peers
from training.evaluation.accuracy import photographs
from training.evaluation.accuracy.photographs import Order, take
from training.evaluation.compare import Contender
from training.evaluation.evaluate import asking

_ROOT = Path(__file__).resolve().parents[3]
_PACKAGE = _ROOT / "src" / "docextract"
_GENERATOR = (_ROOT / "training" / "synth", Path(photographs.__file__))
# What an answer comes of. Routes, clients and the ledger may change without it.
_ANSWERING = tuple(
    _PACKAGE / name
    for name in ("answers", "documents", "extraction", "images", "pipeline", "predictions.py", "quality")
)

_READING = (_PACKAGE / "extraction" / "ocr",)


def digest(*parts: str | bytes) -> str:
    """Of some parts in this order; 20 characters."""
    whole = hashlib.blake2b(digest_size=10)
    for part in parts:
        one = part.encode() if isinstance(part, str) else part
        whole.update(len(one).to_bytes(8, "big") + one)
    return whole.hexdigest()


@cache
def sources(*places: Path) -> str:
    """Digest of the Python files in these places."""
    files = sorted(file for place in places for file in (place.rglob("*.py") if place.is_dir() else [place]))
    return digest(*(part for file in files for part in (str(file.relative_to(_ROOT)), file.read_bytes())))


class Kept:
    """Results as JSON files, one for each key: written by any of several processes, read by all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def file(self, kind: str, key: str) -> Path:
        return self._folder / kind / f"{key}.json"

    def get(self, kind: str, key: str) -> Any:
        """None where there is none yet."""
        file = self.file(kind, key)
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    def put(self, kind: str, key: str, result: Any) -> Any:
        """At once or not at all; gives the result back as it will be read."""
        file = self.file(kind, key)
        file.parent.mkdir(parents=True, exist_ok=True)
        half = file.with_suffix(f".{os.getpid()}")
        half.write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
        half.replace(file)
        return json.loads(file.read_text(encoding="utf-8"))


class KeptReads:
    """Readers, each asked once for the same pixels."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._version = f"{importlib.metadata.version('rapidocr')} {sources(*_READING)}"

    def read(self, reader: Reader, pages: Sequence[Page]) -> list[Sequence[Line]]:
        """The lines of each page, in the order given."""
        return [self._one(reader, page) for page in pages]

    def _one(self, reader: Reader, page: Page) -> Sequence[Line]:
        key = digest(self._version + reader.digest, str(page.shape), page.tobytes())
        row = self._kept.get("reads", key)
        if row is None:
            height, width = page.shape[:2]
            row = self._kept.put("reads", key, reads.dump(reads.Read(key, reader.read([page])[0], width, height)))
        return reads.parse(row).lines


@dataclass(frozen=True)
class Tools:
    """What every process works with."""

    keep: Path
    quality: Version
    extraction: Mapping[str, Version]  # by the name they are called by here: "candidate", "served"
    surfaces: Path | None


@dataclass(frozen=True)
class Job:
    """One slow thing: a method of Desk, its arguments, and the key that its result is kept under."""

    kind: str
    key: str
    arguments: tuple[Any, ...]


class Desk:
    """Where one process works. Models are loaded when they are first needed."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._kept = Kept(tools.keep)
        self._open = ExitStack()

    def do(self, job: Job) -> None:
        """Leaves the result where it is kept."""
        work: Callable[..., Any] = getattr(self, job.kind)
        self._kept.put(job.kind, job.key, work(job.key, *job.arguments))

    def photograph(self, key: str, order: Order) -> Any:
        """One page of a set; its picture lies beside the result."""
        taken = take(order, self._textures)
        file = self._kept.file("photograph", key).with_suffix(".jpg")
        file.parent.mkdir(parents=True, exist_ok=True)
        pictures.save(taken.photo, file, taken.jpeg_quality)
        return taken.truth

    def answer(self, key: str, image: Path, name: str) -> Any:
        """The body of /extraction."""
        return asking(self._clients[name], include=("polygons", "raw"))(image)

    def peer(self, key: str, image: Path, name: str) -> Any:
        """The lines of text that another reader finds, from the top."""
        return self._peers[name](pictures.load(image))

    @cached_property
    def _textures(self) -> tuple[Page, ...]:
        return pictures.load_folder(self._tools.surfaces)

    @cached_property
    def _clients(self) -> dict[str, Client]:
        import torch

        torch.set_num_threads(1)
        assessor = self._tools.quality.load("cpu")
        kept = KeptReads(self._kept)
        return {
            name: self._open.enter_context(local.client(Contender(version, self._tools.quality, assessor, kept, "cpu")))
            for name, version in self._tools.extraction.items()
        }

    @cached_property
    def _peers(self) -> Mapping[str, peers.Reads]:
        return peers.readers()


_desk: Desk | None = None  # of this process


def _sit_down(tools: Tools) -> None:
    global _desk
    _desk = Desk(tools)


def _work(job: Job) -> None:
    if _desk is None:
        raise RuntimeError("this process has not been started by Office")
    _desk.do(job)


class Office:
    """Some processes at their desks, for as long as there may be work; a context manager."""

    def __init__(self, tools: Tools, processes: int) -> None:
        self._tools, self._processes = tools, processes
        self._kept = Kept(tools.keep)
        self._open = ExitStack()

    def __enter__(self) -> "Office":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def results(self, jobs: Sequence[Job], about: str) -> list[Any]:
        """In order; what is kept is not done again. about: shown while it is done."""
        missing = {(job.kind, job.key): job for job in jobs if not self._kept.file(job.kind, job.key).exists()}
        if missing:
            for done, _ in enumerate(self._pool.map(_work, missing.values()), start=1):
                end = "\n" if done == len(missing) else ""
                print(f"\r{about} {done}/{len(missing)}", end=end, file=sys.stderr, flush=True)
        return [self._kept.get(job.kind, job.key) for job in jobs]

    def picture(self, key: str) -> Path:
        """The photograph of that key."""
        return self._kept.file("photograph", key).with_suffix(".jpg")

    @cached_property
    def _pool(self) -> ProcessPoolExecutor:
        """Started with the first work: loading models takes longer than a few pages."""
        pool = ProcessPoolExecutor(self._processes, get_context("spawn"), _sit_down, (self._tools,))
        self._open.callback(pool.shutdown, cancel_futures=True)  # who stops the run does not wait for the rest of it
        return pool


def photograph_key(order: Order, surfaces: Path | None) -> str:
    """Of everything that a photograph depends on."""
    generator = sources(
        _ROOT / "training" / "synth", _ROOT / "training" / "accuracy" / "sets.py", _PACKAGE / "documents"
    )
    textures = "".join(f"{file.name}{file.stat().st_size}" for file in pictures.listed(surfaces))
    return digest(generator, textures, order.spell())


def answer_job(image: Path, name: str, tools: Tools) -> Job:
    """What both models make of a picture."""
    models = (tools.quality.digest, tools.extraction[name].digest)
    return Job("answer", digest(image.read_bytes(), *models, sources(*_ANSWERING)), (image, name))


def peer_job(image: Path, name: str) -> Job:
    """What another reader makes of it."""
    return Job("peer", digest(image.read_bytes(), peers.version(name)), (image, name))


__all__ = ["Desk", "Job", "Kept", "KeptReads", "Office", "Tools", "answer_job", "digest", "peer_job", "photograph_key"]
