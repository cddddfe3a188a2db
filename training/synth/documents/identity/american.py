"""Licences and cards of North American states and provinces, whose fields AAMVA numbers and abbreviates."""

from dataclasses import replace

from docextract.documents.identity import DriverLicence
from training.synth.documents.identity import furniture
from training.synth.documents.identity.board import Area, Block, Board, Entry
from training.synth.documents.identity.furniture import Words
from training.synth.documents.identity.hand import Hand
from training.synth.sheet import Sheet
from training.synth.typesetting import Run

CARD_MM = (85.6, 54.0)

# AAMVA's number, what is printed in English, and in the two languages of Canada.
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


def typeset_american(hand: Hand) -> Sheet:
    """One way to print the front."""
    rng, board = hand.rng, Board(*CARD_MM)
    hand.style = replace(
        hand.style, placing=rng.choice(("inline", "inline", "above")), label_share=rng.uniform(0.6, 0.9), colon="",
        numbers="none", value_face=rng.choice(("sans", "sans", "condensed", "mono")),
    )  # fmt: skip
    paper = furniture.paper(hand)
    furniture.background(board, hand)
    top = _head(board, hand)
    width = rng.uniform(20, 27)
    left = hand.chance(0.88)
    photo = Area(rng.uniform(1.5, 4) if left else CARD_MM[0] - width - 3, top + rng.uniform(0, 3), width, width * 1.25)
    furniture.portrait(board, hand, photo)
    x_mm = photo.x_mm + width + rng.uniform(1.5, 3) if left else rng.uniform(2, 4)
    room = (CARD_MM[0] - 2 if left else photo.x_mm - 1.5) - x_mm
    if hand.chance(0.4):
        furniture.ghost(board, hand, Area(x_mm + room - 13, CARD_MM[1] - 16, 12, 14))
    foot = CARD_MM[1] - 1.5
    if hand.chance(0.35):
        furniture.signature(board, hand, Area(photo.x_mm, min(photo.y_mm + photo.height_mm + 0.5, 47), width, 5.5))
    _set(board, hand, Area(x_mm, top, room, foot - top))
    if hand.chance(0.5):
        _remark(board, hand, photo)
    return board.sheet(paper)


def _head(board: Board, hand: Hand) -> float:
    """The state, and what the card is; returns where the fields may begin, mm."""
    rng = hand.rng
    x_mm, y_mm = rng.uniform(2, 8), rng.uniform(1.2, 2.5)
    furniture.heading(board, hand, Area(x_mm, y_mm, 49 - x_mm, rng.uniform(4, 6)), 1)
    title = _title(hand)
    beside = hand.chance(0.6)
    at = Area(52, y_mm, 31, 4.0) if beside else Area(x_mm, y_mm + 6.2, 50, 3.2)
    board.put(
        [(title, None)],
        at.x_mm,
        at.y_mm,
        at.height_mm,
        at.width_mm,
        "sans",
        hand.chance(0.6),
        furniture.title_ink(hand),
    )
    y_mm += rng.uniform(6.5, 8) if beside else rng.uniform(9.6, 10.5)
    if hand.has("issuing_authority"):
        board.put(hand.value("issuing_authority"), x_mm, y_mm - 0.3, 2.2, 60, "sans")
        y_mm += 2.3
    return y_mm


def _title(hand: Hand) -> str:
    if hand.kind == "id_card":
        return hand.rng.choice(("IDENTIFICATION CARD", "ID CARD", "Identification Card", "NOT A DRIVER LICENSE"))
    if hand.issuer.code == "CAN":
        return hand.rng.choice(("DRIVER'S LICENCE", "DRIVER'S LICENCE / PERMIS DE CONDUIRE", "PERMIS DE CONDUIRE"))
    return hand.rng.choice(
        ("DRIVER LICENSE", "DRIVER'S LICENSE", "DRIVER LICENSE", "Driver License", "OPERATOR LICENSE")
    )


class _Aamva:
    """Labels of one card: all with their numbers or none, mostly all abbreviated."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.numbered = hand.chance(0.6)
        self.gap = hand.rng.choice((" ", " ", ". ", ""))

    def label(self, key: str) -> str:
        """As printed before or above the value."""
        hand = self.hand
        number, english, french = _LABELS[key]
        word = hand.rng.choice((french if hand.issuer.code == "CAN" else english).split("|"))
        if key == "document_number" and hand.kind == "id_card":
            word = hand.rng.choice(("ID", "ID NO.", "ID#", "IDN"))
        return (f"{number}{self.gap}{word}" if self.numbered else word).strip()

    def entry(self, key: str, text: str) -> Entry:
        """What is no field."""
        return Entry(self.label(key), ((text, None),))

    def field(self, name: str, columns: int = 1) -> list[Entry]:
        """The field; nothing where the record lacks it."""
        return [Entry(self.label(name), tuple(self.hand.value(name)), columns)] if self.hand.has(name) else []


def _set(board: Board, hand: Hand, area: Area) -> None:
    """Everything that is said of holder and document, in one block."""
    rng, aamva = hand.rng, _Aamva(hand)
    number = aamva.field("document_number", rng.choice((1, 2)))
    dates = furniture.shuffled([*aamva.field("expiry_date"), *aamva.field("birth_date")], hand, rng.choice((0, 1)))
    who = [*aamva.field("family_name", 2), *aamva.field("given_name", 2), *aamva.field("resident_address", 2)]
    body = [*aamva.field("sex"), *_body(hand, aamva), *aamva.field("issue_date"), *_licence(hand, aamva)]
    words = Words(hand, 20)
    others = [entry for name in ("birth_place", "nationality", "administrative_number") for entry in words.field(name)]
    order = [*number, *dates, *who] if hand.chance(0.6) else [*number, *who, *dates]
    entries = [*order, *furniture.shuffled([*body, *others], hand, rng.choice((0, 1, 3)))]
    block = Block(board, area, hand.style, rng.choice((2, 2, 3)), rng.uniform(2.5, 3.4))
    block.set(entries, rng.uniform(0.2, 0.9))


def _body(hand: Hand, aamva: _Aamva) -> list[Entry]:
    rng = hand.rng
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
    return [aamva.entry(key, text) for often, key, text in made if hand.chance(often)]


def _licence(hand: Hand, aamva: _Aamva) -> list[Entry]:
    """Class, restrictions, endorsements, and the discriminator, a number that is not the licence's."""
    rng, found = hand.rng, list[Entry]()
    record = hand.record
    if isinstance(record, DriverLicence):
        for at, privilege in enumerate(record.driving_privileges):
            runs: tuple[Run, ...] = (
                (privilege.vehicle_category_code or "", f"driving_privileges.{at}.vehicle_category_code"),
            )
            found.append(Entry(aamva.label("class"), runs))
            if privilege.restrictions is not None:
                found.append(
                    Entry(
                        aamva.label("restrictions"),
                        ((privilege.restrictions, f"driving_privileges.{at}.restrictions"),),
                    )
                )
            elif hand.chance(0.5):
                found.append(aamva.entry("restrictions", "NONE"))
        if hand.chance(0.5):
            found.append(aamva.entry("endorsements", "NONE"))
    if hand.chance(0.5):
        found.append(
            aamva.entry(
                "discriminator", f"{rng.randrange(10**10):010}{rng.choice(('', 'NNNAN/ANFD/25', ' 0101', 'ABC12'))}"
            )
        )
    return found


def _remark(board: Board, hand: Hand, photo: Area) -> None:
    text = hand.rng.choice(_REMARKS)
    birth = hand.record.birth_date
    text = text.format(f"{birth:%m/%d}/{birth.year + 21}" if birth else "12/31/2027")
    board.put([(text, None)], photo.x_mm, CARD_MM[1] - 3.2, 2.1, photo.width_mm, "sans", True, (150, 30, 40))
