"""From pixels to found values, with the real reader and a tiny network."""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from docextract.extraction.extractor import Extractor, batch_by_length
from docextract.extraction.layout.calibration import UNCALIBRATED
from docextract.extraction.layout.network import LayoutTransformer
from docextract.extraction.layout.pieces import ngrams
from tests.extraction.conftest import TINY, seen


def printed(*rows: str) -> np.ndarray:
    """Black on white, one row of print under the other."""
    page = np.full((60 + 60 * len(rows), 620, 3), 255, np.uint8)
    for at, text in enumerate(rows):
        cv2.putText(page, text, (30, 70 + 60 * at), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (0, 0, 0), 2, cv2.LINE_AA)
    return page


@pytest.fixture(scope="module")
def extractor(tmp_path_factory):
    """A version on disk, as training writes it, and loaded as serving does."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("weights")
    network = LayoutTransformer(TINY)
    save_file({name: part.half() for name, part in network.state_dict().items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"architecture": "layout", "shape": TINY.to_json()}))
    return Extractor.load(folder, threads=1)


def test_print_is_read_with_its_place(extractor):
    """The line's polygon lies on its pixels."""
    page = printed("GRAND TOTAL 12.50")

    (found,) = extractor.extract([page], ["receipt"])

    assert [line.text for line in found.lines] == ["GRAND TOTAL 12.50"]
    (left, top), (right, bottom) = found.lines[0].polygon.min(axis=0), found.lines[0].polygon.max(axis=0)
    ink = np.argwhere(page[..., 0] < 128)
    assert left <= ink[:, 1].min() + 6
    assert right >= ink[:, 1].max() - 6
    assert top <= ink[:, 0].min() + 6
    assert bottom >= ink[:, 0].max() - 6


def test_a_batch_answers_like_its_pages_alone(extractor):
    """Batching is for speed only; nobody's neighbours change an answer."""
    pages = [printed("SHOP ONE", "TOTAL 1.00"), printed("SHOP TWO", "TAX 2.00", "SUM 3.00"), printed("X")]

    together = extractor.extract(pages, ["receipt"] * 3)
    alone = [extractor.extract([page], ["receipt"])[0] for page in pages]

    assert [[line.text for line in one.lines] for one in together] == [
        [line.text for line in one.lines] for one in alone
    ]
    assert [one.fields.keys() for one in together] == [one.fields.keys() for one in alone]


def test_a_page_without_print_is_an_empty_finding(extractor):
    """An empty page among others is no accident."""
    blank = np.full((400, 300, 3), 255, np.uint8)

    first, second = extractor.extract([blank, printed("TOTAL 1.00")], ["receipt", "receipt"])

    assert (first.fields, first.groups, first.lines) == ({}, {}, ())
    assert second.lines


def test_a_page_without_print_is_of_no_type(tiny):
    """However much the network takes nothing for a receipt."""
    with torch.no_grad():
        tiny.type_head.bias.copy_(torch.tensor([9.0, -9.0]))
    extractor = Extractor(tiny, UNCALIBRATED, reader=None)

    guessed, asked_for = extractor.extract_from_lines([(), ()], ["auto", "receipt"])

    assert (guessed.type, guessed.type_confidence) == ("other", 1.0)
    assert (asked_for.type, asked_for.type_confidence) == ("receipt", 0.0)


def test_a_dense_page_does_not_slow_its_neighbours():
    """It is understood by itself; the short ones of its batch are not padded to its length."""
    assert list(batch_by_length([100, 1000, 120, 0, 110])) == [[3, 0, 4, 2], [1]]
    assert list(batch_by_length([1000] * 4)) == [[0, 1], [2, 3]]
    assert list(batch_by_length([])) == []


def test_no_word_is_kept_once_a_page_is_answered(tiny, line):
    """What makes training fast would hold strangers' words in memory."""
    Extractor(tiny, UNCALIBRATED, reader=None).extract_from_lines([[line("MARTIN 81100")]], ["receipt"])

    assert ngrams.cache_info().currsize == 0


def test_findings_come_in_the_order_of_the_pages(tiny, line):
    """Whatever order they were understood in."""
    extractor = Extractor(tiny, UNCALIBRATED, reader=None)
    read = [[line(f"PAGE {at} WORD", 0, 30 * row) for row in range(rows)] for at, rows in enumerate([90, 2, 300, 1])]

    found = extractor.extract_from_lines(read, ["receipt"] * 4)

    assert [one.lines[0].text for one in found] == [f"PAGE {at} WORD" for at in range(4)]


ZONE = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")


@pytest.fixture
def unsure():
    """A network that knows passports and takes everything for a receipt, but not firmly."""
    torch.manual_seed(0)
    network = LayoutTransformer(replace(TINY, types=("receipt", "passport", "other"))).eval()
    with torch.no_grad():
        network.type_head.weight.zero_()
        network.type_head.bias.copy_(torch.tensor([1.0, 0.0, 0.0]))
    return network


def test_a_valid_zone_tells_what_a_page_is(unsure, line):
    """Where the network is not sure; nobody prints five right check digits by chance."""
    page = [line(text, 10, 40 * at) for at, text in enumerate(ZONE)]
    extractor = Extractor(unsure, UNCALIBRATED, reader=None)

    found, asked_for, without = extractor.extract_from_lines([page, page, page[:1]], ["auto", "receipt", "auto"])

    assert (found.type, found.zone is not None) == ("passport", True)
    assert found.type_confidence > 0.9
    assert asked_for.type == "receipt"
    assert (without.type, without.zone) == ("receipt", None)


class Zones:
    """What has a closer look at zones and always sees this one; on which pages it was asked to."""

    def __init__(self):
        self.asked = []

    def read(self, page, outlines):
        self.asked.append(page)
        return [seen(text) for text in ZONE]

    def read_strips(self, strips):
        return [seen("<" * 44, unseen=range(44)) for _ in strips]


def test_zones_are_looked_at_more_closely_where_there_is_a_page(unsure, line):
    """What was read before, without its page, has the reader's own lines."""
    lines = [line(text.replace("<<<", "<"), 10, 40 * at) for at, text in enumerate(ZONE)]
    zones, page = Zones(), np.zeros((100, 500, 3), np.uint8)
    extractor = Extractor(unsure, UNCALIBRATED, reader=None, zones=zones)

    seen_closer, no_zone = extractor.extract_from_lines([lines, [line("TOTAL 1.00")]], ["passport"] * 2, [page, page])
    extractor.extract_from_lines([lines], ["passport"])

    assert seen_closer.zone is not None
    assert seen_closer.zone.lines == ZONE
    assert no_zone.zone is None
    assert len(zones.asked) == 1  # and not at all where nothing looks like a zone


def test_a_network_that_is_sure_is_believed(unsure, line):
    """A receipt may quote a passport."""
    page = [line(text, 10, 40 * at) for at, text in enumerate(ZONE)]
    with torch.no_grad():
        unsure.type_head.bias.copy_(torch.tensor([9.0, 0.0, 0.0]))

    (found,) = Extractor(unsure, UNCALIBRATED, reader=None).extract_from_lines([page], ["auto"])

    assert found.type == "receipt"


def test_no_pages_no_findings(extractor):
    """BentoML may dispatch an empty batch."""
    assert extractor.extract([], []) == []


@pytest.mark.parametrize("shape", [(1, 500), (500, 1), (3, 3), (64, 64)])
def test_strips_and_specks_do_not_raise(extractor, shape):
    """Whatever the rectifier cuts out gets an answer."""
    (found,) = extractor.extract([np.zeros((*shape, 3), np.uint8)], ["receipt"])

    assert found.fields == {}


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_page_on_its_side_reads_like_an_upright_one(extractor, turns):
    """Where the quality network is wrong about which way is up, the reader notices."""
    page = printed("MOON MART SDN BHD", "DATE 12/03/2018", "GRAND TOTAL 12.50")
    turned = np.ascontiguousarray(np.rot90(page, turns))

    upright, found = extractor.extract([page, turned], ["receipt", "receipt"])

    assert [line.text for line in found.lines] == [line.text for line in upright.lines]
    first = found.lines[0].polygon.astype(int)
    ink = turned[first[:, 1].min() : first[:, 1].max(), first[:, 0].min() : first[:, 0].max()]
    assert (ink < 128).mean() > 0.05
