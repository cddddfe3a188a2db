"""The layout transformer: pieces with places in, labels out.

A pre-norm transformer whose attention knows how far apart two pieces stand. Pieces enter as hashed letter
n-grams, so that a misread or unknown word still has a meaning, with features of the whole page (see `pieces`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from docextract.extraction.layout.pieces import FEATURES, NGRAM_BUCKETS, PieceSequence

FOURIER_OCTAVES = 6  # finest wave: 1/64 of the page, about a line of print


@dataclass(frozen=True)
class LayoutShape:
    """Everything needed to build the network; kept beside its weights."""

    fields: tuple[str, ...]  # "total", "line_items.description"; labels are O, then B and I of each
    types: tuple[str, ...]
    currencies: tuple[str, ...]  # the first is "", none printed
    date_orders: tuple[str, ...] = ("DMY", "MDY", "YMD")
    width: int = 256
    layers: int = 6
    heads: int = 8
    ngram_width: int = 128
    dropout: float = 0.1  # of what enters; within the layers it cost a quarter of the time, and sheets never repeat

    @property
    def labels(self) -> int:
        """O, then for field f: B is 1 + 2f, I is 2 + 2f."""
        return 1 + 2 * len(self.fields)

    def to_json(self) -> dict[str, Any]:
        """For config.json."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "LayoutShape":
        """The inverse of to_json."""
        fitting: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in values.items()}
        return cls(**fitting)


@dataclass(frozen=True)
class LayoutBatch:
    """Pages padded to the longest. B pages, T pieces, G n-grams, F features."""

    ngrams: Tensor  # int [B, T, G], 0 is none
    features: Tensor  # float [B, T, F]
    boxes: Tensor  # int [B, T, 4], thousandths
    mask: Tensor  # bool [B, T], True where a piece is

    def to(self, device: torch.device | str) -> "LayoutBatch":
        """The same batch elsewhere."""
        return LayoutBatch(*(part.to(device, non_blocking=True) for part in vars(self).values()))


@dataclass(frozen=True)
class LayoutLogits:
    """K labels, N types, C currencies."""

    labels: Tensor  # [B, T, K]
    row_starts: Tensor  # [B, T]: a new line item or payment begins here
    type: Tensor  # [B, N]
    currency: Tensor  # [B, C]
    date_order: Tensor  # [B, 3]


def collate_pages(pages: Sequence[PieceSequence]) -> LayoutBatch:
    """Pad to the longest page, at least one piece long."""
    longest = max(1, *(len(page.pieces) for page in pages))

    def padded_width(name: str, dtype: torch.dtype) -> Tensor:
        parts = [getattr(page, name) for page in pages]
        out = torch.zeros(len(parts), longest, parts[0].shape[1], dtype=dtype)
        for row, part in zip(out, parts, strict=True):
            row[: len(part)] = torch.from_numpy(part)
        return out

    lengths = torch.tensor([len(page.pieces) for page in pages])
    return LayoutBatch(
        padded_width("ngrams", torch.long),
        padded_width("features", torch.float32),
        padded_width("boxes", torch.long),
        torch.arange(longest)[None] < lengths[:, None],
    )


class RelativeBias(nn.Module):
    """What attention adds for the distance between two pieces: in reading order, across and down the page.

    After LayoutLMv3 (Huang et al. 2022, arXiv:2204.08387, section 2.1), with T5's logarithmic buckets. Its
    published class looks these tables up under no_grad, so from random weights they would stay random;
    hence our own.
    """

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.order = nn.Embedding(32, heads)
        self.across = nn.Embedding(64, heads)
        self.down = nn.Embedding(64, heads)
        for table in (self.order, self.across, self.down):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, boxes: Tensor) -> Tensor:
        """boxes: int [B, T, 4] in thousandths. returns: float [B, heads, T, T]."""
        order = torch.arange(boxes.shape[1], device=boxes.device)[None]
        bias = (
            self.order(_buckets(order, count=32, furthest=128))
            + self.across(_buckets(boxes[..., 0], count=64, furthest=512))
            + self.down(_buckets(boxes[..., 1] + boxes[..., 3], count=64, furthest=1024))
        )
        permuted: Tensor = bias.permute(0, 3, 1, 2)
        return permuted


def _buckets(places: Tensor, count: int, furthest: int) -> Tensor:
    """Signed distances between all pairs, exact when near and logarithmic when far. [B, T] → int [B, T, T]"""
    distance = places[:, None, :] - places[:, :, None]
    half = count // 2
    near = half // 2
    size = distance.abs()
    far = near + (torch.log(size.clamp(min=1) / near) / math.log(furthest / near) * (half - near)).long()
    return torch.where(size < near, size, far.clamp(max=half - 1)) + half * (distance > 0)


class Layer(nn.Module):
    """A pre-norm transformer layer whose attention takes a bias.

    torch's own TransformerEncoderLayer answers nan from its fast path, without a word, when the mask is a float
    for each head.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attend_norm, self.think_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.think = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        """hidden: [B, T, D]. bias: [B, heads, T, T], added to the attention logits. returns: [B, T, D]."""
        pages, pieces, width = hidden.shape
        mixed = self.query_key_value(self.attend_norm(hidden)).view(pages, pieces, 3, self.heads, -1)
        query, key, value = mixed.permute(2, 0, 3, 1, 4)  # each [B, heads, T, D / heads]
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        hidden = hidden + self.merge(seen.transpose(1, 2).reshape(pages, pieces, width))
        thought: Tensor = hidden + self.think(self.think_norm(hidden))
        return thought


class LayoutTransformer(nn.Module):
    """Labels for each piece, and type, currency and date order for the page."""

    def __init__(self, shape: LayoutShape) -> None:
        super().__init__()
        self.shape = shape
        width = shape.width
        self.ngrams = nn.EmbeddingBag(NGRAM_BUCKETS, shape.ngram_width, mode="mean", padding_idx=0)
        nn.init.normal_(self.ngrams.weight, std=0.3)
        self.enter = nn.Linear(shape.ngram_width, width)
        self.features = nn.Linear(FEATURES, width)
        self.place = nn.Linear(6 * (1 + 2 * FOURIER_OCTAVES), width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(shape.dropout)
        self.bias = RelativeBias(shape.heads)
        self.layers = nn.ModuleList(Layer(width, shape.heads) for _ in range(shape.layers))
        self.out_norm = nn.LayerNorm(width)
        self.label_head = nn.Linear(width, shape.labels)
        self.row_start_head = nn.Linear(width, 1)
        self.attend = nn.Linear(width, 4)  # the page's own questions look where they like
        self.type_head = nn.Linear(4 * width, len(shape.types))
        self.currency_head = nn.Linear(4 * width, len(shape.currencies))
        self.date_order_head = nn.Linear(4 * width, len(shape.date_orders))

    def forward(self, batch: LayoutBatch) -> LayoutLogits:
        """Logits in float32; those of padding are meaningless."""
        pages, pieces = batch.mask.shape
        letters = self.ngrams(batch.ngrams.flatten(0, 1)).view(pages, pieces, -1)  # [B, T, ngram_width]
        entered = self.enter(letters) + self.features(batch.features) + self.place(_fourier(batch.boxes))
        hidden = self.dropout(self.norm(entered))  # [B, T, width]
        blocked = (~batch.mask)[:, None, None]  # [B, 1, 1, T]
        bias = self.bias(batch.boxes).masked_fill(blocked, -1e4).to(hidden.dtype)  # [B, heads, T, T]
        for layer in self.layers:
            hidden = layer(hidden, bias)
        hidden = self.out_norm(hidden)
        looks = self.attend(hidden).float().masked_fill(~batch.mask[..., None], -1e4).softmax(dim=1)  # [B, T, 4]
        page = torch.einsum("bth,btw->bhw", looks.to(hidden.dtype), hidden).flatten(1)  # [B, 4 * width]
        return LayoutLogits(
            self.label_head(hidden).float(),
            self.row_start_head(hidden).squeeze(-1).float(),
            self.type_head(page).float(),
            self.currency_head(page).float(),
            self.date_order_head(page).float(),
        )


def _fourier(boxes: Tensor) -> Tensor:
    """x0, y0, x1, y1, width, height as waves: smooth in the place, sharp enough for a row. [B, T, 6 * 13]"""
    sides = boxes.float() / 1000
    values = torch.cat([sides, sides[..., 2:] - sides[..., :2]], dim=-1)  # [B, T, 6]
    octaves = math.pi * 2 ** torch.arange(FOURIER_OCTAVES, device=boxes.device)
    waves = (values[..., None] * octaves).flatten(-2)
    return torch.cat([values, waves.sin(), waves.cos()], dim=-1)
