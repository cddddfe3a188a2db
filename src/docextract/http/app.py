"""The FastAPI application: the routes, their handlers, and the pages that describe them.

`create_app` receives the two models as an object with two methods, so it does not depend on the process in which they
run.
"""

import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
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
from docextract.http.access import charge_pages, get_caller
from docextract.http.admission import Slot, WorkQueue
from docextract.http.connections import CLIENT_CLOSED_REQUEST, BodyReceiver, UploadMemory, run_until_disconnect
from docextract.images import decoding
from docextract.observability.logs import error_location
from docextract.pipeline import problems
from docextract.pipeline.answering import build_documents, describe_images, describe_uploads
from docextract.pipeline.decoding import DecodedRequest, decode_uploads
from docextract.pipeline.decoding_pool import Decoder, DecodingPool
from docextract.pipeline.extracting import extract_documents
from docextract.pipeline.judging import assess_photos, build_verdict, require_documents, require_readable
from docextract.pipeline.models import Models, runner_errors_as_problems
from docextract.pipeline.options import ExtractionOptions, Operation, ValidationOptions
from docextract.pipeline.problems import ProblemError
from docextract.pipeline.shares import on_behalf_of
from docextract.pipeline.stopwatch import Stopwatch
from docextract.predictions import AUTO, Assessment, PagePrediction
from docextract.quality import messages, verdict
from docextract.quality.usability import UsabilityModel
from docextract.registry import Version
from docextract.release import installed_release
from docextract.settings import Settings

LoadedVersions = Callable[[], Awaitable[list[Version]]]
Handler = Callable[[Request, requests.Submission, Slot, Decoder], Coroutine[Any, Any, Response]]

# Estimated seconds per page, until the first pages have been measured.
FIRST_PAGE_S: Mapping[Operation, float] = {"validation": 0.05, "extraction": 1.0}
# Bodies of this many requests of the largest size are held in memory, half of them of one caller.
MAX_HELD_REQUESTS = 16

log = logging.getLogger("docextract.http")
_PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class _UnexpectedErrorMiddleware:
    """Turns an unexpected exception into a 500 without details, and a log line without values.

    An exception that left the application would make BentoML's timeout middleware wait for its whole timeout.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        started = False

        async def observed_send(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, observed_send)
        except ClientDisconnect:
            if not started:  # nobody receives it, but BentoML's timeout middleware would wait for a response
                await Response(status_code=CLIENT_CLOSED_REQUEST)(scope, receive, observed_send)
        except Exception as error:
            log.error("request failed", extra={"kind": type(error).__name__, "where": error_location(error)})
            if not started:
                problem = ProblemError("internal_error", "The request could not be answered.")
                await _problem_response(Request(scope), problem)(scope, receive, send)


def create_app(
    models: Models, settings: Settings, served: Mapping[str, Version], loaded_versions: LoadedVersions | None = None
) -> FastAPI:
    """Create the application. served: the promoted versions of "quality" and "extraction".

    loaded_versions: asks model processes which versions they have loaded. During a reload, or if a promoted version
    cannot be loaded, these differ from the ledger. None: the models run in this process.
    """
    app = FastAPI(
        title="docextract",
        version=installed_release(),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        middleware=[Middleware(_UnexpectedErrorMiddleware)],
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,  # names of functions in generated clients
        # FastAPI's own spans contain URLs with their queries; http/access_log.py records requests instead.
        telemetry={"auto_configure": False, "tracing": False, "metrics": False, "logs": False},
    )
    app.add_exception_handler(ProblemError, _on_problem)
    app.add_exception_handler(HTTPException, _on_http_exception)
    _add_operations(app, models, settings, served)
    _add_descriptions(app, settings, served, loaded_versions)
    _add_pages(app, settings.needs_key)
    demo.add_routes(app)
    return app


def paths(app: FastAPI) -> Mapping[str, str]:
    """Return every path that the application answers, with its route template.

    Paths with a document type are listed for each type: these are few and known.
    """
    routes = [str(getattr(route, "path", "")) for route in app.routes]
    return {path.replace("{name}", name): path for path in routes for name in document_types()}


@dataclass(frozen=True)
class _JudgedPhotos:
    """The result of the steps that both operations share."""

    decoded: DecodedRequest
    assessments: Sequence[Assessment]
    verdict: schema.Verdict
    quality: schema.ModelName


def _add_operations(app: FastAPI, models: Models, settings: Settings, served: Mapping[str, Version]) -> None:
    pool = app.state.decoding_pool = DecodingPool(settings.decode_threads)
    usability = UsabilityModel.load(served["quality"].folder)
    usability = replace(usability, thresholds={**usability.thresholds, **settings.thresholds})

    memory = UploadMemory(
        MAX_HELD_REQUESTS * settings.max_request_bytes, MAX_HELD_REQUESTS * settings.max_request_bytes // 2
    )
    queues = {
        operation: WorkQueue(settings.max_wait_s, settings.max_concurrency, first_page_s)
        for operation, first_page_s in FIRST_PAGE_S.items()
    }

    async def handle(request: Request, operation: Operation, types: Collection[str], handler: Handler) -> Response:
        """Receive a request, admit it if there is capacity, and process it while its caller stays connected."""
        _require_json_accepted(request)
        limits = (settings.max_request_bytes, settings.upload_timeout_s)
        caller = get_caller(request.scope)
        with on_behalf_of(caller), BodyReceiver(memory, caller, *limits) as receiver:
            queues[operation].check_capacity()
            submission = await requests.parse_request(request, operation, receiver, settings.max_images, types)
            with queues[operation].slot(len(submission.uploads)) as slot, pool.request() as decoder:
                return await run_until_disconnect(request, handler(request, submission, slot, decoder))

    async def decode_and_judge(
        request: Request,
        operation: Operation,
        submission: requests.Submission,
        slot: Slot,
        decoder: Decoder,
        stopwatch: Stopwatch,
    ) -> _JudgedPhotos:
        options, language, record = submission.options, _language(request), request_record.current_record()
        with stopwatch.lap("decode"):
            decoded = await decode_uploads(
                submission.uploads, settings.limits, options.pages, decoder, keep_pixels=operation == "extraction"
            )
        photos = decoded.photos
        slot.pages = len(photos)
        await charge_pages(request.scope, len(photos))
        record.add_pages(len(photos))
        with stopwatch.lap("validation"):
            # Even with validation=off: the polygon is needed to rectify the document.
            assessments = await assess_photos(photos, models)
            quality = _model_name(assessments, served["quality"])
            verdict_options = _verdict_options(options, settings, served["quality"], preview=operation == "validation")
            found = build_verdict(
                photos, assessments, submission.uploads, verdict_options, quality, usability, language,
                with_legibility="legibility" in options.include,
            )  # fmt: skip
            record.add_verdict(operation, found)
            if isinstance(options, ExtractionOptions) and options.validation == "enforce":
                require_documents(found, language)
        return _JudgedPhotos(decoded, assessments, found, quality)

    async def validation(request: Request) -> Response:
        """Judge whether images are good enough for extraction. The status is 200 also if they are not."""
        return await handle(request, "validation", document_types(), validate)

    async def extraction(request: Request) -> Response:
        """Extract the data in images of documents."""
        return await handle(request, "extraction", _extractable_types(served), extract)

    async def validate(request: Request, submission: requests.Submission, slot: Slot, decoder: Decoder) -> Response:
        stopwatch = Stopwatch()
        judged = await decode_and_judge(request, "validation", submission, slot, decoder, stopwatch)
        answer = schema.ValidationAnswer(
            request_id=_request_id(request),
            external_id=submission.options.external_id,
            uploads=describe_uploads(judged.decoded),
            **dict(judged.verdict),
        )
        return _json_response(answer, stopwatch.ms, _language(request))

    async def extract(request: Request, submission: requests.Submission, slot: Slot, decoder: Decoder) -> Response:
        options = submission.options
        assert isinstance(options, ExtractionOptions)
        stopwatch = Stopwatch()
        judged = await decode_and_judge(request, "extraction", submission, slot, decoder, stopwatch)
        with stopwatch.lap("extraction"):
            pages = await extract_documents(
                judged.decoded.photos, judged.assessments, options.document_type, options.group, models
            )
        documents = await anyio.to_thread.run_sync(
            build_documents, pages, judged.decoded, options, settings.target_error
        )
        predictions = [page.prediction for document in pages for page in document]
        extraction_model = _model_name(predictions, served["extraction"])
        record = request_record.current_record()
        record.add_extraction_model(extraction_model)
        if options.validation == "enforce":
            require_readable(judged.verdict, documents, usability, _language(request))
        record.add_documents(documents)
        parts: dict[str, Any] = {
            "request_id": _request_id(request),
            "external_id": options.external_id,
            "uploads": describe_uploads(judged.decoded),
            "images": describe_images(judged.decoded, pages),
            "documents": documents,
            "models": {"extraction": extraction_model, "quality": judged.quality},
            "timings_ms": stopwatch.ms,
        }
        if options.validation != "off" or options.include & {"verdict", "legibility"}:
            parts["verdict"] = judged.verdict
        return _json_response(schema.ExtractionAnswer(**parts), stopwatch.ms, _language(request))

    for prefix in ("/v1", ""):
        for handler, name, model, types in (
            (validation, "validate", schema.ValidationAnswer, document_types()),
            (extraction, "extract", schema.ExtractionAnswer, _extractable_types(served)),
        ):
            app.add_api_route(
                f"{prefix}/{handler.__name__}",
                handler,
                name=name,
                methods=["POST"],
                response_model=model,
                include_in_schema=bool(prefix),
                openapi_extra=openapi.describe_request(handler.__name__, types, settings.max_images),
                responses=openapi.operation_problems(),
                tags=["operations"],
            )


def _add_descriptions(
    app: FastAPI, settings: Settings, served: Mapping[str, Version], loaded_versions: LoadedVersions | None
) -> None:
    @app.get(
        "/v1/document-types",
        response_model=schema.DocumentTypesAnswer,
        responses=openapi.description_problems(),
        tags=["descriptions"],
    )
    async def list_document_types() -> Response:
        """List the document types."""
        described = [_describe_type(kind, served) for kind in document_types().values()]
        return _json_response(schema.DocumentTypesAnswer(document_types=described))

    @app.get(
        "/v1/document-types/{name}",
        response_model=schema.DocumentTypeAnswer,
        responses=openapi.description_problems(404),
        tags=["descriptions"],
    )
    async def show_document_type(name: str) -> Response:
        """Describe one document type."""
        return _json_response(_describe_type(document_types()[name], served))  # other names are answered 404 earlier

    @app.get(
        "/v1/models",
        response_model=schema.ModelsAnswer,
        responses=openapi.description_problems(500, 503, 504),
        tags=["descriptions"],
    )
    async def list_models() -> Response:
        """List the models that are served."""
        if loaded_versions is None:
            versions = list(served.values())
        else:
            with runner_errors_as_problems("requested"):
                versions = await loaded_versions()
        return _json_response(schema.ModelsAnswer(models=[_describe_model(one) for one in versions]))

    @app.get(
        "/v1/limits",
        response_model=schema.LimitsAnswer,
        responses=openapi.description_problems(),
        tags=["descriptions"],
    )
    async def show_limits() -> Response:
        """Return the limits in force."""
        shared = schema.LimitsAnswer.model_fields.keys() - {"kinds"}
        values = {name: getattr(settings, name) for name in shared}
        return _json_response(schema.LimitsAnswer(kinds=list(decoding.FILE_FORMATS), **values))


def _add_pages(app: FastAPI, needs_key: bool) -> None:
    # FastAPI documents this way to replace it.
    app.openapi = lambda: openapi.openapi_document(app, needs_key)  # type: ignore[method-assign]

    async def openapi_json() -> Response:
        return JSONResponse(app.openapi())

    async def reference_page() -> Response:
        return HTMLResponse(openapi.reference_page(app.openapi()), headers={"content-security-policy": _PAGE_POLICY})

    app.add_api_route("/openapi.json", openapi_json, include_in_schema=False)
    app.add_api_route("/docs", reference_page, include_in_schema=False)
    app.add_api_route("/", reference_page, include_in_schema=False)


def _extractable_types(served: Mapping[str, Version]) -> list[str]:
    """Return the types that the extraction model was trained for; all types if its ledger does not list them."""
    return [name for name in document_types() if name in (served["extraction"].document_types or document_types())]


def _describe_type(kind: DocumentType, served: Mapping[str, Version]) -> schema.DocumentTypeAnswer:
    trained = kind.name in _extractable_types(served)
    accuracy = served["extraction"].scores.get("document_types", {}).get(kind.name)
    trained_fields = _trained_fields(kind, served["extraction"]) if trained else set[str]()
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
                source=_source(field.name, kind, trained_fields) if trained else "none",
                accuracy=(accuracy or {}).get(field.name),
            )
            for field in kind.fields()
        },
        json_schema=kind.json_schema(),
    )


def _trained_fields(kind: DocumentType, extraction: Version) -> set[str]:
    """Return the fields of a type that the model was trained for; all fields if its ledger does not list them."""
    return {field.name for field in kind.fields() if not extraction.fields or field.name in extraction.fields}


def _source(
    name: str, kind: DocumentType, trained_fields: Collection[str]
) -> Literal["trained", "machine_readable_zone", "none"]:
    if name in trained_fields:
        return "trained"
    return "machine_readable_zone" if MRZ in kind.record.non_fields and name in mrz.ZONE_FIELDS else "none"


def _model_name(predictions: Sequence[Assessment] | Sequence[PagePrediction], served: Version) -> schema.ModelName:
    """Return the version that made the predictions; the served one if they do not state it or there are none.

    Models in this process do not state it.
    """
    stated = predictions[0].version if predictions else ""
    return schema.ModelName(name=served.name, version=stated or served.version)


def _describe_model(one: Version) -> schema.ModelAnswer:
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


def _verdict_options(
    options: ValidationOptions, settings: Settings, quality: Version, preview: bool
) -> verdict.VerdictOptions:
    """Return the options of the verdict: those of the request, then those of the settings."""
    return verdict.VerdictOptions(
        strictness=options.strictness or settings.strictness,
        severity={**settings.severity, **options.severity},
        document_type=None if options.document_type == AUTO else options.document_type,
        known_types=quality.document_types,
        preview=preview,
    )


def _language(request: Request) -> str:
    return content_negotiation.best_language(request.headers.get("accept-language", ""), messages.catalogues())


def _json_response(
    answer: schema.Answer, timings_ms: Mapping[str, float] | None = None, language: str = messages.DEFAULT_LANGUAGE
) -> Response:
    headers = {"content-language": language}
    if timings_ms:
        headers["server-timing"] = ", ".join(f"{step};dur={ms}" for step, ms in timings_ms.items())
    content = answer.model_dump_json(exclude_unset=True).encode()
    return Response(content, media_type="application/json", headers=headers)


def _require_json_accepted(request: Request) -> None:
    """Raise 406 if the caller excludes JSON. Checked before the upload."""
    if not content_negotiation.accepts_json(request.headers.get("accept", "")):
        raise ProblemError("not_acceptable", "Answers are application/json. The Accept header must permit it.")


def _request_id(request: Request) -> str:
    return str(getattr(request.state, "request_id", "-"))


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return _problem_response(request, error)


async def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    problem = problems.problem_from_status(error.status_code)
    problem.headers = dict(error.headers or {})
    return _problem_response(request, problem)


def _problem_response(request: Request, problem: ProblemError) -> Response:
    request_record.current_record().add_problem(problem.code)
    content = problems.problem_body(problem, request.url.path, _request_id(request))
    return Response(
        content, problem.status, {"content-language": messages.DEFAULT_LANGUAGE, **problems.problem_headers(problem)}
    )
