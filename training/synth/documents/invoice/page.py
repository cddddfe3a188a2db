"""An invoice on its sheet: which block prints what, how the blocks are arranged, and that all of it fits one page."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from docextract.documents.invoice import Invoice
from training.synth.documents.invoice.desk import Desk
from training.synth.documents.invoice.foot import Foot
from training.synth.documents.invoice.head import Head
from training.synth.documents.invoice.particulars import Entry, Particulars
from training.synth.documents.invoice.sums import Sums
from training.synth.documents.invoice.table import Table
from training.synth.sheet import Barcode, Box, Mark, Rule, Sheet, Text

_LONGEST_ENTRY = 34  # characters; longer terms of payment are sentences
_PAPERS = ((252, 252, 252), (250, 250, 248), (255, 255, 255), (246, 245, 240))


def typeset(invoice: Invoice, rng: Random) -> Sheet:
    """One way to print this record: every field that is not None, each run of it tagged, nothing else tagged."""
    desk = Desk(invoice, _places(invoice, rng), rng)
    head = Head(desk)
    particulars = Particulars(desk, head)
    foot = Foot(desk, head)
    limit = foot.small_print()
    fixed = len(desk.press.marks)
    y_mm = rng.choice(_ARRANGEMENTS)(head, particulars, desk.rng.uniform(8, 22))
    y_mm = _before_table(head, y_mm)
    table = Table(desk)
    y_mm = table.print(y_mm)
    y_mm = Sums(desk, table.amounts_end_mm).print(y_mm)
    y_mm = foot.print(y_mm)
    marks = _fitted(desk.press.marks, fixed, y_mm, limit)
    return Sheet(desk.width_mm, desk.height_mm, tuple(marks), rng.choice(_PAPERS))


def _places(invoice: Invoice, rng: Random) -> dict[str, str]:
    """Which block prints each field that may stand in several."""

    def one(options: str, weights: tuple[int, ...]) -> str:
        return rng.choices(options.split(), weights)[0]

    places = {
        "vendor_name": one("letterhead footer", (90, 10)),
        "vendor_address": one("letterhead footer sender", (76, 14, 10)),
        "vendor_tax_id": one("letterhead footer meta", (50, 34, 16)),
        "invoice_id": one("meta title", (84, 16)),
        "invoice_date": one("meta place title", (86, 10, 4)),
        "due_date": one("meta prose", (66, 34)),
        "payment_term": one("meta prose", (48, 52)),
        "purchase_order": one("meta prose", (86, 14)),
        "iban": one("bank footer meta", (52, 44, 4)),
    }
    if len(invoice.payment_term or "") > _LONGEST_ENTRY:
        places["payment_term"] = "prose"
    if places["vendor_address"] == "sender" and invoice.vendor_name is not None and rng.random() < 0.5:
        places["vendor_name"] = "sender"
    return places


# --- arrangements: each prints everything above the table and returns where it ends ------------------------------


def _letter(head: Head, particulars: Particulars, y_mm: float) -> float:
    """A business letter: the address in a window, the numbers to its right, then the title."""
    desk, rng = head.desk, head.desk.rng
    bottom = head.letterhead(desk.left_mm, y_mm, desk.inner_mm, rng.choice("rrlc"))
    y_mm = max(bottom + 4, rng.uniform(38, 50))
    room = desk.inner_mm * 0.48
    left = head.sender_line(desk.left_mm, y_mm, room) if _needs_sender(head) or desk.chance(0.55) else y_mm
    left = head.customer(desk.left_mm, left + desk.pitch(0.3), room, headed=0.12)
    wide = rng.uniform(0.38, 0.46) * desk.inner_mm
    entries = particulars.entries()
    beside = desk.chance(0.75)
    right = particulars.meta(entries, desk.right_mm - wide, y_mm + rng.uniform(-4, 6), wide) if beside else y_mm
    y_mm = max(left, right) + desk.pitch(rng.choice((0.8, 1.5, 2.5)))
    if desk.wants("invoice_date", "place"):
        y_mm = particulars.place_line(y_mm)
    y_mm = particulars.title(desk.left_mm, y_mm, desk.inner_mm, "l")
    return y_mm if beside else _entries_below(particulars, entries, y_mm)


def _corners(head: Head, particulars: Particulars, y_mm: float) -> float:
    """Vendor in one upper corner, title and numbers in the other, the customer below."""
    desk, rng = head.desk, head.desk.rng
    share = rng.uniform(0.5, 0.58)
    room = desk.inner_mm * share - 4
    swapped = desk.chance(0.3)
    here, there = (
        (desk.right_mm - room, desk.left_mm) if swapped else (desk.left_mm, desk.left_mm + desk.inner_mm * share)
    )
    left = head.letterhead(here, y_mm, room, "r" if swapped and desk.chance(0.6) else "l")
    wide = desk.inner_mm * (1 - share)
    right = particulars.title(there, y_mm, wide, "l" if swapped or desk.chance(0.4) else "r")
    entries = particulars.entries()
    under_title = desk.chance(0.6)
    if under_title:
        right = particulars.meta(entries, there, right, wide)
    y_mm = max(left, right) + desk.pitch(rng.choice((0.6, 1.2, 2.0)))
    if desk.chance(0.25):
        desk.rule(y_mm - 1.5, thickness_mm=rng.choice((0.3, 0.8)), ink=desk.style.accent)
    y_mm = _sender_if_needed(head, y_mm)
    half = desk.inner_mm * 0.47
    bottom = head.customer(desk.left_mm, y_mm, half)
    if not under_title:
        bottom = max(bottom, particulars.meta(entries, desk.right_mm - half, y_mm, half))
    elif desk.chance(0.3):
        bottom = max(bottom, head.ship_to(desk.left_mm + 0.53 * desk.inner_mm, y_mm, half))
    return _after_blocks(particulars, bottom)


def _centred(head: Head, particulars: Particulars, y_mm: float) -> float:
    """Everything about the vendor in the middle, then a line, the title, and two blocks."""
    desk, rng = head.desk, head.desk.rng
    y_mm = head.letterhead(desk.left_mm, y_mm, desk.inner_mm, "c")
    if desk.chance(0.6):
        desk.rule(y_mm + 1, thickness_mm=rng.choice((0.2, 0.5)))
    y_mm = particulars.title(desk.left_mm, y_mm + desk.pitch(0.7), desk.inner_mm, rng.choice("cccrl"))
    y_mm = _sender_if_needed(head, y_mm)
    half = desk.inner_mm * 0.5
    left = head.customer(desk.left_mm, y_mm, half)
    right = particulars.meta(particulars.entries(), desk.left_mm + 0.56 * desk.inner_mm, y_mm, 0.44 * desk.inner_mm)
    if desk.chance(0.2):
        left = head.ship_to(desk.left_mm, left + desk.pitch(0.5), half)
    return _after_blocks(particulars, max(left, right))


def _columns(head: Head, particulars: Particulars, y_mm: float) -> float:
    """A large title, then vendor, customer and numbers side by side."""
    desk, rng = head.desk, head.desk.rng
    if desk.chance(0.5):
        below = _brand(head, y_mm)
        y_mm = particulars.title(desk.left_mm, y_mm if desk.chance(0.5) else below, desk.inner_mm, "r")
        y_mm = max(y_mm, below)
    else:
        y_mm = particulars.title(desk.left_mm, y_mm, desk.inner_mm, rng.choice("llc"))
    y_mm += desk.pitch(0.6)
    step = desk.inner_mm / 3
    blocks = [head.vendor_block, head.customer]
    if desk.chance(0.25):
        blocks.reverse()
    ends = [block(desk.left_mm + at * step, y_mm, step - 5) for at, block in enumerate(blocks)]
    ends.append(particulars.meta(particulars.entries(), desk.left_mm + 2 * step, y_mm, step))
    return _after_blocks(particulars, max(ends))


def _form(head: Head, particulars: Particulars, y_mm: float) -> float:
    """Vendor and customer side by side, the numbers in a band across the page."""
    desk, rng = head.desk, head.desk.rng
    half = desk.inner_mm * 0.48
    top = y_mm
    left = head.letterhead(desk.left_mm, y_mm, half, "l")
    right = y_mm
    if desk.chance(0.6):
        right = particulars.title(desk.right_mm - half, y_mm, half, "r")
    titled = right > y_mm
    y_mm = _sender_if_needed(head, max(left, right) if desk.chance(0.3) else left)
    if desk.chance(0.5):
        bottom = head.customer(desk.left_mm + 0.52 * desk.inner_mm, right + desk.pitch(0.8), half)
        y_mm = max(y_mm, bottom)
        if desk.chance(0.3):
            desk.box(desk.left_mm + 0.51 * desk.inner_mm, right + 0.2, 0.49 * desk.inner_mm, max(bottom - right, 4))
    else:
        y_mm += desk.pitch(0.8)
        bottom = head.customer(desk.left_mm, y_mm, half)
        other = head.ship_to(desk.left_mm + 0.52 * desk.inner_mm, y_mm, half) if desk.chance(0.4) else y_mm
        y_mm = max(bottom, other)
    y_mm = max(y_mm, top) + desk.pitch(0.8)
    if not titled:
        y_mm = particulars.title(desk.left_mm, y_mm, desk.inner_mm, rng.choice("lcr"))
    if desk.wants("invoice_date", "place"):
        y_mm = particulars.place_line(y_mm)
    return _entries_below(particulars, particulars.entries(), y_mm)


_ARRANGEMENTS: tuple[Callable[[Head, Particulars, float], float], ...] = (
    _letter, _letter, _corners, _corners, _corners, _centred, _columns, _form,
)  # fmt: skip


def _brand(head: Head, y_mm: float) -> float:
    """A logo alone, where the vendor stands among the columns below."""
    desk = head.desk
    high = desk.rng.uniform(10, 22)
    desk.press.marks.append(Box(desk.left_mm, y_mm, high * desk.rng.uniform(1, 2.2), high, ink=desk.style.accent))
    return y_mm + high + 2


def _needs_sender(head: Head) -> bool:
    """Whether name or address of the vendor are to stand above the customer's."""
    return head.desk.wants("vendor_address", "sender") or head.desk.wants("vendor_name", "sender")


def _sender_if_needed(head: Head, y_mm: float) -> float:
    desk = head.desk
    return head.sender_line(desk.left_mm, y_mm + desk.pitch(0.3), 0.6 * desk.inner_mm) if _needs_sender(head) else y_mm


def _after_blocks(particulars: Particulars, y_mm: float) -> float:
    """The place and the day, where the letter has such a line."""
    y_mm += particulars.desk.pitch(0.8)
    return particulars.place_line(y_mm) if particulars.desk.wants("invoice_date", "place") else y_mm


def _entries_below(particulars: Particulars, entries: list[Entry], y_mm: float) -> float:
    """The numbers under the title: as a band, or in a column of their own."""
    desk = particulars.desk
    if desk.chance(0.7) and entries:
        return particulars.band(entries, y_mm) + desk.pitch(0.5)
    return particulars.meta(entries, desk.left_mm, y_mm, 0.6 * desk.inner_mm) + desk.pitch(0.5)


def _before_table(head: Head, y_mm: float) -> float:
    """What is written before the items: the order it refers to, a salutation, a sentence."""
    desk = head.desk
    y_mm += desk.pitch(desk.rng.choice((0.2, 0.6, 1.2)))
    if desk.wants("purchase_order", "prose"):
        runs = [(desk.label("purchase_order"), None), *desk.value("purchase_order")]
        y_mm = desk.lines([runs], desk.left_mm, y_mm, room_mm=desk.inner_mm) + desk.pitch(0.3)
    if desk.chance(0.05):
        y_mm = _headline(head, y_mm)
    if desk.chance(0.16):
        y_mm = desk.lines([[(desk.fill("{salutation}"), None)]], desk.left_mm, y_mm) + desk.pitch(0.4)
    if desk.chance(0.25 if desk.invoice.items else 0.8):
        text = desk.fill("{intro}")
        if not desk.invoice.items:
            text += " " + ", ".join(desk.fill("{service}") for _ in range(desk.rng.randint(1, 3))) + "."
        y_mm = desk.paragraph(text, None, desk.left_mm, y_mm, desk.inner_mm) + desk.pitch(0.5)
    return y_mm


def _headline(head: Head, y_mm: float) -> float:
    """What is to be paid, in large print above the table: "$59.00 due March 3, 2024"."""
    desk = head.desk
    name = "amount_due" if desk.invoice.amount_due is not None else "invoice_total"
    runs = desk.value(name)
    if desk.invoice.due_date is not None and runs:
        runs += [(f" {desk.word('due_date').lower()} ", None), *desk.value("due_date")]
    return desk.lines(
        [runs], desk.left_mm, y_mm, scale=desk.rng.choice((1.3, 1.6)), bold=True, room_mm=desk.inner_mm
    ) + desk.pitch(0.5)


def _fitted(marks: list[Mark], fixed: int, bottom_mm: float, limit_mm: float) -> list[Mark]:
    """All marks but the first `fixed`, which stand at the foot, made smaller until they end above the limit."""
    if bottom_mm <= limit_mm:
        return marks
    share = limit_mm / bottom_mm
    return marks[:fixed] + [_smaller(mark, share) for mark in marks[fixed:]]


def _smaller(mark: Mark, share: float) -> Mark:
    if isinstance(mark, Rule):
        return replace(mark, x_mm=mark.x_mm * share, y_mm=mark.y_mm * share, length_mm=mark.length_mm * share)
    assert isinstance(mark, Text | Box | Barcode)
    wide, high = mark.width_mm * share, mark.height_mm * share
    return replace(mark, x_mm=mark.x_mm * share, y_mm=mark.y_mm * share, width_mm=wide, height_mm=high)
