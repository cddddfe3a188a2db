"""Lays out driving licences: the European model of directive 2006/126 with numbered fields, and plain ones."""

from dataclasses import replace
from random import Random

from docextract.documents.identity import DriverLicence
from training.synth.documents.identity import decoration
from training.synth.documents.identity.american import typeset_american
from training.synth.documents.identity.decoration import EntryBuilder
from training.synth.documents.identity.text_layout import ID1_CARD_MM, Area, Canvas, FieldBlock, FieldEntry
from training.synth.documents.identity.writer import IdentityWriter
from training.synth.sheet import Rule, Sheet
from training.synth.typesetting import TextRun

# Field numbers of the European model; a word may follow the number.
_NUMBERS = {
    "family_name": "1.", "given_name": "2.", "birth_date": "3.", "issue_date": "4a.", "expiry_date": "4b.",
    "issuing_authority": "4c.", "administrative_number": "4d.", "document_number": "5.", "resident_address": "8.",
}  # fmt: skip
_LEGEND = (
    "1. Surname 2. First names 3. Date and place of birth 4a. Date of issue 4b. Date of expiry 4c. Issued by",
    "5. Licence number 8. Address 9. Categories 10. Valid from 11. Valid to 12. Codes",
    "1. Name 2. Vorname 3. Geburtsdatum und -ort 4a. Ausstellungsdatum 4b. Ablaufdatum 4c. Ausstellungsbehörde",
    "1. Nom 2. Prénoms 3. Date et lieu de naissance 4a. Date de délivrance 4b. Date d'expiration 4c. Délivré par",
)


def typeset(record: DriverLicence, rng: Random) -> Sheet:
    """Lay out a record; a side without a name is a back."""
    writer = IdentityWriter(record, "driver_licence", rng)
    if record.family_name is None:
        return _back(writer, record)
    if writer.issuer.licence_style == "american":
        return typeset_american(writer)
    return _front(writer, record)


def _front(writer: IdentityWriter, record: DriverLicence) -> Sheet:
    rng, canvas = writer.rng, Canvas(*ID1_CARD_MM)
    numbered = writer.issuer.licence_style == "numbered"
    if numbered:
        writer.style = replace(
            writer.style, placing="inline", label_share=rng.uniform(0.75, 1.0), numbers="none", colon="",
            value_face=rng.choice(("sans", "sans", "condensed")),
        )  # fmt: skip
    paper = decoration.paper_tint(writer)
    decoration.background(canvas, writer)
    top = _head(canvas, writer)
    foot = ID1_CARD_MM[1] - rng.uniform(1.2, 3)
    width = rng.uniform(19, 26)
    left = writer.chance(0.85)
    x_photo = rng.uniform(1.5, 5) if left else ID1_CARD_MM[0] - width - rng.uniform(2, 4)
    height = min(width * rng.uniform(1.2, 1.35), foot - top - 2)
    photo = Area(x_photo, top + rng.uniform(0, max(0.2, foot - top - height - 1)), width, height)
    decoration.portrait(canvas, writer, photo)
    x_mm = photo.x_mm + width + rng.uniform(1.5, 4) if left else rng.uniform(2.5, 5)
    room = (ID1_CARD_MM[0] - 2.5 if left else photo.x_mm - 1.5) - x_mm
    if writer.chance(0.2):
        decoration.ghost_portrait(canvas, writer, Area(x_mm + room - 13, foot - 16, 12, 15))
    if writer.chance(0.5):
        decoration.signature(canvas, writer, Area(x_mm + room * 0.1, foot - 5.6, room * 0.45, 5))
        foot -= 5.8 if writer.chance(0.7) else 0
    area = Area(x_mm, top, room, foot - top)
    if numbered:
        FieldBlock(canvas, area, writer.style, 2, rng.uniform(2.5, 3.3)).draw(
            _numbered(writer, record), rng.uniform(0.1, 0.8)
        )
    else:
        columns = decoration.choose_column_count(writer, room, rng)
        FieldBlock(canvas, area, writer.style, columns, rng.uniform(2.3, 3.2)).draw(
            _plain(writer, record), rng.uniform(0.1, 0.8)
        )
    return canvas.sheet(paper)


def _head(canvas: Canvas, writer: IdentityWriter) -> float:
    """Title and country across the top; returns the y where the fields may begin, mm."""
    rng = writer.rng
    y_mm = rng.uniform(1.2, 2.5)
    inset = 2.5
    signed = writer.issuer.licence_style == "numbered" and writer.chance(0.7)
    if signed:
        decoration.state_flag(canvas, writer, Area(rng.uniform(1.5, 3.5), y_mm, 10, 7))
        inset = 15.0
    width = ID1_CARD_MM[0] - inset - 2.5
    title_first = writer.chance(0.6)
    if title_first:
        decoration.document_titles(
            canvas, writer, Area(inset, y_mm, width, rng.uniform(3.2, 4.6)), rng.choice((1, 1, 2))
        )
        y_mm += 4.8
    if not signed or writer.chance(0.7) or not writer.issuer.options("sign"):
        decoration.country_heading(
            canvas, writer, Area(inset, y_mm, width, rng.uniform(2.8, 4.0)), rng.choice((1, 1, 2))
        )
        y_mm += 4.2
    if not title_first:
        decoration.document_titles(canvas, writer, Area(inset, y_mm, width, rng.uniform(2.6, 4.0)), 1)
        y_mm += 4.4
    return max(y_mm, 9.5 if signed else 0.0) + rng.uniform(0, 1.0)


def _numbered(writer: IdentityWriter, record: DriverLicence) -> list[FieldEntry]:
    """Entries 1 to 9 of the European model."""
    rng = writer.rng
    worded = writer.chance(0.14)
    gap = rng.choice(("", "", " "))

    def entry(name: str, columns: int = 2) -> list[FieldEntry]:
        """The entry of a field with its number; nothing when the record does not have it."""
        if not writer.has(name):
            return []
        word = f" {writer.label(name, 1)}" if worded else ""
        return [
            FieldEntry(
                _NUMBERS[name].rstrip("." if rng.random() < 0.03 else " ") + gap + word,
                tuple(writer.value(name)),
                columns,
            )
        ]

    given = entry("given_name")
    if given and writer.issuer.code == "GBR" and writer.chance(0.7):
        given = [FieldEntry(given[0].label, ((writer.courtesy_title(), None), *given[0].runs), 2)]
    issued = [*entry("issue_date", 1), *entry("issuing_authority", 1)]
    expires = [*entry("expiry_date", 1), *entry("administrative_number", 1)]
    ends = (
        [*issued, *expires]
        if writer.chance(0.7)
        else [
            *entry("issue_date", 1),
            *entry("expiry_date", 1),
            *entry("issuing_authority", 1),
            *entry("administrative_number", 1),
        ]
    )
    lines = [
        *entry("family_name"),
        *given,
        *_born(writer, gap),
        *ends,
        *entry("document_number"),
        *entry("resident_address"),
    ]
    for name in ("sex", "nationality"):  # not part of the European model
        lines += [FieldEntry(writer.label(name, 1), tuple(writer.value(name)))] if writer.has(name) else []
    if record.driving_privileges:
        lines.append(FieldEntry("9." + gap, _categories(writer, record), 2))
    return lines


def _born(writer: IdentityWriter, gap: str) -> list[FieldEntry]:
    """Date and place of birth, which share entry 3."""
    runs: list[TextRun] = []
    for name in ("birth_date", "birth_place"):
        if writer.has(name):
            runs += [(writer.rng.choice((" ", "  ", ", ")), None)] if runs else []
            runs += writer.value(name)
    return [FieldEntry("3." + gap, tuple(runs), 2)] if runs else []


def _categories(writer: IdentityWriter, record: DriverLicence) -> tuple[TextRun, ...]:
    """The vehicle categories on one line."""
    between = writer.rng.choice(("/", "/", " ", "  ", ", ", " / ", "-"))
    if any(code[0].isdigit() for code in writer.issuer.lists["categories"]):
        between = writer.rng.choice(("  ", ", ", " / "))  # otherwise they are read as one number
    runs: list[TextRun] = []
    for at, privilege in enumerate(record.driving_privileges):
        runs += [(between, None)] if runs else []
        runs.append((privilege.vehicle_category_code or "", f"driving_privileges.{at}.vehicle_category_code"))
    return tuple(runs)


def _plain(writer: IdentityWriter, record: DriverLicence) -> list[FieldEntry]:
    """Entries with labels in words, in no fixed order."""
    rng = writer.rng
    builder = EntryBuilder(writer, rng.choice((20, 28, 36)))
    field = builder.field
    number = builder.field("document_number", "number_driver_licence")
    body = [
        *builder.names(), *field("resident_address", columns=2), *field("birth_date"), *field("sex"),
        *field("nationality"), *field("birth_place"), *field("administrative_number"),
        *builder.body_features(0.15), *field("issue_date"), *field("expiry_date"),
        *field("issuing_authority"),
    ]  # fmt: skip
    if record.driving_privileges:
        body.append(FieldEntry(builder.label("category"), _categories(writer, record)))
        restricted = [(at, each.restrictions) for at, each in enumerate(record.driving_privileges) if each.restrictions]
        body += [
            FieldEntry(builder.label("restrictions"), ((text, f"driving_privileges.{at}.restrictions"),))
            for at, text in restricted
        ]
    if writer.chance(0.2):
        body.append(builder.extra("blood", rng.choice(("O+", "A+", "B+", "AB-", "O RH +", "A-"))))
    if writer.chance(0.1):
        day = writer.day(record.issue_date, "issue_date") if record.issue_date else "01/01/2010"
        body.append(builder.extra("first_issue", day))
    body = decoration.swap_neighbours(body, writer, rng.choice((0, 1, 2, 5)))
    return [*number, *body] if writer.chance(0.7) else [*body, *number]


def _back(writer: IdentityWriter, record: DriverLicence) -> Sheet:
    """The table of categories: name, valid from, valid until, codes."""
    rng, canvas = writer.rng, Canvas(*ID1_CARD_MM)
    paper = decoration.paper_tint(writer)
    decoration.background(canvas, writer)
    x_mm = rng.uniform(3, 24)
    y_mm = rng.uniform(2.0, 4.0)
    shares = (0.0, rng.uniform(0.24, 0.32), rng.uniform(0.5, 0.58), rng.uniform(0.76, 0.84))
    width = ID1_CARD_MM[0] - x_mm - 2.5
    for share, number in zip(shares, ("9.", "10.", "11.", "12."), strict=True):
        canvas.put([(number, None)], x_mm + share * width, y_mm, 2.2, ink=writer.style.label_ink)
    held = {privilege.vehicle_category_code: at for at, privilege in enumerate(record.driving_privileges)}
    every = [code for code in writer.issuer.lists["categories"] if code in held or writer.chance(0.85)]
    extra = [code for code in held if code not in every]
    short = rng.choice(("{d:02}.{m:02}.{s:02}", "{d:02}.{m:02}.{s:02}", "{d:02}.{m:02}.{y}"))
    writer.style = replace(writer.style, dates=(short,))
    foot = ID1_CARD_MM[1] - (rng.uniform(5, 9) if any(writer.has(name) for name in _NUMBERS) else rng.uniform(1.5, 5))
    pitch = min((foot - y_mm - 3.0) / len([*every, *extra]), 4.2)
    y_mm += 2.8
    dashes = rng.choice(("", "", "-", "---", "********"))
    for code in (*every, *extra):
        _category(
            canvas,
            writer,
            record,
            (code or "", held.get(code)),
            dashes,
            x_mm,
            y_mm,
            width,
            shares,
            min(pitch * 0.82, 2.6),
        )
        if writer.chance(0.5):
            canvas.marks.append(Rule(x_mm, y_mm + pitch * 0.9, width, 0.1))
        y_mm += pitch
    _below(canvas, writer, x_mm, y_mm)
    return canvas.sheet(paper)


def _category(
    canvas: Canvas, writer: IdentityWriter, record: DriverLicence, category: tuple[str, int | None], dashes: str,
    x_mm: float, y_mm: float, width: float, shares: tuple[float, ...], height: float,
) -> None:  # fmt: skip
    """One row of the table; its runs have fields when the holder has the category."""
    code, at = category
    rooms = [width * (b - a) - 0.6 for a, b in zip(shares, (*shares[1:], 1.0), strict=True)]
    row = f"driving_privileges.{at}."
    cells: list[TextRun] = [(code, None if at is None else row + "vehicle_category_code")]
    if at is None:
        cells += [(dashes, None)] * 3
    else:
        privilege = record.driving_privileges[at]
        issued, expires = (
            writer.day(day, name) if (day := getattr(privilege, name)) else dashes
            for name in ("issue_date", "expiry_date")
        )
        cells += [
            (issued, row + "issue_date" if privilege.issue_date else None),
            (expires, row + "expiry_date" if privilege.expiry_date else None),
            (privilege.restrictions or dashes, row + "restrictions" if privilege.restrictions else None),
        ]
    for run, share, room in zip(cells, shares, rooms, strict=True):
        canvas.put([run], x_mm + share * width, y_mm, height, room, writer.style.value_face, ink=writer.style.ink)


def _below(canvas: Canvas, writer: IdentityWriter, x_mm: float, y_mm: float) -> None:
    """The legend, and the few fields that may be on the back."""
    if writer.chance(0.4):
        x_legend = 1.5 if writer.chance(0.5) else x_mm
        canvas.put([(writer.rng.choice(_LEGEND), None)], x_legend, y_mm + 0.3, 1.3, 75)
        y_mm += 1.7
    for name in ("document_number", "issuing_authority", "administrative_number"):
        if writer.has(name):
            canvas.put([(_NUMBERS[name] + " ", None), *writer.value(name)], x_mm, y_mm + 0.2, 2.2, 50)
            y_mm += 2.5
