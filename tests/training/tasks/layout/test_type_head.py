"""Fitting the type head: what is read once, and which pages weigh how much."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedZone, TextLine
from training.tasks.layout import type_head
from training.tasks.layout.type_head import (
    PageReader,
    TypedPage,
    named_types,
    page_weights,
    results_by_type,
    types_by_cross_validation,
)

BOX = np.array([[0, 0], [90, 0], [90, 20], [0, 20]], np.float32)


def count_reads(monkeypatch, texts):
    """The paths that are read; every file has pages with these texts, and "" is a page without print."""
    read = []
    pages = [
        PagePrediction("receipt", 1.0, Conventions(), lines=(TextLine(text, BOX, 0.9),) if text else ())
        for text in texts
    ]
    monkeypatch.setattr(PageReader, "_read", lambda self, path: read.append(path) or pages)
    monkeypatch.setattr(PageReader, "_reader", "reader")
    return read


def test_a_file_is_read_once(tmp_path, monkeypatch):
    """Lines are kept, also for the weights of another training."""
    file, read = tmp_path / "a.pdf", count_reads(monkeypatch, ["Total 9.00", ""])
    file.write_bytes(b"one")
    first = PageReader(tmp_path).lines(file)
    second = PageReader(tmp_path).lines(file)

    assert len(read) == 1
    assert [[line.text for line in page] for page in second] == [["Total 9.00"]]  # a page without print has no lines
    assert len(first) == 1


def test_a_file_is_read_once_without_a_cache(tmp_path, monkeypatch):
    """few_documents asks for the same files in every draw, also for those without print."""
    read = count_reads(monkeypatch, [""])
    reader = PageReader(None)
    (tmp_path / "a.pdf").write_bytes(b"one")

    assert [reader.lines(tmp_path / "a.pdf") for _ in range(2)] == [[], []]
    assert len(read) == 1


def test_another_file_or_reader_is_read_again(tmp_path, monkeypatch):
    """A file of the same name that was replaced, and the same file after a promotion."""
    file, read = tmp_path / "a.pdf", count_reads(monkeypatch, ["Total 9.00"])
    for content, reader in ((b"one", "first"), (b"two", "first"), (b"two", "second"), (b"one", "first")):
        file.write_bytes(content)
        monkeypatch.setattr(PageReader, "_reader", reader)
        PageReader(tmp_path).lines(file)

    assert len(read) == 3


def test_a_half_written_line_is_read_again(tmp_path, monkeypatch):
    """All pages of a file are kept in one line; what a killed run left of it is dropped."""
    file, read = tmp_path / "a.pdf", count_reads(monkeypatch, ["page 1", "page 2"])
    file.write_bytes(b"one")
    PageReader(tmp_path).lines(file)
    cache = tmp_path / "files.jsonl"
    cache.write_text(cache.read_text()[:-40])

    for _ in range(2):
        assert [[line.text for line in page] for page in PageReader(tmp_path).lines(file)] == [["page 1"], ["page 2"]]
    assert len(read) == 2


def test_the_given_models_read(tmp_path, monkeypatch):
    """`--models` of calibrate names them. The quality model crops the pages before they are read."""
    monkeypatch.setattr(
        type_head,
        "promoted_version",
        lambda name, models: SimpleNamespace(folder=models / name, digest=f"digest of {models / name}"),
    )
    monkeypatch.setattr(type_head.reads, "load_reader", lambda weights: SimpleNamespace(digest=f"reader of {weights}"))
    mine = tmp_path / "mine"

    assert PageReader(tmp_path, mine)._reader == f"digest of {mine / 'quality'} reader of {mine / 'extraction'}"


def test_receipts_of_one_merchant_are_one_group(tmp_path):
    """Heads are judged on merchants that they have not seen."""
    rows = [
        {"image": "1.jpg", "type": "receipt", "fields": {"merchant_name": "Moon Mart"}},
        {"image": "2.jpg", "type": "receipt", "fields": {"merchant_name": "MOON-MART"}},
        {"image": "3.jpg", "type": "receipt"},
        {"image": "4.pdf", "type": "invoice", "template": "blue", "fields": {"merchant_name": "Moon Mart"}},
    ]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))

    groups = [file.group.partition("/")[2] for file in type_head.collected_files([tmp_path])]

    assert groups == ["MOONMART", "MOONMART", "3.jpg", "blue"]


def test_a_valid_zone_is_preferred(monkeypatch):
    """Another page may have lines that look like one."""
    zones = [PredictedZone("TD1", "I", (), valid, {}, False, 0.9, (), {}) for valid in (False, True)]
    pages = [PagePrediction("id_card", 1.0, Conventions(), zone=one) for one in (None, *zones)]
    monkeypatch.setattr(PageReader, "_read", lambda self, path: pages)

    assert PageReader(None).zone(Path("a.pdf")) is zones[1]


def test_a_page_is_of_another_kind_only_if_that_is_clear():
    """Refusing a document costs more than an answer about another paper."""
    probabilities = np.array([[0.47, 0.53], [0.01, 0.99]], np.float32)

    assert named_types(probabilities, ("invoice", "other")) == ["invoice", "other"]


def test_types_with_few_pages_weigh_as_much_as_others():
    """A thousand receipts do not outweigh eight passports."""
    classes = np.array([0] * 90 + [1] * 10 + [2] * 50)
    weights = page_weights(classes, ["real"] * 150, other=2)

    assert np.isclose(weights[classes == 0].sum(), weights[classes == 1].sum())


def test_filled_layouts_do_not_outweigh_real_documents():
    """There are ten times as many; what they weigh does not depend on their number."""
    origins = ["real"] * 20 + ["template"] * 400 + ["generated"] * 100
    classes = np.array([0] * 10 + [1] * 10 + [0] * 400 + [0] * 50 + [1] * 50)
    weights = page_weights(classes, origins, other=1)

    by_origin = {one: weights[np.array(origins) == one].sum() for one in ("real", "template", "generated")}
    assert by_origin["real"] > 2 * by_origin["template"]
    assert np.isclose(by_origin["generated"], 2 * by_origin["template"])  # of both types


def test_a_kind_of_paper_is_judged_by_heads_that_have_not_seen_it():
    """A paper that looks like an invoice and is of a kind of its own cannot be known, whatever is served."""
    types = ("invoice", "other")
    look = {"invoice": (4.0, 0.0), "other": (0.0, 4.0)}

    def page(number, kind, group, seen):
        return TypedPage(f"{number}", kind, group, np.array(look[seen], np.float32))

    pages = [page(number, kind, f"{kind}{number % 8}", kind) for kind in types for number in range(16)]
    pages.append(page(99, "other", "order", "invoice"))
    synthetic = np.array([look[kind] for kind in types] * 4, np.float32), np.array([0, 1] * 4)

    named = types_by_cross_validation(pages, synthetic, types)

    assert named == ["invoice"] * 16 + ["other"] * 16 + ["invoice"]


def test_a_document_is_refused_with_all_its_pages():
    """As the service does: a page of conditions does not make an invoice another paper."""
    nothing = np.zeros(2, np.float32)
    pages = [TypedPage(document, "invoice", f"layout {document}", nothing, origin="template") for document in "aabbcd"]
    results = results_by_type(
        [*pages, TypedPage("e", "other", "payslip", nothing, hard=True)],
        ["invoice", "other", "other", "other", "invoice", "receipt", "other"],
    )

    filled = results["invoice, filled layouts"]
    assert (filled["pages"], filled["documents"]) == (6, 4)
    assert (filled["right"], filled["other"], filled["refused"]) == (0.3333, 0.5, 0.25)
    assert filled["low"] < 0.25 < filled["high"]
    assert results["other, hard"] == results["other"]
    assert results["other"]["refused"] == 1
