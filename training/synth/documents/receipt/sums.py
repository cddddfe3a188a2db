"""The sums of a receipt, the taxes set apart, the payments and the card slip.

What the record leaves open but the sums need (rounding, taxes by rate) is worked out from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from training.synth.documents.locales import format_amount, round_to_cents
from training.synth.documents.receipt.printer import Till
from training.synth.typesetting import Runs

_ROUNDING = Decimal("0.05")
_SMALL_TAX = Decimal("0.20")  # not divided
_BEFORE_TAX = r"^net$|exc|ex\.|ht\b|netto|base|imponib|ilíquido|before tax|net sales"
_RATES = (
    "SR @ {}%", "S = {}%", "SR (@ {}%)", "SR {}%", "{}%", "A {}%", "A {},00%", "{}.00", "{}", "SR     {}", "{}% SR",
)  # fmt: skip
_NUMBERS = (
    "{n8}", "************{d4}", "XXXX{d4}", "A00000000{d5}", "{d6}", "{n6}", "VISA", "Chip", "XXXXXXXXXXXX{d4}",
)  # fmt: skip
_GRATUITIES = (
    "{0}% = {1}", "{0}%   ${1}", "{0}% Tip: {1}", "{0}%: (Tip ${1} Total ${2})", "{0}% {1} = {2}", "({0}%) ${1}",
)  # fmt: skip
_RATES_OF_SEVERAL = ("{0} {1}%", "{0} {1}%", "{0} {1},0%", "{0}={1}%", "{0} {1}.00", "{1}%", "{1},00 %", "{0}")
_COLUMNS = (("net", "tax"), ("net", "tax", "gross"), ("tax", "net", "gross"), ("gross", "net", "tax"))
_PLACES = {  # of a rate and what stands behind it: share of the inner width, alignment
    2: (((0.0, "l"), (0.62, "r"), (0.95, "r")), ((0.05, "l"), (0.5, "r"), (0.8, "r"))),
    3: (
        ((0.0, "l"), (0.48, "r"), (0.72, "r"), (1.0, "r")),
        ((0.0, "l"), (0.42, "r"), (0.66, "r"), (0.92, "r")),
    ),
}
_ALL_TAX = r"tota|summe|payable"
_PART_SUM = r"sub|zw\.|zwischen|s/total|ss-total|parz"


class Sums:
    """Prints the sums of one receipt."""

    def __init__(self, till: Till) -> None:
        self.till = till
        self.press = till.press
        self.receipt = till.receipt
        self.tax_added = self._tax_is_added()

    def print(self) -> None:
        """From the subtotal to the change."""
        till, receipt = self.till, self.receipt
        if receipt.line_items and till.chance(0.22):
            self._count()
        self._parts()
        self._total()
        tax_below = not self.tax_added and till.chance(0.5)
        if tax_below:
            self._tax("tax")
        if till.chance(0.25):
            self.press.feed(0.5)
        self._payments()
        if not self.tax_added and not tax_below:
            self._tax("included")
        if receipt.line_items and till.chance(0.2):
            self._count()
        if till.chance(0.06):
            till.sum_line(till.word("savings"), till.money(Decimal(till.rng.randint(0, 900)) / 100, None))
        if till.chance(0.25 if receipt.total_tax is None else 0.4):
            self._tax_table()

    def _parts(self) -> None:
        till, receipt = self.till, self.receipt
        rest, discount = self._rest(), receipt.discount or Decimal(0)
        discounted = abs(rest) < abs(rest + discount)  # the subtotal is less the discount already
        before_tax = bool(receipt.total_tax) and receipt.subtotal != receipt.total
        avoid = "" if before_tax and (self.tax_added or receipt.discount is None) else _BEFORE_TAX
        if discounted:
            if receipt.subtotal is not None and receipt.discount and till.chance(0.2):
                till.sum_line(till.word("subtotal", avoid), till.money(receipt.subtotal + receipt.discount, None))
            self._discount()
        if receipt.subtotal is not None:
            till.sum_line(till.word("subtotal", avoid), till.money(receipt.subtotal, "subtotal"))
        parts = [self._tip] if discounted else [self._discount, self._tip]
        if self.tax_added:
            parts.insert(till.rng.choice((0, 1, 2, 2, 2)), lambda: self._tax("tax"))
        for part in parts:
            part()
        self._gap(rest if discounted else rest + discount)

    def _tax_is_added(self) -> bool:
        """Whether the subtotal is before tax. Where the record does not tell, as the country's tills do."""
        receipt = self.receipt
        if receipt.total is None or receipt.subtotal is None or not receipt.total_tax:
            return receipt.total_tax is not None and self.till.locale.tax_added > 0.5
        rest = receipt.total - (receipt.tip or Decimal(0)) - receipt.subtotal
        less = receipt.discount or Decimal(0)
        with_tax = min(abs(rest - receipt.total_tax), abs(rest - receipt.total_tax + less))
        return with_tax <= min(abs(rest), abs(rest + less))

    def _rest(self) -> Decimal:
        """What the total has more than subtotal, tax and tip: the discount, rounding, taxes shown by rate."""
        receipt = self.receipt
        if receipt.total is None or receipt.subtotal is None:
            rounding = Decimal(self.till.rng.choice(("0.00", "0.00", "0.02", "-0.01", "0.01", "-0.02")))
            return rounding - (receipt.discount or Decimal(0))
        tax = (receipt.total_tax or Decimal(0)) if self.tax_added else Decimal(0)
        return receipt.total - receipt.subtotal - tax - (receipt.tip or Decimal(0))

    def _gap(self, gap: Decimal) -> None:
        till, total = self.till, self.receipt.total
        if total is None:
            return
        if abs(gap) > _ROUNDING:
            first = round_to_cents(gap * Decimal(till.rng.choice(("0.5", "0.7", "0.8"))))
            for part in (first, gap - first):
                label = till.word("tax_part") if till.american else till.word("tax", _ALL_TAX)
                till.sum_line(label, till.money(part, None))
        elif till.chance(0.85 if till.locale.code in ("MY", "SG") else 0.25 if gap else 0.02):
            if till.chance(0.55):
                before = total - gap
                label = till.word("pretotal", _PART_SUM)
                till.sum_line(label, till.money(before, till.same(before, "total")))
            amount = till.money(abs(gap), None)
            till.sum_line(till.word("rounding"), [("-", None), *amount] if gap < 0 else amount)

    def _discount(self) -> None:
        if self.receipt.discount is not None:
            off = self.till.taken_off(self.receipt.discount, "discount")
            self.till.sum_line(self.till.word("discount"), off)

    def _tip(self) -> None:
        if self.receipt.tip is not None:
            self.till.sum_line(self.till.word("tip"), self.till.money(self.receipt.tip, "tip"))

    def _tax(self, key: str) -> None:
        tax = self.receipt.total_tax
        if tax is None:
            return
        in_parts = key == "tax" and self.till.american and tax > _SMALL_TAX and self.till.chance(0.08)
        if in_parts:
            self._tax_parts(tax)
        self.till.sum_line(self.till.word("tax_whole" if in_parts else key), self.till.money(tax, "total_tax"))

    def _tax_parts(self, tax: Decimal) -> None:
        """The taxes of states, towns and drinks that make up the tax; only one that is all of it is the field."""
        till = self.till
        shares = [till.rng.choice((0.0, till.rng.uniform(0.1, 1.0))) for _ in range(till.rng.randint(1, 3))]
        labels = till.rng.sample(till.words["tax_part"], len(shares) + 1)
        for label, part in zip(labels, _divided(tax, [till.rng.uniform(0.5, 1.0), *shares]), strict=True):
            till.sum_line(till.fill(label), till.money(part, till.same(part, "total_tax")))

    def _total(self) -> None:
        till, total = self.till, self.receipt.total
        if total is None:
            return
        if till.chance(0.2):
            till.rule()
        template = None if till.chance(0.7) else till.rng.choice(till.locale.money)
        label = till.word("total")
        if till.chance(0.03):
            label += f" ({max(1, len(self.receipt.line_items))})"
        till.sum_line(label, till.money(total, "total", template), big=till.chance(0.35))
        if till.chance(0.1):
            till.sum_line(till.word("total"), till.money(total, "total", template))

    def _payments(self) -> None:
        till = self.till
        for at, payment in enumerate(self.receipt.payments):
            method = payment.method or till.word("paid")
            field = f"payments.{at}.method" if payment.method else None
            if payment.amount is None:
                self.press.left([(till.label("paid"), None), (method, field)])
                continue
            amount = till.money(payment.amount, f"payments.{at}.amount")
            if till.chance(0.03):
                amount.insert(0, ("-", None))
            till.sum_line(method, amount, field)
        if self.receipt.change is not None:
            amount = till.money(self.receipt.change, "change")
            till.sum_line(till.word("change"), [("-", None), *amount] if till.chance(0.04) else amount)

    def _count(self) -> None:
        """How many things were bought, sometimes with their sum."""
        till = self.till
        count = len(self.receipt.line_items) if till.chance(0.6) else till.rng.randint(1, 30)
        if till.chance(0.5):
            till.sum_line(till.word("items_sold"), [(str(count), None)])
            return
        left: Runs = [(" " * till.rng.choice((0, 0, 3)), None), (till.label("items_sold"), None), (str(count), None)]
        total = self.receipt.subtotal if self.receipt.subtotal is not None else self.receipt.total
        if total is None or till.chance(0.7):
            self.press.left(left)
        else:
            self.press.spread(left, till.money(total, till.same(total, "subtotal", "total")))

    def _tax_table(self) -> None:
        """What tax law asks for: the tax of each rate, what it is of, and perhaps both together."""
        till, receipt = self.till, self.receipt
        parts = self._by_rate()
        if not parts or receipt.total is None:
            return
        till.rule()
        if till.chance(0.7):
            self.press.left([(till.word("summary"), None)], indent=till.rng.choice((0, 4)))
        columns = till.rng.choice(_COLUMNS[1:] if till.chance(0.6 if len(parts) > 1 else 0.35) else _COLUMNS[:1])
        places = till.rng.choice(_PLACES[len(columns)])
        name = till.rng.choice(till.words["tax_name"])
        heads = {"net": till.word("net")[:12], "tax": name, "gross": till.word("gross")[:10]}
        self._table_row([f"{name} %", *(heads[column] for column in columns)], places)
        if len(parts) == 1 and till.chance(0.3):
            zero = Decimal("0.00")
            parts.append(_Part(till.rng.choice(("ZR @ 0%", "ZRL 0", "Z 0%", "B 0%", "0.00%")), zero, zero))
        for part in parts:
            self._taxed(part, columns, places)
        if receipt.total_tax is not None and till.chance(0.35):
            head = till.rng.choice(("Total", "TOTAL :", "Total:", "TAX TOTAL:"))
            self._taxed(_Part(head, receipt.total - receipt.total_tax, receipt.total_tax), columns, places)

    def _by_rate(self) -> list["_Part"]:
        """What of the total is taxed at which rate. Where the receipt names no tax, several rates or none at all."""
        till, total, tax = self.till, self.receipt.total, self.receipt.total_tax
        if total is None or total <= 0:
            return []
        rates = [rate for rate in dict.fromkeys(till.locale.tax_rates) if float(rate)]
        if len(rates) < 2 or (tax is not None and till.chance(0.65)):
            return [] if tax is None else [_Part(till.rng.choice(_RATES).format(till.rate), total - tax, tax)]
        chosen = till.rng.sample(rates, 2 if len(rates) == 2 or till.chance(0.85) else 3)
        shares = [till.rng.uniform(0.1, 1.0) for _ in chosen]
        grosses = _divided(total, shares)
        owed = [gross - gross / (1 + Decimal(rate) / 100) for gross, rate in zip(grosses, chosen, strict=True)]
        taxes = (
            [round_to_cents(part) for part in owed] if tax is None else _divided(tax, [float(part) for part in owed])
        )
        form, letters = till.rng.choice(_RATES_OF_SEVERAL), till.rng.choice(("ABC", "BCA", "12", "EVX", "129"))
        return [
            _Part(form.format(letters[at % len(letters)], rate), gross - part, part)
            for at, (rate, gross, part) in enumerate(zip(chosen, grosses, taxes, strict=True))
        ]

    def _taxed(self, part: "_Part", columns: Sequence[str], places: Sequence[tuple[float, str]]) -> None:
        """A row of the table of taxes; all that was bought, and its tax, are fields wherever they stand."""
        till, receipt = self.till, self.receipt
        whole = part.tax == receipt.total_tax and part.net + part.tax == receipt.total
        fields = {"net": till.same(part.net, "subtotal"), "tax": "total_tax", "gross": "total"} if whole else {}
        amounts = {"net": part.net, "tax": part.tax, "gross": part.net + part.tax}
        self._table_row(
            [part.head, *(till.money(amounts[column], fields.get(column), "{}") for column in columns)], places
        )

    def _table_row(self, cells: Sequence[str | Runs], places: Sequence[tuple[float, str]]) -> None:
        runs: list[Runs] = [[(cell, None)] if isinstance(cell, str) else cell for cell in cells]
        self.press.cells([(part, share, align) for part, (share, align) in zip(runs, places, strict=True)])


@dataclass(frozen=True)
class _Part:
    """What is taxed at one rate."""

    head: str
    net: Decimal
    tax: Decimal


def _divided(whole: Decimal, shares: Sequence[float]) -> list[Decimal]:
    """In proportion to the shares, each to the cent; the last takes what is left."""
    unit = whole / Decimal(sum(shares))
    parts = [round_to_cents(unit * Decimal(share)) for share in shares[:-1]]
    return [*parts, whole - sum(parts, Decimal(0))]


class Slip:
    """Prints what a card terminal adds, and what a guest is asked for."""

    def __init__(self, till: Till) -> None:
        self.till = till
        self.press = till.press

    def print(self) -> None:
        """Whatever fits this receipt: a card slip, suggested gratuities, lines to fill in by hand."""
        till, receipt = self.till, self.till.receipt
        total, code = receipt.total, till.locale.code
        if total is None:
            return
        if (not receipt.payments or receipt.change is None) and till.chance(0.3):
            self._card(total)
        if till.american and receipt.tip is None and till.chance(0.25):
            self._gratuities(total)
        if code in ("US", "CA", "GB", "DE") and receipt.tip is None and till.chance(0.12):
            for key in ("tip_line", "total", "signature"):
                self.press.feed(0.5)
                self.press.left([(till.label(key) + "_" * till.rng.randint(6, 14), None)])

    def _card(self, total: Decimal) -> None:
        till = self.till
        till.rule()
        if till.chance(0.5):
            till.say("copy")
        rows: list[tuple[str, Runs]] = [
            (till.word("slip"), [(till.fill(till.rng.choice(_NUMBERS)), None)]) for _ in range(till.rng.randint(0, 5))
        ]
        rows.append(
            (till.word("approval"), [(till.fill(till.rng.choice(("{d6}", "{n6}", "{letter}{d5}", "{d12}"))), None)])
        )
        if till.chance(0.6):
            rows.append((till.word("amount"), till.money(total, "total", till.rng.choice(till.locale.money))))
        if till.chance(0.25) and till.receipt.transaction_date is not None:
            rows.append((till.word("date"), [till.value("transaction_date")]))
        till.rng.shuffle(rows)
        spread = till.chance(0.5)
        for label, runs in rows:
            if spread:
                till.sum_line(label, runs)
            else:
                self.press.left([(till.labelled(label), None), *runs])
        if till.chance(0.3):
            self.press.centre(till.money(total, "total", till.locale.money[-1]), scale=1.4)
        if till.chance(0.6):
            till.say("approved")

    def _gratuities(self, total: Decimal) -> None:
        till = self.till
        till.say("gratuity")
        form = till.rng.choice(_GRATUITIES)
        for percent in till.rng.choice(((15, 18, 20), (18, 20, 22), (20, 18, 15), (18, 20, 25), (15, 20))):
            tip = round_to_cents(total * percent / 100)
            till.text(form.format(percent, format_amount(tip), format_amount(total + tip)))
