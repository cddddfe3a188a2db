"""The usability score."""

import numpy as np
import pytest

from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT
from docextract.quality.usability import USABILITY_FILE, UsabilityModel

PERFECT = {criterion.name: 1.0 for criterion in CRITERIA}
BLURRY = next(criterion for criterion in CRITERIA if criterion.name == "blurry")


def test_a_better_criterion_never_lowers_the_score():
    """Raising one score of a photo raises the usability score or leaves it."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores = {name: float(rng.random()) for name in PERFECT}
        for name in PERFECT:
            better = scores | {name: scores[name] + 0.5 * (1 - scores[name])}
            assert UsabilityModel().score(better) >= UsabilityModel().score(scores)


def test_usability_scores_are_probabilities():
    """Between 0 and 1, from all defects to none."""
    assert 0 <= UsabilityModel().score(dict.fromkeys(PERFECT, 0.0)) < 0.01
    assert 0.9 < UsabilityModel().score(PERFECT) <= 1


def test_ignored_criteria_do_not_change_the_score():
    """A criterion that is switched off has no effect."""
    assert UsabilityModel().score(PERFECT | {"blurry": 0.0}, without={"blurry"}) == UsabilityModel().score(PERFECT)


def test_illegible_fields_lower_the_score():
    """The lowest counts, and their mean; without a map, all are taken for legible."""
    usability = UsabilityModel(legibility=(1.0, 2.0))

    legible, one_lost, all_lost = (
        usability.score(PERFECT, required_fields=fields) for fields in ((1.0, 1.0), (1.0, 0.1), (0.1, 0.1))
    )

    assert legible == usability.score(PERFECT) > one_lost > all_lost
    assert 0 < usability.score(PERFECT, required_fields=(0.0,)) < 0.01


@pytest.mark.parametrize("strictness", ["relaxed", "normal", "strict"])
def test_the_threshold_of_an_error_matches_the_usability_threshold(strictness):
    """With one defect at its threshold and no other, the usability score just reaches its own threshold."""
    usability = UsabilityModel(thresholds={"relaxed": 0.7, "normal": 0.8, "strict": 0.9})
    threshold = usability.threshold(BLURRY, "error", strictness)

    assert usability.score(PERFECT | {"blurry": threshold}) == pytest.approx(usability.thresholds[strictness])


def test_a_defect_with_a_high_measured_cost_is_an_error():
    """A defect with a low measured cost is a warning, whatever its default is."""
    glare = next(criterion for criterion in CRITERIA if criterion.name == "glare")

    assert UsabilityModel(costs={"glare": 0.2}).severity(glare) == "warning"
    assert UsabilityModel(costs={"glare": 0.8}).severity(glare) == "error"
    assert UsabilityModel().severity(glare) == glare.severity
    absent = next(criterion for criterion in CRITERIA if criterion.name == DOCUMENT_ABSENT)
    assert UsabilityModel(costs={DOCUMENT_ABSENT: 0.0}).severity(absent) == "error"


def test_leniency_raises_the_score_and_lowers_the_threshold():
    """It has no effect on other criteria."""
    asked = {"relaxed": 0.7, "normal": 0.8, "strict": 0.9}
    strict, lenient = UsabilityModel(thresholds=asked), UsabilityModel(thresholds=asked, leniency={"blurry": 1.5})
    blurred = PERFECT | {"blurry": 0.5}

    assert lenient.score(blurred) > strict.score(blurred)
    assert lenient.score(PERFECT) == pytest.approx(strict.score(PERFECT))
    for severity in ("error", "warning"):
        assert lenient.threshold(BLURRY, severity, "normal") < strict.threshold(BLURRY, severity, "normal")
    reached = lenient.threshold(BLURRY, "error", "strict")
    assert lenient.score(PERFECT | {"blurry": reached}) == pytest.approx(0.9)
    assert (lenient.tolerated(BLURRY, 0.0), lenient.tolerated(BLURRY, 1.0)) == (0.0, 1.0)


def test_an_error_by_request_fails_where_the_defect_is_probable():
    """Even if it does not matter for reading; where it does, the threshold is no lower than without the request."""
    harmless = UsabilityModel(costs={"blurry": 0.05})

    assert harmless.threshold(BLURRY, "error", "normal") < 0.01
    assert harmless.threshold(BLURRY, "error", "normal", requested=True) == 0.5
    assert UsabilityModel().threshold(BLURRY, "error", "strict", requested=True) >= UsabilityModel().threshold(
        BLURRY, "error", "strict"
    )


def test_the_detection_threshold_is_equal_at_every_strictness():
    """Whether a document is present does not depend on strictness."""
    absent = next(criterion for criterion in CRITERIA if criterion.name == DOCUMENT_ABSENT)

    assert len({UsabilityModel().threshold(absent, "error", how) for how in ("relaxed", "normal", "strict")}) == 1


def test_the_model_is_stored_next_to_the_weights(tmp_path):
    """It is saved and loaded again; weights without the file use the default."""
    fitted = UsabilityModel({"blurry": 0.4}, 3.0, 2.0, {"relaxed": 0.2, "normal": 0.6, "strict": 0.8}, {"photos": 60})
    assert UsabilityModel.load(tmp_path) == UsabilityModel()

    fitted.save(tmp_path)

    assert UsabilityModel.load(tmp_path) == fitted


def test_an_invalid_file_stops_the_start(tmp_path):
    """A service must not accept photos without a valid usability model."""
    (tmp_path / USABILITY_FILE).write_text('{"thresholds": {"normal": "low"}}')

    with pytest.raises(ValueError, match="normal"):
        UsabilityModel.load(tmp_path)
