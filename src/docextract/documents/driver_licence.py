"""Driving licences: either side, with the vehicle categories that the holder may drive."""

from docextract.documents.base import DocumentType
from docextract.documents.identity import REQUIRED_FIELDS, DriverLicence, check_identity

DOCUMENT_TYPE = DocumentType(
    name="driver_licence", record=DriverLicence, required=REQUIRED_FIELDS, check=check_identity
)
