"""The page of `docextract review` and its requests, for browsers on this machine only.

Whoever opens the page needs the token in its address, which the command prints; it becomes a cookie that no script can
read and no other site can send. A request for another host name is refused, so that no web page can reach this server
under a name of its own (DNS rebinding).
"""

import json
import secrets
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from docextract.client import ProblemError
from docextract.documents import DescriptionError, document_types
from docextract.documents.type_files import FIELD_TYPES
from docextract.documents.values import DateOrder
from docextract.http import demo
from docextract.http.page_files import read_page_files, send_page_file
from docextract.pipeline.models import ModelFailedError
from docextract.predictions import OTHER_TYPE
from docextract.review import sheets
from docextract.review.folder import OutdatedError, Review, ReviewedFolder
from docextract.review.proposals import Proposal, Proposals, file_problem
from docextract.review.sheets import InvalidSheetError, Sheet

_COOKIE = "docextract_review_{port}"  # browsers send cookies to all ports of a host, and there may be several reviews
_LOCAL_HOSTS = ["127.0.0.1", "localhost"]
_MAX_BODY_BYTES = 5_000_000
_NO_TOKEN = "Open the address that `docextract review` has printed; it contains the token of this run."

Share = Annotated[float, Field(ge=0, le=1)]


class SaveRequest(BaseModel):
    """A changed sheet. revision, file: of the opened document from which it was made."""

    model_config = ConfigDict(extra="forbid")

    revision: int
    file: str
    reviewed: bool
    sheet: Sheet


class BoxRequest(BaseModel):
    """A box on a page. box: left, top, right and bottom, relative to it."""

    model_config = ConfigDict(extra="forbid")

    image: int
    box: tuple[Share, Share, Share, Share]


class ValueRequest(BaseModel):
    """A typed text that is to become a label. field: its name, such as line_items.amount."""

    model_config = ConfigDict(extra="forbid")

    type: str
    field: str
    text: Annotated[str, Field(max_length=sheets.MAX_TEXT)]
    date_order: DateOrder = "DMY"


class TypeRequest(BaseModel):
    """A new document type. fields: types by name."""

    model_config = ConfigDict(extra="forbid")

    name: str
    fields: Annotated[dict[str, Literal[tuple(FIELD_TYPES)]], Field(min_length=1, max_length=100)]  # type: ignore[valid-type]
    required: list[str] = []


class _Refused(Exception):
    """A request that cannot be carried out: its status, a code, and a sentence; faults by path for invalid values."""

    def __init__(self, status: int, code: str, detail: str, faults: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.answer = JSONResponse({"code": code, "detail": detail, "faults": dict(faults or {})}, status)


def create_review_app(folder: ReviewedFolder, proposals: Proposals, token: str) -> ASGIApp:
    """Return the application. token: a secret of this run."""
    pages = _ReviewPages(folder, proposals)
    routes = [
        Route("/documents", _answered(pages.list_documents)),
        Route("/documents/{id}", _answered(pages.open_document)),
        Route("/documents/{id}", _answered(pages.save, SaveRequest), methods=["PUT"]),
        Route("/documents/{id}/as/{type}", _answered(pages.open_as_type)),
        Route("/documents/{id}/pages/{image:int}", _answered(pages.picture)),
        Route("/documents/{id}/boxes", _answered(pages.read_box, BoxRequest), methods=["POST"]),
        Route("/values", _answered(pages.normalise_value, ValueRequest), methods=["POST"]),
        Route("/types", _answered(pages.list_types)),
        Route("/types", _answered(pages.add_type, TypeRequest), methods=["POST"]),
        *[Route(path or "/", partial(send_page_file, file=file)) for path, file in _page_files().items()],
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=_LOCAL_HOSTS), Middleware(_TokenMiddleware, token)],
        exception_handlers={_Refused: lambda _, refused: refused.answer},
    )
    return app


def _page_files() -> dict[str, Any]:
    """The files of this page, and those of the demo whose scripts and style it uses."""
    own = read_page_files(files("docextract") / "review" / "page", "/review", _catalogue)
    mine = {"" if path == "/review" else path: file for path, file in own}
    return mine | {path: file for path, file in demo.page_files().items() if path.endswith((".js", ".css", ".svg"))}


def _catalogue(language: str, entry: Traversable) -> bytes:
    """The messages of the demo in one language with those of this page, as JSON."""
    (shared,) = (json.loads(f.content) for path, f in demo.page_files().items() if path.endswith(f"/{language}.json"))
    own = tomllib.loads(entry.read_text(encoding="utf-8"))
    return json.dumps(shared | {"page": shared["page"] | own["page"]}, ensure_ascii=False).encode()


class _TokenMiddleware:
    """Answers only browsers that have the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._answer(Request(scope)) if scope["type"] == "http" else self._app
        await answer(scope, receive, send)

    def _answer(self, request: Request) -> ASGIApp:
        cookie = _COOKIE.format(port=request.url.port)
        presented = request.query_params.get("token")
        if presented is not None and request.url.path == "/" and self._is_token(presented):
            response = RedirectResponse("/", 303)
            response.set_cookie(cookie, self._token, httponly=True, samesite="strict")
            return response
        if self._is_token(request.cookies.get(cookie, "")):
            return self._app
        return PlainTextResponse(_NO_TOKEN, 403)

    def _is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(), self._token.encode())


def _answered(
    call: Callable[..., Response | Any], body_model: type[BaseModel] | None = None
) -> Callable[[Request], Any]:
    """Return an endpoint that calls a method in a thread, with the parts of the path and the body."""

    async def endpoint(request: Request) -> Response:
        arguments = dict(request.path_params)
        if body_model is not None:
            arguments["body"] = await _parse_body(request, body_model)
        result = await run_in_threadpool(_carry_out, call, arguments)
        return result if isinstance(result, Response) else JSONResponse(result, headers={"cache-control": "no-store"})

    return endpoint


async def _parse_body(request: Request, model: type[BaseModel]) -> BaseModel:
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise _Refused(415, "unsupported_media_type", "The body must be application/json.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BODY_BYTES:
            raise _Refused(413, "payload_too_large", "The body is too large.")
    try:
        return model.model_validate_json(bytes(body))
    except ValidationError as error:
        faults = {".".join(map(str, one["loc"])): one["msg"] for one in error.errors()}
        raise _Refused(422, "invalid_parameter", "The body is invalid.", faults) from None


def _carry_out(call: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    try:
        return call(**arguments)
    except ProblemError as problem:
        raise _Refused(problem.status, problem.code, problem.detail) from None
    except InvalidSheetError as error:
        raise _Refused(422, "invalid_value", "Some values are invalid.", error.faults) from None
    except DescriptionError as error:
        raise _Refused(422, "invalid_type", str(error)) from None
    except OutdatedError as error:
        raise _Refused(409, "outdated", str(error)) from None
    except OSError as error:
        raise _Refused(500, "file_error", file_problem(error)) from error
    except ModelFailedError:
        raise _Refused(422, "unreadable", "The model cannot read this place.") from None


class _ReviewPages:
    """The requests of the page, one method for each."""

    def __init__(self, folder: ReviewedFolder, proposals: Proposals) -> None:
        self._folder, self._proposals = folder, proposals

    def list_documents(self) -> list[dict[str, Any]]:
        """All documents of the folder by name, with what is known about each."""
        return [self._summary(key) for key in self._folder.documents]

    def _summary(self, key: str) -> dict[str, Any]:
        review, problem = self._folder.review(key), self._proposals.problem(key)
        uncertainty = self._proposals.uncertainty(key)
        reviewed = self._folder.is_reviewed(key)
        status = "reviewed" if reviewed else "failed" if problem else "open" if uncertainty else "waiting"
        doubtful, least = uncertainty or (None, None)
        return {
            "id": key,
            "name": self._folder.documents[key].shown_name,
            "status": status,
            "type": review.sheet.type if review else None,
            "doubtful": doubtful,
            "least_confidence": least,
            "problem": problem,
        }

    def open_document(self, id: str) -> dict[str, Any]:
        """A document as it was saved, as it is labelled, or as the model reads it."""
        self._require(id)
        review = self._folder.review(id)
        proposal = self._proposals.proposal(id)
        if review is not None:
            return self._opened(id, review, proposal)
        rows = self._folder.labels(id)
        sheet = proposal.sheet
        kind = next((row.get("type") for row in rows.values()), None)
        if isinstance(kind, str) and kind in document_types():
            if kind != sheet.type:
                sheet = self._proposals.proposal(id, kind).sheet
            sheet = sheets.with_labels(sheet, rows, proposal.pages)
        return self._opened(id, self._unsaved(id, sheet, bool(rows)), proposal)

    def open_as_type(self, id: str, type: str) -> dict[str, Any]:
        """A document as the model reads it if it is of another type. Nothing is saved."""
        self._require(id)
        if type != OTHER_TYPE and type not in document_types():
            raise _Refused(404, "not_found", f"There is no type {type}.")
        proposal = self._proposals.proposal(id) if type == OTHER_TYPE else self._proposals.proposal(id, type)
        sheet = sheets.blank_sheet(OTHER_TYPE) if type == OTHER_TYPE else proposal.sheet
        return self._opened(id, self._unsaved(id, sheet, False), proposal)

    def _unsaved(self, key: str, sheet: Sheet, reviewed: bool) -> Review:
        return Review(revision=self._folder.revision(key), reviewed=reviewed, sheet=sheet)

    def _opened(self, key: str, review: Review, proposal: Proposal) -> dict[str, Any]:
        return {
            "id": key,
            "name": self._folder.documents[key].shown_name,
            "revision": review.revision,
            "file": proposal.file,
            "reviewed": review.reviewed,
            "sheet": review.sheet.model_dump(mode="json"),
            "pages": [{"width": width, "height": height} for width, height in proposal.sizes],
            "words": proposal.words,
        }

    def save(self, id: str, body: SaveRequest) -> dict[str, Any]:
        """Save a document; its labels are written once it is reviewed."""
        self._require(id)
        pages = list(self._proposals.proposal(id).pages)
        sheet = sheets.checked_sheet(body.sheet) if body.reviewed else body.sheet
        if any(cell.image is not None and not 0 <= cell.image < len(pages) for _, _, cell in sheet.cells()):
            raise _Refused(422, "invalid_parameter", "A value stands on a page that does not exist.")
        review = Review(revision=body.revision, reviewed=body.reviewed, pages=pages, file=body.file, sheet=sheet)
        saved = self._folder.save(id, review)
        return {"revision": saved.revision, "sheet": saved.sheet.model_dump(mode="json")}

    def picture(self, id: str, image: int) -> Response:
        """One page as JPEG."""
        self._require(id)
        try:
            content = self._proposals.picture(id, image)
        except IndexError:
            raise _Refused(404, "not_found", "There is no such page.") from None
        return Response(content, media_type="image/jpeg", headers={"cache-control": "private, max-age=3600"})

    def read_box(self, id: str, body: BoxRequest) -> dict[str, Any]:
        """The text in a box, and the places of its lines."""
        self._require(id)
        try:
            text, polygons = self._proposals.read_box(id, body.image, body.box)
        except IndexError:
            raise _Refused(404, "not_found", "There is no such page.") from None
        return {"text": text, "polygons": polygons}

    def normalise_value(self, body: ValueRequest) -> dict[str, Any]:
        """A text as a label; null where it is no value of the field."""
        try:
            return {"text": sheets.normalise(body.type, body.field, body.text, body.date_order)}
        except KeyError:
            raise _Refused(404, "not_found", f"There is no field {body.field}.") from None

    def list_types(self) -> dict[str, Any]:
        """All document types with their fields, and the types that a field can have."""
        return {"types": sheets.describe_types(), "field_types": list(FIELD_TYPES)}

    def add_type(self, body: TypeRequest) -> dict[str, Any]:
        """Describe a new document type; returns all types."""
        self._folder.add_type(body.name, body.fields, body.required)
        return self.list_types()

    def _require(self, key: str) -> None:
        if key not in self._folder.documents:
            raise _Refused(404, "not_found", "There is no such document.")
