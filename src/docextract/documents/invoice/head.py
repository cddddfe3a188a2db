"""The upper part of an invoice: who bills, who pays, and the numbers and dates that name it."""

import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

from docextract.documents.invoice.desk import Desk
from docextract.documents.invoice.parties import address_lines
from docextract.documents.sheet import Box
from docextract.documents.typesetting import Run, Runs

Entry = tuple[str, list[Run]]  # a label, and the value that stands with it

_BESIDE = (" · ", " • ", " | ", " · ")
_SLOGANS = ("{thing_made} & {thing_made}", "{service}", "{trade} - {trade} - {trade}", "{trade} | {trade}")
_MADE_NUMBERS = {
    "customer_no": ("{n5}", "{n6}", "{n4}", "K{n5}", "C{n4}", "{letter}{n4}", "1{d4}", "D{n5}", "{n3}-{n3}"),
    "order_no": ("{n5}", "AB-{n5}", "{n6}", "{letter}{n5}", "20{d2}-{n3}", "{n4}/{d2}", "SO{n5}", "P-{n4}", "Q{n4}"),
    "delivery_note": ("{n6}", "LS-{n5}", "{n5}", "DN{n5}", "{letter}{letter}{n4}", "{n8}"),
    "project": ("{coin}", "{n4} {coin}", "{service}", "{coin} {place}", "{thing_made} {coin}"),
    "customer_tax": ("{n9}", "{letter}{letter}{n9}", "{letter}{n8}", "{letter}{letter}{letter}{n9}"),
    "contact": ("{person}", "{person}", "{first}", "{letter}{letter}", "{person}, {phone}"),
    "method": ("{method_made}",),
}  # fmt: skip


class Head:
    """Prints the blocks above the table. Each takes a place and returns where it ends."""

    def __init__(self, desk: Desk, places: dict[str, str]) -> None:
        self.desk = desk
        self.places = places  # field → the block that prints it

    def wants(self, name: str, place: str) -> bool:
        """Whether this block is the one to print this field."""
        return getattr(self.desk.invoice, name) is not None and self.places.get(name) == place

    # --- who bills ---------------------------------------------------------------------------------------------

    def letterhead(self, x_mm: float, y_mm: float, room_mm: float, align: str) -> float:
        """The vendor: emblem, name, what it does, address and numbers, as far as they belong here."""
        desk = self.desk
        edge = x_mm + {"l": 0.0, "r": room_mm, "c": room_mm / 2}[align]
        if desk.chance(0.35):
            y_mm, edge, room_mm = self._emblem(x_mm, y_mm, room_mm, align, edge)
        scale = desk.rng.choice((1.0, 1.2, 1.4, 1.6, 1.9, 2.3))
        bold = desk.chance(0.6)
        ink = desk.style.accent if desk.chance(0.5) else None
        name = desk.invoice.vendor_name
        if name is not None and self.places.get("vendor_name") == "letterhead":
            while scale > 1.0 and desk.press.measure(name, scale) > 1.7 * room_mm:
                scale -= 0.2
            y_mm = desk.paragraph(name, "vendor_name", edge, y_mm, room_mm, align, max(scale, 1.0), bold, ink)
        else:
            brand = desk.fill(desk.rng.choice(("{coin}", "{coin}{coin2}", "{initials}", "{coin} {thing}")))
            y_mm = desk.lines([[(brand, None)]], edge, y_mm, align, 2.2, room_mm, bold, ink)
        small = desk.rng.choice((1.0, 1.0, desk.style.small))
        if desk.chance(0.14):
            slogan = desk.fill(desk.rng.choice(_SLOGANS))
            y_mm = desk.lines([[(slogan, None)]], edge, y_mm, align, small, room_mm)
        if desk.chance(0.3):
            y_mm += desk.pitch(0.4)
        for block in self._contact_blocks():
            y_mm = desk.lines(block(room_mm, small), edge, y_mm, align, small, room_mm)
        return y_mm

    def _emblem(self, x_mm: float, y_mm: float, room_mm: float, align: str, edge: float) -> tuple[float, float, float]:
        """A logo above the name, or before it. Returns the next y, the edge and the room that are left."""
        desk = self.desk
        high = desk.rng.uniform(9, 20)
        wide = high * desk.rng.uniform(0.9, 2.4)
        if align == "l" and desk.chance(0.4) and room_mm > 80:
            desk.press.marks.append(Box(x_mm, y_mm, high, high, ink=desk.style.accent))
            return y_mm, edge + high + 3, room_mm - high - 3
        start = edge - {"l": 0.0, "r": wide, "c": wide / 2}[align]
        desk.press.marks.append(Box(start, y_mm, wide, high, ink=desk.style.accent))
        return y_mm + high + 1.5, edge, room_mm

    def _contact_blocks(self) -> list[Callable[[float, float], list[Runs]]]:
        """What stands under the name, mostly in this order."""
        desk = self.desk
        blocks: list[Callable[[float, float], list[Runs]]] = []
        if self.wants("vendor_address", "letterhead"):
            blocks.append(partial(self.address_rows, "vendor_address"))
        if desk.chance(0.62):
            blocks.append(self._contact_rows)
        if self.wants("vendor_tax_id", "letterhead"):
            blocks.append(self._tax_rows)
        elif desk.chance(0.1):
            blocks.append(self._other_number)
        if desk.chance(0.1):
            desk.rng.shuffle(blocks)
        return blocks

    def address_rows(self, name: str, room_mm: float, scale: float) -> list[Runs]:
        """An address on its lines, or beside each other where that fits."""
        desk = self.desk
        address = getattr(desk.invoice, name)
        lines = address_lines(address, desk.rng)
        if desk.chance(0.22 if name == "vendor_address" else 0.03):
            together = address if "," in address else desk.rng.choice(_BESIDE).join(lines)
            lines = [together]
        return [[(part, name)] for line in lines for part in desk.wrapped(line, room_mm, scale)]

    def _contact_rows(self, room_mm: float, scale: float) -> list[Runs]:
        desk = self.desk
        pairs: list[str] = []
        for key, often, made in (
            ("tel", 0.85, "{phone}"),
            ("fax", 0.25, "{phone}"),
            ("mail", 0.55, ""),
            ("web", 0.45, ""),
        ):
            if desk.chance(often):
                text = desk.fill(made) if made else self.web(key)
                pairs.append((desk.label(key) if desk.chance(0.75) else "") + text)
        if desk.chance(0.3) and pairs:
            return [
                [(line, None)]
                for line in desk.wrapped(desk.rng.choice((" | ", " · ", "  ", " - ")).join(pairs), room_mm, scale)
            ]
        return [[(pair, None)] for pair in pairs]

    def web(self, key: str) -> str:
        """A mail or web address made from the vendor's name."""
        name = (self.desk.invoice.vendor_name or self.desk.fill("{coin}")).lower()
        host = (
            re.sub(r"[^a-z0-9-]", "", name.replace(" ", "-" if self.desk.chance(0.3) else ""))[:18].strip("-")
            or "office"
        )
        end = self.desk.rng.choice(("com", self.desk.market.country.lower(), self.desk.market.country.lower()))
        before = (
            self.desk.rng.choice(("info@", "office@", "billing@", "mail@", "contact@")) if key == "mail" else "www."
        )
        return f"{before}{host}.{end}"

    def _tax_rows(self, room_mm: float, scale: float) -> list[Runs]:
        rows: list[Runs] = [self.tax_runs()]
        return rows + (self._other_number(room_mm, scale) if self.desk.chance(0.25) else [])

    def tax_runs(self) -> list[Run]:
        """The vendor's tax number with its label."""
        desk = self.desk
        key = "other_tax_id" if "/" in (desk.invoice.vendor_tax_id or "") and desk.market.country == "DE" else "tax_id"
        if key == "other_tax_id":
            return [
                (desk.labelled(desk.rng.choice(("Steuernummer", "St.-Nr.", "Steuer-Nr.", "StNr."))), None),
                *desk.value("vendor_tax_id"),
            ]
        return [(desk.label("tax_id"), None), *desk.value("vendor_tax_id")]

    def _other_number(self, room_mm: float, scale: float) -> list[Runs]:
        """A number that looks like the tax number and is none."""
        text = self.desk.word("other_tax_id")
        if not any(map(str.isdigit, text)):
            text += self.desk.fill(" {n8}")
        return [[(text, None)]]

    def sender_line(self, x_mm: float, y_mm: float, room_mm: float) -> float:
        """Name and address in small print above the window for the customer's."""
        desk, invoice = self.desk, self.desk.invoice
        scale = desk.rng.choice((0.6, 0.65, 0.7))
        between = desk.rng.choice(_BESIDE)
        runs: list[Run] = []
        if invoice.vendor_name is not None:
            runs.append((invoice.vendor_name, "vendor_name"))
        if invoice.vendor_address is not None:
            address = invoice.vendor_address
            text = address if "," in address else between.join(address_lines(address, desk.rng))
            runs += [(between if runs else "", None), (text, "vendor_address")]
        if not runs:
            return y_mm
        desk.put([run for run in runs if run[0]], x_mm, y_mm, "l", scale, room_mm=room_mm)
        if desk.chance(0.5):
            desk.rule(y_mm + desk.pitch(scale), x_mm, min(room_mm, desk.span(runs, scale)), 0.15)
        return y_mm + desk.pitch(scale) + 1.0

    def vendor_block(self, x_mm: float, y_mm: float, room_mm: float) -> float:
        """The vendor once more or for the first time, as one of two columns: "From: …"."""
        desk = self.desk
        if desk.chance(0.7):
            y_mm = self._heading("from", x_mm, y_mm, room_mm)
        if desk.invoice.vendor_name is not None:
            y_mm = desk.paragraph(desk.invoice.vendor_name, "vendor_name", x_mm, y_mm, room_mm, bold=desk.chance(0.4))
        if desk.invoice.vendor_address is not None:
            y_mm = desk.lines(self.address_rows("vendor_address", room_mm, 1.0), x_mm, y_mm, room_mm=room_mm)
        if self.wants("vendor_tax_id", "letterhead"):
            y_mm = desk.lines([self.tax_runs()], x_mm, y_mm, room_mm=room_mm)
        return y_mm

    # --- who pays ----------------------------------------------------------------------------------------------

    def _heading(self, key: str, x_mm: float, y_mm: float, room_mm: float) -> float:
        """The title of a block, plain, coloured or on a band."""
        desk = self.desk
        text = desk.word(key)
        if desk.chance(0.12):
            desk.box(x_mm, y_mm - 0.3, room_mm, desk.pitch(), desk.tint())
            desk.put([(text, None)], x_mm + 1, y_mm, bold=True, room_mm=room_mm)
            return y_mm + desk.pitch(1.2)
        scale = desk.rng.choice((1.0, 1.0, desk.style.small, 1.15))
        desk.put([(text + ("" if text.endswith(":") else desk.style.colon), None)], x_mm, y_mm, "l", scale, desk.chance(0.6), room_mm,
                 desk.style.accent if desk.chance(0.4) else None)  # fmt: skip
        return y_mm + desk.pitch(scale)

    def customer(self, x_mm: float, y_mm: float, room_mm: float, headed: float = 0.6) -> float:
        """Whom the invoice is for, as far as the record says."""
        desk, invoice = self.desk, self.desk.invoice
        if invoice.customer_name is None and invoice.customer_address is None:
            return y_mm
        if desk.chance(headed):
            y_mm = self._heading("bill_to", x_mm, y_mm, room_mm)
        if desk.chance(0.1) and desk.language == "de":
            y_mm = desk.lines([[(desk.rng.choice(("Firma", "Herrn", "Frau", "An")), None)]], x_mm, y_mm)
        if desk.chance(0.07):
            return self._customer_rows(x_mm, y_mm, room_mm)
        attention = desk.chance(0.18)
        if attention and desk.chance(0.2):
            y_mm = desk.lines([[(desk.word("attention"), None)]], x_mm, y_mm, room_mm=room_mm)
            attention = False
        if invoice.customer_name is not None:
            y_mm = desk.paragraph(invoice.customer_name, "customer_name", x_mm, y_mm, room_mm, bold=desk.chance(0.2))
        if attention:
            y_mm = desk.lines([[(desk.fill("{attention}"), None)]], x_mm, y_mm, room_mm=room_mm)
        if invoice.customer_address is not None:
            if desk.chance(0.12):
                y_mm += desk.pitch(0.4)
            y_mm = desk.lines(self.address_rows("customer_address", room_mm, 1.0), x_mm, y_mm, room_mm=room_mm)
        if desk.chance(0.14):
            y_mm = desk.lines(
                [[(desk.label("customer_tax") + self._made("customer_tax"), None)]], x_mm, y_mm, room_mm=room_mm
            )
        if desk.chance(0.12):
            y_mm = desk.lines(
                [[(desk.label(desk.rng.choice(("tel", "mail"))) + desk.fill("{phone}"), None)]],
                x_mm,
                y_mm,
                room_mm=room_mm,
            )
        return y_mm

    def _customer_rows(self, x_mm: float, y_mm: float, room_mm: float) -> float:
        """The customer as a form has it: each part behind its label."""
        desk, invoice = self.desk, self.desk.invoice
        labels = [desk.labelled(desk.fill("{" + key + "}")) for key in ("name_label", "address_label")]
        start = x_mm + max(map(desk.press.measure, labels)) + 2
        room = x_mm + room_mm - start
        for label, name in zip(labels, ("customer_name", "customer_address"), strict=True):
            text = getattr(invoice, name)
            if text is not None:
                desk.put([(label, None)], x_mm, y_mm, bold=desk.style.bold_labels)
                y_mm = desk.paragraph(text, name, start, y_mm, room)
        return y_mm

    def ship_to(self, x_mm: float, y_mm: float, room_mm: float) -> float:
        """Where the goods went: looks like the customer, is no field."""
        desk, invoice = self.desk, self.desk.invoice
        y_mm = self._heading("ship_to", x_mm, y_mm, room_mm)
        name = invoice.customer_name if invoice.customer_name and desk.chance(0.5) else desk.fill("{business}")
        y_mm = desk.lines([[(part, None)] for part in desk.wrapped(name, room_mm)], x_mm, y_mm, room_mm=room_mm)
        if desk.chance(0.2):
            y_mm = desk.lines([[(desk.fill("{person}"), None)]], x_mm, y_mm, room_mm=room_mm)
        lines = [desk.fill(part).replace("..", ".") for part in desk.rng.choice(desk.market.address).split("/")]
        return desk.lines([[(line, None)] for line in lines], x_mm, y_mm, room_mm=room_mm)

    # --- what names the invoice --------------------------------------------------------------------------------

    def entries(self) -> list[Entry]:
        """Numbers and dates with their labels: the record's that belong here, among others that are no fields."""
        desk, invoice = self.desk, self.desk.invoice
        names = [name for name in ("invoice_id", "invoice_date", "due_date", "purchase_order", "payment_term", "vendor_tax_id", "iban") if self.wants(name, "meta")]  # fmt: skip
        found: list[Entry] = [(self._label_of(name), desk.value(name)) for name in names]
        if invoice.invoice_total is not None and desk.chance(0.07):
            due = "amount_due" if invoice.amount_due is not None else "invoice_total"
            found.append((desk.word(due), desk.value(due)))
        others = self._others()
        if desk.chance(0.65):
            return found + others
        if desk.chance(0.5):
            desk.rng.shuffle(others)
            return others + found
        mixed = found + others
        desk.rng.shuffle(mixed)
        return mixed

    def _label_of(self, name: str) -> str:
        desk = self.desk
        if name == "vendor_tax_id":
            return self.tax_runs()[0][0].strip(" :")
        return desk.word(name)

    def _others(self) -> list[Entry]:
        """Other numbers, days and people."""
        desk = self.desk
        found: list[Entry] = []
        rates = (
            ("customer_no", 0.34), ("order_no", 0.22), ("order_date", 0.1), ("delivery_date", 0.22), ("delivery_note", 0.13),
            ("contact", 0.2), ("method", 0.12), ("project", 0.1), ("customer_tax", 0.06), ("copy", 0.1),
        )  # fmt: skip
        busy = desk.rng.choice((0.3, 1.0, 1.0, 1.8))
        for key, often in rates:
            if desk.chance(often * busy):
                if key == "copy":
                    found.append((desk.word("copy"), []))
                else:
                    found.append((desk.word(key), [(self._made(key), None)]))
        return found

    def _made(self, key: str) -> str:
        desk = self.desk
        if key in ("order_date", "delivery_date"):
            day = desk.invoice.invoice_date
            if day is None:
                return desk.fill("{n2}.{n2}.20{d2}")
            other = day - timedelta(days=desk.rng.choice((0, 1, 2, 5, 7, 14, 21, 30)))
            text = desk.day(other)[0]
            if key == "delivery_date" and desk.chance(0.15):
                return f"{text} - {desk.day(day)[0]}"
            return text
        return desk.fill(desk.rng.choice(_MADE_NUMBERS[key]))

    def meta(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Entries in a column, in one of the ways offices have."""
        desk = self.desk
        if not entries:
            return y_mm
        return desk.rng.choice((self._tabbed, self._tabbed, self._tabbed, self._inline, self._ends, self._table, self._stacked))(
            entries, x_mm, y_mm, room_mm
        )  # fmt: skip

    def _inline(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        desk = self.desk
        rows = [[(desk.labelled(label), None), *value] if value else [(label, None)] for label, value in entries]
        right = desk.chance(0.25)
        return desk.lines(rows, x_mm + room_mm if right else x_mm, y_mm, "r" if right else "l", 1.0, room_mm)

    def _tabbed(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Labels in one column, values in another."""
        desk = self.desk
        label_mm = min(max(desk.press.measure(label) for label, _ in entries) + desk.rng.uniform(3, 9), 0.6 * room_mm)
        bold, align = desk.style.bold_labels, desk.rng.choice(("l", "l", "l", "r"))
        for label, value in entries:
            at = x_mm if align == "l" else x_mm + label_mm - 2.5
            desk.put([(label + desk.style.colon, None)], at, y_mm, align, 1.0, bold, label_mm - 2)
            if value:
                desk.put(value, x_mm + label_mm, y_mm, room_mm=room_mm - label_mm)
            y_mm += desk.pitch()
        return y_mm

    def _ends(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Labels on the left, values against the right."""
        desk = self.desk
        for label, value in entries:
            label_room = max(0.35 * room_mm, room_mm - desk.span(value) - 3)
            desk.put([(label + desk.style.colon, None)], x_mm, y_mm, bold=desk.style.bold_labels, room_mm=label_room)
            if value:
                desk.put(value, x_mm + room_mm, y_mm, "r", room_mm=0.62 * room_mm)
            y_mm += desk.pitch()
        return y_mm

    def _table(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        """A small table with lines."""
        desk = self.desk
        pitch, top, split = desk.pitch(1.25), y_mm, x_mm + room_mm * desk.rng.uniform(0.4, 0.5)
        shade = desk.tint() if desk.chance(0.4) else None
        for label, value in entries:
            if shade:
                desk.box(x_mm, y_mm, split - x_mm, pitch, shade)
            desk.rule(y_mm, x_mm, room_mm, 0.2)
            desk.put(
                [(label, None)], x_mm + 1.2, y_mm + 0.1 * pitch, bold=desk.style.bold_labels, room_mm=split - x_mm - 2
            )
            if value:
                desk.put(value, split + 1.2, y_mm + 0.1 * pitch, room_mm=x_mm + room_mm - split - 2)
            y_mm += pitch
        desk.rule(y_mm, x_mm, room_mm, 0.2)
        if desk.chance(0.7):
            for at in (x_mm, split, x_mm + room_mm):
                desk.upright(at, top, y_mm - top)
        return y_mm + 1.5

    def _stacked(self, entries: Sequence[Entry], x_mm: float, y_mm: float, room_mm: float) -> float:
        """Labels above their values."""
        desk = self.desk
        if len(entries) > 5:
            return self._tabbed(entries, x_mm, y_mm, room_mm)
        scale, ink = desk.style.small, desk.style.accent if desk.chance(0.5) else None
        for label, value in entries:
            desk.put([(label, None)], x_mm, y_mm, "l", scale, desk.style.bold_labels, room_mm, ink)
            y_mm += desk.pitch(scale)
            if value:
                desk.put(value, x_mm, y_mm, room_mm=room_mm)
                y_mm += desk.pitch(1.2)
        return y_mm

    def band(self, entries: Sequence[Entry], y_mm: float) -> float:
        """Entries side by side across the page: labels above, values below."""
        desk = self.desk
        most = desk.rng.choice((3, 4, 5, 6))
        boxed, filled = desk.chance(0.6), desk.chance(0.4)
        shade = desk.style.accent if filled and desk.chance(0.5) else desk.tint()
        for start in range(0, len(entries), most):
            row = entries[start : start + most]
            step, pitch = desk.inner_mm / len(row), desk.pitch(1.25)
            if filled:
                desk.box(desk.left_mm, y_mm, desk.inner_mm, pitch, shade)
            for at, (label, value) in enumerate(row):
                x_mm = desk.left_mm + at * step + 1.2
                white = filled and shade == desk.style.accent
                desk.put([(label, None)], x_mm, y_mm + 0.1 * pitch, "l", 0.9, desk.style.bold_labels or filled, step - 2,
                         shade if white else None, inverse=white)  # fmt: skip
                if value:
                    desk.put(value, x_mm, y_mm + 1.1 * pitch, room_mm=step - 2)
            if boxed:
                desk.box(desk.left_mm, y_mm, desk.inner_mm, 2 * pitch)
                for at in range(1, len(row)):
                    desk.upright(desk.left_mm + at * step, y_mm, 2 * pitch)
            y_mm += 2 * pitch + 0.8
        return y_mm

    def title(self, x_mm: float, y_mm: float, room_mm: float, align: str) -> float:
        """The word Invoice, with its number and its date where they belong here."""
        desk = self.desk
        scale = desk.rng.choice((1.2, 1.4, 1.7, 2.1, 2.6))
        ink = desk.style.accent if desk.chance(0.45) else None
        runs: list[Run] = [(desk.word("title"), None)]
        if self.wants("invoice_id", "title"):
            scale = min(scale, 1.7)
            runs += [
                (desk.rng.choice((" ", " ", " Nr. ", " No. ", " # ", ": ", " n° ")), None),
                *desk.value("invoice_id"),
            ]
        if self.wants("invoice_date", "title"):
            scale = min(scale, 1.4)
            since = {"de": "vom", "fr": "du", "it": "del", "es": "de", "pt": "de", "nl": "d.d."}.get(desk.language, "-")
            runs += [(f" {since} ", None), *desk.value("invoice_date")]
        at = x_mm + {"l": 0.0, "r": room_mm, "c": room_mm / 2}[align]
        desk.put(runs, at, y_mm, align, scale, desk.chance(0.75), room_mm, ink)
        y_mm += desk.pitch(scale)
        if desk.chance(0.05):
            y_mm = desk.lines([[(desk.word("copy"), None)]], at, y_mm, align)
        return y_mm + desk.pitch(0.3)

    def place_line(self, y_mm: float) -> float:
        """ "München, 12.03.2024", at the right."""
        desk = self.desk
        comma = {"de": ", den ", "fr": ", le ", "it": ", li ", "es": ", a ", "pt": ", "}.get(desk.language, ", ")
        before = desk.fill("{town}").split(",")[0] + (comma if desk.chance(0.6) else ", ")
        desk.put([(before, None), *desk.value("invoice_date")], desk.right_mm, y_mm, "r", room_mm=0.6 * desk.inner_mm)
        return y_mm + desk.pitch(1.4)
