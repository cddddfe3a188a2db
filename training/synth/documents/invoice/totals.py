"""Lays out the totals of an invoice, the table of taxes, what was paid and what is due.

Amounts that the record does not have but the totals need (charges, taxes by rate, rounding) are computed from it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from training.synth.documents.invoice.writer import InvoiceWriter
from training.synth.typesetting import TextRun

_ROUNDING = Decimal("0.05")
_RATE = re.compile(r"\d+(?:[.,]\d+)? ?%")


@dataclass(frozen=True)
class _Line:
    """One line of the totals. main: whether it is the amount to pay."""

    label: str
    amount: list[TextRun]
    main: bool = False
    rate: str = ""  # the field of the tax rate in the label

    def label_runs(self, end: str = "") -> list[TextRun]:
        """The label with this end; the tax rate in it is a run of its field."""
        found = _RATE.search(self.label) if self.rate else None
        text = self.label + ("" if self.label.endswith(":") else end)
        if found is None:
            return [(text, None)]
        runs = ((text[: found.start()], None), (found[0], self.rate), (text[found.end() :], None))
        return [run for run in runs if run[0]]


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
        if any(tax.net_amount is not None for tax in self.invoice.taxes):
            y_mm = self._tax_table(y_mm + writer.pitch(0.5))
        return y_mm + writer.pitch(0.6)

    # --- lines ----------------------------------------------------------------------------------

    def _base(self) -> Decimal | None:
        """The sum of the items, when the record shows it."""
        if self.invoice.subtotal is not None:
            return self.invoice.subtotal
        amounts = [item.amount for item in self.invoice.line_items]
        known = [amount for amount in amounts if amount is not None]
        return sum(known, Decimal(0)) if known and len(known) == len(amounts) else None

    def _tax_is_within(self) -> bool:
        """Whether prices are after tax."""
        tax, total, base = self.invoice.total_tax, self.invoice.total, self.base
        if not tax or total is None or base is None:
            return False
        rest = total - (base - (self.invoice.total_discount or Decimal(0)) + (self.invoice.total_charge or Decimal(0)))
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
        if invoice.total_charge is not None:
            charge = _Line(writer.word("charge"), [writer.money(invoice.total_charge, "total_charge")])
            lines.insert(len(lines) if writer.chance(0.8) else 0, charge)
        if not self.tax_within_prices:
            lines += self._taxes()
        gap = self._gap()
        rounding = gap if abs(gap) < _ROUNDING else Decimal(0)
        if rounding and writer.chance(0.8):
            lines.append(
                _Line(writer.word("rounding"), [("-" if rounding < 0 else "", None), writer.money(abs(rounding), None)])
            )
        return lines + self._totals()

    def _gap(self) -> Decimal:
        """What the total has beyond the parts that are fields."""
        invoice = self.invoice
        if self.base is None or invoice.total is None:
            return Decimal(0)
        parts = sum((one.amount or Decimal(0) for one in invoice.taxes), Decimal(0))
        tax = Decimal(0) if self.tax_within_prices else parts if invoice.total_tax is None else invoice.total_tax
        return invoice.total - (
            self.base - (invoice.total_discount or Decimal(0)) + (invoice.total_charge or Decimal(0)) + tax
        )

    def _taxes(self) -> list[_Line]:
        """The tax; with several rates, or parts, each of them, and their sum if it is a field."""
        writer, taxes, total = self.writer, self.invoice.taxes, self.invoice.total_tax
        if len(taxes) > 1:
            lines = [
                _Line(
                    self._tax_label(tax.rate, at),
                    [writer.money(tax.amount, f"taxes.{at}.amount")],
                    rate=f"taxes.{at}.rate",
                )
                for at, tax in enumerate(taxes)
                if tax.amount is not None
            ]
            sums = [_Line(writer.word("tax_sum"), [writer.money(total, "total_tax")])] if total is not None else []
            return lines + sums
        if total is None:
            return []
        in_table = any(tax.net_amount is not None for tax in taxes)
        label = self._tax_label(taxes[0].rate if taxes and not in_table else None, 0)
        if self.base is not None and not in_table and writer.chance(0.12):
            net = self.base - (self.invoice.total_discount or Decimal(0))
            label += f" {writer.fill('{tax_base}')} {writer.money(net, None)[0]}"
        return [_Line(label, [writer.money(total, "total_tax")], rate="taxes.0.rate" if taxes and not in_table else "")]

    def _tax_label(self, rate: Decimal | None, part: int) -> str:
        """A label with the rate, or without it. part: of a tax of several parts."""
        writer = self.writer
        if rate is not None and writer.market.country == "IN" and len(self.invoice.taxes) == 2:
            return f"{('CGST', 'SGST')[part]} {self._percent(rate)}%"
        return writer.word_with_rate("tax", "" if rate is None else self._percent(rate))

    def _percent(self, rate: Decimal) -> str:
        return f"{rate.normalize():f}".replace(".", self.writer.decimal_point)

    def _totals(self) -> list[_Line]:
        writer, invoice = self.writer, self.invoice
        total, due = invoice.total, invoice.amount_due
        if total is None:
            return []
        lines = [
            _Line(
                writer.word("total" if due is None else "total_plain"),
                [writer.money(total, "total")],
                main=True,
            )
        ]
        if invoice.total_tax is not None and self.tax_within_prices:
            tax = self._tax_within(invoice.total_tax)
            lines.insert(0 if writer.chance(0.3) else 1, tax)
        if due is not None:
            if due != total or writer.chance(0.4):
                lines.append(_Line(writer.word("paid"), writer.deduction(total - due, None)))
            lines.append(_Line(writer.word("amount_due"), [writer.money(due, "amount_due")], main=True))
        return lines

    def _tax_within(self, tax: Decimal) -> _Line:
        """The tax that prices include."""
        writer, taxes = self.writer, self.invoice.taxes
        shows_rate = len(taxes) == 1 and taxes[0].net_amount is None and taxes[0].rate is not None
        label = writer.word_with_rate("tax_within", self._percent(taxes[0].rate or Decimal(0)) if shows_rate else "")
        return _Line(label, [writer.money(tax, "total_tax")], rate="taxes.0.rate" if shows_rate else "")

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
            writer.put(
                line.label_runs(writer.style.colon),
                at,
                y_mm,
                align,
                scale,
                line.main,
                room if not close else at - start_mm,
            )
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
                writer.put(line.label_runs(), x_mm + 1, y_mm + 0.2, "l", 0.8, False, step - 2)
                writer.put(line.amount, x_mm + step - 1, y_mm + pitch, "r", 1.0, line.main, step - 2)
            y_mm += 2 * pitch + 0.5
        return y_mm + 1

    def _tax_table(self, y_mm: float) -> float:
        """Rate, base and tax again, as some countries require."""
        writer = self.writer
        room = writer.inner_mm * writer.rng.uniform(0.4, 0.6)
        left = writer.left_mm if writer.chance(0.7) else writer.right_mm - room
        column_ends_mm = [left + room * share for share in (0.25, 0.62, 1.0)]
        for key, x_mm in zip(("rate_column", "base_column", "tax_column"), column_ends_mm, strict=True):
            writer.put([(writer.word(key), None)], x_mm, y_mm, "r", 0.9, writer.style.bold_labels, room * 0.33)
        y_mm += writer.pitch()
        writer.rule(y_mm, left, room, 0.15)
        several = len(self.invoice.taxes) > 1
        for at, tax in enumerate(self.invoice.taxes):
            amount = tax.amount if several else self.invoice.total_tax
            if tax.rate is None or tax.net_amount is None or amount is None:
                continue
            cells: tuple[list[TextRun], ...] = (
                [(f"{self._percent(tax.rate)} %", f"taxes.{at}.rate")],
                [writer.money(tax.net_amount, f"taxes.{at}.net_amount", "{}")],
                [writer.money(amount, f"taxes.{at}.amount" if several else "total_tax", "{}")],
            )
            for runs, x_mm in zip(cells, column_ends_mm, strict=True):
                writer.put(runs, x_mm, y_mm, "r", 0.9, room_mm=room * 0.33)
            y_mm += writer.pitch()
        return y_mm
