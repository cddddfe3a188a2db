"""The quality network: one small convolutional network that looks at a photo once and answers everything.

Blur and noise are invisible once a photo is shrunk, and the document's outline is invisible in a close-up, so
it has two eyes: the whole photo as a 384-px frame, and a few full-resolution crops of the most detailed
places. Its 0.8 billion multiply-adds are plain 3×3 convolutions, which is what a CPU does best.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from docextract.images.geometry import FRAME_PX
from docextract.quality.criteria import FOCAL_LENGTH_DIAGONALS

CELL_PX = 4  # frame px per heat-map cell
FRAME_MARGIN_PX = 32  # frame px seen beyond each side of the frame: a corner may lie 8 % outside the photo
HEAT_MAP_CELLS = (FRAME_PX + 2 * FRAME_MARGIN_PX) // CELL_PX  # cells along a side of the heat maps
QUARTER_TURNS = 4
SIZE_FEATURES = 5
OUTLINE_FEATURES = 10
TEXTURE_FEATURES = 12


@dataclass(frozen=True)
class QualityNetworkShape:
    """What the network answers, in which order, and how wide it is. Travels with the weights."""

    criteria: tuple[str, ...]
    types: tuple[str, ...]
    sides: tuple[str, ...]
    widths: tuple[int, int, int, int] = (24, 48, 96, 160)  # channels at 1/4, 1/8, 1/16, 1/32 of the frame
    crop_widths: tuple[int, int, int] = (24, 32, 64)  # channels at 1/2, 1/4, 1/8 of a crop
    hidden: int = 256
    local: tuple[str, ...] = ()  # criteria of defects that cover a part of the document, and are shown where


class QualityOutputs(NamedTuple):
    """Raw answers for B photos; logits everywhere, heat maps over GRID × GRID cells."""

    criteria: Tensor  # [B, C]; above 0: the photo is free of the defect
    types: Tensor  # [B, T]
    sides: Tensor  # [B, S]
    turns: Tensor  # [B, 4]; the document is turned clockwise by 0, 90, 180, 270 degrees
    corners: Tensor  # [B, 4, GRID, GRID]; top-left, top-right, bottom-right, bottom-left as seen in the photo
    mask: Tensor  # [B, GRID, GRID]; the document covers this cell
    shares: Tensor  # [B, L]; the share of the document that each local defect covers, 0..1
    spots: Tensor  # [B, L, GRID, GRID]; this cell of the document is covered by it


class ConvolutionBlock(nn.Sequential):
    """Convolution, batch norm, ReLU."""

    def __init__(self, inner: int, outer: int, kernel: int = 3, stride: int = 1) -> None:
        super().__init__(
            nn.Conv2d(inner, outer, kernel, stride, kernel // 2, bias=False),
            nn.BatchNorm2d(outer),
            nn.ReLU(inplace=True),
        )


class ResidualBlock(nn.Module):
    """Two convolutions around which the signal may pass unchanged."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            ConvolutionBlock(width, width), nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """[B, D, h, w] → the same."""
        return F.relu(x + self.body(x))


class HeatMapDecoder(nn.Module):
    """Coarse features → heat maps at a quarter of the frame's resolution, with a margin around it."""

    def __init__(self, widths: tuple[int, int, int, int], local: int) -> None:
        super().__init__()
        quarter, eighth, sixteenth, coarse = widths
        self.from_coarse = nn.Conv2d(coarse, 64, 1)
        self.from_sixteenth = nn.Conv2d(sixteenth, 64, 1)
        self.from_eighth = nn.Conv2d(eighth, 40, 1)
        self.from_quarter = nn.Conv2d(quarter, 24, 1)
        self.at_sixteenth = ConvolutionBlock(64, 40)
        self.at_eighth = ConvolutionBlock(40, 24)
        self.at_quarter = ConvolutionBlock(24, 24)
        self.maps = nn.Conv2d(24, 5 + local, 1)

    def forward(self, features: list[Tensor]) -> Tensor:
        """Features at 1/4, 1/8, 1/16, 1/32 of the frame → [B, 5 + L, GRID, GRID]: corners, mask, local defects."""
        quarter, eighth, sixteenth, coarse = features
        x = F.pad(self.from_coarse(coarse), (FRAME_MARGIN_PX // 32,) * 4)  # nothing is known beyond the photo
        x = _add_within(_double(x), self.from_sixteenth(sixteenth))
        x = _add_within(_double(self.at_sixteenth(x)), self.from_eighth(eighth))
        x = _add_within(_double(self.at_eighth(x)), self.from_quarter(quarter))
        maps: Tensor = self.maps(self.at_quarter(x))
        return maps


class QualityNetwork(nn.Module):
    """Frame and crops → Answers."""

    def __init__(self, shape: QualityNetworkShape) -> None:
        super().__init__()
        self.shape = shape
        quarter, eighth, sixteenth, coarse = shape.widths
        self.stem = nn.Sequential(ConvolutionBlock(3, 16, stride=2), ConvolutionBlock(16, quarter, stride=2), ResidualBlock(quarter))
        self.eighth = nn.Sequential(ConvolutionBlock(quarter, eighth, stride=2), ResidualBlock(eighth))
        self.sixteenth = nn.Sequential(
            ConvolutionBlock(eighth, sixteenth, stride=2), ResidualBlock(sixteenth), ResidualBlock(sixteenth)
        )
        self.coarse = nn.Sequential(ConvolutionBlock(sixteenth, coarse, stride=2), ResidualBlock(coarse))
        self.decoder = HeatMapDecoder(shape.widths, len(shape.local))
        near, middle, far = shape.crop_widths
        self.crop_eye = nn.Sequential(
            ConvolutionBlock(3, near, kernel=5, stride=2),
            ConvolutionBlock(near, middle, stride=2),
            ConvolutionBlock(middle, far, stride=2),
            ResidualBlock(far),
        )
        self.computed = (
            SIZE_FEATURES + 8 + 4 + 1 + OUTLINE_FEATURES + TEXTURE_FEATURES + 2 * len(shape.local)
        )  # the last of what the trunk gets
        seen = 3 * coarse + 4 * far + self.computed
        self.trunk = nn.Sequential(nn.Linear(seen, shape.hidden), nn.ReLU(inplace=True), nn.Dropout(0.1))
        self.criteria = nn.Linear(shape.hidden, len(shape.criteria))
        self.types = nn.Linear(shape.hidden, len(shape.types))
        self.sides = nn.Linear(shape.hidden, len(shape.sides))
        self.turns = nn.Linear(shape.hidden, QUARTER_TURNS)

    def forward(self, frames: Tensor, crops: Tensor, scalars: Tensor) -> QualityOutputs:
        """Look at B photos.

        frames:  uint8 [B, FRAME_PX, FRAME_PX, 3], as imaging.fit leaves them.
        crops:   uint8 [B, N, CROP_PX, CROP_PX, 3].
        scalars: float32 [B, SCALARS], from `scalars_of`.
        """
        # B photos, N crops each, D channels
        features = [self.stem(_normalise(frames))]
        for stage in (self.eighth, self.sixteenth, self.coarse):
            features.append(stage(features[-1]))
        maps = self.decoder(features).float()  # [B, 5 + L, GRID, GRID]
        corners, mask = maps[:, :4], maps[:, 4]

        close = self.crop_eye(_normalise(crops.flatten(0, 1)))  # [B·N, D, h, w]
        close = torch.cat([close.mean((2, 3)), close.amax((2, 3))], 1).view(*crops.shape[:2], -1)  # [B, N, 2 D]
        coarse = features[-1]
        # What lies under the document, and where its corners are: most of what "centered" asks is in these.
        # Detached, so that the outline is learnt from the outline alone.
        inside = mask.detach().sigmoid()
        cover = F.adaptive_avg_pool2d(
            inside[:, None, FRAME_MARGIN_PX // CELL_PX : -FRAME_MARGIN_PX // CELL_PX, FRAME_MARGIN_PX // CELL_PX : -FRAME_MARGIN_PX // CELL_PX],
            coarse.shape[-2:],
        )
        under = (coarse * cover).sum((2, 3)) / cover.sum((2, 3)).clamp(min=0.5)
        points, peaks = locate_corners(corners.detach())
        shares, strongest = defect_coverage(maps[:, 5:], inside)
        seen = [
            coarse.mean((2, 3)), coarse.amax((2, 3)), under, close.mean(1), close.amax(1),
            scalars, (points / FRAME_PX).flatten(1), peaks, inside.mean((1, 2))[:, None],
            outline_features(points, scalars), texture_features(crops), shares.detach().log(), strongest.detach(),
        ]  # fmt: skip
        said = self.classify(torch.cat([part.float() for part in seen], 1))
        return QualityOutputs(*said, corners, mask, shares, maps[:, 5:])

    def classify(self, seen: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """From what was seen, [B, D], to what is said of the whole photo: criteria, types, sides, turns."""
        hidden = self.trunk(seen)
        return (
            self.criteria(hidden).float(),
            self.types(hidden).float(),
            self.sides(hidden).float(),
            self.turns(hidden).float(),
        )


def defect_coverage(spots: Tensor, inside: Tensor) -> tuple[Tensor, Tensor]:
    """How much of the document each local defect covers, and how sure its surest place is.

    spots: logits [B, L, GRID, GRID]. inside: 0..1, [B, GRID, GRID]. returns: [B, L] each, in 0..1.

    How much is known of every synthetic photo, where only of some: trained on the share, the map learns the place.
    """
    there = spots.sigmoid() * inside[:, None]
    shares = there.sum((2, 3)) / inside.sum((1, 2)).clamp(min=1.0)[:, None]
    return shares.clamp(1e-4, 1 - 1e-4), there.flatten(2).amax(2) if spots.shape[1] else shares


def size_features(widths: Tensor, heights: Tensor) -> Tensor:
    """What the frame has lost: photo width and height in px, [B] each → [B, SCALARS]."""
    widths, heights = widths.float(), heights.float()
    longest = torch.maximum(widths, heights)
    return torch.stack(
        [
            torch.log(widths / 1000),
            torch.log(heights / 1000),
            torch.log(FRAME_PX / longest),
            widths / longest,
            heights / longest,
        ],
        1,
    )


def locate_corners(corners: Tensor, reach: int = 2) -> tuple[Tensor, Tensor]:
    """Heat maps → where the corners are: the centre of mass around each peak.

    corners: logits [B, 4, GRID, GRID].
    returns: points [B, 4, 2] in frame px, which may lie MARGIN_PX outside the frame; and how much of the
             belief lies within `reach` cells of the peak, [B, 4], 0..1.
    """
    batch = corners.shape[0]
    belief = corners.flatten(2).softmax(2).view_as(corners)
    peak = corners.flatten(2).argmax(2)  # [B, 4]
    rows, columns = peak // HEAT_MAP_CELLS, peak % HEAT_MAP_CELLS
    span = torch.arange(-reach, reach + 1, device=corners.device)
    window_rows = (rows[..., None] + span).clamp(0, HEAT_MAP_CELLS - 1)  # [B, 4, 2·reach + 1]
    window_columns = (columns[..., None] + span).clamp(0, HEAT_MAP_CELLS - 1)
    cells = window_rows[..., :, None] * HEAT_MAP_CELLS + window_columns[..., None, :]  # [B, 4, n, n]
    near = belief.flatten(2).gather(2, cells.flatten(2)).view(batch, 4, *cells.shape[-2:])
    mass = near.sum((2, 3))
    y = (near.sum(3) * window_rows).sum(2) / mass
    x = (near.sum(2) * window_columns).sum(2) / mass
    points = (torch.stack([x, y], 2) + 0.5) * CELL_PX - FRAME_MARGIN_PX
    return points, mass.clamp(max=1.0)


def alternative_corners(corners: Tensor, count: int, reach: int = 4) -> Tensor:
    """Where else each corner may be: the next highest peaks, more than `reach` cells from those before.

    corners: logits [4, GRID, GRID]. returns: [4, count, 2] in frame px.
    """
    left = corners.clone()
    span = torch.arange(-reach, reach + 1, device=corners.device)
    found = []
    for _ in range(count + 1):
        peak = left.flatten(1).argmax(1)  # [4]
        rows, columns = peak // HEAT_MAP_CELLS, peak % HEAT_MAP_CELLS
        found.append((torch.stack([columns, rows], 1).float() + 0.5) * CELL_PX - FRAME_MARGIN_PX)
        taken_rows = (rows[:, None] + span).clamp(0, HEAT_MAP_CELLS - 1)  # [4, 2·reach + 1]
        taken_columns = (columns[:, None] + span).clamp(0, HEAT_MAP_CELLS - 1)
        cells = (taken_rows[:, :, None] * HEAT_MAP_CELLS + taken_columns[:, None, :]).flatten(1)
        left = left.flatten(1).scatter(1, cells, -torch.inf).view_as(corners)
    return torch.stack(found[1:], 1)


def outline_features(points: Tensor, scalars: Tensor) -> Tensor:
    """What "centered" asks of an outline, computed rather than learnt: points [B, 4, 2] frame px → [B, GEOMETRY].

    Area; centre; distance of the outermost corners to each border; tilt; direction of the upper edge.
    """
    size = scalars[:, None, 3:5]  # [B, 1, 2]; the photo's sides, the longer one is 1
    placed = points / FRAME_PX  # in the same unit
    within = placed / size  # 0..1 of the photo
    following = within.roll(-1, 1)
    area = (within[..., 0] * following[..., 1] - within[..., 1] * following[..., 0]).sum(1, keepdim=True) / 2
    borders = torch.cat([within.amin(1), 1 - within.amax(1)], 1)
    # The sides' vanishing points, seen as directions, span the page's plane.
    rays = (placed - size / 2) / (FOCAL_LENGTH_DIAGONALS * size.norm(dim=2, keepdim=True))
    rays = torch.cat([rays, torch.ones_like(rays[..., :1])], 2)
    planes = torch.linalg.cross(rays, rays.roll(-1, 1))  # [B, 4, 3], through top, right, bottom, left side
    normal = torch.linalg.cross(*torch.linalg.cross(planes[:, :2], planes[:, 2:]).unbind(1))
    upright = (normal[:, 2:].abs() / normal.norm(dim=1, keepdim=True).clamp(min=1e-9)).clamp(max=1.0)
    edge = placed[:, 1] - placed[:, 0]
    direction = edge / edge.norm(dim=1, keepdim=True).clamp(min=1e-6)
    return torch.cat([area, within.mean(1) - 0.5, borders, torch.acos(upright), direction], 1)


def texture_features(crops: Tensor) -> Tensor:
    """How fast brightness changes from pixel to pixel: uint8 [B, N, CROP_PX, CROP_PX, 3] → [B, TEXTURE].

    Blur lowers change over one pixel more than over four; noise leaves no place without it.
    """
    grey = crops.flatten(0, 1).float().mean(3, keepdim=True).permute(0, 3, 1, 2)  # [B·N, 1, h, w]
    measures = []
    for step in (1, 2, 4):
        change = (grey[..., step:] - grey[..., :-step]).abs()
        places = F.avg_pool2d(change, 8)
        measures.append(change.mean((1, 2, 3)))
        if step < 4:
            measures.append(places.amax((1, 2, 3)))
        if step == 1:
            measures.append(places.amin((1, 2, 3)))
    found = torch.stack(measures, 1).add(0.5).log().view(*crops.shape[:2], -1)  # [B, N, TEXTURE / 2]
    return torch.cat([found.mean(1), found.amax(1)], 1)


def _normalise(pixels: Tensor) -> Tensor:
    """uint8 [B, H, W, 3] → about −2..2, [B, 3, H, W], channels last in memory."""
    return pixels.permute(0, 3, 1, 2).float().sub_(128.0).div_(64.0)


def _add_within(wide: Tensor, inner: Tensor) -> Tensor:
    """Add features of the photo to those of the photo and its margin. In place: padding would cost more than adding."""
    cells = (wide.shape[-1] - inner.shape[-1]) // 2
    wide[:, :, cells:-cells, cells:-cells] += inner
    return wide


def _double(features: Tensor) -> Tensor:
    return F.interpolate(features, scale_factor=2.0, mode="bilinear", align_corners=False)
