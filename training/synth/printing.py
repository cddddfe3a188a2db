"""Draws a sheet as a clean page and reports the position of every run of text.

Effects of the printer belong here: typeface, dots of a thermal head or of needles, streaks, fading, the tint of the
paper. Light, folds and blur belong to the camera simulation. Text boxes of the sheet are kept to the pixel: glyphs are
stretched into them, as a receipt printer fits them into its grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from docextract.images.geometry import Page, Polygon
from training.synth import fonts, ornaments
from training.synth.camera.colour import lightness
from training.synth.sheet import Barcode, Box, Face, Ink, Mark, Ornament, Rule, Sheet, Text

Coverage = NDArray[np.float32]  # [H, W], 0 bare paper .. 1 full ink
PrintProcess = Literal["thermal", "needles", "laser"]

MAX_LONG_SIDE_PX = 3600  # no photo of a receipt of half a metre shows more
GLYPH_STRETCH_LIMITS = (0.6, 1.6)  # limits of the width factor that fits glyphs into their box
ACCENT_HEIGHT_SHARE = 0.25  # height of accents above a line, share of the line's height
HEAD_DOTS_PER_MM = 8.0  # a usual thermal head, 203 dpi
MAX_ROLL_WIDTH_MM = 115.0


@dataclass(frozen=True)
class DrawnText:
    """A run of text on the page. polygon: px of the page, clockwise from the top left of the text."""

    text: str
    polygon: Polygon
    field: str | None = None


@dataclass(frozen=True)
class PrintedPage:
    """A clean page with its ground truth. pixels: uint8 [H, W, 3]."""

    pixels: Page
    runs: tuple[DrawnText, ...]
    px_per_mm: float
    ink_contrast: float  # of letters, |ink − paper| in L*, 0..100; nan where there are none

    @property
    def text_height_px(self) -> float:
        """Median height of the runs of text, px of the page; nan when there is none."""
        heights = [float(np.linalg.norm(run.polygon[3] - run.polygon[0])) for run in self.runs]
        return float(np.median(heights)) if heights else float("nan")


@dataclass(frozen=True)
class _PrinterStyle:
    """Properties of one printer and its paper, the same for the whole page."""

    process: PrintProcess
    families: dict[Face, fonts.Family]
    head: bool  # whether the dots of a thermal head are visible
    density: float  # largest coverage, 0..1
    ink_spread_px: float  # Gaussian sigma
    wear: float  # streaks and fading, 0 none .. 1 strong
    paper: tuple[float, float, float]


def print_sheet(
    sheet: Sheet, rng: np.random.Generator, px_per_mm: float | None = None, typefaces: fonts.Share = "all"
) -> PrintedPage:
    """Draw a sheet.

    px_per_mm:  resolution; when not given it is drawn at random, so that a receipt of 80 mm is 560 to 800 px wide.
                Sheets with ornaments have smaller print and are photographed from nearer, so they get a higher one.
    typefaces:  which typefaces may be used.
    """
    fine = _is_ornate(sheet)
    scale = float(rng.uniform(10.0, 15.0) if fine else rng.uniform(7.0, 10.0)) if px_per_mm is None else px_per_mm
    scale = min(scale, MAX_LONG_SIDE_PX / max(sheet.width_mm, sheet.height_mm))
    style = _choose_style(sheet, rng, typefaces)
    layer = _InkLayer.blank(sheet, scale)
    runs = [run for mark in sheet.marks if (run := _draw_mark(layer, mark, sheet, style, rng)) is not None]
    coverage = _simulate_process(layer.coverage, style, scale, rng)
    paper = np.asarray(style.paper, np.float32)
    if fine:
        paper = ornaments.paint(sheet, scale, paper, rng)
    weight = coverage[..., None]
    pixels = np.clip(paper + (layer.ink - paper) * weight + 0.5, 0, 255).astype(np.uint8)
    return PrintedPage(pixels, tuple(runs), scale, _ink_contrast(pixels, runs))


def _is_ornate(sheet: Sheet) -> bool:
    """Whether the sheet is a card or a passport, and not plain paper."""
    return any(isinstance(mark, Ornament) for mark in sheet.marks)


def _choose_style(sheet: Sheet, rng: np.random.Generator, typefaces: fonts.Share) -> _PrinterStyle:
    """Draw the properties of a printer that fits the sheet."""
    roll = sheet.width_mm <= MAX_ROLL_WIDTH_MM and sheet.height_mm > sheet.width_mm and not _is_ornate(sheet)
    needles = any(text.face == "dot" for text in sheet.texts())
    process: PrintProcess = "needles" if needles else "thermal" if roll else "laser"
    chosen = {
        face: found[int(rng.integers(len(found)))] for face in fonts.ROLES if (found := fonts.families(face, typefaces))
    }
    density, wear, tint = float(rng.uniform(0.88, 1.0)), 0.0, np.ones(3)
    if process != "laser":
        density = float(rng.uniform(0.5, 0.8) if rng.random() < 0.15 else rng.uniform(0.8, 1.0))
        wear = float(rng.beta(1.2, 3.0))
        tint = rng.uniform((0.965, 0.96, 0.94), (1.0, 1.0, 1.0))
        if rng.random() < 0.12:  # coloured rolls: yellow, pink, blue, green
            tint = np.array([(1, 0.96, 0.8), (1, 0.88, 0.89), (0.87, 0.93, 1), (0.9, 0.98, 0.9)])[rng.integers(4)]
    red, green, blue = (float(value) for value in np.asarray(sheet.paper) * tint)
    return _PrinterStyle(
        process=process,
        families=chosen,
        head=process == "thermal" and rng.random() < 0.6,
        density=density,
        ink_spread_px=float(rng.uniform(0.0, 0.9) if process == "needles" else rng.uniform(0.0, 0.55)),
        wear=wear,
        paper=(red, green, blue),
    )


@dataclass
class _InkLayer:
    """Amount and colour of the ink on the page; changed in place while marks are drawn."""

    coverage: Coverage
    ink: NDArray[np.float32]  # [H, W, 3], sRGB; defined only where coverage is over 0
    px_per_mm: float

    @classmethod
    def blank(cls, sheet: Sheet, px_per_mm: float) -> "_InkLayer":
        """A layer without ink, as large as the sheet."""
        height, width = (max(8, round(side * px_per_mm)) for side in (sheet.height_mm, sheet.width_mm))
        return cls(np.zeros((height, width), np.float32), np.zeros((height, width, 3), np.float32), px_per_mm)

    def apply(self, mask: Coverage, left: int, top: int, ink: Ink, carve: bool = False) -> None:
        """Add ink where a mask [h, w] is, its top-left corner at (left, top). Parts outside the page are dropped.

        carve: remove ink instead.
        """
        height, width = self.coverage.shape
        x0, y0 = max(0, left), max(0, top)
        x1, y1 = min(width, left + mask.shape[1]), min(height, top + mask.shape[0])
        if x1 <= x0 or y1 <= y0:
            return
        over = mask[y0 - top : y1 - top, x0 - left : x1 - left]
        under = self.coverage[y0:y1, x0:x1]
        if carve:
            under *= 1.0 - over
            return
        kept = under * (1.0 - over)
        both = kept + over
        share = (over / np.maximum(both, 1e-6))[..., None]
        colour = self.ink[y0:y1, x0:x1]
        colour += (np.asarray(ink, np.float32) - colour) * share
        under[...] = both


def _draw_mark(
    layer: _InkLayer, mark: Mark, sheet: Sheet, style: _PrinterStyle, rng: np.random.Generator
) -> DrawnText | None:
    """Draw one mark; returns the run of text if the mark is one with visible text."""
    match mark:
        case Text():
            return _draw_text(layer, mark, style)
        case Rule():
            _draw_rule(layer, mark)
        case Box():
            _draw_box(layer, mark, emblem=_is_logo(mark, sheet), rng=rng)
        case Barcode():
            _draw_barcode(layer, mark, rng)
        case Ornament():
            pass  # under the ink; drawn by `ornaments`
        case _:
            raise TypeError(f"no drawing for marks of type {type(mark).__name__}; add it to {__name__}")
    return None


def _draw_text(layer: _InkLayer, text: Text, style: _PrinterStyle) -> DrawnText | None:
    """Draw a run of text into its box; None when it holds spaces only."""
    scale = layer.px_per_mm
    left, top = text.x_mm * scale, text.y_mm * scale
    width, height = max(1.0, text.width_mm * scale), max(4.0, text.height_mm * scale)
    path, thicken = _font_for(text, style)
    needles = style.process == "needles"
    mask = _dotted(path, text.text, height) if needles else _outlined(path, text.text, height)
    stretch = float(np.clip(width / mask.shape[1], *GLYPH_STRETCH_LIMITS))
    drawn = max(1, round(mask.shape[1] * stretch))
    above = 0.0 if text.text.isascii() or needles else ACCENT_HEIGHT_SHARE * height
    shape = (drawn, max(1, round(height + above)))
    mask = cv2.resize(mask, shape, interpolation=cv2.INTER_AREA if mask.shape[1] > drawn else cv2.INTER_LINEAR)
    if thicken:
        mask = np.maximum(mask, np.roll(mask, max(1, round(height / 22)), axis=1))
    x, y = round(left + (width - drawn) / 2), round(top)
    if text.inverse:
        band = np.ones((max(1, round(height)), max(1, round(width))), np.float32)
        layer.apply(band, round(left), y, text.ink)
    layer.apply(mask, x, y - round(above), text.ink, carve=text.inverse)
    if not text.text.strip():
        return None
    corners = [[x, y], [x + drawn, y], [x + drawn, y + height], [x, y + height]]
    return DrawnText(text.text, np.array(corners, np.float32), text.field)


def _font_for(text: Text, style: _PrinterStyle) -> tuple[str, bool]:
    """The font file for a text, and whether strokes must be thickened to look bold."""
    face: Face = "dot" if style.process == "needles" else text.face
    candidates = (style.families[face], *fonts.families(face), *fonts.families("sans"))
    family = next((each for each in candidates if fonts.covers(each.regular, text.text)), candidates[0])
    return (family.bold if text.bold else family.regular), text.bold and not family.has_bold


def _outlined(path: str, text: str, height_px: float) -> Coverage:
    """The text as outlines at its natural width: float32 [height_px, W], 0..1, ascender to descender.

    Accents of capitals are higher: non-ASCII text has ACCENT_HEIGHT_SHARE of the height more at the top.
    """
    size = max(4, round(height_px * fonts.em_per_height(path)))
    return _rasterise(path, text, size)


def _rasterise(path: str, text: str, size: int, mono: bool = False) -> Coverage:
    """Draw a text: advance width by ascender-to-descender height, without the line gap of the font.

    mono: without antialiasing, and without room for accents; see `_outlined`.
    """
    face = fonts.font(path, size)
    _, top, _, bottom = face.getbbox("bdfhklQgjpqy")
    if not mono and not text.isascii():
        top -= ACCENT_HEIGHT_SHARE * (bottom - top)
    canvas = Image.new("L", (max(1, round(face.getlength(text))), max(1, round(bottom - top))), 0)
    pen = ImageDraw.Draw(canvas)
    pen.fontmode = "1" if mono else "L"
    pen.text((0, -top), text, fill=255, font=face)
    return np.asarray(canvas, np.float32) / 255.0


def _dotted(path: str, text: str, height_px: float) -> Coverage:
    """The text as a needle printer sets it: twelve rows of round dots."""
    rows = 12
    dots = _rasterise(path, text, max(6, round(rows * fonts.em_per_height(path))), mono=True)
    cell = 4
    round_dot = cv2.circle(np.zeros((cell * 4, cell * 4), np.float32), (7, 7), 8, 1.0, -1, cv2.LINE_AA)
    round_dot = cv2.resize(round_dot, (cell, cell), interpolation=cv2.INTER_AREA)
    fine = np.kron(dots, np.ones((cell, cell), np.float32)) * np.tile(round_dot, dots.shape)
    width = max(1, round(fine.shape[1] * height_px / fine.shape[0]))
    return cv2.resize(fine, (width, max(1, round(height_px))), interpolation=cv2.INTER_AREA)


def _draw_rule(layer: _InkLayer, rule: Rule) -> None:
    scale = layer.px_per_mm
    length, thick = max(1, round(rule.length_mm * scale)), max(1, round(rule.thickness_mm * scale))
    line = np.ones(length, np.float32)
    if rule.dashed:
        period = max(4, round(1.6 * scale))
        line = (np.arange(length) % period < period * 0.62).astype(np.float32)
    band = np.repeat(line[None], thick, axis=0)
    layer.apply(band.T if rule.vertical else band, round(rule.x_mm * scale), round(rule.y_mm * scale), rule.ink)


def _is_logo(box: Box, sheet: Sheet) -> bool:
    """Whether a box is a logo: filled, about as high as wide, without text."""
    if not box.filled or min(box.width_mm, box.height_mm) < 5 or box.width_mm > 4 * box.height_mm:
        return False
    return not any(
        box.x_mm < text.x_mm + text.width_mm
        and text.x_mm < box.x_mm + box.width_mm
        and box.y_mm < text.y_mm + text.height_mm
        and text.y_mm < box.y_mm + box.height_mm
        for text in sheet.texts()
    )


def _draw_box(layer: _InkLayer, box: Box, emblem: bool, rng: np.random.Generator) -> None:
    scale = layer.px_per_mm
    width, height = max(1, round(box.width_mm * scale)), max(1, round(box.height_mm * scale))
    if emblem:
        mask = _emblem(width, height, rng)
    else:
        mask = np.ones((height, width), np.float32)
        if not box.filled:
            edge = max(1, round(0.3 * scale))
            mask[edge:-edge, edge:-edge] = 0.0
    layer.apply(mask, round(box.x_mm * scale), round(box.y_mm * scale), box.ink)


def _emblem(width: int, height: int, rng: np.random.Generator) -> Coverage:
    """A plain shape with another cut out of it, as logos on receipts."""
    mask = np.zeros((height, width), np.float32)
    centre, radius = np.array([width / 2, height / 2]), np.array([width / 2 - 1, height / 2 - 1])
    for shrink, value in ((1.0, 1.0), (rng.uniform(0.45, 0.85), 0.0), (rng.uniform(0.2, 0.4), 1.0)):
        corners = int(rng.choice([3, 4, 5, 6, 8, 10, 40, 40]))
        angles = np.linspace(0, 2 * np.pi, corners, endpoint=False) + rng.uniform(0, 2 * np.pi)
        reach = np.where(np.arange(corners) % 2, rng.choice([1.0, 1.0, 0.5]), 1.0)
        points = centre + radius * shrink * np.stack([np.cos(angles), np.sin(angles)], 1) * reach[:, None]
        cv2.fillPoly(mask, [np.round(points).astype(np.int32)], float(value), cv2.LINE_AA)
        if rng.random() < 0.25:
            break
    return mask


def _draw_barcode(layer: _InkLayer, code: Barcode, rng: np.random.Generator) -> None:
    scale = layer.px_per_mm
    width, height = max(8, round(code.width_mm * scale)), max(8, round(code.height_mm * scale))
    if code.square:
        modules = _matrix_code(int(rng.choice([21, 25, 29, 33])), rng)
    else:
        widths = rng.choice([1, 1, 2, 3], size=max(24, round(code.width_mm / 0.9)))
        modules = np.repeat(np.arange(len(widths)) % 2 == 0, widths).astype(np.float32)[None]
    mask = cv2.resize(modules, (width, height), interpolation=cv2.INTER_NEAREST)
    layer.apply(mask, round(code.x_mm * scale), round(code.y_mm * scale), code.ink)


def _matrix_code(side: int, rng: np.random.Generator) -> Coverage:
    """Random modules with the three finder patterns of a QR code."""
    modules = (rng.random((side, side)) < 0.5).astype(np.float32)
    finder = np.zeros((8, 8), np.float32)
    finder[:7, :7] = 1.0
    finder[1:6, 1:6] = 0.0
    finder[2:5, 2:5] = 1.0
    modules[:8, :8] = finder
    modules[:8, -8:] = finder[:, ::-1]
    modules[-8:, :8] = finder[::-1]
    return modules


def _simulate_process(coverage: Coverage, style: _PrinterStyle, px_per_mm: float, rng: np.random.Generator) -> Coverage:
    """Apply the printing process: dots, spread ink, streaks, fading. Float 0..1."""
    height, width = coverage.shape
    if style.head:
        dots = (
            max(1, round(width * HEAD_DOTS_PER_MM / px_per_mm)),
            max(1, round(height * HEAD_DOTS_PER_MM / px_per_mm)),
        )
        heated = (cv2.resize(coverage, dots, interpolation=cv2.INTER_AREA) > rng.uniform(0.38, 0.52)).astype(np.float32)
        coverage = cv2.resize(heated, (width, height), interpolation=cv2.INTER_LINEAR)
    if style.ink_spread_px > 0.15:
        spread = cv2.GaussianBlur(coverage, (0, 0), style.ink_spread_px)
        coverage = np.clip(spread * (1.0 + 0.35 * style.ink_spread_px), 0.0, 1.0)
    strength = np.full((height, width), style.density, np.float32)
    if style.wear > 0.05:
        strength *= _remaining_ink(height, width, style.wear, rng)
    return coverage * strength


def _remaining_ink(height: int, width: int, wear: float, rng: np.random.Generator) -> Coverage:
    """Share of the ink that is left [H, W]: bands along the paper, weak and dead dots of the head, rubbed patches."""

    def smooth(count: int, size: int, depth: float) -> NDArray[np.float32]:
        """`count` random factors between 1 - depth and 1, interpolated to `size` values."""
        coarse = 1.0 - depth * rng.random((1, max(2, count)), dtype=np.float32)
        return cv2.resize(coarse, (size, 1), interpolation=cv2.INTER_CUBIC)[0]

    across, along = smooth(7, width, 0.25 * wear), smooth(12, height, 0.35 * wear)
    for _ in range(int(rng.poisson(2.0 * wear))):
        at, wide = int(rng.integers(width)), int(rng.integers(1, 4))
        across[at : at + wide] *= float(rng.uniform(0.0, 0.7))
    patches = cv2.resize(rng.random((max(2, height // 60), max(2, width // 60)), dtype=np.float32), (width, height))
    # Grain at half resolution: paper fibres are coarser than a pixel, and it takes a quarter of the time.
    grain = cv2.resize(rng.random((height // 2 + 1, width // 2 + 1), dtype=np.float32), (width, height))
    rubbed = 1.0 - wear * 0.9 * np.clip(patches * 1.6 - 0.9, 0, 1) - wear * 0.5 * np.clip(grain - 0.55, 0, 1)
    return np.clip(across[None] * along[:, None] * rubbed, 0.0, 1.0)


def _ink_contrast(pixels: Page, runs: Sequence[DrawnText]) -> float:
    """Median contrast of the runs of text, measured as on a scan.

    Only text is measured: a large pale logo does not make the print faint.
    """
    contrasts = []
    for run in runs:
        if not any(map(str.isalnum, run.text)):
            continue  # a dash leaves most of its box empty
        (left, top), (right, bottom) = run.polygon[0].astype(int), np.ceil(run.polygon[2]).astype(int)
        box = pixels[max(0, top) : bottom : 2, max(0, left) : right : 2].reshape(-1, 3)
        if len(box):
            bare, inked = np.percentile(lightness(box), (90, 5))
            contrasts.append(float(bare - inked))
    return float(np.median(contrasts)) if contrasts else float("nan")
