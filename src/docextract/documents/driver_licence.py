"""Driving licences: either side, with the categories of vehicles that the holder may drive."""

from docextract.documents.base import DocumentType
from docextract.documents.identity import REQUIRED, DriverLicence, check

DOCUMENT_TYPE = DocumentType(name="driver_licence", record=DriverLicence, required=REQUIRED, check=check)
