"""A queue in front of docextract, for callers who cannot wait: submit a file, fetch its answer, or get a webhook.

    pip install arq==0.26.3 && redis-server &
    cd examples/queue
    uvicorn jobs:app --port 3002 &        # POST /jobs, GET /jobs/{id}
    arq jobs.Worker                       # as many as the service can answer at once

Settings: REDIS_URL, DOCEXTRACT_URL, DOCEXTRACT_API_KEY, WEBHOOK_SECRET, RETRY_S. Faults that may pass (no service, no
access, no room, an error of the service) are the result only after TRIES tries, and sending the file again starts its
job again. Documents and answers are in Redis until KEPT_S after the answer; the service itself stores nothing.
"""

import hashlib
import hmac
import os
from typing import Any

import httpx
from arq import create_pool
from arq.connections import RedisSettings
from arq.constants import result_key_prefix
from arq.jobs import Job, JobResult, JobStatus
from arq.worker import Retry
from fastapi import FastAPI, HTTPException, Request

from docextract.client import AsyncClient, ClientError, ProblemError

REDIS = RedisSettings.from_dsn(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"))
SECRET = os.environ.get("WEBHOOK_SECRET", "").encode()
KEPT_S = 3600
TRIES = 5
RETRY_S = float(os.environ.get("RETRY_S", "5"))  # before the second try; twice as long before each further one
MAX_RETRY_S = 120.0
TEMPORARY = (401, 403, 429)  # a key may be replaced; so are all statuses from 500 on
FAILED = {"status": 500, "code": "job_failed", "detail": "The job ended without an answer. Send the file again."}
app = FastAPI(title="docextract jobs")


@app.post("/jobs", status_code=202)
async def submit(request: Request, document_type: str = "auto", webhook: str | None = None) -> dict[str, str]:
    """Queue the file in the body. The same file with the same options has the same ID and is not processed twice.

    A job that failed, but may succeed now, is started again.
    """
    content = await request.body()
    key = hashlib.sha256(b"\0".join([content, document_type.encode(), (webhook or "").encode()])).hexdigest()
    redis = await create_pool(REDIS)
    done = await Job(key, redis).result_info()
    if done and _may_succeed_now(done):
        await redis.delete(result_key_prefix + key)
    await redis.enqueue_job("extract", content, document_type, webhook, _job_id=key)
    await redis.aclose()
    return {"id": key}


@app.get("/jobs/{key}")
async def fetch(key: str) -> dict[str, object]:
    """Return the state of a job, and its answer or the problem once it is done; 404 if unknown or expired."""
    redis = await create_pool(REDIS)
    job = Job(key, redis)
    status, done = await job.status(), await job.result_info()
    await redis.aclose()
    if status is JobStatus.not_found:
        raise HTTPException(404, "there is no such job, or its answer has expired")
    result = {} if done is None else done.result if done.success else {"problem": FAILED}
    return {"id": key, "status": status.value, **result}


def _may_succeed_now(done: JobResult) -> bool:
    return not done.success or _is_temporary(done.result.get("problem", {}).get("status", 200))


def _is_temporary(status: int) -> bool:
    return status in TEMPORARY or status >= 500


async def extract(ctx: dict[str, object], content: bytes, document_type: str, webhook: str | None) -> dict[str, object]:
    """Send the file to docextract; the client waits and asks again while the service is busy.

    What may change is tried again later; the last try returns it as the problem.
    """
    service = os.environ.get("DOCEXTRACT_URL", "http://127.0.0.1:3000")
    async with AsyncClient(service, api_key=os.environ.get("DOCEXTRACT_API_KEY")) as client:
        try:
            answer = await client.extract(content, document_type=document_type)
            result: dict[str, object] = {"answer": answer.model_dump(mode="json", by_alias=True)}
        except ClientError as error:
            problem = _problem(error)
            tries = int(str(ctx["job_try"]))
            if _is_temporary(problem["status"]) and tries < TRIES:
                asked_s = getattr(error, "retry_after_s", None) or 0.0  # by the service
                raise Retry(defer=min(MAX_RETRY_S, max(asked_s, RETRY_S * 2 ** (tries - 1)))) from error
            result = {"problem": problem}
    if webhook:
        await ctx["redis"].enqueue_job("notify", webhook, str(ctx["job_id"]), "problem" not in result)  # type: ignore[attr-defined]
    return result


def _problem(error: ClientError) -> dict[str, Any]:
    if isinstance(error, ProblemError):
        return {"status": error.status, "code": error.code, "detail": str(error)}
    return {"status": 503, "code": "unreachable", "detail": str(error)}


async def notify(ctx: dict[str, object], webhook: str, key: str, succeeded: bool) -> None:
    """Tell the webhook that an answer can be fetched, signed with the secret; several times if it does not answer."""
    body = f'{{"id": "{key}", "succeeded": {str(succeeded).lower()}}}'.encode()
    signature = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    async with httpx.AsyncClient(timeout=10) as http:
        try:
            headers = {"content-type": "application/json", "x-signature": signature}
            (await http.post(webhook, content=body, headers=headers)).raise_for_status()
        except httpx.HTTPError as error:
            raise Retry(defer=2 ** int(str(ctx["job_try"]))) from error


class Worker:
    """Settings of arq."""

    redis_settings = REDIS
    functions = (extract, notify)
    keep_result = KEPT_S
    max_jobs = 8
    max_tries = TRIES
