"""Synthetic OCR lines and zone scores, and a layout transformer small enough for tests."""

import json
from collections.abc import Callable

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from docextract.documents import document_types
from docextract.extraction.extractor import Extractor
from docextract.extraction.layout.network import LayoutShape, LayoutTransformer
from docextract.extraction.zones.decoding import ZONE_CHARACTERS
from docextract.extraction.zones.grids import FrameScores
from docextract.predictions import TextLine

TINY = LayoutShape(
    fields=tuple(field.name for field in document_types()["receipt"].fields()),
    types=("receipt", "other"),
    currencies=("", "MYR", "USD"),
    width=32,
    layers=2,
    heads=4,
    ngram_width=16,
    dropout=0.0,
)
FRAMES = 176  # of a strip


@pytest.fixture
def line() -> Callable[..., TextLine]:
    """Return a function that makes a level line: text, left, top and height in px; letters are 10 px wide."""

    def make(text: str, x: float = 0, y: float = 0, confidence: float = 0.99, height: float = 20) -> TextLine:
        width = 10 * len(text)
        box = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], np.float32)
        return TextLine(text, box, confidence)

    return make


@pytest.fixture
def tiny() -> LayoutTransformer:
    """A network with random weights, the same in every test."""
    torch.manual_seed(0)
    return LayoutTransformer(TINY).eval()


@pytest.fixture(scope="session")
def extractor(tmp_path_factory: pytest.TempPathFactory) -> Extractor:
    """A version on disk, as training writes it, loaded as serving does."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("weights")
    network = LayoutTransformer(TINY)
    save_file({name: part.half() for name, part in network.state_dict().items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"architecture": "layout", "shape": TINY.to_json()}))
    return Extractor.load(folder, threads=1)


def frame_scores(text, start=5.0, pitch=None, bend=0.0, alternatives=None, hidden=(), fold=1.0):
    """Make the frame scores of a zone line that the network reads with certainty, except for some columns.

    start, pitch, bend: in frames. alternatives: column -> probabilities of characters. hidden: columns without print.
    fold: the pitch of the second half of the line, as a share of that of the first.
    """
    pitch = pitch or (FRAMES - 10) / len(text)
    number = np.arange(len(text))
    positions = start + pitch * (number + 0.5) + bend * np.sin(np.pi * number / len(text))
    positions = positions - (1 - fold) * np.maximum(positions - np.median(positions), 0)
    frames = np.arange(FRAMES)
    distances = np.abs(frames[:, None] - positions)
    centres = np.where(distances.min(axis=1) <= 0.5, 4.0, -4.0)
    probabilities = np.full((FRAMES, len(ZONE_CHARACTERS)), 1e-5)
    for column, character in enumerate(text):
        near = distances[:, column] <= pitch / 2
        for one, probability in (alternatives or {}).get(column, {character: 0.999}).items():
            probabilities[near, ZONE_CHARACTERS.index(one)] = probability
        if column in hidden:
            centres[near], probabilities[near] = -4.0, 1 / len(ZONE_CHARACTERS)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return FrameScores(centres.astype(np.float32), np.log(probabilities).astype(np.float32))
