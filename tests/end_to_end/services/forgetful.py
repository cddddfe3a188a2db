"""A runner that loses an item of every batch, asked through our `ask`. BentoML itself does not notice."""

import asyncio
from typing import Any

import bentoml

from docextract.pipeline.models import ModelFailedError
from docextract.serving.runners import call_runner


@bentoml.service(name="forgetful_runner")
class ForgetfulRunner:
    """Answers one too few."""

    @bentoml.api(batchable=True, max_batch_size=8, max_latency_ms=30_000)
    def recall(self, parcels: list[Any]) -> list[Any]:
        """All but the first."""
        return parcels[1:]


@bentoml.service(name="forgetful")
class Forgetful:
    """Asks for two items at a time, four times at once."""

    runner = bentoml.depends(ForgetfulRunner)

    @bentoml.api
    async def noticed(self) -> list[bool]:
        """Whether each of four calls was told that something is missing, or was given exactly its own items."""
        return list(await asyncio.gather(*(self._sound(item) for item in range(4))))

    async def _sound(self, item: int) -> bool:
        sent = [f"{item}a", f"{item}b"]
        try:
            return await call_runner(self.runner.to_async.recall, sent) == sent
        except ModelFailedError:
            return True
