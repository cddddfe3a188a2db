"""Synthetic driving licences."""

from random import Random

from docextract.documents.identity import DriverLicence
from training.synth.documents.generator import Generator
from training.synth.documents.identity import licences, sampling


def sample(rng: Random) -> DriverLicence:
    """Return the values of one side of a driving licence of an invented holder."""
    return DriverLicence(**sampling.driver_licence(rng))


GENERATOR = Generator(sample, licences.typeset)
