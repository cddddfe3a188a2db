"""Made-up strips for the reader of machine-readable zones: a line of print, and where its characters came to lie.

    python -m training.tasks.zones.strips OUT.png      some of them, to look at

Whole photographs would take seconds each; a strip takes milliseconds. What a printer, paper, lens, light and JPEG do to
a line is done here to the line alone. The text means nothing on purpose: the network is to learn characters, not names.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import count
from pathlib import Path
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from docextract.documents.base import MRZ
from docextract.documents.mrz.layout import ALPHABET, FILLER, LAYOUTS
from docextract.extraction.zones.network import STRIP_WIDTH_PX, Strip, cut_strip, resize_strip
from docextract.images.geometry import project
from training.datasets.simulated_photos import SyntheticPhotoSpec, simulate_photo
from training.synth import fonts
from training.synth.documents import generator_of

Grey = NDArray[np.float32]

# Names in the list of typefaces. The network never learns from them: how it reads unknown typefaces is measured on
# these. DM Mono is among the locked packages, the others are fetched by `make fonts`.
HELD_OUT = ("DejaVu Sans Mono", "Hack", "JetBrains Mono", "Tlwg Mono", "DM Mono")
OCR_B_SHARE = 0.7  # of the strips; the others are in some monospaced face
CAPITAL_PX = 40  # height of capitals as they are kept
CELL_PX = 72  # height of the cell that a character is kept in
GROUNDS = 24
GROUND_PX = (220, 1800)
LETTERS, DIGITS = ALPHABET[10:], ALPHABET[:10]


@dataclass(frozen=True)
class Printed:
    """A strip and the truth about it."""

    pixels: Strip
    text: str
    middles: NDArray[np.float32]  # [N], px of the strip, rising; outside of it where the strip is too short


def faces(held_out: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Paths of font files: those for OCR-B, and other monospaced ones; or twice those that are held out.

    Neither is ever empty. Where no OCR-B is fetched, the other monospaced ones stand in for it.

    Raises TypefaceError where the machine has no typeface to learn from, or none that is held out.
    """
    return _faces(held_out, fonts.selection())


@cache
def _faces(held_out: bool, _: fonts.Selection) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return faces_of(fonts.available(), held_out)


def faces_of(available: Sequence[fonts.Typeface], held_out: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """As `faces`, of these typefaces."""
    ocr_b = [typeface for typeface in available if typeface.role == "ocrb"]
    same = {typeface.regular for typeface in ocr_b}
    others = [typeface for typeface in available if typeface.role == "mono" and typeface.regular not in same]
    kept = tuple(fonts.family_of(typeface).regular for typeface in others if (typeface.name in HELD_OUT) == held_out)
    if not kept:
        found = ", ".join(typeface.name for typeface in others) or "none"
        wanted = f"one of {', '.join(HELD_OUT)}" if held_out else "one that is not held out"
        raise fonts.TypefaceError(f"monospaced typefaces: found {found}; expected {wanted}; run `make fonts`")
    if held_out:
        return kept, kept
    return tuple(fonts.family_of(typeface).regular for typeface in ocr_b) or kept, kept


@lru_cache(maxsize=256)
def _glyphs(path: str) -> NDArray[np.uint8]:
    """Every character in a cell of its own; [37, CELL_PX, advance], capitals CAPITAL_PX high in the middle."""
    _, top, _, bottom = fonts.font(path, 200).getbbox("H")
    size = max(8, round(200 * CAPITAL_PX / max(1, bottom - top)))
    face = fonts.font(path, size)
    advance = max(8, round(face.getlength("H" * 20) / 20))
    _, top, _, bottom = face.getbbox("H")
    cells = []
    for character in ALPHABET + FILLER:
        canvas = Image.new("L", (advance, CELL_PX), 0)
        at = ((advance - face.getlength(character)) / 2, (CELL_PX - (bottom - top)) / 2 - top)
        ImageDraw.Draw(canvas).text(at, character, fill=255, font=face)
        cells.append(np.asarray(canvas))
    return np.stack(cells)


@cache
def _grounds() -> NDArray[np.float32]:
    """What cards have under their print: fine lines, washes, grain. [GROUNDS, H, W], about -1..1."""
    rng = np.random.default_rng(11)
    height, width = GROUND_PX
    found = []
    for _ in range(GROUNDS):
        ground = cv2.resize(
            rng.normal(0, 1, (4, 12)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC
        )
        ground = ground * np.float32(rng.uniform(0.1, 0.5))
        lines = np.zeros((height, width), np.uint8)
        x = np.linspace(0, width, 500)
        for _ in range(int(rng.integers(1, 4))):
            pitch, swing, waves = rng.uniform(7, 26), rng.uniform(0, 60), rng.uniform(0.5, 14)
            slope, phase, drift = (
                rng.uniform(-1.2, 1.2) * (rng.random() < 0.5),
                rng.uniform(0, 6.28),
                rng.uniform(-0.3, 0.3),
            )
            for number, y in enumerate(
                np.arange(-swing - abs(slope) * width, height + swing + abs(slope) * width, pitch)
            ):
                curve = y + slope * x + swing * np.sin(x / width * waves * 6.28 + phase + drift * number)
                points = np.round(np.stack([x, curve], 1) * 8).astype(np.int32)
                cv2.polylines(lines, [points], False, 255, 1 + int(rng.random() < 0.4), cv2.LINE_AA, 3)
        grain = cv2.resize(rng.normal(0, 1, (height // 3, width // 3)).astype(np.float32), (width, height))
        found.append(ground - lines.astype(np.float32) / 255 * rng.uniform(0.3, 1.0) + grain * rng.uniform(0, 0.15))
    return np.stack(found)


def draw_text(rng: np.random.Generator, length: int) -> str:
    """So many characters in runs of one sort, as zones have them."""
    text = ""
    while len(text) < length:
        sort = rng.choice(5, p=[0.3, 0.22, 0.18, 0.12, 0.18])
        if sort == 0:
            text += "".join(rng.choice(list(LETTERS), int(rng.integers(1, 12))))
        elif sort == 1:
            text += "".join(rng.choice(list(DIGITS), int(rng.integers(1, 9))))
        elif sort == 2:
            text += "".join(rng.choice(list(ALPHABET), int(rng.integers(2, 12))))
        elif sort == 3:
            text += FILLER * int(rng.integers(1, 3))
        else:
            text += FILLER * int(rng.integers(2, 16))
    return text[:length]


def draw(rng: np.random.Generator, held_out: bool = False) -> Printed:
    """One strip. held_out: in a typeface that training does not see."""
    length = int(rng.choice([layout.width for layout in LAYOUTS.values()], p=[0.35, 0.1, 0.55]))
    ocr_b, others = faces(held_out)
    some = ocr_b if rng.random() < OCR_B_SHARE else others
    glyphs = _glyphs(some[int(rng.integers(len(some)))])
    text = draw_text(rng, length)
    capital = float(np.exp(rng.uniform(np.log(7.0), np.log(32))))  # px in the photo
    pitch = capital * float(np.clip(rng.normal(0.9, 0.09), 0.7, 1.25))
    line_px, row_px = capital * CELL_PX / CAPITAL_PX, capital * rng.uniform(1.45, 2.4)
    margin = 4.0 * pitch  # left and right of the print
    height, width = round(5 * capital) + 8, round(length * pitch + 2 * margin)
    ink = np.zeros((height, width), np.float32)
    _lay(ink, _line(glyphs, text, rng), margin, (height - line_px) / 2, length * pitch, line_px)
    for side in (-1, 1):
        if rng.random() < 0.55:  # the lines above and below
            other = _line(glyphs, draw_text(rng, length), rng)
            _lay(ink, other, margin, (height - line_px) / 2 + side * row_px, length * pitch, line_px)
    photo = _photographed(_inked(ink, rng), capital, rng)
    return _cut(photo, text, capital, pitch, margin, rng)


def _line(glyphs: NDArray[np.uint8], text: str, rng: np.random.Generator) -> Grey:
    """The characters one beside the other, 0 bare .. 1 inked; bold or thin."""
    drawn = np.concatenate([glyphs[(ALPHABET + FILLER).index(one)] for one in text], axis=1).astype(np.float32) / 255
    soft = np.asarray(cv2.GaussianBlur(drawn, (0, 0), rng.uniform(0.5, 3.0)), np.float32)
    threshold = rng.uniform(0.28, 0.6)
    return np.asarray(np.clip((soft - threshold) * np.float32(rng.uniform(2.0, 6.0)) + 0.5, 0, 1), np.float32)


def _lay(ink: Grey, line: Grey, left: float, top: float, width: float, height: float) -> None:
    """A line over the page, at fractions of px; what lies outside is dropped."""
    small = cv2.resize(line, (max(1, round(width)), max(1, round(height))), interpolation=cv2.INTER_AREA)
    shift = np.array([[1, 0, left], [0, 1, top]], np.float32)
    laid = cv2.warpAffine(small, shift, ink.shape[::-1], flags=cv2.INTER_LINEAR)
    np.maximum(ink, laid, out=ink)


def _inked(ink: Grey, rng: np.random.Generator) -> Grey:
    """On some paper, 0..255."""
    height, width = ink.shape
    grounds = _grounds()
    scale = rng.uniform(0.5, 1.6)
    tall, wide = min(GROUND_PX[0], round(height * scale) + 1), min(GROUND_PX[1], round(width * scale) + 1)
    y, x = int(rng.integers(GROUND_PX[0] - tall + 1)), int(rng.integers(GROUND_PX[1] - wide + 1))
    ground = cv2.resize(grounds[int(rng.integers(GROUNDS)), y : y + tall, x : x + wide], (width, height))
    paper = rng.uniform(120, 250)
    contrast = paper * (rng.uniform(0.25, 0.6) if rng.random() < 0.2 else rng.uniform(0.6, 0.98))
    paper_there = paper + ground * (0.0 if rng.random() < 0.2 else rng.uniform(3, 0.35 * contrast))
    if rng.random() < 0.25:  # a worn print
        patches = cv2.resize(rng.random((5, 40), dtype=np.float32), (width, height))
        ink = ink * (1 - rng.uniform(0.1, 0.6) * np.clip(patches * 1.6 - 0.6, 0, 1))
    return np.asarray(paper_there - contrast * ink, np.float32)


def _photographed(page: Grey, capital: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Light, lens, sensor, JPEG."""
    height, width = page.shape
    x = np.linspace(-1, 1, width, dtype=np.float32)[None]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    page = page * np.float32(rng.uniform(0.45, 1.0)) * (1 + x * rng.uniform(-0.3, 0.3) + y * rng.uniform(-0.1, 0.1))
    if rng.random() < 0.25:  # the edge of a shadow
        edge = (x - rng.uniform(-1, 1)) * rng.uniform(2, 60) * rng.choice([-1, 1]) + y * rng.uniform(-1, 1)
        page = page * (1 - rng.uniform(0.1, 0.55) / (1 + np.exp(-np.clip(edge, -30, 30))))
    if rng.random() < 0.15:  # a lamp mirrored
        reach, far = capital * rng.uniform(1, 9), capital * rng.uniform(1, 6)
        at, over = rng.uniform(0, width), rng.uniform(0, height)
        away = ((np.arange(width)[None] - at) / reach) ** 2 + ((np.arange(height)[:, None] - over) / far) ** 2
        page = page + rng.uniform(40, 260) * np.exp(-away).astype(np.float32)
    if rng.random() < 0.03:  # a finger
        at, wide = int(rng.uniform(0, width)), int(capital * rng.uniform(0.5, 5))
        page[:, at : at + wide] = rng.uniform(90, 200)
    sigma = capital * float(rng.beta(1.1, 3.6)) * 0.28
    if sigma > 0.25:
        page = np.asarray(cv2.GaussianBlur(page, (0, 0), sigma), np.float32)
    if rng.random() < 0.2:  # the hand moved
        length = capital * rng.uniform(0.1, 0.45)
        reach = max(1, int(np.ceil(length)))
        kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
        turn = rng.uniform(0, np.pi)
        step = np.array([np.cos(turn), np.sin(turn)]) * length / 2 * 8
        middle = np.array([reach, reach]) * 8
        start, end = (np.round(middle + way * step).astype(int).tolist() for way in (-1, 1))
        cv2.line(kernel, start, end, 1.0, 1, cv2.LINE_AA, 3)
        page = np.asarray(cv2.filter2D(page, -1, kernel / max(kernel.sum(), 1e-6)), np.float32)
    grain = rng.normal(0, 1, (height, width)).astype(np.float32) * np.float32(rng.gamma(1.2, 3.0))
    if rng.random() < 0.4:
        grain = np.asarray(cv2.GaussianBlur(grain, (0, 0), rng.uniform(0.5, 1.0)), np.float32) * 1.5
    page = page + grain
    if rng.random() < 0.3:  # sharpened by the phone
        page = page + rng.uniform(0.3, 1.2) * (page - cv2.GaussianBlur(page, (0, 0), 1.2))
    photo = np.clip(np.rint(page), 0, 255).astype(np.uint8)
    quality = int(rng.uniform(25, 96))
    packed = cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE), np.uint8)


def _cut(
    photo: NDArray[np.uint8], text: str, capital: float, pitch: float, margin: float, rng: np.random.Generator
) -> Printed:
    """As a box cuts it that is a little off, of paper that is not quite flat."""
    height = photo.shape[0]
    length = len(text)
    before, after = (_overhang(rng) * pitch for _ in range(2))
    left, right = margin - before, margin + length * pitch + after
    tall = capital * rng.uniform(1.2, 2.3)
    room = (tall - capital) / 2
    middle = height / 2 + rng.uniform(-0.75, 0.75) * room
    tilt, lean, bow = rng.uniform(-0.4, 0.4) * room, rng.uniform(-0.2, 0.2) * tall, rng.normal(0, 0.25) * room
    squeeze = rng.normal(0, 0.008)  # the pitch changes along the line
    across, down = max(8, round(right - left)), max(6, round(tall))
    u = (np.arange(across, dtype=np.float32) + 0.5) / across
    v = (np.arange(down, dtype=np.float32) + 0.5) / down
    bent = u + squeeze * 4 * u * (1 - u)
    source_x = left + (right - left) * bent[None] + lean * (v[:, None] - 0.5)
    source_y = middle + tilt * (2 * u - 1) + bow * (4 * u * (1 - u) - 0.5)
    source_y = source_y[None] + tall * (v[:, None] - 0.5)
    where = source_x.astype(np.float32), source_y.astype(np.float32)
    strip = cv2.remap(photo, *where, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    printed = margin + (np.arange(length) + 0.5) * pitch
    fine = np.linspace(-0.5, 1.5, 400)
    there = left + (right - left) * (fine + squeeze * 4 * fine * (1 - fine))
    middles = np.interp(printed, there, fine) * STRIP_WIDTH_PX
    return Printed(resize_strip(np.asarray(strip, np.uint8)), text, middles.astype(np.float32))


def _overhang(rng: np.random.Generator) -> float:
    """How far a box reaches beyond the print, in characters; seldom it cuts some off."""
    draw = rng.random()
    return float(rng.uniform(-1.5, 0) if draw < 0.08 else rng.uniform(2.5, 6) if draw > 0.92 else rng.uniform(0, 2.5))


def orders_with_zone(seed: int, plans: Sequence[str]) -> Iterator[SyntheticPhotoSpec]:
    """Photographs of passports and cards that bear a zone, without end; plans and types take turns."""
    for index in count():
        plan = plans[index % len(plans)]
        yield from filter(
            _bears_zone, (SyntheticPhotoSpec(name, index, plan, seed, "known") for name in ("passport", "id_card"))
        )


def _bears_zone(order: SyntheticPhotoSpec) -> bool:
    """What `PhotoExamples` will print, without printing it."""
    rng = np.random.default_rng((order.seed, order.index))
    rng.integers(1)  # the type, of one
    record = generator_of(order.type).sample(Random(int(rng.integers(2**62))))
    return bool(getattr(record, MRZ, ()))


def photographed(order: SyntheticPhotoSpec, rng: np.random.Generator) -> Iterator[Printed]:
    """The lines of a whole photograph's zone, cut by boxes that are a little off; those that lie inside it."""
    taken = simulate_photo(order, ())
    height, width = taken.photo.shape[:2]
    for text, outline, _ in taken.truth["runs"]:
        if text not in taken.truth["zone"]:
            continue
        box = np.array(outline, np.float32) * [width, height]
        before, after = (_overhang(rng) / len(text) for _ in range(2))  # in lengths of the line
        tall, middle, tilt = rng.uniform(0.85, 1.6), 0.5 + rng.normal(0, 0.06), rng.normal(0, 0.06)
        left, right = -before, 1 + after
        corners = [
            [left, middle - tilt - tall / 2], [right, middle + tilt - tall / 2],
            [right, middle + tilt + tall / 2], [left, middle - tilt + tall / 2],
        ]  # fmt: skip
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        to_photo = cv2.getPerspectiveTransform(square, box.astype(np.float32)).astype(np.float64)
        where = project(np.array(corners, np.float32), to_photo)
        if where.min() < 0 or (where > [width, height]).any():
            continue
        middles = ((np.arange(len(text)) + 0.5) / len(text) + before) / (1 + before + after) * STRIP_WIDTH_PX
        yield Printed(cut_strip(taken.photo, where), text, middles.astype(np.float32))


def contact_sheet(seed: int, strips: int = 40) -> NDArray[np.uint8]:
    """Strips under each other, with marks where the characters' middles are said to be."""
    rows: list[NDArray[np.uint8]] = []
    for number in range(strips):
        one = draw(np.random.default_rng((seed, number)))
        ruler = np.full((6, STRIP_WIDTH_PX), 255, np.uint8)
        ruler[:, [round(x) for x in one.middles.tolist() if 0 <= x < STRIP_WIDTH_PX - 1]] = 0
        rows += [one.pixels, ruler]
    return np.vstack(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    Image.fromarray(contact_sheet(options.seed)).save(options.out)


if __name__ == "__main__":
    main()
