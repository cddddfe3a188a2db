"""Draws everything around the fields of identity documents: background, portrait, headings, machine-readable zone."""

from collections.abc import Sequence
from random import Random

from training.synth.documents.identity.text_layout import MIN_WIDTH_SCALE, Area, Canvas, FieldEntry, width_of
from training.synth.documents.identity.writer import IdentityWriter
from training.synth.sheet import Barcode, Box, Face, Ink, Rule
from training.synth.typesetting import TextRun

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
ZONE_ADVANCE_MM = 2.54  # ten characters per inch, ICAO Doc 9303 part 3
_ZONE_LINE_MM = 3.9


def paper_tint(writer: IdentityWriter) -> Ink:
    """Choose the colour of the card."""
    return writer.rng.choice(_TINTS)


def background(canvas: Canvas, writer: IdentityWriter) -> None:
    """Draw a colour wash and fine lines; a few documents have almost none."""
    rng = writer.rng
    whole = Area(0, 0, canvas.width_mm, canvas.height_mm)
    if writer.chance(0.75):
        canvas.ornament("wash", whole, rng.choice(_COLOURS), rng.uniform(0.1, 0.5))
    for _ in range(rng.choice((0, 1, 1, 2))):
        kind = rng.choice(("waves", "waves", "hatching", "rosette"))
        canvas.ornament(kind, whole, rng.choice(_COLOURS), rng.uniform(0.15, 0.55))
    if writer.chance(0.4):
        size = rng.uniform(0.3, 0.8) * canvas.height_mm
        at = Area(rng.uniform(0, canvas.width_mm - size), rng.uniform(0, canvas.height_mm - size), size, size)
        canvas.ornament("rosette", at, rng.choice(_COLOURS), rng.uniform(0.2, 0.6))


def portrait(canvas: Canvas, writer: IdentityWriter, area: Area) -> None:
    """Draw the portrait of the holder, some of them in grey as laser engraving makes them."""
    ink: Ink = writer.rng.choice(((60, 60, 64), (92, 66, 52), (70, 54, 44), (50, 50, 58)))
    canvas.ornament("portrait", area, ink)


def ghost_portrait(canvas: Canvas, writer: IdentityWriter, area: Area) -> None:
    """Draw the portrait again, small and faint."""
    canvas.ornament("portrait", area, writer.rng.choice(_COLOURS), writer.rng.uniform(0.25, 0.6))


def specimen_overprint(canvas: Canvas, writer: IdentityWriter, area: Area) -> None:
    """Print SPECIMEN or a similar word over the area."""
    text = writer.rng.choice(_SPECIMENS)
    height = min(area.height_mm, area.width_mm / len(text) * 1.5)
    ink: Ink = writer.rng.choice(((190, 60, 60), (150, 150, 156), (60, 60, 66)))
    canvas.put([(text, None)], area.x_mm, area.y_mm, height, area.width_mm, "sans", True, ink, "c")


def state_flag(canvas: Canvas, writer: IdentityWriter, area: Area) -> None:
    """Draw a coloured field with the distinguishing sign of the state, where issuer and record have one."""
    canvas.marks.append(Box(area.x_mm, area.y_mm, area.width_mm, area.height_mm, ink=(30, 60, 150)))
    sign = writer.issuer.options("sign")
    if sign and writer.has("issuing_country"):
        runs: list[TextRun] = [(sign[0], "issuing_country")]
        canvas.put(runs, area.x_mm, area.y_mm + area.height_mm * 0.45, area.height_mm * 0.42, area.width_mm,
                  "sans", True, (245, 245, 245), "c")  # fmt: skip


def title_ink(writer: IdentityWriter) -> Ink:
    """Choose the colour of titles and headings."""
    return writer.rng.choice(_TITLE_INKS)


def country_heading(canvas: Canvas, writer: IdentityWriter, area: Area, max_lines: int) -> None:
    """Print names of the issuing country, on one line or below each other; at most `max_lines` of them."""
    if not writer.has("issuing_country"):
        return
    names = writer.headings()[:max_lines]
    if writer.chance(0.15):
        names = names[-1:]
    face: Face = writer.rng.choice(("sans", "serif", "sans", "condensed", "display"))
    align, ink, bold = writer.rng.choice("lccr"), title_ink(writer), writer.chance(0.6)
    if len(names) > 1 and (area.height_mm < 4 * len(names) or writer.chance(0.3)):
        runs: list[TextRun] = []
        for name in names:
            runs += [(writer.rng.choice(("  ", " / ", " · ")), None)] if runs else []
            runs.append((name, "issuing_country"))
        canvas.put(runs, area.x_mm, area.y_mm, min(area.height_mm, 4.2), area.width_mm, face, bold, ink, align)
        return
    line = min(area.height_mm / max(len(names), 1), 5.5)
    for at, name in enumerate(names):
        height = line * (1.0 if at == 0 else 0.8)
        canvas.put(
            [(name, "issuing_country")], area.x_mm, area.y_mm + at * line, height, area.width_mm, face, bold, ink, align
        )


def document_titles(canvas: Canvas, writer: IdentityWriter, area: Area, max_lines: int) -> None:
    """Print the title of the document, in at most `max_lines` languages."""
    upper = writer.chance(0.75)
    texts = [text.upper() if upper else text for text in writer.titles()[:max_lines]]
    face: Face = writer.rng.choice(("sans", "sans", "serif", "condensed"))
    align, ink, bold = writer.rng.choice("lcr"), title_ink(writer), writer.chance(0.6)
    together = writer.chance(0.5) or area.height_mm < 2.4 * len(texts)
    while (
        together
        and len(texts) > 1
        and width_of("  ".join(texts), area.height_mm, face) * MIN_WIDTH_SCALE > area.width_mm
    ):
        texts.pop()
    lines = [writer.rng.choice(("/", " / ", "  ", " · ")).join(texts)] if together else texts
    line = min(area.height_mm / len(lines), 4.5)
    for at, text in enumerate(lines):
        canvas.put([(text, None)], area.x_mm, area.y_mm + at * line, line, area.width_mm, face, bold, ink, align)


def machine_readable_zone(canvas: Canvas, writer: IdentityWriter) -> float:
    """Print the machine-readable lines at the foot; returns the y above which there is space, mm."""
    lines = writer.record.mrz
    if not lines:
        return canvas.height_mm - 1.5
    face: Face = "ocrb" if writer.chance(0.9) else "mono"
    width = min(len(lines[0]) * ZONE_ADVANCE_MM, canvas.width_mm - 3.0)
    x_mm = min((canvas.width_mm - width) * writer.rng.uniform(0.3, 0.7), canvas.width_mm - width - 1.0)
    pitch = writer.rng.uniform(5.6, 6.4) if len(lines) == 2 else writer.rng.uniform(4.8, 5.6)
    foot = canvas.height_mm - writer.rng.uniform(2.0, 4.5) - _ZONE_LINE_MM
    top = foot - pitch * (len(lines) - 1)
    if writer.chance(0.3):
        canvas.marks.append(Box(0, top - 2.0, canvas.width_mm, canvas.height_mm - top + 2.0, ink=(252, 252, 250)))
    for at, line in enumerate(lines):
        y_mm = top + at * pitch
        canvas.put_stretched(line, x_mm, y_mm, width, _ZONE_LINE_MM, face)
    return top - writer.rng.uniform(1.5, 2.5)


def signature(canvas: Canvas, writer: IdentityWriter, area: Area) -> None:
    """Draw the signature of the holder, with or without a line and a label."""
    canvas.ornament("signature", area, writer.rng.choice(((20, 20, 24), (20, 30, 110), (30, 30, 60))))
    if writer.chance(0.25):
        canvas.marks.append(Rule(area.x_mm, area.y_mm + area.height_mm, area.width_mm, 0.15))
    if writer.chance(0.5):
        label = writer.label("signature", max_languages=2)
        canvas.put(
            [(label, None)], area.x_mm, area.y_mm + area.height_mm + 0.2, 1.5, area.width_mm, writer.style.label_face
        )


def barcode(canvas: Canvas, writer: IdentityWriter, area: Area) -> None:
    """Draw bars, or a matrix code when the area is about square."""
    square = area.width_mm < 1.6 * area.height_mm
    side = min(area.width_mm, area.height_mm)
    width, height = (side, side) if square else (area.width_mm, area.height_mm)
    canvas.marks.append(Barcode(area.x_mm, area.y_mm, width, height, square))


class EntryBuilder:
    """Makes the entries of a document, with and without a field, and numbers their labels."""

    def __init__(self, writer: IdentityWriter, max_label_length: int) -> None:
        self.writer = writer
        self.max_label_length = max_label_length  # characters; a longer label is printed in fewer languages
        self._number = 0

    def label(self, key: str) -> str:
        """Return the label of a field in the style of the document."""
        writer = self.writer
        label = next(
            (text for most in (4, 3, 2) if len(text := writer.label(key, most)) <= self.max_label_length), None
        )
        label = label if label is not None else writer.label(key, 1)
        self._number += 1
        if writer.style.numbers == "behind" and self._number < 16:
            return f"{label} ({self._number})"
        if writer.style.numbers == "before" and self._number < 16:
            return f"{self._number}. {label}"
        return label + writer.style.colon

    def field(self, name: str, key: str | None = None, columns: int = 1) -> list[FieldEntry]:
        """Return the entry of a field; nothing when the record does not have it."""
        if not self.writer.has(name):
            return []
        return [FieldEntry(self.label(key or name), tuple(self.writer.value(name)), columns)]

    def extra(self, key: str, text: str) -> FieldEntry:
        """Return an entry that is no field."""
        return FieldEntry(self.label(key), ((text, None),))

    def names(self) -> list[FieldEntry]:
        """Return the entries of the name: one or two, by the name style of the issuer."""
        writer = self.writer
        if writer.names_together():
            return [FieldEntry(self.label("name"), tuple(writer.name_runs()), 2)]
        if writer.has_one_name():
            return self.field("family_name", "name", 2)
        return [*self.field("family_name"), *self.field("given_name")]

    def body_features(self, probability: float) -> list[FieldEntry]:
        """Return entries of height and eye colour, which are no fields. probability: of the height."""
        writer, rng = self.writer, self.writer.rng
        found: list[FieldEntry] = []
        if writer.chance(probability):
            height = rng.randint(150, 200)
            found.append(
                self.extra(
                    "height",
                    rng.choice((f"{height} cm", f"{height / 100:.2f} m", f"{height}cm", f"1,{height % 100:02} m")),
                )
            )
        if writer.chance(probability * 0.4):
            found.append(self.extra("eyes", rng.choice(("BRAUN", "BLUE", "BROWN", "GREEN", "grün", "GREY", "CAFÉ"))))
        return found


def swap_neighbours(entries: Sequence[FieldEntry], writer: IdentityWriter, swaps: int) -> list[FieldEntry]:
    """Return the entries with `swaps` random swaps of neighbours."""
    order = list(entries)
    for _ in range(swaps if len(order) > 2 else 0):
        at = writer.rng.randrange(len(order) - 1)
        order[at], order[at + 1] = order[at + 1], order[at]
    return order


def choose_column_count(writer: IdentityWriter, width_mm: float, rng: Random) -> int:
    """Choose the number of columns of values for an area of this width."""
    if writer.style.placing == "left":
        return 1
    return rng.choice((1, 2, 2, 2)) if width_mm < 60 else rng.choice((2, 2, 3, 3))
