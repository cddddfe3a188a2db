"""Tests of the Donut decoding benchmark."""

from benchmarks import donut_decoding


def test_all_decoders_return_the_same_tokens(monkeypatch):
    """The compared decoders produce equal answers."""
    monkeypatch.setattr(donut_decoding, "WIDTH", 32)
    monkeypatch.setattr(donut_decoding, "VOCABULARY_SIZE", 50)
    monkeypatch.setattr(donut_decoding, "PATCH_COUNT", 6)

    times = donut_decoding.measure(pages=3, tokens=5)

    assert times.equal_tokens
    assert (times.pages, times.tokens) == (3, 5)
    assert min(times.generate_s, times.generate_batch_s, times.batched_greedy_s) > 0
    assert times.speedup == times.generate_s / times.batched_greedy_s
