"""Lays out what identifies an invoice: its title, and numbers and dates among others that are no fields."""

from collections.abc import Sequence
from datetime import timedelta

from training.synth.documents.invoice.header import InvoiceHeader
from training.synth.documents.invoice.writer import InvoiceWriter
from training.synth.typesetting import TextRun

LabelledRuns = tuple[str, list[TextRun]]  # a label and the runs of its value

_DETAIL_FIELDS = (
    "document_number",
    "document_date",
    "due_date",
    "purchase_order",
    "payment_term",
    "vendor_tax_id",
    "iban",
)
_OTHER_NUMBERS = {
    "order_no": ("{n5}", "AB-{n5}", "{n6}", "{letter}{n5}", "20{d2}-{n3}", "{n4}/{d2}", "SO{n5}", "P-{n4}", "Q{n4}"),
    "delivery_note": ("{n6}", "LS-{n5}", "{n5}", "DN{n5}", "{letter}{letter}{n4}", "{n8}"),
    "project": ("{coin}", "{n4} {coin}", "{service}", "{coin} {place}", "{thing_made} {coin}"),
    "contact": ("{person}", "{person}", "{first}", "{letter}{letter}", "{person}, {phone}"),
    "method": ("{method_made}",),
}  # fmt: skip


class InvoiceDetails:
    """Prints title, numbers and dates. Each method takes a position and returns the y where it ends, mm."""

    def __init__(self, writer: InvoiceWriter, header: InvoiceHeader) -> None:
        self.writer = writer
        self.header = header

    def entries(self) -> list[LabelledRuns]:
        """Return numbers and dates with their labels: fields that are printed here, among others that are no fields."""
        writer, invoice = self.writer, self.writer.invoice
        found: list[LabelledRuns] = [
            (self._label_of(name), writer.value(name)) for name in _DETAIL_FIELDS if writer.prints(name, "meta")
        ]
        if invoice.total is not None and writer.chance(0.07):
            due = "amount_due" if invoice.amount_due is not None else "total"
            found.append((writer.word(due), writer.value(due)))
        if invoice.customer_id is not None:
            found.append((writer.word("customer_no"), writer.value("customer_id")))
        if writer.prints("customer_tax_id", "meta"):
            found.append((writer.word("customer_tax"), writer.value("customer_tax_id")))
        if writer.prints("service_period_start", "meta"):
            found.append((writer.word("service_period"), writer.service_period()))
        others = self._other_entries()
        if writer.chance(0.65):
            return found + others
        if writer.chance(0.5):
            writer.rng.shuffle(others)
            return others + found
        mixed = found + others
        writer.rng.shuffle(mixed)
        return mixed

    def _label_of(self, name: str) -> str:
        writer = self.writer
        if name == "vendor_tax_id":
            return self.header.tax_runs()[0][0].strip(" :")
        return writer.word("credit_number" if name == "document_number" and writer.is_credit_note else name)

    def _other_entries(self) -> list[LabelledRuns]:
        """Numbers, days and people that are no fields."""
        writer = self.writer
        found: list[LabelledRuns] = []
        rates = (
            ("order_no", 0.22), ("order_date", 0.1), ("delivery_date", 0.22),
            ("delivery_note", 0.13), ("contact", 0.2), ("method", 0.12), ("project", 0.1), ("copy", 0.1),
        )  # fmt: skip
        busy = writer.rng.choice((0.3, 1.0, 1.0, 1.8))
        for key, probability in rates:
            if writer.chance(probability * busy):
                if key == "copy":
                    found.append((writer.word("copy"), []))
                else:
                    found.append((writer.word(key), [(self._fill_template(key), None)]))
        return found

    def _fill_template(self, key: str) -> str:
        """The value of such an entry."""
        writer = self.writer
        if key in ("order_date", "delivery_date"):
            day = writer.invoice.document_date
            if day is None:
                return writer.fill("{n2}.{n2}.20{d2}")
            other = day - timedelta(days=writer.rng.choice((0, 1, 2, 5, 7, 14, 21, 30)))
            text = writer.day(other)[0]
            return text
        return writer.fill(writer.rng.choice(_OTHER_NUMBERS[key]))

    def meta(self, entries: Sequence[LabelledRuns], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Print entries in a column, in one of several layouts."""
        writer = self.writer
        if not entries:
            return y_mm
        ways = (self._tabbed, self._tabbed, self._tabbed, self._inline, self._ends, self._table, self._stacked)
        return writer.rng.choice(ways)(entries, x_mm, y_mm, room_mm)

    def _inline(self, entries: Sequence[LabelledRuns], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Label and value one after the other."""
        writer = self.writer
        rows = [[(writer.labelled(label), None), *value] if value else [(label, None)] for label, value in entries]
        right = writer.chance(0.25)
        return writer.lines(rows, x_mm + room_mm if right else x_mm, y_mm, "r" if right else "l", 1.0, room_mm)

    def _tabbed(self, entries: Sequence[LabelledRuns], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Labels in one column, values in another."""
        writer = self.writer
        label_mm = min(
            max(writer.layout.measure(label) for label, _ in entries) + writer.rng.uniform(3, 9), 0.6 * room_mm
        )
        bold, align = writer.style.bold_labels, writer.rng.choice(("l", "l", "l", "r"))
        for label, value in entries:
            at = x_mm if align == "l" else x_mm + label_mm - 2.5
            writer.put([(label + writer.style.colon, None)], at, y_mm, align, 1.0, bold, label_mm - 2)
            if value:
                writer.put(value, x_mm + label_mm, y_mm, room_mm=room_mm - label_mm)
            y_mm += writer.pitch()
        return y_mm

    def _ends(self, entries: Sequence[LabelledRuns], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Labels on the left, values at the right end."""
        writer = self.writer
        for label, value in entries:
            label_room = max(0.35 * room_mm, room_mm - writer.span(value) - 3)
            writer.put(
                [(label + writer.style.colon, None)], x_mm, y_mm, bold=writer.style.bold_labels, room_mm=label_room
            )
            if value:
                writer.put(value, x_mm + room_mm, y_mm, "r", room_mm=0.62 * room_mm)
            y_mm += writer.pitch()
        return y_mm

    def _table(self, entries: Sequence[LabelledRuns], x_mm: float, y_mm: float, room_mm: float) -> float:
        """A small table with lines."""
        writer = self.writer
        pitch, top, split = writer.pitch(1.25), y_mm, x_mm + room_mm * writer.rng.uniform(0.4, 0.5)
        shade = writer.tint() if writer.chance(0.4) else None
        for label, value in entries:
            if shade:
                writer.box(x_mm, y_mm, split - x_mm, pitch, shade)
            writer.rule(y_mm, x_mm, room_mm, 0.2)
            writer.put(
                [(label, None)], x_mm + 1.2, y_mm + 0.1 * pitch, bold=writer.style.bold_labels, room_mm=split - x_mm - 2
            )
            if value:
                writer.put(value, split + 1.2, y_mm + 0.1 * pitch, room_mm=x_mm + room_mm - split - 2)
            y_mm += pitch
        writer.rule(y_mm, x_mm, room_mm, 0.2)
        if writer.chance(0.7):
            for at in (x_mm, split, x_mm + room_mm):
                writer.vertical_rule(at, top, y_mm - top)
        return y_mm + 1.5

    def _stacked(self, entries: Sequence[LabelledRuns], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Labels above their values."""
        writer = self.writer
        if len(entries) > 5:
            return self._tabbed(entries, x_mm, y_mm, room_mm)
        scale, ink = writer.style.small, writer.style.accent if writer.chance(0.5) else None
        for label, value in entries:
            writer.put([(label, None)], x_mm, y_mm, "l", scale, writer.style.bold_labels, room_mm, ink)
            y_mm += writer.pitch(scale)
            if value:
                writer.put(value, x_mm, y_mm, room_mm=room_mm)
                y_mm += writer.pitch(1.2)
        return y_mm

    def band(self, entries: Sequence[LabelledRuns], y_mm: float) -> float:
        """Print entries next to each other across the page: labels above, values below."""
        writer = self.writer
        most = writer.rng.choice((3, 4, 5, 6))
        boxed, filled = writer.chance(0.6), writer.chance(0.4)
        shade = writer.style.accent if filled and writer.chance(0.5) else writer.tint()
        for start in range(0, len(entries), most):
            row = entries[start : start + most]
            step, pitch = writer.inner_mm / len(row), writer.pitch(1.25)
            if filled:
                writer.box(writer.left_mm, y_mm, writer.inner_mm, pitch, shade)
            for at, (label, value) in enumerate(row):
                x_mm = writer.left_mm + at * step + 1.2
                white = filled and shade == writer.style.accent
                bold, ink = writer.style.bold_labels or filled, shade if white else None
                writer.put([(label, None)], x_mm, y_mm + 0.1 * pitch, "l", 0.9, bold, step - 2, ink, inverse=white)
                if value:
                    writer.put(value, x_mm, y_mm + 1.1 * pitch, room_mm=step - 2)
            if boxed:
                writer.box(writer.left_mm, y_mm, writer.inner_mm, 2 * pitch)
                for at in range(1, len(row)):
                    writer.vertical_rule(writer.left_mm + at * step, y_mm, 2 * pitch)
            y_mm += 2 * pitch + 0.8
        return y_mm

    def title(self, x_mm: float, y_mm: float, room_mm: float, align: str) -> float:
        """Print the word Invoice, with number and date when they are printed here."""
        writer = self.writer
        scale = writer.rng.choice((1.2, 1.4, 1.7, 2.1, 2.6))
        ink = writer.style.accent if writer.chance(0.45) else None
        runs: list[TextRun] = []
        if writer.invoice.kind is not None:
            runs.append((writer.word("credit_title" if writer.is_credit_note else "title"), "kind"))
        if writer.prints("document_number", "title"):
            scale = min(scale, 1.7)
            runs += [
                (writer.rng.choice((" ", " ", " Nr. ", " No. ", " # ", ": ", " n° ")), None),
                *writer.value("document_number"),
            ]
        if writer.prints("document_date", "title"):
            scale = min(scale, 1.4)
            since = {"de": "vom", "fr": "du", "it": "del", "es": "de", "pt": "de", "nl": "d.d."}.get(
                writer.language, "-"
            )
            runs += [(f" {since} ", None), *writer.value("document_date")]
        at = x_mm + {"l": 0.0, "r": room_mm, "c": room_mm / 2}[align]
        if runs:
            writer.put(runs, at, y_mm, align, scale, writer.chance(0.75), room_mm, ink)
            y_mm += writer.pitch(scale)
        if writer.chance(0.05):
            y_mm = writer.lines([[(writer.word("copy"), None)]], at, y_mm, align)
        return y_mm + writer.pitch(0.3)

    def place_line(self, y_mm: float) -> float:
        """Print "München, 12.03.2024" at the right."""
        writer = self.writer
        comma = {"de": ", den ", "fr": ", le ", "it": ", li ", "es": ", a ", "pt": ", "}.get(writer.language, ", ")
        before = writer.fill("{town}").split(",")[0] + (comma if writer.chance(0.6) else ", ")
        writer.put(
            [(before, None), *writer.value("document_date")], writer.right_mm, y_mm, "r", room_mm=0.6 * writer.inner_mm
        )
        return y_mm + writer.pitch(1.4)
