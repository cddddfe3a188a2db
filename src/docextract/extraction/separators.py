"""What stands between two letters: nothing, a space, a comma, a stop. Mends what readers of print are worst at.

PP-OCR drops spaces in narrow print and takes commas for stops, and a name or an address is wrong for it. A small
network looks at the print between every two characters once more, knowing what was read. It never touches what
stands between two digits: another separator there would be another amount.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor, nn

from docextract.findings import Line
from docextract.imaging import Page, Polygon

FILE = "separators.safetensors"
SEPARATORS = ("", " ", ",", ".", ", ", ". ")
MARKS = frozenset(" ,.")
HEIGHT, WIDTH = 32, 64  # px of what is looked at: two letters and what is between them
SIDES = 4  # a character is a digit, a capital, another letter, or none of these
SURE = 0.85  # below this probability it stays as it was read
AT_ONCE = 4096  # places; 8 MB of pixels
CODED = "<"  # machine-readable zones are spelled by their own rules
_QUIET = 8.0  # grey levels; blank paper is not blown up to noise


@dataclass(frozen=True)
class Between:
    """One place between two characters of a line that are no marks themselves."""

    first: int  # their positions in the text
    second: int
    read: int  # index of SEPARATORS: what the reader put there
    sides: tuple[int, int]  # what the two characters are
    distance: float  # of their middles, in heights of the line
    pixels: NDArray[np.uint8]  # [HEIGHT, WIDTH], its middle is the middle of the two


class Network(nn.Module):
    """Pixels and what was read → what stands there."""

    def __init__(self) -> None:
        super().__init__()
        widths = (1, 16, 32, 48)
        self.look = nn.Sequential(
            *(_convolution(wide, wider, stride=2) for wide, wider in pairwise(widths)),
            _convolution(widths[-1], widths[-1], stride=1),
        )
        hints = len(SEPARATORS) + 2 * SIDES + 1
        self.decide = nn.Sequential(
            nn.Linear(widths[-1] * WIDTH // 8 + hints, 96), nn.ReLU(), nn.Dropout(0.2), nn.Linear(96, len(SEPARATORS))
        )

    def forward(self, pixels: Tensor, hints: Tensor) -> Tensor:
        """pixels: uint8 [N, HEIGHT, WIDTH]. hints: float [N, 15], see `hints`. returns: logits [N, len(SEPARATORS)]."""
        grey = pixels.float()
        spread = grey.std((1, 2), keepdim=True) + _QUIET
        seen = self.look(((grey - grey.mean((1, 2), keepdim=True)) / spread)[:, None])  # [N, 48, 4, 8]
        logits: Tensor = self.decide(torch.cat([seen.amax(2).flatten(1), hints], 1))
        return logits


def _convolution(wide: int, wider: int, stride: int) -> nn.Module:
    return nn.Sequential(nn.Conv2d(wide, wider, 3, stride, 1, bias=False), nn.BatchNorm2d(wider), nn.ReLU())


def hints(found: Sequence[Between]) -> Tensor:
    """What is known without looking. float [N, 15]"""
    rows = torch.zeros(len(found), len(SEPARATORS) + 2 * SIDES + 1)
    at = torch.arange(len(found))
    rows[at, torch.tensor([one.read for one in found])] = 1.0
    for side in (0, 1):
        rows[at, len(SEPARATORS) + side * SIDES + torch.tensor([one.sides[side] for one in found])] = 1.0
    rows[:, -1] = torch.tensor([one.distance for one in found])
    return rows


class Separators:
    """One version of the network; changes what is read where it is sure."""

    def __init__(self, network: Network) -> None:
        self._network = network.eval()

    @classmethod
    def load(cls, folder: Path, device: str = "cpu") -> "Separators | None":
        """From FILE in a folder; None where there is none: then everything stays as it was read."""
        if not (folder / FILE).exists():
            return None
        network = Network()
        network.load_state_dict({name: part.float() for name, part in load_file(folder / FILE).items()})
        return cls(network.to(device))

    def mended(self, pages: Sequence[Page], read: Sequence[Sequence[Line]]) -> list[tuple[Line, ...]]:
        """The same lines, with their separators. pages: uint8 [H, W, 3] each, what the lines were read from."""
        found = [(line, places(line, strip)) for page, lines in zip(pages, read, strict=True)
                 for line, strip in zip(lines, strips(page, lines), strict=True)]  # fmt: skip
        decided = iter(self._decide([one for _, some in found for one in some]))
        lines = iter([spelled(line, some, [next(decided) for _ in some]) for line, some in found])
        return [tuple(next(lines) for _ in some) for some in read]

    def _decide(self, found: Sequence[Between]) -> list[int]:
        """Index of SEPARATORS for each place."""
        if not found:
            return []
        device = next(self._network.parameters()).device
        decided: list[int] = []
        for start in range(0, len(found), AT_ONCE):
            some = found[start : start + AT_ONCE]
            pixels = torch.from_numpy(np.stack([one.pixels for one in some])).to(device)
            with torch.inference_mode():
                sure, best = self._network(pixels, hints(some).to(device)).softmax(1).max(1)
            taken = torch.where(sure.cpu() >= SURE, best.cpu(), torch.tensor([one.read for one in some]))
            decided += taken.tolist()
        return decided


def strips(page: Page, lines: Sequence[Line]) -> list[NDArray[np.uint8]]:
    """Each line alone, level and grey, uint8 [HEIGHT, its width]."""
    grey = np.asarray(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY), np.uint8)
    return [_strip(grey, line.polygon) for line in lines]


def _strip(grey: NDArray[np.uint8], polygon: Polygon) -> NDArray[np.uint8]:
    width = max(4, round(float(max(np.linalg.norm(polygon[0] - polygon[1]), np.linalg.norm(polygon[3] - polygon[2])))))
    height = max(4, round(float(max(np.linalg.norm(polygon[0] - polygon[3]), np.linalg.norm(polygon[1] - polygon[2])))))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    flat = cv2.warpPerspective(
        grey, cv2.getPerspectiveTransform(polygon.astype(np.float32), target), (width, height),
        flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    size = (max(8, round(width * HEIGHT / height)), HEIGHT)
    return np.asarray(cv2.resize(flat, size, interpolation=cv2.INTER_AREA if height > HEIGHT else cv2.INTER_LINEAR))


def places(line: Line, strip: NDArray[np.uint8]) -> list[Between]:
    """Every place of a line that may be mended; [] where it is not known where its letters stand."""
    if line.cuts is None or CODED in line.text:
        return []
    middles = _middles(line.cuts) * strip.shape[1]
    padded = np.pad(strip, ((0, 0), (WIDTH // 2, WIDTH // 2)), mode="edge")
    found = []
    for first, second in pairwise(letters(line.text)):
        between, sides = line.text[first + 1 : second], (line.text[first], line.text[second])
        if between in SEPARATORS and not all(side.isdigit() for side in sides):
            left = min(int((middles[first] + middles[second]) / 2), strip.shape[1] - 1)
            found.append(
                Between(
                    first, second, SEPARATORS.index(between), (_side(sides[0]), _side(sides[1])),
                    float(middles[second] - middles[first]) / HEIGHT, padded[:, left : left + WIDTH],
                )
            )  # fmt: skip
    return found


def letters(text: str) -> list[int]:
    """Where characters stand that are no separators."""
    return [at for at, letter in enumerate(text) if letter not in MARKS]


def _middles(cuts: Sequence[float]) -> NDArray[np.float64]:
    borders = np.asarray(cuts, np.float64)
    return np.asarray((borders[1:] + borders[:-1]) / 2)


def _side(letter: str) -> int:
    return 0 if letter.isdigit() else 1 if letter.isupper() else 2 if letter.isalpha() else 3


def spelled(line: Line, found: Sequence[Between], decided: Sequence[int]) -> Line:
    """The line with these separators (indices of SEPARATORS) at these places."""
    changed = {
        one.first: (one.second, SEPARATORS[new]) for one, new in zip(found, decided, strict=True) if new != one.read
    }
    if not changed or line.cuts is None:
        return line
    middles = _middles(line.cuts)
    text, stands = "", []
    at = 0
    while at < len(line.text):
        text += line.text[at]
        stands.append(float(middles[at]))
        if at in changed:
            second, between = changed[at]
            text += between
            stands += np.linspace(middles[at], middles[second], len(between) + 2)[1:-1].tolist()
            at = second
        else:
            at += 1
    inner = [(one + other) / 2 for one, other in pairwise(stands)]
    return replace(line, text=text, cuts=(line.cuts[0], *inner, line.cuts[-1]))
