"""Lays out the totals of an invoice, the table of taxes, what was paid and what is due.

Amounts that the record does not have but the totals need (charges, taxes by rate, rounding) are computed from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from training.synth.documents.invoice.writer import InvoiceWriter
from training.synth.documents.locales import round_to_cents
from training.synth.typesetting import TextRun

_CENT = Decimal("0.01")
_ROUNDING = Decimal("0.05")


@dataclass(frozen=True)
class _Line:
    """One line of the totals. main: whether it is the amount to pay."""

    label: str
    amount: list[TextRun]
    main: bool = False


class InvoiceTotals:
    """Prints the totals of one invoice below its table."""

    def __init__(self, writer: InvoiceWriter, amounts_end_mm: float) -> None:
        self.writer = writer
        self.invoice = writer.invoice
        self.end_mm = amounts_end_mm
        self.base = self._base()
        self.tax_within_prices = self._tax_is_within()

    def print(self, y_mm: float) -> float:
        """Print everything from the subtotal to the amount due; returns the y where it ends, mm."""
        writer, lines = self.writer, self._lines()
        if not lines:
            return y_mm
        way = writer.rng.choices(("right", "wide", "band", "left"), (70, 16, 9 if len(lines) > 2 else 0, 5))[0]
        if way == "band":
            y_mm = self._print_band(lines, y_mm)
        else:
            start = {"right": writer.rng.uniform(0.48, 0.66), "wide": 0.0, "left": 0.0}[way]
            end = self.end_mm if way != "left" else writer.left_mm + writer.inner_mm * writer.rng.uniform(0.4, 0.55)
            y_mm = self._column(lines, writer.left_mm + start * writer.inner_mm, end, y_mm)
        if self.invoice.total_tax is not None and writer.chance(0.12):
            y_mm = self._tax_table(y_mm + writer.pitch(0.5))
        return y_mm + writer.pitch(0.6)

    # --- lines ----------------------------------------------------------------------------------

    def _base(self) -> Decimal | None:
        """The sum of the items, when the record shows it."""
        if self.invoice.subtotal is not None:
            return self.invoice.subtotal
        amounts = [item.amount for item in self.invoice.items]
        known = [amount for amount in amounts if amount is not None]
        return sum(known, Decimal(0)) if known and len(known) == len(amounts) else None

    def _tax_is_within(self) -> bool:
        """Whether prices are after tax."""
        tax, total, base = self.invoice.total_tax, self.invoice.invoice_total, self.base
        if not tax or total is None or base is None:
            return False
        rest = total - (base - (self.invoice.total_discount or Decimal(0)))
        return rest + _ROUNDING < tax

    def _lines(self) -> list[_Line]:
        writer, invoice = self.writer, self.invoice
        lines: list[_Line] = []
        if invoice.subtotal is not None:
            lines.append(_Line(writer.word("subtotal"), [writer.money(invoice.subtotal, "subtotal")]))
        if invoice.total_discount is not None:
            lines.append(_Line(writer.word("discount"), writer.deduction(invoice.total_discount, "total_discount")))
            if invoice.subtotal is not None and writer.chance(0.3):
                lines.append(
                    _Line(writer.word("net_after"), [writer.money(invoice.subtotal - invoice.total_discount, None)])
                )
        rounding = Decimal(0)
        gap = self._gap()
        if invoice.total_tax is None:
            lines += self._taxes_without_field(gap)
        else:
            rounding = gap if abs(gap) < _ROUNDING else Decimal(0)
            if gap - rounding > 0:
                charge = _Line(writer.word("charge"), [writer.money(gap, None)])
                lines.insert(len(lines) if writer.chance(0.8) else 0, charge)
            if not self.tax_within_prices:
                lines += self._taxes(invoice.total_tax)
        if rounding and writer.chance(0.8):
            lines.append(
                _Line(writer.word("rounding"), [("-" if rounding < 0 else "", None), writer.money(abs(rounding), None)])
            )
        return lines + self._totals()

    def _gap(self) -> Decimal:
        """What the total has beyond the parts that are fields."""
        invoice = self.invoice
        if self.base is None or invoice.invoice_total is None:
            return Decimal(0)
        tax = Decimal(0) if self.tax_within_prices or invoice.total_tax is None else invoice.total_tax
        return invoice.invoice_total - (self.base - (invoice.total_discount or Decimal(0)) + tax)

    def _taxes_without_field(self, gap: Decimal) -> list[_Line]:
        """A tax without total: two parts of it, or nothing."""
        writer = self.writer
        if gap <= _ROUNDING or (self.invoice.subtotal is None and writer.chance(0.4)):
            return []
        if writer.market.country == "IN":
            parts, names = (Decimal("0.5"), Decimal("0.5")), ("CGST", "SGST")
        else:
            first = Decimal(writer.rng.choice(("0.5", "0.7", "0.8", "0.9")))
            parts, names = (first, 1 - first), ("", "")
        rates = (
            writer.rng.sample(writer.market.tax_rates, 2)
            if len(set(writer.market.tax_rates)) > 1
            else [writer.rate, writer.rate]
        )
        lines, left = [], gap
        for at, (part, name) in enumerate(zip(parts, names, strict=True)):
            amount = left if at else round_to_cents(gap * part)
            left -= amount
            label = f"{name} {rates[at]}%" if name else writer.word("tax", rate=rates[at])
            lines.append(_Line(label, [writer.money(amount, None)]))
        return lines

    def _taxes(self, tax: Decimal) -> list[_Line]:
        """The tax; with several rates each of them, then their sum."""
        writer = self.writer
        by_rate = self._by_rate()
        lines: list[_Line] = []
        if len(by_rate) > 1:
            for rate, amount in by_rate:
                lines.append(_Line(writer.word("tax", rate=rate), [writer.money(amount, None)]))
            return [*lines, _Line(writer.word("tax_sum"), [writer.money(tax, "total_tax")])]
        label = writer.word("tax")
        if self.base is not None and writer.chance(0.12):
            net = self.base - (self.invoice.total_discount or Decimal(0))
            label += f" {writer.fill('{tax_base}')} {writer.money(net, None)[0]}"
        return [_Line(label, [writer.money(tax, "total_tax")])]

    def _by_rate(self) -> list[tuple[str, Decimal]]:
        """The tax of each rate as printed with the items; empty when the items do not show it."""
        shares: dict[Decimal, Decimal] = {}
        for item in self.invoice.items:
            if item.tax_rate is None or item.amount is None:
                return []
            shares[item.tax_rate] = shares.get(item.tax_rate, Decimal(0)) + item.amount
        left = 1 - (self.invoice.total_discount or Decimal(0)) / self.base if self.base else Decimal(1)
        return [
            (f"{rate.normalize():f}", round_to_cents(amount * left * rate / 100))
            for rate, amount in sorted(shares.items())
        ]

    def _totals(self) -> list[_Line]:
        writer, invoice = self.writer, self.invoice
        total, due = invoice.invoice_total, invoice.amount_due
        if total is None:
            return []
        lines = [
            _Line(
                writer.word("invoice_total" if due is None else "total_plain"),
                [writer.money(total, "invoice_total")],
                main=True,
            )
        ]
        if invoice.total_tax is not None and self.tax_within_prices:
            tax = _Line(writer.word("tax_within"), [writer.money(invoice.total_tax, "total_tax")])
            lines.insert(0 if writer.chance(0.3) else 1, tax)
        if due is not None:
            if due != total or writer.chance(0.4):
                lines.append(_Line(writer.word("paid"), writer.deduction(total - due, None)))
            lines.append(_Line(writer.word("amount_due"), [writer.money(due, "amount_due")], main=True))
        return lines

    # --- printing --------------------------------------------------------------------------------------------

    def _column(self, lines: Sequence[_Line], start_mm: float, end_mm: float, y_mm: float) -> float:
        """Labels and amounts below each other."""
        writer = self.writer
        loud = writer.rng.choice((1.0, 1.0, 1.0, 1.2, 1.4))
        frame = writer.rng.choices(("none", "main", "rows", "filled", "double"), (35, 28, 10, 15, 12))[0]
        close = writer.chance(0.3)  # labels are right before their amounts
        gap, shade = writer.rng.choice((0.0, 0.1, 0.3)), writer.tint()
        for line in lines:
            scale = loud if line.main else 1.0
            room = end_mm - start_mm - writer.span(line.amount, scale) - 2
            if line.main and frame == "filled":
                writer.box(start_mm - 1, y_mm - 0.4, end_mm - start_mm + 2, writer.pitch(scale) + 0.6, shade)
            elif (line.main and frame in ("main", "double")) or frame == "rows":
                writer.rule(y_mm - 0.3, start_mm, end_mm - start_mm)
            at, align = (end_mm - max(writer.span(line.amount, scale), 24) - 3, "r") if close else (start_mm, "l")
            label = [(line.label + ("" if line.label.endswith(":") else writer.style.colon), None)]
            writer.put(label, at, y_mm, align, scale, line.main, room if not close else at - start_mm)
            writer.put(line.amount, end_mm, y_mm, "r", scale, line.main, end_mm - start_mm)
            y_mm += writer.pitch(scale + gap)
            if line.main and frame == "double":
                writer.rule(y_mm, start_mm, end_mm - start_mm)
                writer.rule(y_mm + 0.7, start_mm, end_mm - start_mm)
                y_mm += 1.2
        return y_mm

    def _print_band(self, lines: Sequence[_Line], y_mm: float) -> float:
        """Totals next to each other in boxes, labels above."""
        writer = self.writer
        most = 6
        for start in range(0, len(lines), most):
            row = lines[start : start + most]
            step, pitch = writer.inner_mm / len(row), writer.pitch(1.25)
            for at, line in enumerate(row):
                x_mm = writer.left_mm + at * step
                writer.box(x_mm, y_mm, step, 2 * pitch)
                writer.put([(line.label, None)], x_mm + 1, y_mm + 0.2, "l", 0.8, False, step - 2)
                writer.put(line.amount, x_mm + step - 1, y_mm + pitch, "r", 1.0, line.main, step - 2)
            y_mm += 2 * pitch + 0.5
        return y_mm + 1

    def _tax_table(self, y_mm: float) -> float:
        """Rate, base and tax again, as some countries require."""
        writer, invoice = self.writer, self.invoice
        tax, total = invoice.total_tax, invoice.invoice_total
        if tax is None or total is None:
            return y_mm
        room = writer.inner_mm * writer.rng.uniform(0.4, 0.6)
        left = writer.left_mm if writer.chance(0.7) else writer.right_mm - room
        column_ends_mm = [left + room * share for share in (0.25, 0.62, 1.0)]
        for key, x_mm in zip(("rate_column", "base_column", "tax_column"), column_ends_mm, strict=True):
            writer.put([(writer.word(key), None)], x_mm, y_mm, "r", 0.9, writer.style.bold_labels, room * 0.33)
        y_mm += writer.pitch()
        writer.rule(y_mm, left, room, 0.15)
        by_rate = self._by_rate()
        if len(by_rate) > 1:
            rows = [
                (rate, (amount * 100 / Decimal(rate)).quantize(_CENT) if Decimal(rate) else Decimal(0), amount)
                for rate, amount in by_rate
            ]
        else:
            rows = [(writer.rate, total - tax, tax)]
        for rate, net, amount in rows:
            cells: tuple[list[TextRun], ...] = (
                [(f"{rate} %", None)],
                [writer.money(net, writer.matching_field(net, "subtotal"), "{}")],
                [writer.money(amount, writer.matching_field(amount, "total_tax"), "{}")],
            )
            for runs, x_mm in zip(cells, column_ends_mm, strict=True):
                writer.put(runs, x_mm, y_mm, "r", 0.9, room_mm=room * 0.33)
            y_mm += writer.pitch()
        return y_mm
