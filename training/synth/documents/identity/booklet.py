"""The data page of a passport, 125 by 88 mm (TD3), alone or under the page before it."""

from dataclasses import replace
from random import Random

from docextract.documents.identity import Identity
from training.synth.documents.identity import furniture
from training.synth.documents.identity.board import Area, Block, Board, Entry
from training.synth.documents.identity.furniture import Words
from training.synth.documents.identity.hand import Hand
from training.synth.sheet import Mark, Sheet

WIDTH_MM, HEIGHT_MM = 125.0, 88.0
_WORDS = (
    "the bearer passport state request pass freely without let hindrance afford protection pages valid all countries"
)


def typeset(record: Identity, rng: Random) -> Sheet:
    """One way to print this record."""
    hand = Hand(record, "passport", rng)
    board = Board(WIDTH_MM, HEIGHT_MM)
    paper = furniture.paper(hand)
    furniture.background(board, hand)
    _page(board, hand)
    if not hand.chance(0.14):
        return board.sheet(paper)
    marks = (*_page_before(hand).marks, *(_moved(mark, HEIGHT_MM) for mark in board.marks))
    return Sheet(WIDTH_MM, 2 * HEIGHT_MM, marks, paper)


def _moved(mark: Mark, down_mm: float) -> Mark:
    return replace(mark, y_mm=mark.y_mm + down_mm)


def _page(board: Board, hand: Hand) -> None:
    rng = hand.rng
    foot = furniture.zone(board, hand)
    head = rng.uniform(2.5, 5.0)
    furniture.heading(
        board, hand, Area(rng.uniform(4, 40), head, rng.uniform(60, 80), rng.uniform(4.5, 8.5)), rng.choice((1, 2, 3))
    )
    top = head + rng.uniform(8.5, 11.0)
    left = hand.chance(0.9)
    photo_width = rng.uniform(28, 38)
    photo_x = rng.uniform(3.5, 7.0) if left else WIDTH_MM - photo_width - rng.uniform(4, 7)
    photo = Area(photo_x, top + rng.uniform(2, 5), photo_width, min(photo_width * 1.25, foot - top - 7))
    furniture.portrait(board, hand, photo)
    furniture.titles(
        board, hand, Area(photo_x, top - 3.5 if left else top - 2, photo_width, 4.5), rng.choice((1, 2, 3))
    )
    if hand.chance(0.3):
        furniture.ghost(board, hand, Area(WIDTH_MM - 24 if left else 6, foot - 26, 18, 22))
    x_mm = photo_x + photo_width + rng.uniform(3, 6) if left else rng.uniform(5, 9)
    width = WIDTH_MM - x_mm - rng.uniform(3, 7) if left else photo_x - x_mm - 3
    signed = hand.chance(0.5)
    if signed and hand.chance(0.6):
        furniture.signature(board, hand, Area(x_mm + width * 0.45, foot - 10, width * 0.4, 7))
        foot_of_fields = foot - 10.5
    else:
        foot_of_fields = foot - 0.5
        if signed:
            furniture.signature(
                board, hand, Area(photo.x_mm, min(photo.y_mm + photo.height_mm + 0.5, foot - 6), photo_width, 5)
            )
    area = Area(x_mm, top, width, foot_of_fields - top)
    block = Block(board, area, hand.style, furniture.style_columns(hand, width, rng), rng.uniform(3.0, 4.3))
    block.set(_entries(hand), rng.uniform(0.3, 1.0))
    if hand.chance(0.1):
        furniture.specimen(board, hand, Area(photo.x_mm, photo.y_mm + photo.height_mm * 0.6, photo_width, 7))
    if hand.chance(0.15) and hand.has("document_number"):  # once more at the edge
        board.put(hand.value("document_number"), WIDTH_MM - 34, 1.5, 3.6, 32, "mono", True, (170, 40, 50), "r")


def _entries(hand: Hand) -> list[Entry]:
    words, rng = Words(hand, rng_label(hand)), hand.rng
    first: list[Entry] = []
    if hand.chance(0.85):
        first.append(words.beside("type", rng.choice(("P", "P", "P", "PP", "PN", "PA"))))
    if hand.chance(0.8) and hand.has("issuing_country"):
        first.append(Entry(words.label("country_code"), ((hand.record.issuing_country or "", "issuing_country"),)))
    first += words.field("document_number", "number_passport")
    body = [
        *words.names(), *words.field("nationality"), *words.field("birth_date"), *words.field("administrative_number"),
        *words.field("sex"), *words.field("birth_place"), *words.of_the_body(0.12), *words.field("issue_date"),
        *words.field("issuing_authority"), *words.field("expiry_date"), *words.field("resident_address", columns=2),
    ]  # fmt: skip
    swaps = rng.choice((0, 0, 1, 2, 4))
    return [*first, *_names_first(furniture.shuffled(body, hand, swaps))]


def _names_first(entries: list[Entry]) -> list[Entry]:
    """Names stand before everything else in a passport."""
    return sorted(entries, key=lambda entry: not any(name in ("family_name", "given_name") for _, name in entry.runs))


def rng_label(hand: Hand) -> int:
    """The widest label of this document, characters."""
    return hand.rng.choice((24, 32, 44))


def _page_before(hand: Hand) -> Board:
    """The page above, of an open booklet: a request, the signature, a number of the page."""
    rng, board = hand.rng, Board(WIDTH_MM, HEIGHT_MM)
    furniture.background(board, hand)
    words = _WORDS.split()
    y_mm = rng.uniform(8, 40)
    for _ in range(rng.randint(0, 7)):
        line = " ".join(rng.choice(words) for _ in range(rng.randint(6, 11)))
        board.put([(line.capitalize(), None)], 12, y_mm, 3.0, 100, "serif")
        y_mm += 4.2
    if hand.chance(0.6):
        furniture.signature(board, hand, Area(rng.uniform(20, 60), 66, 40, 11))
    if hand.chance(0.5):
        board.put([(str(rng.randint(1, 4)), None)], rng.choice((6.0, 115.0)), 80, 4.0)
    return board
