"""Driving licences: either side, with the categories of vehicles that the holder may drive."""

from random import Random

from docextract.documents.base import DocumentType
from docextract.documents.identity import licences, sampling
from docextract.documents.identity.record import REQUIRED, DriverLicence, check


def sample(rng: Random) -> DriverLicence:
    """A side of a licence of somebody who never was."""
    return DriverLicence(**sampling.driver_licence(rng))


DOCUMENT_TYPE = DocumentType(
    name="driver_licence", record=DriverLicence, required=REQUIRED, check=check, sample=sample, typeset=licences.typeset
)
