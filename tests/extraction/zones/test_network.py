"""The reader of machine-readable zones: what is kept of it, and how it cuts lines out of a page."""

import numpy as np
import pytest
import torch

from docextract.extraction.zones.decoding import ZONE_CHARACTERS
from docextract.extraction.zones.network import (
    STRIP_HEIGHT_PX,
    STRIP_WIDTH_PX,
    ZONE_FRAME_PX,
    ZONE_WEIGHTS_FILE,
    ZoneNetwork,
    ZoneNetworkShape,
    ZoneReader,
    cut_strip,
    save_zone_network,
)

TINY = ZoneNetworkShape(widths=(4, 4, 8, 8), depth=1)


@pytest.fixture
def network():
    torch.manual_seed(0)
    return ZoneNetwork(TINY).eval()


def outline(left, top, width, height):
    return np.array([[left, top], [left + width, top], [left + width, top + height], [left, top + height]], np.float32)


def test_what_is_saved_reads_alike(network, tmp_path):
    """The shape travels in the file; half the precision changes next to nothing."""
    save_zone_network(network, tmp_path)
    page = np.random.default_rng(0).integers(0, 255, (60, 500, 3), dtype=np.uint8)
    places = [outline(10, 5, 470, 30), outline(5, 20, 400, 25)]

    loaded = ZoneReader.load(tmp_path)
    assert loaded is not None
    for one, other in zip(ZoneReader(network).read(page, places), loaded.read(page, places), strict=True):
        assert one.characters.shape == (STRIP_WIDTH_PX // ZONE_FRAME_PX, len(ZONE_CHARACTERS))
        assert one.middles == pytest.approx(other.middles, abs=0.1)
        assert np.exp(one.characters).sum(axis=1) == pytest.approx(1, abs=1e-3)


def test_weights_without_it_have_none(tmp_path):
    """Versions from before there was such a reader are served as they were."""
    assert ZoneReader.load(tmp_path) is None
    assert not (tmp_path / ZONE_WEIGHTS_FILE).exists()


def test_a_line_is_cut_level_and_whole():
    """Lying askew, it stands upright in its strip; what lies outside the page is its border drawn out."""
    page = np.full((200, 200, 3), 255, np.uint8)
    page[:, 100:] = 0
    upward = np.array([[60, 180], [60, 20], [140, 20], [140, 180]], np.float32)  # runs up the page

    strip = cut_strip(page, upward)

    assert strip.shape == (STRIP_HEIGHT_PX, STRIP_WIDTH_PX)
    assert strip[:12].min() > 200  # its top is the page's left
    assert strip[-12:].max() < 50
    assert cut_strip(page, upward + 300).shape == strip.shape


def test_no_strips_are_no_work(network):
    """A page on which nothing was found."""
    assert ZoneReader(network).read(np.zeros((10, 10, 3), np.uint8), []) == []
