"""Changes a flat page into worn paper: pen marks, curls, folds, crumples, torn ends."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Page
from training.synth.camera.plan import CameraSettings
from training.synth.camera.pose import Pose
from training.synth.camera.surroundings import Mask, noise

FLAT_PAPER_LEVEL = 224  # of 255: brighter values are left for paper that faces the light


@dataclass(frozen=True)
class WornPage:
    """A page with its wear, scaled to about the size that it has in the photo."""

    pixels: NDArray[np.uint8]  # [h, w, 4], premultiplied colour, and alpha
    shrink: float  # px of this image per page px
    brightness: float = 1.0  # mean over its folds and crumples, relative to flat paper


def wear_page(
    sheet: Page, camera: Pose, settings: CameraSettings, crumpled: Sequence[Page], rng: np.random.Generator
) -> WornPage:
    """Scale the page, draw pen marks, shade curls, folds and crumples, tear its ends."""
    height, width = sheet.shape[:2]
    grid = np.stack(np.meshgrid([0.25, 0.5, 0.75], [0.1, 0.3, 0.5, 0.7, 0.9]), -1).reshape(-1, 2) * [width, height]
    scale = float(np.max(camera.scale_at(grid)[0]))
    shrink = min(1.0, scale * 1.1)
    small = sheet
    if shrink < 1.0:
        size = (max(1, round(width * shrink)), max(1, round(height * shrink)))
        small = cv2.resize(sheet, size, interpolation=cv2.INTER_AREA)
    for _ in range(settings.pen_marks):
        small = _written_on(small, rng)
    brightness = 1.0
    if not settings.screen:
        relief = _relief(small.shape[:2], camera, settings, crumpled, rng)
        small = cv2.multiply(small, cv2.merge([relief] * 3), scale=1 / FLAT_PAPER_LEVEL)
        brightness = float(relief.mean()) / FLAT_PAPER_LEVEL
    alpha = _torn(small.shape[:2], settings, rng)
    if alpha.min() == 0:
        small = cv2.multiply(small, cv2.merge([alpha] * 3), scale=1 / 255)
    return WornPage(cv2.merge([*cv2.split(small), alpha]), small.shape[1] / width, brightness)


def _written_on(page: Page, rng: np.random.Generator) -> Page:
    """Draw a pen mark: a line of writing, a ring, a tick or a stroke of a marker."""
    height, width = page.shape[:2]
    middle = np.array([width, height]) * rng.uniform(0.12, 0.88, 2)
    t = np.linspace(0, 1, 160)
    thick = max(1.0, width * float(rng.uniform(0.003, 0.008)))
    ink = np.array([(30, 40, 130), (24, 24, 28), (160, 30, 36), (20, 90, 190)][int(rng.integers(4))])
    kind = rng.choice(["words", "ring", "tick", "marker"], p=[0.45, 0.25, 0.15, 0.15])
    if kind == "words":
        size, turns = width * float(rng.uniform(0.015, 0.04)), float(rng.uniform(5, 14))
        swing = np.interp(t * turns, np.arange(32), rng.normal(0, 1, 32))
        x = t * size * turns * 0.9 + size * 0.6 * np.cos(2 * np.pi * turns * t)
        path = np.stack([x, size * (np.sin(2 * np.pi * turns * t) * (0.6 + 0.4 * swing) - 0.2 * t)], 1)
    elif kind == "ring":
        sides = width * rng.uniform((0.06, 0.03), (0.3, 0.08))
        angle = 2 * np.pi * (t * float(rng.uniform(0.9, 1.3)) + rng.random())
        path = np.stack([np.cos(angle), np.sin(angle)], 1) * sides * (1 + 0.1 * t[:, None])
    elif kind == "tick":
        path = np.array([[-0.03, 0.0], [0.0, 0.03], [0.07, -0.06]]) * width * float(rng.uniform(0.6, 1.6))
    else:
        path = np.array([[-0.5, 0.0], [0.5, float(rng.normal(0, 0.02))]]) * width * float(rng.uniform(0.3, 1.0))
        thick = width * float(rng.uniform(0.025, 0.05))
        ink = np.array([(255, 240, 90), (255, 170, 190), (170, 255, 150), (255, 150, 140)][int(rng.integers(4))])
    layer = np.full(page.shape, 255, np.uint8)
    points = np.round((path + middle) * 8).astype(np.int32)
    cv2.polylines(layer, [points], False, tuple(ink.tolist()), max(1, round(thick)), cv2.LINE_AA, shift=3)
    return np.asarray(cv2.multiply(page, layer, scale=1 / 255), np.uint8)


def _relief(
    shape: tuple[int, int], camera: Pose, settings: CameraSettings, crumpled: Sequence[Page], rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Brightness of each place of the paper, by the direction that it faces: uint8 [h, w].

    Flat paper has FLAT_PAPER_LEVEL.
    """
    height, width = shape
    longest = max(height, width)
    across, down = max(8, width // 4), max(8, height // 4)
    x, y = np.meshgrid((np.arange(across) + 0.5) / across - 0.5, (np.arange(down) + 0.5) / down - 0.5)
    unit = np.array([width, height]) / longest
    heights = camera.bend.height(x * unit[0], y * unit[1])
    turn = rng.uniform(0, 2 * np.pi)
    slope_y, slope_x = np.gradient(heights, unit[1] / down, unit[0] / across)
    strength = float(rng.uniform(0.3, 0.9))
    shade = 1.0 + strength * (slope_x * np.cos(turn) + slope_y * np.sin(turn))
    for direction, offset, _ in camera.bend.folds:  # broken fibres along a crease
        away = np.abs(x * unit[0] * np.cos(direction) + y * unit[1] * np.sin(direction) - offset) * longest / 4
        shade += float(rng.normal(0, 0.05)) * np.exp(-((away / rng.uniform(0.4, 0.9)) ** 2))
    shade = np.clip(shade, 0.6, 1.13)
    if settings.crumple > 0.02:
        shade *= 1.0 + settings.crumple * _crumple(down, across, crumpled, rng)
    return cv2.resize(
        np.clip(shade * FLAT_PAPER_LEVEL, 0, 255).astype(np.uint8), (width, height), interpolation=cv2.INTER_LINEAR
    )


def _crumple(height: int, width: int, crumpled: Sequence[Page], rng: np.random.Generator) -> NDArray[np.float32]:
    """Light and shadow of crumpled paper, around 0: from a photo of such paper, or from facets of noise."""
    if crumpled and rng.random() < 0.75:
        whole = crumpled[int(rng.integers(len(crumpled)))]
        grey = np.asarray(whole[..., 1], np.float32) / 255
        if rng.random() < 0.5:
            grey = grey[:, ::-1]
        if rng.random() < 0.5:
            grey = grey[::-1]
        part = float(rng.uniform(0.5, 1.0))
        high, wide = (round(side * part) for side in grey.shape)
        top, left = int(rng.integers(grey.shape[0] - high + 1)), int(rng.integers(grey.shape[1] - wide + 1))
        crop = cv2.resize(np.ascontiguousarray(grey[top : top + high, left : left + wide]), (width, height),
                          interpolation=cv2.INTER_AREA)  # fmt: skip
        # Slow changes of light are removed: the lighting is simulated elsewhere.
        detail = crop - cv2.GaussianBlur(crop, (0, 0), max(height, width) / 6)
        return np.asarray(np.clip(detail, -0.5, 0.5) * 0.5, np.float32)
    facets = np.zeros((height, width), np.float32)
    for _ in range(14):
        turn, at = rng.uniform(0, 2 * np.pi), rng.uniform(-0.6, 0.6)
        x, y = (
            np.linspace(-0.5, 0.5, width, dtype=np.float32)[None],
            np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None],
        )
        along = x * np.cos(turn) + y * np.sin(turn) - at + 0.1 * noise(height, width, 3, rng)
        facets += float(rng.normal(0, 0.05)) * np.tanh(along * rng.uniform(15, 90)) * np.exp(-((along * 4) ** 2))
    return facets


def _torn(shape: tuple[int, int], settings: CameraSettings, rng: np.random.Generator) -> Mask:
    """Mask of the paper, 255 inside. Long upright sheets come off a roll and are torn at a serrated edge."""
    height, width = shape
    alpha = np.full(shape, 255, np.uint8)
    if settings.screen or settings.scan or height < 1.25 * width:
        return alpha
    for end in (alpha, alpha[::-1]):
        kind, deep = rng.random(), max(1.0, width * float(rng.uniform(0.002, 0.007)))
        x = np.arange(width)
        if kind < 0.3:
            teeth = width / float(rng.uniform(30, 60))
            depth = deep * np.abs((x / teeth + rng.random()) % 1 - 0.5) * 2
        elif kind < 0.5:
            depth = deep * (1.2 + noise(2, width, 24, rng)[0] + 0.5 * noise(2, width, 90, rng)[0])
        else:
            continue
        rows = np.arange(int(np.ceil(depth.max())) + 1)[:, None]
        end[: len(rows)][rows < depth[None]] = 0
    return alpha
