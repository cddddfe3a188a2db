"""Lays out the upper part of an invoice: vendor and customer."""

import re
from collections.abc import Callable
from functools import partial

from training.synth.documents.invoice.parties import address_lines
from training.synth.documents.invoice.writer import InvoiceWriter
from training.synth.sheet import Box
from training.synth.typesetting import TextRun, TextRuns

_ADDRESS_SEPARATORS = (" · ", " • ", " | ", " · ")
_SLOGANS = ("{thing_made} & {thing_made}", "{service}", "{trade} - {trade} - {trade}", "{trade} | {trade}")


_SECTION_HEADINGS = {"vendor": "from", "customer": "bill_to", "ship_to": "ship_to"}
_PARTY_PLACES = {"vendor": "letterhead", "customer": "customer"}


class InvoiceHeader:
    """Prints the blocks above the table. Each takes a position and returns the y where it ends, mm."""

    def __init__(self, writer: InvoiceWriter) -> None:
        self.writer = writer
        self.has_ship_to = False  # whether the address of delivery has been printed

    # --- vendor ---------------------------------------------------------------------------------------------

    def letterhead(self, x_mm: float, y_mm: float, room_mm: float, align: str) -> float:
        """Print the vendor: logo, name, slogan, address and numbers, when they are printed here."""
        writer = self.writer
        edge = x_mm + {"l": 0.0, "r": room_mm, "c": room_mm / 2}[align]
        if writer.chance(0.35):
            y_mm, edge, room_mm = self._emblem(x_mm, y_mm, room_mm, align, edge)
        scale = writer.rng.choice((1.0, 1.2, 1.4, 1.6, 1.9, 2.3))
        bold = writer.chance(0.6)
        ink = writer.style.accent if writer.chance(0.5) else None
        name = writer.invoice.vendor_name
        if name is not None and writer.field_places["vendor_name"] == "letterhead":
            while scale > 1.0 and writer.layout.measure(name, scale) > 1.7 * room_mm:
                scale -= 0.2
            y_mm = writer.paragraph(name, "vendor_name", edge, y_mm, room_mm, align, max(scale, 1.0), bold, ink)
        else:
            brand = writer.fill(writer.rng.choice(("{coin}", "{coin}{coin2}", "{initials}", "{coin} {thing}")))
            y_mm = writer.lines([[(brand, None)]], edge, y_mm, align, 2.2, room_mm, bold, ink)
        small = writer.rng.choice((1.0, 1.0, writer.style.small))
        if writer.chance(0.14):
            slogan = writer.fill(writer.rng.choice(_SLOGANS))
            y_mm = writer.lines([[(slogan, None)]], edge, y_mm, align, small, room_mm)
        if writer.chance(0.3):
            y_mm += writer.pitch(0.4)
        for block in self._contact_blocks():
            y_mm = writer.lines(block(room_mm, small), edge, y_mm, align, small, room_mm)
        return y_mm

    def _emblem(self, x_mm: float, y_mm: float, room_mm: float, align: str, edge: float) -> tuple[float, float, float]:
        """Draw a logo above or before the name; returns the next y, the edge and the width that is left, mm."""
        writer = self.writer
        high = writer.rng.uniform(9, 20)
        wide = high * writer.rng.uniform(0.9, 2.4)
        if align == "l" and writer.chance(0.4) and room_mm > 80:
            writer.layout.marks.append(Box(x_mm, y_mm, high, high, ink=writer.style.accent))
            return y_mm, edge + high + 3, room_mm - high - 3
        start = edge - {"l": 0.0, "r": wide, "c": wide / 2}[align]
        writer.layout.marks.append(Box(start, y_mm, wide, high, ink=writer.style.accent))
        return y_mm + high + 1.5, edge, room_mm

    def _contact_blocks(self) -> list[Callable[[float, float], list[TextRuns]]]:
        """The blocks below the name, mostly in this order."""
        writer = self.writer
        blocks: list[Callable[[float, float], list[TextRuns]]] = []
        if writer.prints("vendor_address", "letterhead"):
            blocks.append(partial(self.address_rows, "vendor_address"))
        blocks.append(self._contact_rows)
        if writer.prints("vendor_tax_id", "letterhead"):
            blocks.append(self._tax_rows)
        elif writer.chance(0.1):
            blocks.append(self._other_number)
        if writer.chance(0.1):
            writer.rng.shuffle(blocks)
        return blocks

    def address_rows(self, name: str, room_mm: float, scale: float) -> list[TextRuns]:
        """Return the rows of an address; on some invoices its lines are joined."""
        writer = self.writer
        address = getattr(writer.invoice, name)
        lines = address_lines(address, writer.rng)
        if writer.chance(0.22 if name == "vendor_address" else 0.03):
            together = address if "," in address else writer.rng.choice(_ADDRESS_SEPARATORS).join(lines)
            lines = [together]
        return [[(part, name)] for line in lines for part in writer.wrapped(line, room_mm, scale)]

    def _contact_rows(self, room_mm: float, scale: float) -> list[TextRuns]:
        rows = self.contact_rows("letterhead", 0.25)
        between = self.writer.rng.choice((" | ", " · ", "  ", " - "))
        joined: list[TextRun] = []
        for row in rows:
            joined += [(between, None), *row] if joined else row
        return [joined] if rows and self.writer.chance(0.3) and self.writer.span(joined, scale) < room_mm else rows

    def contact_rows(self, place: str, others: float) -> list[TextRuns]:
        """Return the rows of phone, fax, mail and web address. others: probability of fax and web address."""
        writer = self.writer
        rows: list[TextRuns] = []
        for key, field in (("tel", "vendor_phone"), ("fax", ""), ("mail", "vendor_email"), ("web", "")):
            if writer.prints(field, place) if field else writer.chance(others):
                value = (
                    writer.value(field) if field else [(writer.fill("{phone}") if key == "fax" else self._web(), None)]
                )
                labelled = key == "fax" or writer.chance(0.75)
                rows.append([(writer.label(key), None), *value] if labelled else value)
        return rows

    def _web(self) -> str:
        """A web address made from the vendor's name."""
        writer = self.writer
        name = (writer.invoice.vendor_name or writer.fill("{coin}")).lower()
        host = re.sub(r"[^a-z0-9-]", "", name.replace(" ", "-" if writer.chance(0.3) else ""))[:18].strip("-")
        end = writer.rng.choice(("com", writer.market.country.lower(), writer.market.country.lower()))
        return f"www.{host or 'office'}.{end}"

    def _tax_rows(self, room_mm: float, scale: float) -> list[TextRuns]:
        rows: list[TextRuns] = [self.tax_runs()]
        return rows + (self._other_number(room_mm, scale) if self.writer.chance(0.25) else [])

    def tax_runs(self) -> list[TextRun]:
        """Return the vendor's tax number with its label."""
        writer = self.writer
        key = (
            "other_tax_id"
            if "/" in (writer.invoice.vendor_tax_id or "") and writer.market.country == "DE"
            else "tax_id"
        )
        if key == "other_tax_id":
            return [
                (writer.labelled(writer.rng.choice(("Steuernummer", "St.-Nr.", "Steuer-Nr.", "StNr."))), None),
                *writer.value("vendor_tax_id"),
            ]
        return [(writer.label("tax_id"), None), *writer.value("vendor_tax_id")]

    def _other_number(self, room_mm: float, scale: float) -> list[TextRuns]:
        """A number that looks like the tax number but is no field."""
        text = self.writer.word("other_tax_id")
        if not any(map(str.isdigit, text)):
            text += self.writer.fill(" {n8}")
        return [[(text, None)]]

    def sender_line(self, x_mm: float, y_mm: float, room_mm: float) -> float:
        """Print name and address of the vendor in small print above the address window."""
        writer, invoice = self.writer, self.writer.invoice
        scale = writer.rng.choice((0.6, 0.65, 0.7))
        between = writer.rng.choice(_ADDRESS_SEPARATORS)
        runs: list[TextRun] = []
        if invoice.vendor_name is not None:
            runs.append((invoice.vendor_name, "vendor_name"))
        if invoice.vendor_address is not None:
            address = invoice.vendor_address
            text = address if "," in address else between.join(address_lines(address, writer.rng))
            runs += [(between if runs else "", None), (text, "vendor_address")]
        if not runs:
            return y_mm
        writer.put([run for run in runs if run[0]], x_mm, y_mm, "l", scale, room_mm=room_mm)
        if writer.chance(0.5):
            writer.rule(y_mm + writer.pitch(scale), x_mm, min(room_mm, writer.span(runs, scale)), 0.15)
        return y_mm + writer.pitch(scale) + 1.0

    def vendor_block(self, x_mm: float, y_mm: float, room_mm: float) -> float:
        """Print the vendor, for the first time or again, as one of two columns: "From: ..."."""
        writer = self.writer
        if writer.chance(0.7):
            y_mm = self._heading("from", x_mm, y_mm, room_mm)
        if writer.invoice.vendor_name is not None:
            y_mm = writer.paragraph(
                writer.invoice.vendor_name, "vendor_name", x_mm, y_mm, room_mm, bold=writer.chance(0.4)
            )
        if writer.invoice.vendor_address is not None:
            y_mm = writer.lines(self.address_rows("vendor_address", room_mm, 1.0), x_mm, y_mm, room_mm=room_mm)
        if writer.prints("vendor_tax_id", "letterhead"):
            y_mm = writer.lines([self.tax_runs()], x_mm, y_mm, room_mm=room_mm)
        return writer.lines(self.contact_rows("letterhead", 0.1), x_mm, y_mm, room_mm=room_mm)

    # --- customer ----------------------------------------------------------------------------------------------

    def _heading(self, key: str, x_mm: float, y_mm: float, room_mm: float) -> float:
        """The title of a block: plain, coloured or on a band."""
        writer = self.writer
        text = writer.word(key)
        if writer.chance(0.12):
            writer.box(x_mm, y_mm - 0.3, room_mm, writer.pitch(), writer.tint())
            writer.put([(text, None)], x_mm + 1, y_mm, bold=True, room_mm=room_mm)
            return y_mm + writer.pitch(1.2)
        scale = writer.rng.choice((1.0, 1.0, writer.style.small, 1.15))
        text += "" if text.endswith(":") else writer.style.colon
        ink = writer.style.accent if writer.chance(0.4) else None
        writer.put([(text, None)], x_mm, y_mm, "l", scale, writer.chance(0.6), room_mm, ink)
        return y_mm + writer.pitch(scale)

    def customer(self, x_mm: float, y_mm: float, room_mm: float, headed: float = 0.6) -> float:
        """Print the customer, as far as the record has it. headed: probability of a heading."""
        writer, invoice = self.writer, self.writer.invoice
        if invoice.customer_name is None and invoice.customer_address is None:
            return y_mm
        if writer.chance(headed):
            y_mm = self._heading("bill_to", x_mm, y_mm, room_mm)
        if writer.chance(0.1) and writer.language == "de":
            y_mm = writer.lines([[(writer.rng.choice(("Firma", "Herrn", "Frau", "An")), None)]], x_mm, y_mm)
        if writer.chance(0.07):
            return self._customer_tax(x_mm, self._customer_rows(x_mm, y_mm, room_mm), room_mm)
        attention = writer.chance(0.18)
        if attention and writer.chance(0.2):
            y_mm = writer.lines([[(writer.word("attention"), None)]], x_mm, y_mm, room_mm=room_mm)
            attention = False
        if invoice.customer_name is not None:
            y_mm = writer.paragraph(
                invoice.customer_name, "customer_name", x_mm, y_mm, room_mm, bold=writer.chance(0.2)
            )
        if attention:
            y_mm = writer.lines([[(writer.fill("{attention}"), None)]], x_mm, y_mm, room_mm=room_mm)
        if invoice.customer_address is not None:
            if writer.chance(0.12):
                y_mm += writer.pitch(0.4)
            y_mm = writer.lines(self.address_rows("customer_address", room_mm, 1.0), x_mm, y_mm, room_mm=room_mm)
        y_mm = self._customer_tax(x_mm, y_mm, room_mm)
        if writer.chance(0.12):
            y_mm = writer.lines(
                [[(writer.label(writer.rng.choice(("tel", "mail"))) + writer.fill("{phone}"), None)]],
                x_mm,
                y_mm,
                room_mm=room_mm,
            )
        return y_mm

    def _customer_tax(self, x_mm: float, y_mm: float, room_mm: float) -> float:
        writer = self.writer
        if not writer.prints("customer_tax_id", "customer"):
            return y_mm
        label = writer.label("customer_tax" if writer.chance(0.6) else "tax_id")
        return writer.lines([[(label, None), *writer.value("customer_tax_id")]], x_mm, y_mm, room_mm=room_mm)

    def _customer_rows(self, x_mm: float, y_mm: float, room_mm: float) -> float:
        """The customer as a form: each part behind its label."""
        writer, invoice = self.writer, self.writer.invoice
        labels = [writer.labelled(writer.fill("{" + key + "}")) for key in ("name_label", "address_label")]
        start = x_mm + max(map(writer.layout.measure, labels)) + 2
        room = x_mm + room_mm - start
        for label, name in zip(labels, ("customer_name", "customer_address"), strict=True):
            text = getattr(invoice, name)
            if text is not None:
                writer.put([(label, None)], x_mm, y_mm, bold=writer.style.bold_labels)
                y_mm = writer.paragraph(text, name, start, y_mm, room)
        return y_mm

    def section(self, party: str, y_mm: float) -> float:
        """Print a party as a section of its own: a heading, then each value behind its label, among other numbers.

        party: vendor, customer or ship_to, the prefix of its fields.
        """
        writer = self.writer
        start_mm = writer.left_mm + writer.rng.uniform(0.22, 0.36) * writer.inner_mm
        rows = self._section_rows(party, writer.right_mm - start_mm)
        if not rows:
            return y_mm
        self.has_ship_to |= party == "ship_to"
        y_mm = self._heading(_SECTION_HEADINGS[party], writer.left_mm, y_mm, writer.inner_mm)
        at_mm = start_mm if rows[0][0] else writer.left_mm
        for label, value in rows:
            if label and at_mm == start_mm:
                label_mm = start_mm - writer.left_mm - 2
                writer.put([(label + writer.style.colon, None)], writer.left_mm, y_mm, room_mm=label_mm)
            runs = value if at_mm == start_mm or not label else [(writer.labelled(label), None), *value]
            writer.put(runs, at_mm, y_mm, room_mm=writer.right_mm - at_mm)
            y_mm += writer.pitch()
        return y_mm + writer.pitch(writer.rng.choice((0.4, 1.0, 1.6)))

    def _section_rows(self, party: str, room_mm: float) -> list[tuple[str, TextRuns]]:
        """The label, if any, and the value of each line of a section."""
        writer, invoice = self.writer, self.writer.invoice
        name, has_address = getattr(invoice, f"{party}_name"), getattr(invoice, f"{party}_address") is not None
        is_form = writer.chance(0.75)
        rows: list[tuple[str, TextRuns]] = []
        if name is not None:
            parts: list[TextRuns] = [[(part, f"{party}_name")] for part in writer.wrapped(name, room_mm)]
            rows += _under_one_label(self._party_label("name_label") if is_form else "", parts)
        if has_address:
            lines = self.address_rows(f"{party}_address", room_mm, 1.0)
            rows += _under_one_label(self._party_label("address_label") if is_form else "", lines)
        if party != "ship_to" and writer.prints(f"{party}_tax_id", _PARTY_PLACES[party]):
            rows.append((writer.word("tax_id"), writer.value(f"{party}_tax_id")))
        if party == "vendor":
            rows += [("", row) for row in self.contact_rows("letterhead", 0.1)]
        for _ in range(writer.rng.choice((0, 0, 1, 2)) if rows else 0):
            number = writer.fill(writer.rng.choice(("{n6}", "{n8}", "40{n8}{n3}", "{letter}{letter}{n5}")))
            rows.insert(writer.rng.choice((0, len(rows))), (writer.word("party_number"), [(number, None)]))
        return rows

    def _party_label(self, key: str) -> str:
        """A label that fits every party: the first two of a list do."""
        text = self.writer.rng.choice(self.writer.lists[key][:2])
        return text.upper() if self.writer.style.upper else text

    def ship_to(self, x_mm: float, y_mm: float, room_mm: float) -> float:
        """Print the address of delivery, once."""
        writer, name = self.writer, self.writer.invoice.ship_to_name
        if name is None or self.has_ship_to:
            return y_mm
        self.has_ship_to = True
        y_mm = self._heading("ship_to", x_mm, y_mm, room_mm)
        y_mm = writer.lines(
            [[(part, "ship_to_name")] for part in writer.wrapped(name, room_mm)], x_mm, y_mm, room_mm=room_mm
        )
        if writer.chance(0.2):
            y_mm = writer.lines([[(writer.fill("{person}"), None)]], x_mm, y_mm, room_mm=room_mm)
        return writer.lines(self.address_rows("ship_to_address", room_mm, 1.0), x_mm, y_mm, room_mm=room_mm)


def _under_one_label(label: str, lines: list[TextRuns]) -> list[tuple[str, TextRuns]]:
    return [("" if at else label, line) for at, line in enumerate(lines)]
