"""Measure the accuracy of the served models on labelled documents.

    python -m training.evaluation.evaluate DATA [--out scores.json] [--details wrong.json] [--server http://localhost:3000]

DATA is labelled photos in any format that training.datasets reads. Without --server, the promoted models run in this
process, behind the same steps as in the service. With it, every image is posted to {server}/v1/extraction. Fields are
compared in the form that the answer's JSON has.
"""

import argparse
import json
import platform
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol, Unpack

from docextract.client import Client, ExtractionOptions, ProblemError, UnreachableError
from docextract.documents import document_types, register_types
from docextract.documents.values import LABEL_CONVENTIONS, FieldKind
from docextract.registry import RegistryError, gate, promoted_version
from docextract.serving import local
from docextract.serving.local import LocalModels
from training import datasets
from training.command_line import add_models_option
from training.datasets import LabelledPage, group_of, value_of
from training.metrics import Comparison, align_rows, by_field, calibration

SERVER_TIMEOUT_S = 120.0


class ExtractCall(Protocol):
    """Extracts the data of one file."""

    def __call__(self, image: Path, page: int | None = None) -> dict[str, Any]:
        """Return the body of /extraction, or a problem. page: the only one to read, from 1; None for all."""
        ...


def make_extract_call(client: Client, **options: Unpack[ExtractionOptions]) -> ExtractCall:
    """Return a function that extracts one file through a client. options: as for Client.extract."""

    def extract(image: Path, page: int | None = None) -> dict[str, Any]:
        selected = options if page is None else options | {"pages": str(page)}
        try:
            return client.extract(image, **selected).model_dump(mode="json", exclude_unset=True)
        except ProblemError as problem:
            return {**problem.body, "code": problem.code}

    return extract


def extract_in_process(models: LocalModels) -> ExtractCall:
    """Return a function that extracts one file with the models in this process, behind the service's own steps."""

    def extract(image: Path, page: int | None = None) -> dict[str, Any]:
        with local.client(models) as client:
            return make_extract_call(client)(image, page)

    return extract


@dataclass(frozen=True)
class PageOutcome:
    """One page: the comparison of its fields, and the service's verdict on the photo.

    group: pages of one group resemble each other, see training.datasets.parts; by default the page alone.
    review_reasons: of the answer's first document; see docs/api.md. None without a document.
    """

    key: str
    type: str  # of the label
    comparisons: tuple[Comparison, ...]
    type_right: bool
    accepted: bool
    problem: str | None = None
    group: str = ""
    review_reasons: tuple[str, ...] | None = None

    @property
    def labelled(self) -> list[Comparison]:
        """The comparisons of labelled fields, which are the same for every model."""
        return [one for one in self.comparisons if not one.extra]


def evaluate(pages: Sequence[LabelledPage], extract: ExtractCall) -> Iterator[PageOutcome]:
    """Extract each page and compare; yields in input order. A page that gets a problem has no right field."""
    for page in pages:
        body = extract(page.image, page.page)
        documents = body.get("documents") or [{}]
        given = documents[0].get("fields", {})
        yield PageOutcome(
            page.key,
            page.type,
            tuple(_compared(page, given)),
            documents[0].get("type") == page.type,
            bool(body.get("verdict", {}).get("accepted")),
            body.get("code"),
            group_of(page),
            tuple(documents[0].get("review_reasons", ())) if body.get("documents") else None,
        )


def _compared(page: LabelledPage, given: dict[str, Any]) -> Iterator[Comparison]:
    kinds = {field.name: field.kind for field in document_types()[page.type].fields()}
    for name, expected in page.fields.items():
        if isinstance(expected, list):
            yield from _rows_compared(name, expected, given.get(name, {}).get("items", []), kinds, page.tags)
            continue
        answer = given.get(name, {})
        yield Comparison(
            name,
            typed_label(kinds[name], expected),
            plain_value(answer.get("value")),
            answer.get("confidence"),
            page.tags,
            answer=answer,
            alternatives=tuple(typed_label(kinds[name], value) for value in page.alternatives.get(name, ())),
        )


def _rows_compared(
    group: str,
    expected: list[dict[str, Any]],
    given: list[dict[str, Any]],
    kinds: dict[str, FieldKind],
    tags: tuple[str, ...],
) -> Iterator[Comparison]:
    """Each labelled row with the predicted row that matches it; see training.metrics.align_rows. Then the other rows.

    Of the other rows, leaves that no row of the label has are unknown and not compared.
    """
    truth = [{leaf: typed_label(kinds[f"{group}.{leaf}"], value) for leaf, value in row.items()} for row in expected]
    answers = [row.get("fields", {}) for row in given]
    values = [{leaf: plain_value(answer.get("value")) for leaf, answer in row.items()} for row in answers]
    partners = align_rows(truth, values)
    for at, (row, partner) in enumerate(zip(truth, partners, strict=True)):
        answer = {} if partner is None else answers[partner]
        for leaf, value in row.items():
            found = answer.get(leaf, {})
            yield Comparison(
                f"{group}.{leaf}", value, plain_value(found.get("value")), found.get("confidence"), tags, at, found
            )
    labelled = {leaf for row in truth for leaf in row}
    others = [answer for index, answer in enumerate(answers) if index not in partners]
    for at, answer in enumerate(others, len(truth)):
        for leaf, found in answer.items():
            value = plain_value(found.get("value"))
            if value is not None and (leaf in labelled or not truth):
                yield Comparison(f"{group}.{leaf}", None, value, found.get("confidence"), tags, at, found, extra=True)


def typed_label(kind: FieldKind, label: str | None) -> Any:
    """A label in the form that answers have."""
    return None if label is None else plain_value(kind.to_json(value_of(kind, label), LABEL_CONVENTIONS))


def plain_value(wire: Any) -> Any:
    """Reduce an amount of money to its number: labels state no currency."""
    return Decimal(wire["amount"]) if isinstance(wire, dict) else wire


def report_scores(outcomes: Sequence[PageOutcome]) -> dict[str, Any]:
    """Scores by field, type and tag, and of accepted photos. Only figures: they are published with a model."""
    everything = [one for outcome in outcomes for one in outcome.comparisons]
    types = dict.fromkeys(outcome.type for outcome in outcomes)
    tags = dict.fromkeys(tag for one in everything for tag in one.tags)
    accepted = [one for outcome in outcomes if outcome.accepted for one in outcome.comparisons]
    return {
        "pages": len(outcomes),
        gate.PAGES_BY_TYPE: {name: sum(outcome.type == name for outcome in outcomes) for name in types},
        "type_right": round(sum(outcome.type_right for outcome in outcomes) / max(1, len(outcomes)), 4),
        "accepted": round(sum(outcome.accepted for outcome in outcomes) / max(1, len(outcomes)), 4),
        "calibration": calibration(everything),
        "fields": by_field(everything),
        "fields_of_accepted": by_field(accepted),
        "document_types": {
            name: by_field(one for outcome in outcomes if outcome.type == name for one in outcome.comparisons)
            for name in types
        },
        "tags": {tag: by_field(one for one in everything if tag in one.tags) for tag in tags},
    }


def error_details(outcomes: Sequence[PageOutcome]) -> dict[str, Any]:
    """The wrong values and the problems, by page. They quote the pages and must not be published."""
    return {
        "problems": {outcome.key: outcome.problem for outcome in outcomes if outcome.problem},
        "wrong": {
            f"{outcome.key}/{one.field}": {"wanted": str(one.expected), "given": one.predicted and str(one.predicted)}
            for outcome in outcomes
            for one in outcome.comparisons
            if one.expected is not None and not one.loose
        },
    }


def provenance() -> dict[str, str]:
    """Date, commit and machine of a measurement, to be stored with its figures."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit or "not a git checkout",
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }


def _print(table: dict[str, dict[str, float | int]]) -> None:
    columns = ("pages", "exact", "loose", "edit_distance", "precision", "recall", "f1", "absent", "invented", "extra")
    print(f"{'':26}" + "".join(f"{column:>14}" for column in columns))
    for name, scores in table.items():
        cells = [scores.get(column, "") for column in columns]
        print(f"{name:26}" + "".join(f"{cell:14.3f}" if isinstance(cell, float) else f"{cell:>14}" for cell in cells))


def _client(options: argparse.Namespace) -> AbstractContextManager[Client]:
    if options.server:
        return Client(options.server, timeout_s=SERVER_TIMEOUT_S)
    return local.client(LocalModels(options.models, options.device))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, help="write the scores as JSON, for the registry")
    parser.add_argument("--details", type=Path, help="write the wrong values by page as JSON; it quotes the pages")
    parser.add_argument("--server", help="call a running service instead of loading the models")
    add_models_option(parser)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args(arguments)
    try:
        if not options.server:
            register_types(promoted_version("extraction", options.models).folder)
        pages, unusable = datasets.load(options.data)
    except (RegistryError, FileNotFoundError, ValueError) as error:
        parser.exit(1, f"{error}\n")
    for row in unusable:
        print(f"{row.source}: not used: {row.reason}", file=sys.stderr)
    if not pages:
        print(f"{options.data} has no usable row", file=sys.stderr)
        return 1
    outcomes: list[PageOutcome] = []
    try:
        with _client(options) as client:
            for outcome in evaluate(pages, make_extract_call(client)):
                outcomes.append(outcome)
                if sys.stderr.isatty():
                    print(f"\r{len(outcomes)}/{len(pages)}", end="", file=sys.stderr)
    except UnreachableError as error:
        parser.exit(1, f"{error}\n")
    for code, count in Counter(outcome.problem for outcome in outcomes if outcome.problem).items():
        print(f"{code}: no answer for {count} of {len(outcomes)} pages, which count as wrong", file=sys.stderr)
    scores = {**provenance(), **report_scores(outcomes)}
    print(f"{scores['pages']} pages, type right on {scores['type_right']:.1%}, accepted {scores['accepted']:.1%}")
    for tag, table in {"all pages": scores["fields"], **scores["tags"]}.items():
        print(f"\n{tag}")
        _print(table)
    for path, found in ((options.out, scores), (options.details, error_details(outcomes))):
        if path:
            path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
