"""Fills a folder of HTML templates, prints them and writes what is printed where, for training.

    python -m training.synth.templates DIR runs/templates.jsonl [--fills 30] [--seed 1] [--only '0*']

DIR has a folder for each template, see `filling`. Needs Chromium. Documents that are in the file are not made again, so
a stopped run goes on where it was. A document whose values are not all found in its PDF is left out and named.
"""

import argparse
import fnmatch
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import TextIO

from playwright.sync_api import Browser

from training.datasets import filled_templates
from training.datasets.filled_templates import FilledTemplate
from training.synth.documents.data_files import read_table
from training.synth.sheet import Mark, Sheet, Text
from training.synth.templates.browser import BrowserMissingError, chromium, print_pdf
from training.synth.templates.cards import RECORDS
from training.synth.templates.filling import Template, fill
from training.synth.templates.sheets import read_sheets

# Names of fields in templates and in our document types, where they differ.
_NAMES = {
    "invoice_id": "document_number",
    "invoice_date": "document_date",
    "invoice_total": "total",
    "tax_rate": "taxes.0.rate",
}
_RECEIPT_NAMES = {
    "vendor_name": "merchant_name",
    "vendor_address": "merchant_address",
    "vendor_phone": "merchant_phone",
    "vendor_tax_id": "merchant_tax_id",
}
_LISTS = {"items": "line_items"}
_LEAVES = {"net": "net_amount"}
_BETWEEN_DAYS = " - "  # see filling


def make_document(template: Template, browser: Browser, number: int, seed: int = 0) -> FilledTemplate:
    """Fill and print the document of this number. Raises ValueError; see `read_sheets`."""
    rng = Random(f"{template.name}/{seed}/{number}")
    kind = template.document_type
    pdf, fields = print_pdf(browser, fill(template, rng), rng, template.meta.get("roll_mm"), kind in RECORDS)
    sheets = read_sheets(pdf, field_names(fields, kind))
    if kind == "invoice":
        sheets = [mark_more(sheet) for sheet in sheets]
    text = " ".join(one.text for sheet in sheets for one in sheet.texts())
    return FilledTemplate(
        template.name,
        number,
        kind,
        template.meta["language"],
        template.meta["country"],
        _printed_currency(template, text),
        template.date_order,
        tuple(sheets),
    )


def _printed_currency(template: Template, text: str) -> str | None:
    """The currency, where its sign or its code is printed."""
    currency: str | None = template.meta.get("currency")
    with_sign = template.meta.get("money", "{n}") != "{n}"
    return currency if currency and (with_sign or currency in text) else None


def field_names(fields: Sequence[str], document_type: str) -> list[str]:
    """The names of these fields in their document type. The tax of a single rate is the total tax."""
    if document_type in RECORDS:
        return list(fields)
    tax_rows = {name for name in fields if name.startswith("taxes.") and name.endswith(".amount")}
    single = tax_rows if len(tax_rows) == 1 and "total_tax" not in fields else set()
    names = ["total_tax" if name in single else name for name in fields]
    return [_our_name(name, document_type == "receipt") for name in names]


def _our_name(name: str, is_receipt: bool) -> str:
    group, _, rest = name.partition(".")
    if not rest:
        ours = _NAMES.get(name, name)
        return _RECEIPT_NAMES.get(ours, ours) if is_receipt else ours
    row, _, leaf = rest.partition(".")
    return f"{_LISTS.get(group, group)}.{row}.{_LEAVES.get(leaf, leaf)}"


def mark_more(sheet: Sheet) -> Sheet:
    """Mark what templates do not: the title of an invoice, and the two days of a period."""
    marks: list[Mark] = []
    for mark in sheet.marks:
        if isinstance(mark, Text) and mark.field == "service_period":
            marks += _two_days(mark)
        elif isinstance(mark, Text) and mark.field is None and _is_title(mark.text):
            marks.append(replace(mark, field="kind"))
        else:
            marks.append(mark)
    return replace(sheet, marks=tuple(marks))


def _is_title(text: str) -> bool:
    return text.casefold().strip() in _titles()


@cache
def _titles() -> frozenset[str]:
    tables = read_table("invoice_words").values()
    words = (word for table in tables for name in ("title", "credit_title") for word in table.get(name, ()))
    return frozenset(word.casefold() for word in words)


def _two_days(period: Text) -> Iterator[Text]:
    """The parts of one text, each with the width of its letters; on two lines, each text has one of the days."""
    first, between, last = period.text.partition(_BETWEEN_DAYS)
    if not between and not period.text.rstrip().endswith(_BETWEEN_DAYS.strip()):
        first, last = "", period.text
    letter_mm, x_mm = period.width_mm / len(period.text), period.x_mm
    for part, field in ((first, "service_period_start"), (between, None), (last, "service_period_end")):
        if part:
            yield replace(period, text=part, field=field, x_mm=x_mm, width_mm=letter_mm * len(part))
        x_mm += letter_mm * len(part)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("templates", type=Path, metavar="DIR")
    parser.add_argument("out", type=Path)
    parser.add_argument("--fills", type=int, default=30, help="documents of each template (30)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="*", help="only templates whose name matches this pattern")
    options = parser.parse_args(arguments)
    folders = sorted(path.parent for path in options.templates.glob("*/template.html"))
    templates = [Template.read(folder) for folder in folders if fnmatch.fnmatch(folder.name, options.only)]
    if not templates:
        parser.error(f"{options.templates} has no folders with template.html that match {options.only}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    known = (
        {(one.template, one.number) for one in filled_templates.load_documents([options.out])}
        if options.out.exists()
        else set()
    )
    try:
        with chromium() as browser, options.out.open("a", encoding="utf-8") as out:
            for template in templates:
                for number in range(options.fills):
                    if (template.name, number) not in known:
                        _write(template, browser, number, options.seed, out)
                print(f"{template.name}: {options.fills} documents", flush=True)
    except BrowserMissingError as error:
        parser.error(str(error))


def _write(template: Template, browser: Browser, number: int, seed: int, out: TextIO) -> None:
    try:
        document = make_document(template, browser, number, seed)
    except ValueError as error:
        print(f"{template.name} {number} is left out: {error}", flush=True)
        return
    out.write(filled_templates.dump_document(document) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
