"""Synthetic passports."""

from random import Random

from docextract.documents.passport import Passport
from training.synth.documents.generator import Generator
from training.synth.documents.identity import booklet, sampling


def sample(rng: Random) -> Passport:
    """Return the values of one passport of an invented holder."""
    return Passport(**sampling.passport(rng))


GENERATOR = Generator(sample, booklet.typeset)
