"""Synthetic strips for training the zone network: the pixels of one text line, its text and its characters' centers.

    python -m training.tasks.zones.strips OUT.png      a contact sheet of some strips

A simulated photo of a whole document takes seconds, a strip takes milliseconds: printing, paper, lens, light and JPEG
are simulated for the one line alone. The text is random on purpose: the network should learn characters, not names.
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

# Names in the list of typefaces. The network is never trained with them: they measure how it reads unknown typefaces.
# DM Mono is among the locked packages, the others are fetched by `make fonts`.
HELD_OUT_TYPEFACES = ("DejaVu Sans Mono", "Hack", "JetBrains Mono", "Tlwg Mono", "DM Mono")
OCR_B_SHARE = 0.7  # of the strips; the others are in some monospaced face
CAPITAL_PX = 40  # height of capitals in a glyph cell
CELL_PX = 72  # height of a glyph cell
BACKGROUNDS = 24
BACKGROUND_PX = (220, 1800)  # height, width
LETTERS, DIGITS = ALPHABET[10:], ALPHABET[:10]


@dataclass(frozen=True)
class ZoneStrip:
    """A strip and its ground truth."""

    pixels: Strip
    text: str
    centers: NDArray[np.float32]  # [N], px of the strip, rising; outside the strip for characters that it cuts off


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
    """As `faces`, of the available typefaces."""
    ocr_b = [typeface for typeface in available if typeface.role == "ocrb"]
    same = {typeface.regular for typeface in ocr_b}
    others = [typeface for typeface in available if typeface.role == "mono" and typeface.regular not in same]
    kept = tuple(
        fonts.family_of(typeface).regular for typeface in others if (typeface.name in HELD_OUT_TYPEFACES) == held_out
    )
    if not kept:
        found = ", ".join(typeface.name for typeface in others) or "none"
        wanted = f"one of {', '.join(HELD_OUT_TYPEFACES)}" if held_out else "one that is not held out"
        raise fonts.TypefaceError(f"monospaced typefaces: found {found}; expected {wanted}; run `make fonts`")
    if held_out:
        return kept, kept
    return tuple(fonts.family_of(typeface).regular for typeface in ocr_b) or kept, kept


@lru_cache(maxsize=256)
def _glyphs(path: str) -> NDArray[np.uint8]:
    """Every character in its own cell: [37, CELL_PX, advance]; capitals are CAPITAL_PX high and vertically centered."""
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
def _backgrounds() -> NDArray[np.float32]:
    """Printed backgrounds of cards: fine lines, washes, grain. [BACKGROUNDS, H, W], about -1..1."""
    rng = np.random.default_rng(11)
    height, width = BACKGROUND_PX
    backgrounds = []
    for _ in range(BACKGROUNDS):
        background = cv2.resize(
            rng.normal(0, 1, (4, 12)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC
        )
        background = background * np.float32(rng.uniform(0.1, 0.5))
        lines = np.zeros((height, width), np.uint8)
        x = np.linspace(0, width, 500)
        for _ in range(int(rng.integers(1, 4))):
            pitch, amplitude, waves = rng.uniform(7, 26), rng.uniform(0, 60), rng.uniform(0.5, 14)
            slope, phase, drift = (
                rng.uniform(-1.2, 1.2) * (rng.random() < 0.5),
                rng.uniform(0, 6.28),
                rng.uniform(-0.3, 0.3),
            )
            for number, y in enumerate(
                np.arange(-amplitude - abs(slope) * width, height + amplitude + abs(slope) * width, pitch)
            ):
                curve = y + slope * x + amplitude * np.sin(x / width * waves * 6.28 + phase + drift * number)
                points = np.round(np.stack([x, curve], 1) * 8).astype(np.int32)
                cv2.polylines(lines, [points], False, 255, 1 + int(rng.random() < 0.4), cv2.LINE_AA, 3)
        grain = cv2.resize(rng.normal(0, 1, (height // 3, width // 3)).astype(np.float32), (width, height))
        ink = lines.astype(np.float32) / 255 * rng.uniform(0.3, 1.0)
        backgrounds.append(background - ink + grain * rng.uniform(0, 0.15))
    return np.stack(backgrounds)


def draw_text(rng: np.random.Generator, length: int) -> str:
    """Random text of `length` characters: runs of letters, of digits, of both and of fillers, as zones have them."""
    text = ""
    while len(text) < length:
        run_kind = rng.choice(5, p=[0.3, 0.22, 0.18, 0.12, 0.18])
        if run_kind == 0:
            text += "".join(rng.choice(list(LETTERS), int(rng.integers(1, 12))))
        elif run_kind == 1:
            text += "".join(rng.choice(list(DIGITS), int(rng.integers(1, 9))))
        elif run_kind == 2:
            text += "".join(rng.choice(list(ALPHABET), int(rng.integers(2, 12))))
        elif run_kind == 3:
            text += FILLER * int(rng.integers(1, 3))
        else:
            text += FILLER * int(rng.integers(2, 16))
    return text[:length]


def draw(rng: np.random.Generator, held_out: bool = False) -> ZoneStrip:
    """Draw one strip. held_out: in a typeface that the network is not trained with."""
    length = int(rng.choice([layout.width for layout in LAYOUTS.values()], p=[0.35, 0.1, 0.55]))
    ocr_b, others = faces(held_out)
    typefaces = ocr_b if rng.random() < OCR_B_SHARE else others
    glyphs = _glyphs(typefaces[int(rng.integers(len(typefaces)))])
    text = draw_text(rng, length)
    capital_px = float(np.exp(rng.uniform(np.log(7.0), np.log(32))))  # height of capitals in the photo
    pitch_px = capital_px * float(np.clip(rng.normal(0.9, 0.09), 0.7, 1.25))
    cell_px, line_spacing_px = capital_px * CELL_PX / CAPITAL_PX, capital_px * rng.uniform(1.45, 2.4)
    margin_px = 4.0 * pitch_px  # left and right of the text
    height, width = round(5 * capital_px) + 8, round(length * pitch_px + 2 * margin_px)
    ink = np.zeros((height, width), np.float32)
    _add_line(ink, _line(glyphs, text, rng), margin_px, (height - cell_px) / 2, length * pitch_px, cell_px)
    for side in (-1, 1):
        if rng.random() < 0.55:  # the lines above and below
            other = _line(glyphs, draw_text(rng, length), rng)
            top = (height - cell_px) / 2 + side * line_spacing_px
            _add_line(ink, other, margin_px, top, length * pitch_px, cell_px)
    photo = _simulate_photo(_print_on_paper(ink, rng), capital_px, rng)
    return _cut_out(photo, text, capital_px, pitch_px, margin_px, rng)


def _line(glyphs: NDArray[np.uint8], text: str, rng: np.random.Generator) -> Grey:
    """A text line, 0 (paper) .. 1 (ink), with bolder or thinner strokes than the typeface has."""
    drawn = np.concatenate([glyphs[(ALPHABET + FILLER).index(one)] for one in text], axis=1).astype(np.float32) / 255
    soft = np.asarray(cv2.GaussianBlur(drawn, (0, 0), rng.uniform(0.5, 3.0)), np.float32)
    threshold = rng.uniform(0.28, 0.6)
    return np.asarray(np.clip((soft - threshold) * np.float32(rng.uniform(2.0, 6.0)) + 0.5, 0, 1), np.float32)


def _add_line(ink: Grey, line: Grey, left: float, top: float, width: float, height: float) -> None:
    """Draw a line into the ink, in place, at fractions of a pixel; what lies outside is dropped."""
    scaled = cv2.resize(line, (max(1, round(width)), max(1, round(height))), interpolation=cv2.INTER_AREA)
    shift = np.array([[1, 0, left], [0, 1, top]], np.float32)
    shifted = cv2.warpAffine(scaled, shift, ink.shape[::-1], flags=cv2.INTER_LINEAR)
    np.maximum(ink, shifted, out=ink)


def _print_on_paper(ink: Grey, rng: np.random.Generator) -> Grey:
    """Ink (0..1) on a random background, 0..255."""
    height, width = ink.shape
    backgrounds = _backgrounds()
    scale = rng.uniform(0.5, 1.6)
    tall, wide = min(BACKGROUND_PX[0], round(height * scale) + 1), min(BACKGROUND_PX[1], round(width * scale) + 1)
    y, x = int(rng.integers(BACKGROUND_PX[0] - tall + 1)), int(rng.integers(BACKGROUND_PX[1] - wide + 1))
    background = cv2.resize(backgrounds[int(rng.integers(BACKGROUNDS)), y : y + tall, x : x + wide], (width, height))
    paper = rng.uniform(120, 250)
    contrast = paper * (rng.uniform(0.25, 0.6) if rng.random() < 0.2 else rng.uniform(0.6, 0.98))
    brightness = paper + background * (0.0 if rng.random() < 0.2 else rng.uniform(3, 0.35 * contrast))
    if rng.random() < 0.25:  # worn print
        patches = cv2.resize(rng.random((5, 40), dtype=np.float32), (width, height))
        ink = ink * (1 - rng.uniform(0.1, 0.6) * np.clip(patches * 1.6 - 0.6, 0, 1))
    return np.asarray(brightness - contrast * ink, np.float32)


def _simulate_photo(page: Grey, capital_px: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Simulate light, lens, sensor and JPEG."""
    height, width = page.shape
    x = np.linspace(-1, 1, width, dtype=np.float32)[None]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    page = page * np.float32(rng.uniform(0.45, 1.0)) * (1 + x * rng.uniform(-0.3, 0.3) + y * rng.uniform(-0.1, 0.1))
    if rng.random() < 0.25:  # the edge of a shadow
        edge = (x - rng.uniform(-1, 1)) * rng.uniform(2, 60) * rng.choice([-1, 1]) + y * rng.uniform(-1, 1)
        page = page * (1 - rng.uniform(0.1, 0.55) / (1 + np.exp(-np.clip(edge, -30, 30))))
    if rng.random() < 0.15:  # the reflection of a lamp
        radius_x, radius_y = capital_px * rng.uniform(1, 9), capital_px * rng.uniform(1, 6)
        at_x, at_y = rng.uniform(0, width), rng.uniform(0, height)
        distance = ((np.arange(width)[None] - at_x) / radius_x) ** 2
        distance = distance + ((np.arange(height)[:, None] - at_y) / radius_y) ** 2
        page = page + rng.uniform(40, 260) * np.exp(-distance).astype(np.float32)
    if rng.random() < 0.03:  # a finger
        left, finger_px = int(rng.uniform(0, width)), int(capital_px * rng.uniform(0.5, 5))
        page[:, left : left + finger_px] = rng.uniform(90, 200)
    blur_sigma_px = capital_px * float(rng.beta(1.1, 3.6)) * 0.28
    if blur_sigma_px > 0.25:
        page = np.asarray(cv2.GaussianBlur(page, (0, 0), blur_sigma_px), np.float32)
    if rng.random() < 0.2:  # motion blur
        length = capital_px * rng.uniform(0.1, 0.45)
        reach = max(1, int(np.ceil(length)))
        kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
        direction = rng.uniform(0, np.pi)
        step = np.array([np.cos(direction), np.sin(direction)]) * length / 2 * 8
        center = np.array([reach, reach]) * 8
        start, end = (np.round(center + sign * step).astype(int).tolist() for sign in (-1, 1))
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
    jpeg = cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_GRAYSCALE), np.uint8)


def _cut_out(
    photo: NDArray[np.uint8], text: str, capital_px: float, pitch_px: float, margin_px: float, rng: np.random.Generator
) -> ZoneStrip:
    """Cut the line out by a box that is not quite exact, from paper that is not quite flat."""
    height = photo.shape[0]
    length = len(text)
    before, after = (_overhang(rng) * pitch_px for _ in range(2))
    left, right = margin_px - before, margin_px + length * pitch_px + after
    height_px = capital_px * rng.uniform(1.2, 2.3)
    room = (height_px - capital_px) / 2
    center_y = height / 2 + rng.uniform(-0.75, 0.75) * room
    tilt, lean, bow = rng.uniform(-0.4, 0.4) * room, rng.uniform(-0.2, 0.2) * height_px, rng.normal(0, 0.25) * room
    squeeze = rng.normal(0, 0.008)  # the pitch changes along the line
    across, down = max(8, round(right - left)), max(6, round(height_px))
    u = (np.arange(across, dtype=np.float32) + 0.5) / across
    v = (np.arange(down, dtype=np.float32) + 0.5) / down
    bent = u + squeeze * 4 * u * (1 - u)
    source_x = left + (right - left) * bent[None] + lean * (v[:, None] - 0.5)
    source_y = center_y + tilt * (2 * u - 1) + bow * (4 * u * (1 - u) - 0.5)
    source_y = source_y[None] + height_px * (v[:, None] - 0.5)
    where = source_x.astype(np.float32), source_y.astype(np.float32)
    strip = cv2.remap(photo, *where, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    printed = margin_px + (np.arange(length) + 0.5) * pitch_px
    fine = np.linspace(-0.5, 1.5, 400)
    there = left + (right - left) * (fine + squeeze * 4 * fine * (1 - fine))
    centers = np.interp(printed, there, fine) * STRIP_WIDTH_PX
    return ZoneStrip(resize_strip(np.asarray(strip, np.uint8)), text, centers.astype(np.float32))


def _overhang(rng: np.random.Generator) -> float:
    """How far a box reaches beyond the text, in characters; negative where it cuts some off, which is rare."""
    draw = rng.random()
    return float(rng.uniform(-1.5, 0) if draw < 0.08 else rng.uniform(2.5, 6) if draw > 0.92 else rng.uniform(0, 2.5))


def photos_with_zone(seed: int, plans: Sequence[str]) -> Iterator[SyntheticPhotoSpec]:
    """Endless specifications of simulated photos of passports and cards with a zone; plans and types alternate."""
    for index in count():
        plan = plans[index % len(plans)]
        yield from filter(
            _has_zone, (SyntheticPhotoSpec(name, index, plan, seed, "known") for name in ("passport", "id_card"))
        )


def _has_zone(spec: SyntheticPhotoSpec) -> bool:
    """Whether the document that `PhotoExamples` will print has a zone; draws as it does, but prints nothing."""
    rng = np.random.default_rng((spec.seed, spec.index))
    rng.integers(1)  # `PhotoExamples` draws the document type here, of one
    record = generator_of(spec.type).sample(Random(int(rng.integers(2**62))))
    return bool(getattr(record, MRZ, ()))


def strips_of_photo(spec: SyntheticPhotoSpec, rng: np.random.Generator) -> Iterator[ZoneStrip]:
    """The lines of a simulated photo's zone, cut out by boxes that are not quite exact; lines in the photo only."""
    taken = simulate_photo(spec, ())
    height, width = taken.photo.shape[:2]
    for text, outline, _ in taken.truth["runs"]:
        if text not in taken.truth["zone"]:
            continue
        box = np.array(outline, np.float32) * [width, height]
        before, after = (_overhang(rng) / len(text) for _ in range(2))  # as shares of the line's length
        height_share, center, tilt = rng.uniform(0.85, 1.6), 0.5 + rng.normal(0, 0.06), rng.normal(0, 0.06)
        left, right = -before, 1 + after
        corners = [
            [left, center - tilt - height_share / 2], [right, center + tilt - height_share / 2],
            [right, center + tilt + height_share / 2], [left, center - tilt + height_share / 2],
        ]  # fmt: skip
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        to_photo = cv2.getPerspectiveTransform(square, box.astype(np.float32)).astype(np.float64)
        polygon = project(np.array(corners, np.float32), to_photo)
        if polygon.min() < 0 or (polygon > [width, height]).any():
            continue
        centers = ((np.arange(len(text)) + 0.5) / len(text) + before) / (1 + before + after) * STRIP_WIDTH_PX
        yield ZoneStrip(cut_strip(taken.photo, polygon), text, centers.astype(np.float32))


def strip_contact_sheet(seed: int, strips: int = 40) -> NDArray[np.uint8]:
    """Strips below each other, [H, W], each with marks at the centers of its characters."""
    rows: list[NDArray[np.uint8]] = []
    for number in range(strips):
        one = draw(np.random.default_rng((seed, number)))
        ruler = np.full((6, STRIP_WIDTH_PX), 255, np.uint8)
        ruler[:, [round(x) for x in one.centers.tolist() if 0 <= x < STRIP_WIDTH_PX - 1]] = 0
        rows += [one.pixels, ruler]
    return np.vstack(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    Image.fromarray(strip_contact_sheet(options.seed)).save(options.out)


if __name__ == "__main__":
    main()
