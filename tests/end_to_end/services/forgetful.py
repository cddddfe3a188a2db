"""A runner that loses one item of every batch, called through our `call_runner`. BentoML itself does not notice."""

import asyncio
from typing import Any

import bentoml

from docextract.pipeline.models import ModelFailedError
from docextract.serving.runners import call_runner


@bentoml.service(name="forgetful_runner")
class ForgetfulRunner:
    """Returns one answer too few."""

    @bentoml.api(batchable=True, max_batch_size=8, max_latency_ms=30_000)
    def recall(self, tagged: list[Any]) -> list[Any]:
        """Return all items except the first."""
        return tagged[1:]


@bentoml.service(name="forgetful")
class Forgetful:
    """Makes four concurrent calls with two items each."""

    runner = bentoml.depends(ForgetfulRunner)

    @bentoml.api
    async def outcomes(self) -> list[str]:
        """Return the outcome of each call: the message of its error, or the items that it returned."""
        return list(await asyncio.gather(*(self._outcome(item) for item in range(4))))

    async def _outcome(self, item: int) -> str:
        try:
            return repr(await call_runner(self.runner.to_async.recall, [f"{item}a", f"{item}b"]))
        except ModelFailedError as error:
            return str(error)
