"""Strips of a page, each a line of a machine-readable zone → what stands where along them.

PP-OCR was not made for such lines: it drops and doubles fillers, and lines break where those begin. This network knows
37 characters and nothing of words. For every frame along a strip it says whether the middle of a character lies there,
and which character that would be; `zone_columns` makes lines of it.
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

from docextract.extraction.zones.decoding import ZONE_CHARACTERS, FrameScores
from docextract.images.geometry import Page, Polygon, warp_to_rectangle

ZONE_WEIGHTS_FILE = "zones.safetensors"  # beside the weights of the network that understands

STRIP_HEIGHT_PX, STRIP_WIDTH_PX = 32, 704  # sixteen px for each of 44 characters; shorter lines are drawn out
ZONE_FRAME_PX = 4
AT_ONCE = 64  # strips that are read together: each takes 0.6 MB meanwhile

Floats = NDArray[np.float64]
Strip = NDArray[np.uint8]  # [STRIP_HEIGHT_PX, STRIP_WIDTH_PX], grey


@dataclass(frozen=True)
class ZoneNetworkShape:
    """Everything needed to build the network; kept in its file."""

    widths: tuple[int, int, int, int] = (24, 48, 96, 160)  # channels at each scale, and along the line
    depth: int = 4  # convolutions along the line

    @classmethod
    def from_json(cls, text: str) -> "ZoneNetworkShape":
        """As it is kept."""
        values = json.loads(text)
        return cls(tuple(values["widths"]), values["depth"])


class _Block(nn.Sequential):
    def __init__(self, enter: int, leave: int, stride: tuple[int, int] = (1, 1)) -> None:
        super().__init__(
            nn.Conv2d(enter, leave, 3, stride, padding=1, bias=False), nn.BatchNorm2d(leave), nn.ReLU(inplace=True)
        )


class _Deeper(nn.Module):
    """Convolutions whose result is added to what goes in."""

    def __init__(self, *parts: nn.Module) -> None:
        super().__init__()
        self.parts = nn.Sequential(*parts)

    def forward(self, hidden: Tensor) -> Tensor:
        deeper: Tensor = hidden + self.parts(hidden)
        return deeper


def _along(width: int) -> _Deeper:
    return _Deeper(
        nn.Conv2d(width, width, (1, 5), padding=(0, 2), bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)
    )


class ZoneNetwork(nn.Module):
    """Strips in; for each frame the logit that it is the middle of a character, and logits of characters, out."""

    def __init__(self, shape: ZoneNetworkShape) -> None:
        super().__init__()
        self.shape = shape
        first, second, third, last = shape.widths
        self.body = nn.Sequential(
            _Block(1, first, (2, 2)),
            _Block(first, second, (2, 2)),
            _Deeper(_Block(second, second), _Block(second, second)),
            _Block(second, third, (2, 1)),
            _Deeper(_Block(third, third), _Block(third, third)),
            nn.Conv2d(third, last, (STRIP_HEIGHT_PX // 8, 1), bias=False), nn.BatchNorm2d(last), nn.ReLU(inplace=True),
            *(_along(last) for _ in range(shape.depth)),
        )  # fmt: skip
        self.head = nn.Conv2d(last, 1 + len(ZONE_CHARACTERS), 1)

    def forward(self, strips: Tensor) -> Tensor:
        """strips: uint8 [B, H, W], grey. returns: [B, T, 1 + C] in float32, the middle's logit first."""
        grey = strips.float()
        level = grey.mean((1, 2), keepdim=True)
        grey = (grey - level) / (grey.std((1, 2), keepdim=True) + 4.0)
        hidden = self.body(grey[:, None].contiguous(memory_format=torch.channels_last))  # [B, D, 1, T]
        logits: Tensor = self.head(hidden).squeeze(2).transpose(1, 2).float()
        return logits


class ZoneReader:
    """Reads lines of machine-readable zones. Not for use by several threads at once."""

    def __init__(self, network: ZoneNetwork) -> None:
        """network: on the device where it is to run."""
        self._network = network.eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._device = next(network.parameters()).device

    @classmethod
    def load(cls, folder: Path, device: str = "cpu") -> "ZoneReader | None":
        """From a folder of weights; None where they have no such reader."""
        if not (folder / ZONE_WEIGHTS_FILE).exists():
            return None
        with safe_open(folder / ZONE_WEIGHTS_FILE, "pt") as file:
            shape = ZoneNetworkShape.from_json(file.metadata()["shape"])
        network = ZoneNetwork(shape)
        # What BatchNorm counts while it learns is not kept.
        network.load_state_dict(
            {name: part.float() for name, part in load_file(folder / ZONE_WEIGHTS_FILE).items()}, strict=False
        )
        return cls(network.to(device))

    def read(self, page: Page, outlines: Sequence[Polygon]) -> list[FrameScores]:
        """What stands along each strip. outlines: [4, 2] px of the page, clockwise from the line's own top left."""
        return self.read_strips([cut_strip(page, outline) for outline in outlines])

    def read_strips(self, strips: Sequence[Strip]) -> list[FrameScores]:
        """The same for strips that have been cut."""
        parts = (strips[start : start + AT_ONCE] for start in range(0, len(strips), AT_ONCE))
        return [frames for part in parts for frames in self._read(part)]

    def _read(self, strips: Sequence[Strip]) -> list[FrameScores]:
        with torch.inference_mode(), torch.autocast(self._device.type, torch.bfloat16):
            logits = self._network(torch.from_numpy(np.stack(strips)).to(self._device))
        middles = logits[..., 0].cpu().numpy()
        characters = logits[..., 1:].log_softmax(-1).cpu().numpy()
        return [FrameScores(*one) for one in zip(middles, characters, strict=True)]


def save_zone_network(network: ZoneNetwork, folder: Path) -> None:
    """fp16, with the shape in the file itself."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        name: (value.half() if value.is_floating_point() else value).cpu().contiguous()
        for name, value in network.state_dict().items()
        if not name.endswith("num_batches_tracked")
    }
    save_file(weights, folder / ZONE_WEIGHTS_FILE, {"shape": json.dumps(asdict(network.shape))})


def cut_strip(page: Page, outline: Polygon) -> Strip:
    """The line alone, level, as the network wants it."""
    top_left, top_right, bottom_right, bottom_left = outline.astype(np.float64)
    width = max(4, round((np.linalg.norm(top_right - top_left) + np.linalg.norm(bottom_right - bottom_left)) / 2))
    height = max(4, round((np.linalg.norm(bottom_left - top_left) + np.linalg.norm(bottom_right - top_right)) / 2))
    return resize_strip(
        cv2.cvtColor(warp_to_rectangle(page, outline, width, height), cv2.COLOR_RGB2GRAY).astype(np.uint8, copy=False)
    )


def resize_strip(strip: NDArray[np.uint8]) -> Strip:
    """A strip of any size [h, w] at the network's."""
    shrinks = strip.shape[0] > STRIP_HEIGHT_PX
    how = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
    return cv2.resize(strip, (STRIP_WIDTH_PX, STRIP_HEIGHT_PX), interpolation=how).astype(np.uint8, copy=False)


def cut_curved_strip(page: Page, ends: tuple[float, float], middle: Callable[[Floats], Floats], height: float) -> Strip:
    """A line that bends: middle has its y for every x between the ends, px of the page."""
    across, down = max(4, round(ends[1] - ends[0])), max(4, round(height))
    x = np.linspace(*ends, across)
    y = middle(x)[None] + np.linspace(-height / 2, height / 2, down)[:, None]
    where = np.broadcast_to(x, y.shape).astype(np.float32), y.astype(np.float32)
    flat = cv2.remap(page, *where, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return resize_strip(cv2.cvtColor(flat, cv2.COLOR_RGB2GRAY).astype(np.uint8, copy=False))
