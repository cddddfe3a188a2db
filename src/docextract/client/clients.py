"""The two clients: one that waits, one to be awaited. What they send and read is in calls.py."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterable
from types import TracebackType
from typing import Any, Self, Unpack

import httpx
import tenacity

from docextract.answers import schema
from docextract.client import calls, many
from docextract.client.calls import Answer, Call, ExtractionOptions, Source, ValidationOptions
from docextract.client.errors import UnreachableError
from docextract.client.many import Outcome
from docextract.client.retry import Patience

DEFAULT_URL = "http://127.0.0.1:3000"
TIMEOUT_S = 70.0  # the service gives up after 60 s, and says so
CONNECT_TIMEOUT_S = 10.0
CONCURRENCY = 8  # of many files; more than a service of two cores can use, fewer than one refuses
DEFAULT_PATIENCE = Patience()


def _settings(base_url: str, api_key: str | None, timeout_s: float) -> dict[str, Any]:
    """For either of httpx's clients. Waiting for a free connection has no end of its own: the caller set how many."""
    return {
        "base_url": base_url,
        "headers": {"accept": "application/json", **({"authorization": f"Bearer {api_key}"} if api_key else {})},
        "timeout": httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S), pool=None),
    }


class Client:
    """Asks a service, and waits for the answer. May be used by several threads at once.

    Every method raises ProblemError where the service says no, UnreachableError where it does not answer, and
    OSError where a file cannot be read.
    """

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        patience: Patience = DEFAULT_PATIENCE,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """timeout_s: for one try. transport: another way to the service, for proxies and tests."""
        self._url = base_url
        self._patience = patience
        self._http = httpx.Client(transport=transport, **_settings(base_url, api_key, timeout_s))

    def validate(self, *images: Source, **options: Unpack[ValidationOptions]) -> schema.ValidationAnswer:
        """Are these images good enough to extract from?"""
        return self._ask(calls.validation(images, options))

    def extract(self, *images: Source, **options: Unpack[ExtractionOptions]) -> schema.ExtractionAnswer:
        """The data in these images: a document each, or one of all with group="single"."""
        return self._ask(calls.extraction(images, options))

    def validate_many(
        self, images: Iterable[Source], concurrency: int = CONCURRENCY, **options: Unpack[ValidationOptions]
    ) -> Generator[Outcome[schema.ValidationAnswer], None, None]:
        """Each image by itself, `concurrency` at once: outcomes in the order of completion."""
        return many.in_threads(lambda image: self.validate(image, **options), images, concurrency)

    def extract_many(
        self, images: Iterable[Source], concurrency: int = CONCURRENCY, **options: Unpack[ExtractionOptions]
    ) -> Generator[Outcome[schema.ExtractionAnswer], None, None]:
        """Each image by itself, `concurrency` at once: outcomes in the order of completion."""
        return many.in_threads(lambda image: self.extract(image, **options), images, concurrency)

    def document_types(self) -> list[schema.DocumentTypeAnswer]:
        """What can be read."""
        return self._ask(calls.DOCUMENT_TYPES).document_types

    def models(self) -> list[schema.ModelAnswer]:
        """What is being served."""
        return self._ask(calls.MODELS).models

    def limits(self) -> schema.LimitsAnswer:
        """What the service takes."""
        return self._ask(calls.LIMITS)

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, call: Call[Answer]) -> Answer:
        answer: Answer = tenacity.Retrying(**self._patience.terms())(self._once, call)
        return answer

    def _once(self, call: Call[Answer]) -> Answer:
        try:
            response = self._http.request(call.method, call.path, **call.content)
        except httpx.RequestError as error:
            raise UnreachableError(self._url, error) from error
        return call.read(response)


class AsyncClient:
    """The same to be awaited. Belongs to the event loop in which it is used first."""

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        patience: Patience = DEFAULT_PATIENCE,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """As for Client."""
        self._url = base_url
        self._patience = patience
        self._http = httpx.AsyncClient(transport=transport, **_settings(base_url, api_key, timeout_s))

    async def validate(self, *images: Source, **options: Unpack[ValidationOptions]) -> schema.ValidationAnswer:
        """Are these images good enough to extract from?"""
        return await self._ask(await asyncio.to_thread(calls.validation, images, options))

    async def extract(self, *images: Source, **options: Unpack[ExtractionOptions]) -> schema.ExtractionAnswer:
        """The data in these images: a document each, or one of all with group="single"."""
        return await self._ask(await asyncio.to_thread(calls.extraction, images, options))

    def validate_many(
        self, images: Iterable[Source], concurrency: int = CONCURRENCY, **options: Unpack[ValidationOptions]
    ) -> AsyncGenerator[Outcome[schema.ValidationAnswer], None]:
        """Each image by itself, `concurrency` at once: outcomes in the order of completion."""
        return many.in_tasks(lambda image: self.validate(image, **options), images, concurrency)

    def extract_many(
        self, images: Iterable[Source], concurrency: int = CONCURRENCY, **options: Unpack[ExtractionOptions]
    ) -> AsyncGenerator[Outcome[schema.ExtractionAnswer], None]:
        """Each image by itself, `concurrency` at once: outcomes in the order of completion."""
        return many.in_tasks(lambda image: self.extract(image, **options), images, concurrency)

    async def document_types(self) -> list[schema.DocumentTypeAnswer]:
        """What can be read."""
        return (await self._ask(calls.DOCUMENT_TYPES)).document_types

    async def models(self) -> list[schema.ModelAnswer]:
        """What is being served."""
        return (await self._ask(calls.MODELS)).models

    async def limits(self) -> schema.LimitsAnswer:
        """What the service takes."""
        return await self._ask(calls.LIMITS)

    async def close(self) -> None:
        """Close its connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _ask(self, call: Call[Answer]) -> Answer:
        return await tenacity.AsyncRetrying(**self._patience.terms())(self._once, call)

    async def _once(self, call: Call[Answer]) -> Answer:
        try:
            response = await self._http.request(call.method, call.path, **call.content)
        except httpx.RequestError as error:
            raise UnreachableError(self._url, error) from error
        return call.read(response)
