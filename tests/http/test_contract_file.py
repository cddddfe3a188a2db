"""The API is what docs/openapi.json says, and a change of it is in the changelog."""

import json

import jsonschema
import pytest

from docextract.answers.documents import AnswerOptions, build_document
from docextract.documents import document_types
from tests.answers.test_schema import passport, receipt
from tests.http.contract import CHANGELOG_MEMBER, current_document, read_contract, write

LOG = "## [Unreleased]\n\n#### API\n\n- A field.\n\n#### Models\n\n- One.\n"


@pytest.fixture
def described():
    return current_document()


def test_the_api_is_as_the_contract_says(described):
    """After an intended change, write it anew: make contract."""
    assert described == read_contract(), "the API has changed: add a line to CHANGELOG.md and run `make contract`"


def test_a_changed_contract_is_written_only_with_a_changed_changelog(tmp_path):
    """A line in another section does not count."""
    path = tmp_path / "openapi.json"
    write(path, {"paths": {}}, LOG)
    for log in (LOG, LOG.replace("One", "Two")):
        with pytest.raises(ValueError, match="CHANGELOG"):
            write(path, {"paths": {"/v1/new": {}}}, log)
    write(path, {"paths": {"/v1/new": {}}}, LOG.replace("A field.", "A path."))

    assert json.loads(path.read_text())["paths"] == {"/v1/new": {}}
    assert CHANGELOG_MEMBER in json.loads(path.read_text())


def test_documents_are_told_apart_by_their_type(described):
    """A discriminated union, so that generated clients have typed fields."""
    schemas = described["components"]["schemas"]
    mapping = schemas["Document"]["discriminator"]["mapping"]

    assert mapping.keys() == {*document_types(), "other"}
    assert {name.rpartition("/")[2] for name in mapping.values()} <= schemas.keys()
    fields = schemas["InvoiceFields"]["properties"]
    assert fields["total"] == {"$ref": "#/components/schemas/CurrencyField"}
    assert fields["line_items"] == {"$ref": "#/components/schemas/InvoiceLineItemsField"}
    assert schemas["CurrencyField"]["properties"]["value"]["properties"].keys() == {"amount", "currency"}


@pytest.mark.parametrize("name", ["receipt", "passport"])
def test_answers_have_the_members_of_their_type(described, name):
    """Rows, zones, places and both sources of a value."""
    page = receipt() if name == "receipt" else passport()
    answer = build_document([page], AnswerOptions(include=frozenset({"polygons", "lines", "crops"})))
    validator = jsonschema.Draft202012Validator(
        {"$ref": "#/components/schemas/Document", "components": described["components"]}
    )
    plain = answer.model_dump(mode="json", exclude_unset=True)

    validator.validate(plain)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(plain | {"type": "other"})
