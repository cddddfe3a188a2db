"""What every identity document has around its fields: coloured paper with fine lines, portrait, headings, the zone."""

from collections.abc import Sequence
from random import Random

from training.synth.documents.identity.board import NARROWEST, Area, Board, Entry, width_of
from training.synth.documents.identity.hand import Hand
from training.synth.sheet import Barcode, Box, Face, Ink, Rule
from training.synth.typesetting import Run

_TINTS: tuple[Ink, ...] = (
    (250, 250, 248), (246, 242, 232), (236, 242, 248), (238, 246, 238), (248, 236, 238), (244, 238, 248),
    (226, 238, 246), (250, 244, 224), (232, 232, 228), (222, 234, 226), (246, 230, 222), (214, 226, 238),
)  # fmt: skip
_COLOURS: tuple[Ink, ...] = (
    (90, 130, 190), (190, 110, 130), (110, 170, 130), (200, 160, 90), (150, 120, 190), (100, 170, 180),
    (190, 140, 110), (140, 150, 160), (210, 130, 160), (120, 150, 110),
)  # fmt: skip
_TITLE_INKS: tuple[Ink, ...] = (
    (20, 20, 22), (20, 50, 130), (150, 30, 40), (20, 90, 60), (90, 40, 110), (60, 60, 66), (20, 90, 130),
)  # fmt: skip
_SPECIMENS = ("SPECIMEN", "SPECIMEN", "MUSTER", "SPÉCIMEN", "SAMPLE", "MODELLO", "WZÓR", "VOID", "ESPÉCIME")
ZONE_ADVANCE_MM = 2.54  # ten characters to the inch, as part 3 of the standard has it
_ZONE_LINE_MM = 3.9


def paper(hand: Hand) -> Ink:
    """The colour of the material."""
    return hand.rng.choice(_TINTS)


def background(board: Board, hand: Hand) -> None:
    """A wash of colour and fine lines; some documents have hardly any."""
    rng = hand.rng
    whole = Area(0, 0, board.width_mm, board.height_mm)
    if hand.chance(0.75):
        board.ornament("wash", whole, rng.choice(_COLOURS), rng.uniform(0.1, 0.5))
    for _ in range(rng.choice((0, 1, 1, 2))):
        kind = rng.choice(("waves", "waves", "hatching", "rosette"))
        board.ornament(kind, whole, rng.choice(_COLOURS), rng.uniform(0.15, 0.55))
    if hand.chance(0.4):
        size = rng.uniform(0.3, 0.8) * board.height_mm
        at = Area(rng.uniform(0, board.width_mm - size), rng.uniform(0, board.height_mm - size), size, size)
        board.ornament("rosette", at, rng.choice(_COLOURS), rng.uniform(0.2, 0.6))


def portrait(board: Board, hand: Hand, area: Area) -> None:
    """The holder's photograph, at times in grey, as a chip or laser makes it."""
    ink: Ink = hand.rng.choice(((60, 60, 64), (92, 66, 52), (70, 54, 44), (50, 50, 58)))
    board.ornament("portrait", area, ink)


def ghost(board: Board, hand: Hand, area: Area) -> None:
    """The portrait once more, small and faint."""
    board.ornament("portrait", area, hand.rng.choice(_COLOURS), hand.rng.uniform(0.25, 0.6))


def specimen(board: Board, hand: Hand, area: Area) -> None:
    """What is printed over documents that are only shown."""
    text = hand.rng.choice(_SPECIMENS)
    height = min(area.height_mm, area.width_mm / len(text) * 1.5)
    ink: Ink = hand.rng.choice(((190, 60, 60), (150, 150, 156), (60, 60, 66)))
    board.put([(text, None)], area.x_mm, area.y_mm, height, area.width_mm, "sans", True, ink, "c")


def flag(board: Board, hand: Hand, area: Area) -> None:
    """A field of colour with the distinguishing sign of the state, where the issuer has one and the record names it."""
    board.marks.append(Box(area.x_mm, area.y_mm, area.width_mm, area.height_mm, ink=(30, 60, 150)))
    sign = hand.issuer.options("sign")
    if sign and hand.has("issuing_country"):
        runs: list[Run] = [(sign[0], "issuing_country")]
        board.put(runs, area.x_mm, area.y_mm + area.height_mm * 0.45, area.height_mm * 0.42, area.width_mm,
                  "sans", True, (245, 245, 245), "c")  # fmt: skip


def title_ink(hand: Hand) -> Ink:
    """The colour of titles and headings."""
    return hand.rng.choice(_TITLE_INKS)


def heading(board: Board, hand: Hand, area: Area, most: int) -> None:
    """The issuing country's names in one strip: on one line or under each other."""
    if not hand.has("issuing_country"):
        return
    names = hand.headings()[:most]
    if hand.chance(0.15):
        names = names[-1:]
    face: Face = hand.rng.choice(("sans", "serif", "sans", "condensed", "display"))
    align, ink, bold = hand.rng.choice("lccr"), title_ink(hand), hand.chance(0.6)
    if len(names) > 1 and (area.height_mm < 4 * len(names) or hand.chance(0.3)):
        runs: list[Run] = []
        for name in names:
            runs += [(hand.rng.choice(("  ", " / ", " · ")), None)] if runs else []
            runs.append((name, "issuing_country"))
        board.put(runs, area.x_mm, area.y_mm, min(area.height_mm, 4.2), area.width_mm, face, bold, ink, align)
        return
    line = min(area.height_mm / max(len(names), 1), 5.5)
    for at, name in enumerate(names):
        height = line * (1.0 if at == 0 else 0.8)
        board.put(
            [(name, "issuing_country")], area.x_mm, area.y_mm + at * line, height, area.width_mm, face, bold, ink, align
        )


def titles(board: Board, hand: Hand, area: Area, most: int) -> None:
    """What the document calls itself."""
    upper = hand.chance(0.75)
    texts = [text.upper() if upper else text for text in hand.titles()[:most]]
    face: Face = hand.rng.choice(("sans", "sans", "serif", "condensed"))
    align, ink, bold = hand.rng.choice("lcr"), title_ink(hand), hand.chance(0.6)
    together = hand.chance(0.5) or area.height_mm < 2.4 * len(texts)
    while together and len(texts) > 1 and width_of("  ".join(texts), area.height_mm, face) * NARROWEST > area.width_mm:
        texts.pop()
    lines = [hand.rng.choice(("/", " / ", "  ", " · ")).join(texts)] if together else texts
    line = min(area.height_mm / len(lines), 4.5)
    for at, text in enumerate(lines):
        board.put([(text, None)], area.x_mm, area.y_mm + at * line, line, area.width_mm, face, bold, ink, align)


def zone(board: Board, hand: Hand) -> float:
    """The machine-readable lines at the foot; returns the y, in mm, above which there is room."""
    lines = hand.record.mrz
    if not lines:
        return board.height_mm - 1.5
    face: Face = "ocrb" if hand.chance(0.9) else "mono"
    width = min(len(lines[0]) * ZONE_ADVANCE_MM, board.width_mm - 3.0)
    x_mm = min((board.width_mm - width) * hand.rng.uniform(0.3, 0.7), board.width_mm - width - 1.0)
    pitch = hand.rng.uniform(5.6, 6.4) if len(lines) == 2 else hand.rng.uniform(4.8, 5.6)
    foot = board.height_mm - hand.rng.uniform(2.0, 4.5) - _ZONE_LINE_MM
    top = foot - pitch * (len(lines) - 1)
    if hand.chance(0.3):
        board.marks.append(Box(0, top - 2.0, board.width_mm, board.height_mm - top + 2.0, ink=(252, 252, 250)))
    for at, line in enumerate(lines):
        y_mm = top + at * pitch
        board.exactly(line, x_mm, y_mm, width, _ZONE_LINE_MM, face)
    return top - hand.rng.uniform(1.5, 2.5)


def signature(board: Board, hand: Hand, area: Area) -> None:
    """The holder's signature, with or without a line and its label."""
    board.ornament("signature", area, hand.rng.choice(((20, 20, 24), (20, 30, 110), (30, 30, 60))))
    if hand.chance(0.25):
        board.marks.append(Rule(area.x_mm, area.y_mm + area.height_mm, area.width_mm, 0.15))
    if hand.chance(0.5):
        label = hand.label("signature", most=2)
        board.put(
            [(label, None)], area.x_mm, area.y_mm + area.height_mm + 0.2, 1.5, area.width_mm, hand.style.label_face
        )


def codes(board: Board, hand: Hand, area: Area) -> None:
    """Bars or a square of modules that fill an area about."""
    square = area.width_mm < 1.6 * area.height_mm
    side = min(area.width_mm, area.height_mm)
    width, height = (side, side) if square else (area.width_mm, area.height_mm)
    board.marks.append(Barcode(area.x_mm, area.y_mm, width, height, square))


class Words:
    """Makes entries of fields and of what else is said of a person, numbering the labels as it goes."""

    def __init__(self, hand: Hand, widest_label: int) -> None:
        self.hand = hand
        self.widest_label = widest_label  # characters; longer ones are given in fewer languages
        self._number = 0

    def label(self, key: str) -> str:
        """A field's label in the document's manner."""
        hand = self.hand
        label = next((text for most in (4, 3, 2) if len(text := hand.label(key, most)) <= self.widest_label), None)
        label = label if label is not None else hand.label(key, 1)
        self._number += 1
        if hand.style.numbers == "behind" and self._number < 16:
            return f"{label} ({self._number})"
        if hand.style.numbers == "before" and self._number < 16:
            return f"{self._number}. {label}"
        return label + hand.style.colon

    def field(self, name: str, key: str | None = None, columns: int = 1) -> list[Entry]:
        """The field with its label; nothing where the record lacks it."""
        if not self.hand.has(name):
            return []
        return [Entry(self.label(key or name), tuple(self.hand.value(name)), columns)]

    def beside(self, key: str, text: str) -> Entry:
        """Something that is no field."""
        return Entry(self.label(key), ((text, None),))

    def names(self) -> list[Entry]:
        """Family and given names, as the issuer tells them apart."""
        hand = self.hand
        if hand.names_together():
            return [Entry(self.label("name"), tuple(hand.name_runs()), 2)]
        if hand.has_one_name():
            return self.field("family_name", "name", 2)
        return [*self.field("family_name"), *self.field("given_name")]

    def of_the_body(self, often: float) -> list[Entry]:
        """Height and eyes, which are no fields here."""
        hand, rng = self.hand, self.hand.rng
        found: list[Entry] = []
        if hand.chance(often):
            height = rng.randint(150, 200)
            found.append(
                self.beside(
                    "height",
                    rng.choice((f"{height} cm", f"{height / 100:.2f} m", f"{height}cm", f"1,{height % 100:02} m")),
                )
            )
        if hand.chance(often * 0.4):
            found.append(self.beside("eyes", rng.choice(("BRAUN", "BLUE", "BROWN", "GREEN", "grün", "GREY", "CAFÉ"))))
        return found


def shuffled(entries: Sequence[Entry], hand: Hand, swaps: int) -> list[Entry]:
    """Neighbours now and then change places."""
    order = list(entries)
    for _ in range(swaps if len(order) > 2 else 0):
        at = hand.rng.randrange(len(order) - 1)
        order[at], order[at + 1] = order[at + 1], order[at]
    return order


def style_columns(hand: Hand, width_mm: float, rng: Random) -> int:
    """How many columns of values an area of this width has."""
    if hand.style.placing == "left":
        return 1
    return rng.choice((1, 2, 2, 2)) if width_mm < 60 else rng.choice((2, 2, 3, 3))
