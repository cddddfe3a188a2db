"""The upper part of an invoice: who bills and who pays."""

import re
from collections.abc import Callable
from functools import partial

from training.synth.documents.invoice.desk import Desk
from training.synth.documents.invoice.parties import address_lines
from training.synth.sheet import Box
from training.synth.typesetting import Run, Runs

_BESIDE = (" · ", " • ", " | ", " · ")
_SLOGANS = ("{thing_made} & {thing_made}", "{service}", "{trade} - {trade} - {trade}", "{trade} | {trade}")


class Head:
    """Prints the blocks above the table. Each takes a place and returns where it ends."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

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
        if name is not None and desk.places["vendor_name"] == "letterhead":
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
        if desk.wants("vendor_address", "letterhead"):
            blocks.append(partial(self.address_rows, "vendor_address"))
        if desk.chance(0.62):
            blocks.append(self._contact_rows)
        if desk.wants("vendor_tax_id", "letterhead"):
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
        if desk.wants("vendor_tax_id", "letterhead"):
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
        text += "" if text.endswith(":") else desk.style.colon
        ink = desk.style.accent if desk.chance(0.4) else None
        desk.put([(text, None)], x_mm, y_mm, "l", scale, desk.chance(0.6), room_mm, ink)
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
            y_mm = desk.lines([[(desk.label("customer_tax") + desk.fill("{n9}"), None)]], x_mm, y_mm, room_mm=room_mm)
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
