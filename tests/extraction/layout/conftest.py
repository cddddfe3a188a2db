"""Pages with label probabilities that the tests state piece by piece."""

import numpy as np
import pytest

from docextract.documents import document_types
from docextract.documents.type_files import load_type
from docextract.documents.values import Conventions
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import LabelProbabilities, begin_label, inside_label
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import split_into_pieces

INVOICE = document_types()["invoice"]
NAMES = tuple(field.name for field in INVOICE.fields())
DRIVER_LICENCE = document_types()["driver_licence"]
RECEIPT = document_types()["receipt"]
CARD_NAMES = tuple(field.name for field in DRIVER_LICENCE.fields())


@pytest.fixture
def invoice():
    """Return a function that makes a page of lines, each with its fields: (line, {field: share}).

    What the fields of a line leave of 1 is the probability of no field. The first piece of a line begins the field.
    """
    return _maker(INVOICE)


@pytest.fixture
def card():
    """Like `invoice`, with the fields of a driving licence."""
    return _maker(DRIVER_LICENCE)


@pytest.fixture
def passport():
    """Like `invoice`, with the fields of a passport."""
    return _maker(document_types()["passport"])


@pytest.fixture
def id_card():
    """Like `invoice`, with the fields of an identity card."""
    return _maker(document_types()["id_card"])


@pytest.fixture
def receipt():
    """Like `invoice`, with the fields of a receipt."""
    return _maker(RECEIPT)


@pytest.fixture
def described_page(tmp_path):
    """Return a function that makes a page like `invoice`, of a type that a user describes, in TOML."""

    def make(toml, *lines):
        file = tmp_path / "slip.toml"
        file.write_text(toml)
        return _maker(load_type(file))(*lines)

    return make


def _maker(document_type):
    names = [field.name for field in document_type.fields()]

    def make(*lines):
        ordered, page = split_into_pieces([one for one, _ in lines])
        shares = {id(one): fields for one, fields in lines}
        labels = np.zeros((len(page.pieces), 1 + 2 * len(names)), np.float32)
        for index, piece in enumerate(page.pieces):
            begins = index == 0 or page.pieces[index - 1].line != piece.line
            for field, share in shares[id(ordered[piece.line])].items():
                number = names.index(field)
                labels[index, begin_label(number) if begins else inside_label(number)] = share
        labels[:, 0] = 1 - labels.sum(axis=1)
        probabilities = LabelProbabilities(labels, np.zeros(len(page.pieces), np.float32))
        return PageLabels(document_type, names, page.pieces, probabilities, Conventions())

    return make


def value_of(page, field):
    """Return the value that is decoded for a field of a page; None without one."""
    found = decode_fields(page).get(field)
    return found and found.value
