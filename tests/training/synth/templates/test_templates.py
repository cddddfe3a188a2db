"""HTML templates that are filled, printed by a browser and read back as labelled sheets."""

import contextlib
import json
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random

import numpy as np
import pytest

from docextract.documents.countries import parse_country
from docextract.documents.mrz import transliterate
from docextract.documents.values import parse_amount
from docextract.images.uploads import EmbeddedLine
from tests.browser.conftest import fontconfig
from training import synth
from training.datasets import filled_templates
from training.datasets.filled_templates import FilledTemplate
from training.synth.documents.invoice.markets import markets
from training.synth.documents.locales import round_to_cents
from training.synth.sheet import Sheet, Text
from training.synth.templates import __main__ as command
from training.synth.templates.__main__ import field_names, make_document
from training.synth.templates.browser import BrowserMissingError, chromium
from training.synth.templates.filling import Template, fill
from training.synth.templates.sheets import PrintedValue, rows_of, tagged_sheet

HTML = """<html><body>
<h1>Rechnung <span data-field="invoice_id">{{ invoice_id }}</span> vom
<span data-field="invoice_date">{{ invoice_date }}</span></h1>
<p data-field="vendor_name">{{ vendor_name }}</p>
{% for line in vendor_address_lines %}<div data-field="vendor_address">{{ line }}</div>{% endfor %}
{% if iban %}<p>IBAN: <span data-field="iban">{{ iban }}</span></p>{% endif %}
<table>{% for item in items %}<tr>
<td data-field="items.description" data-row="{{ loop.index0 }}">{{ item.description }}</td>
<td data-field="items.amount" data-row="{{ loop.index0 }}">{{ item.amount }}</td></tr>{% endfor %}</table>
{% for t in taxes %}<p>{{ t.name }}
<span data-field="taxes.amount" data-row="{{ loop.index0 }}">{{ t.amount }}</span></p>{% endfor %}
<p>{{ pick(["Summe", "Gesamt"]) }} <b data-field="invoice_total">{{ invoice_total }}</b></p>
</body></html>"""
META = {
    "language": "de", "country": "DE", "currency": "EUR", "date_format": "%d.%m.%Y", "decimal": ",", "type": "invoice",
    "money": "{n} €", "item_money": "{n}", "rows": [1, 4], "always": ["iban"],
}  # fmt: skip


@pytest.fixture
def template() -> Template:
    return Template("plain", HTML, META)


def written(folder, name="plain", **changes):
    (folder / name).mkdir(parents=True)
    (folder / name / "template.html").write_text(HTML)
    (folder / name / "meta.json").write_text(json.dumps({**META, **changes}))
    return folder / name


def embedded(text, left, top, width, height=20):
    corners = [[left, top], [left + width, top], [left + width, top + height], [left, top + height]]
    cuts = tuple(np.linspace(0, 1, len(text) + 1).tolist())
    return EmbeddedLine(text, np.array(corners, np.float32), cuts)


def test_a_filled_template_depends_on_the_seed_alone(template):
    """And is another one for another seed."""
    assert fill(template, Random(1)) == fill(template, Random(1))
    assert fill(template, Random(1)) != fill(template, Random(2))


def test_what_a_template_chooses_is_part_of_it_and_values_are_escaped():
    """Typefaces are named in quotes, which would be no quotes if they were escaped."""
    html = """<style>* { font-family: {{ pick(["'Liberation Sans', serif"]) }} }</style>{{ "A & B" }}"""
    assert fill(Template("plain", html, META), Random(1)) == (
        "<style>* { font-family: 'Liberation Sans', serif }</style>A &amp; B"
    )


def test_a_template_may_have_a_macro_of_its_own():
    """It replaces the one of macros.html, which templates without one have."""
    call = "{{ f('total', '<1>') }}"
    assert fill(Template("plain", call, META), Random(1)) == '<span data-field="total">&lt;1&gt;</span>'
    own = "{% macro f(name, value) %}<b data-field='{{ name }}'>{{ value }}</b>{% endmacro %}"
    assert fill(Template("plain", own + call, META), Random(1)) == "<b data-field='total'>&lt;1&gt;</b>"


SHIPPED = sorted(path.parent for path in (Path(synth.__file__).parent / "data" / "templates").glob("*/template.html"))


@pytest.mark.parametrize("folder", SHIPPED, ids=[folder.name for folder in SHIPPED])
def test_shipped_templates_can_be_filled(folder):
    """With every choice of blocks that some seeds make."""
    layout = Template.read(folder)
    for seed in range(30):
        assert "data-field" in fill(layout, Random(seed))


def test_a_missing_value_is_not_printed():
    """The message says what to do about it."""
    layout = Template("card", "{{ restrictions }}", {"type": "id_card", "language": "en", "country": "USA"})

    with pytest.raises(ValueError, match="does not have"):
        fill(replace(layout, meta={**layout.meta, "date_format": "%Y"}), Random(1))


@pytest.mark.parametrize("kind", ["passport", "id_card", "driver_licence"])
def test_cards_print_what_their_issuer_writes(kind):
    """Their templates name no currency."""
    html = "{{ state or headings[0] }}|{{ family_name }}|{{ birth_date }}|{{ address_lines|join('/') }}|{{ mrz|join }}"
    meta = {"type": kind, "language": "en", "country": "USA", "date_format": "%m/%d/%Y", "zone": "TD3"}
    layout = Template("card", html, meta)
    for seed in range(10):
        heading, name, birth, _, zone = fill(layout, Random(seed)).split("|")
        assert parse_country(heading.title() if kind == "passport" else heading) == "USA"
        assert transliterate(name)[:10] in zone
        assert re.fullmatch(r"\d\d/\d\d/\d{4}", birth)


@pytest.mark.parametrize("country", sorted({market.country for market in markets()}))
def test_templates_are_filled_for_every_market(template, country):
    """All variables have values, also of countries whose invoices have no generator."""
    language = next(market.language for market in markets() if market.country == country)
    meta = {**META, "country": country, "language": language, "always": []}

    assert "None" not in fill(Template("plain", HTML, meta), Random(3))


def test_sums_agree(template):
    """The total is that of the rows with their tax."""
    last = "{{ total_tax }}|{{ invoice_total }}|{{ total_discount or 0 }}"
    values = "{{ items|map(attribute='amount')|join(' ') }}|" + last
    for seed in range(20):
        rows, *sums = fill(Template("sums", values, {**META, "money": "{n}"}), Random(seed)).split("|")
        tax, total, discount = (parse_amount(text) or Decimal(0) for text in sums)
        net = sum((parse_amount(row) or Decimal(0) for row in rows.split()), Decimal(0))
        assert abs(net + discount + tax - total) <= Decimal("0.02")  # the tax of each rate is rounded


@pytest.mark.parametrize("kind", ["invoice", "receipt"])
def test_amounts_of_rows_are_quantity_times_price(kind):
    """No template prints a rebate that would explain another amount."""
    values = "{% for item in items %}{{ item.quantity }}|{{ item.unit_price }}|{{ item.amount }}\n{% endfor %}"
    meta = {**META, "type": kind, "decimal": ".", "thousands": ""}
    for seed in range(60):
        for row in fill(Template("rows", values, meta), Random(seed)).split():
            quantity, price, amount = map(Decimal, row.split("|"))
            assert round_to_cents(quantity * price) == amount, f"seed {seed}"


def test_receipts_have_small_purchases():
    """Few pieces at low prices, and sums that agree."""
    receipt = Template("till", HTML, {**META, "type": "receipt", "rows": [5, 9], "item_money": "{n}"})
    for seed in range(10):
        html = fill(receipt, Random(seed))
        amounts = [parse_amount(one) for one in re.findall(r'items\.amount" data-row="\d+">([^<]+)', html)]
        (total,) = (parse_amount(one) for one in re.findall(r'invoice_total">([^<]+)', html))
        assert max(amounts) <= 6 * 60
        assert len(amounts) >= 5
        assert total >= sum(amounts) * Decimal("0.7")


def test_a_template_without_its_country_is_refused(tmp_path):
    """The message names the file."""
    folder = written(tmp_path)
    (folder / "meta.json").write_text("{}")

    with pytest.raises(KeyError, match="country"):
        Template.read(folder)


def test_characters_belong_to_the_smallest_value_around_them():
    """A line of several values is split where one ends."""
    line = embedded("Total: 9,00 EUR", 0, 0, 150)
    values = [PrintedValue("invoice_total", (0.07, 0.0, 0.11, 0.02)), PrintedValue("notes", (0.0, 0.0, 0.5, 0.02))]

    sheet = tagged_sheet([line], values[:1], (720, 720), (1000, 1000))

    assert [(text.text, text.field) for text in sheet.texts()] == [
        ("Total: ", None), ("9,00 ", "invoice_total"), ("EUR", None),
    ]  # fmt: skip
    nested = tagged_sheet([line], values, (720, 720), (1000, 1000))
    assert {text.field for text in nested.texts()} == {"notes", "invoice_total"}
    total = sheet.texts()[1]
    assert (total.x_mm, total.width_mm) == pytest.approx((70 * 0.254, 50 * 0.254))


def test_the_tax_of_a_single_rate_is_the_total_tax():
    """That of several rates is not. Receipts have other names."""
    assert field_names(["taxes.0.amount", "invoice_total"], "invoice") == ["total_tax", "total"]
    assert "total_tax" not in field_names(["taxes.0.amount", "taxes.1.amount"], "invoice")
    assert field_names(["items.2.amount", "vendor_name"], "receipt") == ["line_items.2.amount", "merchant_name"]


def test_lines_of_a_sheet_go_down_the_page():
    """Whatever their order in the PDF: lines of one address belong together if they follow each other."""
    lines = [embedded("Hamburg", 100, 60, 70), embedded("Berlin", 400, 30, 60), embedded("Deichstr. 1", 120, 30, 110)]

    sheet = tagged_sheet(lines, [], (720, 720), (1000, 1000))

    assert [text.text for text in sheet.texts()] == ["Deichstr. 1", "Berlin", "Hamburg"]


def test_documents_are_written_and_read(tmp_path):
    """All texts with their fields and places."""
    sheet = Sheet(210.0, 297.0, (Text("9,00", 1.0, 2.0, 3.0, 4.0, "invoice_total", "sans"),))
    document = FilledTemplate("plain", 3, "invoice", "de", "DE", "EUR", "DMY", (sheet,))
    (tmp_path / "some.jsonl").write_text(filled_templates.dump_document(document) + "\n")

    assert list(filled_templates.load_documents([tmp_path / "some.jsonl"])) == [document]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Chromium with the typefaces of packages, whatever is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FONTCONFIG_FILE", str(fontconfig(tmp_path_factory.mktemp("fonts"))))
        try:
            with chromium() as browser:
                yield browser
        except BrowserMissingError as error:
            pytest.skip(str(error))


@pytest.mark.slow
def test_a_printed_document_has_all_its_values(template, browser):
    """Each with the text that was filled in, on the page where it landed."""
    document = make_document(template, browser, 0)

    texts = [text for sheet in document.sheets for text in sheet.texts()]
    fields = {text.field for text in texts}
    assert {"document_number", "document_date", "vendor_name", "vendor_address", "iban", "total"} <= fields
    assert (document.currency, document.date_order) == ("EUR", "DMY")
    total = "".join(text.text for text in texts if text.field == "total")
    assert template.meta["decimal"] in total
    assert rows_of(texts)["line_items"] >= 1


@pytest.mark.slow
def test_the_command_goes_on_where_it_stopped(tmp_path, browser, monkeypatch):
    """Documents that are in the file are not made again."""
    monkeypatch.setattr(command, "chromium", lambda: contextlib.nullcontext(browser))
    written(tmp_path / "layouts")
    arguments = [str(tmp_path / "layouts"), str(tmp_path / "out.jsonl")]
    command.main([*arguments, "--fills", "1"])
    first = (tmp_path / "out.jsonl").read_text()
    command.main([*arguments, "--fills", "2"])

    assert (tmp_path / "out.jsonl").read_text().startswith(first)
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2
