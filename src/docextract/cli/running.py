"""Run `extract`, `validate` and `types`: resolve the files, send them, write the outcomes, return the exit status."""

import os
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, Literal

import httpx
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from docextract.answers.schema import ExtractionAnswer
from docextract.cli import output
from docextract.cli.files import InputFile, find_files
from docextract.cli.output import AnswerWriter, FileError, OperationAnswer
from docextract.client import Client, ClientError, Outcome, ProblemError, UnreachableError
from docextract.client.clients import DEFAULT_CONCURRENCY
from docextract.client.errors import UNEXPECTED_ANSWER
from docextract.client.many import call_for_outcome
from docextract.documents import DescriptionError
from docextract.files import printable_name
from docextract.registry import RegistryError
from docextract.settings import Device, Settings

Operation = Literal["validation", "extraction"]
FIRST_CONTACT_S = 5.0  # time limit of the first request, which finds a wrong address before any file is sent
LOCAL_CONCURRENCY = 2  # one file is decoded while another is being read by the models
_MODELS: Mapping[Operation, tuple[str, ...]] = {"validation": ("quality",), "extraction": ("quality", "extraction")}
_ACCESS_DENIED_STATUSES = (401, 403)


class ExitStatus(IntEnum):
    """Exit status of the commands. Of several files the worst status counts."""

    GOOD = 0
    REVIEW = 1
    USAGE = 2
    FAILED = 3
    UNABLE = 4


class CannotRunError(ClientError):
    """The command cannot run; the message says why."""


@dataclass(frozen=True)
class ModelLocation:
    """Where the models run: behind a server, or in this process."""

    server: str | None = None
    api_key: str | None = None
    models: Path | None = None
    device: Device | None = None

    @property
    def concurrency(self) -> int:
        """Default number of files in progress."""
        return DEFAULT_CONCURRENCY if self.server else LOCAL_CONCURRENCY

    @contextmanager
    def client(self, *models_needed: str) -> Iterator[Client]:
        """Open a client. models_needed: models to load before the first file, if they run in this process."""
        if self.server:
            try:
                _require_reachable(self.server)
                client = Client(self.server, api_key=self.api_key)
            except httpx.InvalidURL as error:
                raise CannotRunError(f"{self.server} is not a valid address: {error}") from None
            with client:
                yield client
            return
        from docextract.serving import local

        try:
            settings = Settings()
            models = local.LocalModels(self.models or settings.models_folder, self.device or settings.device)
            models.load(*models_needed)
        except (RegistryError, DescriptionError, ValidationError, OSError) as error:
            raise CannotRunError(str(error)) from None
        with local.client(models, settings) as client:
            yield client


def _require_reachable(server: str) -> None:
    """Raise CannotRunError soon if nothing listens; other faults show with the first file."""
    try:
        httpx.get(f"{server.rstrip('/')}/livez", timeout=FIRST_CONTACT_S)
    except httpx.RequestError as cause:
        error = UnreachableError(server, cause)
        if not error.connected:
            raise CannotRunError(str(error)) from None


def run_operation(
    operation: Operation,
    arguments: Sequence[str],
    options: Mapping[str, Any],
    location: ModelLocation,
    concurrency: int | None,
    writer: AnswerWriter,
) -> ExitStatus:
    """Process all files and write the outcomes, in input order."""
    files, without_files = find_files(arguments)
    for name in without_files:
        print_error(f"{name}: no picture or PDF found")
    if not files:
        return ExitStatus.USAGE
    names = [", ".join(file.name for file in files)] if _is_single_document(options) else [file.name for file in files]
    status = ExitStatus.FAILED if without_files else ExitStatus.GOOD
    try:
        with (
            _show_progress(len(names)) as bar,
            location.client(*_MODELS[operation]) as client,
            closing(
                _request_outcomes(client, operation, files, dict(options), concurrency or location.concurrency)
            ) as outcomes,
        ):
            try:
                for name, outcome in zip(names, _in_input_order(bar.count(outcomes)), strict=False):
                    with bar.paused():
                        status = max(status, _write_outcome(name, outcome, writer))
                    if outcome.error and (fatal := _fatal_exit(outcome.error)):
                        status = fatal
                        break
            finally:  # also after an interrupt; answers that wait for that of an earlier file are lost then
                with bar.paused():
                    writer.end()
    except CannotRunError as error:
        print_error(str(error))
        return ExitStatus.UNABLE
    return status


def list_types(location: ModelLocation, as_json: bool) -> ExitStatus:
    """Print the document types."""
    try:
        with location.client() as client:
            output.print_document_types(client.document_types(), as_json)
    except ClientError as error:
        print_error(output.error_text(error))
        return ExitStatus.UNABLE
    return ExitStatus.GOOD


def _is_single_document(options: Mapping[str, Any]) -> bool:
    return options.get("group") == "request"


def _request_outcomes(
    client: Client, operation: Operation, files: Sequence[InputFile], options: dict[str, Any], concurrency: int
) -> Generator[Outcome[Any], None, None]:
    sources = [file.source for file in files]
    if _is_single_document(options):
        yield call_for_outcome(lambda _: client.extract(*sources, **options), 0, sources[0])
    elif operation == "extraction":
        yield from client.extract_many(sources, concurrency, **options)
    else:
        yield from client.validate_many(sources, concurrency, **options)


def _in_input_order(outcomes: Iterable[Outcome[Any]]) -> Iterator[Outcome[Any]]:
    waiting: dict[int, Outcome[Any]] = {}
    next_index = 0
    for outcome in outcomes:
        waiting[outcome.index] = outcome
        while next_index in waiting:
            yield waiting.pop(next_index)
            next_index += 1


def _write_outcome(name: str, outcome: Outcome[OperationAnswer], writer: AnswerWriter) -> ExitStatus:
    if outcome.answer is not None:
        writer.answer(name, outcome.answer)
        return ExitStatus.GOOD if _needs_no_review(outcome.answer) else ExitStatus.REVIEW
    assert outcome.error is not None
    if isinstance(outcome.error, OSError) and outcome.error.filename is not None:
        name = printable_name(os.fsdecode(outcome.error.filename))  # of several files of one document, the faulty one
    text = output.error_text(outcome.error)
    print_error(text if _fatal_exit(outcome.error) else f"{name}: {text}")
    writer.error(name, outcome.error)
    refused = isinstance(outcome.error, ProblemError) and outcome.error.code == "image_quality_insufficient"
    return ExitStatus.REVIEW if refused else ExitStatus.FAILED


def _needs_no_review(answer: OperationAnswer) -> bool:
    if isinstance(answer, ExtractionAnswer):
        refused = answer.verdict is not None and not answer.verdict.accepted
        return not refused and not any(document.needs_review for document in answer.documents)
    return answer.accepted


def _fatal_exit(error: FileError) -> ExitStatus | None:
    """Return an exit status if the error would repeat for every file: no connection, no access, an invalid option."""
    if isinstance(error, UnreachableError) and not error.connected:
        return ExitStatus.UNABLE
    if isinstance(error, ProblemError) and (error.status in _ACCESS_DENIED_STATUSES or error.code == UNEXPECTED_ANSWER):
        return ExitStatus.UNABLE
    if isinstance(error, ProblemError) and error.code == "invalid_parameter" and not _is_of_file(error):
        return ExitStatus.USAGE
    return None


def _is_of_file(problem: ProblemError) -> bool:
    """Whether only files are at fault, such as one that has fewer pages than `pages` names."""
    return bool(problem.errors) and all(fault.pointer.startswith("/images/") for fault in problem.errors)


def print_error(line: str) -> None:
    """Print a line to standard error, with the name of the command."""
    print(output.without_control_characters(f"docextract: {line}"), file=sys.stderr)


def make_progress() -> Progress:
    """Make a progress bar on standard error; it is hidden if that is not a terminal."""
    return Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False,
        disable=not sys.stderr.isatty(),
    )  # fmt: skip


class _FileProgress:
    """Progress bar that counts answered files."""

    def __init__(self, total: int) -> None:
        self.bar = make_progress()
        self._task = self.bar.add_task("starting", total=total)

    def count(self, outcomes: Iterable[Outcome[Any]]) -> Iterator[Outcome[Any]]:
        """Count outcomes as they pass."""
        self.bar.update(self._task, description="processing")
        for outcome in outcomes:
            self.bar.advance(self._task)
            yield outcome

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Hide the bar while other output goes to the same terminal."""
        self.bar.stop()
        yield
        self.bar.start()


@contextmanager
def _show_progress(total: int) -> Iterator[_FileProgress]:
    bar = _FileProgress(total)
    with bar.bar:
        yield bar
