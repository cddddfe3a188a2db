"""From the files that were named to the exit status: ask, write each outcome in turn, go on after those that failed."""

import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from docextract.cli.files import File, find
from docextract.cli.output import Answer, Error, Writer
from docextract.client import Client, ClientError, Outcome, ProblemError, UnreachableError
from docextract.client.clients import CONCURRENCY
from docextract.client.errors import UNEXPECTED
from docextract.client.many import outcome
from docextract.documents import DescriptionError
from docextract.registry import RegistryError
from docextract.settings import Device, Settings

Operation = Literal["validation", "extraction"]
LOCAL_CONCURRENCY = 2  # one file is decoded while another is read
_NEEDED: Mapping[Operation, tuple[str, ...]] = {"validation": ("quality",), "extraction": ("quality", "extraction")}
_NO_ACCESS = (401, 403)


class Exit(IntEnum):
    """What scripts can tell apart. Of several files the worst counts."""

    GOOD = 0
    REVIEW = 1
    USAGE = 2
    FAILED = 3
    UNABLE = 4


class UnableError(ClientError):
    """Nothing can be asked here; the message says why."""


@dataclass(frozen=True)
class Place:
    """Where the models are: behind an address, or in a folder."""

    server: str | None = None
    api_key: str | None = None
    models: Path | None = None
    device: Device | None = None

    @property
    def concurrency(self) -> int:
        """Files at once, where nothing is said."""
        return CONCURRENCY if self.server else LOCAL_CONCURRENCY

    @contextmanager
    def client(self, *needed: str) -> Iterator[Client]:
        """Whoever answers. needed: models to load before the first question, where they run in this process."""
        if self.server:
            try:
                client = Client(self.server, api_key=self.api_key)
            except httpx.InvalidURL as error:
                raise UnableError(f"{self.server} is no address: {error}") from None
            with client:
                yield client
            return
        from docextract.serving import local

        try:
            settings = Settings()
            models = local.LocalModels(self.models or settings.models_folder, self.device or settings.device)
            models.load(*needed)
        except (RegistryError, DescriptionError, ValidationError, OSError) as error:
            raise UnableError(str(error)) from None
        with local.client(models, settings) as client:
            yield client


def run(
    operation: Operation,
    named: Sequence[str],
    options: Mapping[str, Any],
    place: Place,
    concurrency: int | None,
    writer: Writer,
) -> Exit:
    """Ask about all files and write what comes, in the order named."""
    files, empty = find(named)
    for name in empty:
        complain(f"{name}: there is no picture and no PDF")
    if not files:
        return Exit.USAGE
    names = [", ".join(file.name for file in files)] if _together(options) else [file.name for file in files]
    found = Exit.FAILED if empty else Exit.GOOD
    try:
        with _progress(len(names)) as bar, place.client(*_NEEDED[operation]) as client:
            asked = _ask(client, operation, files, dict(options), concurrency or place.concurrency)
            for name, one in zip(names, _in_order(bar.counting(asked)), strict=False):
                with bar.aside():
                    found = max(found, _write(name, one, writer))
                if one.error and (hopeless := _hopeless(one.error)):
                    found = hopeless
                    break
    except UnableError as error:
        complain(str(error))
        return Exit.UNABLE
    writer.end()
    return found


def list_types(place: Place, as_json: bool) -> Exit:
    """Write what can be read."""
    try:
        with place.client() as client:
            output.document_types(client.document_types(), as_json)
    except ClientError as error:
        complain(output.reason(error))
        return Exit.UNABLE
    return Exit.GOOD


def _together(options: Mapping[str, Any]) -> bool:
    return options.get("group") == "single"


def _ask(
    client: Client, operation: Operation, files: Sequence[File], options: dict[str, Any], concurrency: int
) -> Generator[Outcome[Any], None, None]:
    sources = [file.source for file in files]
    if _together(options):
        yield outcome(lambda _: client.extract(*sources, **options), 0, sources[0])
    elif operation == "extraction":
        yield from client.extract_many(sources, concurrency, **options)
    else:
        yield from client.validate_many(sources, concurrency, **options)


def _in_order(outcomes: Iterable[Outcome[Any]]) -> Iterator[Outcome[Any]]:
    early: dict[int, Outcome[Any]] = {}
    wanted = 0
    for one in outcomes:
        early[one.index] = one
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1


def _write(name: str, one: Outcome[Answer], writer: Writer) -> Exit:
    if one.answer is not None:
        writer.answer(name, one.answer)
        return Exit.GOOD if _is_good(one.answer) else Exit.REVIEW
    assert one.error is not None
    complain(output.reason(one.error) if _hopeless(one.error) else f"{name}: {output.reason(one.error)}")
    writer.error(name, one.error)
    refused = isinstance(one.error, ProblemError) and one.error.code == "image_quality_insufficient"
    return Exit.REVIEW if refused else Exit.FAILED


def _is_good(answer: Answer) -> bool:
    if isinstance(answer, ExtractionAnswer):
        return not any(document.needs_review for document in answer.documents)
    return answer.accepted


def _hopeless(error: Error) -> Exit | None:
    """What every other file would meet too: nobody answers, no docextract, no access, an option without sense."""
    if isinstance(error, UnreachableError):
        return Exit.UNABLE
    if isinstance(error, ProblemError) and (error.status in _NO_ACCESS or error.code == UNEXPECTED):
        return Exit.UNABLE
    return Exit.USAGE if isinstance(error, ProblemError) and error.code == "invalid_parameter" else None


def complain(line: str) -> None:
    """To standard error, as this command."""
    print(output.visible(f"docextract: {line}"), file=sys.stderr)


def progress() -> Progress:
    """On standard error while somebody watches, never on standard output."""
    return Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False,
        disable=not sys.stderr.isatty(),
    )  # fmt: skip


class _Bar:
    """How many of the files are answered."""

    def __init__(self, total: int) -> None:
        self.drawn = progress()
        self._task = self.drawn.add_task("starting", total=total)

    def counting(self, outcomes: Iterable[Outcome[Any]]) -> Iterator[Outcome[Any]]:
        """Count them as they pass."""
        self.drawn.update(self._task, description="asking")
        for one in outcomes:
            self.drawn.advance(self._task)
            yield one

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Out of the way of what is written to the same terminal."""
        self.drawn.stop()
        yield
        self.drawn.start()


@contextmanager
def _progress(total: int) -> Iterator[_Bar]:
    bar = _Bar(total)
    with bar.drawn:
        yield bar
