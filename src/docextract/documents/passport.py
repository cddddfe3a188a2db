"""Passports: the data page of a TD3 booklet."""

from docextract.documents.base import DocumentType
from docextract.documents.identity import REQUIRED, Identity, check


class Passport(Identity):
    """The data page of a passport."""


DOCUMENT_TYPE = DocumentType(name="passport", record=Passport, required=REQUIRED, check=check)
