"""Passports: the data page of a TD3 booklet."""

from docextract.documents.base import DocumentType
from docextract.documents.identity import REQUIRED_FIELDS, Identity, check_identity


class Passport(Identity):
    """The data page of a passport."""


DOCUMENT_TYPE = DocumentType(name="passport", record=Passport, required=REQUIRED_FIELDS, check=check_identity)
