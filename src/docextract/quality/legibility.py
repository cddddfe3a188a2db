"""The legibility map: where in a photo print would be read right, and where the required fields stand.

One score for a whole photo cannot tell a reflection on blank paper from one on the total. The head of the quality
network in this module predicts two things for the cells of a grid over the frame: how likely a letter or digit that is
printed there would be read right, and for each required field how likely it stands there. The expected share of a
field that is read right is the sum of their products.
"""

import itertools
from collections.abc import Collection, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from docextract.images.geometry import FRAME_PX, FittedPage
from docextract.predictions import FieldLegibility, Legibility
from docextract.quality.blocks import ConvolutionBlock, ResidualBlock

LEGIBILITY_CELLS = 24  # along each side of the frame
LEGIBILITY_CELL_PX = FRAME_PX // LEGIBILITY_CELLS  # frame px
_WIDTH = 48  # channels of the head


class LegibilityHead(nn.Module):
    """Predicts both maps from the features of the quality network, with 3 % of its multiply-adds."""

    def __init__(self, widths: Sequence[int], maps: int, context: int, fields: int) -> None:
        """widths: channels of the features at 1/16 and 1/32 of the frame. maps: number of the other heat maps."""
        super().__init__()
        sixteenth, coarse = widths
        self.from_sixteenth = nn.Conv2d(sixteenth, _WIDTH, 1)
        self.from_coarse = nn.Conv2d(coarse, _WIDTH, 1)
        self.from_maps = nn.Conv2d(maps + 2, _WIDTH, 1)
        self.drop = nn.Dropout2d(0.2)
        # Inputs of very different magnitudes: see training/tasks/quality/heads.py.
        self.from_context = nn.Sequential(
            nn.BatchNorm1d(context, affine=False), nn.Dropout(0.2), nn.Linear(context, _WIDTH)
        )
        self.body = nn.Sequential(ConvolutionBlock(_WIDTH, _WIDTH), ResidualBlock(_WIDTH))
        self.legibility = nn.Conv2d(_WIDTH, 1, 1)
        self.places = nn.Conv2d(_WIDTH, fields, 1)
        self.outside = nn.Linear(2 * _WIDTH, fields)

    def forward(
        self, sixteenth: Tensor, coarse: Tensor, maps: Tensor, coordinates: Tensor, context: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Predict the maps of B photos. M = LEGIBILITY_CELLS, K fields.

        sixteenth:   features, [B, D, M, M].
        coarse:      features, [B, D, M / 2, M / 2].
        maps:        probabilities of the other heat maps without their margin, [B, N, n·M, n·M].
        coordinates: [B, 2, M, M], from `document_coordinates`.
        context:     features of the whole photo, [B, D].
        returns:     logits [B, M, M] of reading print right, and logits [B, K, M·M + 1] of the place of each field, the
                     last one outside the photo.
        """
        seen = torch.cat([F.adaptive_avg_pool2d(maps, LEGIBILITY_CELLS), coordinates], 1)
        whole = self.from_context(context)
        x = self.from_sixteenth(self.drop(sixteenth)) + self.from_maps(seen) + whole[:, :, None, None]
        far = self.from_coarse(self.drop(coarse))
        x = x + F.interpolate(far, scale_factor=2.0, mode="bilinear", align_corners=False)
        x = self.body(F.relu(x))  # [B, 48, M, M]
        outside = self.outside(torch.cat([x.mean((2, 3)), whole], 1))
        return self.legibility(x)[:, 0].float(), torch.cat([self.places(x).flatten(2), outside[:, :, None]], 2).float()


def document_coordinates(points: Tensor, turns: Tensor) -> Tensor:
    """Return the position of each cell on the document: [B, 2, M, M], about 0..1 inside it, from its own top left.

    points: corners from the photo's top left, [B, 4, 2] frame px. turns: of the document, quarter turns clockwise, [B].
    The perspective is ignored. Positions are limited to -0.5..1.5.
    """
    own = (torch.arange(4, device=points.device) + turns[:, None]) % 4  # [B, 4]
    corners = points.gather(1, own[:, :, None].expand(-1, -1, 2))
    origin, right, down = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0]
    middles = (torch.arange(LEGIBILITY_CELLS, device=points.device) + 0.5) * LEGIBILITY_CELL_PX
    y, x = torch.meshgrid(middles, middles, indexing="ij")
    away = torch.stack([x, y], 2) - origin[:, None, None]  # [B, M, M, 2]
    along = [
        (away * side[:, None, None]).sum(3) / side.square().sum(1)[:, None, None].clamp(min=1.0)
        for side in (right, down)
    ]
    return torch.stack(along, 1).clamp(-0.5, 1.5)


def field_legibility(legibility: Tensor, places: Tensor) -> Tensor:
    """Return the expected share of each field's letters and digits that is read right, [B, K], 0..1.

    legibility: logits [B, M, M]. places: logits [B, K, M·M + 1]. What is outside the photo is not read.
    """
    return torch.einsum("bkc,bc->bk", places.softmax(2)[:, :, :-1], legibility.sigmoid().flatten(1))


def describe_legibility(
    fields: Sequence[str],
    legibility: Tensor,
    places: Tensor,
    mask: Tensor,
    frame: FittedPage,
    required: Collection[str],
) -> Legibility:
    """Describe the maps of one photo, without the part of the frame that the photo does not fill.

    fields: K names. legibility: logits [M, M]. places: logits [K, M·M + 1]. mask: probability of the document, [M, M].
    required: names of the fields that the document must have; if none of them is known, the map of their places is of
              the fields of all types.
    """
    rows, columns = (-(-side // LEGIBILITY_CELL_PX) for side in (frame.height, frame.width))
    expected = field_legibility(legibility[None], places[None])[0].tolist()
    probability = places.softmax(1)
    best = probability[:, :-1].argmax(1).tolist()
    cells = legibility.sigmoid()
    known = [name in required for name in fields]
    needed = probability[known if any(known) else [True] * len(fields), :-1].sum(0).view_as(cells)
    document = float((cells * mask).sum() / mask.sum().clamp(min=1e-6))
    return Legibility(
        cells[:rows, :columns].numpy().astype(np.float32),
        {
            name: FieldLegibility(expected[k], 1 - float(probability[k, -1]), _relative_place(best[k], frame))
            for k, name in enumerate(fields)
        },
        document,
        needed[:rows, :columns].numpy().astype(np.float32),
        tuple(itertools.compress(expected, known)) or (document,),
    )


def _relative_place(cell: int, frame: FittedPage) -> tuple[float, float]:
    """The centre of a cell, relative to the photo."""
    row, column = divmod(cell, LEGIBILITY_CELLS)
    x, y = ((index + 0.5) * LEGIBILITY_CELL_PX for index in (column, row))
    return min(1.0, x / frame.width), min(1.0, y / frame.height)
