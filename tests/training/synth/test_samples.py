"""The sample photos of the page at /demo."""

from dataclasses import replace

import numpy as np
import pytest

from docextract.documents import document_types
from training.synth import samples


def test_a_sample_is_the_same_each_time():
    """Whoever makes them again, with the same fonts, gets the same pictures."""
    first, again, other = (
        samples.photograph(replace(samples.SAMPLES[0], seed=seed))
        for seed in (samples.SAMPLES[0].seed, samples.SAMPLES[0].seed, 99)
    )

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_sample_is_called_after_its_type():
    """The page offers those whose type the served model has learned; the spoilt one is beside them."""
    names = {sample.name: sample.document_type for sample in samples.SAMPLES}

    assert names.pop("spoilt") == "receipt"
    assert all(name == kind for name, kind in names.items())
    assert names.keys() <= document_types().keys()


def test_a_photo_is_made_to_fit_or_refused():
    """No sample makes the package larger than was agreed."""
    rng = np.random.default_rng(0)
    plain = np.full((3000, 2000, 3), 200, np.uint8)
    noise = rng.integers(0, 255, (1400, 1400, 3), np.uint8)

    assert len(samples.small_jpeg(plain)) <= samples.MAX_BYTES
    with pytest.raises(ValueError, match="do not fit"):
        samples.small_jpeg(noise)
