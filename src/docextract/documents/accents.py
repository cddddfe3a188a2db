"""Letters without their accents, for texts that are compared."""

import unicodedata


def without_accents(text: str) -> str:
    """Return a text without accents and other combining marks, in compatibility form: "é" gives "e", "ﬁ" gives "fi"."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
