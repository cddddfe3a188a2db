"""Tests of the measurement of validation=enforce."""

from training.evaluation.enforced import EnforcedPhoto, enforced_table

NORMAL = frozenset({"normal"})


def test_photos_are_counted_before_and_after_they_are_read():
    """A usable photo that is read with certainty is answered, as is a spoilt one that only seems certain."""
    photos = [
        EnforcedPhoto("cards", usable=True, score=0.9, readable=0.9, accepted=NORMAL),
        EnforcedPhoto("cards", usable=True, score=0.5, readable=0.725, accepted=frozenset()),
        EnforcedPhoto("cards", usable=False, score=0.4, readable=0.65, accepted=frozenset()),
        EnforcedPhoto("receipts", usable=False, score=0.7, readable=0.35, accepted=NORMAL),
    ]

    rows = enforced_table(photos, "normal").splitlines()

    assert "| cards | 1 of 2 | 2 of 2 | 1 of 1 | 0 of 1 | 1.000 | 1.000 |" in rows
    assert "| all | 1 of 2 | 2 of 2 | 1 of 2 | 1 of 2 | 0.750 | 1.000 |" in rows
