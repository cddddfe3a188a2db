"""The guide docs/adding-a-document.md works: its files are written and its commands executed, on a small scale."""

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path
from random import Random

import numpy as np
import pytest

from docextract.documents import type_files
from docextract.registry import promote
from tests.renderers import weighing_slips
from training.datasets import pictures
from training.synth import printing

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "adding-a-document.md").read_text(encoding="utf-8")
PHOTOS = 12


def step(title):
    """Return the text of one step of the guide."""
    (found,) = (part for part in re.split(r"^## \d+\. ", GUIDE, flags=re.M) if part.startswith(f"{title}\n"))
    return found


def blocks(text, language):
    """Return the code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.M | re.S)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder like a clone of the repository, with the code, the models and the user's photos."""
    folder = tmp_path_factory.mktemp("docextract")
    for name in ("src", "training", "Makefile", "pyproject.toml", "requirements.lock"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "models", folder / "models")
    weighing_slips.write(folder / "my-slips", PHOTOS, seed=5)
    return folder


def run(place, command, *options):
    """Run one command of the guide."""
    words = command.replace(".venv/bin/python", sys.executable).split()
    environment = {**os.environ, "PYTHONPATH": f"{place / 'src'}", "OMP_NUM_THREADS": "1"}
    return subprocess.run([*words, *options], cwd=place, env=environment, capture_output=True, text=True, check=False)


def commands(title):
    """Return the shell commands of one step."""
    return [line for block in blocks(step(title), "sh") for line in block.splitlines()]


def test_type_description_of_the_guide_is_valid(place):
    """Step 1: the description of the example photos equals the guide's, and its optional parts are valid, too."""
    shown, also = blocks(step("Describe the fields"), "toml")
    version, sums = also.split("\n\n")
    path = place / "weighing_slip.toml"
    path.write_text(f"{version}\n{shown}\n{sums}")

    kind = type_files.load_type(path)

    assert shown == (place / "my-slips" / "types" / "weighing_slip.toml").read_text()
    assert kind.schema_version == "weighing_slip/1.1"
    assert kind.check(kind.record(gross_weight=9, tare_weight=4, net_weight=5))[0].passed


@pytest.mark.slow
def test_labels_are_checked_and_photos_are_read(place):
    """Step 3: first only the labels, then every value is searched on its photo."""
    for command in commands("Check"):
        done = run(place, command, "--json")

        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert (found["rows"], found["usable"], found["unusable"]) == (PHOTOS, PHOTOS, [])
        assert found["trained_on"] > 0
        assert found["held_back"] > 0
        assert found["types"]["weighing_slip"]["fields"]["net_weight"]["known"] == PHOTOS

    assert len(found["not_found"]) <= PHOTOS, found["not_found"]  # of up to nine values on each photo
    assert (place / "runs" / "retrain" / "reads.jsonl").read_text().count("\n") == PHOTOS


@pytest.mark.slow
def test_label_row_of_the_guide_is_valid(place):
    """Step 2: the example has the fields of step 1, and can be loaded."""
    example = json.loads(blocks(step("Label photos"), "json")[0])
    labels = place / "one" / "labels.jsonl"
    (place / "one" / "images").mkdir(parents=True)
    (place / "one" / "types").symlink_to(place / "my-slips" / "types")
    pictures.save(np.full((80, 100, 3), 200, np.uint8), place / "one" / example["image"])
    labels.write_text(json.dumps(example))

    done = run(place, ".venv/bin/python -m training.commands.label_check one")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "cannot be used" not in done.stdout


QUICK = """
seed = 1
steps = 4
decay_steps = 2
warmup_steps = 1
peak_lr = 1e-5
weight_decay = 0.0
pieces_per_batch = 300
real_share = 0.5
other_share = 0.0
evaluate_every = 2
"""


@pytest.mark.slow
def test_four_training_steps_make_a_candidate(place):
    """Step 4: `make retrain` with a short run; photos that were read in step 3 are not read again."""
    (place / "quick.toml").write_text(QUICK)
    (command,) = commands("Retrain")
    # The virtual environment exists: -o prevents make from creating another.
    environment = [f"VENV={sys.prefix}", "-o", f"{sys.prefix}/.ready-to-train"]

    done = run(place, command, *environment, "ARGS=--config quick.toml --synthetic 0")

    assert done.returncode == 0, done.stdout + done.stderr
    retrained = place / "runs" / "retrain"
    assert (retrained / "reads.jsonl").read_text().count("\n") == PHOTOS
    assert "net_weight" in (retrained / "report.html").read_text()
    assert "held_back" in json.loads((retrained / "scores.json").read_text())
    assert "with the served model" in done.stdout
    assert (retrained / "weights" / "types" / "weighing_slip.toml").exists()
    assert 0 < len((retrained / "held_back" / "labels.jsonl").read_text().splitlines()) < PHOTOS


@pytest.mark.slow
def test_candidate_is_evaluated_promoted_and_rolled_back(place):
    """Steps 5 to 7. Four training steps are not enough for the gate, so the promotion is forced with a reason."""
    ((judge,), (promote_it,), (back,)) = (commands(title) for title in ("Compare", "Promote", "Roll back"))

    judged = run(place, judge, "--synthetic", "0")
    refused = run(place, promote_it)
    promoted = run(place, promote_it, "--force", "the guide, walked in a hurry")
    served = run(place, ".venv/bin/python -m docextract.registry list")
    returned = run(place, back)
    again = run(place, ".venv/bin/python -m docextract.registry list")

    assert judged.returncode == 0, judged.stderr
    assert "net_weight" in judged.stdout
    assert refused.returncode == 1
    assert "synthetic" in refused.stderr
    assert promoted.returncode == 0, promoted.stderr
    assert "1.1.0" in served.stdout
    assert returned.returncode == 0, returned.stderr
    assert "1.1.0" not in [line.split()[1] for line in again.stdout.splitlines() if line.startswith("extraction")][:1]


@pytest.mark.slow
def test_corrections_become_labels_for_the_next_training(place):
    """Step 8, once the type is served: what people put right is trained on together with the first photos."""
    shutil.rmtree(place / "models")
    candidate = place / "candidate"
    shutil.copytree(place / "my-slips" / "types", candidate / "types")
    promote("extraction", candidate, "1.1.0", place / "models", day=date(2026, 1, 1))
    (lines,) = blocks(step("Learn from corrections"), "jsonl")
    (place / "corrections.jsonl").write_text(lines)
    (place / "inbox").mkdir()
    for number, line in enumerate(lines.splitlines()):
        sheet = printing.print_sheet(weighing_slips.slip(Random(number)).sheet, np.random.default_rng(number))
        pictures.save(sheet.pixels, place / "inbox" / json.loads(line)["image"])

    finished = [run(place, command) for command in commands("Learn from corrections")]

    assert [done.returncode for done in finished] == [0, 0], finished
    assert finished[0].stdout == "2 of 2 corrections written to my-corrections\n"
    assert f"{PHOTOS + 2} pages of {PHOTOS + 2} groups can be used" in finished[1].stdout
