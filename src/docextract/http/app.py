"""The routes of the contract, and the OpenAPI document that describes them.

`create_app` is given the two models as an object with two methods, so that it neither knows nor cares in
which process they run.
"""

import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from dataclasses import replace
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import anyio
from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docextract.answers import schema
from docextract.documents import document_types, mrz
from docextract.documents.base import MRZ, DocumentType
from docextract.http import content_negotiation, demo, openapi, request_record, requests
from docextract.http.admission import Desk, Place
from docextract.http.connections import Intake, while_here
from docextract.images import decoding
from docextract.observability.logs import where
from docextract.pipeline import problems, steps
from docextract.pipeline.models import Models
from docextract.pipeline.options import AUTO, ExtractionOptions, Operation, ValidationOptions
from docextract.pipeline.problems import ProblemError
from docextract.predictions import Assessment, PagePrediction
from docextract.quality import messages, verdict
from docextract.quality.usability import UsabilityModel
from docextract.registry import Version
from docextract.settings import Settings

AskVersions = Callable[[], Awaitable[list[Version]]]
Work = Callable[[Request, requests.Submission, Place], Coroutine[Any, Any, Response]]

# What a page takes, until some are timed.
FIRST_PAGE_S: Mapping[Operation, float] = {"validation": 0.05, "extraction": 1.0}
CLIENT_CLOSED_REQUEST = 499  # as nginx logs it

log = logging.getLogger("docextract.http")
_PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class _Contained:
    """Turn what nobody foresaw into a 500 that says nothing of the inside, and a log line that holds no values.

    An exception that left the application would make BentoML's timeout middleware wait for its whole timeout.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except ClientDisconnect:
            if not started:  # nobody hears it, but BentoML's timeout middleware would wait for it
                await Response(status_code=CLIENT_CLOSED_REQUEST)(scope, receive, watched)
        except Exception as error:
            log.error("request failed", extra={"kind": type(error).__name__, "where": where(error)})
            if not started:
                problem = ProblemError("internal_error", "The request could not be answered.")
                await _problem_response(Request(scope), problem)(scope, receive, send)


def create_app(
    models: Models, settings: Settings, served: Mapping[str, Version], ask_versions: AskVersions | None = None
) -> FastAPI:
    """The application. `served` holds the promoted versions of "quality" and "extraction".

    ask_versions: where the models live in other processes, asks these what they have loaded: amid a reload, or where
    a promoted version could not be, it is not what the ledger says.
    """
    app = FastAPI(
        title="docextract",
        version=_package_version(),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        middleware=[Middleware(_Contained)],
        redirect_slashes=False,
        # Its own spans hold addresses with their queries; http/access_log.py tells of requests.
        telemetry={"auto_configure": False, "tracing": False, "metrics": False, "logs": False},
    )
    app.add_exception_handler(ProblemError, _on_problem)
    app.add_exception_handler(HTTPException, _on_http_exception)
    _add_operations(app, models, settings, served)
    _add_descriptions(app, settings, served, ask_versions)
    _add_pages(app, settings.needs_key)
    demo.add_to(app)
    return app


def paths(app: FastAPI) -> Mapping[str, str]:
    """Every path the application answers, each with its route. Types are written out: they are few and known."""
    routes = [str(getattr(route, "path", "")) for route in app.routes]
    return {path.replace("{name}", name): path for path in routes for name in document_types()}


def _add_operations(app: FastAPI, models: Models, settings: Settings, served: Mapping[str, Version]) -> None:
    limiter = _limiter(settings.decode_threads)
    pdfs = _limiter(1)  # one process draws them all: two slow ones would hold two threads, and pictures wait for them
    own = UsabilityModel.load(served["quality"].folder)
    usability = replace(own, thresholds={**own.thresholds, **settings.thresholds})

    intake = Intake(
        settings.max_request_bytes, settings.max_concurrency * settings.max_request_bytes, settings.upload_timeout_s
    )
    desks = {
        operation: Desk(settings.max_wait_s, settings.max_concurrency, first_page_s)
        for operation, first_page_s in FIRST_PAGE_S.items()
    }

    async def attend(request: Request, operation: Operation, types: Collection[str], work: Work) -> Response:
        """Receive a request, let it in if there is room, and work on it while its caller waits."""
        _must_accept_json(request)
        desks[operation].check()
        submission = await requests.parse(request, operation, intake, settings.max_images, types)
        with desks[operation].place(len(submission.uploads)) as place:
            return await while_here(request, work(request, submission, place))

    async def photos(submission: requests.Submission) -> tuple[steps.Photo, ...]:
        return await steps.decode_uploads(
            submission.uploads, settings.limits, settings.max_images, limiter=limiter(), pdfs=pdfs()
        )

    async def validation(request: Request) -> Response:
        """Tell whether images are good enough to extract from. 200 also when the verdict is no."""
        return await attend(request, "validation", document_types(), validated)

    async def extraction(request: Request) -> Response:
        """Read the data in images of documents."""
        return await attend(request, "extraction", _readable(served), extracted)

    async def validated(request: Request, submission: requests.Submission, place: Place) -> Response:
        watch = steps.Stopwatch()
        with watch.lap("decode"):
            shots = await photos(submission)
        place.pages = len(shots)
        told = request_record.current()
        told.decoded(len(shots))
        with watch.lap("validation"):
            seen = await steps.assess_photos(shots, models)
            judge = _maker(seen[0], served["quality"])
            verdict_options = _verdict_options(submission.options, settings, served["quality"], preview=True)
            found = steps.build_verdict(shots, seen, submission.uploads, verdict_options, judge, usability, _language(request))
            told.judged("validation", found)
        answer = schema.ValidationAnswer(
            request_id=_request_id(request), external_id=submission.options.external_id, **dict(found)
        )
        return _answer(answer, watch.ms, _language(request))

    async def extracted(request: Request, submission: requests.Submission, place: Place) -> Response:
        options = submission.options
        assert isinstance(options, ExtractionOptions)
        watch = steps.Stopwatch()
        with watch.lap("decode"):
            shots = await photos(submission)
        place.pages = len(shots)
        told = request_record.current()
        told.decoded(len(shots))
        with watch.lap("validation"):
            # Even with validation=off: the polygon is needed to cut the document out.
            seen = await steps.assess_photos(shots, models)
            judge = _maker(seen[0], served["quality"])
            verdict_options = _verdict_options(options, settings, served["quality"], preview=False)
            found = steps.build_verdict(shots, seen, submission.uploads, verdict_options, judge, usability, _language(request))
            told.judged("extraction", found)
            if options.validation == "enforce":
                steps.require_accepted(found, _language(request))
        with watch.lap("extraction"):
            one_document = options.group == "single"
            pages = await steps.extract_pages(shots, seen, options.document_type, models, one_document)
        documents = await anyio.to_thread.run_sync(steps.build_documents, pages, options)
        reader = _maker(pages[0].found, served["extraction"])
        told.read(documents, reader)
        parts: dict[str, Any] = {
            "request_id": _request_id(request),
            "external_id": options.external_id,
            "documents": documents,
            "models": {"extraction": reader, "quality": judge},
            "timings_ms": watch.ms,
        }
        if options.validation != "off" or "quality" in options.include:
            parts["validation"] = found
        return _answer(schema.ExtractionAnswer(**parts), watch.ms, _language(request))

    for prefix in ("/v1", ""):
        for handler, model, types in (
            (validation, schema.ValidationAnswer, document_types()),
            (extraction, schema.ExtractionAnswer, _readable(served)),
        ):
            app.add_api_route(
                f"{prefix}/{handler.__name__}",
                handler,
                methods=["POST"],
                response_model=model,
                include_in_schema=bool(prefix),
                openapi_extra=openapi.request_of(handler.__name__, types, settings.max_images),
                responses=openapi.problems_of_operations(),
                tags=["operations"],
            )


def _add_descriptions(
    app: FastAPI, settings: Settings, served: Mapping[str, Version], ask_versions: AskVersions | None
) -> None:
    @app.get(
        "/v1/document-types",
        response_model=schema.DocumentTypesAnswer,
        responses=openapi.problems_of_descriptions(),
        tags=["descriptions"],
    )
    async def list_document_types() -> Response:
        """List what can be read."""
        described = [_described(kind, served) for kind in document_types().values()]
        return _answer(schema.DocumentTypesAnswer(document_types=described))

    @app.get(
        "/v1/document-types/{name}",
        response_model=schema.DocumentTypeAnswer,
        responses=openapi.problems_of_descriptions(404),
        tags=["descriptions"],
    )
    async def show_document_type(name: str) -> Response:
        """Describe one document type."""
        return _answer(_described(document_types()[name], served))  # the edge lets no other name in

    @app.get(
        "/v1/models",
        response_model=schema.ModelsAnswer,
        responses=openapi.problems_of_descriptions(500, 503, 504),
        tags=["descriptions"],
    )
    async def list_models() -> Response:
        """Name what is being served."""
        if ask_versions is None:
            versions = list(served.values())
        else:
            with steps.runner_errors_as_problems("asked"):
                versions = await ask_versions()
        return _answer(schema.ModelsAnswer(models=[_model(one) for one in versions]))

    @app.get(
        "/v1/limits",
        response_model=schema.LimitsAnswer,
        responses=openapi.problems_of_descriptions(),
        tags=["descriptions"],
    )
    async def show_limits() -> Response:
        """Tell the limits in force."""
        shared = schema.LimitsAnswer.model_fields.keys() - {"kinds"}
        values = {name: getattr(settings, name) for name in shared}
        return _answer(schema.LimitsAnswer(kinds=list(decoding.FILE_FORMATS), **values))


def _add_pages(app: FastAPI, needs_key: bool) -> None:
    # FastAPI's own way to replace it.
    app.openapi = lambda: openapi.document(app, needs_key)  # type: ignore[method-assign]

    async def openapi_json() -> Response:
        return JSONResponse(app.openapi())

    async def page() -> Response:
        return HTMLResponse(openapi.page(app.openapi()), headers={"content-security-policy": _PAGE_POLICY})

    app.add_api_route("/openapi.json", openapi_json, include_in_schema=False)
    app.add_api_route("/docs", page, include_in_schema=False)
    app.add_api_route("/", page, include_in_schema=False)


def _limiter(places: int) -> Callable[[], anyio.CapacityLimiter]:
    """Made at the first request: a limiter belongs to the event loop it is used in."""
    made: list[anyio.CapacityLimiter] = []

    def get() -> anyio.CapacityLimiter:
        if not made:
            made.append(anyio.CapacityLimiter(places))
        return made[0]

    return get


def _readable(served: Mapping[str, Version]) -> list[str]:
    """Types the extraction model was trained for; all, where its ledger does not say."""
    return [name for name in document_types() if name in (served["extraction"].document_types or document_types())]


def _described(kind: DocumentType, served: Mapping[str, Version]) -> schema.DocumentTypeAnswer:
    trained = kind.name in _readable(served)
    accuracy = served["extraction"].scores.get("document_types", {}).get(kind.name)
    taught = _taught(kind, served["extraction"]) if trained else set[str]()
    return schema.DocumentTypeAnswer(
        name=kind.name,
        schema_version=kind.schema_version,
        status="trained" if trained else "schema_only",
        required=sorted(kind.required),
        accuracy=accuracy,
        fields={
            field.name: schema.FieldDescribed(
                type=field.kind.name,
                required=field.required,
                source=_source(field.name, kind, taught) if trained else "none",
                accuracy=(accuracy or {}).get(field.name),
            )
            for field in kind.fields()
        },
        json_schema=kind.json_schema(),
    )


def _taught(kind: DocumentType, extraction: Version) -> set[str]:
    """The fields of a type that the model was trained to find; all of them, where its ledger does not say."""
    return {field.name for field in kind.fields() if not extraction.fields or field.name in extraction.fields}


def _source(
    name: str, kind: DocumentType, taught: Collection[str]
) -> Literal["trained", "machine_readable_zone", "none"]:
    if name in taught:
        return "trained"
    return "machine_readable_zone" if MRZ in kind.record.non_fields and name in mrz.ZONE_FIELDS else "none"


def _maker(finding: Assessment | PagePrediction, served: Version) -> schema.ModelName:
    """The version that made a finding: as the finding says, or, from a model in this process, the served one."""
    return schema.ModelName(name=served.name, version=finding.version or served.version)


def _model(one: Version) -> schema.ModelAnswer:
    day = one.promoted.isoformat() if isinstance(one.promoted, date) else str(one.promoted)
    return schema.ModelAnswer(
        name=one.name,
        version=one.version,
        architecture=one.architecture,
        digest=one.digest,
        promoted=day,
        document_types=list(one.document_types),
        scores=dict(one.scores),
    )


def _verdict_options(options: ValidationOptions, settings: Settings, quality: Version, preview: bool) -> verdict.VerdictOptions:
    """What is asked of the photos of a request: as its caller says, else as the service is set."""
    return verdict.VerdictOptions(
        strictness=options.strictness or settings.strictness,
        severity={**settings.severity, **options.severity},
        document_type=None if options.document_type == AUTO else options.document_type,
        known_types=quality.document_types,
        preview=preview,
    )


def _language(request: Request) -> str:
    return content_negotiation.language(request.headers.get("accept-language", ""), messages.catalogues())


def _answer(
    answer: schema.Answer, timings_ms: Mapping[str, float] | None = None, language: str = messages.DEFAULT_LANGUAGE
) -> Response:
    headers = {"content-language": language}
    if timings_ms:
        headers["server-timing"] = ", ".join(f"{step};dur={ms}" for step, ms in timings_ms.items())
    content = answer.model_dump_json(exclude_unset=True).encode()
    return Response(content, media_type="application/json", headers=headers)


def _must_accept_json(request: Request) -> None:
    """406 where the caller rules JSON out. Checked first: nobody should upload in vain."""
    if not content_negotiation.takes_json(request.headers.get("accept", "")):
        raise ProblemError("not_acceptable", "Answers are application/json.")


def _request_id(request: Request) -> str:
    return str(getattr(request.state, "request_id", "-"))


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return _problem_response(request, error)


async def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    problem = problems.from_status(error.status_code)
    problem.headers = dict(error.headers or {})
    return _problem_response(request, problem)


def _problem_response(request: Request, problem: ProblemError) -> Response:
    request_record.current().problem(problem.code)
    content = problems.body(problem, request.url.path, _request_id(request))
    return Response(content, problem.status, {"content-language": messages.DEFAULT_LANGUAGE, **problems.headers(problem)})


def _package_version() -> str:
    try:
        return version("docextract")
    except PackageNotFoundError:  # run from a source tree
        return "0"
