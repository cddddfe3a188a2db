"""The OpenAPI document, and the HTML page that displays it.

FastAPI describes the answers from their models. The three request formats, the examples and the problems are added
here. The page is plain HTML and loads no other resource.
"""

import html
import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from docextract.answers import schema as answer_schema
from docextract.documents import document_types
from docextract.http.openapi_documents import type_documents
from docextract.http.requests import FILE_TYPES, JSON, MULTIPART, JsonImage
from docextract.pipeline import problems
from docextract.pipeline.options import ExtractionOptions, ValidationOptions
from docextract.predictions import AUTO

_OPTION_MODELS: Mapping[str, type[ValidationOptions]] = {
    "validation": ValidationOptions,
    "extraction": ExtractionOptions,
}
_EXAMPLES = files("docextract.http") / "examples"  # one answer for each operation
_ACCESS_STATUSES = (401, 403, 429)  # of http/access.py
_SECURITY_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "Authorization: Bearer and the API key"},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}
# A white PNG of 64 x 64 px, so that the example can be sent unchanged.
_EXAMPLE_IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAFElEQVR42mP8zwABTAyjjFEGyQwAzx8Bf7QK4E8AAAAASUVORK5CYII="
)


def describe_request(operation: str, types: Iterable[str], max_images: int) -> dict[str, Any]:
    """Return the request body in its three formats, and the options of the raw format as query parameters.

    types: values that `document_type` may have in addition to `auto`.
    """
    options = _OPTION_MODELS[operation].model_json_schema()["properties"]
    options["document_type"] |= {"enum": [AUTO, *types]}
    text_options = {name: _as_text(schema) for name, schema in options.items()}
    images = {"type": "array", "minItems": 1, "maxItems": max_images}
    form = {
        "type": "object",
        "required": ["images"],
        "properties": {"images": images | {"items": {"type": "string", "format": "binary"}}, **text_options},
        "additionalProperties": False,
    }
    json_body = {
        "type": "object",
        "required": ["images"],
        "properties": {"images": images | {"items": JsonImage.model_json_schema()}, **options},
        "additionalProperties": False,
    }
    example = {"images": [{"content": _EXAMPLE_IMAGE, "side": "front"}], "document_type": "auto"}
    content: dict[str, Any] = {
        MULTIPART: {"schema": form, "encoding": {"images": {"contentType": ", ".join(FILE_TYPES)}}},
        JSON: {"schema": json_body, "examples": {"one image": {"value": example}}},
    }
    content |= {kind: {"schema": {"type": "string", "format": "binary"}} for kind in FILE_TYPES}
    return {
        "requestBody": {"required": True, "content": content},
        "parameters": [
            {"name": name, "in": "query", "required": False, "schema": schema,
             "description": schema.get("description", "") + " (for the raw format)"}
            for name, schema in text_options.items()
        ],
    }  # fmt: skip


def _as_text(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an option in a query or a form, where there are no objects and no nulls."""
    kept = {name: value for name, value in schema.items() if name != "anyOf" and (name, value) != ("default", None)}
    return kept | (schema["anyOf"][0] if "anyOf" in schema else {})


def operation_problems() -> dict[int | str, dict[str, Any]]:
    """Return the problems of both operations, by status."""
    return {status: _problem(status) for status in _codes_by_status() if status not in (404, 405)}


def description_problems(*more: int) -> dict[int | str, dict[str, Any]]:
    """Return the problems of the other routes, by status: those of access control, and `more`."""
    return {status: _problem(status) for status in (*_ACCESS_STATUSES, *more)}


def _problem(status: int) -> dict[str, Any]:
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {"description": ", ".join(_codes_by_status()[status]), "content": {problems.MEDIA_TYPE: schema}}


def _codes_by_status() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for code, (status, _) in problems.CODES.items():
        found.setdefault(status, []).append(code)
    return found


def openapi_document(app: FastAPI, needs_key: bool) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document, created once. needs_key: whether requests without a key are refused."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            openapi_version="3.1.0",
            description="Judges photos of documents and extracts the data of the documents.",
            routes=app.routes,
        )
        document["security"] = [{scheme: []} for scheme in _SECURITY_SCHEMES] + ([] if needs_key else [{}])
        document.setdefault("components", {})["securitySchemes"] = _SECURITY_SCHEMES
        schemas = document["components"].setdefault("schemas", {})
        problem = answer_schema.Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(problem.pop("$defs", {}))
        schemas["Problem"] = problem
        type_documents(schemas, document_types().values())
        for operation in _OPTION_MODELS:  # added afterwards: FastAPI would drop every null
            example = json.loads((_EXAMPLES / f"{operation}.json").read_text(encoding="utf-8"))
            document["paths"][f"/v1/{operation}"]["post"]["responses"]["200"]["content"][JSON]["example"] = example
        # FastAPI assumes that it validates path parameters; here every text is valid and gets 200 or 404.
        del document["paths"]["/v1/document-types/{name}"]["get"]["responses"]["422"]
        del schemas["HTTPValidationError"], schemas["ValidationError"]
        app.openapi_schema = document
    return app.openapi_schema


def reference_page(document: Mapping[str, Any]) -> str:
    """Return the OpenAPI document as an HTML page."""
    return "".join(_reference_page(document))


def _reference_page(document: Mapping[str, Any]) -> Iterator[str]:
    name = html.escape(document["info"]["title"])
    yield f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title><style>{_STYLE}</style>'
    yield f"<h1>{name} {html.escape(document['info']['version'])}</h1>"
    yield f"<p>{html.escape(document['info']['description'])} "
    yield 'The complete description: <a href="/openapi.json">openapi.json</a>.</p>'
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield from _operation(path, method, operation)
    yield "<h2>Problems</h2><p>Every error response is application/problem+json with one of these codes.</p>"
    for code, (status, title) in problems.CODES.items():
        yield f'<p id="{code}"><b>{status}</b> <code>{code}</code> {html.escape(title)}.</p>'
    yield "</html>"


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2>{method.upper()} {html.escape(path)}</h2><p>{html.escape(operation.get('description', ''))}</p>"
    if "requestBody" in operation:
        address = "http://localhost:3000" + path
        kinds = ", ".join(operation["requestBody"]["content"])
        yield f"<p>Accepted content types: {html.escape(kinds)}.</p>"
        yield f"<pre>curl -F images=@photo.jpg {address}\n"
        yield f"curl --data-binary @photo.jpg -H 'Content-Type: image/jpeg' {address}</pre>"
        yield '<p>With an API key: <code>-H "Authorization: Bearer $DOCEXTRACT_API_KEY"</code></p><table>'
        for option in operation["parameters"]:
            schema = option["schema"]
            one = schema.get("items", schema)
            values = one.get("enum") or one.get("anyOf", [{}])[0].get("enum") or [schema.get("type", "text")]
            listed = html.escape(", ".join(map(str, values)))
            yield f"<tr><td><code>{option['name']}</code><td>{listed}<td>{html.escape(schema.get('description', ''))}"
        yield "</table>"
    example = operation["responses"].get("200", {}).get("content", {}).get(JSON, {}).get("example")
    if example:
        yield f"<pre>{html.escape(json.dumps(example, indent=1, ensure_ascii=False))}</pre>"


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "pre{background:#f4f4f2;padding:1rem;overflow:auto;font-size:13px}td{padding:.2rem 1rem .2rem 0;vertical-align:top}"
    "h2{margin-top:3rem}:target{background:#fff3bf}"
)
