"""The items of an invoice, in columns as offices set them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from docextract.documents.invoice import InvoiceItem
from training.synth.documents.invoice.desk import Desk
from training.synth.typesetting import Run, Runs

_LEAVES = ("description", "product_code", "quantity", "unit", "unit_price", "tax_rate", "amount")
_ORDERS = (
    "pos product_code description day quantity unit unit_price discount tax_rate amount",
    "pos product_code description day quantity unit unit_price discount tax_rate amount",
    "pos day description product_code quantity unit unit_price tax_rate discount amount",
    "pos quantity unit product_code day description unit_price discount tax_rate amount",
    "quantity unit pos product_code description day unit_price discount tax_rate amount",
    "product_code pos day description quantity unit unit_price discount amount tax_rate",
    "pos day product_code description unit_price quantity unit discount tax_rate amount",
    "pos product_code description day tax_rate unit quantity unit_price discount amount",
    "pos product_code day description unit quantity unit_price tax_rate discount amount",
    "day pos product_code description quantity unit unit_price discount amount tax_rate",
)  # fmt: skip
_WORDS = {"unit": "unit_column", "day": "day_column", "discount": "discount_column"}
_RIGHT = frozenset({"quantity", "unit_price", "amount", "discount", "tax_rate"})


@dataclass(frozen=True)
class _Column:
    """One column. x is its left edge, mm."""

    key: str
    heading: list[str]
    x_mm: float
    width_mm: float
    align: str

    @property
    def anchor_mm(self) -> float:
        """Where its text begins, ends or has its middle."""
        return self.x_mm + {"l": 0.6, "r": self.width_mm - 0.6, "c": self.width_mm / 2}[self.align]


class Table:
    """Prints the items; `amounts_end_mm` is then where amounts stand, for the sums below."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.items = desk.invoice.items
        self.amounts_end_mm = desk.right_mm
        rng = desk.rng
        self.merged = desk.chance(0.4)  # quantity and unit in one cell
        self.code_below = desk.chance(0.12)  # the product code stands with the description
        self.quantity_form = rng.choice(("plain", "plain", "plain", "cents", "least"))
        self.percent = rng.choice(("{}%", "{} %", "{}", "{}%", "{},00", "{}.00%", "{},0 %"))
        self.lines = rng.choices(
            ("none", "head", "ends", "rows", "grid", "zebra", "columns"), (14, 22, 16, 18, 14, 8, 8)
        )[0]
        self.head = rng.choices(("plain", "bold", "filled", "tinted", "none"), (22, 34, 20, 20, 4))[0]
        self.row_gap = rng.choice((0.0, 0.1, 0.25, 0.5, 0.8))
        self.level = rng.choices((0.0, 1.0, 0.5), (84, 8, 8))[
            0
        ]  # where numbers stand beside a description of several lines

    def print(self, y_mm: float) -> float:
        """All rows; returns where the sums may begin."""
        if not self.items:
            return y_mm
        if self.desk.chance(0.06):
            return self._listed(y_mm)
        cells = [self._cells(at, item) for at, item in enumerate(self.items)]
        columns = self._columns(cells)
        self.amounts_end_mm = columns[-1].anchor_mm if columns[-1].align == "r" else self.desk.right_mm
        top = y_mm
        y_mm = self._heading(columns, y_mm)
        sections = self._sections()
        for at, row in enumerate(cells):
            if at in sections:
                self.desk.put([(sections[at], None)], self.desk.left_mm + 1, y_mm, bold=True)
                y_mm += self.desk.pitch(1.1)
            y_mm = self._row(columns, row, at, y_mm)
        y_mm = self._blank_rows(y_mm)
        self._frame(columns, top, y_mm)
        return y_mm + self.desk.pitch(self.desk.rng.choice((0.2, 0.5, 1.0)))

    # --- what stands in the cells ------------------------------------------------------------------------------

    def _cells(self, at: int, item: InvoiceItem) -> dict[str, list[Run]]:
        """Runs for each column of one row."""
        cells: dict[str, list[Run]] = {}
        for leaf in _LEAVES:
            value = getattr(item, leaf)
            if value is not None:
                cells[leaf] = [(self._text(leaf, value), f"items.{at}.{leaf}")]
        if self.merged and "quantity" in cells and "unit" in cells:
            gap = " " if self.desk.chance(0.9) else ""
            cells["quantity"] += [(gap, None), *cells.pop("unit")] if gap else cells.pop("unit")
        return cells

    def _text(self, leaf: str, value: object) -> str:
        desk = self.desk
        if leaf in ("unit_price", "amount") and isinstance(value, Decimal):
            return desk.money(value, None, desk.style.item_money)[0]
        if leaf == "quantity" and isinstance(value, Decimal):
            return self._quantity(value)
        if leaf == "tax_rate" and isinstance(value, Decimal):
            text = f"{value.normalize():f}"
            form = (
                self.percent
                if "." not in text
                else self.percent.replace(",00", "").replace(".00", "").replace(",0", "")
            )
            if desk.style.separators[-3] == "," and len(desk.style.separators) > 4:
                text, form = text.replace(".", ","), form.replace(".00", ",00")
            else:
                form = form.replace(",00", ".00").replace(",0", ".0")
            return form.format(text)
        return str(value)

    def _quantity(self, value: Decimal) -> str:
        decimals = max(0, -int(value.normalize().as_tuple().exponent))
        if self.quantity_form == "cents":
            decimals = max(decimals, 2)
        elif self.quantity_form == "least":
            decimals = max(decimals, 1)
        text = f"{value:.{decimals}f}"
        comma = "," in self.desk.style.separators[-3:]
        return text.replace(".", ",") if comma else text

    # --- the columns -------------------------------------------------------------------------------------------

    def _columns(self, cells: Sequence[dict[str, list[Run]]]) -> list[_Column]:
        """Where each column stands: as wide as what is in it, the description takes what is left."""
        desk, rng = self.desk, self.desk.rng
        present = {key for row in cells for key in row}
        if self.code_below and "description" in present:
            present.discard("product_code")
        if desk.chance(0.42):
            present.add("pos")
        if desk.chance(0.07):
            present.add("day")
        if self._has_rebates() or desk.chance(0.03):
            present.add("discount")
        keys = [key for key in rng.choice(_ORDERS).split() if key in present]
        self._fill_synthetic(cells, keys)
        headings = {key: self._heading_of(key) for key in keys}
        gap = rng.uniform(1.8, 4.5)
        widths = {
            key: gap + max(
                *(desk.press.measure(line, 1.05) for line in headings[key]),
                *(desk.span(row[key]) for row in cells if key in row),
                0.0,
            )
            for key in keys
        }  # fmt: skip
        self._share(widths, keys)
        aligns = {key: "r" if key in _RIGHT else "l" for key in keys}
        if desk.chance(0.3):
            aligns |= {key: "c" for key in ("quantity", "unit", "tax_rate", "pos", "discount") if key in aligns}
        x_mm, columns = desk.left_mm, []
        for key in keys:
            columns.append(_Column(key, headings[key], x_mm, widths[key], aligns[key]))
            x_mm += widths[key]
        return columns

    def _share(self, widths: dict[str, float], keys: Sequence[str]) -> None:
        """Fit the widths between the margins, in place."""
        desk = self.desk
        wide = "description" if "description" in widths else keys[0]
        others = sum(width for key, width in widths.items() if key != wide)
        most = desk.inner_mm * 0.68
        if others > most:
            for key in widths:
                widths[key] *= most / others if key != wide else 1.0
            others = most
        spare = desk.inner_mm - others
        if widths[wide] < spare and desk.chance(0.35):  # the numbers stand further apart instead
            extra = (
                (spare - max(widths[wide], 0.3 * desk.inner_mm)) / max(1, len(keys) - 1) * desk.rng.uniform(0.4, 0.9)
            )
            for key in widths:
                if key != wide and extra > 0:
                    widths[key] += extra
                    spare -= extra
        widths[wide] = spare

    def _heading_of(self, key: str) -> list[str]:
        """A column's name, on two lines where it is long."""
        text = self.desk.word(_WORDS.get(key, key))
        if key != "description" and len(text) > 10 and " " in text and self.desk.chance(0.7):
            middle = min((abs(2 * at - len(text)), at) for at, char in enumerate(text) if char == " ")[1]
            return [text[:middle], text[middle + 1 :]]
        return [text]

    def _has_rebates(self) -> bool:
        return any(self._rebate(item) for item in self.items)

    def _rebate(self, item: InvoiceItem) -> int:
        """The row's own discount in percent, from its amount."""
        if item.quantity is None or item.unit_price is None or item.amount is None:
            return 0
        full = item.quantity * item.unit_price
        return round((1 - item.amount / full) * 100) if full else 0

    def _fill_synthetic(self, cells: Sequence[dict[str, list[Run]]], keys: Sequence[str]) -> None:
        """Numbering, days and rebates: columns that are no fields."""
        desk, first = self.desk, self.desk.rng.choice((1, 1, 1, 1, 10))
        form = desk.rng.choice(("{}", "{}", "{}.", "{:02}", "{:03}"))
        for at, (row, item) in enumerate(zip(cells, self.items, strict=True)):
            if "pos" in keys:
                row["pos"] = [(form.format((at + 1) * first), None)]
            if "day" in keys and desk.invoice.invoice_date is not None:
                day = desk.invoice.invoice_date - timedelta(days=max(0, 2 * (len(self.items) - at)))
                row["day"] = [(desk.day(day)[0], None)]
            if "discount" in keys:
                rebate = self._rebate(item)
                row["discount"] = [(self.percent.format(rebate), None)] if rebate or desk.chance(0.6) else []

    def _sections(self) -> dict[int, str]:
        """Headings between rows, by the row that they stand above."""
        if len(self.items) < 3 or not self.desk.chance(0.1):
            return {}
        return {
            0: self.desk.fill("{section}"),
            self.desk.rng.randrange(1, len(self.items)): self.desk.fill("{section}"),
        }

    # --- setting it --------------------------------------------------------------------------------------------

    def _heading(self, columns: Sequence[_Column], y_mm: float) -> float:
        desk = self.desk
        if self.head == "none":
            return y_mm
        rows = max(len(column.heading) for column in columns)
        high = desk.pitch(rows) + desk.pitch(0.4)
        white = self.head == "filled"
        if self.head in ("filled", "tinted"):
            desk.box(desk.left_mm, y_mm, desk.inner_mm, high, desk.style.accent if white else desk.tint())
        elif self.lines in ("ends", "rows", "grid") or desk.chance(0.2):
            desk.rule(y_mm)
        for column in columns:
            for at, line in enumerate(column.heading):
                down = y_mm + desk.pitch(0.2) + desk.pitch() * (at + (rows - len(column.heading)) / 2)
                bold, ink = self.head != "plain", desk.style.accent if white else None
                room = column.width_mm - 0.8
                desk.put([(line, None)], column.anchor_mm, down, column.align, 1.0, bold, room, ink, inverse=white)
        y_mm += high
        if not white and self.lines != "none":
            desk.rule(y_mm, thickness_mm=desk.rng.choice((0.2, 0.3, 0.5)))
        return y_mm + desk.pitch(0.15)

    def _row(self, columns: Sequence[_Column], cells: dict[str, list[Run]], at: int, y_mm: float) -> float:
        """One item; a long description goes over several lines."""
        desk = self.desk
        wide = next((column for column in columns if column.key == "description"), columns[0])
        block = self._block(cells, wide)
        high = desk.pitch(max(1, len(block)))
        # In the middle only of an odd number of lines: between two it would be read as part of either.
        down = (high - desk.pitch()) * self.level if self.level != 0.5 or len(block) % 2 else 0.0
        if self.lines == "zebra" and at % 2 == 0:
            desk.box(
                desk.left_mm,
                y_mm - desk.pitch(0.1),
                desk.inner_mm,
                high + desk.pitch(0.2 + self.row_gap * 0.5),
                (238, 240, 243),
            )
        for column in columns:
            if column.key == wide.key:
                desk.lines(block, column.anchor_mm, y_mm, column.align, 1.0, column.width_mm - 0.8)
            elif cells.get(column.key):
                desk.put(cells[column.key], column.anchor_mm, y_mm + down, column.align, room_mm=column.width_mm - 0.8)
        y_mm += high + desk.pitch(self.row_gap)
        if self.lines in ("rows", "grid"):
            y_mm += desk.pitch(0.12)
            desk.rule(y_mm, thickness_mm=0.15)
            y_mm += desk.pitch(0.18)
        return y_mm

    def _block(self, cells: dict[str, list[Run]], wide: _Column) -> list[Runs]:
        """The lines of the widest cell, with the product code among them where that is the habit."""
        desk = self.desk
        runs = cells.get(wide.key, [])
        if wide.key != "description" or not runs:
            return [runs] if runs else []
        text, field = runs[0]
        block: list[Runs] = [[(line, field)] for line in desk.wrapped(text, wide.width_mm - 1.5)]
        if self.code_below and "product_code" in cells:
            code: list[Run] = [(desk.labelled(desk.fill("{product_code}")), None), *cells["product_code"]]
            block.insert(len(block) if desk.chance(0.7) else 0, code)
        return block

    def _blank_rows(self, y_mm: float) -> float:
        """Rows of a form that nobody filled in."""
        desk = self.desk
        if self.lines not in ("grid", "rows", "zebra", "columns") or len(self.items) > 7 or not desk.chance(0.25):
            return y_mm
        for _ in range(desk.rng.randint(1, 6)):
            if desk.chance(0.2):
                desk.put([(desk.rng.choice(("-", "0.00", "$ -", "–")), None)], self.amounts_end_mm, y_mm, "r")
            y_mm += desk.pitch(1.1)
            if self.lines in ("rows", "grid"):
                desk.rule(y_mm, thickness_mm=0.15)
                y_mm += desk.pitch(0.2)
        return y_mm

    def _frame(self, columns: Sequence[_Column], top: float, bottom: float) -> None:
        desk = self.desk
        if self.lines in ("head", "ends", "zebra", "columns"):
            desk.rule(bottom)
        if self.lines in ("grid", "columns"):
            desk.rule(top)
            for column in columns:
                desk.upright(column.x_mm, top, bottom - top)
            desk.upright(desk.right_mm, top, bottom - top)
            if self.lines == "columns":
                desk.rule(bottom)

    def _listed(self, y_mm: float) -> float:
        """No columns: what it is on one line, what it costs behind it or below."""
        desk = self.desk
        below = desk.chance(0.5)
        for at, item in enumerate(self.items):
            cells = self._cells(at, item)
            amount = cells.pop("amount", [])
            room = desk.inner_mm - desk.span(amount) - 4
            before: list[Run] = [*cells.pop("product_code", []), ("  ", None)] if "product_code" in cells else []
            text, field = cells.pop("description", [("", None)])[0]
            rows: list[list[Run]] = [[(line, field)] for line in desk.wrapped(text, room)] or [[]]
            rows[0] = before + rows[0]
            factors = self._factors(cells)
            if factors and below:
                rows.append(factors)
            elif factors:
                rows[-1] = [*rows[-1], ("  ", None), *factors]
            bottom = desk.lines(rows, desk.left_mm, y_mm, room_mm=room)
            if amount:
                desk.put(amount, desk.right_mm, bottom - desk.pitch(), "r")
            y_mm = bottom + desk.pitch(self.row_gap)
        return y_mm + desk.pitch(0.5)

    def _factors(self, cells: dict[str, list[Run]]) -> list[Run]:
        """ "2 Std. x 60,00" and the tax rate, as far as printed."""
        runs: list[Run] = []
        for key, before in (
            ("quantity", ""),
            ("unit", " "),
            ("unit_price", self.desk.rng.choice((" x ", " à ", " @ ", " * "))),
            ("tax_rate", "  "),
        ):
            if cells.get(key):
                runs += [(before, None), *cells[key]] if runs and before else cells[key]
        return runs
