"""The served quality model."""

import copy
import dataclasses

import numpy as np
import pytest
import torch

from docextract.images.geometry import fit_page, take_glimpse
from docextract.quality.assessor import (
    Assessor,
    PlattScaling,
    _consistent_corners,
    _outline,
    _rectangle_around,
    batch_tensors,
    save_weights,
)
from docextract.quality.network import CELL_PX, FRAME_MARGIN_PX, HEAT_MAP_CELLS, QualityNetwork
from docextract.quality.verdict import judge_photo


def photo(seed: int, height: int = 400, width: int = 300) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


def test_saved_weights_give_the_same_scores(tiny, tmp_path):
    """Half precision, on disk and in computation, and folded batch norms change scores by at most two percent."""
    save_weights(tmp_path, tiny, {"blurry": PlattScaling(2.0, -1.0)})
    seen = [take_glimpse(photo(seed)) for seed in range(3)]

    loaded = Assessor.load(tmp_path).assess(seen)

    with torch.inference_mode():
        logits = tiny(*batch_tensors(seen)).criteria
    for found, expected in zip(loaded, logits, strict=True):
        for name, logit in zip(tiny.shape.criteria, expected.tolist(), strict=True):
            platt = PlattScaling(2.0, -1.0) if name == "blurry" else PlattScaling()
            assert found.scores[name] == pytest.approx(platt(logit), abs=0.02)


def test_assessments_are_in_input_order(tiny):
    """Batched or one by one, assessment n is about photo n."""
    assessor = Assessor(copy.deepcopy(tiny), {})
    seen = [take_glimpse(photo(seed, 300 + 40 * seed)) for seed in range(4)]

    together = assessor.assess(seen)

    for one, found in zip(seen, together, strict=True):
        assert found.scores == pytest.approx(assessor.assess([one])[0].scores, abs=1e-4)


def test_an_empty_batch_gives_an_empty_list(tiny):
    """It does not raise."""
    assert Assessor(tiny, {}).assess([]) == []


def test_no_polygon_without_a_document(tiny):
    """Without a document there is no polygon and no type."""
    certain_absence = {"document_absent": PlattScaling(0.0, -10.0)}

    found = Assessor(tiny, certain_absence).assess([take_glimpse(photo(0))])[0]

    assert found.detected < 0.01
    assert found.polygon is None
    assert found.type is None


def test_a_document_without_an_outline_is_not_detected(tiny, monkeypatch):
    """A verdict must not report a detected document without a polygon."""
    monkeypatch.setattr("docextract.quality.assessor._outline", lambda *_: None)

    found = Assessor(tiny, {"document_absent": PlattScaling(0.0, 5.0)}).assess([take_glimpse(photo(0))])[0]
    said = judge_photo(found, 0, 288, 384)

    assert found.polygon is None
    assert found.detected == found.scores["document_absent"] < 0.5
    assert not said.accepted
    assert [(one.name, one.passed) for one in said.criteria] == [("document_absent", False)]


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_the_polygon_starts_at_the_documents_own_corner(tiny, turns, monkeypatch):
    """However the phone was held, the first corner is the document's own top-left corner."""
    with torch.no_grad():
        tiny.turns.weight.zero_()
        tiny.turns.bias.copy_(torch.eye(4)[turns])
    in_photo = torch.tensor([[30.0, 30.0], [200.0, 40.0], [210.0, 300.0], [25.0, 290.0]])
    monkeypatch.setattr("docextract.quality.assessor.locate_corners", lambda corners: (in_photo[None], None))
    monkeypatch.setattr("docextract.quality.assessor.MIN_OUTLINE_MASK_IOU", 0.0)  # with a mask that is left to chance

    found = Assessor(tiny, {"document_absent": PlattScaling(0.0, 5.0)}).assess([take_glimpse(photo(0))])[0]

    # Turned clockwise by a quarter, the page's own top left is the photo's top right.
    expected = in_photo[turns].numpy() / [288, 384]
    assert found.rotation_degrees == 90 * turns
    assert found.polygon[0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("taken", "settled"), [((5.0, 5.0), (104.0, 104.0)), ((96.0, 100.0), (96.0, 100.0))])
def test_alternative_corners_are_used_if_the_outline_contradicts_the_mask(taken, settled):
    """Otherwise the best corners are kept."""
    points = np.array([taken, [300.0, 100.0], [300.0, 300.0], [100.0, 300.0]], np.float32)
    cells = np.arange(HEAT_MAP_CELLS) * CELL_PX + CELL_PX / 2 - FRAME_MARGIN_PX
    within = torch.tensor((cells > 100) & (cells < 300))
    mask = torch.where(within[:, None] & within[None], 4.0, -4.0)
    corners = torch.full((4, HEAT_MAP_CELLS, HEAT_MAP_CELLS), -9.0)
    for corner, (x, y) in zip(corners, points, strict=True):
        corner[int((y + FRAME_MARGIN_PX) / CELL_PX), int((x + FRAME_MARGIN_PX) / CELL_PX)] = 3.0
    corners[0, int((102 + FRAME_MARGIN_PX) / CELL_PX), int((102 + FRAME_MARGIN_PX) / CELL_PX)] = 2.0

    found = _consistent_corners(points, corners, mask)

    assert np.abs(found[0] - settled).max() <= CELL_PX
    assert np.array_equal(found[1:], points[1:])


def test_crossed_corners_fall_back_to_the_mask():
    """If the corners are no valid outline, the rectangle around the mask is used."""
    mask = torch.full((HEAT_MAP_CELLS, HEAT_MAP_CELLS), -5.0)
    mask[30:60, 20:50] = 5.0
    frame = fit_page(photo(0, 384, 384))
    crossed = np.array([[0, 0], [100, 100], [100, 0], [0, 100]], np.float32)

    outline = _outline(crossed, mask, frame)

    left, top = 20 * CELL_PX - FRAME_MARGIN_PX, 30 * CELL_PX - FRAME_MARGIN_PX
    assert outline is not None
    assert outline[0] * 384 == pytest.approx([left, top], abs=CELL_PX)
    assert outline[2] * 384 == pytest.approx([left + 30 * CELL_PX, top + 30 * CELL_PX], abs=CELL_PX)


def test_an_empty_mask_has_no_rectangle():
    """Without covered cells there is no document."""
    assert _rectangle_around(torch.full((HEAT_MAP_CELLS, HEAT_MAP_CELLS), -1.0)) is None


def test_weights_for_other_criteria_are_refused(tiny, tmp_path):
    """Missing criteria are detected when the service starts, not with the first photo."""
    fewer = dataclasses.replace(tiny.shape, criteria=tiny.shape.criteria[:-1])
    save_weights(tmp_path, QualityNetwork(fewer), {})

    with pytest.raises(ValueError, match=tiny.shape.criteria[-1]):
        Assessor.load(tmp_path)
