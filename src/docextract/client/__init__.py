"""Python client of a docextract service; its answers are the pydantic models of the API contract.

    from docextract.client import Client

    with Client("http://127.0.0.1:3000") as client:
        answer = client.extract("receipt.jpg", document_type="receipt")
        print(answer.documents[0].fields["total"].value)

`AsyncClient` has the same methods as coroutines. Answers are the models of docextract.answers.schema; members that a
newer service adds are ignored. Neither torch nor BentoML is imported.
"""

from docextract.client.calls import ExtractionOptions, Image, Source, ValidationOptions
from docextract.client.clients import AsyncClient, Client
from docextract.client.errors import ClientError, ProblemError, UnreachableError
from docextract.client.many import Outcome
from docextract.client.retry import RetryPolicy

__all__ = [
    "AsyncClient", "Client", "ClientError", "ExtractionOptions", "Image", "Outcome", "ProblemError", "RetryPolicy",
    "Source", "UnreachableError", "ValidationOptions",
]  # fmt: skip
