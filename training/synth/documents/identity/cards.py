"""Identity cards: the front and the back of an ID-1 card, and the older, larger TD2 with everything on one side."""

from random import Random

from docextract.documents.identity import Identity
from training.synth.documents.identity import furniture
from training.synth.documents.identity.american import typeset_american
from training.synth.documents.identity.board import Area, Block, Board, Entry
from training.synth.documents.identity.furniture import Words
from training.synth.documents.identity.hand import Hand
from training.synth.sheet import Sheet

CARD_MM = (85.6, 54.0)  # ID-1
TD2_MM = (105.0, 74.0)


def typeset(record: Identity, rng: Random) -> Sheet:
    """One way to print this record; a side without a name is a back."""
    hand = Hand(record, "id_card", rng)
    if record.family_name is None:
        return _back(hand)
    if hand.issuer.licence_style == "american" and not record.mrz:
        return typeset_american(hand)
    return _front(hand, TD2_MM if len(record.mrz) == 2 else CARD_MM)


def _front(hand: Hand, size_mm: tuple[float, float]) -> Sheet:
    rng, board = hand.rng, Board(*size_mm)
    paper = furniture.paper(hand)
    furniture.background(board, hand)
    foot = furniture.zone(board, hand)
    top = _head(board, hand)
    photo = _photo(board, hand, top, foot)
    left = photo.x_mm < board.width_mm / 2
    x_mm = photo.x_mm + photo.width_mm + rng.uniform(1.5, 3.5) if left else rng.uniform(2.5, 4.5)
    width = (board.width_mm - rng.uniform(2, 4) if left else photo.x_mm - 1.5) - x_mm
    if hand.chance(0.25) and not hand.record.mrz:
        furniture.signature(board, hand, Area(x_mm + width * 0.4, foot - 6, width * 0.4, 5))
        foot -= 6.5
    area = Area(x_mm, top, width, foot - top)
    block = Block(board, area, hand.style, furniture.style_columns(hand, width, rng), rng.uniform(2.4, 3.4))
    block.set(_front_entries(hand), rng.uniform(0.2, 1.0))
    return board.sheet(paper)


def _head(board: Board, hand: Hand) -> float:
    """Country and title across the top; returns where the fields may begin, mm."""
    rng = hand.rng
    y_mm, margin = rng.uniform(1.2, 2.5), rng.uniform(2, 5)
    inset = 0.0
    if hand.issuer.options("sign") and hand.chance(0.3):
        furniture.flag(board, hand, Area(margin, y_mm, 9, 6))
        inset = 11.0
    width = board.width_mm - margin - inset - 2.5
    if hand.chance(0.25):  # side by side
        furniture.heading(board, hand, Area(margin + inset, y_mm, width * 0.55, 5), 2)
        furniture.titles(board, hand, Area(margin + inset + width * 0.57, y_mm, width * 0.43, 4.5), 2)
        return y_mm + rng.uniform(7, 8.5)
    parts = [furniture.heading, furniture.titles]
    if hand.chance(0.1):
        parts.pop()
    elif hand.chance(0.2):
        parts.reverse()
    for part in parts:
        part(board, hand, Area(margin + inset, y_mm, width, rng.uniform(2.8, 4.8)), rng.choice((1, 1, 2, 3)))
        y_mm += rng.uniform(4.6, 5.4)
    return y_mm + rng.uniform(0.2, 1.5)


def _photo(board: Board, hand: Hand, top: float, foot: float) -> Area:
    """Portrait, and what stands under it."""
    rng = hand.rng
    width = board.width_mm * rng.uniform(0.24, 0.32)
    height = min(width * rng.uniform(1.2, 1.35), foot - top - 1)
    x_mm = rng.uniform(2, 4.5) if hand.chance(0.8) else board.width_mm - width - rng.uniform(2, 4)
    photo = Area(x_mm, top + rng.uniform(0, max(0.1, (foot - top - height) * 0.6)), width, height)
    furniture.portrait(board, hand, photo)
    if hand.chance(0.25):
        other = board.width_mm - 16 if x_mm < board.width_mm / 2 else 3
        furniture.ghost(board, hand, Area(other, foot - 17, 12, 15))
    if hand.chance(0.08):
        furniture.specimen(board, hand, Area(x_mm, photo.y_mm + height * 0.6, width, 5))
    under = photo.y_mm + height + 0.4
    if foot - under > 3.2:
        if hand.chance(0.35) and hand.has("document_number"):
            board.put(hand.value("document_number"), x_mm, under, 2.8, width, "sans", True, align="c")
        elif hand.chance(0.4):
            board.put([(f"{rng.randrange(10**6):06}", None)], x_mm, under, 2.8, width, "mono", align="c")
        elif hand.chance(0.5):
            furniture.signature(board, hand, Area(x_mm, under, width, foot - under - 0.4))
    return photo


def _front_entries(hand: Hand) -> list[Entry]:
    rng = hand.rng
    words = Words(hand, rng.choice((20, 28, 38)))
    number = words.field("document_number", "number_id_card")
    body = [
        *words.names(), *words.field("nationality"), *words.field("birth_date"), *words.field("sex"),
        *words.field("birth_place"), *words.field("administrative_number"), *words.field("resident_address", columns=2),
        *words.of_the_body(0.1), *words.field("issue_date"), *words.field("expiry_date"),
        *words.field("issuing_authority"),
    ]  # fmt: skip
    if hand.chance(0.1):
        body.append(words.beside("type", rng.choice(("ID", "I", "IR"))))
    body = furniture.shuffled(body, hand, rng.choice((0, 0, 1, 2, 5)))
    return [*number, *body] if hand.chance(0.5) else [*body, *number]


def _back(hand: Hand) -> Sheet:
    rng, board = hand.rng, Board(*CARD_MM)
    paper = furniture.paper(hand)
    furniture.background(board, hand)
    foot = furniture.zone(board, hand)
    top = rng.uniform(1.5, 4.0)
    x_mm, width = rng.uniform(2.5, 5), board.width_mm * rng.uniform(0.6, 0.92)
    if hand.has("issuing_country"):
        furniture.heading(board, hand, Area(x_mm, top, width, 3.6), 1)
        top += 4.6
    if hand.chance(0.2):
        furniture.titles(board, hand, Area(x_mm, top, width, 3), 2)
        top += 3.8
    if hand.chance(0.35):
        size = min(13.0, foot - top)
        board.ornament("chip", Area(board.width_mm - 16, top, 12, size * 0.75))
        width = min(width, board.width_mm - 18 - x_mm)
    elif hand.chance(0.35):
        furniture.codes(board, hand, Area(board.width_mm - 17, top + 1, 14, min(14.0, foot - top - 2)))
        width = min(width, board.width_mm - 19 - x_mm)
    if hand.chance(0.2):
        furniture.signature(board, hand, Area(x_mm + 4, foot - 6.5, width * 0.5, 5))
        foot -= 7
    block = Block(
        board,
        Area(x_mm, top, width, foot - top),
        hand.style,
        furniture.style_columns(hand, width, rng),
        rng.uniform(2.2, 3.0),
    )
    block.set(_back_entries(hand), rng.uniform(0.1, 0.9))
    return board.sheet(paper)


def _back_entries(hand: Hand) -> list[Entry]:
    words = Words(hand, hand.rng.choice((20, 28, 38)))
    body = [
        *words.field("resident_address", columns=2), *words.of_the_body(0.3), *words.field("issuing_authority"),
        *words.field("issue_date"), *words.field("expiry_date"), *words.field("birth_place"),
        *words.field("birth_date"), *words.field("sex"), *words.field("nationality"),
        *words.field("administrative_number"), *words.field("document_number", "number_id_card"),
    ]  # fmt: skip
    if hand.chance(0.15):
        body.append(words.beside("remarks", hand.rng.choice(("—", "***", "C", "NIL"))))
    return furniture.shuffled(body, hand, hand.rng.choice((0, 0, 1, 3)))
