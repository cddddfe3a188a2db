"""What is printed in front of values, in many languages: labels of one field, headings of parties, and captions."""

from collections.abc import Mapping

from docextract.documents.accents import plain_letters
from docextract.documents.base import DocumentType
from docextract.documents.data import load_data
from docextract.documents.identity import Identity

OTHER = "other"  # of labels that name no field: "Height"
OTHER_NUMBER, OTHER_DATE = "other_number", "other_date"  # the same on invoices and receipts: "Room no.", "Arrival"


def bare_label(text: str) -> str:
    """Return letters, digits and # of a text without case and accents: "Nº de facture:" becomes "nodefacture"."""
    return "".join(char for char in plain_letters(text) if char.isalnum() or char == "#")


def _by_label(labels: Mapping[str, list[str]]) -> Mapping[str, str]:
    return {bare_label(label): field for field, some in labels.items() for label in some}


_FIELDS = {kind: _by_label(labels) for kind, labels in load_data("printed_labels").items()}


def field_of_label(text: str, document_type: DocumentType) -> str | None:
    """Return the field that a text is a label of, or OTHER, on documents of a type; None if it is no label."""
    kind = "identity" if issubclass(document_type.record, Identity) else "business"
    return _FIELDS[kind].get(bare_label(text))


def is_label_of_tax_number(text: str) -> bool:
    """Whether a text is a label of a tax number on invoices and receipts, such as "VAT Reg. No."."""
    return _FIELDS["business"].get(bare_label(text)) == "tax_id"


_PARTIES = _by_label(load_data("party_headings"))


def party_of_heading(text: str) -> str | None:
    """Return the party whose name and address stand below a heading, such as "vendor", or OTHER; None if it is none."""
    parts = (_PARTIES.get(bare_label(part)) for part in (text, *text.split("/")))
    return next((party for party in parts if party), None)


_CAPTIONS = {kind: frozenset(map(bare_label, captions)) for kind, captions in load_data("captions").items()}


def is_caption(text: str, *kinds: str) -> bool:
    """Whether a text is printed in front of values of one of these kinds, such as "address", and is no part of them."""
    bare = bare_label(text)
    return any(bare in _CAPTIONS[kind] for kind in kinds)
