"""The quality network: one small convolutional network that predicts everything about a photo in a single pass.

Blur and noise are invisible in a reduced photo, and the outline of the document is invisible in a close-up. So the
network has two inputs: the whole photo as a 384-px frame, and a few full-resolution crops of its most detailed places.
Its 0.8 billion multiply-adds are plain 3x3 convolutions, which run fast on a CPU.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from docextract.images.geometry import FRAME_PX
from docextract.quality.blocks import ConvolutionBlock, ResidualBlock
from docextract.quality.criteria import FOCAL_LENGTH_DIAGONALS
from docextract.quality.legibility import LegibilityHead, document_coordinates

CELL_PX = 4  # side of a heat-map cell, frame px
FRAME_MARGIN_PX = 32  # margin around the frame in heat maps, frame px: a corner may lie 8 % outside the photo
HEAT_MAP_CELLS = (FRAME_PX + 2 * FRAME_MARGIN_PX) // CELL_PX  # along each side of the heat maps
QUARTER_TURNS = 4
# Numbers of computed features.
SIZE_FEATURES = 5
OUTLINE_FEATURES = 10
TEXTURE_FEATURES = 12


@dataclass(frozen=True)
class QualityNetworkShape:
    """The outputs of the network, in order, and its widths. It is stored with the weights."""

    criteria: tuple[str, ...]
    types: tuple[str, ...]
    sides: tuple[str, ...]
    widths: tuple[int, int, int, int] = (24, 48, 96, 160)  # channels at 1/4, 1/8, 1/16, 1/32 of the frame
    crop_widths: tuple[int, int, int] = (24, 32, 64)  # channels at 1/2, 1/4, 1/8 of a crop
    hidden: int = 256
    local: tuple[str, ...] = ()  # criteria whose defects cover a part of the document; they have heat maps
    fields: tuple[str, ...] = ()  # required fields whose places are predicted; none: no legibility map


class QualityOutputs(NamedTuple):
    """Raw outputs for B photos: logits, except `shares`.

    C criteria, T types, S sides, L local defects, G = HEAT_MAP_CELLS, K fields, M = LEGIBILITY_CELLS. A network without
    fields has neither of the last two: K = 0 and an empty map.
    """

    criteria: Tensor  # [B, C]; above 0: the photo does not have the defect
    types: Tensor  # [B, T]
    sides: Tensor  # [B, S]
    turns: Tensor  # [B, 4]; the document is turned clockwise by 0, 90, 180, 270 degrees
    corners: Tensor  # [B, 4, G, G]; top-left, top-right, bottom-right, bottom-left, in the photo
    mask: Tensor  # [B, G, G]; the document covers this cell
    shares: Tensor  # [B, L]; the fraction of the document that each local defect covers, 0..1
    spots: Tensor  # [B, L, G, G]; the defect covers this cell of the document
    legibility: Tensor  # [B, M, M]; a letter that is printed in this cell of the frame would be read right
    places: Tensor  # [B, K, M·M + 1]; the field stands in this cell, row by row; the last: outside the photo


class HeatMapDecoder(nn.Module):
    """Decodes features into heat maps at a quarter of the frame's resolution, with a margin around the frame."""

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
        """Decode features at 1/4, 1/8, 1/16 and 1/32 of the frame.

        returns: [B, 5 + L, G, G]: four corners, the mask, local defects.
        """
        quarter, eighth, sixteenth, coarse = features
        x = F.pad(self.from_coarse(coarse), (FRAME_MARGIN_PX // 32,) * 4)  # there are no features outside the photo
        x = _add_to_center(_upsample_2x(x), self.from_sixteenth(sixteenth))
        x = _add_to_center(_upsample_2x(self.at_sixteenth(x)), self.from_eighth(eighth))
        x = _add_to_center(_upsample_2x(self.at_eighth(x)), self.from_quarter(quarter))
        maps: Tensor = self.maps(self.at_quarter(x))
        return maps


class QualityNetwork(nn.Module):
    """The whole network; see the module docstring."""

    def __init__(self, shape: QualityNetworkShape) -> None:
        super().__init__()
        self.shape = shape
        quarter, eighth, sixteenth, coarse = shape.widths
        self.stem = nn.Sequential(
            ConvolutionBlock(3, 16, stride=2), ConvolutionBlock(16, quarter, stride=2), ResidualBlock(quarter)
        )
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
        # Number of computed features; they are the last inputs of the trunk.
        self.computed = SIZE_FEATURES + 8 + 4 + 1 + OUTLINE_FEATURES + TEXTURE_FEATURES + 2 * len(shape.local)
        inputs = 3 * coarse + 4 * far + self.computed
        self.trunk = nn.Sequential(nn.Linear(inputs, shape.hidden), nn.ReLU(inplace=True), nn.Dropout(0.1))
        self.criteria = nn.Linear(shape.hidden, len(shape.criteria))
        self.types = nn.Linear(shape.hidden, len(shape.types))
        self.sides = nn.Linear(shape.hidden, len(shape.sides))
        self.turns = nn.Linear(shape.hidden, QUARTER_TURNS)
        context = inputs + len(shape.criteria)
        self.legibility = (
            LegibilityHead(shape.widths[2:], 1 + len(shape.local), context, len(shape.fields)) if shape.fields else None
        )

    def forward(self, frames: Tensor, crops: Tensor, scalars: Tensor) -> QualityOutputs:
        """Predict everything for B photos.

        frames:  uint8 [B, FRAME_PX, FRAME_PX, 3], from `fit_page`.
        crops:   uint8 [B, N, CROP_PX, CROP_PX, 3].
        scalars: float32 [B, SCALARS], from `scalars_of`.
        """
        # B photos, N crops each, D channels
        features = [self.stem(_normalise(frames))]
        for stage in (self.eighth, self.sixteenth, self.coarse):
            features.append(stage(features[-1]))
        maps = self.decoder(features).float()  # [B, 5 + L, G, G]
        corners, mask = maps[:, :4], maps[:, 4]

        close = self.crop_eye(_normalise(crops.flatten(0, 1)))  # [B·N, D, h, w]
        close = torch.cat([close.mean((2, 3)), close.amax((2, 3))], 1).view(*crops.shape[:2], -1)  # [B, N, 2 D]
        coarse = features[-1]
        # Features within the document and the positions of its corners: most "centered" criteria depend on them.
        # Detached, so that only the losses of the outline train the outline.
        inside = mask.detach().sigmoid()
        cover = F.adaptive_avg_pool2d(without_margin(inside[:, None]), coarse.shape[-2:])
        within_document = (coarse * cover).sum((2, 3)) / cover.sum((2, 3)).clamp(min=0.5)
        points, peaks = locate_corners(corners.detach())
        shares, strongest = defect_coverage(maps[:, 5:], inside)
        parts = [
            coarse.mean((2, 3)), coarse.amax((2, 3)), within_document, close.mean(1), close.amax(1),
            scalars, (points / FRAME_PX).flatten(1), peaks, inside.mean((1, 2))[:, None],
            outline_features(points, scalars), texture_features(crops), shares.detach().log(), strongest.detach(),
        ]  # fmt: skip
        inputs = torch.cat([part.float() for part in parts], 1)
        logits = self.classify(inputs)
        legibility, places = maps.new_zeros(len(maps), 0, 0), maps.new_zeros(len(maps), 0, 1)
        if self.legibility is not None:
            legibility, places = self.legibility(
                features[2],
                coarse,
                without_margin(maps[:, 4:].sigmoid()),
                document_coordinates(points, logits[3].argmax(1)),
                torch.cat([inputs, logits[0]], 1),
            )
        return QualityOutputs(*logits, corners, mask, shares, maps[:, 5:], legibility, places)

    def classify(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the logits of criteria, types, sides and turns for inputs [B, D] of the trunk."""
        hidden = self.trunk(inputs)
        return (
            self.criteria(hidden).float(),
            self.types(hidden).float(),
            self.sides(hidden).float(),
            self.turns(hidden).float(),
        )


def defect_coverage(spots: Tensor, inside: Tensor) -> tuple[Tensor, Tensor]:
    """Return the covered fraction of the document and the largest probability in it, for each local defect.

    spots: logits [B, L, G, G]. inside: 0..1, [B, G, G]. returns: two tensors [B, L], 0..1.

    The fraction is labelled for every synthetic photo, but the place only for some: trained on the fraction, the map
    learns the place.
    """
    probability = spots.sigmoid() * inside[:, None]
    shares = probability.sum((2, 3)) / inside.sum((1, 2)).clamp(min=1.0)[:, None]
    return shares.clamp(1e-4, 1 - 1e-4), probability.flatten(2).amax(2) if spots.shape[1] else shares


def size_features(widths: Tensor, heights: Tensor) -> Tensor:
    """Return the size of the photo, which the frame does not show, as features [B, SIZE_FEATURES].

    widths, heights: of the photos, px, [B].
    """
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
    """Locate the corners in their heat maps: the centre of mass around each peak.

    corners: logits [B, 4, G, G].
    returns: points [B, 4, 2] in frame px, which may lie FRAME_MARGIN_PX outside the frame; and the probability mass
             within `reach` cells of the peak, [B, 4], 0..1.
    """
    batch = corners.shape[0]
    probability = corners.flatten(2).softmax(2).view_as(corners)
    peak = corners.flatten(2).argmax(2)  # [B, 4]
    rows, columns = peak // HEAT_MAP_CELLS, peak % HEAT_MAP_CELLS
    span = torch.arange(-reach, reach + 1, device=corners.device)
    window_rows = (rows[..., None] + span).clamp(0, HEAT_MAP_CELLS - 1)  # [B, 4, 2·reach + 1]
    window_columns = (columns[..., None] + span).clamp(0, HEAT_MAP_CELLS - 1)
    cells = window_rows[..., :, None] * HEAT_MAP_CELLS + window_columns[..., None, :]  # [B, 4, n, n]
    near = probability.flatten(2).gather(2, cells.flatten(2)).view(batch, 4, *cells.shape[-2:])
    mass = near.sum((2, 3))
    y = (near.sum(3) * window_rows).sum(2) / mass
    x = (near.sum(2) * window_columns).sum(2) / mass
    points = (torch.stack([x, y], 2) + 0.5) * CELL_PX - FRAME_MARGIN_PX
    return points, mass.clamp(max=1.0)


def alternative_corners(corners: Tensor, count: int, reach: int = 4) -> Tensor:
    """Return alternative positions of each corner: the next highest peaks, more than `reach` cells from earlier ones.

    corners: logits [4, G, G]. returns: [4, count, 2] in frame px.
    """
    remaining = corners.clone()
    span = torch.arange(-reach, reach + 1, device=corners.device)
    points = []
    for _ in range(count + 1):
        peak = remaining.flatten(1).argmax(1)  # [4]
        rows, columns = peak // HEAT_MAP_CELLS, peak % HEAT_MAP_CELLS
        points.append((torch.stack([columns, rows], 1).float() + 0.5) * CELL_PX - FRAME_MARGIN_PX)
        taken_rows = (rows[:, None] + span).clamp(0, HEAT_MAP_CELLS - 1)  # [4, 2·reach + 1]
        taken_columns = (columns[:, None] + span).clamp(0, HEAT_MAP_CELLS - 1)
        cells = (taken_rows[:, :, None] * HEAT_MAP_CELLS + taken_columns[:, None, :]).flatten(1)
        remaining = remaining.flatten(1).scatter(1, cells, -torch.inf).view_as(corners)
    return torch.stack(points[1:], 1)


def outline_features(points: Tensor, scalars: Tensor) -> Tensor:
    """Return features of the outline for the "centered" criteria, computed instead of learned: [B, OUTLINE_FEATURES].

    They are the area, the centre, the distance of the outermost corners to each border, the tilt, and the direction of
    the upper edge. points: [B, 4, 2] frame px. scalars: from `size_features`.
    """
    size = scalars[:, None, 3:5]  # [B, 1, 2]; the photo's sides, the longer one is 1
    placed = points / FRAME_PX  # in the same unit
    within = placed / size  # 0..1 of the photo
    following = within.roll(-1, 1)
    area = (within[..., 0] * following[..., 1] - within[..., 1] * following[..., 0]).sum(1, keepdim=True) / 2
    borders = torch.cat([within.amin(1), 1 - within.amax(1)], 1)
    # The directions of the vanishing points of the sides span the plane of the page.
    rays = (placed - size / 2) / (FOCAL_LENGTH_DIAGONALS * size.norm(dim=2, keepdim=True))
    rays = torch.cat([rays, torch.ones_like(rays[..., :1])], 2)
    planes = torch.linalg.cross(rays, rays.roll(-1, 1))  # [B, 4, 3], through top, right, bottom, left side
    normal = torch.linalg.cross(*torch.linalg.cross(planes[:, :2], planes[:, 2:]).unbind(1))
    upright = (normal[:, 2:].abs() / normal.norm(dim=1, keepdim=True).clamp(min=1e-9)).clamp(max=1.0)
    edge = placed[:, 1] - placed[:, 0]
    direction = edge / edge.norm(dim=1, keepdim=True).clamp(min=1e-6)
    return torch.cat([area, within.mean(1) - 0.5, borders, torch.acos(upright), direction], 1)


def texture_features(crops: Tensor) -> Tensor:
    """Return features of brightness differences between pixels of crops: [B, TEXTURE_FEATURES].

    Blur lowers differences over one pixel more than over four; with noise there are differences everywhere.
    crops: uint8 [B, N, CROP_PX, CROP_PX, 3].
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
    features = torch.stack(measures, 1).add(0.5).log().view(*crops.shape[:2], -1)  # [B, N, TEXTURE_FEATURES / 2]
    return torch.cat([features.mean(1), features.amax(1)], 1)


def _normalise(pixels: Tensor) -> Tensor:
    """Scale uint8 [B, H, W, 3] to about -2..2, [B, 3, H, W], channels last in memory."""
    return pixels.permute(0, 3, 1, 2).float().sub_(128.0).div_(64.0)


def _add_to_center(wide: Tensor, inner: Tensor) -> Tensor:
    """Add features of the photo to features of the photo with its margin; in place, because padding is slower."""
    cells = (wide.shape[-1] - inner.shape[-1]) // 2
    wide[:, :, cells:-cells, cells:-cells] += inner
    return wide


def without_margin(maps: Tensor) -> Tensor:
    """Cut the margin around the frame off heat maps [B, D, G, G]."""
    margin = FRAME_MARGIN_PX // CELL_PX
    return maps[..., margin:-margin, margin:-margin]


def _upsample_2x(features: Tensor) -> Tensor:
    return F.interpolate(features, scale_factor=2.0, mode="bilinear", align_corners=False)
