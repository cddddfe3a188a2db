"""The layout transformer: predicts a field label for each piece of a page, from its text and its position.

It is a pre-norm transformer with biases for the relative position of two pieces. A piece enters as hashed letter
n-grams, so that misread and unknown words have a meaning too, with features of the whole page (see `pieces`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from docextract.extraction.layout.pieces import FEATURE_COUNT, NGRAM_BUCKETS, PieceSequence

FOURIER_OCTAVES = 6  # the shortest wave is 1/64 of the page, about one line of print


@dataclass(frozen=True)
class LayoutShape:
    """Everything needed to build the network; stored in config.json next to its weights."""

    fields: tuple[str, ...]  # "total", "line_items.description"; the labels are O, then B and I of each
    types: tuple[str, ...]
    currencies: tuple[str, ...]  # the first is "": none is printed
    date_orders: tuple[str, ...] = ("DMY", "MDY", "YMD")
    width: int = 256
    layers: int = 6
    heads: int = 8
    ngram_width: int = 128
    # Of the input only: inside the layers, dropout took a quarter of the time, and synthetic pages never repeat.
    dropout: float = 0.1
    # The field of each pair of rows of the label head, for networks in which some fields have several, such as the
    # totals of receipts and of invoices; their probabilities are added up. Empty: one pair for each field.
    head_fields: tuple[str, ...] = ()

    @property
    def labels(self) -> int:
        """Number of labels: O, then B and I for each field, see `spans`."""
        return 1 + 2 * len(self.fields)

    def to_json(self) -> dict[str, Any]:
        """Return the content for config.json."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "LayoutShape":
        """Invert to_json."""
        arguments: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
        }
        return cls(**arguments)


# B pages, T pieces, G n-grams, F features, D width, H heads, K labels, N types, C currencies


@dataclass(frozen=True)
class LayoutBatch:
    """Pages, padded to the longest."""

    ngrams: Tensor  # int [B, T, G], 0 is padding
    features: Tensor  # float [B, T, F]
    boxes: Tensor  # int [B, T, 4], thousandths
    mask: Tensor  # bool [B, T], False for padding

    def to(self, device: torch.device | str) -> "LayoutBatch":
        """Move the batch to a device."""
        return LayoutBatch(*(tensor.to(device, non_blocking=True) for tensor in vars(self).values()))


@dataclass(frozen=True)
class LayoutLogits:
    """Output of the network; values of padding are meaningless."""

    labels: Tensor  # [B, T, K]
    row_starts: Tensor  # [B, T]: a new line item or payment begins with the piece
    type: Tensor  # [B, N]
    currency: Tensor  # [B, C]
    date_order: Tensor  # [B, 3]


def collate_pages(pages: Sequence[PieceSequence]) -> LayoutBatch:
    """Pad pages to the longest, which counts as at least one piece."""
    longest = max(1, *(len(page.pieces) for page in pages))

    def padded(name: str, dtype: torch.dtype) -> Tensor:
        arrays = [getattr(page, name) for page in pages]
        out = torch.zeros(len(arrays), longest, arrays[0].shape[1], dtype=dtype)
        for row, array in zip(out, arrays, strict=True):
            row[: len(array)] = torch.from_numpy(array)
        return out

    lengths = torch.tensor([len(page.pieces) for page in pages])
    return LayoutBatch(
        padded("ngrams", torch.long),
        padded("features", torch.float32),
        padded("boxes", torch.long),
        torch.arange(longest)[None] < lengths[:, None],
    )


class RelativePositionBias(nn.Module):
    """Attention biases for the distance between two pieces: in reading order, across and down the page.

    After LayoutLMv3 (Huang et al. 2022, arXiv:2204.08387, section 2.1), with the logarithmic buckets of T5 (Raffel et
    al. 2020, arXiv:1910.10683). The published LayoutLMv3 class looks its tables up under no_grad, so that randomly
    initialised tables would stay random; therefore this class exists.
    """

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.order = nn.Embedding(32, heads)
        self.across = nn.Embedding(64, heads)
        self.down = nn.Embedding(64, heads)
        for table in (self.order, self.across, self.down):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, boxes: Tensor) -> Tensor:
        """Return the biases, float [B, H, T, T]. boxes: int [B, T, 4] in thousandths."""
        order = torch.arange(boxes.shape[1], device=boxes.device)[None]
        bias = (
            self.order(_distance_buckets(order, count=32, max_distance=128))
            + self.across(_distance_buckets(boxes[..., 0], count=64, max_distance=512))
            + self.down(_distance_buckets(boxes[..., 1] + boxes[..., 3], count=64, max_distance=1024))
        )  # [B, T, T, H]
        permuted: Tensor = bias.permute(0, 3, 1, 2)  # [B, H, T, T]
        return permuted


def _distance_buckets(positions: Tensor, count: int, max_distance: int) -> Tensor:
    """Return the buckets of the signed distances between all pairs, int [B, T, T]. positions: [B, T].

    Short distances have one bucket each; long ones share logarithmic buckets up to max_distance.
    """
    distance = positions[:, None, :] - positions[:, :, None]
    half = count // 2
    near = half // 2
    size = distance.abs()
    far = near + (torch.log(size.clamp(min=1) / near) / math.log(max_distance / near) * (half - near)).long()
    return torch.where(size < near, size, far.clamp(max=half - 1)) + half * (distance > 0)


class TransformerLayer(nn.Module):
    """A pre-norm transformer layer whose attention takes a bias.

    torch's own TransformerEncoderLayer silently returns nan from its fast path if the mask is a float for each head.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attend_norm, self.think_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.think = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        """Apply the layer. hidden: [B, T, D]. bias: [B, H, T, T], added to the attention logits. returns: [B, T, D]."""
        pages, pieces, width = hidden.shape
        projected = self.query_key_value(self.attend_norm(hidden)).view(pages, pieces, 3, self.heads, -1)
        query, key, value = projected.permute(2, 0, 3, 1, 4)  # each [B, H, T, D / H]
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        hidden = hidden + self.merge(attended.transpose(1, 2).reshape(pages, pieces, width))  # [B, T, D]
        output: Tensor = hidden + self.think(self.think_norm(hidden))
        return output


class LayoutTransformer(nn.Module):
    """Predicts labels for each piece, and type, currency and date order for the page."""

    label_rows: Tensor

    def __init__(self, shape: LayoutShape) -> None:
        super().__init__()
        self.shape = shape
        width = shape.width
        self.ngrams = nn.EmbeddingBag(NGRAM_BUCKETS, shape.ngram_width, mode="mean", padding_idx=0)
        nn.init.normal_(self.ngrams.weight, std=0.3)
        self.enter = nn.Linear(shape.ngram_width, width)
        self.features = nn.Linear(FEATURE_COUNT, width)
        self.place = nn.Linear(6 * (1 + 2 * FOURIER_OCTAVES), width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(shape.dropout)
        self.bias = RelativePositionBias(shape.heads)
        self.layers = nn.ModuleList(TransformerLayer(width, shape.heads) for _ in range(shape.layers))
        self.out_norm = nn.LayerNorm(width)
        head_fields = shape.head_fields or shape.fields
        self.label_head = nn.Linear(width, 1 + 2 * len(head_fields))
        self.register_buffer("label_rows", _label_rows(shape.fields, head_fields), persistent=False)
        self.row_start_head = nn.Linear(width, 1)
        self.attend = nn.Linear(width, 4)  # attention pooling with four queries, for the heads of the page
        self.type_head = nn.Linear(4 * width, len(shape.types))
        self.currency_head = nn.Linear(4 * width, len(shape.currencies))
        self.date_order_head = nn.Linear(4 * width, len(shape.date_orders))

    def forward(self, batch: LayoutBatch) -> LayoutLogits:
        """Return logits in float32."""
        pages, pieces = batch.mask.shape
        letters = self.ngrams(batch.ngrams.flatten(0, 1)).view(pages, pieces, -1)  # [B, T, ngram_width]
        embedded = self.enter(letters) + self.features(batch.features) + self.place(_fourier_features(batch.boxes))
        hidden = self.dropout(self.norm(embedded))  # [B, T, D]
        is_padding = (~batch.mask)[:, None, None]  # [B, 1, 1, T]
        bias = self.bias(batch.boxes).masked_fill(is_padding, -1e4).to(hidden.dtype)  # [B, H, T, T]
        for layer in self.layers:
            hidden = layer(hidden, bias)  # [B, T, D]
        hidden = self.out_norm(hidden)
        weights = self.attend(hidden).float().masked_fill(~batch.mask[..., None], -1e4).softmax(dim=1)  # [B, T, 4]
        page = torch.einsum("bth,btw->bhw", weights.to(hidden.dtype), hidden).flatten(1)  # [B, 4 * D]
        return LayoutLogits(
            self._labels(hidden),
            self.row_start_head(hidden).squeeze(-1).float(),
            self.type_head(page).float(),
            self.currency_head(page).float(),
            self.date_order_head(page).float(),
        )

    def _labels(self, hidden: Tensor) -> Tensor:
        """Return one logit for each label, [B, T, K]: the probabilities of its rows added up. hidden: [B, T, D]."""
        rows: Tensor = self.label_head(hidden).float()
        if self.label_rows.shape[1] == 1:
            return rows[..., self.label_rows[:, 0]]
        absent = torch.full_like(rows[..., :1], -1e4)
        return torch.cat([rows, absent], dim=-1)[..., self.label_rows].logsumexp(dim=-1)


def _label_rows(fields: Sequence[str], head_fields: Sequence[str]) -> Tensor:
    """Return the rows of the label head for each label, [K, rows]; filled up with the number of rows, which is none.

    Raises ValueError for a field without a row, which could never be learned.
    """
    if without := sorted(set(fields) - set(head_fields)):
        raise ValueError(f"head_fields has no row for {', '.join(without)}")
    pairs = [[number for number, name in enumerate(head_fields) if name == field] for field in fields]
    rows = [[0], *([1 + 2 * number + inside for number in found] for found in pairs for inside in (0, 1))]
    most = max(map(len, rows))
    return torch.tensor([row + [1 + 2 * len(head_fields)] * (most - len(row)) for row in rows])


def _fourier_features(boxes: Tensor) -> Tensor:
    """Encode x0, y0, x1, y1, width and height as waves, [B, T, 6 * 13]. boxes: int [B, T, 4] in thousandths.

    The code is smooth in the position and fine enough to distinguish neighbouring rows.
    """
    sides = boxes.float() / 1000
    values = torch.cat([sides, sides[..., 2:] - sides[..., :2]], dim=-1)  # [B, T, 6]
    octaves = math.pi * 2 ** torch.arange(FOURIER_OCTAVES, device=boxes.device)
    waves = (values[..., None] * octaves).flatten(-2)  # [B, T, 6 * FOURIER_OCTAVES]
    return torch.cat([values, waves.sin(), waves.cos()], dim=-1)
