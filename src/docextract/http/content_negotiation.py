"""What the caller can take: media types and languages with their weights (RFC 9110, 12.5)."""

from collections.abc import Iterable

from werkzeug.datastructures import LanguageAccept, MIMEAccept
from werkzeug.http import parse_accept_header

_JSON = "application/json"


def takes_json(accept: str) -> bool:
    """Whether an Accept header leaves JSON open. One that is not there, or empty, leaves everything open."""
    ranges = parse_accept_header(accept, MIMEAccept)
    return not accept.strip() or MIMEAccept([(_bare(kind), weight) for kind, weight in ranges]).quality(_JSON) > 0


def language(accept_language: str, known: Iterable[str]) -> str:
    """The one of `known` that the caller likes best; the first where there is none: an answer is better than no answer.

    Regions are passed over: de-CH is served with de.
    """
    languages = list(known)
    ranges = parse_accept_header(accept_language, LanguageAccept)
    # Werkzeug itself would serve "pt-BR, en;q=0.5" with en: it looks for the whole of each range first.
    wanted = LanguageAccept([(tag.replace("_", "-").partition("-")[0], weight) for tag, weight in ranges])
    return wanted.best_match(languages) or languages[0]


def _bare(media_type: str) -> str:
    return media_type.partition(";")[0].strip()
