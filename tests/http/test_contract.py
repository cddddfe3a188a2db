"""The service conforms to its OpenAPI document: every answer to a generated request is described there."""

import base64
import io

import schemathesis
from hypothesis import strategies as st
from PIL import Image
from schemathesis.checks import negative_data_rejection, positive_data_acceptance

from docextract.http.access_log import AccessLogMiddleware
from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.http.requests import FILE_TYPES, MULTIPART
from docextract.settings import Settings
from tests.http.conftest import PlainModels, version

_SERVED = {name: version(name, document_types=("receipt",)) for name in ("quality", "extraction")}
_APP = create_app(PlainModels(), Settings(max_images=100, max_pages=100), _SERVED)


def _picture(size: tuple[int, int], kind: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "white").save(out, kind)
    return out.getvalue()


_PICTURES = [_picture((300, 400), "JPEG"), _picture((64, 64), "PNG"), _picture((100, 100), "WEBP")]
for kind in FILE_TYPES:
    schemathesis.openapi.media_type(kind, st.sampled_from(_PICTURES))
schemathesis.openapi.format("binary", st.sampled_from(_PICTURES))
schemathesis.openapi.format("byte", st.sampled_from([base64.b64encode(data).decode() for data in _PICTURES]))

schema = schemathesis.openapi.from_asgi(
    "/openapi.json", AccessLogMiddleware(ErrorContractMiddleware(_APP, paths(_APP), 25_000_000), paths(_APP))
)


@schema.parametrize()
def test_every_answer_is_described(case):
    """All checks of schemathesis, with requests that conform to the document and requests that violate it."""
    excluded = [] if _can_violate_the_schema(case) else [negative_data_rejection]
    excluded = [*excluded, positive_data_acceptance] if _names_pages(case) else excluded
    case.call_and_validate(timeout=300, excluded_checks=excluded)  # seconds; a busy machine is no fault


def _names_pages(case: schemathesis.Case) -> bool:
    """No schema can say which pages the files of a request have."""
    return "pages" in (case.query or {}) or (isinstance(case.body, dict) and "pages" in case.body)


def _can_violate_the_schema(case: schemathesis.Case) -> bool:
    """In a form, 12, "12" and ["12"] are the same text, so a wrong type is not a violation."""
    options = case.body.items() if isinstance(case.body, dict) else ()
    return case.media_type != MULTIPART or all(name == "images" or isinstance(value, str) for name, value in options)
