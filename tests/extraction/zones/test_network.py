"""The zone network: storage of its weights, and cutting of strips out of a page."""

import numpy as np
import pytest
import torch

from docextract.extraction.zones import network as zone_network
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


def rectangle(left, top, width, height):
    return np.array([[left, top], [left + width, top], [left + width, top + height], [left, top + height]], np.float32)


def test_saved_network_gives_the_same_scores(network, tmp_path):
    """The file contains the shape of the network; half precision changes the scores very little."""
    save_zone_network(network, tmp_path)
    page = np.random.default_rng(0).integers(0, 255, (60, 500, 3), dtype=np.uint8)
    polygons = [rectangle(10, 5, 470, 30), rectangle(5, 20, 400, 25)]

    loaded = ZoneReader.load(tmp_path)
    assert loaded is not None
    for one, other in zip(ZoneReader(network).read(page, polygons), loaded.read(page, polygons), strict=True):
        assert one.character_log_probabilities.shape == (STRIP_WIDTH_PX // ZONE_FRAME_PX, len(ZONE_CHARACTERS))
        assert one.centre_log_odds == pytest.approx(other.centre_log_odds, abs=0.1)
        assert np.exp(one.character_log_probabilities).sum(axis=1) == pytest.approx(1, abs=1e-3)


def test_weights_without_a_zone_network_have_no_reader(tmp_path):
    """Older versions, which have no zone network, are served without it."""
    assert ZoneReader.load(tmp_path) is None
    assert not (tmp_path / ZONE_WEIGHTS_FILE).exists()


def test_lines_are_read_in_float32_where_that_is_faster(network, monkeypatch):
    """Processors without instructions for bfloat16 need six times as long for it."""
    strip = np.random.default_rng(0).integers(0, 255, (STRIP_HEIGHT_PX, STRIP_WIDTH_PX), dtype=np.uint8)
    with torch.inference_mode():
        expected = network(torch.from_numpy(strip[None]))[0, :, 0].numpy()

    def difference(is_fast):
        monkeypatch.setattr(zone_network, "has_fast_bfloat16", lambda: is_fast)
        return np.abs(ZoneReader(network).read_strips([strip])[0].centre_log_odds - expected).max()

    assert difference(is_fast=False) < 1e-5 < difference(is_fast=True)


def test_a_rotated_line_is_cut_level_and_complete():
    """A line that runs up the page is level in its strip; outside the page its border pixels are repeated."""
    page = np.full((200, 200, 3), 255, np.uint8)
    page[:, 100:] = 0
    upward = np.array([[60, 180], [60, 20], [140, 20], [140, 180]], np.float32)  # runs up the page

    strip = cut_strip(page, upward)

    assert strip.shape == (STRIP_HEIGHT_PX, STRIP_WIDTH_PX)
    assert strip[:12].min() > 200  # the top of the strip is the left of the page
    assert strip[-12:].max() < 50
    assert cut_strip(page, upward + 300).shape == strip.shape


def test_no_polygons_give_no_scores(network):
    """A page on which no line was found."""
    assert ZoneReader(network).read(np.zeros((10, 10, 3), np.uint8), []) == []
