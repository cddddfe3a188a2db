"""Lays out the totals of a receipt, the table of taxes, the payments and the card slip.

Amounts that the record does not have but the totals need (rounding, taxes by rate) are computed from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from training.synth.documents.locales import format_amount, round_to_cents
from training.synth.documents.receipt.writer import ReceiptWriter
from training.synth.typesetting import TextRuns

_ROUNDING = Decimal("0.05")
_SMALL_TAX = Decimal("0.20")  # smaller taxes are not divided
_BEFORE_TAX_PATTERN = r"^net$|exc|ex\.|ht\b|netto|base|imponib|ilíquido|before tax|net sales"
_RATE_LABELS = (
    "SR @ {}%", "S = {}%", "SR (@ {}%)", "SR {}%", "{}%", "A {}%", "A {},00%", "{}.00", "{}", "SR     {}", "{}% SR",
)  # fmt: skip
_SLIP_NUMBERS = (
    "{n8}", "************{d4}", "XXXX{d4}", "A00000000{d5}", "{d6}", "{n6}", "VISA", "Chip", "XXXXXXXXXXXX{d4}",
)  # fmt: skip
_GRATUITY_FORMS = (
    "{0}% = {1}", "{0}%   ${1}", "{0}% Tip: {1}", "{0}%: (Tip ${1} Total ${2})", "{0}% {1} = {2}", "({0}%) ${1}",
)  # fmt: skip
_RATE_LABELS_OF_SEVERAL = ("{0} {1}%", "{0} {1}%", "{0} {1},0%", "{0}={1}%", "{0} {1}.00", "{1}%", "{1},00 %", "{0}")
_TAX_TABLE_COLUMNS = (("net", "tax"), ("net", "tax", "gross"), ("tax", "net", "gross"), ("gross", "net", "tax"))
_TAX_TABLE_POSITIONS = {  # of the rate and the columns behind it: share of the inner width, alignment
    2: (((0.0, "l"), (0.62, "r"), (0.95, "r")), ((0.05, "l"), (0.5, "r"), (0.8, "r"))),
    3: (
        ((0.0, "l"), (0.48, "r"), (0.72, "r"), (1.0, "r")),
        ((0.0, "l"), (0.42, "r"), (0.66, "r"), (0.92, "r")),
    ),
}
_WHOLE_TAX_PATTERN = r"tota|summe|payable"
_SUBTOTAL_PATTERN = r"sub|zw\.|zwischen|s/total|ss-total|parz"


class ReceiptTotals:
    """Prints the totals of one receipt."""

    def __init__(self, writer: ReceiptWriter) -> None:
        self.writer = writer
        self.layout = writer.layout
        self.receipt = writer.receipt
        self.tax_added = self._tax_is_added()

    def print(self) -> None:
        """Print everything from the subtotal to the change."""
        writer, receipt = self.writer, self.receipt
        if receipt.line_items and writer.chance(0.22):
            self._count()
        self._parts()
        self._total()
        tax_below = not self.tax_added and writer.chance(0.5)
        if tax_below:
            self._tax("tax")
        if writer.chance(0.25):
            self.layout.feed(0.5)
        self._payments()
        if not self.tax_added and not tax_below:
            self._tax("included")
        if receipt.line_items and writer.chance(0.2):
            self._count()
        if writer.chance(0.06):
            writer.print_sum(writer.word("savings"), writer.money(Decimal(writer.rng.randint(0, 900)) / 100, None))
        if writer.chance(0.25 if receipt.total_tax is None else 0.4):
            self._tax_table()

    def _parts(self) -> None:
        """Subtotal, discount, tip and tax."""
        writer, receipt = self.writer, self.receipt
        rest, discount = self._unexplained_amount(), receipt.total_discount or Decimal(0)
        discounted = abs(rest) < abs(rest + discount)  # the subtotal is after the discount
        before_tax = bool(receipt.total_tax) and receipt.subtotal != receipt.total
        avoid = "" if before_tax and (self.tax_added or receipt.total_discount is None) else _BEFORE_TAX_PATTERN
        if discounted:
            if receipt.subtotal is not None and receipt.total_discount and writer.chance(0.2):
                writer.print_sum(
                    writer.word("subtotal", avoid), writer.money(receipt.subtotal + receipt.total_discount, None)
                )
            self._discount()
        if receipt.subtotal is not None:
            writer.print_sum(writer.word("subtotal", avoid), writer.money(receipt.subtotal, "subtotal"))
        parts = [self._tip] if discounted else [self._discount, self._tip]
        if self.tax_added:
            parts.insert(writer.rng.choice((0, 1, 2, 2, 2)), lambda: self._tax("tax"))
        for part in parts:
            part()
        self._print_unexplained(rest if discounted else rest + discount)

    def _tax_is_added(self) -> bool:
        """Whether the subtotal is before tax; when the record does not show it, what is usual in the country."""
        receipt = self.receipt
        if receipt.total is None or receipt.subtotal is None or not receipt.total_tax:
            return receipt.total_tax is not None and self.writer.locale.tax_added > 0.5
        rest = receipt.total - (receipt.tip or Decimal(0)) - receipt.subtotal
        less = receipt.total_discount or Decimal(0)
        with_tax = min(abs(rest - receipt.total_tax), abs(rest - receipt.total_tax + less))
        return with_tax <= min(abs(rest), abs(rest + less))

    def _unexplained_amount(self) -> Decimal:
        """What the total has beyond subtotal, tax and tip: discount, rounding, taxes by rate."""
        receipt = self.receipt
        if receipt.total is None or receipt.subtotal is None:
            rounding = Decimal(self.writer.rng.choice(("0.00", "0.00", "0.02", "-0.01", "0.01", "-0.02")))
            return rounding - (receipt.total_discount or Decimal(0))
        tax = (receipt.total_tax or Decimal(0)) if self.tax_added else Decimal(0)
        return receipt.total - receipt.subtotal - tax - (receipt.tip or Decimal(0))

    def _print_unexplained(self, gap: Decimal) -> None:
        """Print lines for the amount that no field explains: taxes when it is large, otherwise a rounding."""
        writer, total = self.writer, self.receipt.total
        if total is None:
            return
        if abs(gap) > _ROUNDING:
            first = round_to_cents(gap * Decimal(writer.rng.choice(("0.5", "0.7", "0.8"))))
            for part in (first, gap - first):
                label = writer.word("tax_part") if writer.north_american else writer.word("tax", _WHOLE_TAX_PATTERN)
                writer.print_sum(label, writer.money(part, None))
        elif writer.chance(0.85 if writer.locale.code in ("MY", "SG") else 0.25 if gap else 0.02):
            if writer.chance(0.55):
                before = total - gap
                label = writer.word("pretotal", _SUBTOTAL_PATTERN)
                writer.print_sum(label, writer.money(before, writer.matching_field(before, "total")))
            amount = writer.money(abs(gap), None)
            writer.print_sum(writer.word("rounding"), [("-", None), *amount] if gap < 0 else amount)

    def _discount(self) -> None:
        if self.receipt.total_discount is not None:
            off = self.writer.deduction(self.receipt.total_discount, "total_discount")
            self.writer.print_sum(self.writer.word("discount"), off)

    def _tip(self) -> None:
        if self.receipt.tip is not None:
            self.writer.print_sum(self.writer.word("tip"), self.writer.money(self.receipt.tip, "tip"))

    def _tax(self, key: str) -> None:
        tax = self.receipt.total_tax
        if tax is None:
            return
        in_parts = key == "tax" and self.writer.north_american and tax > _SMALL_TAX and self.writer.chance(0.08)
        if in_parts:
            self._tax_parts(tax)
        self.writer.print_sum(self.writer.word("tax_whole" if in_parts else key), self.writer.money(tax, "total_tax"))

    def _tax_parts(self, tax: Decimal) -> None:
        """State, city and other taxes that make up the tax; a part is the field only when it equals the whole."""
        writer = self.writer
        shares = [writer.rng.choice((0.0, writer.rng.uniform(0.1, 1.0))) for _ in range(writer.rng.randint(1, 3))]
        labels = writer.rng.sample(writer.words["tax_part"], len(shares) + 1)
        for label, part in zip(labels, _divide(tax, [writer.rng.uniform(0.5, 1.0), *shares]), strict=True):
            writer.print_sum(writer.fill(label), writer.money(part, writer.matching_field(part, "total_tax")))

    def _total(self) -> None:
        writer, total = self.writer, self.receipt.total
        if total is None:
            return
        if writer.chance(0.2):
            writer.rule()
        template = None if writer.chance(0.7) else writer.rng.choice(writer.locale.money)
        label = writer.word("total")
        if writer.chance(0.03):
            label += f" ({max(1, len(self.receipt.line_items))})"
        writer.print_sum(label, writer.money(total, "total", template), big=writer.chance(0.35))
        if writer.chance(0.1):
            writer.print_sum(writer.word("total"), writer.money(total, "total", template))

    def _payments(self) -> None:
        writer = self.writer
        for index, payment in enumerate(self.receipt.payments):
            method = payment.method or writer.word("paid")
            field = f"payments.{index}.method" if payment.method else None
            if payment.amount is None:
                self.layout.left([(writer.label("paid"), None), (method, field)])
                continue
            amount = writer.money(payment.amount, f"payments.{index}.amount")
            if writer.chance(0.03):
                amount.insert(0, ("-", None))
            writer.print_sum(method, amount, field)
        if self.receipt.change is not None:
            amount = writer.money(self.receipt.change, "change")
            writer.print_sum(writer.word("change"), [("-", None), *amount] if writer.chance(0.04) else amount)

    def _count(self) -> None:
        """The number of items, on some receipts with their sum."""
        writer = self.writer
        count = len(self.receipt.line_items) if writer.chance(0.6) else writer.rng.randint(1, 30)
        if writer.chance(0.5):
            writer.print_sum(writer.word("items_sold"), [(str(count), None)])
            return
        left: TextRuns = [
            (" " * writer.rng.choice((0, 0, 3)), None),
            (writer.label("items_sold"), None),
            (str(count), None),
        ]
        total = self.receipt.subtotal if self.receipt.subtotal is not None else self.receipt.total
        if total is None or writer.chance(0.7):
            self.layout.left(left)
        else:
            self.layout.spread(left, writer.money(total, writer.matching_field(total, "subtotal", "total")))

    def _tax_table(self) -> None:
        """The table that tax law requires: the tax of each rate, its base, and on some receipts their sum."""
        writer, receipt = self.writer, self.receipt
        parts = self._by_rate()
        if not parts or receipt.total is None:
            return
        writer.rule()
        if writer.chance(0.7):
            self.layout.left([(writer.word("summary"), None)], indent=writer.rng.choice((0, 4)))
        columns = writer.rng.choice(
            _TAX_TABLE_COLUMNS[1:] if writer.chance(0.6 if len(parts) > 1 else 0.35) else _TAX_TABLE_COLUMNS[:1]
        )
        places = writer.rng.choice(_TAX_TABLE_POSITIONS[len(columns)])
        name = writer.rng.choice(writer.words["tax_name"])
        heads = {"net": writer.word("net")[:12], "tax": name, "gross": writer.word("gross")[:10]}
        self._table_row([f"{name} %", *(heads[column] for column in columns)], places)
        if len(parts) == 1 and writer.chance(0.3):
            zero = Decimal("0.00")
            parts.append(_TaxedPart(writer.rng.choice(("ZR @ 0%", "ZRL 0", "Z 0%", "B 0%", "0.00%")), zero, zero))
        for part in parts:
            self._tax_row(part, columns, places)
        if receipt.total_tax is not None and writer.chance(0.35):
            head = writer.rng.choice(("Total", "TOTAL :", "Total:", "TAX TOTAL:"))
            self._tax_row(_TaxedPart(head, receipt.total - receipt.total_tax, receipt.total_tax), columns, places)

    def _by_rate(self) -> list["_TaxedPart"]:
        """What part of the total is taxed at which rate; for receipts without a tax field several rates or none."""
        writer, total, tax = self.writer, self.receipt.total, self.receipt.total_tax
        if total is None or total <= 0:
            return []
        rates = [rate for rate in dict.fromkeys(writer.locale.tax_rates) if float(rate)]
        if len(rates) < 2 or (tax is not None and writer.chance(0.65)):
            return (
                []
                if tax is None
                else [_TaxedPart(writer.rng.choice(_RATE_LABELS).format(writer.rate), total - tax, tax)]
            )
        chosen = writer.rng.sample(rates, 2 if len(rates) == 2 or writer.chance(0.85) else 3)
        shares = [writer.rng.uniform(0.1, 1.0) for _ in chosen]
        grosses = _divide(total, shares)
        owed = [gross - gross / (1 + Decimal(rate) / 100) for gross, rate in zip(grosses, chosen, strict=True)]
        taxes = [round_to_cents(part) for part in owed] if tax is None else _divide(tax, [float(part) for part in owed])
        form, tax_codes = (
            writer.rng.choice(_RATE_LABELS_OF_SEVERAL),
            writer.rng.choice(("ABC", "BCA", "12", "EVX", "129")),
        )
        return [
            _TaxedPart(form.format(tax_codes[index % len(tax_codes)], rate), gross - part, part)
            for index, (rate, gross, part) in enumerate(zip(chosen, grosses, taxes, strict=True))
        ]

    def _tax_row(self, part: "_TaxedPart", columns: Sequence[str], places: Sequence[tuple[float, str]]) -> None:
        """A row of the tax table; total, tax and their difference are fields wherever they are printed."""
        writer, receipt = self.writer, self.receipt
        whole = part.tax == receipt.total_tax and part.net + part.tax == receipt.total
        fields = (
            {"net": writer.matching_field(part.net, "subtotal"), "tax": "total_tax", "gross": "total"} if whole else {}
        )
        amounts = {"net": part.net, "tax": part.tax, "gross": part.net + part.tax}
        self._table_row(
            [part.head, *(writer.money(amounts[column], fields.get(column), "{}") for column in columns)], places
        )

    def _table_row(self, cells: Sequence[str | TextRuns], places: Sequence[tuple[float, str]]) -> None:
        """One row of the tax table."""
        runs: list[TextRuns] = [[(cell, None)] if isinstance(cell, str) else cell for cell in cells]
        self.layout.table_row([(part, share, align) for part, (share, align) in zip(runs, places, strict=True)])


@dataclass(frozen=True)
class _TaxedPart:
    """What is taxed at one rate."""

    head: str
    net: Decimal
    tax: Decimal


def _divide(whole: Decimal, shares: Sequence[float]) -> list[Decimal]:
    """Divide an amount in proportion to the shares, rounded to cents; the last part is the remainder."""
    unit = whole / Decimal(sum(shares))
    parts = [round_to_cents(unit * Decimal(share)) for share in shares[:-1]]
    return [*parts, whole - sum(parts, Decimal(0))]


class CardSlip:
    """Prints the lines of a card terminal and the requests to guests."""

    def __init__(self, writer: ReceiptWriter) -> None:
        self.writer = writer
        self.layout = writer.layout

    def print(self) -> None:
        """Print what fits this receipt: a card slip, suggested gratuities, lines to fill in by hand."""
        writer, receipt = self.writer, self.writer.receipt
        total, code = receipt.total, writer.locale.code
        if total is None:
            return
        if (not receipt.payments or receipt.change is None) and writer.chance(0.3):
            self._card(total)
        if writer.north_american and receipt.tip is None and writer.chance(0.25):
            self._gratuities(total)
        if code in ("US", "CA", "GB", "DE") and receipt.tip is None and writer.chance(0.12):
            for key in ("tip_line", "total", "signature"):
                self.layout.feed(0.5)
                self.layout.left([(writer.label(key) + "_" * writer.rng.randint(6, 14), None)])

    def _card(self, total: Decimal) -> None:
        writer = self.writer
        writer.rule()
        if writer.chance(0.5):
            writer.print_phrase("copy")
        rows: list[tuple[str, TextRuns]] = [
            (writer.word("slip"), [(writer.fill(writer.rng.choice(_SLIP_NUMBERS)), None)])
            for _ in range(writer.rng.randint(0, 5))
        ]
        rows.append(
            (
                writer.word("approval"),
                [(writer.fill(writer.rng.choice(("{d6}", "{n6}", "{letter}{d5}", "{d12}"))), None)],
            )
        )
        if writer.chance(0.6):
            rows.append((writer.word("amount"), writer.money(total, "total", writer.rng.choice(writer.locale.money))))
        if writer.chance(0.25) and writer.receipt.document_date is not None:
            rows.append((writer.word("date"), [writer.value("document_date")]))
        writer.rng.shuffle(rows)
        spread = writer.chance(0.5)
        for label, runs in rows:
            if spread:
                writer.print_sum(label, runs)
            else:
                self.layout.left([(writer.labelled(label), None), *runs])
        if writer.chance(0.3):
            self.layout.centre(writer.money(total, "total", writer.locale.money[-1]), scale=1.4)
        if writer.chance(0.6):
            writer.print_phrase("approved")

    def _gratuities(self, total: Decimal) -> None:
        writer = self.writer
        writer.print_phrase("gratuity")
        form = writer.rng.choice(_GRATUITY_FORMS)
        for percent in writer.rng.choice(((15, 18, 20), (18, 20, 22), (20, 18, 15), (18, 20, 25), (15, 20))):
            tip = round_to_cents(total * percent / 100)
            writer.print_text(form.format(percent, format_amount(tip), format_amount(total + tip)))
