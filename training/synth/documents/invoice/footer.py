"""Lays out the lower part of an invoice: payment, notes, and the small print at the bottom of the page."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from training.synth.documents.invoice.header import InvoiceHeader
from training.synth.documents.invoice.writer import InvoiceWriter
from training.synth.sheet import Barcode, Rule
from training.synth.typesetting import TextRun, TextRuns

_UNBREAKABLE_FIELDS = frozenset(
    {"iban", "bic", "bank_account_number", "payment_reference", "due_date", "document_number"}
)  # never broken into two lines


class InvoiceFooter:
    """Prints everything below the totals."""

    def __init__(self, writer: InvoiceWriter, header: InvoiceHeader) -> None:
        self.writer = writer
        self.header = header

    def print(self, y_mm: float) -> float:
        """Print payment terms, bank account and notes; returns the y where they end, mm."""
        writer = self.writer
        parts: list[Callable[[float], float]] = [self._term, self._due]
        if writer.chance(0.1):
            parts.reverse()
        extras: tuple[tuple[float, Callable[[float], float]], ...] = (
            (0.1, self._quote), (0.2, self._notes), (0.14, self._in_words), (0.35, self._thanks), (0.22, self._closing),
            (0.1, self._code), (0.12, self._signature), (0.1, self._fine_print), (0.04, self._stamp),
            (0.07, self._coupon),
        )  # fmt: skip
        parts += [part for probability, part in extras if writer.chance(probability)]
        if self._has_account() and writer.field_places["iban"] != "footer":
            parts.insert(writer.rng.randint(0, len(parts)), self._bank)
        if writer.invoice.total_tax is None and writer.chance(0.6):
            parts.insert(0, self._exempt)
        for part in parts:
            below = part(y_mm)
            y_mm = below + (writer.pitch(writer.rng.choice((0.2, 0.5, 0.9))) if below > y_mm else 0.0)
        return y_mm

    def _print_runs(self, runs: TextRuns, y_mm: float, x_mm: float | None = None) -> float:
        """Print runs as a paragraph: broken between words, fields unbroken when they fit."""
        writer = self.writer
        rows: list[list[TextRun]] = [[]]
        for text, field in runs:
            for line in self._append_broken(rows, text, field):
                rows.append(line)
        return writer.lines(
            [row for row in rows if row], writer.left_mm if x_mm is None else x_mm, y_mm, room_mm=writer.inner_mm
        )

    def _append_broken(self, rows: list[list[TextRun]], text: str, field: str | None) -> list[list[TextRun]]:
        """Append what fits to the last row; returns the rows of the rest."""
        writer, last = self.writer, rows[-1]
        room = writer.inner_mm - writer.span(last)
        if writer.span([(text, field)]) <= room:
            last.append((text, field))
            return []
        if field in _UNBREAKABLE_FIELDS:
            return [[(text, field)]]
        words, taken = text.split(" "), ""
        while words and writer.span([(taken + words[0] + " ", None)]) <= room:
            taken += words.pop(0) + " "
        if taken.strip():
            last.append((taken, field))
        return [[(line, field)] for line in writer.wrapped(" ".join(words), writer.inner_mm)]

    # --- payment -----------------------------------------------------------------------------------

    def _term(self, y_mm: float) -> float:
        writer = self.writer
        if not writer.prints("payment_term", "prose"):
            return y_mm
        term = writer.invoice.payment_term or ""
        label = writer.label("payment_term") if len(term) < 34 or writer.chance(0.2) else ""
        return self._print_runs([run for run in ((label, None), (term, "payment_term")) if run[0]], y_mm)

    def _due(self, y_mm: float) -> float:
        writer = self.writer
        if not writer.prints("due_date", "prose"):
            return y_mm
        if writer.chance(0.3):
            return self._print_runs([(writer.label("due_date"), None), *writer.value("due_date")], y_mm)
        before, _, after = self._due_sentence().partition("{date}")
        return self._print_runs(
            [run for run in ((before, None), *writer.value("due_date"), (after, None)) if run[0]], y_mm
        )

    def _due_sentence(self) -> str:
        """A sentence with {date}, on some invoices with an earlier day until which a discount is granted."""
        writer, due = self.writer, self.writer.invoice.due_date
        if due is None or writer.chance(0.7):
            return writer.rng.choice(writer.lists["due_sentence"])
        early = writer.day(due - timedelta(days=writer.rng.choice((5, 7, 10, 16, 20))))[0]
        return writer.rng.choice(writer.lists["early_sentence"]).replace("{early}", early)

    def _has_account(self) -> bool:
        invoice = self.writer.invoice
        return any((invoice.iban, invoice.bic, invoice.bank_account_number, invoice.payment_reference))

    def _quote(self, y_mm: float) -> float:
        writer = self.writer
        if writer.invoice.document_number is None:
            return y_mm
        before, _, after = writer.rng.choice(writer.lists["quote_id"]).partition("{id}")
        return self._print_runs(
            [run for run in ((before, None), *writer.value("document_number"), (after, None)) if run[0]], y_mm
        )

    def _bank(self, y_mm: float) -> float:
        """Bank details below a heading, in rows or on one line."""
        writer = self.writer
        rows = self.bank_rows()
        if writer.chance(0.25):
            together: list[TextRun] = []
            for row in rows:
                together += [(writer.rng.choice((", ", " | ", "  ")), None), *row] if together else list(row)
            return self._print_runs(together, y_mm)
        x_mm = writer.left_mm if writer.chance(0.85) else writer.left_mm + 0.5 * writer.inner_mm
        if writer.chance(0.6):
            y_mm = writer.lines([[(writer.word("bank_heading"), None)]], x_mm, y_mm, bold=writer.chance(0.6))
        if writer.chance(0.4):
            return self._tabbed(rows, x_mm, y_mm)
        return writer.lines(rows, x_mm, y_mm, room_mm=writer.right_mm - x_mm)

    def _tabbed(self, rows: Sequence[TextRuns], x_mm: float, y_mm: float) -> float:
        """Labels in one column, values in another."""
        writer = self.writer
        wide = max((writer.span(row[:1]) for row in rows if len(row) > 1), default=0.0) + 3
        for row in rows:
            writer.put(row[:1], x_mm, y_mm)
            if len(row) > 1:
                writer.put(row[1:], x_mm + wide, y_mm, room_mm=writer.right_mm - x_mm - wide)
            y_mm += writer.pitch()
        return y_mm

    def bank_rows(self) -> list[TextRuns]:
        """Return the rows of the vendor's account: the IBAN when there is one, other numbers with it or instead."""
        writer, invoice = self.writer, self.writer.invoice
        rows: list[list[TextRun]] = []
        if writer.chance(0.65):
            rows.append(
                [(writer.label("bank") if writer.chance(0.6) else "", None), (writer.fill("{bank_name}"), None)]
            )
        if writer.chance(0.3) and invoice.vendor_name is not None:
            rows.append([(writer.label("holder"), None), (invoice.vendor_name, "vendor_name")])
        own: list[list[TextRun]] = []
        if invoice.iban is not None and not writer.prints("iban", "meta"):
            own.append([(writer.label("iban"), None), *writer.value("iban")])
        if invoice.bic is not None:
            own.append([(writer.label("bic"), None), *writer.value("bic")])
        if invoice.bank_account_number is not None:
            own.append([(writer.label("account"), None), *writer.value("bank_account_number")])
            if writer.chance(0.6):
                code = writer.rng.choice(
                    ("{n2}-{d2}-{d2}", "{n6}", "{n3}-{d3}", "{n9}", "{n8}", "{letter}{letter}{letter}{letter}0{n6}")
                )
                own.append([(writer.label("routing"), None), (writer.fill(code), None)])
        if invoice.payment_reference is not None:
            own.append([(writer.label("payment_reference"), None), *writer.value("payment_reference")])
        if writer.chance(0.2):
            own.reverse()
        return [[run for run in row if run[0]] for row in rows + own]

    # --- other paragraphs -------------------------------------------------------------------------------------

    def _exempt(self, y_mm: float) -> float:
        invoice = self.writer.invoice
        hidden = invoice.subtotal is not None and invoice.total is not None and invoice.total > invoice.subtotal
        return y_mm if hidden else self._print_runs([(self.writer.fill("{exempt}"), None)], y_mm)

    def _notes(self, y_mm: float) -> float:
        writer = self.writer
        scale = writer.rng.choice((1.0, writer.style.small))
        for _ in range(writer.rng.choice((1, 1, 2, 3))):
            y_mm = writer.paragraph(writer.fill("{note}"), None, writer.left_mm, y_mm, writer.inner_mm, "l", scale)
        return y_mm

    def _in_words(self, y_mm: float) -> float:
        return self._print_runs([(self.writer.fill("{in_words}"), None)], y_mm)

    def _thanks(self, y_mm: float) -> float:
        writer = self.writer
        if writer.chance(0.3):
            return writer.lines(
                [[(writer.fill("{thanks}"), None)]],
                writer.width_mm / 2,
                y_mm,
                "c",
                room_mm=writer.inner_mm,
                bold=writer.chance(0.4),
            )
        return self._print_runs([(writer.fill("{thanks}"), None)], y_mm)

    def _closing(self, y_mm: float) -> float:
        writer = self.writer
        y_mm = self._print_runs([(writer.fill("{closing}"), None)], y_mm + writer.pitch(0.5))
        if writer.chance(0.5):
            y_mm += writer.pitch(writer.rng.choice((0.2, 1.5)))
        if writer.chance(0.4) and writer.invoice.vendor_name is not None:
            return self._print_runs([(writer.invoice.vendor_name, "vendor_name")], y_mm)
        return self._print_runs([(writer.fill("{person}"), None)], y_mm)

    def _code(self, y_mm: float) -> float:
        """A matrix code for payment."""
        writer = self.writer
        side = writer.rng.uniform(18, 34)
        x_mm = writer.rng.choice((writer.left_mm, writer.right_mm - side))
        writer.layout.marks.append(Barcode(x_mm, y_mm, side, side, square=True))
        return y_mm + side + 1

    def _signature(self, y_mm: float) -> float:
        writer = self.writer
        y_mm += writer.pitch(writer.rng.choice((1.5, 2.5)))
        x_mm = writer.rng.choice((writer.left_mm, writer.left_mm + 0.6 * writer.inner_mm))
        writer.rule(y_mm, x_mm, 0.35 * writer.inner_mm, 0.15)
        return writer.lines([[(writer.fill("{signature}"), None)]], x_mm, y_mm + 0.4, "l", 0.85)

    def _fine_print(self, y_mm: float) -> float:
        """A block of conditions in small print."""
        writer = self.writer
        text = " ".join(writer.fill("{fine_print}") for _ in range(writer.rng.randint(2, 9)))
        return writer.paragraph(
            text, None, writer.left_mm, y_mm, writer.inner_mm, "l", writer.rng.choice((0.55, 0.65, 0.75))
        )

    def _stamp(self, y_mm: float) -> float:
        """A word such as PAID, in large letters over blank space."""
        writer = self.writer
        x_mm = writer.left_mm + writer.rng.uniform(0.1, 0.7) * writer.inner_mm
        return writer.lines([[(writer.fill("{paid_stamp}"), None)]], x_mm, y_mm, "l", 2.4, bold=True, ink=(190, 40, 40))

    def _coupon(self, y_mm: float) -> float:
        """A payment slip to tear off, with the numbers again."""
        writer = self.writer
        y_mm += writer.pitch(1.5)
        writer.layout.marks.append(Rule(writer.left_mm, y_mm, writer.inner_mm, 0.2, dashed=True, ink=writer.layout.ink))
        y_mm = writer.lines([[(writer.fill("{coupon}"), None)]], writer.left_mm, y_mm + 1, bold=True)
        due = "amount_due" if writer.invoice.amount_due is not None else "total"
        names = [
            name
            for name in ("document_number", "document_date", "due_date", "customer_name", due)
            if writer.chance(0.7)
        ]
        rows = [
            [(writer.label("bill_to" if name == "customer_name" else name), None), *writer.value(name)]
            for name in names
        ]
        shown = [row for row in rows if len(row) > 1]
        if writer.chance(0.5):
            return self._tabbed(shown, writer.left_mm, y_mm)
        half = 0.5 * writer.inner_mm
        left = writer.lines(shown[::2], writer.left_mm, y_mm, room_mm=half - 3)
        return max(left, writer.lines(shown[1::2], writer.left_mm + half, y_mm, room_mm=half))

    # --- bottom of the page ----------------------------------------------------------------------------------

    def small_print(self) -> float:
        """Print the columns at the bottom of the page; returns the y where they begin, mm."""
        writer = self.writer
        blocks = self._blocks()
        scale = writer.rng.choice((0.62, 0.7, 0.75))
        bottom = writer.height_mm - writer.rng.uniform(6, 14)
        if not blocks:
            return self._page_number(bottom)
        if writer.chance(0.2):
            return self._centred(blocks, bottom, scale)
        step = writer.inner_mm / len(blocks)
        fitted = [self._fit(block, step - 3, scale) for block in blocks]
        top = bottom - max(map(len, fitted)) * writer.pitch(scale)
        if writer.chance(0.6):
            writer.rule(top - 1.2, thickness_mm=0.2, ink=writer.style.accent)
        for at, rows in enumerate(fitted):
            writer.lines(rows, writer.left_mm + at * step, top, "l", scale, step - 2)
        return top - 2.5

    def _fit(self, rows: Sequence[TextRuns], room_mm: float, scale: float) -> list[TextRuns]:
        """The rows; long texts of a single field are wrapped."""
        fitted: list[TextRuns] = []
        for row in rows:
            if len(row) == 1 and self.writer.span(row, scale) > room_mm:
                fitted += [[(line, row[0][1])] for line in self.writer.wrapped(row[0][0], room_mm, scale)]
            else:
                fitted.append(row)
        return fitted

    def _centred(self, blocks: Sequence[Sequence[TextRuns]], bottom: float, scale: float) -> float:
        """All blocks in one or more centred lines."""
        writer = self.writer
        between: TextRun = (writer.rng.choice((" | ", " · ", " - ", "   ")), None)
        lines: list[list[TextRun]] = [[]]
        for row in (row for block in blocks for row in block):
            if lines[-1] and writer.span([*lines[-1], between, *row], scale) > writer.inner_mm:
                lines.append([])
            lines[-1] += [between, *row] if lines[-1] else list(row)
        top = bottom - len(lines) * writer.pitch(scale)
        writer.lines(lines, writer.width_mm / 2, top, "c", scale, writer.inner_mm)
        return top - 2.0

    def _page_number(self, bottom: float) -> float:
        writer = self.writer
        if writer.chance(0.3):
            writer.put(
                [(writer.fill("{copy}"), None)],
                writer.rng.choice((writer.right_mm, writer.width_mm / 2)),
                bottom - writer.pitch(),
                "r",
                0.8,
            )
        return bottom - writer.pitch(1.2)

    def _blocks(self) -> list[list[TextRuns]]:
        """The content of the columns: vendor, contact, bank, registers."""
        writer, header, invoice = self.writer, self.header, self.writer.invoice
        must = (
            writer.prints("vendor_address", "footer")
            or (self._has_account() and writer.field_places["iban"] == "footer")
            or writer.prints("vendor_tax_id", "footer")
            or writer.prints("vendor_phone", "footer")
            or writer.prints("vendor_email", "footer")
        )
        if not must and self._named_above() and not writer.chance(0.35):
            return []
        blocks: list[list[TextRuns]] = []
        if writer.prints("vendor_address", "footer") or not self._named_above() or writer.chance(0.3):
            who: list[TextRuns] = [[(invoice.vendor_name, "vendor_name")]] if invoice.vendor_name is not None else []
            if writer.prints("vendor_address", "footer") or (invoice.vendor_address is not None and writer.chance(0.5)):
                who += header.address_rows("vendor_address", 1e3, 1.0)
            blocks.append(who)
        reach = header.contact_rows("footer", 0.3)
        if reach:
            blocks.append(reach)
        if self._has_account() and writer.field_places["iban"] == "footer":
            blocks.append(list(self.bank_rows()))
        law: list[TextRuns] = []
        if writer.prints("vendor_tax_id", "footer"):
            law.append(header.tax_runs())
        for key, probability in (("register", 0.4), ("manager", 0.4), ("other_tax_id", 0.25)):
            if writer.chance(probability):
                law.append([(writer.fill("{" + key + "}"), None)])
        if law:
            writer.rng.shuffle(law)
            blocks.append(law)
        if writer.chance(0.15):
            writer.rng.shuffle(blocks)
        return [block for block in blocks if block]

    def _named_above(self) -> bool:
        """Whether the vendor's name is printed elsewhere."""
        return self.writer.field_places["vendor_name"] != "footer"
