"""Tests of the cache and the worker pool."""

import json

import numpy as np

from docextract.predictions import TextLine
from training.datasets.simulated_photos import SyntheticPhotoSpec
from training.evaluation.accuracy import workers
from training.evaluation.accuracy.workers import (
    CachedReads,
    Job,
    ResultCache,
    WorkerPool,
    WorkerSettings,
    content_digest,
    photo_job,
)
from training.synth import fonts

BOX = np.array([[0, 0], [9, 0], [9, 3], [0, 3]], np.float32)


class CountingReader:
    """A reader with the same result on every page, which counts the pages."""

    digest = ""

    def __init__(self):
        self.pages = 0

    def read(self, pages):
        self.pages += len(pages)
        return [(TextLine("TOTAL", BOX, 0.9, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),) for _ in pages]


def test_the_same_pixels_are_read_once(tmp_path, monkeypatch):
    """A second cache object finds the results of the first; other pixels are read."""
    reader = CountingReader()
    page = np.full((40, 30, 3), 200, np.uint8)

    first = CachedReads(ResultCache(tmp_path)).read(reader, [page])
    second = CachedReads(ResultCache(tmp_path)).read(reader, [page, page[:20]])

    assert reader.pages == 2
    assert [line.text for line in second[0]] == ["TOTAL"]
    assert np.array_equal(first[0][0].polygon, second[0][0].polygon)


def test_a_digest_depends_on_the_limits_of_its_parts():
    """The limits between the parts are part of the digest."""
    assert content_digest("ab", "c") != content_digest("a", "bc")


def test_a_photo_depends_on_the_typefaces(monkeypatch):
    """A machine without `make fonts` does not take the photos of one with all typefaces."""
    spec = SyntheticPhotoSpec("receipt", 0)
    every = fonts.available()
    before = photo_job(spec, None).key

    monkeypatch.setattr(fonts, "available", lambda: every[:1])

    assert photo_job(spec, None).key != before


def test_the_digest_of_sources_depends_on_their_data(tmp_path, monkeypatch):
    """Word lists and templates change a generated page as code does."""
    monkeypatch.setattr(workers, "_ROOT", tmp_path)
    (tmp_path / "synth" / "__pycache__").mkdir(parents=True)
    digests = []
    for name, text in (("words.json", "[]"), ("words.json", "[1]"), ("__pycache__/words.pyc", "compiled")):
        (tmp_path / "synth" / name).write_text(text)
        digests.append(workers.source_digest.__wrapped__(tmp_path / "synth"))

    assert digests[0] != digests[1] == digests[2]


def test_cached_results_need_no_process(tmp_path):
    """A run whose results are all cached starts no process."""
    cache = ResultCache(tmp_path)
    cache.put("answer", "k", {"documents": []})

    with WorkerPool(WorkerSettings(tmp_path, None, {}, None), processes=1) as office:
        assert office.results([Job("answer", "k", ())], "") == [{"documents": []}]


def test_results_are_written_atomically(tmp_path):
    """Results are written atomically: no temporary file stays under the folder."""
    cache = ResultCache(tmp_path)
    cache.put("baseline", "k", ["a"])

    assert [file.name for file in (tmp_path / "baseline").iterdir()] == ["k.json"]
    assert json.loads(cache.file("baseline", "k").read_text()) == ["a"]
    assert cache.get("baseline", "other") is None
