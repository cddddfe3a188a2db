"""Draws the values of synthetic identity documents, for the side of the document that shows them."""

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random
from typing import Any, Literal

from docextract.documents.mrz import ZoneFormat
from docextract.documents.persons import parse_document_number, parse_sex
from training.synth.documents import names
from training.synth.documents.grammar import expand
from training.synth.documents.identity.issuers import Issuer, NameStyle, issuers
from training.synth.documents.identity.zone import compose_mrz

IdentityKind = Literal["passport", "id_card", "driver_licence"]
Values = dict[str, Any]

_REFERENCE_DATE = date(2026, 6, 1)  # stands for today, so that a seed gives the same document next year
_MAX_TD3_NUMBER_LENGTH = 9  # characters of a document number in a TD3 zone

# Probability that a side shows a field; fields that are not named are never shown.
_PASSPORT = {
    "document_number": 0.99, "family_name": 1.0, "given_name": 1.0, "birth_date": 0.99, "birth_place": 0.85,
    "sex": 0.96, "nationality": 0.95, "issuing_country": 0.98, "issuing_authority": 0.85, "issue_date": 0.95,
    "expiry_date": 0.98, "administrative_number": 0.4, "resident_address": 0.03,
}  # fmt: skip
_CARD_FRONT = {
    "document_number": 0.85, "family_name": 1.0, "given_name": 1.0, "birth_date": 0.96, "birth_place": 0.5,
    "sex": 0.72, "nationality": 0.65, "issuing_country": 0.92, "issuing_authority": 0.25, "issue_date": 0.35,
    "expiry_date": 0.8, "administrative_number": 0.4, "resident_address": 0.2,
}  # fmt: skip
_CARD_BACK = {
    "document_number": 0.15, "birth_date": 0.05, "birth_place": 0.3, "sex": 0.08, "nationality": 0.08,
    "issuing_country": 0.2, "issuing_authority": 0.7, "issue_date": 0.55, "expiry_date": 0.15,
    "administrative_number": 0.35, "resident_address": 0.7,
}  # fmt: skip
_LICENCE_FRONT = {
    "document_number": 0.98, "family_name": 1.0, "given_name": 1.0, "birth_date": 0.99, "birth_place": 0.65,
    "issuing_country": 0.95, "issuing_authority": 0.8, "issue_date": 0.92, "expiry_date": 0.97,
    "administrative_number": 0.25, "resident_address": 0.25,
}  # fmt: skip
_OTHER_LICENCE_FRONT = _LICENCE_FRONT | {
    "birth_place": 0.1, "sex": 0.7, "nationality": 0.3, "issuing_authority": 0.3, "resident_address": 0.65,
    "issuing_country": 1.0, "administrative_number": 0.3,
}  # fmt: skip
_AMERICAN_FRONT = {
    "document_number": 0.99, "family_name": 1.0, "given_name": 1.0, "birth_date": 0.99, "sex": 0.92,
    "issuing_country": 1.0, "issue_date": 0.75, "expiry_date": 0.98, "resident_address": 0.93,
    "issuing_authority": 0.08,
}  # fmt: skip
_LICENCE_BACK = {"document_number": 0.1, "issuing_authority": 0.06, "administrative_number": 0.05}


@dataclass(frozen=True)
class DocumentDraft:
    """All values of a document, before it is decided which of them a side shows."""

    issuer: Issuer
    values: Values  # every field that the document could show
    mrz: tuple[str, ...]


def passport(rng: Random) -> Values:
    """Return the values of the data page of a passport."""
    draft = _draw_document("passport", "TD3", rng)
    shown = _drop_fields(draft, _PASSPORT, rng)
    return shown | {"mrz": draft.mrz if rng.random() < 0.97 else ()}


def id_card(rng: Random) -> Values:
    """Return the values of the front or the back of a card, or of an older card with everything on one side."""
    roll = rng.random()
    draft = _draw_document("id_card", "TD2" if roll < 0.1 else "TD1", rng)
    if draft.issuer.licence_style == "american":
        return _drop_fields(draft, _AMERICAN_FRONT, rng)
    if roll < 0.1:
        return _drop_fields(draft, _CARD_FRONT | {"issuing_country": 1.0}, rng) | {"mrz": draft.mrz}
    if roll < 0.7:
        return _drop_fields(draft, _CARD_FRONT, rng)
    mrz = draft.mrz if rng.random() < 0.85 else ()
    shown = _drop_fields(draft, _CARD_BACK, rng)
    return shown | {"mrz": mrz} if mrz else shown | {"issuing_country": draft.issuer.code}


def driver_licence(rng: Random) -> Values:
    """Return the values of the front or the back of a licence."""
    draft = _draw_document("driver_licence", None, rng)
    style = draft.issuer.licence_style
    if style == "numbered" and rng.random() < 0.25:
        return _drop_fields(draft, _LICENCE_BACK, rng) | {"driving_privileges": _privileges(draft, rng, detailed=True)}
    fronts = {"numbered": _LICENCE_FRONT, "american": _AMERICAN_FRONT, "plain": _OTHER_LICENCE_FRONT}
    shown = _drop_fields(draft, fronts[style], rng)
    return shown | {"driving_privileges": _privileges(draft, rng, detailed=False) if rng.random() < 0.88 else ()}


def draw_document(issuer: Issuer, kind: IdentityKind, zone: ZoneFormat | None, rng: Random) -> DocumentDraft:
    """Return all values of one document of this issuer, whatever its sides show of them.

    zone: format of its machine-readable zone, or None.
    """
    draft = _draw_document(kind, zone, rng, issuer)
    if kind != "driver_licence":
        return draft
    return replace(draft, values={**draft.values, "driving_privileges": _privileges(draft, rng, detailed=False)})


def name_style(issuer: Issuer, kind: IdentityKind) -> NameStyle:
    """Return how this issuer writes names on this type of document."""
    own = issuer.options(f"name_style_{kind}")
    return own[0] if own else issuer.name_style  # type: ignore[return-value]


def _drop_fields(draft: DocumentDraft, probabilities: dict[str, float], rng: Random) -> Values:
    """The values that the side shows, drawn by the probability of each field."""
    return {name: draft.values.get(name) for name, presence in probabilities.items() if rng.random() < presence}


def _draw_document(
    kind: IdentityKind, zone: ZoneFormat | None, rng: Random, issuer: Issuer | None = None
) -> DocumentDraft:
    """Draw all values of a document. zone: format of its machine-readable zone, or None. issuer: drawn if None."""
    every = tuple(issuers().values())
    issuer = issuer or rng.choices(every, [each.weight for each in every])[0]
    female, unstated = rng.random() < 0.5, rng.random() < 0.01
    birth, issue, expiry = _days(kind, rng)
    lists = dict(issuer.lists) | _from_birth(birth, female)

    def made(*keys: str) -> str | None:
        options = next((lists[key] for key in keys if key in lists), None)
        return " ".join(expand(rng.choice(options), lists, rng).split()) if options else None

    upper_cased = frozenset(
        part for part, probability in _UPPER_CASE_PROBABILITIES.items() if rng.random() < probability
    )
    family, given = _name(issuer, kind, female, rng)
    values: Values = {
        # A number drawn from letters and digits may have no digit; then it is no document number for the parser.
        "document_number": next(filter(None, (parse_document_number(made(kind) or "") for _ in range(20)))),
        "family_name": _change_case(family, "name", upper_cased),
        "given_name": _change_case(given, "name", upper_cased),
        "birth_date": birth,
        "birth_place": _change_case(made(f"birth_place_{kind}", "birth_place", "town"), "place", upper_cased),
        "sex": "X" if unstated else "F" if female else "M",
        "nationality": issuer.code if rng.random() < 0.96 or kind == "passport" else rng.choice(every).code,
        "issuing_country": issuer.code,
        "issuing_authority": _change_case(made(f"authority_{kind}", "authority"), "authority", upper_cased),
        "issue_date": issue,
        "expiry_date": expiry,
        "administrative_number": made("personal"),
        "resident_address": _change_case(_address(made("address") or "", issuer, kind, rng), "address", upper_cased),
    }
    if "," in (values["birth_place"] or "") and rng.random() < 0.7 and kind != "passport":
        values["birth_place"] = values["birth_place"].split(",")[0]
    _drop_unreadable_sex(values, issuer, kind)
    return DocumentDraft(issuer, values, _zone(zone, values, issuer, rng) if zone else ())


def _address(address: str, issuer: Issuer, kind: IdentityKind, rng: Random) -> str:
    """The address of the holder, in some passports with the country."""
    country = f" {issuer.lists['heading'][0]}" if kind == "passport" and address and rng.random() < 0.4 else ""
    return address.removeprefix("#") + country


_UPPER_CASE_PROBABILITIES = {"name": 0.78, "place": 0.7, "authority": 0.4, "address": 0.5}


def _change_case(text: str | None, part: str, upper_cased: frozenset[str]) -> str | None:
    """Upper case, title case or unchanged."""
    if text is None:
        return None
    if part in upper_cased:
        return text.upper()
    return text.title() if text.isupper() and text.isascii() and part != "authority" else text


def _from_birth(birth: date, female: bool) -> dict[str, tuple[str, ...]]:
    """Slots for personal numbers: parts of the date of birth, and the sex."""
    parts = {
        "yymmdd": f"{birth:%y%m%d}", "ddmmyy": f"{birth:%d%m%y}", "ddmm": f"{birth:%d%m}", "yy": f"{birth:%y}",
        "mm": f"{birth:%m}", "dd": f"{birth:%d}", "yyyy": f"{birth:%Y}", "hm": "M" if female else "H",
    }  # fmt: skip
    return {name: (text,) for name, text in parts.items()}


def _days(kind: IdentityKind, rng: Random) -> tuple[date, date, date]:
    """Dates of birth, issue and expiry."""
    issue = _REFERENCE_DATE - timedelta(days=int(rng.betavariate(1.1, 2.2) * 365 * 22))
    youngest = 17 if kind == "driver_licence" else 1 if rng.random() < 0.12 else 15
    birth = issue - timedelta(days=int(rng.betavariate(1.3, 2.0) * 365 * (82 - youngest)) + 366 * youngest)
    years = rng.choice((10, 10, 10, 5, 5, 15, 8, 4) if kind != "passport" else (10, 10, 10, 5))
    expiry = _add_years(issue, years) - timedelta(days=rng.choice((0, 1, 1)))
    if kind == "driver_licence" and rng.random() < 0.25:
        expiry = _add_years(birth, expiry.year - birth.year)  # expires on a birthday
    return birth, issue, max(expiry, issue + timedelta(days=90))


def _add_years(day: date, years: int) -> date:
    """The same day some years later; in February the 28th at the latest."""
    return date(day.year + years, day.month, min(day.day, 28) if day.month == 2 else day.day)


def _name(issuer: Issuer, kind: IdentityKind, female: bool, rng: Random) -> tuple[str, str | None]:
    """Family name, and given names or None."""
    culture = issuer.culture
    if name_style(issuer, kind) == "whole":
        lists = names.name_lists(culture)
        if "person" in lists:
            return names.whole_name(culture, rng), None
        return f"{names.given_names(culture, female, rng)} {names.family_name(culture, female, rng)}", None
    return names.family_name(culture, female, rng), names.given_names(culture, female, rng)


def _drop_unreadable_sex(values: Values, issuer: Issuer, kind: IdentityKind) -> None:
    """Set the sex to None where the issuer prints no letter or word for it that can be parsed on its own."""
    if values["sex"] != "X":
        options = issuer.options(f"sex_{values['sex'].lower()}_{kind}", f"sex_{values['sex'].lower()}")
        if not any(parse_sex(option) == values["sex"] for option in options):
            values["sex"] = None


def _zone(zone: ZoneFormat, values: Values, issuer: Issuer, rng: Random) -> tuple[str, ...]:
    """Lines of the machine-readable zone."""
    number = re.sub(r"\W", "", values["document_number"])
    personal = re.sub(r"[\W_]", "", values["administrative_number"] or "").upper()
    room = {"TD1": 14, "TD2": 7, "TD3": 14}[zone] - max(0, len(number) - 7)
    return compose_mrz(
        zone,
        document_code="P" if zone == "TD3" else rng.choice(("ID", "ID", "I", "I", "IR", "C", "A")),
        issuing_country=issuer.code,
        family_name=values["family_name"],
        given_name=values["given_name"] or "",
        document_number=number[-_MAX_TD3_NUMBER_LENGTH:] if zone != "TD1" else number,
        nationality=values["nationality"],
        birth_date=values["birth_date"],
        sex=values["sex"],
        expiry_date=values["expiry_date"],
        optional_data=personal if len(personal) <= room and personal.isascii() and rng.random() < 0.6 else "",
        empty_check=rng.choice("<0"),
    )


def _privileges(draft: DocumentDraft, rng: Random, detailed: bool) -> tuple[Values, ...]:
    """Vehicle categories of the holder, the smallest vehicles first. detailed: with dates and codes, as on the back."""
    every = draft.issuer.lists["categories"]
    held = sorted({rng.randrange(len(every)) for _ in range(rng.choice((1, 2, 3, 4, 6)))})
    if draft.issuer.licence_style == "numbered" and rng.random() < 0.8:
        held = sorted({*held, *(every.index(code) for code in ("AM", "B") if code in every)})
    if draft.issuer.licence_style == "american" or "1" in every:
        held = held[:1]
    issue, expiry = draft.values["issue_date"], draft.values["expiry_date"]
    rows: list[Values] = []
    since = issue - timedelta(days=rng.randrange(0, 7000))
    since = max(since, _add_years(draft.values["birth_date"], 16))
    for code in dict.fromkeys(every[at] for at in held):  # a list may name a frequent category twice
        row: Values = {"vehicle_category_code": code}
        if detailed:
            since = since if rng.random() < 0.7 else min(issue, since + timedelta(days=rng.randrange(30, 1500)))
            row["issue_date"] = since
            row["expiry_date"] = expiry if rng.random() < 0.85 else None
            row["restrictions"] = rng.choice(draft.issuer.lists["codes"]) if rng.random() < 0.15 else None
        rows.append(row)
    if not detailed and draft.issuer.licence_style != "numbered" and len(rows) == 1 and rng.random() < 0.35:
        rows[0]["restrictions"] = rng.choice(("B", "A", "S", "CORR LENS", "1", "B/F", "X"))
    return tuple(rows)
