"""What names an invoice: its title, and its numbers and dates among others that are no fields."""

from collections.abc import Sequence
from datetime import timedelta

from training.synth.documents.invoice.desk import Desk
from training.synth.documents.invoice.head import Head
from training.synth.typesetting import Run

Entry = tuple[str, list[Run]]  # a label, and the value that stands with it

_NAMED = ("invoice_id", "invoice_date", "due_date", "purchase_order", "payment_term", "vendor_tax_id", "iban")
_MADE_NUMBERS = {
    "customer_no": ("{n5}", "{n6}", "{n4}", "K{n5}", "C{n4}", "{letter}{n4}", "1{d4}", "D{n5}", "{n3}-{n3}"),
    "order_no": ("{n5}", "AB-{n5}", "{n6}", "{letter}{n5}", "20{d2}-{n3}", "{n4}/{d2}", "SO{n5}", "P-{n4}", "Q{n4}"),
    "delivery_note": ("{n6}", "LS-{n5}", "{n5}", "DN{n5}", "{letter}{letter}{n4}", "{n8}"),
    "project": ("{coin}", "{n4} {coin}", "{service}", "{coin} {place}", "{thing_made} {coin}"),
    "customer_tax": ("{n9}", "{letter}{letter}{n9}", "{letter}{n8}", "{letter}{letter}{letter}{n9}"),
    "contact": ("{person}", "{person}", "{first}", "{letter}{letter}", "{person}, {phone}"),
    "method": ("{method_made}",),
}  # fmt: skip


class Particulars:
    """Prints title, numbers and dates. Each method takes a place and returns where it ends."""

    def __init__(self, desk: Desk, head: Head) -> None:
        self.desk = desk
        self.head = head

    def entries(self) -> list[Entry]:
        """Numbers and dates with their labels: the record's that belong here, among others that are no fields."""
        desk, invoice = self.desk, self.desk.invoice
        found: list[Entry] = [(self._label_of(name), desk.value(name)) for name in _NAMED if desk.wants(name, "meta")]
        if invoice.invoice_total is not None and desk.chance(0.07):
            due = "amount_due" if invoice.amount_due is not None else "invoice_total"
            found.append((desk.word(due), desk.value(due)))
        others = self._others()
        if desk.chance(0.65):
            return found + others
        if desk.chance(0.5):
            desk.rng.shuffle(others)
            return others + found
        mixed = found + others
        desk.rng.shuffle(mixed)
        return mixed

    def _label_of(self, name: str) -> str:
        desk = self.desk
        if name == "vendor_tax_id":
            return self.head.tax_runs()[0][0].strip(" :")
        return desk.word(name)

    def _others(self) -> list[Entry]:
        """Other numbers, days and people."""
        desk = self.desk
        found: list[Entry] = []
        rates = (
            ("customer_no", 0.34), ("order_no", 0.22), ("order_date", 0.1), ("delivery_date", 0.22),
            ("delivery_note", 0.13), ("contact", 0.2), ("method", 0.12), ("project", 0.1), ("customer_tax", 0.06),
            ("copy", 0.1),
        )  # fmt: skip
        busy = desk.rng.choice((0.3, 1.0, 1.0, 1.8))
        for key, often in rates:
            if desk.chance(often * busy):
                if key == "copy":
                    found.append((desk.word("copy"), []))
                else:
                    found.append((desk.word(key), [(self._made(key), None)]))
        return found

    def _made(self, key: str) -> str:
        desk = self.desk
        if key in ("order_date", "delivery_date"):
            day = desk.invoice.invoice_date
            if day is None:
                return desk.fill("{n2}.{n2}.20{d2}")
            other = day - timedelta(days=desk.rng.choice((0, 1, 2, 5, 7, 14, 21, 30)))
            text = desk.day(other)[0]
            if key == "delivery_date" and desk.chance(0.15):
                return f"{text} - {desk.day(day)[0]}"
            return text
        return desk.fill(desk.rng.choice(_MADE_NUMBERS[key]))

    def meta(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Entries in a column, in one of the ways offices have."""
        desk = self.desk
        if not entries:
            return y_mm
        ways = (self._tabbed, self._tabbed, self._tabbed, self._inline, self._ends, self._table, self._stacked)
        return desk.rng.choice(ways)(entries, x_mm, y_mm, room_mm)

    def _inline(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        desk = self.desk
        rows = [[(desk.labelled(label), None), *value] if value else [(label, None)] for label, value in entries]
        right = desk.chance(0.25)
        return desk.lines(rows, x_mm + room_mm if right else x_mm, y_mm, "r" if right else "l", 1.0, room_mm)

    def _tabbed(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Labels in one column, values in another."""
        desk = self.desk
        label_mm = min(max(desk.press.measure(label) for label, _ in entries) + desk.rng.uniform(3, 9), 0.6 * room_mm)
        bold, align = desk.style.bold_labels, desk.rng.choice(("l", "l", "l", "r"))
        for label, value in entries:
            at = x_mm if align == "l" else x_mm + label_mm - 2.5
            desk.put([(label + desk.style.colon, None)], at, y_mm, align, 1.0, bold, label_mm - 2)
            if value:
                desk.put(value, x_mm + label_mm, y_mm, room_mm=room_mm - label_mm)
            y_mm += desk.pitch()
        return y_mm

    def _ends(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Labels on the left, values against the right."""
        desk = self.desk
        for label, value in entries:
            label_room = max(0.35 * room_mm, room_mm - desk.span(value) - 3)
            desk.put([(label + desk.style.colon, None)], x_mm, y_mm, bold=desk.style.bold_labels, room_mm=label_room)
            if value:
                desk.put(value, x_mm + room_mm, y_mm, "r", room_mm=0.62 * room_mm)
            y_mm += desk.pitch()
        return y_mm

    def _table(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        """A small table with lines."""
        desk = self.desk
        pitch, top, split = desk.pitch(1.25), y_mm, x_mm + room_mm * desk.rng.uniform(0.4, 0.5)
        shade = desk.tint() if desk.chance(0.4) else None
        for label, value in entries:
            if shade:
                desk.box(x_mm, y_mm, split - x_mm, pitch, shade)
            desk.rule(y_mm, x_mm, room_mm, 0.2)
            desk.put(
                [(label, None)], x_mm + 1.2, y_mm + 0.1 * pitch, bold=desk.style.bold_labels, room_mm=split - x_mm - 2
            )
            if value:
                desk.put(value, split + 1.2, y_mm + 0.1 * pitch, room_mm=x_mm + room_mm - split - 2)
            y_mm += pitch
        desk.rule(y_mm, x_mm, room_mm, 0.2)
        if desk.chance(0.7):
            for at in (x_mm, split, x_mm + room_mm):
                desk.upright(at, top, y_mm - top)
        return y_mm + 1.5

    def _stacked(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Labels above their values."""
        desk = self.desk
        if len(entries) > 5:
            return self._tabbed(entries, x_mm, y_mm, room_mm)
        scale, ink = desk.style.small, desk.style.accent if desk.chance(0.5) else None
        for label, value in entries:
            desk.put([(label, None)], x_mm, y_mm, "l", scale, desk.style.bold_labels, room_mm, ink)
            y_mm += desk.pitch(scale)
            if value:
                desk.put(value, x_mm, y_mm, room_mm=room_mm)
                y_mm += desk.pitch(1.2)
        return y_mm

    def band(self, entries: Sequence[Entry], y_mm: float) -> float:
        """Entries side by side across the page: labels above, values below."""
        desk = self.desk
        most = desk.rng.choice((3, 4, 5, 6))
        boxed, filled = desk.chance(0.6), desk.chance(0.4)
        shade = desk.style.accent if filled and desk.chance(0.5) else desk.tint()
        for start in range(0, len(entries), most):
            row = entries[start : start + most]
            step, pitch = desk.inner_mm / len(row), desk.pitch(1.25)
            if filled:
                desk.box(desk.left_mm, y_mm, desk.inner_mm, pitch, shade)
            for at, (label, value) in enumerate(row):
                x_mm = desk.left_mm + at * step + 1.2
                white = filled and shade == desk.style.accent
                bold, ink = desk.style.bold_labels or filled, shade if white else None
                desk.put([(label, None)], x_mm, y_mm + 0.1 * pitch, "l", 0.9, bold, step - 2, ink, inverse=white)
                if value:
                    desk.put(value, x_mm, y_mm + 1.1 * pitch, room_mm=step - 2)
            if boxed:
                desk.box(desk.left_mm, y_mm, desk.inner_mm, 2 * pitch)
                for at in range(1, len(row)):
                    desk.upright(desk.left_mm + at * step, y_mm, 2 * pitch)
            y_mm += 2 * pitch + 0.8
        return y_mm

    def title(self, x_mm: float, y_mm: float, room_mm: float, align: str) -> float:
        """The word Invoice, with its number and its date where they belong here."""
        desk = self.desk
        scale = desk.rng.choice((1.2, 1.4, 1.7, 2.1, 2.6))
        ink = desk.style.accent if desk.chance(0.45) else None
        runs: list[Run] = [(desk.word("title"), None)]
        if desk.wants("invoice_id", "title"):
            scale = min(scale, 1.7)
            runs += [
                (desk.rng.choice((" ", " ", " Nr. ", " No. ", " # ", ": ", " n° ")), None),
                *desk.value("invoice_id"),
            ]
        if desk.wants("invoice_date", "title"):
            scale = min(scale, 1.4)
            since = {"de": "vom", "fr": "du", "it": "del", "es": "de", "pt": "de", "nl": "d.d."}.get(desk.language, "-")
            runs += [(f" {since} ", None), *desk.value("invoice_date")]
        at = x_mm + {"l": 0.0, "r": room_mm, "c": room_mm / 2}[align]
        desk.put(runs, at, y_mm, align, scale, desk.chance(0.75), room_mm, ink)
        y_mm += desk.pitch(scale)
        if desk.chance(0.05):
            y_mm = desk.lines([[(desk.word("copy"), None)]], at, y_mm, align)
        return y_mm + desk.pitch(0.3)

    def place_line(self, y_mm: float) -> float:
        """ "München, 12.03.2024", at the right."""
        desk = self.desk
        comma = {"de": ", den ", "fr": ", le ", "it": ", li ", "es": ", a ", "pt": ", "}.get(desk.language, ", ")
        before = desk.fill("{town}").split(",")[0] + (comma if desk.chance(0.6) else ", ")
        desk.put([(before, None), *desk.value("invoice_date")], desk.right_mm, y_mm, "r", room_mm=0.6 * desk.inner_mm)
        return y_mm + desk.pitch(1.4)
