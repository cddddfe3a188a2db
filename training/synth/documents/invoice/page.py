"""Lays out an invoice on one page: which block prints which field, and how blocks are arranged."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from docextract.documents.invoice import Invoice
from training.synth.documents.invoice.details import InvoiceDetails, LabelledRuns
from training.synth.documents.invoice.footer import InvoiceFooter
from training.synth.documents.invoice.header import InvoiceHeader
from training.synth.documents.invoice.table import ItemTable
from training.synth.documents.invoice.totals import InvoiceTotals
from training.synth.documents.invoice.writer import InvoiceWriter
from training.synth.sheet import Barcode, Box, Mark, Rule, Sheet, Text

_MAX_LABEL_LENGTH = 34  # characters; longer payment terms are sentences
_PAPERS = ((252, 252, 252), (250, 250, 248), (255, 255, 255), (246, 245, 240))


def typeset(invoice: Invoice, rng: Random) -> Sheet:
    """Lay out a record: every field that is not None is printed as runs of this field, and no other run has a field."""
    writer = InvoiceWriter(invoice, _choose_field_places(invoice, rng), rng)
    header = InvoiceHeader(writer)
    details = InvoiceDetails(writer, header)
    footer = InvoiceFooter(writer, header)
    limit = footer.small_print()
    fixed = len(writer.layout.marks)
    y_mm = rng.choice(_ARRANGEMENTS)(header, details, writer.rng.uniform(8, 22))
    y_mm = _before_table(header, y_mm)
    table = ItemTable(writer)
    y_mm = table.print(y_mm)
    y_mm = InvoiceTotals(writer, table.amounts_end_mm).print(y_mm)
    y_mm = footer.print(y_mm)
    marks = _shrink_to_fit(writer.layout.marks, fixed, y_mm, limit)
    return Sheet(writer.width_mm, writer.height_mm, tuple(marks), rng.choice(_PAPERS))


def _choose_field_places(invoice: Invoice, rng: Random) -> dict[str, str]:
    """Choose the block that prints each field that may be in several blocks."""

    def one(options: str, weights: tuple[int, ...]) -> str:
        return rng.choices(options.split(), weights)[0]

    field_places = {
        "vendor_name": one("letterhead footer", (90, 10)),
        "vendor_address": one("letterhead footer sender", (76, 14, 10)),
        "vendor_tax_id": one("letterhead footer meta", (50, 34, 16)),
        "document_number": one("meta title", (84, 16)),
        "document_date": one("meta place title", (86, 10, 4)),
        "due_date": one("meta prose", (66, 34)),
        "payment_term": one("meta prose", (48, 52)),
        "purchase_order": one("meta prose", (86, 14)),
        "iban": one("bank footer meta", (52, 44, 4)),
        "vendor_phone": one("letterhead footer", (66, 34)),
        "vendor_email": one("letterhead footer", (66, 34)),
        "customer_tax_id": one("customer meta", (62, 38)),
        "service_period_start": one("meta prose", (62, 38)),
    }
    if invoice.customer_name is None and invoice.customer_address is None:
        field_places["customer_tax_id"] = "meta"
    if len(invoice.payment_term or "") > _MAX_LABEL_LENGTH:
        field_places["payment_term"] = "prose"
    if field_places["vendor_address"] == "sender" and invoice.vendor_name is not None and rng.random() < 0.5:
        field_places["vendor_name"] = "sender"
    return field_places


# --- arrangements: each prints everything above the table and returns the y where it ends, mm ---------------------


def _letter(header: InvoiceHeader, details: InvoiceDetails, y_mm: float) -> float:
    """A business letter: the address in a window, the numbers to its right, then the title."""
    writer, rng = header.writer, header.writer.rng
    bottom = header.letterhead(writer.left_mm, y_mm, writer.inner_mm, rng.choice("rrlc"))
    y_mm = max(bottom + 4, rng.uniform(38, 50))
    room = writer.inner_mm * 0.48
    left = header.sender_line(writer.left_mm, y_mm, room) if _needs_sender_line(header) or writer.chance(0.55) else y_mm
    left = header.customer(writer.left_mm, left + writer.pitch(0.3), room, headed=0.12)
    wide = rng.uniform(0.38, 0.46) * writer.inner_mm
    entries = details.entries()
    beside = writer.chance(0.75)
    right = details.meta(entries, writer.right_mm - wide, y_mm + rng.uniform(-4, 6), wide) if beside else y_mm
    y_mm = max(left, right) + writer.pitch(rng.choice((0.8, 1.5, 2.5)))
    if writer.prints("document_date", "place"):
        y_mm = details.place_line(y_mm)
    y_mm = details.title(writer.left_mm, y_mm, writer.inner_mm, "l")
    return y_mm if beside else _entries_below(details, entries, y_mm)


def _corners(header: InvoiceHeader, details: InvoiceDetails, y_mm: float) -> float:
    """Vendor in one upper corner, title and numbers in the other, the customer below."""
    writer, rng = header.writer, header.writer.rng
    share = rng.uniform(0.5, 0.58)
    room = writer.inner_mm * share - 4
    swapped = writer.chance(0.3)
    here, there = (
        (writer.right_mm - room, writer.left_mm)
        if swapped
        else (writer.left_mm, writer.left_mm + writer.inner_mm * share)
    )
    left = header.letterhead(here, y_mm, room, "r" if swapped and writer.chance(0.6) else "l")
    wide = writer.inner_mm * (1 - share)
    right = details.title(there, y_mm, wide, "l" if swapped or writer.chance(0.4) else "r")
    entries = details.entries()
    under_title = writer.chance(0.6)
    if under_title:
        right = details.meta(entries, there, right, wide)
    y_mm = max(left, right) + writer.pitch(rng.choice((0.6, 1.2, 2.0)))
    if writer.chance(0.25):
        writer.rule(y_mm - 1.5, thickness_mm=rng.choice((0.3, 0.8)), ink=writer.style.accent)
    y_mm = _sender_if_needed(header, y_mm)
    half = writer.inner_mm * 0.47
    bottom = header.customer(writer.left_mm, y_mm, half)
    if not under_title:
        bottom = max(bottom, details.meta(entries, writer.right_mm - half, y_mm, half))
    elif writer.chance(0.7):
        bottom = max(bottom, header.ship_to(writer.left_mm + 0.53 * writer.inner_mm, y_mm, half))
    return _after_blocks(details, bottom)


def _centred(header: InvoiceHeader, details: InvoiceDetails, y_mm: float) -> float:
    """The vendor in the centre, then a line, the title, and two blocks."""
    writer, rng = header.writer, header.writer.rng
    y_mm = header.letterhead(writer.left_mm, y_mm, writer.inner_mm, "c")
    if writer.chance(0.6):
        writer.rule(y_mm + 1, thickness_mm=rng.choice((0.2, 0.5)))
    y_mm = details.title(writer.left_mm, y_mm + writer.pitch(0.7), writer.inner_mm, rng.choice("cccrl"))
    y_mm = _sender_if_needed(header, y_mm)
    half = writer.inner_mm * 0.5
    left = header.customer(writer.left_mm, y_mm, half)
    right = details.meta(details.entries(), writer.left_mm + 0.56 * writer.inner_mm, y_mm, 0.44 * writer.inner_mm)
    if writer.chance(0.7):
        left = header.ship_to(writer.left_mm, left + writer.pitch(0.5), half)
    return _after_blocks(details, max(left, right))


def _columns(header: InvoiceHeader, details: InvoiceDetails, y_mm: float) -> float:
    """A large title, then vendor, customer and numbers next to each other."""
    writer, rng = header.writer, header.writer.rng
    if writer.chance(0.5):
        below = _brand(header, y_mm)
        y_mm = details.title(writer.left_mm, y_mm if writer.chance(0.5) else below, writer.inner_mm, "r")
        y_mm = max(y_mm, below)
    else:
        y_mm = details.title(writer.left_mm, y_mm, writer.inner_mm, rng.choice("llc"))
    y_mm += writer.pitch(0.6)
    step = writer.inner_mm / 3
    blocks = [header.vendor_block, header.customer]
    if writer.chance(0.25):
        blocks.reverse()
    ends = [block(writer.left_mm + at * step, y_mm, step - 5) for at, block in enumerate(blocks)]
    ends.append(details.meta(details.entries(), writer.left_mm + 2 * step, y_mm, step))
    return _after_blocks(details, max(ends))


def _form(header: InvoiceHeader, details: InvoiceDetails, y_mm: float) -> float:
    """Vendor and customer next to each other, the numbers in a band across the page."""
    writer, rng = header.writer, header.writer.rng
    half = writer.inner_mm * 0.48
    top = y_mm
    left = header.letterhead(writer.left_mm, y_mm, half, "l")
    right = y_mm
    if writer.chance(0.6):
        right = details.title(writer.right_mm - half, y_mm, half, "r")
    titled = right > y_mm
    y_mm = _sender_if_needed(header, max(left, right) if writer.chance(0.3) else left)
    if writer.chance(0.5):
        bottom = header.customer(writer.left_mm + 0.52 * writer.inner_mm, right + writer.pitch(0.8), half)
        y_mm = max(y_mm, bottom)
        if writer.chance(0.3):
            writer.box(
                writer.left_mm + 0.51 * writer.inner_mm, right + 0.2, 0.49 * writer.inner_mm, max(bottom - right, 4)
            )
    else:
        y_mm += writer.pitch(0.8)
        bottom = header.customer(writer.left_mm, y_mm, half)
        other = header.ship_to(writer.left_mm + 0.52 * writer.inner_mm, y_mm, half) if writer.chance(0.8) else y_mm
        y_mm = max(bottom, other)
    y_mm = max(y_mm, top) + writer.pitch(0.8)
    if not titled:
        y_mm = details.title(writer.left_mm, y_mm, writer.inner_mm, rng.choice("lcr"))
    if writer.prints("document_date", "place"):
        y_mm = details.place_line(y_mm)
    return _entries_below(details, details.entries(), y_mm)


def _data_sheet(header: InvoiceHeader, details: InvoiceDetails, y_mm: float) -> float:
    """The data of an e-invoice made readable: one section after another, values behind their labels."""
    writer = header.writer
    y_mm = details.title(writer.left_mm, y_mm, writer.inner_mm, "l") + writer.pitch(0.5)
    y_mm = details.meta(details.entries(), writer.left_mm, y_mm, writer.inner_mm) + writer.pitch(0.8)
    for party in ("vendor", "customer", "ship_to"):
        y_mm = header.section(party, y_mm)
    if writer.chance(0.3):
        y_mm = header.vendor_block(writer.left_mm, y_mm, 0.6 * writer.inner_mm)
    return _after_blocks(details, y_mm)


_ARRANGEMENTS: tuple[Callable[[InvoiceHeader, InvoiceDetails, float], float], ...] = (
    _letter, _letter, _corners, _corners, _corners, _centred, _columns, _form, _data_sheet,
)  # fmt: skip


def _brand(header: InvoiceHeader, y_mm: float) -> float:
    """A logo alone, where the vendor is one of the columns below."""
    writer = header.writer
    high = writer.rng.uniform(10, 22)
    writer.layout.marks.append(
        Box(writer.left_mm, y_mm, high * writer.rng.uniform(1, 2.2), high, ink=writer.style.accent)
    )
    return y_mm + high + 2


def _needs_sender_line(header: InvoiceHeader) -> bool:
    """Whether name or address of the vendor are printed in the line above the customer."""
    return header.writer.prints("vendor_address", "sender") or header.writer.prints("vendor_name", "sender")


def _sender_if_needed(header: InvoiceHeader, y_mm: float) -> float:
    writer = header.writer
    return (
        header.sender_line(writer.left_mm, y_mm + writer.pitch(0.3), 0.6 * writer.inner_mm)
        if _needs_sender_line(header)
        else y_mm
    )


def _after_blocks(details: InvoiceDetails, y_mm: float) -> float:
    """Place and day, on invoices with such a line."""
    y_mm += details.writer.pitch(0.8)
    return details.place_line(y_mm) if details.writer.prints("document_date", "place") else y_mm


def _entries_below(details: InvoiceDetails, entries: list[LabelledRuns], y_mm: float) -> float:
    """The numbers below the title: as a band, or in a column."""
    writer = details.writer
    if writer.chance(0.7) and entries:
        return details.band(entries, y_mm) + writer.pitch(0.5)
    return details.meta(entries, writer.left_mm, y_mm, 0.6 * writer.inner_mm) + writer.pitch(0.5)


def _before_table(header: InvoiceHeader, y_mm: float) -> float:
    """Lines before the items: the order number, a salutation, a sentence."""
    writer = header.writer
    y_mm += writer.pitch(writer.rng.choice((0.2, 0.6, 1.2)))
    y_mm = header.ship_to(writer.left_mm, y_mm, 0.5 * writer.inner_mm)
    if writer.prints("service_period_start", "prose"):
        runs = [(writer.label("service_period"), None), *writer.service_period()]
        y_mm = writer.lines([runs], writer.left_mm, y_mm, room_mm=writer.inner_mm) + writer.pitch(0.3)
    if writer.prints("purchase_order", "prose"):
        runs = [(writer.label("purchase_order"), None), *writer.value("purchase_order")]
        y_mm = writer.lines([runs], writer.left_mm, y_mm, room_mm=writer.inner_mm) + writer.pitch(0.3)
    if writer.chance(0.05):
        y_mm = _headline(header, y_mm)
    if writer.chance(0.16):
        y_mm = writer.lines([[(writer.fill("{salutation}"), None)]], writer.left_mm, y_mm) + writer.pitch(0.4)
    if writer.chance(0.25 if writer.invoice.line_items else 0.8):
        text = writer.fill("{intro}")
        if not writer.invoice.line_items:
            text += " " + ", ".join(writer.fill("{service}") for _ in range(writer.rng.randint(1, 3))) + "."
        y_mm = writer.paragraph(text, None, writer.left_mm, y_mm, writer.inner_mm) + writer.pitch(0.5)
    return y_mm


def _headline(header: InvoiceHeader, y_mm: float) -> float:
    """The amount to pay in large print above the table: "$59.00 due March 3, 2024"."""
    writer = header.writer
    name = "amount_due" if writer.invoice.amount_due is not None else "total"
    runs = writer.value(name)
    if writer.invoice.due_date is not None and runs:
        runs += [(f" {writer.word('due_date').lower()} ", None), *writer.value("due_date")]
    return writer.lines(
        [runs], writer.left_mm, y_mm, scale=writer.rng.choice((1.3, 1.6)), bold=True, room_mm=writer.inner_mm
    ) + writer.pitch(0.5)


def _shrink_to_fit(marks: list[Mark], fixed: int, bottom_mm: float, limit_mm: float) -> list[Mark]:
    """Shrink all marks but the first `fixed`, which are at the bottom of the page, until they end above the limit."""
    if bottom_mm <= limit_mm:
        return marks
    share = limit_mm / bottom_mm
    return marks[:fixed] + [_shrink(mark, share) for mark in marks[fixed:]]


def _shrink(mark: Mark, share: float) -> Mark:
    """The mark with its position and size scaled."""
    if isinstance(mark, Rule):
        return replace(mark, x_mm=mark.x_mm * share, y_mm=mark.y_mm * share, length_mm=mark.length_mm * share)
    assert isinstance(mark, Text | Box | Barcode)
    wide, high = mark.width_mm * share, mark.height_mm * share
    return replace(mark, x_mm=mark.x_mm * share, y_mm=mark.y_mm * share, width_mm=wide, height_mm=high)
