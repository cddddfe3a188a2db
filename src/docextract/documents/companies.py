"""Legal forms of companies, such as GmbH and Oy, which end their names."""

from docextract.documents.accents import plain_abbreviation
from docextract.documents.data import load_data

_EUROPEAN_UNION = "EU"  # spelt like "e.U."; it is a part of many names
_LEGAL_FORMS = frozenset(plain_abbreviation(form) for forms in load_data("legal_forms").values() for form in forms)


def is_legal_form(text: str) -> bool:
    """Whether a text is a legal form: "B.V.", "sp. z o.o.", "GmbH & Co. KG". A word of two small letters is none."""
    is_form = plain_abbreviation(text) in _LEGAL_FORMS and text != _EUROPEAN_UNION
    return is_form and ("." in text or any(map(str.isupper, text)))
