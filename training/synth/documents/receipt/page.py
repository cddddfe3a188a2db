"""Lays out a receipt: merchant, details, the parts of other modules, closing lines."""

import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from random import Random

from docextract.documents.receipt import Receipt
from training.synth.documents.grammar import expand
from training.synth.documents.locales import Locale, format_date, format_time, towns
from training.synth.documents.receipt.rows import ItemRows
from training.synth.documents.receipt.totals import CardSlip, ReceiptTotals
from training.synth.documents.receipt.writer import ReceiptWriter
from training.synth.sheet import Face, Sheet
from training.synth.typesetting import TextRun, TextRuns, wrap

_DETAIL_FIELDS = ("document_number", "document_date", "transaction_time")
_HANDWRITING_FACES: tuple[Face, ...] = ("sans", "serif", "mono")
_BRANDS = (
    "{stem} {trade_restaurant}", "{stem}", "{brandish}", "{stem} {trade_cafe}", "{stem} {area}", "{brandish} {area}",
)  # fmt: skip
_OFFERS = (
    "Valid until ", "Offer ends ", "Return by ", "Expiry: ", "Points expire ", "Voucher valid till ", "Exp ", "DD: ",
)  # fmt: skip
_COMPANY = re.compile(r"(?i)\b(bhd|s/b|sb|pte|enterprise|trading)\b")


def typeset(receipt: Receipt, rng: Random) -> Sheet:
    """Lay out a record: every field that is not None is printed as runs of this field, and no other run has a field."""
    writer = ReceiptWriter(receipt, rng)
    footer_fields = _choose_footer_fields(rng)
    details = ReceiptDetails(writer)
    if writer.chance(0.12):
        _print_handwriting(writer)
    early = [name for name in _DETAIL_FIELDS if name not in footer_fields]
    head: list[Callable[[], None]] = [_ReceiptHeader(writer, footer_fields).print, partial(details.print, early)]
    for part in reversed(head) if writer.chance(0.04) else head:
        part()
    ItemRows(writer).print()
    ReceiptTotals(writer).print()
    CardSlip(writer).print()
    _ReceiptFooter(writer, footer_fields, details).print()
    paper = rng.choice(((250, 250, 248), (246, 245, 240), (252, 252, 252)))
    return writer.layout.sheet(rng.uniform(2, 12), paper)


def _choose_footer_fields(rng: Random) -> set[str]:
    """Choose the fields that are printed in the footer instead of the header."""
    footer_fields = {
        name
        for name, probability in (("merchant_tax_id", 0.15), ("merchant_phone", 0.08))
        if rng.random() < probability
    }
    roll = rng.random()
    if roll < 0.2:
        return footer_fields | set(_DETAIL_FIELDS)
    if roll < 0.3:
        return footer_fields | {"document_date", "transaction_time"}
    return footer_fields | {"document_number"} if roll < 0.38 else footer_fields


def _print_handwriting(writer: ReceiptWriter) -> None:
    """Print what someone wrote or stamped above the receipt: a name, a claim number."""
    options = ("{given} {family}", "{d7}", "{n}-{d7}", "{given}", "{d6}", "{n4}", "{person}")
    x_mm = writer.rng.uniform(0.05, 0.6) * writer.layout.width_mm
    scale, face = writer.rng.choice((1.0, 1.2, 1.5)), writer.rng.choice(_HANDWRITING_FACES)
    writer.layout.put([(writer.fill(writer.rng.choice(options)), None)], x_mm, scale, face=face)
    writer.layout.feed(writer.rng.uniform(1.0, 2.5))


def print_contact(writer: ReceiptWriter, name: str) -> None:
    """Print the phone number or the tax number with its label; a fax number may be next to the phone number."""
    value = getattr(writer.receipt, name)
    if name == "merchant_tax_id":
        if value is not None:
            label = writer.labelled(writer.fill(writer.rng.choice(writer.locale.lists["tax_id_label"])))
            runs: list[TextRun] = [(label, None), (value, name)]
            writer.print_aligned([("(", None), *runs, (")", None)] if writer.chance(0.1) else runs)
        return
    phone: list[TextRun] = []
    if value is not None:
        phone = [(writer.label("tel") if writer.chance(0.7) else "", None), (value, name)]
    if writer.chance(0.25 if writer.locale.code == "MY" else 0.08):
        fax: list[TextRun] = [(writer.label("fax"), None), (writer.fill("{phone}"), None)]
        if phone and writer.chance(0.5) and writer.layout.span([*phone, *fax]) + 3 < writer.layout.inner_mm:
            phone += [("  ", None), *fax]
        else:
            writer.print_aligned(fax)
    if phone:
        writer.print_aligned(phone)


def print_web_address(writer: ReceiptWriter) -> None:
    """Print a web or mail address made from the merchant's name."""
    host = re.sub(r"[^a-z0-9]", "", (writer.receipt.merchant_name or "shop").lower())[:16] or "shop"
    country = {"MY": "com.my", "GB": "co.uk", "AU": "com.au", "BR": "com.br", "SG": "com.sg"}
    end = country.get(writer.locale.code) or writer.rng.choice(("com", writer.locale.code.lower()))
    forms = ("www.{}", "www.{}", "info@{}", "Email: {}", "https://{}", "www.{}/survey", "{}")
    writer.print_text(writer.rng.choice(forms).format(f"{host}.{end}"))


class _ReceiptHeader:
    """Prints the merchant."""

    def __init__(self, writer: ReceiptWriter, footer_fields: set[str]) -> None:
        self.writer = writer
        self.footer_fields = footer_fields

    def print(self) -> None:
        """Print greetings, name, address and numbers, in the order of this cash register."""
        writer = self.writer
        if writer.chance(0.08 if writer.north_american else 0.01):
            self._queue_number()
        if writer.chance(0.12):
            self._logo()
        for probability, key in (
            (0.1, "document"),
            (0.14, "welcome"),
            (0.04, "thanks"),
            (0.03, "copy"),
            (0.02, "survey"),
        ):
            if writer.chance(probability):
                writer.print_phrase(key)
        if (
            writer.locale.code in ("MY", "SG")
            and _COMPANY.search(writer.receipt.merchant_name or "")
            and writer.chance(0.35)
        ):
            writer.print_text(writer.fill(writer.rng.choice(_BRANDS)))
        self._name()
        if writer.chance(0.14 if writer.north_american else 0.02):
            writer.print_phrase("room")
        if writer.north_american and writer.chance(0.03):
            codes = ("{n3} {n} {n3} {n4}", "{n4} {d2} {d4} {n3}", "STORE {n4} REG {n}", "{n3} {n2} {d6}")
            writer.print_text(writer.fill(writer.rng.choice(codes)))
        for block in self._order():
            block()
        sayings = (
            (0.12, partial(print_web_address, writer)),
            (0.07, partial(writer.print_phrase, "hours")),
            (0.06, partial(writer.print_phrase, "welcome")),
        )
        for probability, block in sayings:
            if writer.chance(probability):
                block()
        if writer.chance(0.12):
            branch = writer.fill(writer.rng.choice(("{coin} {n3}", "{town}", "{coin}", "{n4} {town}")))
            writer.print_text(writer.rng.choice(("({})", "{}", "- {} -")).format(branch))
        writer.layout.feed(writer.rng.choice((0.0, 0.3, 0.6, 1.0)))
        if writer.chance(0.5 if writer.locale.code in ("MY", "SG", "AU", "IN") else 0.22):
            writer.print_aligned(
                [(writer.word("document"), None)], bold=writer.chance(0.4), scale=writer.rng.choice((1.0, 1.0, 1.3))
            )

    def _queue_number(self) -> None:
        """The number that a guest waits for, and when it was given, above the name."""
        writer = self.writer
        dated = writer.receipt.document_date is not None and writer.receipt.transaction_time is not None
        if dated and writer.chance(0.5):
            day, moment = writer.value("document_date"), writer.value("transaction_time")
            place: TextRuns = [(writer.fill(writer.rng.choice(("L{n} T{n}", "{n3}", "#{d2}", "REG {n}"))), None)]
            writer.layout.table_row([([day], 0.0, "l"), (place, 0.5, "c"), ([moment], 1.0, "r")])
        number = writer.fill(writer.rng.choice(("{n}", "{n2}", "{n3}", "{letter}{n2}")))
        large = writer.rng.choice((1.0, 1.5, 2.0, 2.0))
        if writer.chance(0.6):
            writer.print_phrase("called")
            writer.print_aligned([(number, None)], large, large)
        else:
            writer.print_aligned([(f"{writer.word('called')} {number}", None)], bold=writer.chance(0.3))
        writer.layout.feed(writer.rng.choice((0.0, 0.5, 1.0)))

    def _order(self) -> list[Callable[[], None]]:
        """Address and contact lines; mostly in this order."""
        writer = self.writer
        contact = [name for name in ("merchant_phone", "merchant_tax_id") if name not in self.footer_fields]
        if writer.chance(0.15):
            contact.reverse()
        lines: list[Callable[[], None]] = [partial(print_contact, writer, name) for name in contact]
        place = writer.rng.choices((0, 1, len(lines)), (88, 9, 3))[0]
        lines.insert(place, self._address)
        return lines

    def _logo(self) -> None:
        width = self.writer.layout.inner_mm * self.writer.rng.uniform(0.2, 0.7)
        self.writer.layout.add_graphic(width, self.writer.rng.uniform(6, 18), "box")
        if self.writer.chance(0.4):
            self.writer.print_text(self.writer.fill("{coin}"))

    def _name(self) -> None:
        writer, name = self.writer, self.writer.receipt.merchant_name
        if name is None:
            return
        registration = (
            writer.fill("{company_id}") if writer.chance(0.75 if writer.locale.code == "MY" else 0.15) else None
        )
        display = writer.chance(0.35)
        scale = writer.rng.choice((1.25, 1.5, 1.8, 2.0)) if display else 1.0
        height = writer.rng.choice((1.0, scale, scale, 2.0)) if display else 1.0
        bold = writer.chance(0.4)
        columns = max(int(writer.layout.columns / scale), 8)
        if writer.chance(0.12):
            columns = max(int(columns * 0.6), 10)
        if writer.chance(0.1 if writer.north_american else 0.04):
            columns = 1  # each word gets a line of its own
        lines: list[list[TextRun]] = [[(line, "merchant_name")] for line in wrap(name, columns)]
        first_scale = scale
        if len(lines) > 1 and writer.chance(0.35):
            first_scale = min(scale * writer.rng.choice((0.6, 1.4, 1.8)), writer.layout.columns / len(lines[0][0][0]))
        if writer.north_american and writer.chance(0.08):
            town = writer.fill(writer.rng.choice((" {town}", " - {town}", " {town} {n3}", ", {town}")))
            if len(lines[-1][0][0]) + len(town) < columns:
                lines[-1].append((town, None))
        if registration and writer.chance(0.4) and len(lines[-1][0][0]) + len(registration) < columns:
            lines[-1].append((" " + registration, None))
            registration = None
        greeting = writer.fill("Welcome to ")
        if writer.locale.language == "en" and len(greeting + lines[0][0][0]) <= columns and writer.chance(0.04):
            lines[0].insert(0, (greeting, None))
        for number, line in enumerate(lines):
            writer.print_aligned(line, scale if number else first_scale, height, bold)
        if registration:
            writer.print_text(registration)
        if writer.locale.code == "MY" and writer.chance(0.06):
            writer.print_text(
                writer.fill(writer.rng.choice(("Formerly known as", "Owned by :", "Licensee of", "Managed by")))
            )
            writer.print_text(writer.fill("{stem} {trade_grocery} {suffix}"))

    def _address(self) -> None:
        address = self.writer.receipt.merchant_address
        if address is not None:
            for line in break_address(address, self.writer.layout.columns, self.writer.locale, self.writer.rng):
                self.writer.print_aligned([(line, "merchant_address")])


class ReceiptDetails:
    """Prints number, date, time, and lines such as cashier and table."""

    def __init__(self, writer: ReceiptWriter) -> None:
        self.writer = writer
        self.layout = writer.layout

    def print(self, names: Sequence[str]) -> None:
        """Print the given fields, where the record has them, among lines that are no fields."""
        writer = self.writer
        present = [name for name in names if getattr(writer.receipt, name) is not None]
        pairs = self._fields(present)
        for probability, key in (
            (0.5, "cashier"),
            (0.3, "station"),
            (0.25, "table"),
            (0.18, "guests"),
            (0.05, "member"),
        ):
            if writer.chance(probability):
                made = {"cashier": "{person}", "table": "{n2}", "guests": "{n}", "member": "{n8}"}.get(key, "{d2}")
                pairs.append([(writer.label(key), None), (writer.fill(made), None)])
        if "document_number" in present and writer.chance(0.08):
            pairs.append([(writer.label("receipt_no"), None), (writer.fill("{d4}"), None)])
        if writer.chance(0.1):
            pairs.append([(writer.word("kind"), None)])
        if writer.chance(0.5):
            writer.rng.shuffle(pairs)
        ways = (self._listed, self._paired, self._paired, self._tabbed, self._two_columns, self._centred, self._run_on)
        writer.rng.choice(ways)(pairs)
        if writer.chance(0.1 if writer.locale.code == "MY" else 0.02):
            self._bill_to()

    def _fields(self, present: Sequence[str]) -> list[list[TextRun]]:
        """Label and value of each field; date and time may share a line."""
        writer = self.writer
        glued = {"document_date", "transaction_time"} <= set(present) and writer.chance(0.6)
        pairs: list[list[TextRun]] = []
        for name in present:
            if name == "transaction_time" and glued:
                continue
            if name == "document_number":
                label = writer.labelled(writer.fill(writer.rng.choice(writer.locale.lists["receipt_label"])))
            else:
                label = writer.label("date" if name == "document_date" else "time") if writer.chance(0.75) else ""
            runs: list[TextRun] = [(label, None), writer.value(name)]
            if name == "document_date":
                runs = self._with_time(label) if glued else [*runs, *self._weekday()]
            pairs.append(runs)
        return pairs

    def _with_time(self, label: str) -> list[TextRun]:
        """Date and time on one line, in either order, some with a code of the cash register behind them."""
        writer = self.writer
        day, moment = writer.value("document_date"), writer.value("transaction_time")
        if writer.chance(0.03):
            return [(label + "[", None), day, ("] [", None), moment, ("]", None)]
        if writer.chance(0.08):
            return [(label, None), moment, ("  ", None), day]
        between = writer.rng.choice((" ", " ", "  ", " - ", "   ", "/", ", "))
        runs: list[TextRun] = [(label, None), day, *self._weekday(), (between, None), moment]
        if writer.chance(0.15):
            codes = ("SH{d2} ZJ{d2}", "{n6}", "{d4} {d3} {d6}", "R{d5}", "{d5} {d2} {d3} {n4}", "T{n} {n4}", "#{n4}")
            runs.append((writer.rng.choice((" ", "  ")) + writer.fill(writer.rng.choice(codes)), None))
        return runs

    def _weekday(self) -> list[TextRun]:
        """The day of the week, on 5 % of the receipts."""
        writer, day = self.writer, self.writer.receipt.document_date
        if day is None or not writer.chance(0.05):
            return []
        name = format_date(day, "{day}", writer.locale.language)
        return [
            (writer.rng.choice((" ({})", " {}", ", {}")).format(name.upper() if writer.chance(0.5) else name), None)
        ]

    def _listed(self, pairs: Sequence[TextRuns]) -> None:
        for runs in pairs:
            self.layout.left(runs)

    def _centred(self, pairs: Sequence[TextRuns]) -> None:
        for runs in pairs:
            self.writer.print_aligned(runs)

    def _paired(self, pairs: Sequence[TextRuns]) -> None:
        for index in range(0, len(pairs), 2):
            self.layout.spread(pairs[index], pairs[index + 1] if index + 1 < len(pairs) else [])

    def _run_on(self, pairs: Sequence[TextRuns]) -> None:
        """All pairs as one text, with line breaks only at the end of the paper."""
        line: list[TextRun] = []
        for runs in pairs:
            if line and self.layout.span([*line, (" ", None), *runs]) > self.layout.inner_mm:
                self.layout.left(line)
                line = []
            line += [(" " * self.writer.rng.randint(1, 3), None), *runs] if line else list(runs)
        self.layout.left(line)

    def _tabbed(self, pairs: Sequence[TextRuns]) -> None:
        """Labels in one column, colons below each other, values behind them."""
        label_mm = self._longest(pairs)
        for runs in pairs:
            self._tab(runs, label_mm)
            self.layout.feed()

    def _longest(self, pairs: Sequence[TextRuns]) -> float:
        """Width of the longest label, mm."""
        return max((self.layout.measure(runs[0][0].strip(" :")) for runs in pairs if len(runs) > 1), default=0.0)

    def _tab(self, runs: TextRuns, label_mm: float) -> None:
        """Set one pair: label, colon at `label_mm`, value."""
        label, start = runs[0][0].strip(" :"), self.layout.margin_mm
        colon = self.layout.snap(start + label_mm + self.layout.measure(" "))
        if (
            len(runs) == 1
            or colon + self.layout.measure(": ") + self.layout.span(runs[1:]) > self.layout.width_mm - start
        ):
            self.layout.put(runs, start)
            return
        if label:
            self.layout.put([(label, None)], start)
            self.layout.put([(":", None)], colon)
        self.layout.put(runs[1:], colon + self.layout.measure(": "))

    def _two_columns(self, pairs: Sequence[TextRuns]) -> None:
        """Two columns: tabbed pairs on the left, pairs on the right."""
        half = (len(pairs) + 1) // 2
        left, right = pairs[:half], pairs[half:]
        label_mm = self._longest(left)
        place = self.layout.margin_mm + self.layout.inner_mm * self.writer.rng.choice((0.55, 0.6, 0.65))
        for index, runs in enumerate(left):
            self._tab(runs, label_mm)
            taken = self.layout.margin_mm + label_mm + self.layout.measure("  :  ") + self.layout.span(runs[1:] or runs)
            if index < len(right):
                fits = place + self.layout.span(right[index]) < self.layout.width_mm - self.layout.margin_mm
                if taken > place or not fits:
                    self.layout.feed()
                self.layout.put(right[index], place if fits else self.layout.margin_mm)
            self.layout.feed()

    def _bill_to(self) -> None:
        """Name and address of the customer, which are no fields but look like the merchant's."""
        writer = self.writer
        self.layout.left(
            [(writer.fill(writer.rng.choice(("BILL TO :", "Customer :", "Sold To", "To :", "M/S"))), None)]
        )
        lists = {**writer.lists, "trade": writer.lists["trade_services"]}
        for line in (
            expand("{name}", lists, writer.rng),
            *wrap(expand("{address}", lists, writer.rng), self.layout.columns),
        ):
            self.layout.left([(line.upper() if writer.style.upper else line, None)])


class _ReceiptFooter:
    """Prints the remaining fields and closing lines."""

    def __init__(self, writer: ReceiptWriter, footer_fields: set[str], details: ReceiptDetails) -> None:
        self.writer = writer
        self.footer_fields = footer_fields
        self.details = details

    def print(self) -> None:
        """Print them in random order."""
        writer = self.writer
        writer.layout.feed(writer.rng.choice((0.2, 0.6, 1.2)))
        contact = [name for name in ("merchant_phone", "merchant_tax_id") if name in self.footer_fields]
        lines: list[Callable[[], None]] = [partial(print_contact, writer, name) for name in contact]
        footer_fields = [
            name for name in _DETAIL_FIELDS if name in self.footer_fields and getattr(writer.receipt, name) is not None
        ]
        if footer_fields:
            lines.append(partial(self.details.print, footer_fields))
        sayings = (
            (0.75, "thanks"), (0.35, "policy"), (0.2, "survey"), (0.15, "thanks"), (0.12, "policy"), (0.07, "hours"),
            (0.08, "member"), (0.06, "copy"), (0.05, "document"),
        )  # fmt: skip
        lines += [partial(writer.print_phrase, key) for probability, key in sayings if writer.chance(probability)]
        extras = (
            (0.15, partial(print_web_address, writer)),
            (0.15, self._code),
            (0.06, self._name),
            (0.12, self._other_date),
        )
        lines += [extra for probability, extra in extras if writer.chance(probability)]
        writer.rng.shuffle(lines)
        for line in lines:
            line()

    def _name(self) -> None:
        writer = self.writer
        if writer.receipt.merchant_name is None:
            return
        if writer.chance(0.4):
            writer.print_text(
                writer.fill(writer.rng.choice(("Thank you for shopping at", "Thank you for dining at", "Welcome to")))
            )
        for line in wrap(writer.receipt.merchant_name, writer.layout.columns):
            writer.print_aligned([(line, "merchant_name")])

    def _other_date(self) -> None:
        """The day of the purchase again, or another one, such as the end of an offer."""
        writer, day = self.writer, self.writer.receipt.document_date
        if day is None:
            return
        if writer.chance(0.4):
            closed = writer.rng.choice(("Closed: ", "Printed: ", "Print Date: ", "", "Bill end: "))
            later = (
                format_time(writer.receipt.transaction_time, writer.style.time)
                if writer.receipt.transaction_time
                else ""
            )
            moment: TextRun = (later, "transaction_time") if later else ("", None)
            writer.print_aligned([(closed, None), writer.value("document_date"), (" ", None), moment])
            return
        until = day + timedelta(days=writer.rng.choice((7, 14, 30, 31, 60, 90, 365)))
        other = format_date(until, writer.style.date, writer.locale.language)
        label = writer.rng.choice(_OFFERS)
        writer.print_aligned([(writer.fill(label), None), (other, None)])

    def _code(self) -> None:
        writer = self.writer
        if writer.chance(0.4):
            side = writer.rng.uniform(14, 24)
            writer.layout.add_graphic(side, side, "square")
            return
        writer.layout.add_graphic(
            writer.layout.inner_mm * writer.rng.uniform(0.4, 0.8), writer.rng.uniform(6, 12), "bars"
        )
        if writer.chance(0.6):
            writer.print_text(writer.fill(writer.rng.choice(("{n12}", "*{n16}*", "{n20}", "{n4} {n4} {n4}"))))


def break_address(address: str, columns: int, locale: Locale, rng: Random) -> list[str]:
    """Break an address into lines, as shops do: at commas and before the town, or where the line is full."""
    if rng.random() < 0.25:
        return wrap(address, columns)
    upper = address.upper()
    discounts_by_item = {match.end() for match in re.finditer(r",\s|\s-\s", address)}
    for town in towns(locale.code):
        index = upper.find(town)
        if index > 0 and address[index - 1] == " ":
            postcode = re.search(r"\b[A-Z]{0,2}-?[\d-]{4,8}(?: ?[A-Z]{2})?,? $", address[:index])
            discounts_by_item.add(postcode.start() if postcode else index)
            break
    keep = rng.choice((0.35, 0.6, 1.0))
    pieces: list[str] = []
    start = 0
    for cut in sorted(cut for cut in discounts_by_item if address[cut - 1] == " "):
        if rng.random() < keep or cut - start > columns:
            pieces.append(address[start:cut])
            start = cut
    pieces.append(address[start:])
    return [line for piece in pieces for line in wrap(piece, columns)]
