"""Draws the surroundings of a document: the table, things on it, and fingers and pens over the document.

Surfaces come from photos of tables and cloth when they are given, otherwise from noise. Things are plain shapes with
light and shadow: the quality network has to learn that they are in the way, not what they are.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Page
from training.synth.camera.colour import lightness

Mask = NDArray[np.uint8]  # [h, w], 0..255
TEXTURE_PX = 640
CAREFUL_GRIP_SHARE = 0.7  # share of the fingers that avoid print, where possible
MAX_FINGER_PLACEMENTS = 8  # places that are tried for a finger; then the last one is used

# Colours of tables, trays and cloths on real photos: mostly dark, mostly brown or grey.
_TABLES = np.array(
    [
        (46, 32, 24), (82, 54, 34), (120, 84, 54), (150, 110, 74), (186, 148, 104), (28, 26, 26), (52, 52, 56),
        (18, 18, 20), (92, 92, 96), (136, 134, 130), (196, 190, 180), (224, 220, 212), (60, 24, 22), (34, 48, 74),
        (40, 62, 48), (104, 40, 34), (170, 160, 150), (72, 60, 52),
    ],
    np.float32,
)  # fmt: skip
_SKINS = np.array(
    [(236, 196, 172), (224, 172, 142), (206, 150, 118), (178, 122, 90), (138, 90, 64), (98, 64, 46)], np.float32
)


def noise(height: int, width: int, cells: float, rng: np.random.Generator, stretch: float = 1.0) -> NDArray[np.float32]:
    """Smooth noise around 0, about −1..1: `cells` blobs along the longer side, stretched along x by `stretch`."""
    down, across = max(2, round(cells * height / max(height, width))), max(2, round(cells / stretch))
    coarse = rng.standard_normal((min(down, height), min(across, width)), dtype=np.float32) * 0.5
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)


def render_texture(rng: np.random.Generator) -> Page:
    """Draw a synthetic surface: desk, wood, stone, cloth, leather or tiles. uint8 [640, 640, 3]."""
    side = TEXTURE_PX
    base = _TABLES[rng.integers(len(_TABLES))] * rng.uniform(0.8, 1.2) * rng.uniform(0.94, 1.06, 3)
    grain = rng.standard_normal((side, side), dtype=np.float32)
    kind = rng.choice(["desk", "wood", "stone", "cloth", "leather", "tiles"], p=[0.26, 0.28, 0.14, 0.14, 0.13, 0.05])
    if kind == "desk":
        height = 0.04 * noise(side, side, 4, rng) + rng.uniform(0.0, 0.03) * grain
    elif kind == "wood":
        height = _wood(side, rng) + 0.015 * grain
    elif kind == "stone":
        height = 0.1 * noise(side, side, 8, rng) + 0.1 * noise(side, side, 40, rng)
        height += rng.uniform(0.03, 0.16) * cv2.GaussianBlur(grain, (0, 0), 1.2) * 2
        if rng.random() < 0.5:
            height -= 0.25 * np.exp(-np.abs(noise(side, side, 5, rng) + 0.4 * noise(side, side, 18, rng)) * 18)
    elif kind == "cloth":
        height = _cloth(side, rng) + 0.03 * grain
    elif kind == "leather":
        bumps = np.abs(noise(side, side, 90, rng)) + 0.5 * np.abs(noise(side, side, 45, rng))
        height = 0.12 * (bumps - 0.4) + 0.04 * noise(side, side, 4, rng)
    else:
        height = _tiles(side, rng) + 0.02 * grain
    colour = base * (1.0 + height[..., None] * np.array([1.0, 1.04, 1.1], np.float32))
    return np.clip(colour, 0, 255).astype(np.uint8)


def _wood(side: int, rng: np.random.Generator) -> NDArray[np.float32]:
    warp = noise(side, side, 5, rng, stretch=3.0) * rng.uniform(0.5, 3.0)
    y = np.linspace(0, rng.uniform(4, 14), side, dtype=np.float32)[:, None]
    rings = np.sin(2 * np.pi * (y + warp))
    fibres = noise(side, side, side / 2, rng, stretch=40.0)
    planks = np.zeros((side, side), np.float32)
    if rng.random() < 0.35:
        wide = int(rng.integers(90, 220))
        for index, top in enumerate(range(0, side, wide)):
            planks[top : top + wide] = rng.uniform(-0.12, 0.12)
            planks[top : top + 2] = -0.5
            rings[top : top + wide] = np.roll(rings[top : top + wide], index * 171, axis=1)
    return (rng.uniform(0.04, 0.16) * rings + rng.uniform(0.08, 0.2) * fibres + planks).astype(np.float32)


def _cloth(side: int, rng: np.random.Generator) -> NDArray[np.float32]:
    x = np.arange(side, dtype=np.float32)
    thread = float(rng.uniform(3.5, 9.0))
    weave = 0.1 * np.sin(2 * np.pi * x / thread)[None] * np.sin(2 * np.pi * x / thread)[:, None]
    fall = 0.12 * noise(side, side, 4, rng)
    if rng.random() < 0.5:
        period, strength = float(rng.uniform(24, 110)), float(rng.uniform(0.15, 0.7))
        stripe = (np.sin(2 * np.pi * x / period) > rng.uniform(-0.4, 0.6)).astype(np.float32) * strength
        weave = weave + stripe[None] + (stripe[:, None] if rng.random() < 0.6 else 0.0)
    return (weave + fall).astype(np.float32)


def _tiles(side: int, rng: np.random.Generator) -> NDArray[np.float32]:
    period = int(rng.integers(70, 220))
    joint = (np.arange(side) % period < max(3, period // 30)).astype(np.float32)
    joints = np.maximum(joint[None], joint[:, None])
    return (0.08 * noise(side, side, 10, rng) - rng.uniform(-0.3, 0.4) * joints).astype(np.float32)


def render_surface(
    photo: tuple[int, int], plane: NDArray[np.float64], surfaces: Sequence[Page], rng: np.random.Generator
) -> Page:
    """Draw the table top as the camera sees it, without anything on it: uint8 [h, w, 3].

    plane: homography from the plane of the table, in sheets, to the photo, so that it has the perspective of the
    document.
    """
    # A third of the surfaces are synthetic even when photos are given: a network soon memorises a few dozen photos.
    given = bool(surfaces) and rng.random() < 0.67
    tile = surfaces[int(rng.integers(len(surfaces)))] if given else render_texture(rng)
    span = float(rng.uniform(0.8, 2.6))  # size of the texture, in sheets
    side = max(tile.shape[:2])
    # Scaled to about the visible size first: a warp samples single pixels and would alias.
    visible_px = span * float(np.sqrt(abs(np.linalg.det(plane[:2, :2] / plane[2, 2]))))
    if visible_px < side * 0.7:
        tile = cv2.resize(tile, None, fx=visible_px / side, fy=visible_px / side, interpolation=cv2.INTER_AREA)
    if rng.random() < 0.5:
        tile = tile[:, ::-1]
    height, width = tile.shape[:2]
    square = rng.choice([0, 0.5, 1, 1.5]) * np.pi + rng.normal(0, 0.1)
    turn = square if rng.random() < 0.5 else rng.uniform(0, 2 * np.pi)
    unit = span / max(height, width)
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1.0]])
    x, y = rng.uniform(0.3, 0.7, 2) * unit * np.array([width, height])
    place = np.array([[unit, 0, -x], [0, unit, -y], [0, 0, 1.0]])
    to_photo = plane @ spin @ place
    table = cv2.warpPerspective(
        np.ascontiguousarray(tile), to_photo, photo, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    gain = rng.uniform(0.65, 1.2) * rng.uniform(0.92, 1.08, 3)
    return cv2.LUT(table, _gain_table(gain))


def _gain_table(gain: NDArray[np.float64], offset: float = 0.0) -> NDArray[np.uint8]:
    """A look-up table [1, 256, 3] that multiplies each channel."""
    steps = np.arange(256)[None, :, None] * gain + offset
    return np.clip(steps, 0, 255).astype(np.uint8)


def shift_lightness(table: Page, wanted: float, flatten: float) -> Page:
    """Change the surface to a mean L* of about `wanted`. flatten: how much of its pattern is removed, 0..1."""
    small = cv2.resize(table, (64, 64), interpolation=cv2.INTER_AREA).astype(np.float64)
    mean = small.reshape(-1, 3).mean(0)
    tint = mean / max(1.0, mean.mean())
    tint = tint + (1.0 - tint) * flatten
    low, high = 0.0, 260.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if lightness(np.minimum(tint * middle, 255)) < wanted else (low, middle)
    keep = (1.0 - flatten) * min(1.0, (low + 20) / (mean.mean() + 20))
    steps = np.arange(256)[None, :, None]
    return cv2.LUT(table, np.clip((steps - mean) * keep + tint * low, 0, 255).astype(np.uint8))


# --- things -----------------------------------------------------------------------------------------------------------


def add_clutter(scene: Page, count: int, rng: np.random.Generator) -> None:
    """Draw `count` things on the table, in place: a tray under the document, table edges, cups, coins, and so on."""
    for _ in range(count):
        kind = rng.choice(
            ["tray", "edge", "cup", "coins", "cutlery", "keyboard", "phone", "cable"],
            p=[0.2, 0.2, 0.12, 0.1, 0.12, 0.08, 0.1, 0.08],
        )
        _CLUTTER[str(kind)](scene, rng)


def cast_shadow(scene: Page, mask: Mask, spread: float, depth: float, shift: tuple[float, float]) -> None:
    """Draw the soft shadow of a mask, in place; computed at a quarter of the size. spread, shift: px."""
    height, width = mask.shape
    small = cv2.resize(mask, (max(1, width // 4), max(1, height // 4)), interpolation=cv2.INTER_AREA)
    move = np.array([[1, 0, shift[0] / 4], [0, 1, shift[1] / 4]], np.float32)
    small = cv2.GaussianBlur(cv2.warpAffine(small, move, small.shape[::-1]), (0, 0), max(0.5, spread / 4))
    factor = 255 - cv2.resize(cv2.convertScaleAbs(small, alpha=depth), (width, height))
    cv2.multiply(scene, cv2.merge([factor] * 3), dst=scene, scale=1 / 255)


def _fill(scene: Page, mask: Mask, colour: NDArray[np.floating] | Page) -> None:
    """Paint a colour, or the pixels of a picture of the same size, where the mask is; in place."""
    left, top, wide, high = cv2.boundingRect(mask)
    if wide == 0 or high == 0:
        return
    window = (slice(top, top + high), slice(left, left + wide))
    part = mask[window]
    if colour.ndim == 3:
        over = cv2.multiply(np.clip(colour[window], 0, 255).astype(np.uint8), cv2.merge([part] * 3), scale=1 / 255)
    else:
        over = cv2.merge([cv2.convertScaleAbs(part, alpha=float(np.clip(value, 0, 255)) / 255) for value in colour])
    under = cv2.multiply(scene[window], cv2.merge([cv2.bitwise_not(part)] * 3), scale=1 / 255)
    scene[window] = cv2.add(under, over)


def _rectangle(
    shape: tuple[int, int], centre: NDArray[np.floating], size: NDArray[np.floating], turn: float, radius: float = 0.0
) -> Mask:
    """Mask of a rotated rectangle with round corners. turn: radians."""
    mask = np.zeros(shape, np.uint8)
    inner = np.maximum(size / 2 - radius, 0.5)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    points = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * inner @ spin.T + centre
    polygon = np.round(points).astype(np.int32)
    cv2.fillPoly(mask, [polygon], 255, cv2.LINE_AA)
    if radius >= 1:
        cv2.polylines(mask, [polygon], True, 255, max(1, round(2 * radius)), cv2.LINE_AA)
    return mask


def _random_place_near_border(scene: Page, rng: np.random.Generator) -> NDArray[np.float64]:
    """A place nearer to the border than to the centre, where things are next to a document."""
    height, width = scene.shape[:2]
    turn = rng.uniform(0, 2 * np.pi)
    return np.array([width, height]) * (0.5 + rng.uniform(0.36, 0.56) * np.array([np.cos(turn), np.sin(turn)]))


def _dark(rng: np.random.Generator) -> NDArray[np.float64]:
    """A random dark colour."""
    return rng.uniform(12, 62) * rng.uniform(0.85, 1.15, 3)


def _tray(scene: Page, rng: np.random.Generator) -> None:
    height, width = scene.shape[:2]
    size = np.array([width, height]) * rng.uniform(0.75, 1.15, 2)
    centre = np.array([width, height]) * rng.uniform(0.42, 0.58, 2)
    turn, radius = float(rng.normal(0, 0.12)), width * float(rng.uniform(0.0, 0.06))
    body = _rectangle((height, width), centre, size, turn, radius)
    cast_shadow(scene, body, width * 0.02, 0.6, (width * 0.01, width * 0.01))
    colour = _dark(rng) if rng.random() < 0.75 else _TABLES[rng.integers(len(_TABLES))]
    _fill(scene, body, colour * 1.35)
    rim = float(rng.uniform(0.01, 0.05)) * width
    _fill(scene, _rectangle((height, width), centre, size - 2 * rim, turn, radius), colour)


def _edge(scene: Page, rng: np.random.Generator) -> None:
    """The end of the table; beyond it is another surface, out of focus."""
    height, width = scene.shape[:2]
    turn = float(rng.choice([0, 0.5, 1, 1.5]) * np.pi + rng.normal(0, 0.2))
    reach = np.array([width, height]) * float(rng.uniform(0.34, 0.5))
    centre = np.array([width, height]) / 2 + np.array([np.cos(turn), np.sin(turn)]) * (reach + max(width, height))
    mask = _rectangle((height, width), centre, np.full(2, 2.0 * max(width, height)), turn)
    beyond = cv2.resize(render_texture(rng)[::8, ::8], (width, height), interpolation=cv2.INTER_CUBIC)
    cast_shadow(scene, mask, width * 0.03, 0.5, (0, 0))
    _fill(scene, cv2.GaussianBlur(mask, (0, 0), 2.0), cv2.LUT(beyond, _gain_table(rng.uniform(0.4, 1.1, 3))))


def _cup(scene: Page, rng: np.random.Generator) -> None:
    height, width = scene.shape[:2]
    x, y = (round(float(value)) for value in _random_place_near_border(scene, rng))
    radius = float(rng.uniform(0.12, 0.4)) * width
    pale = np.array([235, 232, 226]) * rng.uniform(0.55, 1.0) if rng.random() < 0.6 else _TABLES[rng.integers(18)]
    inside = np.array([40, 22, 12]) * rng.uniform(0.7, 2.0) if rng.random() < 0.5 else pale * 0.9
    squash = float(rng.uniform(0.8, 1.0))
    for share, colour in ((1.0, pale), (0.93, pale * 0.86), (0.88, pale * 1.02), (0.62, pale * 0.9), (0.58, inside)):
        mask = np.zeros((height, width), np.uint8)
        size = (max(1, round(radius * share)), max(1, round(radius * share * squash)))
        cv2.ellipse(mask, (x, y), size, 0, 0, 360, 255, -1, cv2.LINE_AA)
        if share == 1.0:
            cast_shadow(scene, mask, radius * 0.15, 0.6, (radius * 0.1, radius * 0.12))
        _fill(scene, mask, np.asarray(colour, np.float64))


def _coins(scene: Page, rng: np.random.Generator) -> None:
    height, width = scene.shape[:2]
    centre = _random_place_near_border(scene, rng)
    for _ in range(int(rng.integers(1, 6))):
        x, y = (round(float(value)) for value in centre + rng.normal(0, width * 0.07, 2))
        radius = width * float(rng.uniform(0.022, 0.045))
        metal = np.array([(190, 190, 186), (196, 164, 96), (160, 100, 66)][int(rng.integers(3))]) * rng.uniform(
            0.6, 1.1
        )
        for share, light in ((1.0, 0.8), (0.92, 1.1), (0.84, 0.95), (0.5, 0.85)):
            mask = np.zeros((height, width), np.uint8)
            cv2.circle(mask, (x, y), max(1, round(radius * share)), 255, -1, cv2.LINE_AA)
            if share == 1.0:
                cast_shadow(scene, mask, radius * 0.2, 0.6, (radius * 0.12, radius * 0.12))
            _fill(scene, mask, metal * light)


def _cutlery(scene: Page, rng: np.random.Generator) -> None:
    height, width = scene.shape[:2]
    centre, turn = _random_place_near_border(scene, rng), float(rng.uniform(0, np.pi))
    length = width * float(rng.uniform(0.5, 0.9))
    direction = np.array([np.cos(turn), np.sin(turn)])
    handle = _rectangle((height, width), centre, np.array([length, width * 0.022]), turn, width * 0.008)
    tip = tuple(np.round(centre + direction * length * 0.5).astype(int).tolist())
    cv2.ellipse(
        handle, tip, (round(width * 0.075), round(width * 0.036)), float(np.degrees(turn)), 0, 360, 255, -1, cv2.LINE_AA
    )
    metal = np.array([176, 178, 180]) * rng.uniform(0.5, 1.1)
    cast_shadow(scene, handle, width * 0.012, 0.7, (width * 0.008, width * 0.01))
    _fill(scene, handle, metal)
    shine = _rectangle((height, width), centre + [0, -width * 0.003], np.array([length * 0.9, width * 0.006]), turn)
    _fill(scene, shine, np.minimum(metal * 1.4, 255))


def _keyboard(scene: Page, rng: np.random.Generator) -> None:
    height, width = scene.shape[:2]
    key = width * float(rng.uniform(0.05, 0.09))
    side, turn = float(rng.choice([-1, 1])), float(rng.normal(0, 0.06))
    dark = rng.random() < 0.7
    body, cap = (_dark(rng), 52.0) if dark else (np.array([190.0, 190, 192]), 232.0)
    board = np.zeros((height, width), np.uint8)
    at_side = rng.random() < 0.5
    start = np.array([width * (0.5 + side * 0.46), 0.0]) if at_side else np.array([0.0, height * (0.5 + side * 0.46)])
    rows = 5
    keys = np.zeros((height, width), np.uint8)
    for row in range(rows):
        for column in range(-2, 30):
            step = np.array([row * side, column + 0.3 * row]) if at_side else np.array([column + 0.3 * row, row * side])
            spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            at = start + spin @ step * key
            if -key < at[0] < width + key and -key < at[1] < height + key:
                corner = np.round(spin @ (np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * key * 0.43).T).T + at
                cv2.fillConvexPoly(keys, np.round(corner).astype(np.int32), 255, cv2.LINE_AA)
                wider = (corner - at) * 1.3 + at
                cv2.fillConvexPoly(board, np.round(wider).astype(np.int32), 255)
    cast_shadow(scene, board, key * 0.3, 0.5, (key * 0.1, key * 0.1))
    _fill(scene, board, np.asarray(body))
    _fill(scene, keys, np.full(3, cap))


def _phone(scene: Page, rng: np.random.Generator) -> None:
    height, width = scene.shape[:2]
    centre, turn = _random_place_near_border(scene, rng), float(rng.normal(0, 0.5) + rng.choice([0, np.pi / 2]))
    size = np.array([0.34, 0.7]) * width * rng.uniform(0.8, 1.2)
    body = _rectangle((height, width), centre, size, turn, width * 0.03)
    cast_shadow(scene, body, width * 0.02, 0.6, (width * 0.01, width * 0.012))
    _fill(scene, body, _dark(rng) * 1.5)
    _fill(scene, _rectangle((height, width), centre, size * 0.95, turn, width * 0.025), _dark(rng) * 0.6)


def _cable(scene: Page, rng: np.random.Generator) -> None:
    height, width = scene.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    cv2.polylines(
        mask,
        [_random_path(_random_place_near_border(scene, rng), width * 1.2, rng)],
        False,
        255,
        max(2, round(width * 0.012)),
        cv2.LINE_AA,
    )
    cast_shadow(scene, mask, width * 0.006, 0.7, (width * 0.004, width * 0.006))
    _fill(scene, mask, _dark(rng) if rng.random() < 0.6 else np.full(3, 225.0))


def _random_path(start: NDArray[np.floating], length: float, rng: np.random.Generator) -> NDArray[np.int32]:
    """A smooth path from a place in a random direction."""
    steps = 40
    turn = rng.uniform(0, 2 * np.pi) + np.cumsum(np.cumsum(rng.normal(0, 0.012, steps)))
    path = start + np.cumsum(np.stack([np.cos(turn), np.sin(turn)], 1) * length / steps, 0)
    return np.round(path).astype(np.int32)


_CLUTTER = {
    "tray": _tray,
    "edge": _edge,
    "cup": _cup,
    "coins": _coins,
    "cutlery": _cutlery,
    "keyboard": _keyboard,
    "phone": _phone,
    "cable": _cable,
}


def defocus_background(scene: Page, rng: np.random.Generator) -> Page:
    """Blur what is far behind a document that is held in a hand."""
    height, width = scene.shape[:2]
    small = cv2.resize(scene, (max(8, width // 8), max(8, height // 8)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), width / 8 * float(rng.uniform(0.006, 0.03)))
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


# --- in the way -------------------------------------------------------------------------------------------------------


def add_covering_objects(scene: Page, document: Mask, share: float, rng: np.random.Generator) -> Mask:
    """Draw fingers, pens, cards or coins over the document until about `share` of it is hidden; in place.

    document: mask of its visible part. returns: mask of what is covered, uint8 [h, w], 0..255.
    """
    covered = np.zeros(document.shape, np.uint8)
    area = max(1, cv2.countNonZero(document))
    for _ in range(8):
        hidden = cv2.countNonZero(cv2.bitwise_and(covered, document)) / area
        if hidden >= share * 0.85:
            break
        missing = share - hidden
        kinds = ["finger", "finger", "pen", "coin"] if missing < 0.04 else ["finger", "finger", "hand", "card", "card"]
        kind = str(rng.choice(kinds))
        mask = _COVERING_OBJECTS[kind](scene, document, missing, rng)
        covered = np.maximum(covered, mask)
    return covered


def _random_place_on_document(document: Mask, rng: np.random.Generator) -> NDArray[np.float64]:
    """A random point of the document."""
    small = cv2.resize(document, None, fx=1 / 8, fy=1 / 8, interpolation=cv2.INTER_AREA)
    ys, xs = np.nonzero(small > 127)
    if len(xs) == 0:
        return np.array(document.shape[::-1]) / 2.0
    pick = int(rng.integers(len(xs)))
    return np.array([xs[pick], ys[pick]], np.float64) * 8 + 4


def add_gripping_fingers(
    scene: Page, document: Mask, coarse: int, count: int, rng: np.random.Generator, printed: Mask | None = None
) -> Mask:
    """Draw fingers on the border of the document, as a hand that holds it; in place.

    document: its mask, smaller than the scene by `coarse`. returns: mask of what is covered, uint8 [h, w], 0..255.

    printed: mask of the print, of the size of `document`; most people hold a document where nothing is printed. When
    given, thumbs hold it as well: they are thicker, reach further inside and come from any side.
    """
    height, width = scene.shape[:2]
    covered = np.zeros((height, width), np.uint8)
    contours, _ = cv2.findContours((document > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return covered
    border = max(contours, key=len)[:, 0].astype(np.float64)
    middle = border.mean(0)
    with_thumbs = printed is not None
    room = cv2.distanceTransform(255 - printed, cv2.DIST_L2, 3) * coarse if printed is not None else None
    # From below and from the sides; few people hold a page at its far end.
    if not with_thumbs or rng.random() < 0.8:
        border = border[border[:, 1] >= middle[1] - 0.2 * np.ptp(border[:, 1])]
    skin = _SKINS[rng.integers(len(_SKINS))] * rng.uniform(0.85, 1.08)
    # A thumb is a quarter as wide as a receipt that fills the picture.
    thick = width * float(rng.uniform(0.05, 0.12 if with_thumbs else 0.085))
    for _ in range(count):
        for _ in range(MAX_FINGER_PLACEMENTS if with_thumbs and rng.random() < CAREFUL_GRIP_SHARE else 1):
            at = border[int(rng.integers(len(border)))]
            direction = (middle - at) / max(1e-6, float(np.linalg.norm(middle - at)))
            turn = float(rng.normal(0, 0.5 if with_thumbs else 0.3))
            direction = np.array(
                [
                    direction[0] * np.cos(turn) - direction[1] * np.sin(turn),
                    direction[0] * np.sin(turn) + direction[1] * np.cos(turn),
                ]
            )
            tip = at * coarse + direction * thick * float(
                rng.uniform(0.0, 2.4) if with_thumbs else rng.uniform(0.2, 1.8)
            )
            if (
                room is None
                or _smallest_at(room, [(tip - direction * thick * step) / coarse for step in range(1, 5)]) > thick
            ):
                break
        covered = np.maximum(covered, _one_finger(scene, tip, direction, thick, skin, rng))
    return covered


def _smallest_at(room: NDArray[np.float32], places: Sequence[NDArray[np.float64]]) -> float:
    """The smallest value at those of the places [x, y] that are on the map; infinite when none is."""
    height, width = room.shape
    inside = [(int(x), int(y)) for x, y in places if 0 <= x < width and 0 <= y < height]
    return min((float(room[y, x]) for x, y in inside), default=float("inf"))


def add_thin_objects(scene: Page, document: Mask, count: int, rng: np.random.Generator) -> Mask:
    """Draw pens and cables over the document, in place; returns the mask of what is covered, uint8 [h, w], 0..255."""
    covered = np.zeros(document.shape, np.uint8)
    for _ in range(count):
        thing = _pen if rng.random() < 0.6 else _cord
        covered = np.maximum(covered, thing(scene, document, 0.0, rng))
    return covered


def _cord(scene: Page, document: Mask, missing: float, rng: np.random.Generator) -> Mask:
    """A cable across a random point of the document and over the table."""
    height, width = document.shape
    steps, reach = 60, max(height, width) * float(rng.uniform(0.6, 1.6))
    turns = np.cumsum(np.cumsum(rng.normal(0, 0.012, steps)))
    turns += rng.uniform(0, 2 * np.pi) - turns[steps // 2]
    path = np.cumsum(np.stack([np.cos(turns), np.sin(turns)], 1) * reach / steps, 0)
    path += _random_place_on_document(document, rng) - path[steps // 2]
    thick = max(width, height) * float(rng.uniform(0.004, 0.013))
    mask = np.zeros((height, width), np.uint8)
    cv2.polylines(mask, [np.round(path).astype(np.int32)], False, 255, max(2, round(thick)), cv2.LINE_AA)
    cast_shadow(scene, mask, thick * 0.5, 0.6, (thick * 0.35, thick * 0.5))
    _fill(scene, mask, _dark(rng) if rng.random() < 0.6 else np.full(3, rng.uniform(150.0, 235.0)))
    return mask


def _finger(scene: Page, document: Mask, missing: float, rng: np.random.Generator) -> Mask:
    return _fingers(scene, document, 1, missing, rng)


def _hand(scene: Page, document: Mask, missing: float, rng: np.random.Generator) -> Mask:
    return _fingers(scene, document, int(rng.integers(2, 5)), missing, rng)


def _fingers(scene: Page, document: Mask, count: int, missing: float, rng: np.random.Generator) -> Mask:
    """Fingers from one side of the picture, their tips on the document."""
    height, width = document.shape
    area = cv2.countNonZero(document)
    thick = float(np.clip(np.sqrt(missing * area / count / 3.0), width * 0.045, width * 0.1))
    tip = _random_place_on_document(document, rng)
    # From the nearest side, as a hand that holds the paper.
    distances = np.array([tip[0], tip[1], width - tip[0], height - tip[1]])
    side = int(np.argmin(distances * rng.uniform(0.6, 1.4, 4)))
    direction = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][side])
    along = np.array([-direction[1], direction[0]])
    skin = _SKINS[rng.integers(len(_SKINS))] * rng.uniform(0.85, 1.08)
    covered = np.zeros(document.shape, np.uint8)
    for index in range(count):
        shift = (index - (count - 1) / 2) * thick * 2.15
        lag = -abs(rng.normal(0, thick)) * (index != count // 2)
        mask = _one_finger(
            scene, tip + along * shift + direction * lag, direction, thick * rng.uniform(0.9, 1.08), skin, rng
        )
        covered = np.maximum(covered, mask)
    return covered


def _one_finger(
    scene: Page,
    tip: NDArray[np.floating],
    direction: NDArray[np.floating],
    thick: float,
    skin: NDArray[np.floating],
    rng: np.random.Generator,
) -> Mask:
    """A finger of half-width `thick`, px, with its tip at `tip`, pointing along `way`."""
    height, width = scene.shape[:2]
    reach = float(max(height, width))
    slant = float(rng.normal(0, 0.25))
    back = -np.array(
        [
            direction[0] * np.cos(slant) - direction[1] * np.sin(slant),
            direction[0] * np.sin(slant) + direction[1] * np.cos(slant),
        ]
    )
    mask = np.zeros((height, width), np.uint8)
    steps = np.linspace(0, 1, 14)
    bow = np.array([-back[1], back[0]]) * float(rng.normal(0, 0.25)) * thick
    centres = (
        tip + back * (thick + steps[:, None] * reach) + bow * np.minimum(steps[:, None] * reach / thick / 4, 3) ** 1.5
    )
    radii = thick * (0.86 + 0.2 * np.minimum(steps * reach / thick / 3, 1.0))
    side = np.array([-back[1], back[0]])
    flanks = np.concatenate([centres + side * radii[:, None], (centres - side * radii[:, None])[::-1]])
    cv2.fillPoly(mask, [np.round(flanks).astype(np.int32)], 255, cv2.LINE_AA)
    first, pointing = tuple(np.round(centres[0]).astype(int).tolist()), float(np.degrees(np.arctan2(back[1], back[0])))
    cv2.ellipse(mask, first, (round(thick), round(thick * 0.86)), pointing, 0, 360, 255, -1, cv2.LINE_AA)
    left, top, wide, high = cv2.boundingRect(mask)
    if wide == 0 or high == 0:
        return mask
    cast_shadow(scene, mask, thick * 0.5, 0.55, (float(rng.normal(0, thick * 0.3)), thick * 0.35))
    window = (slice(top, top + high), slice(left, left + wide))
    # Padded, so that skin does not get dark where the border of the picture cuts the finger.
    padded = cv2.copyMakeBorder(mask[window], *(4,) * 4, cv2.BORDER_REPLICATE)
    depth = cv2.distanceTransform((padded > 127).astype(np.uint8), cv2.DIST_L2, 3)[4:-4, 4:-4] / thick
    round_ = np.sqrt(np.clip(1.0 - (1.0 - np.clip(depth, 0, 1)) ** 2, 0, 1))
    tone = 0.55 + 0.42 * round_ + 0.05 * noise(high, wide, 14, rng) + 0.02 * noise(high, wide, 90, rng)
    painted = skin * tone[..., None] * np.array([1.0, 1.0 - 0.06, 1.0 - 0.1]) ** (1.2 - round_)[..., None]
    if rng.random() < 0.6:  # the nail
        nail = np.zeros((high, wide), np.uint8)
        at = np.round(centres[0] - back * thick * 0.25 - [left, top]).astype(int)
        size = (round(thick * 0.55), round(thick * 0.5))
        cv2.ellipse(nail, tuple(at.tolist()), size, pointing, 0, 360, 255, -1, cv2.LINE_AA)
        weight = cv2.GaussianBlur(nail, (0, 0), max(0.6, thick * 0.05)).astype(np.float32)[..., None] / 255 * 0.75
        painted += (skin * [1.04, 0.98, 0.98] * 1.02 - painted) * weight
    soft = cv2.GaussianBlur(mask[window], (0, 0), float(rng.uniform(0.8, 2.5)))
    weight = soft.astype(np.float32)[..., None] / 255
    under = scene[window].astype(np.float32)
    scene[window] = np.clip(under + (painted - under) * weight, 0, 255).astype(np.uint8)
    return mask


def _pen(scene: Page, document: Mask, missing: float, rng: np.random.Generator) -> Mask:
    height, width = document.shape
    turn = float(rng.uniform(0, np.pi))
    thick = width * float(rng.uniform(0.016, 0.03))
    length = width * float(rng.uniform(0.5, 0.95))
    centre = _random_place_on_document(document, rng)
    body = _rectangle((height, width), centre, np.array([length, thick]), turn, thick * 0.3)
    direction = np.array([np.cos(turn), np.sin(turn)])
    across = np.array([-direction[1], direction[0]])
    end = centre + direction * length / 2
    nose = np.stack([end + across * thick * 0.45, end - across * thick * 0.45, end + direction * thick * 2.2])
    cv2.fillConvexPoly(body, np.round(nose).astype(np.int32), 255, cv2.LINE_AA)
    cast_shadow(scene, body, thick * 0.5, 0.6, (thick * 0.35, thick * 0.5))
    colour = np.array([(24, 36, 110), (16, 16, 18), (150, 24, 26), (220, 220, 216), (40, 90, 60)][int(rng.integers(5))])
    _fill(scene, body, colour.astype(np.float64))
    shine = _rectangle((height, width), centre - across * thick * 0.18, np.array([length * 0.96, thick * 0.2]), turn)
    _fill(scene, shine, np.minimum(colour * 1.3 + 60.0, 255))
    return body


def _coin(scene: Page, document: Mask, missing: float, rng: np.random.Generator) -> Mask:
    height, width = document.shape
    x, y = (round(float(value)) for value in _random_place_on_document(document, rng))
    radius = width * float(rng.uniform(0.025, 0.05))
    metal = np.array([(190, 190, 186), (196, 164, 96), (160, 100, 66)][int(rng.integers(3))]) * rng.uniform(0.6, 1.1)
    whole = np.zeros((height, width), np.uint8)
    cv2.circle(whole, (x, y), max(1, round(radius)), 255, -1, cv2.LINE_AA)
    cast_shadow(scene, whole, radius * 0.2, 0.6, (radius * 0.12, radius * 0.12))
    for share, light in ((1.0, 0.8), (0.92, 1.1), (0.84, 0.95), (0.5, 0.85)):
        mask = np.zeros((height, width), np.uint8)
        cv2.circle(mask, (x, y), max(1, round(radius * share)), 255, -1, cv2.LINE_AA)
        _fill(scene, mask, metal * light)
    return whole


def _card(scene: Page, document: Mask, missing: float, rng: np.random.Generator) -> Mask:
    """A card, a slip or an envelope over a part of the document."""
    height, width = document.shape
    area = cv2.countNonZero(document)
    long = float(np.sqrt(missing * area * 1.6))
    size = np.array([long, long / 1.586]) * rng.uniform(0.95, 1.15)
    turn = float(rng.normal(0, 0.25) + rng.choice([0, np.pi / 2]))
    body = _rectangle((height, width), _random_place_on_document(document, rng), size, turn, long * 0.03)
    cast_shadow(scene, body, long * 0.03, 0.5, (long * 0.015, long * 0.02))
    colour = rng.uniform(20, 235, 3) if rng.random() < 0.7 else np.full(3, rng.uniform(180, 245))
    left, top, wide, high = cv2.boundingRect(body)
    if wide and high:
        picture = np.zeros((height, width, 3), np.float32)
        picture[top : top + high, left : left + wide] = colour * (1 + 0.12 * noise(high, wide, 3, rng)[..., None])
        _fill(scene, body, picture)
    return body


_COVERING_OBJECTS = {"finger": _finger, "hand": _hand, "pen": _pen, "coin": _coin, "card": _card}
