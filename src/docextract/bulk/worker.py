"""The actor that answers files: it loads both models, then processes groups of files and writes each as a part.

Any fault of a file becomes its row. That includes a file that kills the process, by a crash in a decoding library or
by its memory use. After a crash at a part, the next actor processes that part file by file, and records each name
before it opens the file. A file at which two actors crashed is not opened again.
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
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docextract.answers.schema import Verdict
from docextract.bulk.inputs import Inputs
from docextract.bulk.output import OutputFolder, OutputPart, ResultRow, count_files
from docextract.client import Client, ProblemError
from docextract.files import printable_name
from docextract.serving import local
from docextract.settings import Device, Settings

WORKER_DIED_CODE = "worker_died"
UNREADABLE_CODE = "unreadable"
_MAX_CRASHES = 2  # crashes at a file that was processed alone, until the file is skipped
STALL_TIMEOUT_S = 600.0  # without an answer; then the actor ends itself, which counts as a crash


@dataclass(frozen=True)
class WorkerJob:
    """Everything that an actor needs to know."""

    inputs: Inputs
    output: OutputFolder
    options: Mapping[str, Any]  # options of /extraction
    models_dir: Path
    device: Device
    settings: Settings
    batch_size: int  # files processed together


class BulkWorker:
    """Ray actor with both models; it runs the service's own pipeline."""

    def __init__(self, job: WorkerJob) -> None:
        """Load the models. Raises RegistryError if their weights are incomplete."""
        self._job = job
        self._reader = job.inputs.reader()
        models = local.LocalModels(job.models_dir, job.device, job.batch_size)
        models.load("quality", "extraction")
        self._opened = ExitStack()
        self._client: Client = self._opened.enter_context(local.client(models, job.settings))

    def __call__(self, group: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
        """Process one group and return its counts. Ray Data passes the names as a JSON text in a batch of one."""
        names: list[str] = json.loads(group["names"][0])
        part = self._job.output.part(names)
        rows = self._process_part(names, part)
        part.write(rows)
        part.clear_attempts()
        counts = count_files(map(asdict, rows))
        return {"good": [counts.good], "review": [counts.review], "failed": [counts.failed]}

    def _process_part(self, names: Sequence[str], part: OutputPart) -> list[ResultRow]:
        attempts = part.read_attempts()
        try:
            if attempts is not None:
                return [self._process_suspect_file(name, attempts, part) for name in names]
            part.record_attempts([])
            rows = []
            # While one batch is computed, the files of the next batch are read and decoded.
            with ThreadPoolExecutor(2 * self._job.batch_size) as pool:
                _restart_stall_timer()
                for row in pool.map(self._process_file, names):
                    _restart_stall_timer()
                    rows.append(row)
            return rows
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _process_suspect_file(self, name: str, attempts: Sequence[str], part: OutputPart) -> ResultRow:
        if Counter(attempts)[name] >= _MAX_CRASHES:
            detail = "The process that opened this file crashed more than once."
            return ResultRow(printable_name(name), code=WORKER_DIED_CODE, detail=detail)
        part.record_attempts([*attempts, name])
        _restart_stall_timer()
        return self._process_file(name)

    def _process_file(self, name: str) -> ResultRow:
        try:
            content = self._reader.read(name)
        except OSError as error:
            return ResultRow(printable_name(name), code=UNREADABLE_CODE, detail=error.strerror or type(error).__name__)
        begun_s = time.perf_counter()
        columns = extract_columns(self._client, content, self._job.options)
        ms = round(1000 * (time.perf_counter() - begun_s), 1)
        return ResultRow(printable_name(name), hashlib.sha256(content).hexdigest(), ms=ms, **columns)


def extract_columns(client: Client, content: bytes, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a ResultRow that come from the answer to a file."""
    try:
        answer = client.extract(content, **options)
    except ProblemError as problem:
        columns = {"status": problem.status, "code": problem.code, "detail": problem.detail}
        return columns | _verdict_columns(problem.verdict)
    return {
        "status": 200,
        "needs_review": any(document.needs_review for document in answer.documents),
        "documents": [one.model_dump(mode="json", exclude_unset=True) for one in answer.documents],
        "extraction_version": answer.models["extraction"].version,
        "quality_version": answer.models["quality"].version,
        **_verdict_columns(answer.verdict),
    }


def _verdict_columns(verdict: Verdict | None) -> dict[str, Any]:
    return {"accepted": verdict.accepted, "score": verdict.score} if verdict else {}


def _restart_stall_timer() -> None:
    """End this process with a traceback if this function is not called again within STALL_TIMEOUT_S."""
    faulthandler.dump_traceback_later(STALL_TIMEOUT_S, exit=True, file=sys.__stderr__ or 2)
