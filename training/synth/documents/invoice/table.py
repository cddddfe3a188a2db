"""Lays out the items of an invoice in columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from docextract.documents.billing import LineItem
from training.synth.documents.invoice.writer import InvoiceWriter
from training.synth.typesetting import TextRun, TextRuns

_ITEM_FIELDS = ("description", "product_code", "quantity", "unit", "unit_price", "tax_rate", "amount")
_COLUMN_ORDERS = (
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
_HEADING_KEYS = {"unit": "unit_column", "day": "day_column", "discount": "discount_column"}
_RIGHT_ALIGNED = frozenset({"quantity", "unit_price", "amount", "discount", "tax_rate"})


@dataclass(frozen=True)
class _Column:
    """One column. x_mm: its left edge."""

    key: str
    heading: list[str]
    x_mm: float
    width_mm: float
    align: str

    @property
    def anchor_mm(self) -> float:
        """The x of its left end, right end or centre, by the alignment."""
        return self.x_mm + {"l": 0.6, "r": self.width_mm - 0.6, "c": self.width_mm / 2}[self.align]


class ItemTable:
    """Prints the items. After `print`, `amounts_end_mm` is the right end of the amounts, for the totals below."""

    def __init__(self, writer: InvoiceWriter) -> None:
        self.writer = writer
        self.items = writer.invoice.line_items
        self.amounts_end_mm = writer.right_mm
        rng = writer.rng
        self.merged = writer.chance(0.4)  # quantity and unit in one cell
        self.code_below = writer.chance(0.12)  # the product code is among the lines of the description
        self.quantity_form = rng.choice(("plain", "plain", "plain", "cents", "least"))
        self.percent = rng.choice(("{}%", "{} %", "{}", "{}%", "{},00", "{}.00%", "{},0 %"))
        self.lines = rng.choices(
            ("none", "head", "ends", "rows", "grid", "zebra", "columns"), (14, 22, 16, 18, 14, 8, 8)
        )[0]
        self.header_style = rng.choices(("plain", "bold", "filled", "tinted", "none"), (22, 34, 20, 20, 4))[0]
        self.row_gap = rng.choice((0.0, 0.1, 0.25, 0.5, 0.8))
        # Vertical position of numbers next to a description of several lines: 0 first line, 1 last line.
        self.level = rng.choices((0.0, 1.0, 0.5), (84, 8, 8))[0]

    def print(self, y_mm: float) -> float:
        """Print all rows; returns the y where the totals may begin, mm."""
        if not self.items:
            return y_mm
        if self.writer.chance(0.06):
            return self._print_as_list(y_mm)
        cells = [self._cells(at, item) for at, item in enumerate(self.items)]
        columns = self._columns(cells)
        self.amounts_end_mm = columns[-1].anchor_mm if columns[-1].align == "r" else self.writer.right_mm
        top = y_mm
        y_mm = self._heading(columns, y_mm)
        sections = self._sections()
        for at, row in enumerate(cells):
            if at in sections:
                self.writer.put([(sections[at], None)], self.writer.left_mm + 1, y_mm, bold=True)
                y_mm += self.writer.pitch(1.1)
            y_mm = self._row(columns, row, at, y_mm)
        y_mm = self._blank_rows(y_mm)
        self._frame(columns, top, y_mm)
        return y_mm + self.writer.pitch(self.writer.rng.choice((0.2, 0.5, 1.0)))

    # --- cells ------------------------------------------------------------------------------

    def _cells(self, at: int, item: LineItem) -> dict[str, list[TextRun]]:
        """The runs of one row by column."""
        cells: dict[str, list[TextRun]] = {}
        for member in _ITEM_FIELDS:
            value = getattr(item, member)
            if value is not None:
                cells[member] = [(self._text(member, value), f"line_items.{at}.{member}")]
        if self.merged and "quantity" in cells and "unit" in cells:
            gap = " " if self.writer.chance(0.9) else ""
            cells["quantity"] += [(gap, None), *cells.pop("unit")] if gap else cells.pop("unit")
        return cells

    def _text(self, member: str, value: object) -> str:
        writer = self.writer
        if member in ("unit_price", "amount") and isinstance(value, Decimal):
            return writer.money(value, None, writer.style.item_money)[0]
        if member == "quantity" and isinstance(value, Decimal):
            return self._quantity(value)
        if member == "tax_rate" and isinstance(value, Decimal):
            text = f"{value.normalize():f}"
            form = (
                self.percent
                if "." not in text
                else self.percent.replace(",00", "").replace(".00", "").replace(",0", "")
            )
            if writer.style.separators[-3] == "," and len(writer.style.separators) > 4:
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
        comma = "," in self.writer.style.separators[-3:]
        return text.replace(".", ",") if comma else text

    # --- columns -------------------------------------------------------------------------------------------

    def _columns(self, cells: Sequence[dict[str, list[TextRun]]]) -> list[_Column]:
        """The columns: as wide as their content; the description gets the remaining width."""
        writer, rng = self.writer, self.writer.rng
        present = {key for row in cells for key in row}
        if self.code_below and "description" in present:
            present.discard("product_code")
        if writer.chance(0.42):
            present.add("pos")
        if writer.chance(0.07):
            present.add("day")
        if self._has_rebates() or writer.chance(0.03):
            present.add("discount")
        keys = [key for key in rng.choice(_COLUMN_ORDERS).split() if key in present]
        self._fill_synthetic(cells, keys)
        headings = {key: self._heading_of(key) for key in keys}
        gap = rng.uniform(1.8, 4.5)
        widths = {
            key: gap + max(
                *(writer.layout.measure(line, 1.05) for line in headings[key]),
                *(writer.span(row[key]) for row in cells if key in row),
                0.0,
            )
            for key in keys
        }  # fmt: skip
        self._fit_widths(widths, keys)
        aligns = {key: "r" if key in _RIGHT_ALIGNED else "l" for key in keys}
        if writer.chance(0.3):
            aligns |= {key: "c" for key in ("quantity", "unit", "tax_rate", "pos", "discount") if key in aligns}
        x_mm, columns = writer.left_mm, []
        for key in keys:
            columns.append(_Column(key, headings[key], x_mm, widths[key], aligns[key]))
            x_mm += widths[key]
        return columns

    def _fit_widths(self, widths: dict[str, float], keys: Sequence[str]) -> None:
        """Fit the widths between the margins, in place."""
        writer = self.writer
        wide = "description" if "description" in widths else keys[0]
        others = sum(width for key, width in widths.items() if key != wide)
        most = writer.inner_mm * 0.68
        if others > most:
            for key in widths:
                widths[key] *= most / others if key != wide else 1.0
            others = most
        spare = writer.inner_mm - others
        if widths[wide] < spare and writer.chance(0.35):  # the numbers get more space instead
            extra = (
                (spare - max(widths[wide], 0.3 * writer.inner_mm))
                / max(1, len(keys) - 1)
                * writer.rng.uniform(0.4, 0.9)
            )
            for key in widths:
                if key != wide and extra > 0:
                    widths[key] += extra
                    spare -= extra
        widths[wide] = spare

    def _heading_of(self, key: str) -> list[str]:
        """The name of a column, on two lines when it is long."""
        text = self.writer.word(_HEADING_KEYS.get(key, key))
        if key != "description" and len(text) > 10 and " " in text and self.writer.chance(0.7):
            middle = min((abs(2 * at - len(text)), at) for at, char in enumerate(text) if char == " ")[1]
            return [text[:middle], text[middle + 1 :]]
        return [text]

    def _has_rebates(self) -> bool:
        return any(self._rebate(item) for item in self.items)

    def _rebate(self, item: LineItem) -> int:
        """The discount of the row in percent, computed from its amount."""
        if item.quantity is None or item.unit_price is None or item.amount is None:
            return 0
        full = item.quantity * item.unit_price
        return round((1 - item.amount / full) * 100) if full else 0

    def _fill_synthetic(self, cells: Sequence[dict[str, list[TextRun]]], keys: Sequence[str]) -> None:
        """Fill columns that are no fields: row numbers, days and discounts, in place."""
        writer, first = self.writer, self.writer.rng.choice((1, 1, 1, 1, 10))
        form = writer.rng.choice(("{}", "{}", "{}.", "{:02}", "{:03}"))
        for at, (row, item) in enumerate(zip(cells, self.items, strict=True)):
            if "pos" in keys:
                row["pos"] = [(form.format((at + 1) * first), None)]
            if "day" in keys and writer.invoice.document_date is not None:
                day = writer.invoice.document_date - timedelta(days=max(0, 2 * (len(self.items) - at)))
                row["day"] = [(writer.day(day)[0], None)]
            if "discount" in keys:
                rebate = self._rebate(item)
                row["discount"] = [(self.percent.format(rebate), None)] if rebate or writer.chance(0.6) else []

    def _sections(self) -> dict[int, str]:
        """Headings between rows, by the index of the row below them."""
        if len(self.items) < 3 or not self.writer.chance(0.1):
            return {}
        return {
            0: self.writer.fill("{section}"),
            self.writer.rng.randrange(1, len(self.items)): self.writer.fill("{section}"),
        }

    # --- printing --------------------------------------------------------------------------------------------

    def _heading(self, columns: Sequence[_Column], y_mm: float) -> float:
        writer = self.writer
        if self.header_style == "none":
            return y_mm
        rows = max(len(column.heading) for column in columns)
        high = writer.pitch(rows) + writer.pitch(0.4)
        white = self.header_style == "filled"
        if self.header_style in ("filled", "tinted"):
            writer.box(writer.left_mm, y_mm, writer.inner_mm, high, writer.style.accent if white else writer.tint())
        elif self.lines in ("ends", "rows", "grid") or writer.chance(0.2):
            writer.rule(y_mm)
        for column in columns:
            for at, line in enumerate(column.heading):
                down = y_mm + writer.pitch(0.2) + writer.pitch() * (at + (rows - len(column.heading)) / 2)
                bold, ink = self.header_style != "plain", writer.style.accent if white else None
                room = column.width_mm - 0.8
                writer.put([(line, None)], column.anchor_mm, down, column.align, 1.0, bold, room, ink, inverse=white)
        y_mm += high
        if not white and self.lines != "none":
            writer.rule(y_mm, thickness_mm=writer.rng.choice((0.2, 0.3, 0.5)))
        return y_mm + writer.pitch(0.15)

    def _row(self, columns: Sequence[_Column], cells: dict[str, list[TextRun]], at: int, y_mm: float) -> float:
        """Print one item; a long description has several lines."""
        writer = self.writer
        wide = next((column for column in columns if column.key == "description"), columns[0])
        block = self._block(cells, wide)
        high = writer.pitch(max(1, len(block)))
        # Centred only for an odd number of lines: between two lines OCR would read it as part of either.
        down = (high - writer.pitch()) * self.level if self.level != 0.5 or len(block) % 2 else 0.0
        if self.lines == "zebra" and at % 2 == 0:
            writer.box(
                writer.left_mm,
                y_mm - writer.pitch(0.1),
                writer.inner_mm,
                high + writer.pitch(0.2 + self.row_gap * 0.5),
                (238, 240, 243),
            )
        for column in columns:
            if column.key == wide.key:
                writer.lines(block, column.anchor_mm, y_mm, column.align, 1.0, column.width_mm - 0.8)
            elif cells.get(column.key):
                writer.put(
                    cells[column.key], column.anchor_mm, y_mm + down, column.align, room_mm=column.width_mm - 0.8
                )
        y_mm += high + writer.pitch(self.row_gap)
        if self.lines in ("rows", "grid"):
            y_mm += writer.pitch(0.12)
            writer.rule(y_mm, thickness_mm=0.15)
            y_mm += writer.pitch(0.18)
        return y_mm

    def _block(self, cells: dict[str, list[TextRun]], wide: _Column) -> list[TextRuns]:
        """The lines of the widest cell; some tables have the product code among them."""
        writer = self.writer
        runs = cells.get(wide.key, [])
        if wide.key != "description" or not runs:
            return [runs] if runs else []
        text, field = runs[0]
        block: list[TextRuns] = [[(line, field)] for line in writer.wrapped(text, wide.width_mm - 1.5)]
        if self.code_below and "product_code" in cells:
            code: list[TextRun] = [(writer.labelled(writer.fill("{product_code}")), None), *cells["product_code"]]
            block.insert(len(block) if writer.chance(0.7) else 0, code)
        return block

    def _blank_rows(self, y_mm: float) -> float:
        """Print empty rows, as on a form."""
        writer = self.writer
        if self.lines not in ("grid", "rows", "zebra", "columns") or len(self.items) > 7 or not writer.chance(0.25):
            return y_mm
        for _ in range(writer.rng.randint(1, 6)):
            if writer.chance(0.2):
                writer.put([(writer.rng.choice(("-", "0.00", "$ -", "–")), None)], self.amounts_end_mm, y_mm, "r")
            y_mm += writer.pitch(1.1)
            if self.lines in ("rows", "grid"):
                writer.rule(y_mm, thickness_mm=0.15)
                y_mm += writer.pitch(0.2)
        return y_mm

    def _frame(self, columns: Sequence[_Column], top: float, bottom: float) -> None:
        writer = self.writer
        if self.lines in ("head", "ends", "zebra", "columns"):
            writer.rule(bottom)
        if self.lines in ("grid", "columns"):
            writer.rule(top)
            for column in columns:
                writer.vertical_rule(column.x_mm, top, bottom - top)
            writer.vertical_rule(writer.right_mm, top, bottom - top)
            if self.lines == "columns":
                writer.rule(bottom)

    def _print_as_list(self, y_mm: float) -> float:
        """Print the items without columns: description, and its price behind or below it."""
        writer = self.writer
        below = writer.chance(0.5)
        for at, item in enumerate(self.items):
            cells = self._cells(at, item)
            amount = cells.pop("amount", [])
            room = writer.inner_mm - writer.span(amount) - 4
            before: list[TextRun] = [*cells.pop("product_code", []), ("  ", None)] if "product_code" in cells else []
            text, field = cells.pop("description", [("", None)])[0]
            rows: list[list[TextRun]] = [[(line, field)] for line in writer.wrapped(text, room)] or [[]]
            rows[0] = before + rows[0]
            factors = self._multiplication(cells)
            if factors and below:
                rows.append(factors)
            elif factors:
                rows[-1] = [*rows[-1], ("  ", None), *factors]
            bottom = writer.lines(rows, writer.left_mm, y_mm, room_mm=room)
            if amount:
                writer.put(amount, writer.right_mm, bottom - writer.pitch(), "r")
            y_mm = bottom + writer.pitch(self.row_gap)
        return y_mm + writer.pitch(0.5)

    def _multiplication(self, cells: dict[str, list[TextRun]]) -> list[TextRun]:
        """ "2 Std. x 60,00" and the tax rate, as far as they are printed."""
        runs: list[TextRun] = []
        for key, before in (
            ("quantity", ""),
            ("unit", " "),
            ("unit_price", self.writer.rng.choice((" x ", " à ", " @ ", " * "))),
            ("tax_rate", "  "),
        ):
            if cells.get(key):
                runs += [(before, None), *cells[key]] if runs and before else cells[key]
        return runs
