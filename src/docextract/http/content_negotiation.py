"""Content negotiation: the media types and languages that the caller accepts (RFC 9110, 12.5)."""

from collections.abc import Iterable

from werkzeug.datastructures import LanguageAccept, MIMEAccept
from werkzeug.http import parse_accept_header

_JSON = "application/json"


def accepts_json(accept: str) -> bool:
    """Whether an Accept header permits application/json. A missing or empty header permits everything."""
    ranges = parse_accept_header(accept, MIMEAccept)
    without_parameters = MIMEAccept([(_strip_parameters(media_type), weight) for media_type, weight in ranges])
    return not accept.strip() or without_parameters.quality(_JSON) > 0


def best_language(accept_language: str, supported: Iterable[str]) -> str:
    """Return the supported language that an Accept-Language header prefers.

    If none matches, return the first one, because an answer is better than an error. Regions are ignored: de-CH gets
    de.
    """
    languages = list(supported)
    ranges = parse_accept_header(accept_language, LanguageAccept)
    # Werkzeug itself would answer "pt-BR, en;q=0.5" with en: it first tries to match each range as a whole.
    without_regions = LanguageAccept([(tag.replace("_", "-").partition("-")[0], weight) for tag, weight in ranges])
    return without_regions.best_match(languages) or languages[0]


def _strip_parameters(media_type: str) -> str:
    return media_type.partition(";")[0].strip()
