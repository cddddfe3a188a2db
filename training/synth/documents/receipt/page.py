"""A receipt from head to foot: who sells, the particulars, the parts printed elsewhere, and the goodbyes."""

import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from random import Random

from docextract.documents.receipt import Receipt
from training.synth.documents.grammar import expand
from training.synth.documents.locales import Locale, format_date, format_time, towns
from training.synth.documents.receipt.printer import Till
from training.synth.documents.receipt.rows import Rows
from training.synth.documents.receipt.sums import Slip, Sums
from training.synth.sheet import Face, Sheet
from training.synth.typesetting import Run, Runs, wrap

_PARTICULARS = ("receipt_number", "transaction_date", "transaction_time")
_HANDS: tuple[Face, ...] = ("sans", "serif", "mono")
_BRANDS = (
    "{stem} {trade_restaurant}", "{stem}", "{brandish}", "{stem} {trade_cafe}", "{stem} {area}", "{brandish} {area}",
)  # fmt: skip
_OFFERS = (
    "Valid until ", "Offer ends ", "Return by ", "Expiry: ", "Points expire ", "Voucher valid till ", "Exp ", "DD: ",
)  # fmt: skip
_COMPANY = re.compile(r"(?i)\b(bhd|s/b|sb|pte|enterprise|trading)\b")


def typeset(receipt: Receipt, rng: Random) -> Sheet:
    """One way to print this record: every field that is not None, each run of it tagged, nothing else tagged."""
    till = Till(receipt, rng)
    late = _late(rng)
    particulars = Particulars(till)
    if till.chance(0.12):
        _jottings(till)
    early = [name for name in _PARTICULARS if name not in late]
    head: list[Callable[[], None]] = [_Head(till, late).print, partial(particulars.print, early)]
    for part in reversed(head) if till.chance(0.04) else head:
        part()
    Rows(till).print()
    Sums(till).print()
    Slip(till).print()
    _Foot(till, late, particulars).print()
    paper = rng.choice(((250, 250, 248), (246, 245, 240), (252, 252, 252)))
    return till.press.sheet(rng.uniform(2, 12), paper)


def _late(rng: Random) -> set[str]:
    """Fields that stand at the foot instead of the head."""
    late = {
        name for name, often in (("merchant_tax_id", 0.15), ("merchant_phone_number", 0.08)) if rng.random() < often
    }
    roll = rng.random()
    if roll < 0.2:
        return late | set(_PARTICULARS)
    if roll < 0.3:
        return late | {"transaction_date", "transaction_time"}
    return late | {"receipt_number"} if roll < 0.38 else late


def _jottings(till: Till) -> None:
    """What someone wrote or stamped above the print: a name, a claim number."""
    options = ("{given} {family}", "{d7}", "{n}-{d7}", "{given}", "{d6}", "{n4}", "{person}")
    x_mm = till.rng.uniform(0.05, 0.6) * till.press.width_mm
    scale, face = till.rng.choice((1.0, 1.2, 1.5)), till.rng.choice(_HANDS)
    till.press.put([(till.fill(till.rng.choice(options)), None)], x_mm, scale, face=face)
    till.press.feed(till.rng.uniform(1.0, 2.5))


def contact_line(till: Till, name: str) -> None:
    """The phone number or the tax number with its label; a fax number may keep the phone company."""
    value = getattr(till.receipt, name)
    if name == "merchant_tax_id":
        if value is not None:
            label = till.labelled(till.fill(till.rng.choice(till.locale.lists["tax_id_label"])))
            runs: list[Run] = [(label, None), (value, name)]
            till.headline([("(", None), *runs, (")", None)] if till.chance(0.1) else runs)
        return
    phone: list[Run] = []
    if value is not None:
        phone = [(till.label("tel") if till.chance(0.7) else "", None), (value, name)]
    if till.chance(0.25 if till.locale.code == "MY" else 0.08):
        fax: list[Run] = [(till.label("fax"), None), (till.fill("{phone}"), None)]
        if phone and till.chance(0.5) and till.press.span([*phone, *fax]) + 3 < till.press.inner_mm:
            phone += [("  ", None), *fax]
        else:
            till.headline(fax)
    if phone:
        till.headline(phone)


def web_line(till: Till) -> None:
    """A web or mail address made from the name."""
    host = re.sub(r"[^a-z0-9]", "", (till.receipt.merchant_name or "shop").lower())[:16] or "shop"
    country = {"MY": "com.my", "GB": "co.uk", "AU": "com.au", "BR": "com.br", "SG": "com.sg"}
    end = country.get(till.locale.code) or till.rng.choice(("com", till.locale.code.lower()))
    forms = ("www.{}", "www.{}", "info@{}", "Email: {}", "https://{}", "www.{}/survey", "{}")
    till.text(till.rng.choice(forms).format(f"{host}.{end}"))


class _Head:
    """Prints who sells."""

    def __init__(self, till: Till, late: set[str]) -> None:
        self.till = till
        self.late = late

    def print(self) -> None:
        """Greetings, name, address, numbers, in an order of this till's own."""
        till = self.till
        if till.chance(0.08 if till.american else 0.01):
            self._call()
        if till.chance(0.12):
            self._logo()
        for often, key in ((0.1, "document"), (0.14, "welcome"), (0.04, "thanks"), (0.03, "copy"), (0.02, "survey")):
            if till.chance(often):
                till.say(key)
        if till.locale.code in ("MY", "SG") and _COMPANY.search(till.receipt.merchant_name or "") and till.chance(0.35):
            till.text(till.fill(till.rng.choice(_BRANDS)))
        self._name()
        if till.chance(0.14 if till.american else 0.02):
            till.say("room")
        if till.american and till.chance(0.03):
            codes = ("{n3} {n} {n3} {n4}", "{n4} {d2} {d4} {n3}", "STORE {n4} REG {n}", "{n3} {n2} {d6}")
            till.text(till.fill(till.rng.choice(codes)))
        for block in self._order():
            block()
        sayings = (
            (0.12, partial(web_line, till)),
            (0.07, partial(till.say, "hours")),
            (0.06, partial(till.say, "welcome")),
        )
        for often, block in sayings:
            if till.chance(often):
                block()
        if till.chance(0.12):
            branch = till.fill(till.rng.choice(("{coin} {n3}", "{town}", "{coin}", "{n4} {town}")))
            till.text(till.rng.choice(("({})", "{}", "- {} -")).format(branch))
        till.press.feed(till.rng.choice((0.0, 0.3, 0.6, 1.0)))
        if till.chance(0.5 if till.locale.code in ("MY", "SG", "AU", "IN") else 0.22):
            till.headline(
                [(till.word("document"), None)], bold=till.chance(0.4), scale=till.rng.choice((1.0, 1.0, 1.3))
            )

    def _call(self) -> None:
        """What a counter calls out before it says who it is: a guest's number, and when it was given."""
        till = self.till
        dated = till.receipt.transaction_date is not None and till.receipt.transaction_time is not None
        if dated and till.chance(0.5):
            day, moment = till.value("transaction_date"), till.value("transaction_time")
            place: Runs = [(till.fill(till.rng.choice(("L{n} T{n}", "{n3}", "#{d2}", "REG {n}"))), None)]
            till.press.cells([([day], 0.0, "l"), (place, 0.5, "c"), ([moment], 1.0, "r")])
        number = till.fill(till.rng.choice(("{n}", "{n2}", "{n3}", "{letter}{n2}")))
        large = till.rng.choice((1.0, 1.5, 2.0, 2.0))
        if till.chance(0.6):
            till.say("called")
            till.headline([(number, None)], large, large)
        else:
            till.headline([(f"{till.word('called')} {number}", None)], bold=till.chance(0.3))
        till.press.feed(till.rng.choice((0.0, 0.5, 1.0)))

    def _order(self) -> list[Callable[[], None]]:
        """Address and numbers; mostly in that order."""
        till = self.till
        contact = [name for name in ("merchant_phone_number", "merchant_tax_id") if name not in self.late]
        if till.chance(0.15):
            contact.reverse()
        lines: list[Callable[[], None]] = [partial(contact_line, till, name) for name in contact]
        place = till.rng.choices((0, 1, len(lines)), (88, 9, 3))[0]
        lines.insert(place, self._address)
        return lines

    def _logo(self) -> None:
        width = self.till.press.inner_mm * self.till.rng.uniform(0.2, 0.7)
        self.till.press.block(width, self.till.rng.uniform(6, 18), "box")
        if self.till.chance(0.4):
            self.till.text(self.till.fill("{coin}"))

    def _name(self) -> None:
        till, name = self.till, self.till.receipt.merchant_name
        if name is None:
            return
        registration = till.fill("{company_id}") if till.chance(0.75 if till.locale.code == "MY" else 0.15) else None
        display = till.chance(0.35)
        scale = till.rng.choice((1.25, 1.5, 1.8, 2.0)) if display else 1.0
        height = till.rng.choice((1.0, scale, scale, 2.0)) if display else 1.0
        bold = till.chance(0.4)
        columns = max(int(till.press.columns / scale), 8)
        if till.chance(0.12):
            columns = max(int(columns * 0.6), 10)
        if till.chance(0.04):
            columns = 1  # each word a line of its own
        lines: list[list[Run]] = [[(line, "merchant_name")] for line in wrap(name, columns)]
        if registration and till.chance(0.4) and len(lines[-1][0][0]) + len(registration) < columns:
            lines[-1].append((" " + registration, None))
            registration = None
        greeting = till.fill("Welcome to ")
        if till.locale.language == "en" and len(greeting + lines[0][0][0]) <= columns and till.chance(0.04):
            lines[0].insert(0, (greeting, None))
        for line in lines:
            till.headline(line, scale, height, bold)
        if registration:
            till.text(registration)
        if till.locale.code == "MY" and till.chance(0.06):
            till.text(till.fill(till.rng.choice(("Formerly known as", "Owned by :", "Licensee of", "Managed by"))))
            till.text(till.fill("{stem} {trade_grocery} {suffix}"))

    def _address(self) -> None:
        address = self.till.receipt.merchant_address
        if address is not None:
            for line in break_address(address, self.till.press.columns, self.till.locale, self.till.rng):
                self.till.headline([(line, "merchant_address")])


class Particulars:
    """Prints number, date, time, and who served whom where."""

    def __init__(self, till: Till) -> None:
        self.till = till
        self.press = till.press

    def print(self, names: Sequence[str]) -> None:
        """These fields, where the record has them, among others that are no fields."""
        till = self.till
        present = [name for name in names if getattr(till.receipt, name) is not None]
        pairs = self._fields(present)
        for often, key in ((0.5, "cashier"), (0.3, "station"), (0.25, "table"), (0.18, "guests"), (0.05, "member")):
            if till.chance(often):
                made = {"cashier": "{person}", "table": "{n2}", "guests": "{n}", "member": "{n8}"}.get(key, "{d2}")
                pairs.append([(till.label(key), None), (till.fill(made), None)])
        if "receipt_number" in present and till.chance(0.08):
            pairs.append([(till.label("receipt_no"), None), (till.fill("{d4}"), None)])
        if till.chance(0.1):
            pairs.append([(till.word("kind"), None)])
        if till.chance(0.5):
            till.rng.shuffle(pairs)
        ways = (self._listed, self._paired, self._paired, self._tabbed, self._two_columns, self._centred, self._run_on)
        till.rng.choice(ways)(pairs)
        if till.chance(0.1 if till.locale.code == "MY" else 0.02):
            self._bill_to()

    def _fields(self, present: Sequence[str]) -> list[list[Run]]:
        till = self.till
        glued = {"transaction_date", "transaction_time"} <= set(present) and till.chance(0.6)
        pairs: list[list[Run]] = []
        for name in present:
            if name == "transaction_time" and glued:
                continue
            if name == "receipt_number":
                label = till.labelled(till.fill(till.rng.choice(till.locale.lists["receipt_label"])))
            else:
                label = till.label("date" if name == "transaction_date" else "time") if till.chance(0.75) else ""
            runs: list[Run] = [(label, None), till.value(name)]
            if name == "transaction_date":
                runs = self._with_time(label) if glued else [*runs, *self._weekday()]
            pairs.append(runs)
        return pairs

    def _with_time(self, label: str) -> list[Run]:
        """Date and time on one line, in either order, perhaps with a till's number behind."""
        till = self.till
        day, moment = till.value("transaction_date"), till.value("transaction_time")
        if till.chance(0.03):
            return [(label + "[", None), day, ("] [", None), moment, ("]", None)]
        if till.chance(0.08):
            return [(label, None), moment, ("  ", None), day]
        between = till.rng.choice((" ", " ", "  ", " - ", "   ", "/", ", "))
        runs: list[Run] = [(label, None), day, *self._weekday(), (between, None), moment]
        if till.chance(0.15):
            codes = ("SH{d2} ZJ{d2}", "{n6}", "{d4} {d3} {d6}", "R{d5}", "{d5} {d2} {d3} {n4}", "T{n} {n4}", "#{n4}")
            runs.append((till.rng.choice((" ", "  ")) + till.fill(till.rng.choice(codes)), None))
        return runs

    def _weekday(self) -> list[Run]:
        till, day = self.till, self.till.receipt.transaction_date
        if day is None or not till.chance(0.05):
            return []
        name = format_date(day, "{day}", till.locale.language)
        return [(till.rng.choice((" ({})", " {}", ", {}")).format(name.upper() if till.chance(0.5) else name), None)]

    def _listed(self, pairs: Sequence[Runs]) -> None:
        for runs in pairs:
            self.press.left(runs)

    def _centred(self, pairs: Sequence[Runs]) -> None:
        for runs in pairs:
            self.till.headline(runs)

    def _paired(self, pairs: Sequence[Runs]) -> None:
        for at in range(0, len(pairs), 2):
            self.press.spread(pairs[at], pairs[at + 1] if at + 1 < len(pairs) else [])

    def _run_on(self, pairs: Sequence[Runs]) -> None:
        """All in one string, new lines only where the paper ends."""
        line: list[Run] = []
        for runs in pairs:
            if line and self.press.span([*line, (" ", None), *runs]) > self.press.inner_mm:
                self.press.left(line)
                line = []
            line += [(" " * self.till.rng.randint(1, 3), None), *runs] if line else list(runs)
        self.press.left(line)

    def _tabbed(self, pairs: Sequence[Runs]) -> None:
        """Labels in one column, colons under each other, values behind."""
        label_mm = self._longest(pairs)
        for runs in pairs:
            self._tab(runs, label_mm)
            self.press.feed()

    def _longest(self, pairs: Sequence[Runs]) -> float:
        """Width of the longest label, mm."""
        return max((self.press.measure(runs[0][0].strip(" :")) for runs in pairs if len(runs) > 1), default=0.0)

    def _tab(self, runs: Runs, label_mm: float) -> None:
        label, start = runs[0][0].strip(" :"), self.press.margin_mm
        colon = self.press.snap(start + label_mm + self.press.measure(" "))
        if len(runs) == 1 or colon + self.press.measure(": ") + self.press.span(runs[1:]) > self.press.width_mm - start:
            self.press.put(runs, start)
            return
        if label:
            self.press.put([(label, None)], start)
            self.press.put([(":", None)], colon)
        self.press.put(runs[1:], colon + self.press.measure(": "))

    def _two_columns(self, pairs: Sequence[Runs]) -> None:
        """Tabbed on the left, labelled on the right, from a column of its own."""
        half = (len(pairs) + 1) // 2
        left, right = pairs[:half], pairs[half:]
        label_mm = self._longest(left)
        place = self.press.margin_mm + self.press.inner_mm * self.till.rng.choice((0.55, 0.6, 0.65))
        for at, runs in enumerate(left):
            self._tab(runs, label_mm)
            taken = self.press.margin_mm + label_mm + self.press.measure("  :  ") + self.press.span(runs[1:] or runs)
            if at < len(right):
                fits = place + self.press.span(right[at]) < self.press.width_mm - self.press.margin_mm
                if taken > place or not fits:
                    self.press.feed()
                self.press.put(right[at], place if fits else self.press.margin_mm)
            self.press.feed()

    def _bill_to(self) -> None:
        """The customer's name and address: no field of a receipt, though it looks like the merchant's."""
        till = self.till
        self.press.left([(till.fill(till.rng.choice(("BILL TO :", "Customer :", "Sold To", "To :", "M/S"))), None)])
        lists = {**till.lists, "trade": till.lists["trade_services"]}
        for line in (
            expand("{name}", lists, till.rng),
            *wrap(expand("{address}", lists, till.rng), self.press.columns),
        ):
            self.press.left([(line.upper() if till.style.upper else line, None)])


class _Foot:
    """Prints what is left, and the goodbyes."""

    def __init__(self, till: Till, late: set[str], particulars: Particulars) -> None:
        self.till = till
        self.late = late
        self.particulars = particulars

    def print(self) -> None:
        """In any order."""
        till = self.till
        till.press.feed(till.rng.choice((0.2, 0.6, 1.2)))
        contact = [name for name in ("merchant_phone_number", "merchant_tax_id") if name in self.late]
        lines: list[Callable[[], None]] = [partial(contact_line, till, name) for name in contact]
        late = [name for name in _PARTICULARS if name in self.late and getattr(till.receipt, name) is not None]
        if late:
            lines.append(partial(self.particulars.print, late))
        sayings = (
            (0.75, "thanks"), (0.35, "policy"), (0.2, "survey"), (0.15, "thanks"), (0.12, "policy"), (0.07, "hours"),
            (0.08, "member"), (0.06, "copy"), (0.05, "document"),
        )  # fmt: skip
        lines += [partial(till.say, key) for often, key in sayings if till.chance(often)]
        extras = ((0.15, partial(web_line, till)), (0.15, self._code), (0.06, self._name), (0.12, self._other_date))
        lines += [extra for often, extra in extras if till.chance(often)]
        till.rng.shuffle(lines)
        for line in lines:
            line()

    def _name(self) -> None:
        till = self.till
        if till.receipt.merchant_name is None:
            return
        if till.chance(0.4):
            till.text(
                till.fill(till.rng.choice(("Thank you for shopping at", "Thank you for dining at", "Welcome to")))
            )
        for line in wrap(till.receipt.merchant_name, till.press.columns):
            till.headline([(line, "merchant_name")])

    def _other_date(self) -> None:
        """The day once more, or a day that is not the purchase's: an offer's end, a best-before."""
        till, day = self.till, self.till.receipt.transaction_date
        if day is None:
            return
        if till.chance(0.4):
            closed = till.rng.choice(("Closed: ", "Printed: ", "Print Date: ", "", "Bill end: "))
            later = format_time(till.receipt.transaction_time, till.style.time) if till.receipt.transaction_time else ""
            moment: Run = (later, "transaction_time") if later else ("", None)
            till.headline([(closed, None), till.value("transaction_date"), (" ", None), moment])
            return
        until = day + timedelta(days=till.rng.choice((7, 14, 30, 31, 60, 90, 365)))
        other = format_date(until, till.style.date, till.locale.language)
        label = till.rng.choice(_OFFERS)
        till.headline([(till.fill(label), None), (other, None)])

    def _code(self) -> None:
        till = self.till
        if till.chance(0.4):
            side = till.rng.uniform(14, 24)
            till.press.block(side, side, "square")
            return
        till.press.block(till.press.inner_mm * till.rng.uniform(0.4, 0.8), till.rng.uniform(6, 12), "bars")
        if till.chance(0.6):
            till.text(till.fill(till.rng.choice(("{n12}", "*{n16}*", "{n20}", "{n4} {n4} {n4}"))))


def break_address(address: str, columns: int, locale: Locale, rng: Random) -> list[str]:
    """An address over lines as shops print it: at commas and before the town, or simply where the line is full."""
    if rng.random() < 0.25:
        return wrap(address, columns)
    upper = address.upper()
    cuts = {match.end() for match in re.finditer(r",\s|\s-\s", address)}
    for town in towns(locale.code):
        at = upper.find(town)
        if at > 0 and address[at - 1] == " ":
            postcode = re.search(r"\b[A-Z]{0,2}-?[\d-]{4,8}(?: ?[A-Z]{2})?,? $", address[:at])
            cuts.add(postcode.start() if postcode else at)
            break
    keep = rng.choice((0.35, 0.6, 1.0))
    pieces: list[str] = []
    start = 0
    for cut in sorted(cut for cut in cuts if address[cut - 1] == " "):
        if rng.random() < keep or cut - start > columns:
            pieces.append(address[start:cut])
            start = cut
    pieces.append(address[start:])
    return [line for piece in pieces for line in wrap(piece, columns)]
