"""Lays out licences and cards of North American states and provinces, whose fields AAMVA numbers and abbreviates."""

from dataclasses import replace

from docextract.documents.identity import DriverLicence
from training.synth.documents.identity import decoration
from training.synth.documents.identity.decoration import EntryBuilder
from training.synth.documents.identity.text_layout import ID1_CARD_MM, Area, Canvas, FieldBlock, FieldEntry
from training.synth.documents.identity.writer import IdentityWriter
from training.synth.sheet import Sheet
from training.synth.typesetting import TextRun

# AAMVA's number, labels in English, and labels in the two languages of Canada; "|" between options.
_LABELS = {
    "document_number": ("4d", "DL|DL|DL NO.|LIC#|DLN|LICENSE NO.|DL Number|NUMBER|NO.", "NUMBER/NUMÉRO|NO.|DL"),
    "expiry_date": ("4b", "EXP|EXP|EXPIRES|Exp.|Expires", "EXP./EXP.|EXP|EXPIRES/EXPIRE"),
    "issue_date": ("4a", "ISS|ISS|ISSUED|Iss.|Issued", "ISS./DÉL.|ISS|ISSUED/DÉLIVRÉ"),
    "family_name": ("1", "LN|LN|LAST NAME|FAMILY NAME|Last|", "NAME/NOM|NAME|"),
    "given_name": ("2", "FN|FN|FIRST NAME|GIVEN NAMES|First|", "|GIVEN NAMES/PRÉNOMS"),
    "resident_address": ("8", "|||ADDRESS|ADD|Address", "ADDRESS/ADRESSE|ADDRESS|"),
    "birth_date": ("3", "DOB|DOB|DOB|Date of Birth|BIRTHDATE|Birth Date", "DOB/DDN|DOB|BORN/NÉ(E)"),
    "sex": ("15", "SEX|SEX|Sex", "SEX/SEXE|SEX"),
    "height": ("16", "HGT|HT|HEIGHT|Hgt", "HGT/HAUT|HT"),
    "weight": ("17", "WGT|WT|WEIGHT|Wgt", "WGT|WT"),
    "eyes": ("18", "EYES|EYES|Eyes|EYE", "EYES/YEUX|EYES"),
    "hair": ("19", "HAIR|HAIR|Hair", "HAIR"),
    "discriminator": ("5", "DD|DD|DD:|Document Discriminator", "DD/RÉF|REF"),
    "class": ("9", "CLASS|CLASS|CL|Class", "CLASS/CATÉG|CLASS"),
    "endorsements": ("9a", "END|END|ENDORSEMENTS|Endorse", "END|ENDORS."),
    "restrictions": ("12", "RESTR|REST|RSTR|RESTRICTIONS|Restr", "REST/COND|RESTR"),
}
_REMARKS = ("DONOR", "ORGAN DONOR", "VETERAN", "FEDERAL LIMITS APPLY", "UNDER 21 UNTIL {}", "NOT FOR FEDERAL ID", "USA")
_KINDS = (
    "ADULT", "DL ADULT NON REAL ID", "REAL ID", "NOT FOR REAL ID PURPOSES", "LIMITED-TERM", "TEMPORARY", "SAMPLE",
    "ENHANCED", "COMMERCIAL", "UNDER 21", "DUPLICATE", "NON-CDL", "REGULAR", "PROVISIONAL", "LEARNER PERMIT",
)  # fmt: skip


def typeset_american(writer: IdentityWriter) -> Sheet:
    """Lay out the front of the card."""
    rng, canvas = writer.rng, Canvas(*ID1_CARD_MM)
    writer.style = replace(
        writer.style, placing=rng.choice(("inline", "inline", "above")), label_share=rng.uniform(0.6, 0.9), colon="",
        numbers="none", value_face=rng.choice(("sans", "sans", "condensed", "mono")),
        breaks_addresses=writer.chance(0.85),
    )  # fmt: skip
    paper = decoration.paper_tint(writer)
    decoration.background(canvas, writer)
    top = _head(canvas, writer)
    width = rng.uniform(20, 27)
    left = writer.chance(0.88)
    photo = Area(
        rng.uniform(1.5, 4) if left else ID1_CARD_MM[0] - width - 3, top + rng.uniform(0, 3), width, width * 1.25
    )
    decoration.portrait(canvas, writer, photo)
    x_mm = photo.x_mm + width + rng.uniform(1.5, 3) if left else rng.uniform(2, 4)
    room = (ID1_CARD_MM[0] - 2 if left else photo.x_mm - 1.5) - x_mm
    if writer.chance(0.4):
        decoration.ghost_portrait(canvas, writer, Area(x_mm + room - 13, ID1_CARD_MM[1] - 16, 12, 14))
    foot = ID1_CARD_MM[1] - 1.5
    if writer.chance(0.35):
        decoration.signature(canvas, writer, Area(photo.x_mm, min(photo.y_mm + photo.height_mm + 0.5, 47), width, 5.5))
    _set(canvas, writer, Area(x_mm, top, room, foot - top))
    if writer.chance(0.5):
        _remark(canvas, writer, photo)
    return canvas.sheet(paper)


def _head(canvas: Canvas, writer: IdentityWriter) -> float:
    """State and title of the card; returns the y where the fields may begin, mm."""
    rng = writer.rng
    x_mm, y_mm = rng.uniform(2, 8), rng.uniform(1.2, 2.5)
    decoration.country_heading(canvas, writer, Area(x_mm, y_mm, 49 - x_mm, rng.uniform(4, 6)), 1)
    title = _title(writer)
    title_beside = writer.chance(0.6)
    at = Area(52, y_mm, 31, 4.0) if title_beside else Area(x_mm, y_mm + 6.2, 50, 3.2)
    canvas.put(
        [(title, None)],
        at.x_mm,
        at.y_mm,
        at.height_mm,
        at.width_mm,
        "sans",
        writer.chance(0.6),
        decoration.title_ink(writer),
    )
    if writer.chance(0.3):
        canvas.put([(rng.choice(_KINDS), None)], at.x_mm, at.y_mm + at.height_mm, 2.2, 28, "sans", writer.chance(0.5))
    y_mm += rng.uniform(6.5, 8) if title_beside else rng.uniform(9.6, 10.5)
    if writer.has("issuing_authority"):
        canvas.put(writer.value("issuing_authority"), x_mm, y_mm - 0.3, 2.2, 60, "sans")
        y_mm += 2.3
    return y_mm


def _title(writer: IdentityWriter) -> str:
    if writer.kind == "id_card":
        return writer.rng.choice(("IDENTIFICATION CARD", "ID CARD", "Identification Card", "NOT A DRIVER LICENSE"))
    if writer.issuer.code == "CAN":
        return writer.rng.choice(("DRIVER'S LICENCE", "DRIVER'S LICENCE / PERMIS DE CONDUIRE", "PERMIS DE CONDUIRE"))
    return writer.rng.choice(
        ("DRIVER LICENSE", "DRIVER'S LICENSE", "DRIVER LICENSE", "Driver License", "OPERATOR LICENSE")
    )


class _AamvaLabels:
    """Labels of one card: all of them with their AAMVA numbers or none; most are abbreviated."""

    def __init__(self, writer: IdentityWriter) -> None:
        self.writer = writer
        self.numbered = writer.chance(0.6)
        self.gap = writer.rng.choice((" ", " ", ". ", ""))

    def label(self, key: str) -> str:
        """The label as it is printed before or above the value."""
        writer = self.writer
        number, english, french = _LABELS[key]
        word = writer.rng.choice((french if writer.issuer.code == "CAN" else english).split("|"))
        if key == "document_number" and writer.kind == "id_card":
            word = writer.rng.choice(("ID", "ID NO.", "ID#", "IDN"))
        return (f"{number}{self.gap}{word}" if self.numbered else word).strip()

    def entry(self, key: str, text: str) -> FieldEntry:
        """An entry that is no field."""
        return FieldEntry(self.label(key), ((text, None),))

    def field(self, name: str, columns: int = 1) -> list[FieldEntry]:
        """The entry of a field; nothing when the record does not have it."""
        return [FieldEntry(self.label(name), tuple(self.writer.value(name)), columns)] if self.writer.has(name) else []


def _set(canvas: Canvas, writer: IdentityWriter, area: Area) -> None:
    """Lay out all values of holder and document in one block."""
    rng, aamva = writer.rng, _AamvaLabels(writer)
    number = aamva.field("document_number", rng.choice((1, 2)))
    dates = decoration.swap_neighbours(
        [*aamva.field("expiry_date"), *aamva.field("birth_date")], writer, rng.choice((0, 1))
    )
    who = _who(writer, aamva)
    body = [*aamva.field("sex"), *_body(writer, aamva), *aamva.field("issue_date"), *_licence(writer, aamva)]
    builder = EntryBuilder(writer, 20)
    others = [
        entry for name in ("birth_place", "nationality", "administrative_number") for entry in builder.field(name)
    ]
    order = [*number, *dates, *who] if writer.chance(0.6) else [*number, *who, *dates]
    entries = [*order, *decoration.swap_neighbours([*body, *others], writer, rng.choice((0, 1, 3)))]
    block = FieldBlock(canvas, area, writer.style, rng.choice((2, 2, 3)), rng.uniform(2.5, 3.4))
    block.draw(entries, rng.uniform(0.2, 0.9))


def _who(writer: IdentityWriter, aamva: _AamvaLabels) -> list[FieldEntry]:
    """Names and address; in some states without any labels, and in some of them with both names on one line."""
    rng, address = writer.rng, aamva.field("resident_address", 2)
    labelled = [*aamva.field("family_name", 2), *aamva.field("given_name", 2)]
    way = rng.choices(("labelled", "bare", "together"), (65, 17, 18))[0]
    if way == "labelled" or len(labelled) < 2:
        return [*labelled, *address]
    if way == "together":
        names = [FieldEntry(rng.choice(("", "", "NAME", "1,2")), tuple(writer.name_runs()), 2)]
    else:
        names = [replace(entry, label="") for entry in labelled]
        names = names if writer.chance(0.65) else names[::-1]
    return [*names, *(replace(entry, label="") for entry in address)]


def _body(writer: IdentityWriter, aamva: _AamvaLabels) -> list[FieldEntry]:
    """Height, weight, eyes and hair, which are no fields."""
    rng = writer.rng
    feet, inches = rng.randint(4, 6), rng.randint(0, 11)
    height = rng.choice(
        (
            f"{feet}'-{inches:02}\"",
            f"{feet}'{inches:02}\"",
            f"{feet}-{inches:02}",
            f"{feet}'{inches}\"",
            f"{rng.randint(150, 198)} cm",
        )
    )
    made = (
        (0.75, "height", height), (0.55, "weight", f"{rng.randint(95, 260)}{rng.choice((' lb', ''))}"),
        (0.7, "eyes", rng.choice(("BRN", "BLU", "GRN", "HAZ", "BRO"))),
        (0.35, "hair", rng.choice(("BLN", "BRO", "BLK", "GRY"))),
    )  # fmt: skip
    return [aamva.entry(key, text) for probability, key, text in made if writer.chance(probability)]


def _licence(writer: IdentityWriter, aamva: _AamvaLabels) -> list[FieldEntry]:
    """Class, restrictions, endorsements, and the document discriminator, which looks like the licence number."""
    rng, found = writer.rng, list[FieldEntry]()
    record = writer.record
    if isinstance(record, DriverLicence):
        for at, privilege in enumerate(record.driving_privileges):
            runs: tuple[TextRun, ...] = (
                (privilege.vehicle_category_code or "", f"driving_privileges.{at}.vehicle_category_code"),
            )
            found.append(FieldEntry(aamva.label("class"), runs))
            if privilege.restrictions is not None:
                found.append(
                    FieldEntry(
                        aamva.label("restrictions"),
                        ((privilege.restrictions, f"driving_privileges.{at}.restrictions"),),
                    )
                )
            elif writer.chance(0.5):
                found.append(aamva.entry("restrictions", "NONE"))
        if writer.chance(0.5):
            found.append(aamva.entry("endorsements", "NONE"))
    if writer.chance(0.5):
        found.append(
            aamva.entry(
                "discriminator", f"{rng.randrange(10**10):010}{rng.choice(('', 'NNNAN/ANFD/25', ' 0101', 'ABC12'))}"
            )
        )
    return found


def _remark(canvas: Canvas, writer: IdentityWriter, photo: Area) -> None:
    """A remark at the foot, such as DONOR."""
    text = writer.rng.choice(_REMARKS)
    birth = writer.record.birth_date
    text = text.format(f"{birth:%m/%d}/{birth.year + 21}" if birth else "12/31/2027")
    canvas.put([(text, None)], photo.x_mm, ID1_CARD_MM[1] - 3.2, 2.1, photo.width_mm, "sans", True, (150, 30, 40))
