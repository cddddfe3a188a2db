"""Draws what lies under the print of identity documents: colour washes, fine lines, portraits, signatures, chips.

Nothing imitates a real security feature: lines are plain curves, portraits are a few ellipses.
"""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from training.synth.sheet import Ornament, Sheet

Ground = NDArray[np.float32]  # [H, W, 3], 0..255
Cover = NDArray[np.float32]  # [h, w], 0..1

_SKINS = ((236, 200, 176), (222, 176, 146), (190, 140, 108), (150, 104, 78), (108, 74, 56))
_HAIRS = ((36, 30, 28), (60, 44, 34), (110, 80, 50), (176, 140, 90), (150, 150, 150), (24, 24, 26))
_CLOTHES = ((40, 44, 60), (120, 40, 50), (60, 90, 70), (210, 210, 214), (30, 30, 34), (90, 110, 150))
_BACKDROPS = ((222, 226, 230), (236, 236, 232), (200, 212, 224), (210, 206, 200))


def paint(sheet: Sheet, px_per_mm: float, paper: NDArray[np.float32], rng: np.random.Generator) -> Ground:
    """Draw the ornaments of a sheet onto its paper, in the order of the marks.

    paper:   [3], sRGB. returns: float32 [H, W, 3], 0..255.
    """
    height, width = (max(8, round(side * px_per_mm)) for side in (sheet.height_mm, sheet.width_mm))
    ground: Ground = np.broadcast_to(paper, (height, width, 3)).astype(np.float32)
    for mark in sheet.marks:
        if isinstance(mark, Ornament):
            x0, y0 = max(0, round(mark.x_mm * px_per_mm)), max(0, round(mark.y_mm * px_per_mm))
            x1 = min(width, round((mark.x_mm + mark.width_mm) * px_per_mm))
            y1 = min(height, round((mark.y_mm + mark.height_mm) * px_per_mm))
            if x1 - x0 > 4 and y1 - y0 > 4:
                _PAINTERS[mark.kind](ground[y0:y1, x0:x1], mark, px_per_mm, rng)
    return ground


def _lay(place: Ground, cover: Cover, ink: NDArray[np.float32] | tuple[int, int, int]) -> None:
    """Blend an ink, [3] or [h, w, 3], over an area by its coverage, in place."""
    place += (np.asarray(ink, np.float32) - place) * cover[..., None]


def _wash(place: Ground, mark: Ornament, _: float, rng: np.random.Generator) -> None:
    """A colour whose strength varies across the card."""
    coarse = rng.random((2, 3)).astype(np.float32)
    cover = cv2.resize(coarse, (place.shape[1], place.shape[0]), interpolation=cv2.INTER_LINEAR)
    _lay(place, cover * mark.strength, mark.ink)


def _lines(place: Ground, mark: Ornament, curves: list[NDArray[np.float64]], px_per_mm: float) -> None:
    """Curves of points [N, 2] in px, about a tenth of a millimetre thick."""
    cover = np.zeros(place.shape[:2], np.uint8)
    thick = max(1, round(0.11 * px_per_mm))
    cv2.polylines(cover, [np.round(curve * 8).astype(np.int32) for curve in curves], False, 255, thick, cv2.LINE_AA, 3)
    _lay(place, cover.astype(np.float32) * (mark.strength / 255), mark.ink)


def _waves(place: Ground, mark: Ornament, px_per_mm: float, rng: np.random.Generator) -> None:
    """Parallel wavy lines."""
    height, width = place.shape[:2]
    pitch = px_per_mm * rng.uniform(0.8, 2.2)
    x = np.linspace(0, width, 160)
    swing = px_per_mm * rng.uniform(1.0, 5.0)
    waves, phase, drift = rng.uniform(1.0, 5.0), rng.uniform(0, 6.28), rng.uniform(-0.05, 0.05)
    curves = []
    for at, y in enumerate(np.arange(-swing, height + swing, pitch)):
        curves.append(np.stack([x, y + swing * np.sin(x / width * waves * 6.28 + phase + at * drift)], 1))
    _lines(place, mark, curves, px_per_mm)


def _hatching(place: Ground, mark: Ornament, px_per_mm: float, rng: np.random.Generator) -> None:
    """Straight lines in two directions."""
    height, width = place.shape[:2]
    pitch, reach = px_per_mm * rng.uniform(1.2, 3.0), width + height
    curves = []
    for slope in (rng.uniform(0.2, 1.5), -rng.uniform(0.2, 1.5)):
        for start in np.arange(-reach, reach, pitch * (1 + abs(slope))):
            curves.append(np.array([[0.0, start], [width, start + slope * width]]))
    _lines(place, mark, curves, px_per_mm)


def _rosette(place: Ground, mark: Ornament, px_per_mm: float, rng: np.random.Generator) -> None:
    """A guilloche: closed curves around one centre."""
    height, width = place.shape[:2]
    t = np.linspace(0, 2 * np.pi, 1400)
    curves = []
    for _ in range(int(rng.integers(1, 4))):
        petals, deep, turns = int(rng.integers(5, 24)), rng.uniform(0.15, 0.6), int(rng.integers(1, 6))
        radius = 0.5 * (1 - deep + deep * np.cos(petals * t)) * rng.uniform(0.6, 1.0)
        x, y = np.cos(turns * t) * radius, np.sin(turns * t) * radius
        curves.append(np.stack([(x + 0.5) * width, (y + 0.5) * height], 1))
    _lines(place, mark, curves, px_per_mm)


def _portrait(place: Ground, mark: Ornament, _: float, rng: np.random.Generator) -> None:
    """An invented head with shoulders, in colour or grey; with strength below 1 the card shines through."""
    height, width = place.shape[:2]
    picture = np.empty(place.shape, np.float32)
    picture[:] = _BACKDROPS[int(rng.integers(len(_BACKDROPS)))]
    skin, hair, clothes = (
        np.array(tones[int(rng.integers(len(tones)))], np.float32) for tones in (_SKINS, _HAIRS, _CLOTHES)
    )

    def oval(x: float, y: float, wide: float, high: float, tone: NDArray[np.float32]) -> None:
        """Fill an ellipse; centre and half axes are shares of the width and height."""
        centre, axes = (round(x * width), round(y * height)), (round(wide * width), round(high * height))
        cv2.ellipse(picture, centre, axes, 0, 0, 360, tuple(float(value) for value in tone), -1, cv2.LINE_AA)

    long_hair = rng.random() < 0.5
    head = rng.uniform(0.17, 0.21)
    if long_hair:
        oval(0.5, 0.5, head * 1.5, 0.3, hair)
    oval(0.5, 1.08, rng.uniform(0.4, 0.5), 0.36, clothes)
    oval(0.5, 0.74, head * 0.55, 0.16, skin * 0.9)
    oval(0.5, 0.38, head * 1.18, 0.25, hair)
    oval(0.5, 0.46, head, 0.24, skin)
    for side in (-1, 1):
        oval(0.5 + side * head * 0.42, 0.43, head * 0.16, 0.014, hair * 0.6)
        oval(0.5 + side * head * 0.42, 0.39, head * 0.24, 0.008, hair)
    oval(0.5, 0.51, head * 0.12, 0.03, skin * 0.88)
    oval(0.5, 0.585, head * 0.36, 0.012, skin * np.array([0.85, 0.6, 0.6], np.float32))
    light = np.linspace(rng.uniform(0.9, 1.1), rng.uniform(0.85, 1.1), width, dtype=np.float32)[None, :, None]
    picture = np.asarray(cv2.GaussianBlur(picture * light, (0, 0), max(0.6, width / 90)), np.float32)
    if mark.strength < 1.0 or rng.random() < 0.4:
        grey = picture.mean(axis=2, keepdims=True) / 255
        ink = np.asarray(mark.ink, np.float32)
        picture = ink + (255 - ink) * grey
    picture += rng.normal(0, 4, (height, width, 1)).astype(np.float32)
    if mark.strength >= 1.0:
        place[:] = picture
    else:
        place += (picture - place) * mark.strength * np.clip(1.3 - picture.mean(axis=2, keepdims=True) / 255, 0, 1)


def _signature(place: Ground, mark: Ornament, px_per_mm: float, rng: np.random.Generator) -> None:
    """A scribble from left to right."""
    height, width = place.shape[:2]
    turns = rng.uniform(4, 9)
    t = np.linspace(0, 1, 240)
    swing = np.interp(t * turns, np.arange(12), rng.uniform(0.2, 1.0, 12))
    x = (0.05 + 0.85 * t + 0.05 * np.cos(2 * np.pi * turns * t)) * width
    y = (0.5 + 0.42 * swing * np.sin(2 * np.pi * turns * t + rng.uniform(0, 6))) * height
    cover = np.zeros((height, width), np.uint8)
    thick = max(1, round(rng.uniform(0.2, 0.45) * px_per_mm))
    cv2.polylines(cover, [np.round(np.stack([x, y], 1) * 8).astype(np.int32)], False, 255, thick, cv2.LINE_AA, 3)
    _lay(place, cover.astype(np.float32) * (mark.strength / 255), mark.ink)


def _chip(place: Ground, mark: Ornament, px_per_mm: float, rng: np.random.Generator) -> None:
    """The golden contacts of a chip."""
    height, width = place.shape[:2]
    gold = np.array([(212, 178, 92), (200, 200, 196), (220, 190, 120)][int(rng.integers(3))], np.float32)
    metal = np.tile(gold * np.linspace(0.9, 1.1, width, dtype=np.float32)[None, :, None], (height, 1, 1))
    thick = max(1, round(0.2 * px_per_mm))
    dark = tuple(float(value) for value in gold * 0.6)
    for share in (0.33, 0.66):
        cv2.line(metal, (0, round(share * height)), (width, round(share * height)), dark, thick)
    cv2.rectangle(
        metal, (round(width * 0.33), round(height * 0.2)), (round(width * 0.66), round(height * 0.8)), dark, thick
    )
    place[:] = metal


_Painter = Callable[[Ground, Ornament, float, np.random.Generator], None]
_PAINTERS: dict[str, _Painter] = {
    "wash": _wash, "waves": _waves, "hatching": _hatching, "rosette": _rosette, "portrait": _portrait,
    "signature": _signature, "chip": _chip,
}  # fmt: skip
