"""The lower part of an invoice: how to pay, what else is said, and the small print at the foot of the page."""

from collections.abc import Callable, Sequence

from training.synth.documents.invoice.desk import Desk
from training.synth.documents.invoice.head import Head
from training.synth.sheet import Barcode, Rule
from training.synth.typesetting import Run, Runs

_WHOLE = frozenset({"iban", "due_date", "invoice_id"})  # not broken over two lines


class Foot:
    """Prints what stands below the sums."""

    def __init__(self, desk: Desk, head: Head) -> None:
        self.desk = desk
        self.head = head

    def print(self, y_mm: float) -> float:
        """How and when to pay, where to, and what else there is to say."""
        desk = self.desk
        parts: list[Callable[[float], float]] = [self._term, self._due]
        if desk.chance(0.1):
            parts.reverse()
        extras: tuple[tuple[float, Callable[[float], float]], ...] = (
            (0.1, self._quote), (0.2, self._notes), (0.14, self._in_words), (0.35, self._thanks), (0.22, self._closing),
            (0.1, self._code), (0.12, self._signature), (0.1, self._fine_print), (0.04, self._stamp),
            (0.07, self._coupon),
        )  # fmt: skip
        parts += [part for often, part in extras if desk.chance(often)]
        if desk.wants("iban", "bank") or (desk.market.bank is None and desk.chance(0.45)):
            parts.insert(desk.rng.randint(0, len(parts)), self._bank)
        if desk.invoice.total_tax is None and desk.chance(0.6):
            parts.insert(0, self._exempt)
        for part in parts:
            below = part(y_mm)
            y_mm = below + (desk.pitch(desk.rng.choice((0.2, 0.5, 0.9))) if below > y_mm else 0.0)
        return y_mm

    def _say(self, runs: Runs, y_mm: float, x_mm: float | None = None) -> float:
        """Runs as a paragraph: broken between words, fields kept whole as far as they fit."""
        desk = self.desk
        rows: list[list[Run]] = [[]]
        for text, field in runs:
            for line in self._broken(rows, text, field):
                rows.append(line)
        return desk.lines(
            [row for row in rows if row], desk.left_mm if x_mm is None else x_mm, y_mm, room_mm=desk.inner_mm
        )

    def _broken(self, rows: list[list[Run]], text: str, field: str | None) -> list[list[Run]]:
        """Put as much as fits behind the last row; returns the rows that the rest makes."""
        desk, last = self.desk, rows[-1]
        room = desk.inner_mm - desk.span(last)
        if desk.span([(text, field)]) <= room:
            last.append((text, field))
            return []
        if field in _WHOLE:
            return [[(text, field)]]
        words, taken = text.split(" "), ""
        while words and desk.span([(taken + words[0] + " ", None)]) <= room:
            taken += words.pop(0) + " "
        if taken.strip():
            last.append((taken, field))
        return [[(line, field)] for line in desk.wrapped(" ".join(words), desk.inner_mm)]

    # --- when and how to pay -----------------------------------------------------------------------------------

    def _term(self, y_mm: float) -> float:
        desk = self.desk
        if not desk.wants("payment_term", "prose"):
            return y_mm
        term = desk.invoice.payment_term or ""
        label = desk.label("payment_term") if len(term) < 34 or desk.chance(0.2) else ""
        return self._say([run for run in ((label, None), (term, "payment_term")) if run[0]], y_mm)

    def _due(self, y_mm: float) -> float:
        desk = self.desk
        if not desk.wants("due_date", "prose"):
            return y_mm
        if desk.chance(0.3):
            return self._say([(desk.label("due_date"), None), *desk.value("due_date")], y_mm)
        before, _, after = desk.rng.choice(desk.lists["due_sentence"]).partition("{date}")
        return self._say([run for run in ((before, None), *desk.value("due_date"), (after, None)) if run[0]], y_mm)

    def _quote(self, y_mm: float) -> float:
        desk = self.desk
        if desk.invoice.invoice_id is None:
            return y_mm
        before, _, after = desk.rng.choice(desk.lists["quote_id"]).partition("{id}")
        return self._say([run for run in ((before, None), *desk.value("invoice_id"), (after, None)) if run[0]], y_mm)

    def _bank(self, y_mm: float) -> float:
        """Account details under a heading, in rows or on one line."""
        desk = self.desk
        rows = self.bank_rows()
        if desk.chance(0.25):
            together: list[Run] = []
            for row in rows:
                together += [(desk.rng.choice((", ", " | ", "  ")), None), *row] if together else list(row)
            return self._say(together, y_mm)
        x_mm = desk.left_mm if desk.chance(0.85) else desk.left_mm + 0.5 * desk.inner_mm
        if desk.chance(0.6):
            y_mm = desk.lines([[(desk.word("bank_heading"), None)]], x_mm, y_mm, bold=desk.chance(0.6))
        if desk.chance(0.4):
            return self._tabbed(rows, x_mm, y_mm)
        return desk.lines(rows, x_mm, y_mm, room_mm=desk.right_mm - x_mm)

    def _tabbed(self, rows: Sequence[Runs], x_mm: float, y_mm: float) -> float:
        """Labels in one column, values in another."""
        desk = self.desk
        wide = max((desk.span(row[:1]) for row in rows if len(row) > 1), default=0.0) + 3
        for row in rows:
            desk.put(row[:1], x_mm, y_mm)
            if len(row) > 1:
                desk.put(row[1:], x_mm + wide, y_mm, room_mm=desk.right_mm - x_mm - wide)
            y_mm += desk.pitch()
        return y_mm

    def bank_rows(self) -> list[Runs]:
        """The vendor's account: the IBAN where there is one, other numbers besides or instead."""
        desk, invoice = self.desk, self.desk.invoice
        rows: list[list[Run]] = []
        if desk.chance(0.65):
            rows.append([(desk.label("bank") if desk.chance(0.6) else "", None), (desk.fill("{bank_name}"), None)])
        if desk.chance(0.3) and invoice.vendor_name is not None:
            rows.append([(desk.label("holder"), None), (invoice.vendor_name, "vendor_name")])
        own: list[list[Run]] = []
        if invoice.iban is not None:
            own.append([(desk.label("iban"), None), *desk.value("iban")])
            if desk.chance(0.75):
                own.append(
                    [
                        (desk.label("bic"), None),
                        (
                            desk.fill("{letter}{letter}{letter}{letter}")
                            + invoice.iban[:2]
                            + desk.fill(
                                desk.rng.choice(
                                    ("{letter}{letter}", "{d2}{letter}{letter}{letter}", "{letter}{letter}XXX")
                                )
                            ),
                            None,
                        ),
                    ]
                )
        if invoice.iban is None or desk.chance(0.1):
            number = desk.rng.choice(("{n8}", "{n10}", "{n3} {n3} {n3}", "{n4} {n4} {n4}", "{n2}-{n4}-{n6}", "{n9}"))
            own.append([(desk.label("account"), None), (desk.fill(number), None)])
            if desk.chance(0.6):
                code = desk.rng.choice(
                    ("{n2}-{d2}-{d2}", "{n6}", "{n3}-{d3}", "{n9}", "{n8}", "{letter}{letter}{letter}{letter}0{n6}")
                )
                own.append([(desk.label("routing"), None), (desk.fill(code), None)])
        if desk.chance(0.2):
            own.reverse()
        return [[run for run in row if run[0]] for row in rows + own]

    # --- what else is said -------------------------------------------------------------------------------------

    def _exempt(self, y_mm: float) -> float:
        sums = self.desk.invoice
        hidden = sums.subtotal is not None and sums.invoice_total is not None and sums.invoice_total > sums.subtotal
        return y_mm if hidden else self._say([(self.desk.fill("{exempt}"), None)], y_mm)

    def _notes(self, y_mm: float) -> float:
        desk = self.desk
        scale = desk.rng.choice((1.0, desk.style.small))
        for _ in range(desk.rng.choice((1, 1, 2, 3))):
            y_mm = desk.paragraph(desk.fill("{note}"), None, desk.left_mm, y_mm, desk.inner_mm, "l", scale)
        return y_mm

    def _in_words(self, y_mm: float) -> float:
        return self._say([(self.desk.fill("{in_words}"), None)], y_mm)

    def _thanks(self, y_mm: float) -> float:
        desk = self.desk
        if desk.chance(0.3):
            return desk.lines(
                [[(desk.fill("{thanks}"), None)]],
                desk.width_mm / 2,
                y_mm,
                "c",
                room_mm=desk.inner_mm,
                bold=desk.chance(0.4),
            )
        return self._say([(desk.fill("{thanks}"), None)], y_mm)

    def _closing(self, y_mm: float) -> float:
        desk = self.desk
        y_mm = self._say([(desk.fill("{closing}"), None)], y_mm + desk.pitch(0.5))
        if desk.chance(0.5):
            y_mm += desk.pitch(desk.rng.choice((0.2, 1.5)))
        if desk.chance(0.4) and desk.invoice.vendor_name is not None:
            return self._say([(desk.invoice.vendor_name, "vendor_name")], y_mm)
        return self._say([(desk.fill("{person}"), None)], y_mm)

    def _code(self, y_mm: float) -> float:
        """A code to pay with."""
        desk = self.desk
        side = desk.rng.uniform(18, 34)
        x_mm = desk.rng.choice((desk.left_mm, desk.right_mm - side))
        desk.press.marks.append(Barcode(x_mm, y_mm, side, side, square=True))
        return y_mm + side + 1

    def _signature(self, y_mm: float) -> float:
        desk = self.desk
        y_mm += desk.pitch(desk.rng.choice((1.5, 2.5)))
        x_mm = desk.rng.choice((desk.left_mm, desk.left_mm + 0.6 * desk.inner_mm))
        desk.rule(y_mm, x_mm, 0.35 * desk.inner_mm, 0.15)
        return desk.lines([[(desk.fill("{signature}"), None)]], x_mm, y_mm + 0.4, "l", 0.85)

    def _fine_print(self, y_mm: float) -> float:
        """A block of conditions that nobody reads."""
        desk = self.desk
        text = " ".join(desk.fill("{fine_print}") for _ in range(desk.rng.randint(2, 9)))
        return desk.paragraph(text, None, desk.left_mm, y_mm, desk.inner_mm, "l", desk.rng.choice((0.55, 0.65, 0.75)))

    def _stamp(self, y_mm: float) -> float:
        """Large letters across what is blank."""
        desk = self.desk
        x_mm = desk.left_mm + desk.rng.uniform(0.1, 0.7) * desk.inner_mm
        return desk.lines([[(desk.fill("{paid_stamp}"), None)]], x_mm, y_mm, "l", 2.4, bold=True, ink=(190, 40, 40))

    def _coupon(self, y_mm: float) -> float:
        """A slip to tear off: the numbers once more."""
        desk = self.desk
        y_mm += desk.pitch(1.5)
        desk.press.marks.append(Rule(desk.left_mm, y_mm, desk.inner_mm, 0.2, dashed=True, ink=desk.press.ink))
        y_mm = desk.lines([[(desk.fill("{coupon}"), None)]], desk.left_mm, y_mm + 1, bold=True)
        due = "amount_due" if desk.invoice.amount_due is not None else "invoice_total"
        names = [name for name in ("invoice_id", "invoice_date", "due_date", "customer_name", due) if desk.chance(0.7)]
        rows = [
            [(desk.label("bill_to" if name == "customer_name" else name), None), *desk.value(name)] for name in names
        ]
        shown = [row for row in rows if len(row) > 1]
        if desk.chance(0.5):
            return self._tabbed(shown, desk.left_mm, y_mm)
        half = 0.5 * desk.inner_mm
        left = desk.lines(shown[::2], desk.left_mm, y_mm, room_mm=half - 3)
        return max(left, desk.lines(shown[1::2], desk.left_mm + half, y_mm, room_mm=half))

    # --- the foot of the page ----------------------------------------------------------------------------------

    def small_print(self) -> float:
        """Columns at the foot of the page; returns where they begin."""
        desk = self.desk
        blocks = self._blocks()
        scale = desk.rng.choice((0.62, 0.7, 0.75))
        bottom = desk.height_mm - desk.rng.uniform(6, 14)
        if not blocks:
            return self._page_number(bottom)
        if desk.chance(0.2):
            return self._centred(blocks, bottom, scale)
        step = desk.inner_mm / len(blocks)
        fitted = [self._fit(block, step - 3, scale) for block in blocks]
        top = bottom - max(map(len, fitted)) * desk.pitch(scale)
        if desk.chance(0.6):
            desk.rule(top - 1.2, thickness_mm=0.2, ink=desk.style.accent)
        for at, rows in enumerate(fitted):
            desk.lines(rows, desk.left_mm + at * step, top, "l", scale, step - 2)
        return top - 2.5

    def _fit(self, rows: Sequence[Runs], room_mm: float, scale: float) -> list[Runs]:
        """Rows as they are, long texts of a single field wrapped."""
        fitted: list[Runs] = []
        for row in rows:
            if len(row) == 1 and self.desk.span(row, scale) > room_mm:
                fitted += [[(line, row[0][1])] for line in self.desk.wrapped(row[0][0], room_mm, scale)]
            else:
                fitted.append(row)
        return fitted

    def _centred(self, blocks: Sequence[Sequence[Runs]], bottom: float, scale: float) -> float:
        """Everything in one or two centred lines."""
        desk = self.desk
        between: Run = (desk.rng.choice((" | ", " · ", " - ", "   ")), None)
        lines: list[list[Run]] = [[]]
        for row in (row for block in blocks for row in block):
            if lines[-1] and desk.span([*lines[-1], between, *row], scale) > desk.inner_mm:
                lines.append([])
            lines[-1] += [between, *row] if lines[-1] else list(row)
        top = bottom - len(lines) * desk.pitch(scale)
        desk.lines(lines, desk.width_mm / 2, top, "c", scale, desk.inner_mm)
        return top - 2.0

    def _page_number(self, bottom: float) -> float:
        desk = self.desk
        if desk.chance(0.3):
            desk.put(
                [(desk.fill("{copy}"), None)],
                desk.rng.choice((desk.right_mm, desk.width_mm / 2)),
                bottom - desk.pitch(),
                "r",
                0.8,
            )
        return bottom - desk.pitch(1.2)

    def _blocks(self) -> list[list[Runs]]:
        """What stands in the columns: who, how to reach them, the bank, the registers."""
        desk, head, invoice = self.desk, self.head, self.desk.invoice
        must = (
            desk.wants("vendor_address", "footer")
            or desk.wants("iban", "footer")
            or desk.wants("vendor_tax_id", "footer")
        )
        if not must and self._named_above() and not desk.chance(0.35):
            return []
        blocks: list[list[Runs]] = []
        if desk.wants("vendor_address", "footer") or not self._named_above() or desk.chance(0.3):
            who: list[Runs] = [[(invoice.vendor_name, "vendor_name")]] if invoice.vendor_name is not None else []
            if desk.wants("vendor_address", "footer") or (invoice.vendor_address is not None and desk.chance(0.5)):
                who += head.address_rows("vendor_address", 1e3, 1.0)
            blocks.append(who)
        if desk.chance(0.55):
            reach: list[Runs] = [
                [(desk.label(key) + desk.fill("{phone}"), None)] for key in ("tel", "fax") if desk.chance(0.7)
            ]
            for key in ("mail", "web"):
                if desk.chance(0.7):
                    reach.append([((desk.label(key) if desk.chance(0.5) else "") + head.web(key), None)])
            blocks.append(reach)
        if desk.wants("iban", "footer"):
            blocks.append(list(self.bank_rows()))
        law: list[Runs] = []
        if desk.wants("vendor_tax_id", "footer"):
            law.append(head.tax_runs())
        for key, often in (("register", 0.4), ("manager", 0.4), ("other_tax_id", 0.25)):
            if desk.chance(often):
                law.append([(desk.fill("{" + key + "}"), None)])
        if law:
            desk.rng.shuffle(law)
            blocks.append(law)
        if desk.chance(0.15):
            desk.rng.shuffle(blocks)
        return [block for block in blocks if block]

    def _named_above(self) -> bool:
        """Whether the vendor's name stands elsewhere already."""
        return self.desk.places["vendor_name"] != "footer"
