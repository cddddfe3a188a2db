"""Tests of the numbers of which one is the product of the others."""

from docextract.documents import document_types
from docextract.extraction.layout.tables.row_products import have_product


def test_numbers_of_other_types_have_no_product():
    """A type of the user may have a quantity that is a text."""
    fields = {field.leaf: field for field in document_types()["invoice"].fields() if field.group == "line_items"}

    assert have_product(fields)
    assert not have_product({**fields, "quantity": fields["unit"]})
    assert not have_product({leaf: field for leaf, field in fields.items() if leaf != "amount"})
