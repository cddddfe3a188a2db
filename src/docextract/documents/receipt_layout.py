"""Print a receipt: the ways tills lay out the same values, with all that stands around them.

What is not in the record but must be printed for the sums to make sense (rounding, taxes shown apart) is
worked out from the record; what is merely around (greetings, cashiers, slips) is made up.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from docextract.documents.grammar import expand
from docextract.documents.locales import Locale, locales, print_amount, print_date, print_time, towns
from docextract.documents.receipt_words import words
from docextract.documents.sheet import Sheet
from docextract.documents.typesetting import Carriage, Run, Runs, wrap

if TYPE_CHECKING:
    from docextract.documents.receipt import LineItem, Receipt

_CENT = Decimal("0.01")
_ROUNDING = Decimal("0.05")
_RULES = "-----==*_.~"


@dataclass(frozen=True)
class _Style:
    """The habits of one till, the same all over its receipt."""

    upper: bool  # labels in capitals
    colon: str
    money: str  # template of sums
    item_money: str  # template of items' prices
    letter: str  # tax code behind prices, "" for none
    letter_gap: str
    right_edge: float  # where amounts end, share of the inner width
    labels_right: bool  # labels of sums stand against their amounts
    rule: str  # "" for blank space, a character, or "drawn"
    centred: bool
    minus: str  # template of an amount taken off
    date: str
    time: str
    grouped: bool


def typeset(receipt: "Receipt", rng: Random) -> Sheet:
    """One way to print this record: every field that is not None, each run of it tagged, nothing else tagged."""
    return _Till(receipt, rng).print()


def locale_of(receipt: "Receipt", rng: Random) -> Locale:
    """The country a record speaks of: by currency, then by the town in its address, then by chance."""
    candidates = [locale for locale in locales() if locale.currency == receipt.currency] or list(locales())
    address = (receipt.merchant_address or "").upper()
    if len(candidates) > 1 and address:
        for locale in candidates:
            if any(town in address for town in towns(locale.code)):
                return locale
    return rng.choices(candidates, [locale.weight for locale in candidates])[0]


class _Till:
    """Prints one receipt from top to bottom."""

    def __init__(self, receipt: "Receipt", rng: Random) -> None:
        self.receipt = receipt
        self.rng = rng
        self.locale = locale_of(receipt, rng)
        self.words = words(self.locale.language, self.locale.code)
        self.lists = {**self.locale.lists, **self.words}
        self.style = self._style()
        self.press = self._carriage()
        self.rate = self._tax_rate()

    def print(self) -> Sheet:
        """The whole sheet."""
        late = self._places()
        if self.chance(0.12):
            self._jottings()
        self._header(late)
        self._meta([name for name in ("receipt_number", "transaction_date", "transaction_time") if name not in late])
        self._items()
        self._totals()
        if self.receipt.total_tax is not None and self.chance(0.4):
            self._tax_summary()
        self._slips()
        self._footer(late)
        return self.press.sheet(
            self.rng.uniform(2, 12), self.rng.choice(((250, 250, 248), (246, 245, 240), (252, 252, 252)))
        )

    # Small tools.

    def chance(self, probability: float) -> bool:
        """True that often."""
        return self.rng.random() < probability

    def fill(self, template: str) -> str:
        """Fill a template's slots; {rate} is this receipt's tax rate."""
        filled = expand(template.replace("{rate}", self.rate), self.lists, self.rng)
        return filled.upper() if self.style.upper else filled

    def word(self, key: str) -> str:
        """One of the words for this, in the till's letters."""
        return self.fill(self.rng.choice(self.words[key]))

    def label(self, key: str) -> str:
        """A word with the till's colon and a space behind it."""
        return self._labelled(self.word(key))

    def _labelled(self, text: str) -> str:
        return text + " " if text.endswith((":", "#")) else text + self.style.colon + " "

    def money(self, amount: Decimal, field: str | None, template: str | None = None) -> list[Run]:
        """An amount in the till's form, tagged; the sign of a negative one stands within."""
        text = print_amount(amount, self.locale.comma, self.style.grouped)
        return [((template or self.style.money).format(text), field)]

    def taken_off(self, amount: Decimal, field: str | None) -> list[Run]:
        """An amount that is subtracted. The sign is no part of the value: a discount is positive."""
        before, _, after = self.style.minus.partition("{}")
        return [(before, None), *self.money(amount, field), (after, None)]

    def same(self, amount: Decimal, *names: str) -> str | None:
        """The first of these fields that has this very amount."""
        for name in names:
            if getattr(self.receipt, name) == amount:
                return name
        return None

    def rule(self) -> None:
        """What this till puts between its parts."""
        if self.style.rule == "drawn":
            self.press.rule(dashed=self.chance(0.5))
        elif self.style.rule:
            self.press.typed_rule(self.style.rule)
        else:
            self.press.feed(0.6)

    def text(self, line: str) -> None:
        """A line that is no field, wrapped to the paper, as the till aligns its head and foot."""
        for part in wrap(line, self.press.columns):
            self.headline([(part, None)])

    def _saying(self, key: str) -> None:
        self.text(self.word(key))

    def headline(self, runs: Runs, scale: float = 1.0, height: float = 1.0, bold: bool = False) -> None:
        """One line as the till aligns its head and foot."""
        if self.style.centred:
            self.press.centre(runs, scale, height, bold)
        else:
            self.press.put(runs, self.press.margin_mm, scale, height, bold)
            self.press.feed(max(1.0, height))

    # What the till is like.

    def _style(self) -> _Style:
        rng, locale = self.rng, self.locale
        shouting = sum((item.description or "").isupper() for item in self.receipt.line_items) * 2 > len(
            self.receipt.line_items
        )
        letters = (
            ("SR", "SR", "S", "ZRL", "Z", "T", "*")
            if locale.code in ("MY", "SG")
            else ("A", "B", "T", "F", "1", "C", "*", "N", "TX")
        )
        plain = rng.random() < 0.55
        dates = [template for template in locale.dates if not (locale.language != "en" and "{day}" in template)]
        moment = self.receipt.transaction_time
        times = [template for template in locale.clocks if moment is None or not moment.second or "{s" in template]
        return _Style(
            upper=rng.random() < (0.6 if shouting else 0.12),
            colon=rng.choice((":", ":", ":", " :", "", "", ".")),
            money="{}" if plain else rng.choice(locale.money),
            item_money="{}" if plain or rng.random() < 0.6 else locale.money[rng.randrange(len(locale.money))],
            letter=rng.choice(letters) if rng.random() < 0.35 else "",
            letter_gap=rng.choice((" ", " ", "", "  ")),
            right_edge=rng.choice((1.0, 1.0, 1.0, 0.97, 0.92, 0.86)),
            labels_right=rng.random() < 0.3,
            rule=rng.choice(("", "", "drawn", *_RULES)),
            centred=rng.random() < 0.78,
            minus=rng.choice(("-{}", "-{}", "({})", "{}", "{}", "{}-", "- {}")),
            date=rng.choice(dates),
            time=rng.choice(times or ["{h:02}:{i:02}:{s:02}"]),
            grouped=rng.random() < 0.8,
        )

    def _carriage(self) -> Carriage:
        rng = self.rng
        kind = rng.choices(
            ("mono", "proportional", "narrow", "office"),
            (66, 16, 12, 9 if self.locale.code in ("MY", "SG", "IN") else 3),
        )[0]
        leading = rng.uniform(1.02, 1.4)
        if kind == "office":
            width, line = rng.choice((148.0, 165.0, 210.0)), rng.uniform(3.2, 4.5)
            return Carriage(
                width,
                width * rng.uniform(0.05, 0.12),
                line,
                0.0,
                rng.choice(("sans", "serif", "condensed")),
                leading,
                y_mm=rng.uniform(6, 20),
            )
        width = 57.5 if kind == "narrow" else rng.choice((72.0, 76.0, 80.0, 80.0, 82.5))
        margin = rng.uniform(1.5, 5.5)
        if kind == "proportional":
            return Carriage(
                width,
                margin,
                rng.uniform(2.5, 3.8),
                0.0,
                rng.choice(("sans", "sans", "condensed", "serif")),
                leading,
                y_mm=rng.uniform(2, 12),
            )
        columns = (
            rng.choice((26, 28, 30, 32, 32))
            if kind == "narrow"
            else rng.choice((30, 32, 36, 38, 40, 40, 42, 42, 44, 48, 48, 56))
        )
        advance = (width - 2 * margin) / columns
        face = rng.choices(("mono", "dot", "condensed"), (75, 20, 5))[0]
        return Carriage(
            width,
            margin,
            advance * rng.uniform(1.55, 2.3),
            advance,
            "mono" if face == "condensed" else face,
            leading,
            y_mm=rng.uniform(2, 12),
        )  # type: ignore[arg-type]

    def _tax_rate(self) -> str:
        """The tax rate in percent as printed: what the amounts say, or a usual one."""
        total, tax = self.receipt.total, self.receipt.total_tax
        rates = self.locale.tax_rates
        if total is None or not tax or total <= tax:
            return self.rng.choice(rates) if tax is None else "0"
        percent = float(tax / (total - tax) * 100)
        return min(rates, key=lambda rate: abs(float(rate) - percent))

    def _places(self) -> set[str]:
        """Fields that stand at the foot instead of the head."""
        late = {
            name for name, often in (("merchant_tax_id", 0.15), ("merchant_phone_number", 0.08)) if self.chance(often)
        }
        roll = self.rng.random()
        if roll < 0.2:
            late |= {"transaction_date", "transaction_time", "receipt_number"}
        elif roll < 0.3:
            late |= {"transaction_date", "transaction_time"}
        elif roll < 0.38:
            late.add("receipt_number")
        return late

    # The head.

    def _jottings(self) -> None:
        """What someone wrote or stamped above the print: a name, a claim number."""
        text = self.fill(
            self.rng.choice(("{given} {family}", "{d7}", "{n}-{d7}", "{given}", "{d6}", "{n4}", "{person}"))
        )
        x = self.rng.uniform(0.05, 0.6) * self.press.width_mm
        self.press.put(
            [(text, None)], x, self.rng.choice((1.0, 1.2, 1.5)), face=self.rng.choice(("sans", "serif", None))
        )
        self.press.feed(self.rng.uniform(1.0, 2.5))

    def _header(self, late: set[str]) -> None:
        if self.chance(0.12):
            self._logo()
        for often, key in ((0.1, "document"), (0.14, "welcome"), (0.04, "thanks"), (0.03, "copy"), (0.02, "survey")):
            if self.chance(often):
                self.text(self.word(key))
        if (
            self.locale.code in ("MY", "SG")
            and re.search(r"(?i)BHD|S/B|PTE|ENTERPRISE|TRADING", self.receipt.merchant_name or "")
            and self.chance(0.2)
        ):
            self.text(
                self.fill(self.rng.choice(("{stem} {trade_restaurant}", "{stem}", "{brandish}", "{stem} {trade_cafe}")))
            )
        self._name()
        blocks: list[Callable[[], None]] = [self._address_block]
        contact = [name for name in ("merchant_phone_number", "merchant_tax_id") if name not in late]
        if self.chance(0.15):
            contact.reverse()
        if self.chance(0.1):
            blocks.reverse()
        around = [partial(self._contact, name) for name in contact]
        if around and self.chance(0.12):
            blocks = [*around[:1], *blocks, *around[1:]]
        else:
            blocks = [*blocks, *around]
        for block in blocks:
            block()
        for often, maker in (
            (0.12, self._web),
            (0.07, partial(self._saying, "hours")),
            (0.06, partial(self._saying, "welcome")),
        ):
            if self.chance(often):
                maker()
        if self.chance(0.12):
            self.text(
                self.rng.choice(("({})", "{}", "- {} -")).format(
                    self.fill("{coin} {n3}" if self.chance(0.3) else "{town}")
                )
            )
        self.press.feed(self.rng.choice((0.0, 0.3, 0.6, 1.0)))
        if self.chance(0.5 if self.locale.code in ("MY", "SG", "AU", "IN") else 0.22):
            self.headline(
                [(self.word("document"), None)], bold=self.chance(0.4), scale=self.rng.choice((1.0, 1.0, 1.3))
            )

    def _logo(self) -> None:
        width = self.press.inner_mm * self.rng.uniform(0.2, 0.7)
        self.press.block(width, self.rng.uniform(6, 18), "box")
        if self.chance(0.5):
            self.text(self.fill("{coin}"))

    def _name(self) -> None:
        name = self.receipt.merchant_name
        registration = self.fill("{company_id}") if self.chance(0.75 if self.locale.code == "MY" else 0.15) else None
        if name is None:
            return
        display = self.chance(0.35)
        scale = self.rng.choice((1.25, 1.5, 1.8, 2.0)) if display else 1.0
        height = self.rng.choice((1.0, scale, scale, 2.0)) if display else 1.0
        bold = self.chance(0.4)
        columns = max(int(self.press.columns / scale), 8)
        if self.chance(0.12):
            columns = max(int(columns * 0.6), 10)
        lines = wrap(name, columns)
        for at, line in enumerate(lines):
            runs: list[Run] = [(line, "merchant_name")]
            last = at == len(lines) - 1
            if last and registration and self.chance(0.4) and len(line) + len(registration) < columns:
                runs.append((" " + registration, None))
                registration = None
            self.headline(runs, scale, height, bold)
        if registration:
            self.text(registration)
        if self.locale.code == "MY" and self.chance(0.04):
            self.text(self.fill("Formerly known as"))
            self.text(self.fill("{stem} {trade_grocery} {suffix}"))

    def _address_block(self) -> None:
        if self.receipt.merchant_address is None:
            return
        for line in break_address(self.receipt.merchant_address, self.press.columns, self.locale, self.rng):
            self.headline([(line, "merchant_address")])

    def _contact(self, name: str) -> None:
        value = getattr(self.receipt, name)
        if name == "merchant_tax_id":
            if value is not None:
                label = self._labelled(self.fill(self.rng.choice(self.locale.lists["tax_id_label"])))
                inner: list[Run] = [(label, None), (value, name)]
                self.headline([("(", None), *inner, (")", None)] if self.chance(0.1) else inner)
            return
        runs: list[Run] = []
        if value is not None:
            runs = [(self.label("tel") if self.chance(0.7) else "", None), (value, name)]
        if self.chance(0.25 if self.locale.code == "MY" else 0.08):
            fax: list[Run] = [(self.label("fax"), None), (self.fill("{phone}"), None)]
            if runs and self.chance(0.5) and self.press.span([*runs, *fax]) + 3 < self.press.inner_mm:
                runs += [("  ", None), *fax]
            else:
                self.headline(fax)
        if runs:
            self.headline(runs)

    def _web(self) -> None:
        host = re.sub(r"[^a-z0-9]", "", (self.receipt.merchant_name or "shop").lower())[:16] or "shop"
        end = {"MY": "com.my", "GB": "co.uk", "AU": "com.au", "BR": "com.br"}.get(
            self.locale.code, self.rng.choice(("com", self.locale.code.lower()))
        )
        self.text(
            self.rng.choice(
                (
                    f"www.{host}.{end}",
                    f"www.{host}.{end}",
                    f"info@{host}.{end}",
                    f"Email: {host}@gmail.com",
                    f"https://{host}.{end}",
                )
            )
        )

    # The particulars.

    def value(self, name: str) -> Run:
        """A field of the head, as this till prints it."""
        value = getattr(self.receipt, name)
        if name == "transaction_date":
            day = print_date(value, self.style.date, self.locale.language)
            return (day.upper() if self.style.upper else day, name)
        if name == "transaction_time":
            return (print_time(value, self.style.time), name)
        return (str(value), name)

    def _meta(self, names: Sequence[str]) -> None:
        """Number, date, time, and who served whom where."""
        present = [name for name in names if getattr(self.receipt, name) is not None]
        pairs: list[list[Run]] = []
        glued = {"transaction_date", "transaction_time"} <= set(present) and self.chance(0.6)
        for name in present:
            if name == "transaction_time" and glued:
                continue
            labelled = self.chance(0.75)
            if name == "receipt_number":
                label = self._labelled(self.fill(self.rng.choice(self.locale.lists["receipt_label"])))
            else:
                label = self.label("date" if name == "transaction_date" else "time") if labelled else ""
            runs: list[Run] = [(label, None), self.value(name)]
            if name == "transaction_date" and glued:
                runs += [
                    (self.rng.choice((" ", " ", "  ", " - ", "   ", "/", ", ")), None),
                    self.value("transaction_time"),
                ]
                if self.chance(0.08):
                    runs = [(label, None), self.value("transaction_time"), ("  ", None), self.value("transaction_date")]
            pairs.append(runs)
        for often, key in ((0.5, "cashier"), (0.3, "station"), (0.25, "table"), (0.18, "guests"), (0.05, "member")):
            if self.chance(often):
                made = {"cashier": "{person}", "table": "{n2}", "guests": "{n}", "member": "{n8}"}.get(key, "{d2}")
                pairs.append([(self.label(key), None), (self.fill(made), None)])
        if self.chance(0.1):
            pairs.append([(self.word("kind"), None)])
        if self.chance(0.5):
            self.rng.shuffle(pairs)
        self.rng.choice((self._listed, self._paired, self._paired, self._tabbed, self._centred))(pairs)
        if self.chance(0.1 if self.locale.code == "MY" else 0.02):
            self._bill_to()

    def _listed(self, pairs: Sequence[Runs]) -> None:
        for runs in pairs:
            self.press.left(runs)

    def _centred(self, pairs: Sequence[Runs]) -> None:
        for runs in pairs:
            self.headline(runs)

    def _paired(self, pairs: Sequence[Runs]) -> None:
        for at in range(0, len(pairs), 2):
            self.press.spread(pairs[at], pairs[at + 1] if at + 1 < len(pairs) else [])

    def _tabbed(self, pairs: Sequence[Runs]) -> None:
        """Labels in one column, colons under each other, values behind."""
        longest = max((len(runs[0][0].strip(" :")) for runs in pairs if len(runs) > 1), default=0)
        for runs in pairs:
            if len(runs) == 1:
                self.press.left(runs)
                continue
            label, start = runs[0][0].strip(" :"), self.press.margin_mm
            colon = start + self.press.measure("n") * (longest + 1)
            if label:
                self.press.put([(label, None)], start)
                self.press.put([(":", None)], colon)
            self.press.put(runs[1:], colon + self.press.measure(": "))
            self.press.feed()

    def _bill_to(self) -> None:
        """The customer's name and address: no field of a receipt, though it looks like the merchant's."""
        self.press.left([(self.fill(self.rng.choice(("BILL TO :", "Customer :", "Sold To", "To :"))), None)])
        lists = {**self.lists, "trade": self.lists["trade_services"]}
        for line in (
            expand("{name}", lists, self.rng),
            *wrap(expand("{address}", lists, self.rng), self.press.columns),
        ):
            self.press.left([(line.upper() if self.style.upper else line, None)])

    # The items.

    def _items(self) -> None:
        items = self.receipt.line_items
        if not items:
            self.rule()
            return
        coded = any(item.product_code for item in items)
        priced = any(item.unit_price is not None for item in items)
        choices = [self._plain_row, self._plain_row, self._below_row, self._at_row]
        if priced:
            choices += [self._table_row, self._table_row, self._below_row, self._above_row, self._middle_row]
        if coded:
            choices += [self._code_row, self._code_row, self._stacked_row, self._stacked_row]
        row = self.rng.choice(choices)
        if row == self._table_row and self.press.columns < 34:
            row = self._below_row
        if self.chance(0.6):
            self.rule()
        if row in (self._table_row, self._code_row) or self.chance(0.35):
            self._column_heads(row == self._table_row)
        self.numbered = self.chance(0.06)
        self.quantity_first = self.chance(0.6)
        self.times = self.rng.choice(
            (
                " x ",
                " X ",
                "x",
                "X ",
                " @ ",
                " @",
                " * ",
                "*",
                " x",
                "  ",
                " PC @ ",
                " @ RM " if self.locale.code == "MY" else " x ",
            )
        )
        for at, item in enumerate(items):
            row(at, item)
            if self.chance(0.05):
                self.press.left([(self.word("modifier"), None)], indent=self.rng.choice((2, 4)))
            if self.chance(0.02):
                self.press.left([(self.word("savings_line"), None)], indent=2)
        if self.chance(0.7):
            self.rule()

    def _column_heads(self, table: bool) -> None:
        heads = [self.word(key) for key in ("item", "qty", "price", "amount")]
        if table:
            self.press.cells(
                [([(head, None)], share, align) for head, (share, align) in zip(heads, self._columns(), strict=True)],
                bold=self.chance(0.3),
            )
        else:
            left = self.rng.choice((heads[0], f"{heads[1]} {heads[0]}", f"{heads[0]}   {heads[1]}"))
            self.press.spread([(left, None)], [(heads[3], None)])
        self.rule()

    def _columns(self) -> tuple[tuple[float, str], ...]:
        """Places of description, quantity, unit price and amount."""
        return (
            (0.0, "l"),
            (0.60, "r"),
            (0.78, "r"),
            (self.style.right_edge - (0.06 if self.style.letter else 0.0), "r"),
        )

    def _leaf(self, at: int, item: "LineItem", leaf: str) -> list[Run]:
        """One value of an item, or nothing where it has none."""
        value = getattr(item, leaf)
        if value is None:
            return []
        name = f"line_items.{at}.{leaf}"
        if leaf == "quantity":
            return [(self._quantity(value), name)]
        if leaf in ("unit_price", "total_price"):
            return self.money(value, name, self.style.item_money)
        return [(value, name)]

    def _quantity(self, value: Decimal) -> str:
        if value % 1:
            text = f"{value:.3f}"
            return text.replace(".", ",") if self.locale.comma else text
        return f"{value:f}"

    def _price(self, at: int, item: "LineItem") -> list[Run]:
        """The item's price with the tax code behind it."""
        runs = self._leaf(at, item, "total_price")
        if runs and self.style.letter:
            runs.append((self.style.letter_gap + self.style.letter, None))
        return runs

    def _description(self, at: int, item: "LineItem", columns: int) -> list[list[Run]]:
        name = f"line_items.{at}.description"
        lines = wrap(item.description or "", max(columns, 6))
        made: list[list[Run]] = [[(line, name)] for line in lines] or [[]]
        if self.numbered:
            made[0].insert(0, (f"{at + 1}. ", None))
        return made

    def _rest(self, at: int, item: "LineItem", *leaves: str) -> list[Run]:
        """Several values one behind the other."""
        runs: list[Run] = []
        for leaf in leaves:
            found = self._leaf(at, item, leaf)
            runs += [(" ", None), *found] if runs and found else found
        return runs

    def _plain_row(self, at: int, item: "LineItem") -> None:
        """Description and price on a line; quantity before or behind; a unit price in between."""
        quantity, unit = self._leaf(at, item, "quantity"), self._leaf(at, item, "unit_price")
        price = self._price(at, item)
        before: list[Run] = []
        after: list[Run] = []
        if quantity and (self.quantity_first or not unit):
            before = [
                *quantity,
                (self.rng.choice((" ", " ")) if not self.times.strip().lower() == "x" else " x ", None),
            ]
            if unit:
                after = [(" @", None), *unit]
        elif quantity:
            after = [("  ", None), *quantity, (self.times, None), *unit]
        elif unit:
            after = [(" @ ", None), *unit]
        code = self._leaf(at, item, "product_code")
        if code:
            before = [*code, (" ", None), *before]
        taken = sum(len(text) for text, _ in [*before, *after, *price])
        lines = self._description(at, item, self.press.columns - taken - 1)
        self.press.spread(
            [*before, *lines[0], *(after if len(lines) == 1 else [])], price, right_edge=self.style.right_edge
        )
        for line in lines[1:]:
            self.press.left([*line, *(after if line is lines[-1] else [])], indent=2)

    def _below_row(self, at: int, item: "LineItem") -> None:
        """Description on its own line; "2 x 3.50" and the price below."""
        quantity, unit, price = (
            self._leaf(at, item, "quantity"),
            self._leaf(at, item, "unit_price"),
            self._price(at, item),
        )
        code = self._leaf(at, item, "product_code")
        detail = [*quantity, *([(self.times, None)] if quantity and unit else []), *unit]
        if code:
            detail = [*code, (self.rng.choice(("  ", "   ")), None), *detail]
        lines = self._description(at, item, self.press.columns)
        if not detail:
            lines = self._description(at, item, self.press.columns - sum(len(text) for text, _ in price) - 1)
            self.press.spread(lines[0], price, right_edge=self.style.right_edge)
            lines = lines[1:]
        for line in lines:
            self.press.left(line)
        if detail:
            indent = self.press.measure("  ")
            self.press.put(detail, self.press.margin_mm + indent)
            start = self.press.margin_mm + self.press.inner_mm * self.style.right_edge - self.press.span(price)
            if self.press.margin_mm + indent + self.press.span(detail) + 1 > start:
                self.press.feed()
            self.press.put(price, start)
            self.press.feed()

    def _above_row(self, at: int, item: "LineItem") -> None:
        """ "7 x 0.35" above the description and price; nothing above a single thing."""
        quantity, unit = self._leaf(at, item, "quantity"), self._leaf(at, item, "unit_price")
        code = self._leaf(at, item, "product_code")
        above = [
            *code,
            *([("  ", None)] if code else []),
            *quantity,
            *([(self.times, None)] if quantity and unit else []),
            *unit,
        ]
        if above:
            self.press.left(above, indent=0 if code else 2)
        price = self._price(at, item)
        lines = self._description(at, item, self.press.columns - sum(len(text) for text, _ in price) - 1)
        self.press.spread(lines[0], price, right_edge=self.style.right_edge)
        for line in lines[1:]:
            self.press.left(line)

    def _middle_row(self, at: int, item: "LineItem") -> None:
        """Description, "3.29 x  2" against the price, price: all on one line where they fit."""
        quantity, unit, price = (
            self._leaf(at, item, "quantity"),
            self._leaf(at, item, "unit_price"),
            self._price(at, item),
        )
        middle = [*unit, *([(" x ", None)] if quantity and unit else []), *quantity]
        code = self._leaf(at, item, "product_code")
        before = [*code, *([(" ", None)] if code else [])]
        right = [*middle, *([("   ", None)] if middle else []), *price]
        lines = self._description(at, item, self.press.columns - sum(len(text) for text, _ in [*before, *right]) - 1)
        self.press.spread([*before, *lines[0]], right, right_edge=self.style.right_edge)
        for line in lines[1:]:
            self.press.left(line)

    def _at_row(self, at: int, item: "LineItem") -> None:
        """ "1 UROKO SALAD @ 28.00" and the price."""
        unit, price = self._leaf(at, item, "unit_price"), self._price(at, item)
        before = self._rest(at, item, "quantity", "product_code")
        before += [(" ", None)] if before else []
        after = [(" @ ", None), *unit] if unit else []
        lines = self._description(
            at, item, self.press.columns - sum(len(text) for text, _ in [*before, *after, *price]) - 1
        )
        lines[-1] += after
        self.press.spread([*before, *lines[0]], price, right_edge=self.style.right_edge)
        for line in lines[1:]:
            self.press.left(line, indent=2)

    def _code_row(self, at: int, item: "LineItem") -> None:
        """Code, quantity, price and amount in columns; the description on the line below or above."""
        cells = list(
            zip(([*self._leaf(at, item, "product_code")], *self._numbers(at, item)), self._columns(), strict=True)
        )
        above = self.numbered or self.quantity_first
        if above:
            for line in self._description(at, item, self.press.columns):
                self.press.left(line)
        self.press.cells([(runs, share, align) for runs, (share, align) in cells if runs])
        if not above:
            for line in self._description(at, item, self.press.columns):
                self.press.left(line)

    def _numbers(self, at: int, item: "LineItem") -> tuple[list[Run], list[Run], list[Run]]:
        return self._leaf(at, item, "quantity"), self._leaf(at, item, "unit_price"), self._leaf(at, item, "total_price")

    def _stacked_row(self, at: int, item: "LineItem") -> None:
        """Description, code and sums each on a line of its own."""
        for line in self._description(at, item, self.press.columns):
            self.press.left(line)
        code = self._leaf(at, item, "product_code")
        quantity, unit, price = (
            self._leaf(at, item, "quantity"),
            self._leaf(at, item, "unit_price"),
            self._price(at, item),
        )
        right = [
            *quantity,
            *([(self.times, None)] if quantity and unit else []),
            *unit,
            *([("   ", None)] if quantity or unit else []),
            *price,
        ]
        self.press.spread(code, right, right_edge=self.style.right_edge)

    def _table_row(self, at: int, item: "LineItem") -> None:
        """Description, quantity, unit price and amount in columns."""
        lines = self._description(at, item, int(self.press.columns * 0.5))
        code = self._leaf(at, item, "product_code")
        if code:
            self.press.left(code)
        first = (lines[0], *self._numbers(at, item))
        cells = [(runs, share, align) for runs, (share, align) in zip(first, self._columns(), strict=True) if runs]
        if self.style.letter and item.total_price is not None:
            cells.append(([(self.style.letter, None)], 1.0, "r"))
        self.press.cells(cells)
        for line in lines[1:]:
            self.press.left(line)

    # The sums.

    def _totals(self) -> None:
        receipt = self.receipt
        if receipt.line_items and self.chance(0.2):
            self._count_line()
        gap = self._unexplained()
        if receipt.subtotal is not None:
            self.sum_line(self.word("subtotal"), self.money(receipt.subtotal, "subtotal"))
        middle = [self._discount_line, self._tip_line]
        if self._tax_is_added():
            middle.insert(self.rng.choice((0, 1, 2, 2, 2)), self._tax_line)
        for line in middle:
            line()
        self._gap_lines(gap)
        self._total_line()
        if not self._tax_is_added() and self.chance(0.5):
            self._tax_line()
            taxed = True
        else:
            taxed = self._tax_is_added()
        if self.chance(0.25):
            self.press.feed(0.5)
        self._payment_lines()
        if not taxed:
            self._tax_line(included=True)
        if receipt.line_items and self.chance(0.2):
            self._count_line()
        if self.chance(0.05):
            self.sum_line(self.word("savings"), self.money(Decimal(self.rng.randint(0, 900)) / 100, None))

    def sum_line(self, label: str, amount: Runs, label_field: str | None = None, big: bool = False) -> None:
        """A label and an amount far from it, or next to it."""
        colon = "" if label.endswith(":") or label_field else self.style.colon
        runs: list[Run] = [(label, label_field), (colon, None)]
        scale = self.rng.choice((1.2, 1.5, 1.8)) if big else 1.0
        if self.press.span([*runs, *amount], scale) > self.press.inner_mm:
            scale = 1.0
        height = scale if self.chance(0.6) else 1.0
        if self.style.labels_right:
            share = self.style.right_edge - self.press.span([("000000000", None)], scale) / self.press.inner_mm
            edge = self.press.margin_mm + self.press.inner_mm * self.style.right_edge
            start = min(
                self.press.margin_mm + self.press.inner_mm * share, edge - self.press.span(amount, scale)
            ) - self.press.measure(" ")
            if start - self.press.span(runs, scale) > self.press.margin_mm:
                self.press.put(runs, self.press.snap(start - self.press.span(runs, scale)), scale, height, big)
                self.press.put(amount, edge - self.press.span(amount, scale), scale, height, big)
                self.press.feed(max(1.0, height))
                return
        self.press.spread(runs, amount, scale, height, bold=big, right_edge=self.style.right_edge)

    def _tax_is_added(self) -> bool:
        receipt = self.receipt
        if receipt.total is None or receipt.subtotal is None or not receipt.total_tax:
            return bool(receipt.total_tax is not None and self.locale.tax_added > 0.5)
        rest = receipt.total - (receipt.tip or 0) - receipt.subtotal
        less = receipt.discount or Decimal(0)
        return min(abs(rest - receipt.total_tax), abs(rest - receipt.total_tax + less)) <= min(
            abs(rest), abs(rest + less)
        )

    def _unexplained(self) -> Decimal:
        """What the total has more than its printed parts: rounding, or taxes shown apart."""
        receipt = self.receipt
        if receipt.total is None or receipt.subtotal is None:
            return self.rng.choice(
                (Decimal("0.00"), Decimal("0.02"), Decimal("-0.01"), Decimal("0.01"), Decimal("-0.02"))
            )
        tax = (receipt.total_tax or Decimal(0)) if self._tax_is_added() else Decimal(0)
        rest = receipt.total - receipt.subtotal - tax - (receipt.tip or Decimal(0))
        return min(rest, rest + (receipt.discount or Decimal(0)), key=abs)

    def _gap_lines(self, gap: Decimal) -> None:
        total = self.receipt.total
        if total is None:
            return
        if abs(gap) > _ROUNDING:
            first = (gap * Decimal(self.rng.choice(("0.5", "0.7", "0.8")))).quantize(_CENT, ROUND_HALF_UP)
            for part in (first, gap - first):
                self.sum_line(self.word("tax"), self.money(part, None))
        elif self.chance(0.85 if self.locale.code in ("MY", "SG") else 0.25 if gap else 0.02):
            if self.chance(0.5):
                before = total - gap
                self.sum_line(self.word("pretotal"), self.money(before, self.same(before, "total")))
            amount = self.money(abs(gap), None)
            self.sum_line(self.word("rounding"), [("-", None), *amount] if gap < 0 else amount)

    def _discount_line(self) -> None:
        if self.receipt.discount is not None:
            self.sum_line(self.word("discount"), self.taken_off(self.receipt.discount, "discount"))

    def _tip_line(self) -> None:
        if self.receipt.tip is not None:
            self.sum_line(self.word("tip"), self.money(self.receipt.tip, "tip"))

    def _tax_line(self, included: bool = False) -> None:
        if self.receipt.total_tax is not None:
            self.sum_line(self.word("included" if included else "tax"), self.money(self.receipt.total_tax, "total_tax"))

    def _total_line(self) -> None:
        if self.receipt.total is None:
            return
        if self.chance(0.2):
            self.rule()
        template = self.style.money if self.chance(0.7) else self.rng.choice(self.locale.money)
        self.sum_line(self.word("total"), self.money(self.receipt.total, "total", template), big=self.chance(0.35))
        if self.chance(0.08):
            self.sum_line(self.word("total"), self.money(self.receipt.total, "total", template))

    def _payment_lines(self) -> None:
        for at, payment in enumerate(self.receipt.payments):
            method = payment.method or self.word("paid")
            field = f"payments.{at}.method" if payment.method else None
            if payment.amount is None:
                self.press.left([(self.label("paid"), None), (method, field)])
            else:
                self.sum_line(method, self.money(payment.amount, f"payments.{at}.amount"), field)
        if self.receipt.change is not None:
            self.sum_line(self.word("change"), self.money(self.receipt.change, "change"))

    def _count_line(self) -> None:
        count = len(self.receipt.line_items) if self.chance(0.6) else self.rng.randint(1, 30)
        if self.chance(0.5):
            self.sum_line(self.word("items_sold"), [(str(count), None)])
        else:
            self.press.left([(self.label("items_sold"), None), (str(count), None)], indent=self.rng.choice((0, 0, 3)))

    def _tax_summary(self) -> None:
        """The table that tax law asks for: net, tax and gross once more."""
        tax, total = self.receipt.total_tax, self.receipt.total
        if tax is None or total is None:
            return
        net = total - tax
        self.rule()
        if self.chance(0.7):
            self.press.left([(self.word("summary"), None)], indent=self.rng.choice((0, 4)))
        heads = [self.rng.choice(self.words["tax_name"]) + " %", self.word("net"), self.word("tax_name")]
        places = ((0.0, "l"), (0.62, "r"), (0.95, "r")) if self.chance(0.6) else ((0.05, "l"), (0.5, "r"), (0.8, "r"))
        self.press.cells(
            [([(head[:14], None)], share, align) for head, (share, align) in zip(heads, places, strict=True)]
        )
        code = self.rng.choice(
            ("SR @ {}%", "S = {}%", "SR (@ {}%)", "SR {}%", "{}%", "A {}%", "A {},00%", "{}.00", "{}")
        )
        rows: list[tuple[str, Decimal, Decimal, bool]] = [(code.format(self.rate), net, tax, True)]
        if self.chance(0.3):
            rows.append(
                (
                    self.rng.choice(("ZR @ 0%", "ZRL 0", "Z 0%", "B 0%", "0.00%")),
                    Decimal("0.00"),
                    Decimal("0.00"),
                    False,
                )
            )
        if self.chance(0.3):
            rows.append((self.rng.choice(("Total", "TOTAL :", "Total:")), net, tax, True))
        for name, base, share, tagged in rows:
            runs: tuple[Runs, Runs, Runs] = (
                [(name, None)],
                self.money(base, self.same(base, "subtotal") if tagged else None, "{}"),
                self.money(share, "total_tax" if tagged else None, "{}"),
            )
            self.press.cells([(part, at, align) for part, (at, align) in zip(runs, places, strict=True)])

    # Slips and foot.

    def _slips(self) -> None:
        receipt = self.receipt
        carded = receipt.payments and receipt.change is None
        if receipt.total is not None and (carded or not receipt.payments) and self.chance(0.3):
            self._card_slip(receipt.total)
        if receipt.total is not None and self.locale.code in ("US", "CA") and receipt.tip is None and self.chance(0.25):
            self._gratuity_table(receipt.total)
        if self.locale.code in ("US", "CA", "GB", "DE") and receipt.tip is None and self.chance(0.12):
            for key in ("tip_line", "total", "signature"):
                self.press.feed(0.5)
                self.press.left([(self.label(key) + "_" * self.rng.randint(6, 14), None)])

    def _card_slip(self, total: Decimal) -> None:
        self.rule()
        if self.chance(0.5):
            self.text(self.word("copy"))
        rows: list[tuple[str, Runs]] = [
            (
                self.word("slip"),
                [
                    (
                        self.fill(
                            self.rng.choice(("{n8}", "************{d4}", "XXXX{d4}", "A00000000{d5}", "{d6}", "{n6}"))
                        ),
                        None,
                    )
                ],
            )
            for _ in range(self.rng.randint(0, 4))
        ]
        rows.append(
            (self.word("approval"), [(self.fill(self.rng.choice(("{d6}", "{n6}", "{letter}{d5}", "{d12}"))), None)])
        )
        if self.chance(0.6):
            rows.append((self.word("amount"), self.money(total, "total", self.rng.choice(self.locale.money))))
        if self.chance(0.25) and self.receipt.transaction_date is not None:
            rows.append((self.word("date"), [self.value("transaction_date")]))
        self.rng.shuffle(rows)
        for label, runs in rows:
            if self.chance(0.5):
                self.sum_line(label, runs)
            else:
                self.press.left([(label + self.style.colon + " ", None), *runs])
        if self.chance(0.6):
            self.text(self.word("approved"))

    def _gratuity_table(self, total: Decimal) -> None:
        self.text(self.word("gratuity"))
        for percent in self.rng.choice(((15, 18, 20), (18, 20, 22), (20, 18, 15), (18, 20, 25), (15, 20))):
            tip = (total * percent / 100).quantize(_CENT, ROUND_HALF_UP)
            amount = print_amount(tip)
            form = self.rng.choice(
                (
                    f"{percent}% = {amount}",
                    f"{percent}%   ${amount}",
                    f"{percent}% Tip: {amount}",
                    f"{percent}%: (Tip ${amount} Total ${total + tip})",
                )
            )
            self.text(form)

    def _footer(self, late: set[str]) -> None:
        self.press.feed(self.rng.choice((0.2, 0.6, 1.2)))
        contact = [name for name in ("merchant_phone_number", "merchant_tax_id") if name in late]
        lines: list[Callable[[], None]] = [partial(self._contact, name) for name in contact]
        particulars = [name for name in ("receipt_number", "transaction_date", "transaction_time") if name in late]
        if any(getattr(self.receipt, name) is not None for name in particulars):
            lines.append(partial(self._meta, particulars))
        for often, key in (
            (0.75, "thanks"),
            (0.35, "policy"),
            (0.2, "survey"),
            (0.15, "thanks"),
            (0.12, "policy"),
            (0.07, "hours"),
            (0.08, "member"),
            (0.06, "copy"),
            (0.05, "document"),
        ):
            if self.chance(often):
                lines.append(partial(self._saying, key))
        if self.chance(0.15):
            lines.append(self._web)
        if self.chance(0.15):
            lines.append(self._code)
        if self.chance(0.06) and self.receipt.merchant_name:
            lines.append(self._name_again)
        self.rng.shuffle(lines)
        for line in lines:
            line()

    def _name_again(self) -> None:
        for line in wrap(self.receipt.merchant_name or "", self.press.columns):
            self.headline([(line, "merchant_name")])

    def _code(self) -> None:
        if self.chance(0.6):
            self.press.block(self.press.inner_mm * self.rng.uniform(0.4, 0.8), self.rng.uniform(6, 12), "bars")
            if self.chance(0.6):
                self.text(self.fill(self.rng.choice(("{n12}", "*{n16}*", "{n20}", "{n4} {n4} {n4}"))))
        else:
            side = self.rng.uniform(14, 24)
            self.press.block(side, side, "square")


def break_address(address: str, columns: int, locale: Locale, rng: Random) -> list[str]:
    """An address over lines as shops print it: at commas and before the town, or simply where the line is full."""
    if rng.random() < 0.25:
        return wrap(address, columns)
    upper = address.upper()
    cuts = {match.end() for match in re.finditer(r",\s", address)} | {
        match.end() for match in re.finditer(r"\s-\s", address)
    }
    for town in towns(locale.code):
        at = upper.find(town)
        if at > 0 and address[at - 1] == " ":
            postcode = re.search(r"(?:\b[A-Z]{0,2}-?[\d-]{4,8}(?: ?[A-Z]{2})?,? )$", address[:at])
            cuts.add(postcode.start() if postcode else at)
            break
    keep = rng.choice((0.35, 0.6, 1.0))
    pieces: list[str] = []
    start = 0
    for cut in sorted(cut for cut in cuts if address[cut - 1] == " "):
        if rng.random() < keep or len(address[start:cut]) > columns:
            pieces.append(address[start:cut])
            start = cut
    pieces.append(address[start:])
    return [line for piece in pieces if piece.strip() for line in wrap(piece, columns)]
