"""From an input and an output to a tally: what is left to do, in groups of files, through a pool of Ray actors."""

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from docextract.bulk.worker import Answering, Job, shown
from docextract.bulk.inputs import Inputs
from docextract.bulk.output import Finished, Format, Output, Tally
from docextract.client import ProblemError
from docextract.serving import local
from docextract.settings import Device, Settings

MOST_FILES = 256  # of a part: a million files are 4,000 parts, and an actor that dies takes minutes of work with it
PARTS_A_WORKER = 8  # at least, of few files: so that none works long while the others are done
GPU_BATCH = 8  # files answered together where nothing is said; what the service does, too
_OBJECT_STORE_BYTES = 100_000_000  # names and tallies; Ray would take a third of the memory


class NoSuchDeviceError(Exception):
    """A GPU was asked for, and Ray knows of none."""


@dataclass(frozen=True)
class Plan:
    """What is to be done, and what is done already."""

    job: Job
    names: Sequence[str]  # without those that are done
    finished: Finished

    @property
    def files(self) -> int:
        """All that the input has now, and those that have an answer though they are gone."""
        return len(self.names) + self.finished.tally.files


def plan(
    input_url: str,
    output_url: str,
    form: Format,
    options: Mapping[str, Any],
    settings: Settings,
    models_dir: Path,
    device: Device,
    batch: int | None = None,
) -> Plan:
    """Look at everything that can be wrong before there is work: options, models, input, output.

    Raises ProblemError where the service would not take the options, OtherRunError where the output belongs to another
    run, RegistryError where the models are not whole, and OSError where a place cannot be opened.
    """
    models = local.LocalModels(models_dir)
    _check(options, models, settings)
    versions = {name: version.verified().tag for name, version in models.served.items()}
    inputs, output = Inputs(_lasting(input_url)), Output(_lasting(output_url), form)
    names = inputs.names()
    finished = output.begin({"input": inputs.url, "options": dict(options), "models": versions})
    left = [name for name in names if shown(name) not in finished.paths]
    job = Job(inputs, output, options, models_dir.resolve(), device, settings, batch or 0)
    return Plan(job, left, finished)


def work(plan: Plan, workers: int | None = None) -> Iterator[Tally]:
    """Do it: a tally for each part, as they are finished. On this machine, or on the cluster that RAY_ADDRESS names.

    workers: actors; as many as there are GPUs or, without, cores if not given. Raises NoSuchDeviceError.
    """
    if not plan.names:
        return
    with _ray() as ray:
        pool = _pool(ray.cluster_resources(), plan.job.device, workers)
        job = replace(plan.job, device=pool.device, batch=plan.job.batch or (GPU_BATCH if pool.gpus else 1))
        groups = [{"names": json.dumps(names)} for names in grouped(plan.names, pool.actors)]
        actors = min(pool.actors, len(groups))
        done = ray.data.from_items(groups, override_num_blocks=len(groups)).map_batches(
            Answering,
            batch_size=1,
            fn_constructor_args=(job,),
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=actors, initial_size=actors),
            num_cpus=pool.cpus,
            num_gpus=pool.gpus,
        )
        for row in done.iter_rows():
            yield Tally(**row)


def grouped(names: Sequence[str], workers: int) -> list[Sequence[str]]:
    """Each is one part of the output."""
    size = min(MOST_FILES, max(1, len(names) // (workers * PARTS_A_WORKER)))
    return [names[at : at + size] for at in range(0, len(names), size)]


@dataclass(frozen=True)
class _Pool:
    """How many actors, and what each has."""

    actors: int
    cpus: int
    gpus: int
    device: Device


def _pool(resources: Mapping[str, float], device: Device, workers: int | None) -> _Pool:
    cores, gpus = int(resources["CPU"]), int(resources.get("GPU", 0))
    if device == "cuda" and not gpus:
        raise NoSuchDeviceError("there is no GPU here; leave out --device, or say --device cpu")
    if gpus and device != "cpu":
        actors = min(workers or gpus, gpus)
        return _Pool(actors, max(1, cores // actors), 1, "cuda")
    actors = min(workers or cores, cores)
    return _Pool(actors, cores // actors, 0, "cpu")


def _check(options: Mapping[str, Any], models: local.LocalModels, settings: Settings) -> None:
    """Asked about no picture, the service looks at the options first, and loads no model to say what it thinks."""
    with local.client(models, settings) as client:
        try:
            client.extract(b"", **options)
        except ProblemError as problem:
            if any(not fault.pointer.startswith("/images") for fault in problem.errors):
                raise


def _lasting(url: str) -> str:
    """The same place for a process with another working folder. Raises OSError where there is no such kind of place."""
    try:
        fs, path = url_to_fs(url)
    except ValueError as error:
        raise OSError(f"{url}: {error}") from None
    return path if isinstance(fs, LocalFileSystem) else url


@contextmanager
def _ray() -> Iterator[Any]:
    """Ray, which says nothing unless it fails, and reports to nobody."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    import ray
    import ray.data

    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False  # there is our own
    here: dict[str, Any] = {"include_dashboard": False, "object_store_memory": _OBJECT_STORE_BYTES}
    where = {} if os.environ.get("RAY_ADDRESS") else {"address": "local", **here}
    ray.init(log_to_driver=False, logging_level=logging.ERROR, **where)
    try:
        yield ray
    finally:
        ray.shutdown()
