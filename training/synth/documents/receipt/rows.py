"""Lays out the line items of a receipt, in a dozen ways to arrange description, quantity and prices."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from docextract.documents.billing import LineItem
from training.synth.documents.receipt.writer import ReceiptWriter
from training.synth.typesetting import TextRun, TextRuns, wrap

_Row = Callable[[int, LineItem], None]


class ItemRows:
    """Prints the line items of one receipt, all in the same way."""

    def __init__(self, writer: ReceiptWriter) -> None:
        self.writer = writer
        self.layout = writer.layout
        rng = writer.rng
        self.numbered = writer.chance(0.06)
        self.quantity_first = writer.chance(0.6)
        self.header_shared = writer.chance(0.5)
        symbol = writer.style.item_money.replace("{}", "").strip()
        self.times_sign = rng.choice((
            " x ", " X ", "x", "X ", " @ ", " @", " * ", "*", " x", "  ", " PC @ ", "X", " ea @ ", f" @ {symbol}",
        ))  # fmt: skip
        self.negative = rng.choice(("-{}", "-{}", "{}-", "({})"))
        # Content of a column that is no field.
        self.extra = rng.choice(("0.00", "0", "-", "0%")) if writer.chance(0.15) else ""
        self.columns = self._columns()
        self.discounts_by_item = self._choose_item_discounts()

    def print(self) -> None:
        """Print all items, with a heading and rules where this cash register has them."""
        writer, items = self.writer, self.writer.receipt.line_items
        if not items:
            writer.rule()
            return
        row = self._choose(items)
        if writer.chance(0.6):
            writer.rule()
        table = row in (self._table, self._code_first)
        if (table and writer.chance(0.85)) or writer.chance(0.3):
            self._heading(table)
        for index, item in enumerate(items):
            row(index, item)
            self._remarks(index)
        if writer.chance(0.7):
            writer.rule()

    def _choose(self, items: Sequence[LineItem]) -> _Row:
        """Choose the layout of a row."""
        choices: list[_Row] = [self._plain, self._plain, self._below, self._with_at]
        if any(item.unit_price is not None for item in items):
            choices += [self._table, self._table, self._table, self._below, self._above, self._middle]
        if any(item.product_code for item in items):
            choices += [
                self._code_first,
                self._code_first,
                self._code_first,
                self._stacked,
                self._stacked,
                self._code_with_price,
            ]
        row = self.writer.rng.choice(choices)
        return self._below if row == self._table and self.layout.columns < 34 else row

    def _columns(self) -> tuple[tuple[float, str], ...]:
        """Positions of description, quantity, unit price and amount: share of the inner width, alignment."""
        edge = self.writer.style.right_edge - (0.08 if self.writer.style.tax_codes else 0.0)
        quantity, unit = self.writer.rng.choice(((0.60, 0.78), (0.55, 0.75), (0.5, 0.7), (0.62, 0.80)))
        return ((0.0, "l"), (quantity, "r"), (unit, "r"), (edge, "r"))

    def _heading(self, table: bool) -> None:
        """Names of the columns."""
        writer = self.writer
        heads = [writer.word(key) for key in ("item", "qty", "price", "amount")]
        if table:
            cells: list[tuple[TextRuns, float, str]] = [
                ([(head, None)], share, align) for head, (share, align) in zip(heads, self.columns, strict=True)
            ]
            self.layout.table_row(cells, bold=writer.chance(0.3))
            if writer.chance(0.15):
                symbol = writer.rng.choice(writer.locale.money).replace("{}", "").strip() or writer.locale.currency
                self.layout.table_row([([(f"({symbol})", None)], share, align) for share, align in self.columns[2:]])
        else:
            left = writer.rng.choice((heads[0], f"{heads[1]} {heads[0]}", f"{heads[0]}   {heads[1]}"))
            self.layout.spread([(left, None)], [(heads[3], None)])
        writer.rule()

    def _remarks(self, index: int) -> None:
        """Lines below an item: a modifier, or what was deducted from its price."""
        writer = self.writer
        if writer.chance(0.05):
            free = [(f"{writer.rng.choice(('0.00', ' '))}", None)]
            self.layout.spread([("  " + writer.word("modifier"), None)], free, right_edge=writer.style.right_edge)
        if index in self.discounts_by_item:
            off = writer.deduction(
                self.discounts_by_item[index], writer.matching_field(self.discounts_by_item[index], "total_discount")
            )
            self.layout.spread([("  " + writer.word("savings_line"), None)], off, right_edge=writer.style.right_edge)

    def _choose_item_discounts(self) -> dict[int, Decimal]:
        """On some receipts, the deduction of each item by its index; their sum is the receipt's discount."""
        discount, items = self.writer.receipt.total_discount, self.writer.receipt.line_items
        if not discount or not items or not self.writer.chance(0.35):
            return {}
        index = self.writer.rng.sample(range(len(items)), min(len(items), self.writer.rng.randint(1, 3)))
        first = (discount / len(index)).quantize(Decimal("0.01"))
        shares = [first] * (len(index) - 1)
        return dict(zip(index, [*shares, discount - sum(shares, Decimal(0))], strict=True))

    # Values of an item

    def _item_runs(self, index: int, item: LineItem, member: str) -> list[TextRun]:
        """One value of an item; nothing when the item does not have it."""
        value = getattr(item, member)
        if value is None:
            return []
        name = f"line_items.{index}.{member}"
        if member == "quantity":
            return [(self._quantity(value), name)]
        if member in ("unit_price", "amount"):
            template = self.writer.style.item_money
            if value < 0:
                return self.writer.money(-value, name, self.negative.format(template))
            return self.writer.money(value, name, template)
        return [(value, name)]

    def _quantity(self, value: Decimal) -> str:
        text = f"{value:.3f}" if value % 1 else self.writer.style.quantity.format(value)
        return text.replace(".", ",") if self.writer.locale.comma else text

    def _price(self, index: int, item: LineItem) -> list[TextRun]:
        """The total price of the item, with the tax code behind it."""
        runs = self._item_runs(index, item, "amount")
        if runs and (tax_code := self.writer.tax_code()):
            runs.append((self.writer.style.tax_code_gap + tax_code, None))
        return runs

    def _description(self, index: int, item: LineItem, columns: int) -> list[list[TextRun]]:
        """The lines of the description; at least one, which may be empty."""
        name = f"line_items.{index}.description"
        made: list[list[TextRun]] = [[(line, name)] for line in wrap(item.description or "", max(columns, 8))] or [[]]
        if self.numbered:
            made[0].insert(0, (f"{index + 1}. ", None))
        return made

    def _code(self, index: int, item: LineItem, behind: str) -> list[TextRun]:
        """The product code, followed by `behind`; nothing when the item has none."""
        code = self._item_runs(index, item, "product_code")
        return [*code, (behind, None)] if code else []

    def _counted(self, index: int, item: LineItem) -> tuple[list[TextRun], list[TextRun]]:
        """Quantity and unit price."""
        return self._item_runs(index, item, "quantity"), self._item_runs(index, item, "unit_price")

    def _detail(self, index: int, item: LineItem) -> list[TextRun]:
        """ "2 x 3.50", or the part of it that the item has."""
        quantity, unit = self._counted(index, item)
        return [*quantity, *([(self.times_sign, None)] if quantity and unit else []), *unit]

    def _room(self, *others: TextRuns) -> int:
        """Number of columns that are left next to these runs."""
        return self.layout.columns - sum(len(text) for runs in others for text, _ in runs) - 1

    def _spread(self, left: TextRuns, right: TextRuns) -> None:
        self.layout.spread(left, right, right_edge=self.writer.style.right_edge)

    def _lines(self, lines: Sequence[TextRuns], indent: int = 0) -> None:
        for line in lines:
            self.layout.left(line, indent=indent)

    # Layouts of a row

    def _plain(self, index: int, item: LineItem) -> None:
        """Description and price on one line; the quantity before or behind the description."""
        quantity, unit, price = (
            self._item_runs(index, item, "quantity"),
            self._item_runs(index, item, "unit_price"),
            self._price(index, item),
        )
        before, after = self._code(index, item, " "), list[TextRun]()
        if quantity and (self.quantity_first or not unit):
            before += [*quantity, (" x " if self.times_sign.strip().lower() == "x" else " ", None)]
            after = [(" @", None), *unit] if unit else []
        elif quantity:
            after = [("  ", None), *quantity, (self.times_sign, None), *unit]
        elif unit:
            after = [(" @ ", None), *unit]
        lines = self._description(index, item, self._room(before, after, price))
        lines[-1] += after
        self._spread([*before, *lines[0]], price)
        self._lines(lines[1:], indent=2)

    def _below(self, index: int, item: LineItem) -> None:
        """Description on a line of its own; "2 x 3.50" and the price below."""
        price = self._price(index, item)
        detail = [*self._code(index, item, "  "), *self._detail(index, item)]
        if not detail:
            lines = self._description(index, item, self._room(price))
            self._spread(lines[0], price)
            self._lines(lines[1:])
            return
        self._lines(self._description(index, item, self.layout.columns))
        self._spread([("  ", None), *detail], price)

    def _above(self, index: int, item: LineItem) -> None:
        """ "7 x 0.35" above description and price; nothing above a single piece."""
        above = [*self._code(index, item, "  "), *self._detail(index, item)]
        if above:
            self.layout.left(above, indent=2)
        price = self._price(index, item)
        lines = self._description(index, item, self._room(price))
        self._spread(lines[0], price)
        self._lines(lines[1:])

    def _middle(self, index: int, item: LineItem) -> None:
        """Description, "3.29 x  2" next to the price, and the price, on one line when they fit."""
        quantity, unit, price = (
            self._item_runs(index, item, "quantity"),
            self._item_runs(index, item, "unit_price"),
            self._price(index, item),
        )
        middle = [*unit, *([(" x ", None)] if quantity and unit else []), *quantity]
        before = self._code(index, item, " ")
        right = [*middle, *([("   ", None)] if middle else []), *price]
        lines = self._description(index, item, self._room(before, right))
        self._spread([*before, *lines[0]], right)
        self._lines(lines[1:])

    def _with_at(self, index: int, item: LineItem) -> None:
        """ "1 UROKO SALAD @ 28.00" and the price."""
        quantity, unit, price = (
            self._item_runs(index, item, "quantity"),
            self._item_runs(index, item, "unit_price"),
            self._price(index, item),
        )
        before = [*quantity, *([(" ", None)] if quantity else []), *self._code(index, item, " ")]
        after: list[TextRun] = [(" @ ", None), *unit] if unit else []
        lines = self._description(index, item, self._room(before, after, price))
        lines[-1] += after
        self._spread([*before, *lines[0]], price)
        self._lines(lines[1:], indent=2)

    def _code_first(self, index: int, item: LineItem) -> None:
        """Code, quantity, unit price and amount in columns; the description on the line below or above."""
        lines = self._description(index, item, self.layout.columns)
        if self.quantity_first:
            self._lines(lines)
        self._cells(index, item, self._item_runs(index, item, "product_code"))
        if not self.quantity_first:
            self._lines(lines)

    def _code_with_price(self, index: int, item: LineItem) -> None:
        """ "1X 000002781709" and the price; the description below."""
        quantity, unit = self._counted(index, item)
        left = [*quantity, *([("X ", None)] if quantity else []), *self._item_runs(index, item, "product_code")]
        self._spread(left, self._price(index, item))
        lines = self._description(index, item, self.layout.columns - 12)
        lines[-1] += [(" @", None), *unit] if unit else []
        self._lines(lines, indent=self.writer.rng.choice((0, 3)))

    def _stacked(self, index: int, item: LineItem) -> None:
        """Description; code and amounts below, on one line or each on a line of its own."""
        self._lines(self._description(index, item, self.layout.columns))
        detail = self._detail(index, item)
        right = [*detail, *([("   ", None)] if detail else []), *self._price(index, item)]
        code = self._item_runs(index, item, "product_code")
        if self.header_shared and code:
            self.layout.left(code)
            code = []
        self._spread(code, right)

    def _table(self, index: int, item: LineItem) -> None:
        """Description, quantity, unit price and amount in columns."""
        lines = self._description(index, item, int(self.layout.columns * (self.columns[1][0] - 0.1)))
        code = self._item_runs(index, item, "product_code")
        if code and self.layout.columns > 60:
            self._cells(index, item, [*code, ("  ", None), *lines[0]])
        else:
            self._lines([code] if code else [])
            self._cells(index, item, lines[0])
        self._lines(lines[1:])

    def _cells(self, index: int, item: LineItem, first: TextRuns) -> None:
        numbers = (self._item_runs(index, item, member) for member in ("quantity", "unit_price", "amount"))
        cells = [
            (runs, share, align) for runs, (share, align) in zip((first, *numbers), self.columns, strict=True) if runs
        ]
        if self.extra and self.layout.columns > 40:
            middle = (self.columns[2][0] + self.columns[3][0]) / 2 - 0.03
            cells.insert(-1, ([(self.extra, None)], middle, "r"))
        if item.amount is not None and (tax_code := self.writer.tax_code()):
            cells.append(([(tax_code, None)], 1.0, "r"))
        self.layout.table_row(cells)
