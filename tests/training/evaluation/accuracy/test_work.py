"""What is slow is done once."""

import json

import numpy as np

from docextract.predictions import Line
from training.evaluation.accuracy.work import Job, Kept, KeptReads, Office, Tools, digest

BOX = np.array([[0, 0], [9, 0], [9, 3], [0, 3]], np.float32)


class Counting:
    """Reads the same on every page, and counts pages."""

    digest = ""

    def __init__(self):
        self.pages = 0

    def read(self, pages):
        self.pages += len(pages)
        return [(Line("TOTAL", BOX, 0.9, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),) for _ in pages]


def test_the_same_pixels_are_read_once(tmp_path, monkeypatch):
    """Another process, another model, another day: what was read is there; other pixels are read."""
    reader = Counting()
    page = np.full((40, 30, 3), 200, np.uint8)

    first = KeptReads(Kept(tmp_path)).read(reader, [page])
    second = KeptReads(Kept(tmp_path)).read(reader, [page, page[:20]])

    assert reader.pages == 2
    assert [line.text for line in second[0]] == ["TOTAL"]
    assert np.array_equal(first[0][0].polygon, second[0][0].polygon)


def test_digests_tell_parts_apart():
    """Where one part ends and the next begins counts."""
    assert digest("ab", "c") != digest("a", "bc")


def test_kept_results_need_no_process(tmp_path):
    """A run in which all is known starts nothing."""
    kept = Kept(tmp_path)
    kept.put("answer", "k", {"documents": []})

    with Office(Tools(tmp_path, None, {}, None), processes=1) as office:
        assert office.results([Job("answer", "k", ())], "") == [{"documents": []}]


def test_a_result_is_whole_or_not_there(tmp_path):
    """Whoever stops the run leaves no half file under a key."""
    kept = Kept(tmp_path)
    kept.put("peer", "k", ["a"])

    assert [file.name for file in (tmp_path / "peer").iterdir()] == ["k.json"]
    assert json.loads(kept.file("peer", "k").read_text()) == ["a"]
    assert kept.get("peer", "other") is None
