"""Names of files as text."""


def printable_name(name: str) -> str:
    """Return a file's name as valid text: bytes that are not UTF-8 become escape sequences."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
