"""What one actor does: load both models, then answer one group of files after another and write each as a part.

Whatever is wrong with a file becomes its row. That goes for a file that kills the process, too, by a fault in a library
that decodes or by the memory that it takes: where an actor died at a part, the next one goes through it file by file
and leaves word which it is about to open; a file that was named by two that died is not opened again.
"""

import faulthandler
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docextract.answers.schema import Verdict
from docextract.bulk.inputs import Inputs
from docextract.bulk.output import Output, Part, Row, tally
from docextract.client import Client, ProblemError
from docextract.serving import local
from docextract.settings import Device, Settings

WORKER_DIED = "worker_died"
UNREADABLE = "unreadable"
_DEATHS = 2  # of a worker, at a file that is asked about alone, until it is the file's fault
STUCK_S = 600.0  # without one answer; then the actor ends itself, as if it had died at what it was doing


@dataclass(frozen=True)
class Job:
    """Everything that an actor has to know."""

    inputs: Inputs
    output: Output
    options: Mapping[str, Any]  # of /extraction
    models_dir: Path
    device: Device
    settings: Settings
    batch: int  # files that are answered together


class Answering:
    """Both models, and the service's own way from a file to an answer."""

    def __init__(self, job: Job) -> None:
        """Load. Raises RegistryError where weights are not whole."""
        self._job = job
        self._reader = job.inputs.reader()
        models = local.LocalModels(job.models_dir, job.device, job.batch)
        models.load("quality", "extraction")
        self._opened = ExitStack()
        self._client: Client = self._opened.enter_context(local.client(models, job.settings))

    def __call__(self, group: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
        """One group of names, as JSON, in the form that Ray Data gives them; the part's tally comes back."""
        names: list[str] = json.loads(group["names"][0])
        part = self._job.output.part(names)
        rows = self._rows(names, part)
        part.write(rows)
        part.end()
        found = tally([{"code": row.code, "needs_review": row.needs_review} for row in rows])
        return {"good": [found.good], "review": [found.review], "failed": [found.failed]}

    def _rows(self, names: Sequence[str], part: Part) -> list[Row]:
        tried = part.tried()
        try:
            if tried is not None:
                return [self._row_with_care(name, tried, part) for name in names]
            part.try_([])
            rows = []
            # While one batch is computed, the files of the next are read and decoded.
            with ThreadPoolExecutor(2 * self._job.batch) as pool:
                _expect_an_answer()
                for row in pool.map(self._row, names):
                    _expect_an_answer()
                    rows.append(row)
            return rows
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _row_with_care(self, name: str, tried: Sequence[str], part: Part) -> Row:
        if Counter(tried)[name] >= _DEATHS:
            return Row(shown(name), code=WORKER_DIED, detail="The process that opened this file died, more than once.")
        part.try_([*tried, name])
        _expect_an_answer()
        return self._row(name)

    def _row(self, name: str) -> Row:
        try:
            content = self._reader.read(name)
        except OSError as error:
            return Row(shown(name), code=UNREADABLE, detail=error.strerror or type(error).__name__)
        start = time.perf_counter()
        found = answered(self._client, content, self._job.options)
        ms = round(1000 * (time.perf_counter() - start), 1)
        return Row(shown(name), hashlib.sha256(content).hexdigest(), ms=ms, **found)


def answered(client: Client, content: bytes, options: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a Row that the answer to one file decides."""
    try:
        answer = client.extract(content, **options)
    except ProblemError as problem:
        told = {"status": problem.status, "code": problem.code, "detail": problem.detail}
        return told | _judged(problem.validation)
    return {
        "status": 200,
        "needs_review": any(document.needs_review for document in answer.documents),
        "documents": [one.model_dump(mode="json", exclude_unset=True) for one in answer.documents],
        "extraction_version": answer.models["extraction"].version,
        "quality_version": answer.models["quality"].version,
        **_judged(answer.validation),
    }


def _judged(verdict: Verdict | None) -> dict[str, Any]:
    return {"accepted": verdict.accepted, "score": verdict.score} if verdict else {}


def shown(name: str) -> str:
    """A file's name as text: one that is not UTF-8 on the disk has its bytes written out."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _expect_an_answer() -> None:
    """From now on within STUCK_S."""
    faulthandler.dump_traceback_later(STUCK_S, exit=True, file=sys.__stderr__ or 2)
