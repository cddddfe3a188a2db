"""The synchronous and the asynchronous client. Requests and answers are defined in calls.py."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from threading import Event
from types import TracebackType
from typing import Any, Self, Unpack

import httpx
import tenacity

from docextract.answers import schema
from docextract.client import calls, many
from docextract.client.calls import Answer, Call, ExtractionOptions, Source, ValidationOptions
from docextract.client.errors import UnreachableError
from docextract.client.many import Outcome
from docextract.client.retry import RetryPolicy

DEFAULT_URL = "http://127.0.0.1:3000"
DEFAULT_TIMEOUT_S = 70.0  # longer than the service's own limit of 60 s, so that its problem arrives
CONNECT_TIMEOUT_S = 10.0
DEFAULT_CONCURRENCY = 8  # requests at once for many files; more than a service on two cores uses, fewer than it refuses
DEFAULT_RETRY_POLICY = RetryPolicy()


def _httpx_options(base_url: str, api_key: str | None, timeout_s: float) -> dict[str, Any]:
    """Return keyword arguments for both httpx clients.

    There is no limit on the wait for a free connection: the caller chose the concurrency.
    """
    return {
        "base_url": base_url,
        "headers": {"accept": "application/json", **({"authorization": f"Bearer {api_key}"} if api_key else {})},
        "timeout": httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S), pool=None),
    }


class Client:
    """Synchronous client of a service. Several threads may share one instance.

    Every method raises ProblemError if the service answers with an error, UnreachableError if it does not answer, and
    OSError if a file cannot be read.
    """

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        api_key: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retry_policy: RetryPolicy = DEFAULT_RETRY_POLICY,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """timeout_s: for one attempt. transport: another way to reach the service, for proxies and tests."""
        self._url = base_url
        self._retry_policy = retry_policy
        self._http = httpx.Client(transport=transport, **_httpx_options(base_url, api_key, timeout_s))

    def validate(self, *images: Source, **options: Unpack[ValidationOptions]) -> schema.ValidationAnswer:
        """Judge whether the images are good enough for extraction."""
        return self._call_with_retries(calls.validation(images, options))

    def extract(self, *images: Source, **options: Unpack[ExtractionOptions]) -> schema.ExtractionAnswer:
        """Extract one document from each file, or what one document is according to `group`."""
        return self._call_with_retries(calls.extraction(images, options))

    def validate_many(
        self, images: Iterable[Source], concurrency: int = DEFAULT_CONCURRENCY, **options: Unpack[ValidationOptions]
    ) -> Generator[Outcome[schema.ValidationAnswer], None, None]:
        """Send each image in its own request, `concurrency` at once; yield outcomes in the order of completion."""
        for_all = calls.as_sent(options)
        return many.run_in_threads(
            lambda image, closing: self._call_with_retries(calls.validation((image,), for_all), closing),
            images,
            concurrency,
        )

    def extract_many(
        self, images: Iterable[Source], concurrency: int = DEFAULT_CONCURRENCY, **options: Unpack[ExtractionOptions]
    ) -> Generator[Outcome[schema.ExtractionAnswer], None, None]:
        """Send each image in its own request, `concurrency` at once; yield outcomes in the order of completion."""
        for_all = calls.as_sent(options)
        return many.run_in_threads(
            lambda image, closing: self._call_with_retries(calls.extraction((image,), for_all), closing),
            images,
            concurrency,
        )

    def document_types(self) -> list[schema.DocumentTypeAnswer]:
        """Return the document types that the service knows."""
        return self._call_with_retries(calls.DOCUMENT_TYPES).document_types

    def models(self) -> list[schema.ModelAnswer]:
        """Return the served models and their versions."""
        return self._call_with_retries(calls.MODELS).models

    def limits(self) -> schema.LimitsAnswer:
        """Return the limits on uploads."""
        return self._call_with_retries(calls.LIMITS)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call_with_retries(self, call: Call[Answer], closing: Event | None = None) -> Answer:
        """closing: set when the answer is not needed any more; only calls for many files have it."""
        retrying = tenacity.Retrying(**self._retry_policy.tenacity_options(closing is not None, closing))
        answer: Answer = retrying(self._call_once, call)
        return answer

    def _call_once(self, call: Call[Answer]) -> Answer:
        try:
            response = self._http.request(call.method, call.path, **call.content)
        except httpx.RequestError as error:
            raise UnreachableError(self._url, error) from error
        return call.parse(response)


class AsyncClient:
    """Asynchronous client with the same methods. It belongs to the event loop in which it is first used."""

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        api_key: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retry_policy: RetryPolicy = DEFAULT_RETRY_POLICY,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """See Client."""
        self._url = base_url
        self._retry_policy = retry_policy
        self._http = httpx.AsyncClient(transport=transport, **_httpx_options(base_url, api_key, timeout_s))

    async def validate(self, *images: Source, **options: Unpack[ValidationOptions]) -> schema.ValidationAnswer:
        """Judge whether the images are good enough for extraction."""
        return await self._validate(images, options)

    async def extract(self, *images: Source, **options: Unpack[ExtractionOptions]) -> schema.ExtractionAnswer:
        """Extract one document from each file, or what one document is according to `group`."""
        return await self._extract(images, options)

    def validate_many(
        self, images: Iterable[Source], concurrency: int = DEFAULT_CONCURRENCY, **options: Unpack[ValidationOptions]
    ) -> AsyncGenerator[Outcome[schema.ValidationAnswer], None]:
        """Send each image in its own request, `concurrency` at once; yield outcomes in the order of completion."""
        for_all = calls.as_sent(options)
        return many.run_in_tasks(lambda image: self._validate((image,), for_all, one_of_many=True), images, concurrency)

    def extract_many(
        self, images: Iterable[Source], concurrency: int = DEFAULT_CONCURRENCY, **options: Unpack[ExtractionOptions]
    ) -> AsyncGenerator[Outcome[schema.ExtractionAnswer], None]:
        """Send each image in its own request, `concurrency` at once; yield outcomes in the order of completion."""
        for_all = calls.as_sent(options)
        return many.run_in_tasks(lambda image: self._extract((image,), for_all, one_of_many=True), images, concurrency)

    async def document_types(self) -> list[schema.DocumentTypeAnswer]:
        """Return the document types that the service knows."""
        return (await self._call_with_retries(calls.DOCUMENT_TYPES)).document_types

    async def models(self) -> list[schema.ModelAnswer]:
        """Return the served models and their versions."""
        return (await self._call_with_retries(calls.MODELS)).models

    async def limits(self) -> schema.LimitsAnswer:
        """Return the limits on uploads."""
        return await self._call_with_retries(calls.LIMITS)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _validate(
        self, images: Sequence[Source], options: ValidationOptions, one_of_many: bool = False
    ) -> schema.ValidationAnswer:
        call = await asyncio.to_thread(calls.validation, images, options)
        return await self._call_with_retries(call, one_of_many)

    async def _extract(
        self, images: Sequence[Source], options: ExtractionOptions, one_of_many: bool = False
    ) -> schema.ExtractionAnswer:
        call = await asyncio.to_thread(calls.extraction, images, options)
        return await self._call_with_retries(call, one_of_many)

    async def _call_with_retries(self, call: Call[Answer], one_of_many: bool = False) -> Answer:
        retrying = tenacity.AsyncRetrying(**self._retry_policy.tenacity_options(one_of_many))
        return await retrying(self._call_once, call)

    async def _call_once(self, call: Call[Answer]) -> Answer:
        try:
            response = await self._http.request(call.method, call.path, **call.content)
        except httpx.RequestError as error:
            raise UnreachableError(self._url, error) from error
        return call.parse(response)
