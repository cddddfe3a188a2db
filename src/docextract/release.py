"""Which release of this package runs."""

from importlib.metadata import PackageNotFoundError, version


def installed_release() -> str:
    """The version of the installed package; "0" if it is not installed but run from a source tree."""
    try:
        return version("docextract")
    except PackageNotFoundError:
        return "0"
