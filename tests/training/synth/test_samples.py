"""The sample photos of the page at /demo."""

from dataclasses import replace

import numpy as np
import pytest

from docextract.documents import document_types
from training.synth import samples


def test_same_seed_gives_the_same_sample():
    """Samples are reproducible on a machine with the same fonts."""
    first, again, other = (
        samples.photograph(replace(samples.SAMPLES[0], seed=seed))
        for seed in (samples.SAMPLES[0].seed, samples.SAMPLES[0].seed, 99)
    )

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_samples_are_named_after_their_type():
    """The page offers samples of types that the served model knows; only the bad photo has another name."""
    names = {sample.name: sample.document_type for sample in samples.SAMPLES}

    assert names.pop("spoilt") == "receipt"
    assert all(name == kind for name, kind in names.items())
    assert names.keys() <= document_types().keys()


def test_a_photo_that_cannot_be_small_enough_is_an_error():
    """No sample is larger than MAX_BYTES."""
    rng = np.random.default_rng(0)
    plain = np.full((3000, 2000, 3), 200, np.uint8)
    noise = rng.integers(0, 255, (1400, 1400, 3), np.uint8)

    assert len(samples.small_jpeg(plain)) <= samples.MAX_BYTES
    with pytest.raises(ValueError, match="do not fit"):
        samples.small_jpeg(noise)
