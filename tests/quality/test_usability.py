"""How scores of criteria become one, and what it is held against."""

import numpy as np
import pytest

from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT
from docextract.quality.usability import USABILITY_FILE, UsabilityModel

PERFECT = {criterion.name: 1.0 for criterion in CRITERIA}
BLURRY = next(criterion for criterion in CRITERIA if criterion.name == "blurry")


def test_better_is_never_worse():
    """Whatever a photo's scores, raising one of them raises the whole, or leaves it."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores = {name: float(rng.random()) for name in PERFECT}
        for name in PERFECT:
            better = scores | {name: scores[name] + 0.5 * (1 - scores[name])}
            assert UsabilityModel().score(better) >= UsabilityModel().score(scores)


def test_scores_are_chances():
    """From all that is wrong to nothing that is wrong, 0..1."""
    assert 0 <= UsabilityModel().score(dict.fromkeys(PERFECT, 0.0)) < 0.01
    assert 0.9 < UsabilityModel().score(PERFECT) <= 1


def test_what_does_not_count_changes_nothing():
    """A criterion that was switched off has no say."""
    assert UsabilityModel().score(PERFECT | {"blurry": 0.0}, without={"blurry"}) == UsabilityModel().score(PERFECT)


@pytest.mark.parametrize("strictness", ["relaxed", "normal", "strict"])
def test_an_error_fails_where_it_alone_would_refuse(strictness):
    """At its threshold, with nothing else wrong, the photo just reaches its own; no score says yes and means no."""
    usability = UsabilityModel(thresholds={"relaxed": 0.7, "normal": 0.8, "strict": 0.9})
    threshold = usability.threshold(BLURRY, "error", strictness)

    assert usability.score(PERFECT | {"blurry": threshold}) == pytest.approx(usability.thresholds[strictness])


def test_what_is_measured_to_lose_most_photos_is_an_error():
    """And what is measured to lose few is none, whatever was guessed before."""
    glare = next(criterion for criterion in CRITERIA if criterion.name == "glare")

    assert UsabilityModel(costs={"glare": 0.2}).severity(glare) == "warning"
    assert UsabilityModel(costs={"glare": 0.8}).severity(glare) == "error"
    assert UsabilityModel().severity(glare) == glare.severity
    absent = next(criterion for criterion in CRITERIA if criterion.name == DOCUMENT_ABSENT)
    assert UsabilityModel(costs={DOCUMENT_ABSENT: 0.0}).severity(absent) == "error"


def test_what_extraction_bears_is_forgiven():
    """The same score of a criterion counts for more where there is leniency, and has less to reach; no other moves."""
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


def test_whether_a_document_is_there_is_no_matter_of_taste():
    """The same at every strictness."""
    absent = next(criterion for criterion in CRITERIA if criterion.name == DOCUMENT_ABSENT)

    assert len({UsabilityModel().threshold(absent, "error", how) for how in ("relaxed", "normal", "strict")}) == 1


def test_it_travels_with_the_weights(tmp_path):
    """Saved beside them and read again; weights without one are held against the guesses."""
    fitted = UsabilityModel({"blurry": 0.4}, 3.0, 2.0, {"relaxed": 0.2, "normal": 0.6, "strict": 0.8}, {"photos": 60})
    assert UsabilityModel.load(tmp_path) == UsabilityModel()

    fitted.save(tmp_path)

    assert UsabilityModel.load(tmp_path) == fitted


def test_a_broken_one_stops_the_start(tmp_path):
    """Better no service than one that accepts anything."""
    (tmp_path / USABILITY_FILE).write_text('{"thresholds": {"normal": "low"}}')

    with pytest.raises(ValueError, match="normal"):
        UsabilityModel.load(tmp_path)
