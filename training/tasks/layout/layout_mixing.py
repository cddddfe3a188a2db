"""New layouts made of filled templates: one's head above another's table, columns exchanged, no label of the customer.

A network learns the layouts it is shown by heart, and there are few. Heads and tables of one language go together in
thousands of ways. Amounts of the head are those of the table; names, numbers and dates of the foot are the head's.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random

from docextract.documents import document_types
from training.datasets.filled_templates import FilledTemplate
from training.synth.misreading import string_fields
from training.synth.sheet import Sheet, Text

CROSSED_SHARE, EXCHANGED_SHARE, UNLABELLED_SHARE = 0.7, 0.2, 0.15
HEADINGS = 3.2  # text heights; so far above the first row its column headings may stand
BAND_GAP = 1.5  # text heights of blank paper across the sheet
GUTTER_MM = 4.0  # narrowest gap between two columns
GUTTER_FROM = 0.3  # of the width of the sheet; nearer to its edge a gap is none between columns
LABEL_GAP = 1.2  # text heights between a label and the value below it
SAME_WIDTH = 0.25  # relative; wider sheets have other print

Texts = Sequence[Text]


def cross_layouts(head: FilledTemplate, body: FilledTemplate) -> FilledTemplate | None:
    """Return a page with the head of one document and the table and foot of another; None if they do not go together.

    They go together if both have a table, and no amount is in the head alone.
    """
    if (head.type, head.language, head.date_order) != (body.type, body.language, body.date_order):
        return None
    upper, lower = head.sheets[0], body.sheets[0]
    scale = upper.width_mm / lower.width_mm
    upper_end, lower_start = _table_top(upper), _table_top(lower)
    if abs(scale - 1) > SAME_WIDTH or upper_end is None or lower_start is None:
        return None
    above = [text for text in upper.texts() if _middle(text) < upper_end]
    below = [text for text in lower.texts() if _middle(text) >= lower_start]
    amounts = _amounts(head.type)
    if not {text.field for text in above if text.field in amounts} <= {text.field for text in below}:
        return None
    values = _values(above)
    strings = string_fields(document_types()[head.type])
    several = {name for name, lines in values.items() if name in strings and len(lines) > 1}
    above = _with_values(
        above, {name: lines for name, lines in _values(below).items() if name in amounts}, at_right=True
    )
    below = _with_values(below, {name: lines for name, lines in values.items() if name not in amounts | several})
    moved = [
        replace(
            text,
            x_mm=text.x_mm * scale,
            y_mm=upper_end + (text.y_mm - lower_start) * scale,
            width_mm=text.width_mm * scale,
            height_mm=text.height_mm * scale,
        )
        for text in below
    ]
    height = max(upper.height_mm, max(text.y_mm + text.height_mm for text in moved))
    sheet = Sheet(upper.width_mm, height, (*above, *moved))
    return replace(head, currency=body.currency, sheets=(sheet,))


def exchange_columns(sheet: Sheet) -> Sheet:
    """Above the table, put the right column where the left one stands, where both have values with their labels."""
    end = _table_top(sheet)
    if end is None:
        return sheet
    above = sorted((text for text in sheet.texts() if _middle(text) < end), key=lambda text: text.y_mm)
    moved = [text for band in _bands(above) for text in _exchanged(band, sheet.width_mm)]
    return replace(sheet, marks=(*moved, *(text for text in sheet.texts() if _middle(text) >= end)))


def remove_customer_label(sheet: Sheet) -> Sheet:
    """Remove the text right above the customer's name or address, if it is no field: letters have no such label."""
    texts = sheet.texts()
    first = min(
        (text for text in texts if text.field in ("customer_name", "customer_address")),
        key=lambda text: text.y_mm,
        default=None,
    )
    if first is None:
        return sheet
    return replace(sheet, marks=tuple(text for text in texts if text.field or not _is_above(text, first)))


def mix_layouts(document: FilledTemplate, other: FilledTemplate, rng: Random) -> FilledTemplate:
    """Return the document crossed with the other one, with exchanged columns, or without the customer's label."""
    mixed = document
    if rng.random() < CROSSED_SHARE:
        mixed = cross_layouts(document, other) or document
    if rng.random() < EXCHANGED_SHARE:
        mixed = replace(mixed, sheets=tuple(map(exchange_columns, mixed.sheets)))
    if rng.random() < UNLABELLED_SHARE:
        mixed = replace(mixed, sheets=tuple(map(remove_customer_label, mixed.sheets)))
    return mixed


def _middle(text: Text) -> float:
    return text.y_mm + text.height_mm / 2


def _table_top(sheet: Sheet) -> float | None:
    """Where the headings of the table begin, in mm; None without a table."""
    rows = [text for text in sheet.texts() if (text.field or "").startswith("line_items.")]
    if not rows:
        return None
    first = min(rows, key=lambda text: text.y_mm)
    above = [text.y_mm + text.height_mm for text in sheet.texts() if text.field and _middle(text) < first.y_mm]
    return max([first.y_mm - HEADINGS * first.height_mm, *above])


def _amounts(kind: str) -> set[str]:
    return {
        field.name for field in document_types()[kind].fields() if field.kind.name == "currency" and not field.group
    }


def _values(texts: Iterable[Text]) -> dict[str, list[str]]:
    """The lines of each field, each once."""
    values: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        if text.field and text.text.strip() not in values[text.field]:
            values[text.field].append(text.text.strip())
    return values


def _with_values(texts: Texts, values: Mapping[str, list[str]], at_right: bool = False) -> list[Text]:
    """Print the longest of these values where there was a single one; texts of several lines stay as they are."""
    own, printed = _values(texts), []
    for text in texts:
        name = text.field or ""
        if name not in values or len(own[name]) > 1 or name.endswith("_address"):
            printed.append(text)
            continue
        content = max(values[name], key=len)
        width = text.width_mm * len(content) / max(1, len(text.text))
        left = text.x_mm + (text.width_mm - width if at_right else 0.0)
        printed.append(replace(text, text=content, x_mm=left, width_mm=width))
    return printed


def _bands(texts: Texts) -> list[list[Text]]:
    """Divide texts where blank paper goes across the sheet. texts: from the top down."""
    bands: list[list[Text]] = []
    bottom = 0.0
    for text in texts:
        if not bands or text.y_mm - bottom > BAND_GAP * text.height_mm:
            bands.append([])
        bands[-1].append(text)
        bottom = max(bottom, text.y_mm + text.height_mm)
    return bands


def _exchanged(band: Texts, width_mm: float) -> Texts:
    gutter = _gutter(band, width_mm)
    if gutter is None:
        return band
    left = [text for text in band if text.x_mm < gutter]
    right = [text for text in band if text.x_mm >= gutter]
    if not (_is_whole(left) and _is_whole(right)):
        return band
    to_the_right = _right_edge(right) - _right_edge(left)
    to_the_left = min(text.x_mm for text in right) - min(text.x_mm for text in left)
    return [
        *(replace(text, x_mm=text.x_mm + to_the_right) for text in left),
        *(replace(text, x_mm=text.x_mm - to_the_left) for text in right),
    ]


def _gutter(band: Texts, width_mm: float) -> float | None:
    """The middle of the widest gap in the middle of the sheet, in mm from its left."""
    widest, found, right = GUTTER_MM, None, 0.0
    for text in sorted(band, key=lambda text: text.x_mm):
        middle, gap = (right + text.x_mm) / 2, text.x_mm - right
        if gap > widest and GUTTER_FROM * width_mm < middle < (1 - GUTTER_FROM) * width_mm:
            widest, found = gap, middle
        right = max(right, text.x_mm + text.width_mm)
    return found


def _right_edge(texts: Texts) -> float:
    return max(text.x_mm + text.width_mm for text in texts)


def _is_whole(column: Texts) -> bool:
    """Whether a column has its labels: it is a name or an address, or it has both values and other text."""
    fields = {text.field for text in column}
    return any(field and field.endswith(("_name", "_address")) for field in fields) or (
        len(fields) > 1 and None in fields
    )


def _is_above(text: Text, value: Text) -> bool:
    distance = value.y_mm - text.y_mm - text.height_mm
    over = max(text.x_mm, value.x_mm) < min(text.x_mm + text.width_mm, value.x_mm + value.width_mm)
    return over and -value.height_mm / 2 <= distance < LABEL_GAP * value.height_mm
