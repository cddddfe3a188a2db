"""Prints text in the style of one cash register: the words of its country, its habits and its paper."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from docextract.documents.receipt import Receipt
from training.synth.documents.grammar import expand
from training.synth.documents.locales import Locale, format_amount, format_date, format_time, locales, towns
from training.synth.documents.receipt.words import receipt_words
from training.synth.sheet import Face
from training.synth.typesetting import LineLayout, TextRun, TextRuns, wrap

_RULES = "-----==*_.~"


@dataclass(frozen=True)
class ReceiptStyle:
    """Typographic habits of one cash register, the same on the whole receipt."""

    upper: bool  # labels in capitals
    colon: str
    gap: str  # between a label and the value right behind it
    money: str  # template of totals
    separate_symbol: str  # currency symbol in a column of its own; "" for none
    item_money: str  # template of the prices of items
    quantity: str  # format of whole quantities
    tax_codes: tuple[str, ...]  # printed behind prices; () for none
    tax_code_gap: str
    right_edge: float  # where amounts end, share of the inner width
    labels_right: bool  # labels of totals are right before their amounts
    rule: str  # "" for blank space, a character, or "drawn"
    centred: bool
    deduction_template: str  # template of an amount that is subtracted
    date: str
    time: str
    grouped: bool
    no_leading_zero: bool  # .75 rather than 0.75


class ReceiptWriter:
    """Writes one receipt; all parts of the layout print with it."""

    def __init__(self, receipt: Receipt, rng: Random) -> None:
        self.receipt = receipt
        self.rng = rng
        self.locale = locale_of(receipt, rng)
        self.words = receipt_words(self.locale.language, self.locale.code)
        self.lists = {**self.locale.lists, **self.words}
        self.style = self._style()
        self.layout = _choose_layout(self.locale, rng)
        self.rate = self._tax_rate()

    @property
    def north_american(self) -> bool:
        """Whether the receipt is of the United States or Canada."""
        return self.locale.code in ("US", "CA")

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.rng.random() < probability

    def fill(self, template: str) -> str:
        """Fill the slots of a template; {rate} is the tax rate of the receipt."""
        filled = expand(template.replace("{rate}", self.rate), self.lists, self.rng)
        return filled.upper() if self.style.upper else filled

    def word(self, key: str, avoid: str = "") -> str:
        """Return one of the words for this key; none that matches `avoid`, a pattern for lower case."""
        options = self.words[key]
        if avoid:
            options = tuple(option for option in options if not re.search(avoid, option.lower())) or options
        return self.fill(self.rng.choice(options))

    def label(self, key: str) -> str:
        """Return a word for this key with the colon of the style, ready for its value."""
        return self.labelled(self.word(key))

    def labelled(self, text: str) -> str:
        """Return the text with the colon of the style, ready for its value."""
        if text.endswith((":", "#")):
            return text + self.style.gap
        return text + self.style.colon + (self.style.gap if self.style.colon else " ")

    def tax_code(self) -> str:
        """Return the tax code of an item; "" when this cash register prints none."""
        return self.rng.choice(self.style.tax_codes) if self.style.tax_codes else ""

    def money(self, amount: Decimal, field: str | None, template: str | None = None) -> list[TextRun]:
        """Return an amount as runs of the field; the sign of a negative one is part of the run."""
        text = format_amount(amount, self.locale.comma, self.style.grouped)
        if self.style.no_leading_zero:
            text = re.sub(r"^(-?)0(?=\D)", r"\1", text)
        runs: list[TextRun] = [((template or self.style.money).format(text), field)]
        if template is None and self.style.separate_symbol:
            runs.insert(0, (self.style.separate_symbol + " " * max(1, 10 - len(text)), None))
        return runs

    def deduction(self, amount: Decimal, field: str | None) -> list[TextRun]:
        """Return an amount that is subtracted. The sign is not part of the value: a discount is positive."""
        before, _, after = self.style.deduction_template.partition("{}")
        return [(before, None), *self.money(amount, field), (after, None)]

    def matching_field(self, amount: Decimal, *names: str) -> str | None:
        """Return the first of these fields that has exactly this amount, or None."""
        for name in names:
            if getattr(self.receipt, name) == amount:
                return name
        return None

    def value(self, name: str) -> TextRun:
        """Return a single field as it is printed."""
        value = getattr(self.receipt, name)
        if name == "document_date":
            day = format_date(value, self.style.date, self.locale.language)
            return (day.upper() if self.style.upper else day, name)
        if name == "transaction_time":
            return (format_time(value, self.style.time), name)
        return (str(value), name)

    def rule(self) -> None:
        """Print what separates the parts of this receipt: a line, characters or blank space."""
        if self.style.rule == "drawn":
            self.layout.rule(dashed=self.chance(0.5))
        elif self.style.rule:
            self.layout.typed_rule(self.style.rule)
        else:
            self.layout.feed(0.6)

    def print_text(self, line: str) -> None:
        """Print a text that is no field, wrapped to the paper, aligned as header and footer."""
        for part in wrap(line, self.layout.columns):
            self.print_aligned([(part, None)])

    def print_phrase(self, key: str) -> None:
        """Print words for this key that are no field."""
        self.print_text(self.word(key))

    def print_aligned(self, runs: TextRuns, scale: float = 1.0, height: float = 1.0, bold: bool = False) -> None:
        """Print one line, aligned as header and footer."""
        if self.style.centred:
            self.layout.centre(runs, scale, height, bold)
        else:
            self.layout.put(runs, self.layout.margin_mm, scale, height, bold)
            self.layout.feed(max(1.0, height))

    def print_sum(self, label: str, amount: TextRuns, label_field: str | None = None, big: bool = False) -> None:
        """Print a label and its amount on one line. label_field: the field of the label, if it is one."""
        colon = "" if label.endswith(":") or label_field else self.style.colon
        runs: list[TextRun] = [(label, label_field), (colon, None)]
        scale = self.rng.choice((1.2, 1.5, 1.8)) if big else 1.0
        if self.layout.span([*runs, *amount], scale) > self.layout.inner_mm:
            scale = 1.0
        height = scale if self.chance(0.6) else 1.0
        if self.style.labels_right:
            edge = self.layout.margin_mm + self.layout.inner_mm * self.style.right_edge
            room = max(self.layout.span([("000000000", None)], scale), self.layout.span(amount, scale))
            start = self.layout.snap(edge - room - self.layout.measure(" ") - self.layout.span(runs, scale))
            if start >= self.layout.margin_mm:
                self.layout.put(runs, start, scale, height, big)
                self.layout.put(amount, edge - self.layout.span(amount, scale), scale, height, big)
                self.layout.feed(max(1.0, height))
                return
        self.layout.spread(runs, amount, scale, height, bold=big, right_edge=self.style.right_edge)

    def _style(self) -> ReceiptStyle:
        rng, locale = self.rng, self.locale
        items = self.receipt.line_items
        mostly_upper_case = sum((item.description or "").isupper() for item in items) * 2 > len(items)
        asian = locale.code in ("MY", "SG")
        tax_codes = ("SR", "SR", "S", "ZRL", "Z", "T", "*", "*S", "SR*", "TX") if asian else tuple("ABTF1C*NEX")
        plain = rng.random() < 0.55
        dates = [each for each in locale.dates if locale.language == "en" or "{day}" not in each]
        moment = self.receipt.transaction_time
        times_sign = [each for each in locale.clocks if moment is None or not moment.second or "{s" in each]
        symbols = [each.replace("{}", "").strip() for each in locale.money if each.endswith("{}") and each != "{}"]
        apart = rng.choice(symbols) if symbols and rng.random() < 0.07 else ""
        return ReceiptStyle(
            upper=rng.random() < (0.6 if mostly_upper_case else 0.12),
            colon=rng.choice((":", ":", ":", " :", "", "")),
            gap=rng.choice((" ", " ", " ", "", "  ")),
            money="{}" if plain or apart else rng.choice(locale.money),
            separate_symbol=apart,
            item_money="{}" if plain or rng.random() < 0.6 else rng.choice(locale.money),
            quantity=rng.choice(("{:f}", "{:f}", "{:f}", "{:f}", "{:f}", "{:.2f}", "{:.1f}", "{:.3f}")),
            tax_codes=tuple(rng.sample(tax_codes, rng.choice((1, 1, 2, 3)))) if rng.random() < 0.35 else (),
            tax_code_gap=rng.choice((" ", " ", "", "  ")),
            right_edge=rng.choice((1.0, 1.0, 1.0, 0.97, 0.92, 0.86)),
            labels_right=rng.random() < 0.3,
            rule=rng.choice(("", "", "drawn", *_RULES)),
            centred=rng.random() < 0.78,
            deduction_template=rng.choice(("-{}", "-{}", "({})", "{}", "{}", "{}-", "- {}")),
            date=rng.choice(dates),
            time=rng.choice(times_sign or ["{h:02}:{i:02}:{s:02}"]),
            grouped=rng.random() < 0.8,
            no_leading_zero=self.north_american and rng.random() < 0.12,
        )

    def _tax_rate(self) -> str:
        """The printed tax rate, percent: the one that fits the amounts, or a usual one."""
        total, tax = self.receipt.total, self.receipt.total_tax
        rates = self.locale.tax_rates
        if total is None or not tax or total <= tax:
            return self.rng.choice(rates) if tax is None else "0"
        percent = float(tax / (total - tax) * 100)
        return min(rates, key=lambda rate: abs(float(rate) - percent))


def locale_of(receipt: Receipt, rng: Random) -> Locale:
    """Return the locale of a record: by currency, then by the town in its address, otherwise at random."""
    candidates = [locale for locale in locales() if locale.currency == receipt.currency] or list(locales())
    address = (receipt.merchant_address or "").upper()
    if len(candidates) > 1 and address:
        for locale in candidates:
            if any(town in address for town in towns(locale.code)):
                return locale
    return rng.choices(candidates, [locale.weight for locale in candidates])[0]


def _choose_layout(locale: Locale, rng: Random) -> LineLayout:
    """Choose the paper: a roll of 58 or 80 mm, or the sheet of an office printer."""
    office = 9 if locale.code in ("MY", "SG", "IN") else 3
    kind = rng.choices(("mono", "proportional", "narrow", "office"), (66, 16, 12, office))[0]
    leading = rng.uniform(1.02, 1.4)
    if kind == "office":
        width = rng.choice((148.0, 165.0, 210.0))
        face = _face(rng, ("sans", "serif", "condensed"))
        margin = width * rng.uniform(0.05, 0.12)
        return LineLayout(width, margin, rng.uniform(3.2, 4.5), 0.0, face, leading, y_mm=rng.uniform(6, 20))
    width = 57.5 if kind == "narrow" else rng.choice((72.0, 76.0, 80.0, 80.0, 82.5))
    margin, top = rng.uniform(1.5, 5.5), rng.uniform(2, 12)
    if kind == "proportional":
        face = _face(rng, ("sans", "sans", "condensed", "serif"))
        return LineLayout(width, margin, rng.uniform(2.5, 3.8), 0.0, face, leading, y_mm=top)
    narrow, usual = (26, 28, 30, 32, 32), (30, 32, 36, 38, 40, 40, 42, 42, 44, 48, 48, 56)
    columns = rng.choice(narrow if kind == "narrow" else usual)
    advance = (width - 2 * margin) / columns
    face = _face(rng, ("mono", "mono", "mono", "mono", "dot"))
    return LineLayout(width, margin, advance * rng.uniform(1.55, 2.3), advance, face, leading, y_mm=top)


def _face(rng: Random, faces: Sequence[Face]) -> Face:
    return rng.choice(faces)
