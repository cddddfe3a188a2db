"""Asking a docextract service from Python, with the contract's own models as answers.

    from docextract.client import Client

    with Client("http://127.0.0.1:3000") as client:
        answer = client.extract("receipt.jpg", document_type="receipt")
        print(answer.documents[0].fields["total"].value)

`AsyncClient` is the same with await. Answers are the models of docextract/answers.py; members that a newer
service adds are passed over. Neither torch nor BentoML is imported.
"""

from docextract.client.calls import ExtractionOptions, Image, Source, ValidationOptions
from docextract.client.clients import AsyncClient, Client
from docextract.client.errors import ClientError, ProblemError, UnreachableError
from docextract.client.many import Outcome
from docextract.client.retry import Patience

__all__ = [
    "AsyncClient",
    "Client",
    "ClientError",
    "ExtractionOptions",
    "Image",
    "Outcome",
    "Patience",
    "ProblemError",
    "Source",
    "UnreachableError",
    "ValidationOptions",
]
