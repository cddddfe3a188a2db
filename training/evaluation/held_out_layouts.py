"""Measure what is found on layouts that no network was trained on, and write docs/held-out-layouts.md.

    python -m training.evaluation.held_out_layouts runs/templates.jsonl [...] [--weights DIR] [--details wrong.json]

The documents are filled templates, written by training.synth.templates; one template in five is held out from training.
Lines are those of their PDFs, without recognition errors: this measures the understanding alone.
"""

import argparse
import json
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from docextract.documents import document_types
from docextract.extraction.extractor import Extractor
from docextract.registry import promoted_version
from training.command_line import add_models_option
from training.datasets import filled_templates
from training.datasets.filled_templates import FilledTemplate, printed_rows, printed_values
from training.evaluation import from_lines
from training.evaluation.bootstrap import interval
from training.evaluation.evaluate import plain_value, provenance
from training.evaluation.real_documents import LINE_WIDTH, FieldResult, confidence_line, field_table
from training.evaluation.row_results import LINE_ITEMS, RowResult, compare_rows, predicted_rows, row_table
from training.metrics import loose_form
from training.synth.misreading import read_without_errors
from training.synth.templates.cards import RECORDS

UNSEEN_LAYOUTS = frozenset(tomllib.loads(Path(__file__).with_name("unseen_layouts.toml").read_text())["layouts"])
HELD_OUT_PAGE = Path("docs") / "held-out-layouts.md"
ROWS = "number of rows"


def answer(extractor: Extractor, document: FilledTemplate) -> Mapping[str, Any]:
    """The fields that the service answers for a document of this type with these lines."""
    lines = [read_without_errors(sheet) for sheet in document.sheets]
    return dict(from_lines.answer_lines(extractor, lines, document.type).get("fields", {}))


def layout_results(document: FilledTemplate, fields: Mapping[str, Any]) -> Iterator[FieldResult]:
    """Compare what is printed with the answer; a field that is not printed is not counted."""
    printed, conventions = printed_values(document), document.conventions
    for field in document_types()[document.type].fields():
        if field.group is None and field.name in printed:
            found = fields.get(field.name, {})
            value, confidence = plain_value(found.get("value")), found.get("confidence")
            first, *others = (plain_value(field.kind.to_json(one, conventions)) for one in printed[field.name])
            yield FieldResult(document.template, field.name, first, value, tuple(others), confidence)
    if rows := document.rows("line_items"):
        found_rows = len(fields.get("line_items", {}).get("items", [])) or None
        yield FieldResult(document.template, ROWS, rows, found_rows)


def layout_rows(document: FilledTemplate, fields: Mapping[str, Any]) -> Iterator[RowResult]:
    """Compare the printed rows of line items with the answer."""
    kinds = {field.leaf: field.kind for field in document_types()[document.type].fields() if field.group == LINE_ITEMS}
    printed = [
        {leaf: plain_value(kinds[leaf].to_json(value, document.conventions)) for leaf, value in row.items()}
        for row in printed_rows(document, LINE_ITEMS)
    ]
    yield from compare_rows(document.template, printed, predicted_rows(fields))


@dataclass(frozen=True)
class LayoutResult:
    """The results of one document."""

    document: FilledTemplate
    fields: Sequence[FieldResult]
    rows: Sequence[RowResult]


def measure_layouts(extractor: Extractor, documents: Sequence[FilledTemplate]) -> list[LayoutResult]:
    """Answer the held-out documents and compare."""
    found = []
    for one in (one for one in filled_templates.held_out(documents) if one.type in extractor.types):
        fields = answer(extractor, one)
        found.append(LayoutResult(one, list(layout_results(one, fields)), list(layout_rows(one, fields))))
    return found


def layouts_page(found: Sequence[LayoutResult], version: str) -> str:
    """The Markdown page."""
    about = provenance()
    results = [result for one in found for result in one.fields]
    types = {one.document.template: one.document.type for one in found}
    lines = [
        "# Layouts held out from training",
        "",
        "*Written by `python -m training.evaluation.held_out_layouts`; do not edit. "
        f"{about['date']}, commit {about['commit']}, {about['machine']}. {version}*",
        "",
        *textwrap.wrap(
            "One HTML template in five is held out from training. These are filled with invented values and read "
            "without recognition errors; columns are those of [real documents](real-documents.md). Templates of "
            "training/synth/data/templates and of open-source invoice programs are of few hands: others are harder. "
            "Confidences were fitted on these documents too, and labels and rules of decoding were added after a look "
            "at errors here: expect less on other layouts. Nobody has looked at errors of those in "
            "training/evaluation/unseen_layouts.toml.",
            width=LINE_WIDTH,
        ),
        "",
        *overall_table(results, types),
    ]
    for kind in sorted(set(types.values())):
        own = [one for one in results if types[one.template] == kind]
        lines += ["", f"## {kind}", "", *field_table(own), "", confidence_line(own)]
        if rows := [row for one in found if one.document.type == kind for row in one.rows]:
            lines += ["", *row_table(rows)]
    lines += ["", "## By layout", "", "| layout | type | values | letters and digits |", "|---|---|---|---|"]
    for name in sorted(types):
        right = [one.is_right(loose_form) for one in results if one.template == name]
        lines.append(f"| {name} | {types[name]} | {len(right)} | {np.mean(right):.1%} |")
    return "\n".join(lines) + "\n"


def overall_table(results: Sequence[FieldResult], types: Mapping[str, str]) -> Iterator[str]:
    """Yield the rows of a table of all values, and of those of layouts of which nobody has looked at an error.

    types: of the layouts, by name.
    """
    yield "| layouts | n | values | letters and digits |"
    yield "|---|---|---|---|"
    unseen = [one for one in results if one.template in UNSEEN_LAYOUTS]
    cards = [one for one in unseen if types[one.template] in RECORDS]
    papers = [one for one in unseen if types[one.template] not in RECORDS]
    groups = {
        "all": results,
        "errors not looked at: invoices, receipts, bills": papers,
        "errors not looked at: cards": cards,
    }
    for name, some in groups.items():
        if some:
            right = [one.is_right(loose_form) for one in some]
            low, high = interval([one.template for one in some], right)
            count = len({one.template for one in some})
            yield f"| {name} | {count} | {len(right)} | {np.mean(right):.1%} ({low:.1%} to {high:.1%}) |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path, nargs="+")
    parser.add_argument("--weights", type=Path, help="of an extraction model; the promoted ones if not given")
    add_models_option(parser)
    parser.add_argument("--out", type=Path, default=HELD_OUT_PAGE)
    parser.add_argument("--details", type=Path, help="write every wrong value of seen layouts as JSON")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    served = promoted_version("extraction", options.models)
    extractor = Extractor.load(options.weights or served.folder)
    documents = list(filled_templates.load_documents(options.documents))
    found = measure_layouts(extractor, documents)
    version = str(options.weights) if options.weights else f"extraction {served.version}"
    options.out.write_text(layouts_page(found, version), encoding="utf-8")
    if options.details:
        wrong = {
            f"{of.document.template}/{of.document.number}/{one.name}": {
                "printed": str(one.expected),
                "answer": str(one.predicted),
            }
            for of in found
            for one in of.fields
            if not one.is_right(loose_form) and one.template not in UNSEEN_LAYOUTS
        }
        options.details.write_text(json.dumps(wrong, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
