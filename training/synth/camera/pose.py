"""Maps points of a page to points of the photo and back: position of the camera and shape of the paper.

A pinhole camera looks along +z at a sheet with curls and folds. Lengths are in sheets: 1 is the longer side of the
photographed sheet. Page points are px of the page, y down.
"""

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Polygon

Points = NDArray[np.float64]  # [N, 2]
Rect = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Bend:
    """Height of the paper above the table: a sum of curls, folds and waves. `lean` bends it within its own plane."""

    curls: tuple[tuple[float, float, float, float], ...] = ()  # direction rad, where it starts, height at 1, power
    folds: tuple[tuple[float, float, float], ...] = ()  # direction rad, offset of the crease, slope
    waves: tuple[tuple[float, float, float, float], ...] = ()  # direction rad, turns per sheet, phase, height
    lean: float = 0.0

    def height(self, x: NDArray[np.floating], y: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the height above the table at points of the sheet, in sheets; outside it, that of the nearest edge."""
        x, y = np.clip(x, -0.55, 0.55), np.clip(y, -0.55, 0.55)
        total = np.zeros(np.broadcast(x, y).shape)
        for direction, start, height, power in self.curls:
            along = x * np.cos(direction) + y * np.sin(direction)
            total += height * np.maximum(along - start, 0.0) ** power
        for direction, offset, slope in self.folds:
            along = x * np.cos(direction) + y * np.sin(direction) - offset
            total += slope * (np.sqrt(along**2 + 1e-5) - 0.003)
        for direction, turns, phase, height in self.waves:
            along = x * np.cos(direction) + y * np.sin(direction)
            total += height * np.sin(2 * np.pi * turns * along + phase)
        return total


def draw_bend(curl: float, folds: int, aspect: float, rng: np.random.Generator) -> Bend:
    """Draw the shape of a sheet that was rolled up and folded.

    curl: 0..1. folds: number of them. aspect: width / height; long sheets curl along their length and lean.
    """
    along = np.pi / 2 if aspect < 1 else 0.0
    curls, waves = [], []
    for direction in (along, along + np.pi):
        if rng.random() < 0.75:
            height = float(curl * rng.uniform(0.0, 0.9) * rng.choice([1.0, 1.0, -0.25]))
            curls.append((float(direction + rng.normal(0, 0.25)), float(rng.uniform(-0.1, 0.3)), height, 2.0))
    for _ in range(2):
        direction, turns = float(along + rng.normal(0, 0.5)), float(rng.uniform(0.6, 2.0))
        waves.append((direction, turns, float(rng.uniform(0, 2 * np.pi)), float(curl * rng.uniform(0.0, 0.022))))
    creases = []
    for _ in range(folds):
        # Sheets are folded in halves and thirds, straight across or straight along.
        across = rng.random() < 0.8
        direction = float((along if across else along + np.pi / 2) + rng.normal(0, 0.03))
        reach = 0.5 if across else 0.5 * min(aspect, 1 / aspect)
        offset = float(rng.choice([0.0, -1 / 3, 1 / 3]) * reach + rng.normal(0, 0.04))
        creases.append((direction, offset, float(rng.uniform(-0.1, 0.14))))
    lean = float(rng.normal(0, 0.05 * curl)) if aspect < 0.6 else 0.0
    return Bend(tuple(curls), tuple(creases), tuple(waves), lean)


@dataclass(frozen=True)
class Pose:
    """A camera above a sheet. `size`: width and height of the sheet, page px. Photo points are px of the photo."""

    size: tuple[float, float]
    photo: tuple[int, int]  # width, height
    focal_px: float
    rotation: NDArray[np.float64]  # [3, 3], from sheet to camera coordinates
    position: tuple[float, float, float]  # of the sheet's centre, in camera coordinates
    bend: Bend = field(default_factory=Bend)

    @property
    def unit_px(self) -> float:
        """Page px per sheet."""
        return max(self.size)

    def to_photo(self, points: NDArray[np.floating]) -> Points:
        """Map page px [N, 2] to photo px [N, 2]."""
        flat = (np.asarray(points, np.float64) - np.array(self.size) / 2) / self.unit_px
        return self._project(flat, self.bend)

    def plane(self) -> NDArray[np.float64]:
        """Return the homography [3, 3] from the plane of the flat sheet, in sheets, to the photo."""
        return self._intrinsics() @ np.column_stack([self.rotation[:, 0], self.rotation[:, 1], self.position])

    def to_page(self, points: NDArray[np.floating]) -> Points:
        """Map photo px [N, 2] to page px [N, 2]: the inverse of `to_photo`, by iteration."""
        back = np.linalg.inv(self.plane())
        target = cv2.perspectiveTransform(np.asarray(points, np.float64)[None], back)[0]
        flat = target.copy()
        for _ in range(6 if self.bend != Bend() else 0):
            inside = np.clip(flat, -0.7, 0.7)  # far from the sheet the bend is not defined
            projected = cv2.perspectiveTransform(self._project(inside, self.bend)[None], back)[0]
            flat = target - (projected - inside)
        return np.asarray(flat * self.unit_px + np.array(self.size) / 2, np.float64)

    def maps(
        self, rect: tuple[int, int, int, int], step_px: int = 8
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return x and y on the page for each pixel of a rectangle of the photo: float32 [h, w] each, for cv2.remap."""
        left, top, right, bottom = rect
        across, down = -(-(right - left) // step_px) + 2, -(-(bottom - top) // step_px) + 2
        xs = left + (np.arange(across) - 0.5) * step_px
        ys = top + (np.arange(down) - 0.5) * step_px
        grid = np.stack(np.meshgrid(xs, ys), -1).reshape(-1, 2)
        coarse = self.to_page(grid).reshape(down, across, 2).astype(np.float32) - 0.5  # pixel centres
        size = (across * step_px, down * step_px)
        window = (slice(step_px, step_px + bottom - top), slice(step_px, step_px + right - left))
        fine = [cv2.resize(np.ascontiguousarray(coarse[..., axis]), size)[window] for axis in (0, 1)]
        return np.ascontiguousarray(fine[0]), np.ascontiguousarray(fine[1])

    def scale_at(self, points: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return photo px per page px at points [N, 2] of the page: mean scale (root of the area), vertical scale."""
        small = 1e-3 * self.unit_px
        here = self.to_photo(points)
        right = (self.to_photo(points + np.array([small, 0.0])) - here) / small
        below = (self.to_photo(points + np.array([0.0, small])) - here) / small
        area = np.abs(right[:, 0] * below[:, 1] - right[:, 1] * below[:, 0])
        return np.sqrt(area), np.hypot(below[:, 0], below[:, 1])

    def _intrinsics(self) -> NDArray[np.float64]:
        width, height = self.photo
        return np.array([[self.focal_px, 0, width / 2], [0, self.focal_px, height / 2], [0, 0, 1.0]])

    def _project(self, flat: Points, bend: Bend) -> Points:
        x, y = flat[:, 0], flat[:, 1]
        solid = np.stack([x + bend.lean * np.clip(y, -0.6, 0.6) ** 2 * 4, y, -bend.height(x, y)], 1)
        inside = solid @ self.rotation.T + np.array(self.position)
        depth = np.maximum(inside[:, 2], 1e-3)
        centre = np.array(self.photo) / 2
        return np.asarray(inside[:, :2] / depth[:, None] * self.focal_px + centre, np.float64)


def outline(rect: Rect, pieces: int = 12) -> Points:
    """Return the border of a rectangle on the page, clockwise from its top left: [4 × pieces, 2]."""
    left, top, right, bottom = rect
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)
    share = np.linspace(0, 1, pieces, endpoint=False)[:, None]
    return np.concatenate([corners[i] + (corners[(i + 1) % 4] - corners[i]) * share for i in range(4)])


def corners(rect: Rect) -> Points:
    """Return the corners of a rectangle on the page, clockwise from its top left: [4, 2]."""
    return outline(rect, 1)


def rotation(tilt_deg: float, towards_deg: float, roll_deg: float) -> NDArray[np.float64]:
    """Return the rotation [3, 3] that rolls the sheet clockwise in the picture, then leans it back."""
    roll, tilt, towards = np.radians((roll_deg, tilt_deg, towards_deg))
    turn = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1.0]])
    axis = np.array([-np.sin(towards), np.cos(towards), 0.0]) * tilt
    lean, _ = cv2.Rodrigues(axis)
    return np.asarray(lean, np.float64) @ turn


def frame_document(
    start: Pose, rect: Rect, fill: float, offset: tuple[float, float], area: float | None, visible: float | None,
    rng: np.random.Generator,
) -> Pose:  # fmt: skip
    """Move the camera until the document fills the picture as requested.

    rect: the document on the page. fill: larger one of its width and height, in picture sides; `area`, when given, is
    its share of the picture's area and is used instead. offset: of its centre, in picture sides. visible: when given,
    the picture is then moved until this share of the document is left inside.
    """
    border = outline(rect, 3)
    pose = _frame_once(start, border, fill, offset)
    if area is not None:
        for _ in range(3):
            fill *= float(np.sqrt(area / max(1e-4, polygon_area(pose.to_photo(corners(rect))) / np.prod(start.photo))))
            pose = _frame_once(start, border, fill, offset)
    if visible is not None:
        turn = float(rng.choice([0, 0.5, 1, 1.5]) * np.pi + rng.normal(0, 0.25))
        way, low, high = (float(np.cos(turn)), float(np.sin(turn))), 0.0, 1.6
        for _ in range(12):
            middle = (low + high) / 2
            pose = _frame_once(start, border, fill, (offset[0] + way[0] * middle, offset[1] + way[1] * middle))
            inside = visible_fraction(pose.to_photo(corners(rect)), start.photo)
            low, high = (middle, high) if inside > visible else (low, middle)
    return pose


def _frame_once(start: Pose, border: Points, fill: float, offset: tuple[float, float]) -> Pose:
    """The pose in which the outline has this size and offset; found by iteration."""
    photo = np.array(start.photo, np.float64)
    wanted = photo * (0.5 + np.array(offset))
    pose = start
    for _ in range(8):
        projected = pose.to_photo(border)
        low, high = projected.min(0), projected.max(0)
        x, y, depth = pose.position
        further = float(np.clip(((high - low) / photo).max() / fill, 0.3, 4.0))
        shift = (wanted - (low + high) / 2) * depth / pose.focal_px
        pose = replace(pose, position=(x + float(shift[0]), y + float(shift[1]), max(depth * further, 0.4)))
    return pose


def polygon_area(polygon: NDArray[np.floating]) -> float:
    """Return the area of a polygon [N, 2]."""
    return float(abs(cv2.contourArea(polygon.astype(np.float32))))


def visible_fraction(polygon: NDArray[np.floating], photo: tuple[int, int]) -> float:
    """Return the share of a convex polygon that is inside the picture, 0..1."""
    width, height = photo
    frame: Polygon = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    inside, _ = cv2.intersectConvexConvex(polygon.astype(np.float32), frame)
    return float(np.clip(inside / max(polygon_area(polygon), 1e-6), 0.0, 1.0))
