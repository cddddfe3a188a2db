"""Prints text in the style of one vendor: the words of its country, its habits and its page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from random import Random

from docextract.documents.invoice import Invoice
from training.synth.documents.grammar import expand
from training.synth.documents.invoice.markets import Separators, format_number
from training.synth.documents.invoice.parties import market_of
from training.synth.documents.invoice.words import invoice_words
from training.synth.documents.locales import format_date
from training.synth.sheet import BLACK, Box, Face, Ink, Rule
from training.synth.typesetting import LineLayout, TextRun, TextRuns

_SYMBOLS = {
    "EUR": "€", "USD": "$", "GBP": "£", "CHF": "CHF", "CAD": "$", "AUD": "$", "SGD": "S$", "MYR": "RM", "INR": "₹",
    "BRL": "R$", "MXN": "$",
}  # fmt: skip
_ACCENTS: tuple[Ink, ...] = (
    (24, 60, 120), (30, 90, 160), (160, 30, 40), (20, 110, 80), (200, 90, 20), (70, 70, 80), (110, 40, 110),
    (0, 120, 140), (60, 60, 60), (30, 30, 60), (140, 110, 40), (0, 80, 60),
)  # fmt: skip
_MIN_WIDTH_SCALE = 0.5  # smallest width factor of letters


@dataclass(frozen=True)
class InvoiceStyle:
    """Typographic habits of one vendor, the same on the whole invoice."""

    upper: bool  # labels in capitals
    bold_labels: bool
    colon: str
    money: str  # template of totals
    item_money: str  # template of the amounts in the table
    separators: Separators
    date: str
    deduction_template: str  # template of an amount that is subtracted
    accent: Ink
    small: float  # scale of small print
    grouped_iban: bool
    currency: str  # in labels


class InvoiceWriter:
    """Writes one invoice; all parts of the layout print with it. x and y are mm on the sheet.

    field_places: the block that prints each field that may be in several blocks.
    """

    def __init__(self, invoice: Invoice, field_places: Mapping[str, str], rng: Random) -> None:
        self.invoice = invoice
        self.field_places = field_places  # by field
        self.rng = rng
        self.market = market_of(invoice, rng)
        abroad = self.market.language != "en"
        self.language = "en" if abroad and rng.random() < 0.07 else self.market.language
        self.second = invoice_words("en", "GB") if abroad and rng.random() < 0.05 else {}  # labels in two languages
        self.rate = self._tax_rate()
        self.style = self._style()
        self.lists: Mapping[str, Sequence[str]] = {
            **self.market.lists,
            **(invoice_words("en", "GB") if self.language != self.market.language else {}),
            "rate": (self.rate,),
            "percent": (self._discount_percent(),),
            "tax_name": (rng.choice(self.market.tax_names) if self.language == self.market.language else "VAT",),
            "cur": (self.style.currency,),
            "maker": ("the company",),
        }
        self.width_mm, self.height_mm = (215.9, 279.4) if self.market.letter else (210.0, 297.0)
        self.layout = self._choose_layout()
        self.left_mm = self.layout.margin_mm
        self.right_mm = self.width_mm - self.layout.margin_mm

    @property
    def inner_mm(self) -> float:
        """Width between the margins."""
        return self.right_mm - self.left_mm

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.rng.random() < probability

    def prints(self, name: str, place: str) -> bool:
        """Return whether the record has this field and this block is the one that prints it."""
        return getattr(self.invoice, name) is not None and self.field_places.get(name) == place

    def fill(self, template: str, **slots: str) -> str:
        """Fill the slots of a template, those given by name first."""
        lists = {**self.lists, **{name: (text,) for name, text in slots.items()}} if slots else self.lists
        return expand(template, lists, self.rng)  # type: ignore[arg-type]

    def word(self, key: str, **slots: str) -> str:
        """Return one of the words for this key, in the style of labels."""
        text = self.fill(self.rng.choice(self.lists[key]), **slots)
        if key in self.second and len(text) < 14:
            text += " / " + self.fill(self.rng.choice(self.second[key]), **slots)
        return text.upper() if self.style.upper else text

    def word_with_rate(self, key: str, rate: str) -> str:
        """Return a word for this key that shows the tax rate, percent; one without a rate if it is empty."""
        unfit = ("{rate},", "{rate}.") if not rate.isdigit() else ()  # "2,6,00 %"
        suitable = [
            word
            for word in self.lists[key]
            if ("{rate}" in word) == bool(rate) and not any(part in word for part in unfit)
        ]
        text = self.fill(self.rng.choice(suitable or ["{tax_name} {rate}%" if rate else "{tax_name}"]), rate=rate)
        return text.upper() if self.style.upper else text

    @property
    def decimal_point(self) -> str:
        """In tax rates."""
        return "," if self.market.separators[0] in ("1.234,56", "1 234,56") else "."

    def label(self, key: str) -> str:
        """Return a word for this key with the colon of the style, ready for its value."""
        return self.labelled(self.word(key))

    def labelled(self, text: str) -> str:
        """Return the text with the colon of the style, ready for its value."""
        if text.endswith((":", "#")):
            return text + " "
        return text + self.style.colon + " "

    def money(self, amount: Decimal, field: str | None, template: str | None = None) -> TextRun:
        """Return an amount as a run of the field."""
        text = format_number(amount, self.style.separators)
        return ((template or self.style.money).format(text), field)

    def deduction(self, amount: Decimal, field: str | None) -> list[TextRun]:
        """Return an amount that is subtracted. The sign is not part of the value: a discount is positive."""
        before, _, after = self.style.deduction_template.partition("{}")
        return [run for run in ((before, None), self.money(amount, field), (after, None)) if run[0]]

    def day(self, day: date, field: str | None = None) -> TextRun:
        """Return a date as a run of the field."""
        return (format_date(day, self.style.date, self.language), field)

    def value(self, name: str) -> list[TextRun]:
        """Return a single field as it is printed; nothing when the record does not have it."""
        value = getattr(self.invoice, name)
        if value is None:
            return []
        if isinstance(value, date):
            return [self.day(value, name)]
        if isinstance(value, Decimal):
            return [self.money(value, name)]
        if name == "iban" and self.style.grouped_iban:
            return [(" ".join(value[at : at + 4] for at in range(0, len(value), 4)), name)]
        return [(value, name)]

    @property
    def is_credit_note(self) -> bool:
        """Whether the record is a credit note."""
        return self.invoice.kind == "credit_note"

    def service_period(self) -> list[TextRun]:
        """Return the first and the last day of the service."""
        between = self.rng.choice((" - ", " – ", " – ", "-", " / "))
        return [*self.value("service_period_start"), (between, None), *self.value("service_period_end")]

    def matching_field(self, amount: Decimal, *names: str) -> str | None:
        """Return the first of these fields that has exactly this amount, or None."""
        return next((name for name in names if getattr(self.invoice, name) == amount), None)

    # --- typesetting ------------------------------------------------------------------------------------------

    def pitch(self, scale: float = 1.0) -> float:
        """Return the distance of lines, mm."""
        return self.layout.line_mm * self.layout.leading * scale

    def span(self, runs: TextRuns, scale: float = 1.0) -> float:
        """Return the width of runs, mm."""
        return self.layout.span(runs, scale)

    def put(
        self, runs: TextRuns, x_mm: float, y_mm: float, align: str = "l", scale: float = 1.0, bold: bool = False,
        room_mm: float | None = None, ink: Ink | None = None, face: Face | None = None, inverse: bool = False,
    ) -> None:  # fmt: skip
        """Set runs at x: their left end ("l"), right end ("r") or centre ("c").

        room_mm: wider runs are narrowed to it.
        """
        width = self.span(runs, scale)
        narrow = min(1.0, max(room_mm / width, _MIN_WIDTH_SCALE)) if room_mm is not None and width > 0 else 1.0
        start = x_mm - {"l": 0.0, "r": width, "c": width / 2}[align] * narrow
        layout, usual = self.layout, self.layout.ink
        layout.y_mm, layout.ink = y_mm, ink or usual
        layout.put(runs, start, scale * narrow, scale, bold, inverse, face=face)
        layout.ink = usual

    def lines(
        self, rows: Sequence[TextRuns], x_mm: float, y_mm: float, align: str = "l", scale: float = 1.0,
        room_mm: float | None = None, bold: bool = False, ink: Ink | None = None,
    ) -> float:  # fmt: skip
        """Set rows below each other; returns the y of the next one."""
        for runs in rows:
            self.put(runs, x_mm, y_mm, align, scale, bold, room_mm, ink)
            y_mm += self.pitch(scale)
        return y_mm

    def wrapped(self, text: str, room_mm: float, scale: float = 1.0) -> list[str]:
        """Break a text at its spaces into lines that fit."""
        lines: list[str] = []
        width, space = 0.0, self.layout.measure(" ", scale)
        for word in text.split():
            size = self.layout.measure(word, scale)
            if lines and width + space + size <= room_mm:
                lines[-1] += " " + word
                width += space + size
            else:
                lines.append(word)
                width = size
        return lines

    def paragraph(self, text: str, field: str | None, x_mm: float, y_mm: float, room_mm: float, align: str = "l",
                  scale: float = 1.0, bold: bool = False, ink: Ink | None = None) -> float:  # fmt: skip
        """Set a wrapped text, all of it one field or none; returns the y of the next line."""
        rows = [[(line, field)] for line in self.wrapped(text, room_mm, scale)]
        return self.lines(rows, x_mm, y_mm, align, scale, room_mm, bold, ink)

    def rule(self, y_mm: float, x_mm: float | None = None, length_mm: float | None = None, thickness_mm: float = 0.25,
             ink: Ink | None = None) -> None:  # fmt: skip
        """Draw a horizontal line; between the margins when no place is given."""
        start = self.left_mm if x_mm is None else x_mm
        length = self.inner_mm if length_mm is None else length_mm
        self.layout.marks.append(Rule(start, y_mm, length, thickness_mm, ink=ink or self.layout.ink))

    def vertical_rule(self, x_mm: float, y_mm: float, length_mm: float) -> None:
        """Draw a vertical line."""
        self.layout.marks.append(Rule(x_mm, y_mm, length_mm, 0.2, vertical=True, ink=self.layout.ink))

    def box(self, x_mm: float, y_mm: float, width_mm: float, height_mm: float, ink: Ink | None = None) -> None:
        """Draw an outline, or with an ink a filled band."""
        self.layout.marks.append(Box(x_mm, y_mm, width_mm, height_mm, ink is not None, ink or self.layout.ink))

    def tint(self) -> Ink:
        """Return a light colour that text is readable on."""
        red, green, blue = self.style.accent
        share = self.rng.choice((0.82, 0.88, 0.92))
        return (int(red + (255 - red) * share), int(green + (255 - green) * share), int(blue + (255 - blue) * share))

    # --- style ------------------------------------------------------------------------------------------------

    def _style(self) -> InvoiceStyle:
        rng, market, invoice = self.rng, self.market, self.invoice
        code = invoice.currency or market.locale.currency
        symbol = _SYMBOLS.get(code, code)
        before = (
            market.language == "en" or code in ("BRL", "CHF", "MXN") or (market.language == "nl" and rng.random() < 0.7)
        )
        forms = (
            (f"{symbol}{{}}", f"{symbol} {{}}", f"{code} {{}}")
            if before
            else (f"{{}} {symbol}", f"{{}}{symbol}", f"{{}} {code}")
        )
        form = rng.choice((forms[0], forms[0], forms[1], forms[2])) if len(symbol) == 1 or before else rng.choice(forms)
        if form[0].isalpha() and form[len(symbol)] == "{":  # "CHF100.00" is hard to read
            form = forms[1] if code != "MYR" else form
        plain = rng.random()
        dates = [
            each for each in market.locale.dates if "{day}" not in each and "'" not in each and " {m:02} " not in each
        ]
        named = "{d} {month} {y}" if self.language != "es" else "{d} de {month} de {y}"
        if market.locale.date_order == "DMY" and rng.random() < 0.12:
            dates = [named if self.language != "de" else "{d}. {month} {y}"]
        return InvoiceStyle(
            upper=rng.random() < 0.1,
            bold_labels=rng.random() < 0.3,
            colon=rng.choice((":", ":", ":", "", " :")),
            money="{}" if plain < 0.3 else form,
            item_money=form if plain > 0.72 else "{}",
            separators=rng.choice(market.separators),
            date=rng.choice(dates),
            deduction_template=rng.choice(("-{}", "-{}", "- {}", "({})", "{}", "{}-")),
            accent=BLACK if rng.random() < 0.3 else rng.choice(_ACCENTS),
            small=rng.choice((0.7, 0.75, 0.8, 0.85)),
            grouped_iban=rng.random() < 0.8,
            currency=rng.choice((code, code, symbol)),
        )

    def _choose_layout(self) -> LineLayout:
        """Choose typeface and size; smaller print for invoices with more text."""
        rng = self.rng
        rows = sum(1 + len(item.description or "") // 60 for item in self.invoice.line_items)
        line = rng.uniform(3.3, 4.6) if rows < 10 else rng.uniform(2.9, 4.0) if rows < 18 else rng.uniform(2.6, 3.4)
        face: Face = rng.choices(("sans", "serif", "condensed", "mono", "dot"), (60, 18, 8, 11, 3))[0]
        advance = line * rng.uniform(0.44, 0.52) if face in ("mono", "dot") else 0.0
        margin = rng.uniform(10, 25)
        ink = BLACK if rng.random() < 0.75 else rng.choice(((45, 45, 50), (60, 60, 66), (20, 30, 60), (80, 80, 84)))
        return LineLayout(self.width_mm, margin, line, advance, face, rng.uniform(1.05, 1.4), ink)

    def _tax_rate(self) -> str:
        """The printed tax rate, percent: that of the items, the one that fits the amounts, or a usual one."""
        invoice, rates = self.invoice, self.market.tax_rates
        printed = {item.tax_rate for item in invoice.line_items if item.tax_rate}
        point = self.decimal_point
        if len(printed) == 1:
            return f"{printed.pop().normalize():f}".replace(".", point)
        total, tax = invoice.total, invoice.total_tax
        if total and tax and total > tax:
            percent = float(tax / (total - tax) * 100)
            nearest = min(rates, key=lambda rate: abs(float(rate) - percent))
            return nearest.replace(".", point)
        return self.rng.choice(rates).replace(".", point) if tax is None else "0"

    def _discount_percent(self) -> str:
        """The discount, percent, rounded."""
        invoice = self.invoice
        if not invoice.total_discount or not invoice.subtotal:
            return self.rng.choice(("5", "10"))
        return f"{round(invoice.total_discount / invoice.subtotal * 100)}"
