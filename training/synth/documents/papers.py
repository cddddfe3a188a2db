"""Generates pages of papers with the words that their kind prints: student cards, delivery notes, bills.

Most are of the type `other`. Unusual invoices and receipts are made in the same way, so that their words tell the type
and not the generator. data/papers/KIND.toml has the titles, labels and sentences of a kind in many languages.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, cast

from docextract.predictions import OTHER_TYPE
from training.synth.documents.data_files import read_table
from training.synth.documents.grammar import WordLists, expand, invent_word
from training.synth.documents.locales import Locale, locales
from training.synth.documents.names import family_name, given_names
from training.synth.sheet import Face, Mark, Rule, Sheet, Text

_FOLDER = Path(__file__).with_name("data") / "papers"
_LIST_NAMES = ("titles", "labels", "sentences")
CARD_KINDS = frozenset({
    "bank_card", "blood_donor_card", "boarding_pass", "business_card", "company_badge", "disability_card",
    "event_ticket", "fishing_licence", "gift_voucher", "health_insurance_card", "library_card", "loyalty_card",
    "medical_device_card", "membership_card", "missed_delivery_note", "parking_permit", "pet_passport", "press_card",
    "qualification_card", "security_guard_card", "ski_pass", "social_security_card", "sports_player_card",
    "student_card", "student_discount_card", "tachograph_driver_card", "train_ticket", "transport_pass",
    "vaccination_certificate", "vehicle_insurance_card", "vehicle_registration", "visitor_pass", "warranty_card",
    "weapons_or_boat_licence",
})  # fmt: skip
SLIP_KINDS = frozenset({
    "atm_slip", "bottle_deposit_voucher", "cash_count_sheet", "claim_ticket", "daily_closing_report", "kitchen_order",
    "lottery_ticket", "medicine_label", "promotion_coupon", "queue_ticket", "store_credit_note",
    "terminal_batch_report", "weighing_slip",
})  # fmt: skip
FORM_KINDS = frozenset({"receipt_cash_voucher", "receipt_hotel", "receipt_rent_or_fee", "receipt_ride_hailing"})
_BILLS = frozenset({"invoice", "receipt"})  # types with kinds of their own, such as "invoice_utility"
_MAX_SMALL_MM = 130  # width of cards and of the slips of tills
_OTHER_MARKETS = ("PL", "CZ", "RO", "TR")  # whose addresses and goods stand for those of languages without a locale
_GLYPH_WIDTH_EM = 0.5  # mean advance width of running text
_CURRENCIES = ("EUR", "€", "USD", "$", "GBP", "£", "CHF", "PLN", "Kč", "kr", "Ft", "lei", "TL", "")


@cache
def kinds() -> Mapping[str, Mapping[str, WordLists]]:
    """Return the titles, labels and sentences of each kind by language."""
    return {file.stem: words_of_file(file) for file in sorted(_FOLDER.glob("*.toml"))}


def words_of_file(file: Path) -> Mapping[str, WordLists]:
    """Return the words of a kind by language. Raises ValueError if a list is missing or empty."""
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    for language, lists in tables.items():
        if set(lists) != set(_LIST_NAMES) or not all(lists.values()):
            raise ValueError(f"{file.name}: [{language}] must have words in each of {', '.join(_LIST_NAMES)}")
    return {language: {name: tuple(words) for name, words in lists.items()} for language, lists in tables.items()}


def type_of_kind(kind: str) -> str:
    """Return the document type of a kind of papers."""
    begin, *_ = kind.split("_")
    return begin if begin in _BILLS else OTHER_TYPE


def paper(kind: str, language: str, rng: Random) -> Sheet:
    """Return a page of a kind in a language."""
    writer = _Writer.on_page(kind, language, rng)
    writer.write_all()
    inside = tuple(mark for mark in writer.marks if mark.y_mm + writer.size_mm < writer.height_mm * 0.99)
    return Sheet(writer.width_mm, writer.height_mm, inside)


@dataclass
class _Writer:
    """Sets the parts of a page from its top."""

    language: str
    words: WordLists
    rng: Random
    width_mm: float
    height_mm: float
    size_mm: float  # height of a line
    face: Face
    marks: list[Mark]
    y_mm: float
    left_mm: float

    @classmethod
    def on_page(cls, kind: str, language: str, rng: Random) -> "_Writer":
        if kind in CARD_KINDS and rng.random() < 0.8:
            width, height, size = rng.choice(((85.6, 54.0), (105.0, 74.0), (125.0, 88.0))) + (rng.uniform(2.6, 3.4),)
        elif (type_of_kind(kind) == "receipt" and kind not in FORM_KINDS) or (
            kind in SLIP_KINDS and rng.random() < 0.8
        ):
            width, height, size = rng.choice((58.0, 80.0)), rng.uniform(90, 240), rng.uniform(2.8, 3.6)
        else:
            width, height, size = rng.choice(((210.0, 297.0), (216.0, 279.0), (148.0, 210.0))) + (
                rng.uniform(3.4, 4.6),
            )
        left = width * rng.uniform(0.05, 0.12)
        face = rng.choice(("sans", "sans", "serif", "condensed", "mono"))
        words = kinds()[kind][language]
        return cls(language, words, rng, width, height, size, face, [], height * rng.uniform(0.03, 0.08), left)

    def write_all(self) -> None:
        """Write a head, a title, and parts in any order."""
        head: list[Callable[[], None]] = [self.title, *([self.letterhead] if self.rng.random() < 0.75 else [])]
        if not self.is_small and self.rng.random() < 0.5:
            head.append(self.recipient)
        self.rng.shuffle(head)
        for part in head:
            part()
        if self.is_small:
            self.fields(len(self.words["labels"]))
            return
        parts = [self.few_fields, self.table, self.sentences]
        if self.rng.random() < 0.6:
            parts.append(self.few_fields)
        if self.rng.random() < 0.3:
            parts.remove(self.table)
        self.rng.shuffle(parts)
        for part in parts:
            part()
        if self.rng.random() < 0.5:
            self.footer()

    @property
    def is_small(self) -> bool:
        """Whether the page has room for little more than its fields."""
        return self.width_mm < _MAX_SMALL_MM

    def line(self, *runs: tuple[str, float], scale: float = 1.0, bold: bool = False) -> None:
        """Set runs, each at its x, and go to the next line."""
        height = self.size_mm * scale
        for text, x_mm in runs:
            room = self.width_mm - x_mm - 1
            width = min(len(text) * height * _GLYPH_WIDTH_EM, room)
            if text and width > 0:
                self.marks.append(Text(text, x_mm, self.y_mm, width, height, face=self.face, bold=bold))
        self.y_mm += height * 1.3

    def gap(self) -> None:
        self.y_mm += self.size_mm * self.rng.uniform(0.2, 1.6)

    def title(self) -> None:
        text = self.rng.choice(self.words["titles"])
        if self.rng.random() < 0.3:
            text = text.upper()
        if self.rng.random() < 0.35:
            text += " " + self.rng.choice(("", "Nr. ", "No. ", "# ", "N° ")) + self.number()
        scale = self.rng.choice((1.0, 1.0, 1.2, 1.5, 2.0, 2.6))
        x = self.rng.choice((self.left_mm, self.left_mm, self.width_mm * 0.4, self.width_mm * 0.55))
        self.line((text, x), scale=scale, bold=self.rng.random() < 0.6)
        self.gap()

    def letterhead(self) -> None:
        x = self.rng.choice((self.left_mm, self.left_mm, self.width_mm * 0.5))
        self.line((self.company(), x), scale=self.rng.choice((1.0, 1.3, 1.8)), bold=True)
        if self.is_small and self.rng.random() < 0.6:
            return
        for text in self.address():
            self.line((text, x))
        self.gap()

    def recipient(self) -> None:
        for text in (self.rng.choice((self.person(), self.company())), *self.address()):
            self.line((text, self.left_mm))
        self.gap()

    def few_fields(self) -> None:
        self.fields(self.rng.randint(2, 7))

    def fields(self, count: int) -> None:
        """Labels with values behind, beside or below them."""
        labels = self.rng.sample(self.words["labels"], min(count, len(self.words["labels"])))
        style = self.rng.choice(("colon", "column", "below", "colon"))
        columns = 2 if style == "below" and self.rng.random() < 0.6 else 1
        step = (self.width_mm - 2 * self.left_mm) / columns
        for start in range(0, len(labels), columns):
            group = labels[start : start + columns]
            at = [self.left_mm + step * index for index in range(len(group))]
            if style == "below":
                self.line(*zip(group, at, strict=True), scale=self.rng.choice((0.8, 1.0)))
                self.line(*((self.value(), x) for x in at))
            elif style == "colon":
                self.line((f"{group[0]}: {self.value()}", self.left_mm))
            else:
                self.line((group[0], self.left_mm), (self.value(), self.left_mm + self.width_mm * 0.35))
        self.gap()

    def table(self) -> None:
        """Headings, rows of words and numbers, and perhaps a sum."""
        labels = self.words["labels"]
        columns = self.rng.randint(2, min(5, len(labels)))
        step = (self.width_mm - 2 * self.left_mm) / columns
        at = [self.left_mm + step * index for index in range(columns)]
        self.line(*zip(self.rng.sample(labels, columns), at, strict=True), bold=self.rng.random() < 0.5)
        if self.rng.random() < 0.5:
            self.marks.append(Rule(self.left_mm, self.y_mm, self.width_mm - 2 * self.left_mm))
        has_amounts = self.rng.random() < 0.75
        for _ in range(self.rng.randint(2, 9)):
            cells = [self.thing(), *(self.amount() if has_amounts else self.value() for _ in at[1:])]
            self.line(*zip(cells, at, strict=True))
        if has_amounts and self.rng.random() < 0.7:
            self.line((self.rng.choice(self.common["totals"]), at[0]), (self.amount(), at[-1]), bold=True)
        self.gap()

    def sentences(self) -> None:
        room = int((self.width_mm - 2 * self.left_mm) / (self.size_mm * _GLYPH_WIDTH_EM))
        chosen = self.rng.sample(self.words["sentences"], self.rng.randint(1, len(self.words["sentences"])))
        for row in _wrapped(" ".join(chosen), room):
            self.line((row, self.left_mm))
        self.gap()

    def footer(self) -> None:
        texts = [self.company(), *self.address(), self.phone(), f"www.{invent_word(self.rng).lower()}.com", self.iban()]
        self.y_mm = max(self.y_mm, self.height_mm * 0.9)
        self.line((" · ".join(self.rng.sample(texts, self.rng.randint(2, 4))), self.left_mm), scale=0.8)

    def value(self) -> str:
        """A value of any kind."""
        make = self.rng.choices(
            (self.number, self.day, self.amount, self.person, self.thing, self.company, self.time),
            (6, 6, 4, 3, 2, 1, 1),
        )[0]
        return make()

    def number(self) -> str:
        form = self.rng.choice(
            ("{n6}", "{n4}/{d4}", "{letter}{letter}-{n5}", "{n8}", "20{d2}-{n4}", "{n3} {d3} {d3}", "{letter}{n7}")
        )
        return expand(form, {}, self.rng)

    def day(self) -> str:
        day = date(2015, 1, 1) + timedelta(days=self.rng.randrange(4800))
        return day.strftime(self.rng.choice(("%d.%m.%Y", "%d/%m/%Y", "%Y-%m-%d", "%d.%m.%y", "%m/%d/%Y", "%d %m %Y")))

    def time(self) -> str:
        return f"{self.rng.randrange(24):02}:{self.rng.randrange(60):02}"

    def amount(self) -> str:
        cents = self.rng.randrange(100, 10 ** self.rng.randint(4, 7))
        text = f"{cents // 100:,}.{cents % 100:02}"
        if self.language != "en":
            text = text.translate(str.maketrans(",.", ".,"))
        currency = self.rng.choice(_CURRENCIES)
        return f"{text} {currency}".strip() if self.rng.random() < 0.5 else text

    def person(self) -> str:
        culture, female = self.common["culture"], self.rng.random() < 0.5
        return f"{given_names(culture, female, self.rng)} {family_name(culture, female, self.rng)}"

    def company(self) -> str:
        name = self.rng.choice((invent_word(self.rng), family_name(self.common["culture"], False, self.rng)))
        return f"{name} {self.rng.choice(self.common['legal_forms'])}" if self.rng.random() < 0.7 else name

    def address(self) -> list[str]:
        locale = self.locale()
        parts = expand("{address}", locale.lists, self.rng).split(", ")
        return parts[:3]

    def phone(self) -> str:
        return expand("{phone}", self.locale().lists, self.rng)

    def iban(self) -> str:
        return expand("{letter}{letter}{d2} {d4} {d4} {d4} {d4} {d2}", {}, self.rng)

    def thing(self) -> str:
        lists = self.locale().lists
        return expand("{items_general}", lists, self.rng) if "items_general" in lists else invent_word(self.rng)

    def locale(self) -> Locale:
        own = [one for one in locales() if one.language == self.language]
        return self.rng.choice(own or [one for one in locales() if one.code in _OTHER_MARKETS])

    @property
    def common(self) -> Mapping[str, Any]:
        """The words of the language that do not depend on the kind."""
        return cast(Mapping[str, Any], read_table("paper_words")[self.language])


def _wrapped(text: str, room: int) -> Sequence[str]:
    """Return the lines of a text of at most so many letters."""
    return [row.strip() for row in re.findall(rf".{{1,{max(room, 8)}}}(?:\s|$)|\S+", text)]
