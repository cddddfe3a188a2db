"""What is printed in front of values: labels that name one field, in many languages."""

import unicodedata
from collections.abc import Mapping

from docextract.documents.data import load_data


def bare_label(text: str) -> str:
    """Return letters, digits and # of a text without case and accents: "N° de facture:" becomes "ndefacture"."""
    letters = unicodedata.normalize("NFD", text.casefold().replace("ł", "l").replace("ø", "o"))
    return "".join(char for char in letters if char.isalnum() or char == "#")


def _by_label() -> Mapping[str, str]:
    return {bare_label(label): field for field, labels in load_data("printed_labels").items() for label in labels}


_FIELDS = _by_label()


def field_of_label(text: str) -> str | None:
    """Return the field that a text is a label of; None if it is none."""
    return _FIELDS.get(bare_label(text))
