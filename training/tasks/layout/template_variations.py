"""Filled templates as training pages: each time one is used, its names, addresses and numbers are exchanged.

A template is filled a few dozen times, and a network would learn these names by heart. Amounts and dates stay, because
they depend on each other.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from docextract.documents import document_types
from docextract.extraction.layout.labels import NO_FIELD
from docextract.extraction.layout.network import LayoutShape
from docextract.extraction.layout.pieces import relate_amounts, split_into_pieces
from training.datasets.filled_templates import FilledTemplate
from training.datasets.shop_names import NO_SHOP_NAMES, ShopNames
from training.synth.documents import names
from training.synth.documents.identity.issuers import issuers
from training.synth.documents.invoice import sampling
from training.synth.documents.invoice.markets import Market, markets
from training.synth.documents.invoice.parties import address_lines
from training.synth.labelled_lines import encode_labels
from training.synth.misreading import misread, string_fields
from training.synth.sheet import Sheet, Text
from training.synth.templates.cards import RECORDS
from training.tasks.layout.layout_mixing import mix_layouts
from training.tasks.layout.targets import UNKNOWN, PageTarget, TrainingPage

REPLACED_SHARE = 0.75  # of the values
SAME_EDGE_MM = 0.6  # right edges that are closer to each other are of one column
FINE_PRICE_SHARE = 0.1  # of the documents: prices of one piece with four decimals
MAX_GROWTH = 1.8  # a text that would be longer than this many times the old one is not put in its place

# Templates do not mark what was paid in cash, the change and the time of day, which are fields of receipts.
_PAYMENT_OR_TIME = re.compile(r"\d+([.,:]\d+)+")

_CENTS = re.compile(r"(?<=\d)[.,]\d\d(?![\d.,])")

NewText = Callable[[Text], str | None]
Draw = Callable[[str], str | None]  # a new text for one line of a field by its name; None if its values stay


@dataclass(frozen=True)
class TemplatePages:
    """Draws pages of filled templates; the templates have equal shares."""

    documents: Mapping[str, Sequence[FilledTemplate]]  # by template
    mixed_share: float = 0.0  # of the documents; see training.tasks.layout.layout_mixing
    shop_names: ShopNames = NO_SHOP_NAMES

    @classmethod
    def of(
        cls, documents: Sequence[FilledTemplate], mixed_share: float = 0.0, shop_names: ShopNames = NO_SHOP_NAMES
    ) -> "TemplatePages":
        """Group documents by template."""
        by_template = {name: [one for one in documents if one.template == name] for name in _names(documents)}
        return cls(by_template, mixed_share, shop_names)

    def __len__(self) -> int:
        return len(self.documents)

    def __call__(self, shape: LayoutShape, seed: int) -> TrainingPage:
        """Draw one page of one document, which depends on the seed alone."""
        random = Random(seed)
        document = self._draw(list(self.documents), random)
        if random.random() < self.mixed_share:
            document = mix_layouts(document, self._draw(self._of_kind(document), random), random)
        pages = training_pages(
            replace(document, sheets=exchange_values(document, random, self.shop_names)), shape, seed
        )
        return random.choice(pages)

    def _draw(self, names: Sequence[str], random: Random) -> FilledTemplate:
        return random.choice(self.documents[random.choice(names)])

    def _of_kind(self, document: FilledTemplate) -> list[str]:
        """Names of the templates of the document's type and language; its own is one of them."""
        kind = (document.type, document.language)
        return [name for name, filled in self.documents.items() if (filled[0].type, filled[0].language) == kind]


def _names(documents: Sequence[FilledTemplate]) -> list[str]:
    return list(dict.fromkeys(one.template for one in documents))


def training_pages(document: FilledTemplate, shape: LayoutShape, seed: int) -> list[TrainingPage]:
    """The pages of a document with typical OCR errors, and their targets."""
    rng = np.random.default_rng(seed)
    kind = document_types()[document.type]
    strings = string_fields(kind)
    known = {field.name for field in kind.fields()}
    in_lists = {field.name for field in kind.fields() if field.group is not None}
    pages: list[TrainingPage] = []
    for sheet in document.sheets:
        marked = misread(_with_fields(sheet, known), rng, strings)
        labelled_lines = {id(one.line): one for one in marked}
        ordered, page = split_into_pieces([one.line for one in marked])
        labels, starts = encode_labels([labelled_lines[id(line)] for line in ordered], page.pieces, shape.fields)
        in_list = np.array([label > 0 and shape.fields[(label - 1) // 2] in in_lists for label in labels], np.bool_)
        allowed = np.eye(shape.labels, dtype=np.bool_)[labels]
        if document.type == "receipt":
            unmarked = [bool(_PAYMENT_OR_TIME.fullmatch(piece.text)) for piece in page.pieces]
            allowed[(labels == NO_FIELD) & unmarked] = True
        target = PageTarget(
            allowed=allowed,
            row_starts=np.where(in_list, starts, UNKNOWN).astype(np.int64),
            type=shape.types.index(document.type),
            currency=_index(shape.currencies, document.currency or ""),
            date_order=_index(shape.date_orders, document.date_order or ""),
        )
        pages.append(TrainingPage(page, target))
    relate_amounts([one.page for one in pages])
    return pages


def _index(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else UNKNOWN


def _with_fields(sheet: Sheet, known: set[str]) -> Sheet:
    """The sheet without fields that the document type does not have."""
    marks = [
        replace(text, field=None) if text.field and _without_row(text.field) not in known else text
        for text in sheet.texts()
    ]
    return replace(sheet, marks=tuple(marks))


def _without_row(field: str) -> str:
    group, _, rest = field.partition(".")
    return f"{group}.{rest.partition('.')[2]}" if rest else field


def exchange_values(document: FilledTemplate, rng: Random, shop_names: ShopNames = NO_SHOP_NAMES) -> tuple[Sheet, ...]:
    """Return the pages with other names, addresses, descriptions and numbers; a value stays the same on all pages.

    On cards only the names of the holder are exchanged. shop_names: for receipts. Some documents have prices with four
    decimals.
    """
    zeros = "00" if rng.random() < FINE_PRICE_SHARE else ""
    draw = _holder_values(document, rng) if document.type in RECORDS else _business_values(document, rng, shop_names)
    new_texts: dict[tuple[str, str], str | None] = {}

    def new_text(text: Text) -> str | None:
        leaf, printed = (text.field or "").rpartition(".")[2], text.text.strip()
        if leaf == "unit_price":
            return _CENTS.sub(rf"\g<0>{zeros}", printed) if zeros else None
        if (leaf, printed) not in new_texts:
            new = draw(leaf) if rng.random() < REPLACED_SHARE else None
            new_texts[leaf, printed] = new.upper() if new and printed.isupper() and len(printed) > 1 else new
        return new_texts[leaf, printed]

    return tuple(_replace_texts(sheet, new_text) for sheet in document.sheets)


def _holder_values(document: FilledTemplate, rng: Random) -> Draw:
    """Draws names of a holder as they are in the country that issues the card."""
    issuer = issuers()[document.country]

    def draw(leaf: str) -> str | None:
        if issuer.name_style == "whole":
            return None
        female = rng.random() < 0.5
        if leaf == "family_name":
            return names.family_name(issuer.culture, female, rng)
        return names.given_names(issuer.culture, female, rng) if leaf == "given_name" else None

    return draw


def _business_values(document: FilledTemplate, rng: Random, shop_names: ShopNames) -> Draw:
    """Draws names, addresses and numbers of a market in the document's language."""
    at_home = [one for one in markets() if one.language == document.language]
    market = rng.choice(at_home or markets())
    addresses: dict[str, list[str]] = {}

    def draw(leaf: str) -> str | None:
        drawn = _draw(leaf, market, addresses, rng)
        return shop_names.draw(drawn, rng) if drawn and leaf == "merchant_name" else drawn

    return draw


def _draw(leaf: str, market: Market, addresses: dict[str, list[str]], rng: Random) -> str | None:
    """A new text for one line of a field; None if its values stay."""
    if leaf in ("vendor_name", "customer_name", "merchant_name", "ship_to_name"):
        person = leaf in ("customer_name", "ship_to_name") and rng.random() < 0.25
        name = sampling.draw_person(market, rng) if person else sampling.draw_company(market, rng)
        return name.upper() if rng.random() < 0.1 else name
    if leaf.endswith("address"):
        if not addresses.get(leaf):
            addresses[leaf] = address_lines(sampling.draw_address(market, rng), rng)
        return addresses[leaf].pop(0)
    if leaf == "description":
        return sampling.draw_description(market, rng)
    if leaf == "document_number":
        return sampling.draw_invoice_id(market, rng)
    if leaf in ("purchase_order", "customer_id", "payment_reference"):
        return sampling.draw_order_number(rng)
    if leaf == "vendor_email":
        return sampling.draw_email_address(market, rng)
    if leaf in ("vendor_phone", "merchant_phone"):
        return sampling.draw_phone_number(market, rng)
    if leaf == "product_code":
        return sampling.draw_product_code(rng)
    return None


def _replace_texts(sheet: Sheet, new_text: NewText) -> Sheet:
    texts = sheet.texts()
    right_edges = [text.x_mm + text.width_mm for text in texts]
    marks = []
    for text, right in zip(texts, right_edges, strict=True):
        content = new_text(text) if text.field else None
        if content is None or not 0 < len(content) < MAX_GROWTH * len(text.text) + 8:
            marks.append(text)
            continue
        content += " " if text.text.endswith(" ") else ""
        width = text.width_mm * len(content) / len(text.text)
        to_the_right = sum(abs(right - other) < SAME_EDGE_MM for other in right_edges) > sum(
            abs(text.x_mm - other.x_mm) < SAME_EDGE_MM for other in texts
        )
        left = right - width if to_the_right else text.x_mm
        marks.append(replace(text, text=content, x_mm=left, width_mm=width))
    return replace(sheet, marks=tuple(marks))
