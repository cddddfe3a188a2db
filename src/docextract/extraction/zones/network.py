"""The network that reads lines of machine-readable zones, one strip of the page per line.

PP-OCR was not trained for such lines: it drops and doubles fillers and splits lines where fillers begin. This network
has 37 character classes and no language knowledge. For every frame along a strip it predicts whether the frame is the
centre of a character, and which character it is; `zones.grids` and `zones.decoding` turn this into lines.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from docextract.extraction.zones.decoding import ZONE_CHARACTERS
from docextract.extraction.zones.grids import FrameScores
from docextract.images.geometry import Page, Polygon, warp_to_rectangle
from docextract.processors import has_fast_bfloat16

ZONE_WEIGHTS_FILE = "zones.safetensors"  # stored next to the weights of the layout network

STRIP_HEIGHT_PX, STRIP_WIDTH_PX = 32, 704  # sixteen px for each of 44 characters; shorter lines are stretched
ZONE_FRAME_PX = 4
STRIP_BATCH_SIZE = 64  # each strip takes 0.6 MB of memory during inference

Float64Array = NDArray[np.float64]
Strip = NDArray[np.uint8]  # [STRIP_HEIGHT_PX, STRIP_WIDTH_PX], grey


@dataclass(frozen=True)
class ZoneNetworkShape:
    """Everything needed to build the network; stored in the metadata of its weights file."""

    widths: tuple[int, int, int, int] = (24, 48, 96, 160)  # channels at each scale, and along the line
    depth: int = 4  # convolutions along the line

    @classmethod
    def from_json(cls, text: str) -> "ZoneNetworkShape":
        """Parse the text in the metadata."""
        values = json.loads(text)
        return cls(tuple(values["widths"]), values["depth"])


class _ConvBlock(nn.Sequential):
    def __init__(self, in_channels: int, out_channels: int, stride: tuple[int, int] = (1, 1)) -> None:
        super().__init__(
            nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
        )


class _Residual(nn.Module):
    """A residual connection around a sequence of layers."""

    def __init__(self, *parts: nn.Module) -> None:
        super().__init__()
        self.parts = nn.Sequential(*parts)

    def forward(self, hidden: Tensor) -> Tensor:
        result: Tensor = hidden + self.parts(hidden)
        return result


def _line_convolution(width: int) -> _Residual:
    """A convolution over five frames along the line."""
    return _Residual(
        nn.Conv2d(width, width, (1, 5), padding=(0, 2), bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)
    )


class ZoneNetwork(nn.Module):
    """Convolutional network from strips to character centres and characters."""

    # B strips, H x W px, T = W / ZONE_FRAME_PX frames, C characters, D = widths[-1] channels

    def __init__(self, shape: ZoneNetworkShape) -> None:
        super().__init__()
        self.shape = shape
        first, second, third, last = shape.widths
        self.body = nn.Sequential(
            _ConvBlock(1, first, (2, 2)),  # [B, first, H/2, W/2]
            _ConvBlock(first, second, (2, 2)),  # [B, second, H/4, T]
            _Residual(_ConvBlock(second, second), _ConvBlock(second, second)),
            _ConvBlock(second, third, (2, 1)),  # [B, third, H/8, T]
            _Residual(_ConvBlock(third, third), _ConvBlock(third, third)),
            nn.Conv2d(third, last, (STRIP_HEIGHT_PX // 8, 1), bias=False),  # [B, D, 1, T]
            nn.BatchNorm2d(last),
            nn.ReLU(inplace=True),
            *(_line_convolution(last) for _ in range(shape.depth)),
        )
        self.head = nn.Conv2d(last, 1 + len(ZONE_CHARACTERS), 1)

    def forward(self, strips: Tensor) -> Tensor:
        """Return the logits of each frame.

        strips: uint8 [B, H, W], grey.
        returns: float32 [B, T, 1 + C]; the logit of a character centre first, then those of the characters.
        """
        grey = strips.float()
        mean = grey.mean((1, 2), keepdim=True)
        grey = (grey - mean) / (grey.std((1, 2), keepdim=True) + 4.0)
        hidden = self.body(grey[:, None].contiguous(memory_format=torch.channels_last))  # [B, D, 1, T]
        logits: Tensor = self.head(hidden).squeeze(2).transpose(1, 2).float()  # [B, T, 1 + C]
        return logits


class ZoneReader:
    """Reads lines of machine-readable zones. Not thread-safe."""

    def __init__(self, network: ZoneNetwork) -> None:
        """network: on the device that it runs on."""
        self._network = network.eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._device = next(network.parameters()).device
        # Limited to AVX2, three lines took 200 ms in bfloat16 and 32 ms in float32 (2026-11-28).
        self._use_bfloat16 = self._device.type != "cpu" or has_fast_bfloat16()

    @classmethod
    def load(cls, folder: Path, device: str = "cpu") -> "ZoneReader | None":
        """Load the reader from a folder of weights; None if the folder has no zone network."""
        if not (folder / ZONE_WEIGHTS_FILE).exists():
            return None
        with safe_open(folder / ZONE_WEIGHTS_FILE, "pt") as file:
            shape = ZoneNetworkShape.from_json(file.metadata()["shape"])
        network = ZoneNetwork(shape)
        tensors = {name: tensor.float() for name, tensor in load_file(folder / ZONE_WEIGHTS_FILE).items()}
        network.load_state_dict(tensors, strict=False)  # BatchNorm's num_batches_tracked is not stored
        return cls(network.to(device))

    def read(self, page: Page, polygons: Sequence[Polygon]) -> list[FrameScores]:
        """Read lines of a page. Returns one result per polygon, in input order.

        polygons: [4, 2] px of the page, clockwise from the line's own top left.
        """
        return self.read_strips([cut_strip(page, polygon) for polygon in polygons])

    def read_strips(self, strips: Sequence[Strip]) -> list[FrameScores]:
        """Read strips. Returns one result per strip, in input order."""
        batches = (strips[start : start + STRIP_BATCH_SIZE] for start in range(0, len(strips), STRIP_BATCH_SIZE))
        return [frames for batch in batches for frames in self._read_batch(batch)]

    def _read_batch(self, strips: Sequence[Strip]) -> list[FrameScores]:
        with torch.inference_mode(), torch.autocast(self._device.type, torch.bfloat16, enabled=self._use_bfloat16):
            logits = self._network(torch.from_numpy(np.stack(strips)).to(self._device))
        centres = logits[..., 0].cpu().numpy()
        characters = logits[..., 1:].log_softmax(-1).cpu().numpy()
        return [FrameScores(*scores) for scores in zip(centres, characters, strict=True)]


def save_zone_network(network: ZoneNetwork, folder: Path) -> None:
    """Write the weights in half precision, with the network's shape in the metadata."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        name: (value.half() if value.is_floating_point() else value).cpu().contiguous()
        for name, value in network.state_dict().items()
        if not name.endswith("num_batches_tracked")
    }
    save_file(weights, folder / ZONE_WEIGHTS_FILE, {"shape": json.dumps(asdict(network.shape))})


def cut_strip(page: Page, polygon: Polygon) -> Strip:
    """Cut a straight line out of a page, level, at the network's size."""
    top_left, top_right, bottom_right, bottom_left = polygon.astype(np.float64)
    width = max(4, round((np.linalg.norm(top_right - top_left) + np.linalg.norm(bottom_right - bottom_left)) / 2))
    height = max(4, round((np.linalg.norm(bottom_left - top_left) + np.linalg.norm(bottom_right - top_right)) / 2))
    flat = warp_to_rectangle(page, polygon, width, height)
    return resize_strip(cv2.cvtColor(flat, cv2.COLOR_RGB2GRAY).astype(np.uint8, copy=False))


def resize_strip(strip: NDArray[np.uint8]) -> Strip:
    """Resize a grey strip of any size [h, w] to the network's size."""
    shrinks = strip.shape[0] > STRIP_HEIGHT_PX
    interpolation = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
    return cv2.resize(strip, (STRIP_WIDTH_PX, STRIP_HEIGHT_PX), interpolation=interpolation).astype(
        np.uint8, copy=False
    )


def cut_curved_strip(
    page: Page, x_range: tuple[float, float], midline: Callable[[Float64Array], Float64Array], height_px: float
) -> Strip:
    """Cut a curved line out of a page and straighten it.

    midline: maps each x of the range to the y of the line's centre; px of the page.
    """
    columns, rows = max(4, round(x_range[1] - x_range[0])), max(4, round(height_px))
    x = np.linspace(*x_range, columns)
    y = midline(x)[None] + np.linspace(-height_px / 2, height_px / 2, rows)[:, None]
    source = np.broadcast_to(x, y.shape).astype(np.float32), y.astype(np.float32)
    flat = cv2.remap(page, *source, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return resize_strip(cv2.cvtColor(flat, cv2.COLOR_RGB2GRAY).astype(np.uint8, copy=False))
