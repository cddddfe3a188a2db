"""Plan a bulk run and execute it: find the remaining files, split them into parts, run a pool of Ray actors."""

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from docextract.bulk.inputs import Inputs
from docextract.bulk.output import FileCounts, Format, OutputFolder, PreviousRun
from docextract.bulk.worker import BulkWorker, WorkerJob
from docextract.client import ProblemError
from docextract.files import printable_name
from docextract.serving import local
from docextract.settings import Device, Settings

# A million files are 4,000 parts. A part must stay short, because a crashed actor loses the work on its part.
MAX_FILES_PER_PART = 256
MIN_PARTS_PER_WORKER = 8  # for small inputs, so that all workers end at about the same time
DEFAULT_GPU_BATCH = 8  # files processed together by default; the same as in the service
_SETTINGS_OF_ANSWERS = {"strictness", "severity", "thresholds", "target_error"}
_OBJECT_STORE_BYTES = 100_000_000  # enough for names and counts; by default Ray reserves a third of the memory


class GpuNotFoundError(Exception):
    """A GPU was requested, but Ray finds none."""


@dataclass(frozen=True)
class BulkPlan:
    """The remaining files of a run, and the results of earlier runs."""

    job: WorkerJob
    names: Sequence[str]  # remaining files
    finished: PreviousRun
    lock: FileLock | None = None  # of the output folder

    def close(self) -> None:
        """Let other runs write to the output folder."""
        if self.lock is not None:
            self.lock.release()

    @property
    def files(self) -> int:
        """Number of remaining files and of files with an answer, even if the latter no longer exist."""
        return len(self.names) + self.finished.counts.files


def make_plan(
    input_url: str,
    output_url: str,
    file_format: Format,
    options: Mapping[str, Any],
    settings: Settings,
    models_dir: Path,
    device: Device,
    batch: int | None = None,
) -> BulkPlan:
    """Check options, models, input and output before any work starts, and find the remaining files.

    No other run may write to a local output folder until the plan is closed.

    Raises ProblemError if the service would refuse the options, OtherRunError if the output belongs to another run,
    RegistryError if a model is incomplete, and OSError if a location cannot be opened.
    """
    models = local.LocalModels(models_dir)
    _check_options(options, models, settings)
    versions = {name: version.verified().tag for name, version in models.served.items()}
    inputs, output = Inputs(_absolute_url(input_url)), OutputFolder(_absolute_url(output_url), file_format)
    names = inputs.names()
    lock = output.reserve()
    try:
        finished = output.start(
            {
                "input": inputs.url,
                "options": dict(options),
                "models": versions,
                "settings": settings.model_dump(mode="json", include=_SETTINGS_OF_ANSWERS),
            }
        )
    except BaseException:
        if lock is not None:
            lock.release()
        raise
    remaining = [name for name in names if printable_name(name) not in finished.paths]
    job = WorkerJob(inputs, output, options, models_dir.resolve(), device, settings, batch or 0)
    return BulkPlan(job, remaining, finished, lock)


def run_plan(plan: BulkPlan, workers: int | None = None) -> Iterator[FileCounts]:
    """Process the remaining files; yield the counts of each finished part.

    Runs on this machine, or on the cluster at RAY_ADDRESS. workers: number of actors; by default one for each GPU or,
    without GPUs, one for each core. Raises GpuNotFoundError.
    """
    if not plan.names:
        return
    with _running_ray() as ray:
        pool = _size_pool(ray.cluster_resources(), plan.job.device, workers)
        batch_size = plan.job.batch_size or (DEFAULT_GPU_BATCH if pool.gpus else 1)
        job = replace(plan.job, device=pool.device, batch_size=batch_size)
        parts = [{"names": json.dumps(names)} for names in split_into_parts(plan.names, pool.actors)]
        actors = min(pool.actors, len(parts))
        results = ray.data.from_items(parts, override_num_blocks=len(parts)).map_batches(
            BulkWorker,
            batch_size=1,
            fn_constructor_args=(job,),
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=actors, initial_size=actors),
            num_cpus=pool.cpus,
            num_gpus=pool.gpus,
        )
        for row in results.iter_rows():
            yield FileCounts(**row)


def split_into_parts(names: Sequence[str], workers: int) -> list[Sequence[str]]:
    """Split the names into the parts of the output."""
    size = min(MAX_FILES_PER_PART, max(1, len(names) // (workers * MIN_PARTS_PER_WORKER)))
    return [names[at : at + size] for at in range(0, len(names), size)]


@dataclass(frozen=True)
class _ActorPool:
    """Number of actors, and the resources of each."""

    actors: int
    cpus: int
    gpus: int
    device: Device


def _size_pool(resources: Mapping[str, float], device: Device, workers: int | None) -> _ActorPool:
    cores, gpus = int(resources["CPU"]), int(resources.get("GPU", 0))
    if device == "cuda" and not gpus:
        raise GpuNotFoundError("no GPU was found; leave out --device, or use --device cpu")
    if gpus and device != "cpu":
        actors = min(workers or gpus, gpus)
        return _ActorPool(actors, max(1, cores // actors), 1, "cuda")
    actors = min(workers or cores, cores)
    return _ActorPool(actors, cores // actors, 0, "cpu")


def _check_options(options: Mapping[str, Any], models: local.LocalModels, settings: Settings) -> None:
    """Check the options with an empty upload: the service checks options first, and loads no model for that."""
    with local.client(models, settings) as client:
        try:
            client.extract(b"", **options)
        except ProblemError as problem:
            if any(not fault.pointer.startswith("/images") for fault in problem.errors):
                raise


def _absolute_url(url: str) -> str:
    """Return a URL that is valid in any working directory. Raises OSError for an unknown protocol."""
    try:
        fs, path = url_to_fs(url)
    except ValueError as error:
        raise OSError(f"{url}: {error}") from None
    return path if isinstance(fs, LocalFileSystem) else url


@contextmanager
def _running_ray() -> Iterator[Any]:
    """Start Ray without log output and usage statistics, and stop it at the end."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    import ray
    import ray.data

    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False  # the command draws its own
    local_options: dict[str, Any] = {"include_dashboard": False, "object_store_memory": _OBJECT_STORE_BYTES}
    connection = {} if os.environ.get("RAY_ADDRESS") else {"address": "local", **local_options}
    ray.init(log_to_driver=False, logging_level=logging.ERROR, **connection)
    try:
        yield ray
    finally:
        ray.shutdown()
