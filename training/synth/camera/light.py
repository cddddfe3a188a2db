"""Applies light, lens and sensor to a scene.

Everything works on sRGB values without conversion to linear light: twice the light multiplies them by 2 ** 0.45. This
saves two conversions per photo, and is as exact as the tone curve of a phone is known.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Page
from training.synth.camera.plan import CameraSettings
from training.synth.camera.surroundings import Mask, noise

LIGHT_DOWNSCALE = 4  # light is computed at a quarter of the photo's size
WHITE_PAPER_LEVEL = 250.0  # sRGB value of the paper that defines exposure

Light = NDArray[np.float32]  # [h / 4, w / 4]; 1 is the light at the centre of the document


@dataclass(frozen=True)
class Lighting:
    """Light on the table, at a quarter of the photo's size."""

    level: Light  # without the shadows
    shadow: Light  # 1 lit .. 0 black
    glare: Light  # added to the picture; 1 is white
    colour: NDArray[np.float64]  # [3], about 1


def draw_lighting(
    settings: CameraSettings, photo: tuple[int, int], document: Mask, rng: np.random.Generator
) -> Lighting:
    """Draw the light of a photo.

    photo: width and height, px. document: mask of any size; empty when there is no document.
    """
    width, height = (-(-side // LIGHT_DOWNSCALE) for side in photo)
    level = _draw_light_level(settings, width, height, rng)
    small = cv2.resize(document, (width, height), interpolation=cv2.INTER_AREA)
    shadow = np.ones((height, width), np.float32)
    for _ in range(settings.shadows):
        shadow *= 1.0 - settings.shadow_depth * _draw_shadow(width, height, rng)
    warm = np.array([1.0 + 0.10 * settings.warmth, 1.0 + 0.01 * settings.warmth, 1.0 - 0.2 * settings.warmth])
    if settings.warmth < 0:
        warm = np.array([1.0 + 0.2 * settings.warmth, 1.0 + 0.06 * settings.warmth, 1.0])
    return Lighting(level, shadow, draw_glare(settings.glare, small, rng), warm * rng.uniform(0.985, 1.015, 3))


def _draw_light_level(settings: CameraSettings, width: int, height: int, rng: np.random.Generator) -> Light:
    """Light that decreases across the picture and towards its corners."""
    if settings.scan:
        return np.ones((height, width), np.float32)
    x, y = np.linspace(-0.5, 0.5, width, dtype=np.float32), np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None]
    turn = rng.uniform(0, 2 * np.pi)
    slope = settings.gradient * (np.cos(turn) * x + np.sin(turn) * y)
    falloff = rng.uniform(0.0, 0.25) * (x**2 + y**2)
    return np.clip(1.0 + slope - falloff + 0.2 * settings.gradient * noise(height, width, 3, rng), 0.25, 1.6)


def _draw_shadow(width: int, height: int, rng: np.random.Generator) -> Light:
    """The shadow of a phone, an arm or a head: 0 lit .. 1 shadow, with a soft border."""
    mask = np.zeros((height, width), np.float32)
    middle = np.array([width, height]) * rng.uniform(0.1, 0.9, 2)
    kind = rng.random()
    if kind < 0.4:  # the phone and the arms that hold it
        size = np.array([width, height]) * rng.uniform(0.35, 0.8, 2)
        box = cv2.boxPoints((tuple(middle.tolist()), tuple(size.tolist()), float(rng.normal(0, 20))))
        cv2.fillConvexPoly(mask, np.round(box).astype(np.int32), 1.0)
    elif kind < 0.75:  # everything on one side of a line
        turn = rng.uniform(0, 2 * np.pi)
        x, y = np.arange(width)[None], np.arange(height)[:, None]
        mask[(x - middle[0]) * np.cos(turn) + (y - middle[1]) * np.sin(turn) > 0] = 1.0
    else:  # fingers and a hand
        direction = rng.uniform(0, 2 * np.pi)
        for _ in range(int(rng.integers(1, 5))):
            spread = direction + rng.normal(0, 0.25)
            end = middle + np.array([np.cos(spread), np.sin(spread)]) * 2 * max(width, height)
            start = middle + rng.normal(0, width * 0.06, 2)
            cv2.line(mask, tuple(np.round(start).astype(int).tolist()), tuple(np.round(end).astype(int).tolist()), 1.0,
                     max(2, round(width * rng.uniform(0.06, 0.16))))  # fmt: skip
    softness = width * float(rng.choice([rng.uniform(0.004, 0.02), rng.uniform(0.02, 0.12)]))
    return cv2.GaussianBlur(mask, (0, 0), max(0.7, softness))


def draw_glare(share: float, document: Mask, rng: np.random.Generator) -> Light:
    """Draw reflections of lamps until about `share` of the document is washed out; added to the picture, 1 is white."""
    height, width = document.shape
    glare = np.zeros((height, width), np.float32)
    ys, xs = np.nonzero(document > 127)
    if share <= 0 or len(xs) == 0:
        return glare
    x, y = np.arange(width, dtype=np.float32)[None], np.arange(height, dtype=np.float32)[:, None]
    count = int(rng.choice([1, 1, 2, 3]))
    reach = np.sqrt(share * len(xs) / count / np.pi)
    for _ in range(count):
        pick, turn, squash = int(rng.integers(len(xs))), rng.uniform(0, np.pi), rng.uniform(0.4, 1.0)
        across, down = x - xs[pick], y - ys[pick]
        along = (across * np.cos(turn) + down * np.sin(turn)) / (reach / np.sqrt(squash))
        aside = (down * np.cos(turn) - across * np.sin(turn)) / (reach * np.sqrt(squash))
        # Flat in the middle, soft at the border, since a lamp has a size; around it
        # a halo that the roughness of the paper makes.
        distance, power = along**2 + aside**2, float(rng.uniform(0.6, 1.8))
        spot = np.exp(-1.1 * distance**power) + rng.uniform(0.05, 0.3) * np.exp(-0.35 * distance)
        glare = np.maximum(glare, rng.uniform(0.55, 1.1) * spot)
    return glare.astype(np.float32)


# From this value on, print under a reflection has lost well over half of its contrast. With 0.35, the first threshold,
# it had lost a third: photos were labelled with glare that was hard to find.
GLARE_HIDES_PRINT = 0.5


def draw_tone_curve(rng: np.random.Generator, flat: bool) -> NDArray[np.uint8]:
    """Draw the tone curve of a phone, uint8 [256]: more contrast in the middle, soft highlights. flat: of a scanner."""
    x = np.arange(256) / 255.0
    bend = 0.0 if flat else float(rng.uniform(-0.05, 0.3))
    curve = x + bend * (x - 0.42) * x * (1 - x) * 2.2
    lift = float(rng.uniform(0.0, 0.05))
    return np.clip((lift + (1 - lift) * curve) * 255 + 0.5, 0, 255).astype(np.uint8)


def motion_blur(scene: Page, length_px: float, rng: np.random.Generator) -> Page:
    """Blur along a slightly bent path of this length, px.

    The picture is averaged with itself moved by half the path, a quarter, and so on: at most seven passes, where a
    kernel as long as the path would need as many as it has pixels.
    """
    parts = [length_px / 2**power for power in range(1, 8) if length_px / 2**power >= 0.5]
    turns = rng.uniform(0, np.pi) + rng.normal(0, 0.12, len(parts))
    shifts = [np.array([np.cos(turn), np.sin(turn)]) * part for turn, part in zip(turns, parts, strict=True)]
    scene = _moved(scene, -sum(shifts, np.zeros(2)) / 2)  # the middle of the path does not move
    for direction in shifts:
        scene = cv2.addWeighted(scene, 0.5, _moved(scene, direction), 0.5, 0)
    return scene


def _moved(scene: Page, direction: NDArray[np.float64]) -> Page:
    """The picture moved by a vector, px."""
    move = np.array([[1, 0, direction[0]], [0, 1, direction[1]]], np.float32)
    return np.asarray(cv2.warpAffine(scene, move, scene.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)


@cache
def _noise_pattern(size: float) -> NDArray[np.float32]:
    """Sensor noise with a luma sigma of 1 and a little colour, [1024, 1024, 3].

    It is made once: drawing it takes as long as a whole photo.
    """
    rng = np.random.default_rng(7)
    luma = rng.standard_normal((1024, 1024, 1), dtype=np.float32)
    chroma = cv2.GaussianBlur(rng.standard_normal((1024, 1024, 3), dtype=np.float32), (0, 0), 1.5) * 2.2
    grain = luma + chroma
    if size > 0:
        grain = cv2.GaussianBlur(grain, (0, 0), size)
    weights = np.array([0.2126, 0.7152, 0.0722], np.float32)
    return np.ascontiguousarray(grain / float((grain @ weights).std()))


NOISE_GRAIN_SIZES_PX = (0.0, 0.6, 0.9)  # Gaussian sigma of the grain that denoising leaves


def add_noise(picture: NDArray[np.float32], sigma: float, grain_px: float, rng: np.random.Generator) -> None:
    """Add sensor noise of this luma sigma, 0..255 scale, in place."""
    grain = _noise_pattern(grain_px)
    step = 512
    for top in range(0, picture.shape[0], step):
        for left in range(0, picture.shape[1], step):
            window = picture[top : top + step, left : left + step]
            y, x = rng.integers(0, 1024 - step, 2)
            window += grain[y : y + window.shape[0], x : x + window.shape[1]] * np.float32(sigma)


@cache
def _patch(grain_px: float) -> NDArray[np.float32]:
    """The luma of a part of the noise pattern."""
    return np.ascontiguousarray(_noise_pattern(grain_px)[:128, :128] @ np.array([0.2126, 0.7152, 0.0722], np.float32))


def noise_gain(grain_px: float, amount: float, radius_px: float) -> float:
    """Return the sigma that sharpening makes of noise with sigma 1."""
    patch = _patch(grain_px)
    return float((patch * (1.0 + amount) - cv2.GaussianBlur(patch, (0, 0), radius_px) * amount).std())


def sharpen(photo: Page, amount: float, radius_px: float) -> Page:
    """Apply unsharp masking, as phones do."""
    return cv2.addWeighted(photo, 1.0 + amount, cv2.GaussianBlur(photo, (0, 0), radius_px), -amount, 0)


def compress(photo: Page, quality: int) -> Page:
    """Encode as JPEG of this quality and decode again."""
    _, packed = cv2.imencode(".jpg", cv2.cvtColor(photo, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.cvtColor(cv2.imdecode(packed, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB), np.uint8)
