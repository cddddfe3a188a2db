"""Three ways to let a Donut speak."""

from benchmarks import donut_decoding


def test_all_ways_say_the_same(monkeypatch):
    """What is compared in speed is equal in words."""
    monkeypatch.setattr(donut_decoding, "WIDTH", 32)
    monkeypatch.setattr(donut_decoding, "VOCABULARY", 50)
    monkeypatch.setattr(donut_decoding, "PATCHES", 6)

    found = donut_decoding.measure(pages=3, tokens=5)

    assert found.same
    assert (found.pages, found.tokens) == (3, 5)
    assert min(found.generate_s, found.generate_batch_s, found.ours_s) > 0
    assert found.times_faster == found.generate_s / found.ours_s
