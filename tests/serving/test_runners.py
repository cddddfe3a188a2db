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
    """Answers one too few, unless it is asked for one."""
    return numbers[1:] or numbers


def test_one_bad_item_harms_only_itself():
    """The others of its batch are answered as if it had not been there."""
    assert answer_each(doubled, [1, -1, 3]) == [2, ItemFailure("ValueError"), 6]


def test_a_good_batch_is_computed_once():
    """The way back item by item is taken only when a batch fails."""
    sizes = []

    def counting(numbers):
        sizes.append(len(numbers))
        return numbers

    assert answer_each(counting, [1, 2, 3]) == [1, 2, 3]
    assert sizes == [3]


def test_a_model_that_answers_too_few_is_not_believed():
    """Two answers for three items would be given to the wrong callers."""
    assert answer_each(forgetful, [1, 2, 3]) == [1, 2, 3]  # asked one by one it is right
    assert answer_each(lambda items: [], [1]) == [ItemFailure("ModelFailedError")]


def test_what_stood_on_the_page_is_not_logged(caplog):
    """A model's message may quote the document; the log has only the kind and the place."""

    def quoting(items):
        raise ValueError("cannot parse SECRET-NAME")

    answer_each(quoting, [1], [Origin(request_id="R1", traceparent="00-aa-bb-01")])

    (line,) = caplog.records
    assert (line.kind, line.request_id, line.trace_id) == ("ValueError", "R1", "aa")
    assert "SECRET-NAME" not in repr(vars(line))


def test_answers_come_back_in_order():
    """A parcel for each item, in the order given."""

    async def runner(parcels):
        return answer_batch(doubled, parcels)

    assert asyncio.run(call_runner(runner, [3, 1, 2])) == [6, 2, 4]


@pytest.mark.parametrize("loss", [aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError])
def test_a_lost_connection_is_tried_once_more(loss):
    """A runner that died, even amid its answer, is asked again; its successor answers."""
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
    """The right number, of which the first is a neighbour's."""
    return [Tagged("a neighbour's", 7), *parcels[:-1]]


async def _failing(parcels):
    return [Tagged(ItemFailure("ValueError"), parcel.tag) for parcel in parcels]


def _saying(status):
    async def runner(parcels):
        raise BentoMLException("…", error_code=status)

    return runner


@pytest.mark.parametrize(
    ("runner", "trouble"),
    [
        (_dead, UnavailableError),
        (_slow, TooSlowError),
        (_short, ModelFailedError),
        (_shifted, ModelFailedError),
        (_failing, ModelFailedError),
        (_saying(429), OverloadedError),
        (_saying(503), OverloadedError),
        (_saying(504), TooSlowError),
        (_saying(500), ModelFailedError),
    ],
)
def test_every_trouble_has_its_own_name(runner, trouble):
    """What the caller should do depends on what went wrong."""
    with pytest.raises(trouble):
        asyncio.run(call_runner(runner, [1, 2]))
