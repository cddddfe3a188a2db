"""Count what a person does in `docextract review` to correct real documents: a scripted session in Chromium.

    python -m benchmarks.review_effort --data DIR [--data DIR …] [--out effort.json]

DIR is a collection (see training.evaluation.real_documents). The script knows the true values of the labelled fields,
and corrects those that differ in letters and digits: by pointing at words where the value is printed in one run of
recognised words, else by typing it. Rows are left out, because the collections do not label them. In the end the labels
that the page has written are compared with the true values.

Seconds are those of the keystroke-level model (Card, Moran and Newell 1983, The Psychology of Human-Computer
Interaction): a key 0.28 s, pointing with a click 1.3 s, a decision 1.35 s. There is a decision for each document, each
value that the page marks as doubtful, and each value that is corrected; reading the other values is not counted.
"""

import argparse
import json
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Page, sync_playwright

from benchmarks.environment import describe_environment
from docextract.documents import document_types
from docextract.predictions import OTHER_TYPE
from docextract.review.folder import ReviewedFolder
from docextract.review.proposals import Proposals
from docextract.review.server import create_review_app
from docextract.review.sheets import normalise
from docextract.serving import local
from docextract.serving.local import LocalModels
from docextract.settings import Settings
from training.evaluation.real_documents import RealDocument, read_collection
from training.metrics import loose_form

KEY_S, POINT_S, DECISION_S = 0.28, 1.3, 1.35
LIMIT_S = 20.0
TOKEN = "benchmark"  # of a server that only this program uses
TIMEOUT_MS = 60_000
_NEXT_IS_SHOWN = "name => !finished.hidden || document.getElementById('name').textContent !== name"
MAX_WORDS = 25  # of one value


@dataclass
class Effort:
    """What one document took. wait_s: until the next document is on the page, after the last key."""

    name: str
    fields: int = 0
    doubtful: int = 0
    corrected: int = 0
    keys: int = 0
    points: int = 0
    wait_s: float = 0.0
    right: bool = True  # whether the written labels equal the true ones

    @property
    def seconds(self) -> float:
        """The time of a practised person, with waits."""
        decisions = 1 + self.doubtful + self.corrected
        return self.keys * KEY_S + self.points * POINT_S + decisions * DECISION_S + self.wait_s


@dataclass
class Session:
    """A page of the review, and the true labels of its documents by file name."""

    page: Page
    folder: Path
    truths: Mapping[str, Mapping[str, str | None]]

    def run(self) -> Iterator[Effort]:
        """Correct and confirm one document after the other."""
        page = self.page
        while page.locator("#document").is_visible():
            name = page.locator("#name").inner_text()
            effort = Effort(name)
            self._correct(effort)
            started_s = time.perf_counter()
            page.keyboard.press("Control+Enter")
            effort.keys += 2
            page.wait_for_function(
                _NEXT_IS_SHOWN,
                arg=name,
            )
            effort.wait_s = time.perf_counter() - started_s
            effort.right = self._is_written_right(name)
            yield effort

    def _correct(self, effort: Effort) -> None:
        page, truth = self.page, self.truths[effort.name]
        for checkbox in page.locator(".row-actions input[type=checkbox]").all():
            checkbox.click()
        effort.doubtful = page.locator(".edit.doubtful:not(.compact)").count()
        for path, label in truth.items():
            field = page.locator(f'[data-path="{path}"]')
            effort.fields += 1
            if loose_form(field.input_value()) != loose_form(label or ""):
                effort.corrected += 1
                self._enter(path, label, effort)

    def _enter(self, path: str, label: str | None, effort: Effort) -> None:
        field = self.page.locator(f'[data-path="{path}"]')
        field.click()
        effort.points += 1
        words = self._words_of(path, label) if label else None
        if words:
            first, last = words
            self.page.locator(f"#{first}").click()
            effort.points += 1
            if last != first:
                self.page.locator(f"#{last}").click(modifiers=["Shift"])
                effort.points, effort.keys = effort.points + 1, effort.keys + 1
            self.page.wait_for_function(
                '([path, text]) => document.querySelector(`[data-path="${path}"]`).value === text', arg=[path, label]
            )
            return
        field.fill(label or "")
        effort.keys += max(1, len(label or ""))
        with self.page.expect_response("**/values") if label else _nothing():
            field.press("Tab")

    def _words_of(self, path: str, label: str) -> tuple[str, str] | None:
        """The ids of the first and last word of a run of words that gives the label."""
        words = self.page.evaluate(
            "[...document.querySelectorAll('.word')].map(word => [word.id, word.getAttribute('aria-label')])"
        )
        type_name = self.page.locator("#kind").input_value()
        for start in range(len(words)):
            for end in range(start, min(start + MAX_WORDS, len(words))):
                text = " ".join(word for _, word in words[start : end + 1])
                if len(loose_form(text)) > 2 * len(loose_form(label)) + 12:
                    break
                if normalise(type_name, path, text, "DMY") == label:
                    return words[start][0], words[end][0]
        return None

    def _is_written_right(self, name: str) -> bool:
        written: dict[str, Any] = {}
        for line in (self.folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["image"] == name:
                written |= {field: label for field, label in row["fields"].items() if label is not None}
        return all(
            loose_form(written.get(path) or "") == loose_form(label or "") for path, label in self.truths[name].items()
        )


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def true_labels(document: RealDocument, proposed: Mapping[str, str]) -> dict[str, str | None]:
    """The labels of a document as the page writes them; of several true readings the one that was proposed."""
    fields = {field.name for field in document_types()[document.type].fields() if field.group is None}
    found: dict[str, str | None] = {}
    for name, printed in document.fields.items():
        if name not in fields:
            continue
        readings = [
            normalise(document.type, name, text, "YMD")
            for text in (printed, *document.alternatives.get(name, ()))
            if text
        ]
        valid = [text for text in readings if text]
        same = [text for text in valid if loose_form(text) == loose_form(proposed.get(name, ""))]
        if printed is None or valid:
            found[name] = next(iter((*same, *valid)), None)
    return found


@contextmanager
def _served(app: Any) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    (socket,) = server.servers[0].sockets
    yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    server.should_exit = True
    thread.join()


def measure(documents: Sequence[RealDocument], models: LocalModels, chromium: str) -> list[Effort]:
    """Review documents of known types in one folder. chromium: path of the browser."""
    settings = Settings()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for document in documents:
            shutil.copy(document.path, place / document.path.name)
        folder = ReviewedFolder(place)
        with local.client(models, settings) as client:
            proposals = Proposals(folder, client, models, settings)
            proposals.answer_all(threading.Event())
            sheets = {one.name: proposals.proposal(key).sheet for key, one in folder.documents.items()}
            known = [one for one in documents if sheets[one.path.name].type == one.type]
            for key, file in folder.documents.items():  # others would need another type first
                if file.name not in {one.path.name for one in known}:
                    file.path.unlink()
                    del folder.documents[key]  # type: ignore[attr-defined]
            truths = {
                one.path.name: true_labels(
                    one, {path: cell.text for path, cell in sheets[one.path.name].fields.items()}
                )
                for one in known
            }
            with _served(create_review_app(folder, proposals, TOKEN)) as address, sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
                page = browser.new_page(viewport={"width": 1500, "height": 1000}, locale="en-GB")
                page.set_default_timeout(TIMEOUT_MS)
                page.goto(f"{address}/?token={TOKEN}")
                page.locator("body.ready").wait_for()
                efforts = list(Session(page, place, truths).run())
                browser.close()
        folder.close()
    return efforts


def summarize(efforts: Sequence[Effort], documents: int) -> dict[str, Any]:
    """Totals of all documents."""
    seconds = sorted(one.seconds for one in efforts)
    return {
        "documents": documents,
        "reviewed": len(efforts),  # the others were taken for another type
        "labelled fields": sum(one.fields for one in efforts),
        "corrected fields": sum(one.corrected for one in efforts),
        "keys per document": round(statistics.mean(one.keys for one in efforts), 1),
        "pointings per document": round(statistics.mean(one.points for one in efforts), 1),
        "wait per document, s": round(statistics.mean(one.wait_s for one in efforts), 2),
        "seconds, median": round(statistics.median(seconds), 1),
        "seconds, 90 %": round(seconds[int(0.9 * (len(seconds) - 1))], 1),
        f"share within {LIMIT_S:.0f} s": round(sum(one <= LIMIT_S for one in seconds) / len(seconds), 3),
        "written as labelled": sum(one.right for one in efforts),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True)
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    if options.chromium is None:
        parser.error("Chromium is not installed")
    models = LocalModels(options.models)
    results: dict[str, Any] = {"environment": describe_environment()}
    for folder in options.data:
        documents = [one for one in read_collection(folder) if one.type != OTHER_TYPE]
        efforts = measure(documents, models, options.chromium)
        results[folder.name] = summarize(efforts, len(documents))
        results[folder.name]["each"] = [vars(one) | {"seconds": round(one.seconds, 1)} for one in efforts]
        print(
            folder.name,
            json.dumps({name: value for name, value in results[folder.name].items() if name != "each"}, indent=1),
        )
    if options.out:
        options.out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
