"""What is printed in front of values, in many languages: labels of one field, headings of parties, and captions."""

from collections.abc import Iterable, Iterator, Mapping

from docextract.documents.accents import plain_letters
from docextract.documents.base import DocumentType
from docextract.documents.data import load_data
from docextract.documents.identity import is_identity

MIN_MISREAD_LENGTH = 10  # of labels on cards that are known with one misread character; shorter ones resemble words
MIN_STEM_LENGTH = 5  # of words for invoices that others begin or end with; shorter ones are also parts of other words
# Of different fields of identity documents, on a page that words must not make another paper. Cards in languages that
# the words do not know have them, and 23 of 11,862 generated papers of other kinds.
MIN_IDENTITY_LABELS = 4
OTHER = "other"  # of labels that name no field: "Height"
OTHER_NUMBER, OTHER_DATE = "other_number", "other_date"  # the same on invoices and receipts: "Room no.", "Arrival"


def bare_label(text: str) -> str:
    """Return letters, digits and # of a text without case and accents: "Nº de facture:" becomes "nodefacture"."""
    return "".join(char for char in plain_letters(text) if char.isalnum() or char == "#")


def _by_label(labels: Mapping[str, list[str]]) -> Mapping[str, str]:
    return {bare_label(label): field for field, some in labels.items() for label in some}


_FIELDS = {kind: _by_label(labels) for kind, labels in load_data("printed_labels").items()}


def _by_misread_label(labels: Mapping[str, str]) -> Mapping[str, str]:
    """Return fields by what long labels become if one character is misread; forms of two fields are left out."""
    fields: dict[str, set[str]] = {}
    for label, field in labels.items():
        for form in _misread_forms(label) if len(label) >= MIN_MISREAD_LENGTH else ():
            fields.setdefault(form, set()).add(field)
    return {form: next(iter(some)) for form, some in fields.items() if len(some) == 1}


def _misread_forms(label: str) -> Iterator[str]:
    """Yield a label without one character, but not its first or last one, and with a "?" in place of each character."""
    yield from (label[:at] + label[at + 1 :] for at in range(1, len(label) - 1))
    yield from _with_one_replaced(label)


def _with_one_replaced(label: str) -> Iterator[str]:
    return (f"{label[:at]}?{label[at + 1 :]}" for at in range(len(label)))


_MISREAD_ON_CARDS = _by_misread_label(_FIELDS["identity"])
_MAX_MISREAD_LENGTH = max(map(len, _MISREAD_ON_CARDS))


def field_of_label(text: str, document_type: DocumentType) -> str | None:
    """Return the field that a text is a label of, or OTHER, on documents of a type; None if it is no label.

    On identity documents, whose labels are small print, one character of a long label may be misread.
    """
    bare = bare_label(text)
    if not is_identity(document_type):
        return _FIELDS["business"].get(bare)
    return _FIELDS["identity"].get(bare) or _field_of_misread(bare)


def _field_of_misread(bare: str) -> str | None:
    if not MIN_MISREAD_LENGTH - 1 <= len(bare) <= _MAX_MISREAD_LENGTH:
        return None
    fields = {_MISREAD_ON_CARDS.get(form) for form in (bare, *_with_one_replaced(bare))} - {None}
    return fields.pop() if len(fields) == 1 else None


def is_business_label(text: str) -> bool:
    """Whether a text is a label on invoices and receipts, of a field or of none: "Invoice date", "Room no."."""
    return bare_label(text) in _FIELDS["business"]


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


def kinds_of_label(text: str) -> Iterator[str]:
    """Yield what a text is a label of, in any language: "business total", "identity sex", "party vendor" ..."""
    bare = bare_label(text)
    for papers, fields in _FIELDS.items():
        if field := fields.get(bare):
            yield f"{papers} {field}"
    if party := party_of_heading(text):
        yield f"party {party}"
    yield from (f"caption {kind}" for kind, captions in _CAPTIONS.items() if bare in captions)


def kinds_of_labels(lines: Iterable[str]) -> frozenset[str]:
    """Return what lines are labels of: as a whole, in front of a colon or in a language between slashes.

    See `kinds_of_label`.
    """
    labels = (label for text in lines for label in (text, *text.split(":", 1)[:-1]))
    parts = (part for label in labels for part in dict.fromkeys((label, *label.split("/"))))
    return frozenset(kind for part in parts for kind in kinds_of_label(part))


def has_identity_labels(lines: Iterable[str]) -> bool:
    """Whether lines have labels of at least MIN_IDENTITY_LABELS different fields of identity documents."""
    return are_of_identity(kinds_of_labels(lines))


def are_of_identity(kinds: Iterable[str]) -> bool:
    """Whether at least MIN_IDENTITY_LABELS different fields of identity documents are among kinds of labels."""
    papers = (kind.partition(" ") for kind in kinds)
    fields = sum(paper == "identity" and not field.startswith(OTHER) for paper, _, field in papers)
    return fields >= MIN_IDENTITY_LABELS


_INVOICES = frozenset(
    bare_label(title)
    for kind in ("invoice_title", "credit_note_title")
    for title in load_data("captions")[kind]
    if " " not in title
)
_OTHER_STEMS = tuple(map(bare_label, load_data("captions")["no_invoice"]))
_INVOICE_STEMS = tuple(word for word in _INVOICES if len(word) >= MIN_STEM_LENGTH)


def is_word_for_invoice(word: str) -> bool:
    """Whether a word names an invoice or credit note, also as a part: "Rechnungsdatum", "Schlussrechnung"."""
    bare = bare_label(word)
    if bare in _CAPTIONS["other_title"] or bare.endswith(_OTHER_STEMS):
        return False
    return bare in _INVOICES or bare.startswith(_INVOICE_STEMS) or bare.endswith(_INVOICE_STEMS)


def names_invoice(lines: Iterable[str]) -> bool:
    """Whether a word of some lines names an invoice, except in a heading such as "Invoice address"."""
    return any(is_word_for_invoice(word) for text in lines if not party_of_heading(text) for word in text.split())
