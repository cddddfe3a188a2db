import asyncio

import aiohttp
import pytest
from bentoml.exceptions import BentoMLException

from docextract.observability.origin import Origin
from docextract.pipeline.models import ModelFailedError, OverloadedError, TooSlowError, UnavailableError
from docextract.serving.runners import ItemFailure, Tagged, answer_batch, answer_each, call_runner


def doubled(numbers):
    if any(number < 0 for number in numbers):
        raise ValueError("negative")
    return [2 * number for number in numbers]


def forgetful(numbers):
    """Return one answer too few, unless there is only one item."""
    return numbers[1:] or numbers


def test_failing_item_does_not_affect_its_batch():
    """The other items are answered as if it were not there."""
    assert answer_each(doubled, [1, -1, 3]) == [2, ItemFailure("ValueError"), 6]


def test_successful_batch_is_computed_once():
    """Items are processed one by one only if the batch fails."""
    sizes = []

    def counting(numbers):
        sizes.append(len(numbers))
        return numbers

    assert answer_each(counting, [1, 2, 3]) == [1, 2, 3]
    assert sizes == [3]


def test_missing_answers_are_noticed():
    """Two answers for three items would go to the wrong callers."""
    assert answer_each(forgetful, [1, 2, 3]) == [1, 2, 3]  # one by one, the answers are right
    assert answer_each(lambda items: [], [1]) == [ItemFailure("ModelFailedError")]


def test_document_content_is_not_logged(caplog):
    """The message of an exception may quote the document; the log has only its type and location."""

    def quoting(items):
        raise ValueError("cannot parse SECRET-NAME")

    answer_each(quoting, [1], [Origin(request_id="R1", traceparent="00-aa-bb-01")])

    (line,) = caplog.records
    assert (line.kind, line.request_id, line.trace_id) == ("ValueError", "R1", "aa")
    assert "SECRET-NAME" not in repr(vars(line))


def test_answers_are_in_input_order():
    """One answer per item."""

    async def runner(parcels):
        return answer_batch(doubled, parcels)

    assert asyncio.run(call_runner(runner, [3, 1, 2])) == [6, 2, 4]


@pytest.mark.parametrize("loss", [aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError])
def test_call_is_repeated_after_a_lost_connection(loss):
    """If a runner died, even during its answer, its successor gets the call."""
    calls = []

    async def runner(parcels):
        calls.append(len(parcels))
        if len(calls) == 1:
            raise loss
        return answer_batch(doubled, parcels)

    assert asyncio.run(call_runner(runner, [1])) == [2]
    assert calls == [1, 1]


async def _dead(parcels):
    raise aiohttp.ClientOSError


async def _slow(parcels):
    raise TimeoutError


async def _short(parcels):
    return parcels[1:]


async def _shifted(parcels):
    """Return the right number of answers; the first belongs to another caller."""
    return [Tagged("of another caller", 7), *parcels[:-1]]


async def _failing(parcels):
    return [Tagged(ItemFailure("ValueError"), parcel.tag) for parcel in parcels]


def _answering_status(status):
    async def runner(parcels):
        raise BentoMLException("…", error_code=status)

    return runner


@pytest.mark.parametrize(
    ("runner", "error"),
    [
        (_dead, UnavailableError),
        (_slow, TooSlowError),
        (_short, ModelFailedError),
        (_shifted, ModelFailedError),
        (_failing, ModelFailedError),
        (_answering_status(429), OverloadedError),
        (_answering_status(503), OverloadedError),
        (_answering_status(504), TooSlowError),
        (_answering_status(500), ModelFailedError),
    ],
)
def test_every_kind_of_failure_has_its_own_error(runner, error):
    """What the caller should do depends on the error."""
    with pytest.raises(error):
        asyncio.run(call_runner(runner, [1, 2]))
