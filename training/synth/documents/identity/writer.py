"""Formats the values and labels of one identity document: its issuer's languages and words, typefaces and notations."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from docextract.documents.identity import Identity
from docextract.documents.persons import parse_sex
from docextract.documents.values import parse_birth_date, parse_expiry_date
from training.synth.documents.identity.issuers import Issuer, issuers, issuing_states
from training.synth.documents.identity.labels import field_labels
from training.synth.documents.identity.sampling import IdentityKind, name_style
from training.synth.documents.locales import format_date
from training.synth.sheet import BLACK, Face, Ink
from training.synth.typesetting import TextRun

_LANGUAGES_WITH_MONTHS = frozenset("en de fr es it nl pt da sv is hu ro tr id".split())
_SEPARATORS = ("/", "/", " / ", " / ", " / ", " · ", "  ", " - ", " ")
_INKS: tuple[Ink, ...] = (BLACK, BLACK, (30, 30, 34), (24, 32, 70), (52, 30, 30), (60, 60, 66))
_LABEL_INKS: tuple[Ink, ...] = (BLACK, (60, 60, 70), (30, 60, 120), (120, 40, 50), (40, 90, 70), (90, 70, 120))
_TITLES = {"M": ("MR", "MR", "DR"), "F": ("MRS", "MISS", "MS", "DR"), None: ("MR", "MS")}

Placing = Literal["above", "left", "inline"]


@dataclass(frozen=True)
class IdentityStyle:
    """Typographic habits of one document, the same for all its fields."""

    languages: tuple[str, ...]  # of labels, in this order
    separator: str
    label_case: Literal["upper", "lower", "as is"]
    numbers: Literal["none", "behind", "before"]  # of passport fields: "Surname (1)" or "1. Surname"
    colon: str
    placing: Placing
    value_face: Face
    label_face: Face
    bold_values: bool
    bold_labels: bool
    ink: Ink
    label_ink: Ink
    label_share: float  # height of labels / height of values
    month_case: Callable[[str], str]
    dates: tuple[str, ...]  # templates of `format_date`; the first is used
    code_not_name: bool  # nationality is printed as alpha-3 code
    breaks_addresses: bool  # into the lines of an envelope
    towns: tuple[str, ...]  # of the issuer; addresses are broken before them


class IdentityWriter:
    """Writes one record: labels, values, titles and headings."""

    def __init__(self, record: Identity, kind: IdentityKind, rng: Random) -> None:
        self.record = record
        self.kind = kind
        self.rng = rng
        self.issuer = _issuer_of(record, rng)
        self.style = self._style()
        self.state = self._state()

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.rng.random() < probability

    def has(self, name: str) -> bool:
        """Return whether the record has a value for the field."""
        return getattr(self.record, name) is not None

    def _style(self) -> IdentityStyle:
        rng = self.rng
        languages = rng.choice(self.issuer.languages).split()
        language_count = rng.choices((1, 2, 3, 4), (25, 45, 25, 5))[0]
        faces: tuple[Face, ...] = ("sans", "sans", "sans", "condensed", "serif", "mono")
        face = rng.choice(faces)
        ink = rng.choice(_INKS)
        return IdentityStyle(
            languages=tuple(languages[:language_count]),
            separator=rng.choice(_SEPARATORS),
            label_case=rng.choices(("as is", "upper", "lower"), (64, 33, 3))[0],
            numbers=rng.choices(("none", "behind", "before"), (84, 9, 7))[0],
            colon=":" if self.chance(0.12) else "",
            placing=rng.choices(("above", "left", "inline"), (78, 14, 8))[0],
            value_face=face,
            label_face=face if self.chance(0.6) else rng.choice(faces),
            bold_values=self.chance(0.45),
            bold_labels=self.chance(0.1),
            ink=ink,
            label_ink=ink if self.chance(0.45) else rng.choice(_LABEL_INKS),
            label_share=rng.uniform(0.5, 0.8),
            month_case=rng.choice((str.upper, str.upper, str.upper, str.title)),
            dates=(rng.choice(self.issuer.date_templates(self.kind)),),
            code_not_name=self.chance(0.12),
            breaks_addresses=self.chance(0.6),
            towns=self.issuer.options("town"),
        )

    def _state(self) -> str | None:
        """The state or province that issues the card: the one in the address, or a random one."""
        states = issuing_states().get(self.issuer.code)
        if states is None or self.kind == "passport":
            return None
        address = self.record.resident_address or ""
        there = [code for code in states if f" {code} " in f" {address.upper()} "]
        return states[there[0] if there else self.rng.choice(tuple(states))]

    # Values

    def value(self, name: str) -> list[TextRun]:
        """Return a field as it is printed, as a run of this field."""
        value = getattr(self.record, name)
        return [(self._printed(name, value), name)]

    def _printed(self, name: str, value: Any) -> str:
        if name in ("birth_date", "issue_date", "expiry_date"):
            return self.day(value, name)
        if name == "nationality":
            return self._nationality(value)
        if name == "sex":
            return self._sex(value)
        if name == "document_number":
            return self._number(value)
        return str(value)

    def day(self, day: Any, name: str) -> str:
        """Format a date in the style of the document, with a four-digit year where two digits would give another date.

        name: of its field.
        """
        template = self.style.dates[0]
        text = self._format_day(day, template)
        parse = parse_expiry_date if name == "expiry_date" else parse_birth_date
        if parse(text, self.issuer.date_order) != day:
            text = self._format_day(day, template.replace("{s:02}", "{y}"))
        return text

    def _format_day(self, day: Any, template: str) -> str:
        own = (*self.issuer.options("dates_language"), *self.issuer.languages[0].split())
        known = [language for language in own if language in _LANGUAGES_WITH_MONTHS]
        first, second = known[0] if known else "en", known[1] if len(known) > 1 else "en"
        case = self.style.month_case
        if "{mon2}" in template:
            short = format_date(day, "{mon}", second)
            template = template.replace("{mon2}", case(short))
        return case(format_date(day, template, first)) if "{mon" in template else format_date(day, template, first)

    def _nationality(self, code: str) -> str:
        if code != self.issuer.code or self.style.code_not_name:
            return code
        key = f"nationality_{self.kind}"
        text = self.rng.choice(self.issuer.options(key, "nationality"))
        return text.upper() if self.chance(0.5) else text

    def _sex(self, sex: str) -> str:
        options = self.issuer.options(f"sex_{sex.lower()}_{self.kind}", f"sex_{sex.lower()}")
        fitting = [option for option in options if parse_sex(option) == sex]
        return self.rng.choice(fitting) if fitting else sex

    def _number(self, number: str) -> str:
        """The document number, in 12 % of the documents in groups."""
        if not self.chance(0.12) or not number.isalnum() or len(number) < 6:
            return number
        letters = len(number) - len(number.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        if 0 < letters < 5:
            return f"{number[:letters]} {number[letters:]}"
        step = self.rng.choice((3, 4))
        return " ".join(number[at : at + step] for at in range(0, len(number), step))

    def name_runs(self) -> list[TextRun]:
        """Return both names as runs of one line."""
        family, given = self.value("family_name"), self.value("given_name")
        if self.issuer.code == "PHL" or self.chance(0.1):
            return [*family, (", ", None), *given]
        return [*given, (" ", None), *family]

    def names_together(self) -> bool:
        """Return whether both names are on one line."""
        return name_style(self.issuer, self.kind) == "together" and self.has("family_name") and self.has("given_name")

    def has_one_name(self) -> bool:
        """Return whether the name has no family and given part."""
        return name_style(self.issuer, self.kind) == "whole"

    def courtesy_title(self) -> str:
        """Return a title before given names, as on British licences."""
        return self.rng.choice(_TITLES.get(self.record.sex, _TITLES[None])) + " "

    # Labels and titles

    def label(self, key: str, max_languages: int = 4) -> str:
        """Return the label of a field in at most `max_languages` languages; "" when there is none."""
        found: list[str] = []
        for language in dict.fromkeys((*self.style.languages, "en")):
            options = field_labels(language).get(key)
            if options and (not found or (language in self.style.languages and len(found) < max_languages)):
                word = self.rng.choice(options)
                if word not in found:
                    found.append(word)
        return self._cased(self.style.separator.join(found))

    def _cased(self, text: str) -> str:
        if self.style.label_case == "upper":
            return text.upper()
        return text.lower() if self.style.label_case == "lower" else text

    def titles(self) -> list[str]:
        """Return the title of the document in its languages."""
        found = [self.rng.choice(options) for language in dict.fromkeys((*self.issuer.languages[0].split(), "en"))
                 if (options := field_labels(language).get(f"title_{self.kind}"))]  # fmt: skip
        return list(dict.fromkeys(found))

    def headings(self) -> list[str]:
        """Return the names of the country or of its state; each of them is a name that can be parsed."""
        if self.state is not None and self.issuer.licence_style != "plain":
            return [self.state]
        if self.state is not None:
            return [self.state, *self.issuer.lists["heading"][:1]]
        return list(self.issuer.lists["heading"])


def _issuer_of(record: Identity, rng: Random) -> Issuer:
    """The issuer of a record: by the printed country, or its code in the machine-readable zone.

    Without either, a random issuer with numbered fields.
    """
    every = issuers()
    code = record.issuing_country or (record.mrz[0][2:5].rstrip("<") if record.mrz else record.nationality or "")
    code = {"D": "DEU"}.get(code, code)
    numbered = [each for each in every.values() if each.licence_style == "numbered"]
    return every.get(code) or rng.choice(numbered)
