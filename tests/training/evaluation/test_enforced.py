"""Tests of the measurement of validation=enforce."""

from training.evaluation.enforced import EnforcedPhoto, enforced_table


def test_photos_are_counted_before_and_after_they_are_read():
    """A usable photo that is read with certainty is answered, as is a spoilt one that only seems certain."""
    photos = [
        EnforcedPhoto("cards", usable=True, accepted=True, answered=True),
        EnforcedPhoto("cards", usable=True, accepted=False, answered=True),
        EnforcedPhoto("cards", usable=False, accepted=False, answered=True),
        EnforcedPhoto("receipts", usable=False, accepted=False, answered=False),
    ]

    rows = enforced_table(photos).splitlines()

    assert "| cards | 1 of 2 | 2 of 2 | 1 of 1 | 0 of 1 |" in rows
    assert "| all | 1 of 2 | 2 of 2 | 2 of 2 | 1 of 2 |" in rows
