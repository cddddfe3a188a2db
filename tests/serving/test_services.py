import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from docextract.registry import promote

ROOT = Path(__file__).resolve().parents[2]


def import_service(models, then, before="pass", **environment):
    """Import service.py in a process of its own, as BentoML does, then run the statement `then`."""
    inherited = {name: value for name, value in os.environ.items() if name != "BENTOML_DO_NOT_TRACK"}
    return subprocess.run(
        [sys.executable, "-c", f"{before}; import sys, service; from docextract.serving import services; {then}"],
        cwd=ROOT,
        env={**inherited, "DOCEXTRACT_MODELS_DIR": str(models), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "candidate").mkdir()
    (folder / "candidate" / "weights.safetensors").write_bytes(b"weights")
    for name in ("quality", "extraction"):
        promote(name, folder / "candidate", "1", folder, day=date(2026, 1, 1))
    return folder


def test_importing_the_service_does_not_load_torch(models):
    """Four processes import this module; only the two runners need torch."""
    done = import_service(models, "print(sorted({name.partition('.')[0] for name in sys.modules}))")

    assert done.returncode == 0, done.stderr
    assert "'bentoml'" in done.stdout
    assert "'torch'" not in done.stdout


def test_start_without_a_promoted_model_says_what_to_do(tmp_path):
    """Otherwise a worker would crash later, again and again."""
    done = import_service(tmp_path, "")

    assert done.returncode != 0
    assert "python -m docextract.registry promote quality" in done.stderr


def test_settings_configure_the_services(models):
    """The batch sizes and the time limits come from the environment."""
    look = (
        "front, runner = service.DocumentService, service.ExtractionRunner; "
        "print(front.config['traffic'], runner.config['traffic'], runner.apis['extract'].max_batch_size, "
        "service.QualityRunner.apis['assess'].batchable)"
    )
    done = import_service(
        models, look, DOCEXTRACT_TIMEOUT_S="20", DOCEXTRACT_EXTRACTION_BATCH="5", DOCEXTRACT_QUALITY_BATCH="1"
    )

    assert "{'timeout': 20.0} {'timeout': 18.0, 'max_concurrency': 256} 5 False" in done.stdout


MANY_PAGES = """pass
import asyncio, pickle
from unittest import mock
import numpy as np
from docextract.pipeline.models import ExtractionTask
from docextract.serving.runners import OverloadedError

inside = most = longest = 0

def tasks(*names):
    return [ExtractionTask(np.zeros((90, 90, 3), np.uint8), str(name)) for name in names]

async def call_runner(runner, sent, origin):
    global inside, most, longest
    longest = max(longest, len(pickle.dumps(sent, protocol=5)))
    pages = [task.document_type for task in sent]
    inside += len(pages)
    most = max(most, inside)
    try:
        if "bad" in pages:
            raise OverloadedError
        await asyncio.sleep(0.05 if "0" in pages else 0.01)  # the first is answered last
        return pages
    finally:
        inside -= len(pages)

async def main():
    models = services._RemoteModels()
    found = await asyncio.wait_for(asyncio.gather(*(models.extract(tasks(*range(10))) for _ in range(3))), 20)
    print(most, found == [list("0123456789")] * 3)
    try:
        await models.extract(tasks(0, "bad", 0, 0, 0, 0))
    except OverloadedError:
        print("overloaded", inside)
    print("shared" if longest < 1000 else "sent")

services.call_runner = call_runner
services._service = mock.Mock
asyncio.run(main())
"""


def test_limit_of_the_runner_counts_pages_not_requests(models):
    """Two batches of two pages are sent, although each request has ten; a failure affects only its own request."""
    done = import_service(models, MANY_PAGES, DOCEXTRACT_EXTRACTION_BATCH="2", DOCEXTRACT_EXTRACTION_WORKERS="1")

    assert done.stdout.splitlines()[:2] == ["4 True", "overloaded 0"], done.stderr
    if sys.platform == "linux":
        assert done.stdout.splitlines()[2:] == ["shared"], "the pixels are not sent"


def test_telemetry_is_off(models):
    """BentoML's telemetry is off, although its command reads the setting before our code runs."""
    ask = "from bentoml._internal.utils.analytics.usage_stats import do_not_track; print(do_not_track())"

    done = import_service(models, "print(do_not_track())", before=ask)

    assert done.stdout.split() == ["False", "True"]


def test_described_types_are_loaded_with_the_weights(tmp_path):
    """The front lists a type of the served model that is described only in a file next to the weights."""
    (tmp_path / "candidate" / "types").mkdir(parents=True)
    (tmp_path / "candidate" / "types" / "weighing_slip.toml").write_text('[fields]\nplate = "string"\n')
    for name in ("quality", "extraction"):
        promote(name, tmp_path / "candidate", "1", tmp_path, day=date(2026, 1, 1))

    done = import_service(tmp_path, "print([path for path in services.paths(services.APP) if 'weighing' in path])")

    assert done.stdout.strip() == "['/v1/document-types/weighing_slip']", done.stderr
