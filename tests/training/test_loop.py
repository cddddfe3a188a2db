"""The training loop that all tasks share."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from pydantic import ValidationError
from torch import nn

from tests.training.stopping import StoppedError, stop_after
from training import history, loop
from training.loop import CHECKPOINT, Settings, Task, fit, update_ema
from training.tasks.donut.train import DonutSettings
from training.tasks.language.train import LanguageSettings
from training.tasks.layout.train import LayoutSettings
from training.tasks.ocr.train import OcrSettings
from training.tasks.quality.train import QualitySettings
from training.tasks.zones.train import ZoneSettings

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "training" / "configs"
SETTINGS = Settings(
    seed=1, steps=6, peak_lr=0.1, warmup_steps=1, weight_decay=0.0, average=0.9, evaluate_every=2, checkpoint_s=1e6
)


class Line(Task):
    """Fits y = 3x with a network that has dropout. The task counts its batches, which needs a position."""

    def __init__(self, scores=()):
        self.scores, self.position, self.evaluated = list(scores), 0, []

    def batch(self, step):
        self.position += 1
        return torch.randn(4, 1, generator=torch.Generator().manual_seed(self.position))

    def losses(self, network, batch):
        return {"fit": ((network(batch) - 3 * batch) ** 2).mean()}

    def evaluate(self, network):
        self.evaluated.append((network, network.training))
        return {"score": self.scores.pop(0) if self.scores else 0.0}

    def score(self, evaluation):
        return evaluation["score"]

    def export(self, network, folder):
        """Nothing is served of it."""


def train(out, settings=SETTINGS, task=None, **hooks):
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(1, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    return fit(task or Line(), network, loop.adamw(network, settings), settings, out, **hooks)


def same(one, other):
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


@pytest.mark.parametrize(
    ("settings", "config"),
    [
        (DonutSettings, "donut"),
        (LanguageSettings, "language"),
        (LayoutSettings, "layout"),
        (LayoutSettings, "retrain"),
        (OcrSettings, "ocr"),
        (QualitySettings, "quality"),
        (QualitySettings, "retrain-quality"),
        (ZoneSettings, "zones"),
    ],
)
def test_an_unknown_setting_is_refused(settings, config, tmp_path):
    """A spelling mistake must not start hours of training with a default value."""
    committed = CONFIGS / f"{config}.toml"
    misspelt = tmp_path / "misspelt.toml"
    misspelt.write_text("stepps = 1\n" + committed.read_text())

    assert type(settings.read(committed)) is settings
    with pytest.raises(ValidationError, match="stepps"):
        settings.read(misspelt)


@pytest.mark.parametrize("average", [0.9, 0.0])
@pytest.mark.parametrize("last_step", [1, 2, 5])
def test_a_resumed_run_equals_an_unbroken_one(tmp_path, last_step, average):
    """Weights, history and the task's position, wherever the run was killed; dropout included."""
    settings = replace(SETTINGS, average=average)
    unbroken = train(tmp_path / "unbroken", settings)
    with pytest.raises(StoppedError):
        train(tmp_path / "resumed", replace(settings, checkpoint_s=0), on_step=stop_after(last_step))
    resumed = train(tmp_path / "resumed", settings)

    states = [torch.load(tmp_path / name / CHECKPOINT, weights_only=True) for name in ("unbroken", "resumed")]
    assert same(unbroken, resumed)
    assert [state["positions"] for state in states] == [[6], [6]]
    assert [row["step"] for row in history.read(tmp_path / "resumed")] == [2, 4, 6]


def test_dropout_depends_on_the_step(tmp_path):
    """Another seed of the run gives other weights, from the same start and the same batches."""
    assert same(train(tmp_path / "one"), train(tmp_path / "two"))
    assert not same(train(tmp_path / "three"), train(tmp_path / "four", replace(SETTINGS, seed=2)))


def test_a_finished_run_is_left_as_it_is(tmp_path):
    """Started again, it takes no step and writes nothing."""
    first = train(tmp_path)
    written = (tmp_path / CHECKPOINT).stat().st_mtime_ns
    steps = []

    again = train(tmp_path, on_step=lambda step, end: steps.append((step, end)))

    assert steps == [(6, 6)]
    assert (tmp_path / CHECKPOINT).stat().st_mtime_ns == written
    assert same(first, again)


def test_a_run_can_be_ended_early_by_lowering_its_steps(tmp_path):
    """It resumes, and its end is the new number of steps."""
    with pytest.raises(StoppedError):
        train(tmp_path, replace(SETTINGS, checkpoint_s=0), on_step=stop_after(2))

    train(tmp_path, replace(SETTINGS, steps=3))

    assert [(row["step"], row["of"]) for row in history.read(tmp_path)] == [(2, 6), (3, 3)]


def test_a_row_of_the_history_has_mean_losses_and_the_evaluation(tmp_path):
    """Losses are means over the steps since the row before; numbers are rounded."""
    losses = iter([1.0, 2.0, 4.0, 8.0, 16.0, 32.123456])
    task = Line(scores=[0.1234567])
    task.losses = lambda network, batch: {"fit": 0 * network(batch).sum() + next(losses)}

    train(tmp_path, task=task)

    rows = history.read(tmp_path)
    assert [row["loss"]["fit"] for row in rows] == [1.5, 6.0, 24.06173]
    assert rows[0]["score"] == 0.12346
    assert all(row["steps_per_s"] > 0 for row in rows)


def test_the_averaged_network_is_evaluated_and_returned(tmp_path):
    """In evaluation mode; it is not the network that is trained."""
    task = Line()
    returned = train(tmp_path, task=task)

    assert all(network is returned and not training for network, training in task.evaluated)
    state = torch.load(tmp_path / CHECKPOINT, weights_only=True)
    assert torch.equal(state["average"]["0.weight"], returned[0].weight)
    assert not torch.equal(state["network"]["0.weight"], returned[0].weight)


def test_without_an_average_the_network_itself_is_evaluated_and_trained_on(tmp_path):
    """After each evaluation it is in training mode again: dropout is on in every step."""
    task, modes = Line(), []
    losses = task.losses
    task.losses = lambda network, batch: modes.append(network.training) or losses(network, batch)

    returned = train(tmp_path, replace(SETTINGS, average=0.0), task)

    assert modes == [True] * 6
    assert [network is returned for network, _ in task.evaluated] == [True] * 3
    assert "average" not in torch.load(tmp_path / CHECKPOINT, weights_only=True)


def test_the_average_follows_the_network_faster_at_first():
    """After the first step a decay of 0.999 is one of 1/11: the random start is soon forgotten."""
    average, network = nn.Linear(1, 1), nn.Linear(1, 1)
    before = average.weight.item()

    update_ema(average, network, 0.999, 1)
    assert average.weight.item() == pytest.approx(before / 11 + network.weight.item() * 10 / 11)

    before = average.weight.item()
    update_ema(average, network, 0.5, 1000)
    assert average.weight.item() == pytest.approx((before + network.weight.item()) / 2)


def test_a_run_without_a_gain_ends_early(tmp_path):
    """After `patience` evaluations in a row without a gain; a gain within rounding errors is none."""
    settings = replace(SETTINGS, steps=40, patience=2)
    task = Line(scores=[0.5, 0.4, 0.6, 0.6 + 1e-9, 0.6])

    train(tmp_path, settings, task)

    assert [(row["step"], row["of"]) for row in history.read(tmp_path)] == [
        (2, 40),
        (4, 40),
        (6, 40),
        (8, 40),
        (10, 10),
    ]


class Cooldown(Settings):
    """Settings of a run that continues for three steps when it ends early."""

    cooldown_steps = 3


@pytest.mark.parametrize("killed", [False, True])
def test_an_early_end_stays_decided(tmp_path, killed):
    """Neither a gain in the last steps nor a kill and a resumption changes it."""
    settings = Cooldown(**{**vars(SETTINGS), "steps": 40, "patience": 1, "checkpoint_s": 0})
    task = Line(scores=[0.5, 0.4, 0.9, 0.9])
    if killed:
        with pytest.raises(StoppedError):
            train(tmp_path, settings, task, on_step=stop_after(6))
        task = Line(scores=[0.9])

    train(tmp_path, settings, task)

    assert [(row["step"], row["of"]) for row in history.read(tmp_path)] == [(2, 40), (4, 7), (6, 7), (7, 7)]


def test_a_task_without_a_score_cannot_stop_early(tmp_path):
    """The error says which setting to change."""
    task = Line()
    task.score = lambda evaluation: Task.score(task, evaluation)

    with pytest.raises(NotImplementedError, match="set patience to 0"):
        train(tmp_path, replace(SETTINGS, patience=1), task)


def test_a_trained_network_is_evaluated_before_the_first_step(tmp_path):
    """Once, also if the run was killed before its first checkpoint."""
    task = Line()
    task.evaluate_first = True
    history.append(tmp_path, {"step": 0})

    train(tmp_path, task=task)

    rows = history.read(tmp_path)
    assert [row["step"] for row in rows] == [0, 2, 4, 6]
    assert "loss" not in rows[0]


def test_a_hook_is_called_at_checkpoints(tmp_path):
    """With the averaged network: to write weights that can be served before the run has ended."""
    seen = []

    returned = train(tmp_path, replace(SETTINGS, checkpoint_s=0), on_checkpoint=seen.append)

    assert seen == [returned] * 6


def test_the_checkpoint_of_another_number_of_processes_is_refused(tmp_path):
    """Each process has a position of its own."""
    train(tmp_path)
    state = torch.load(tmp_path / CHECKPOINT, weights_only=True)
    torch.save(state | {"positions": [6, 6]}, tmp_path / CHECKPOINT)

    with pytest.raises(ValueError, match="2 processes"):
        train(tmp_path)


def test_parameter_groups_can_scale_the_learning_rate(tmp_path):
    """A group with a scale of 0 does not change."""
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(1, 8), nn.Linear(8, 1))
    before = [parameter.detach().clone() for parameter in network.parameters()]
    groups = [{"params": network[0].parameters(), "lr_scale": 0.0}, {"params": network[1].parameters()}]

    fit(Line(), network, torch.optim.AdamW(groups), SETTINGS, tmp_path)

    changed = [not torch.equal(a, b) for a, b in zip(before, network.parameters(), strict=True)]
    assert changed == [False, False, True, True]


def test_the_first_means_of_a_resumed_run_are_over_its_own_steps(tmp_path):
    """Losses of the steps before the checkpoint are not known any more."""
    settings = replace(SETTINGS, steps=4, evaluate_every=4)
    with pytest.raises(StoppedError):
        train(tmp_path, replace(settings, checkpoint_s=0), on_step=stop_after(2))
    task = Line()
    task.losses = lambda network, batch: {"fit": 0 * network(batch).sum() + 5.0}

    train(tmp_path, settings, task)

    assert history.read(tmp_path)[-1]["loss"] == {"fit": 5.0}


def test_the_best_score_survives_a_kill(tmp_path):
    """A resumed run compares with the best evaluation before the kill."""
    settings = replace(SETTINGS, steps=40, patience=1)
    with pytest.raises(StoppedError):
        train(tmp_path, replace(settings, checkpoint_s=0), Line(scores=[0.9]), on_step=stop_after(3))

    train(tmp_path, settings, Line(scores=[0.5]))

    assert [row["step"] for row in history.read(tmp_path)] == [2, 4]


def test_fewer_steps_end_a_run_before_its_early_end(tmp_path):
    """Whichever end comes first."""
    settings = Cooldown(**{**vars(SETTINGS), "steps": 40, "patience": 1, "checkpoint_s": 0})
    with pytest.raises(StoppedError):
        train(tmp_path, settings, Line(scores=[0.5, 0.4]), on_step=stop_after(4))

    train(tmp_path, replace(settings, steps=5), Line(scores=[0.4]))

    assert [row["step"] for row in history.read(tmp_path)] == [2, 4, 5]


def test_gradients_are_clipped(tmp_path):
    """A step of plain gradient descent is not longer than the learning rate times the largest norm."""
    network = nn.Linear(1, 1, bias=False)
    before = network.weight.item()
    task = Line()
    task.losses = lambda network, batch: {"steep": 1000 * network(torch.ones(1, 1)).sum()}
    settings = replace(SETTINGS, steps=1, warmup_steps=4, max_gradient_norm=0.5)

    fit(task, network, torch.optim.SGD(network.parameters()), settings, tmp_path)

    assert before - network.weight.item() == pytest.approx(settings.learning_rate(0, 1) * 0.5, rel=1e-4)


def test_the_memory_layout_of_training_is_not_that_of_the_average(tmp_path):
    """Convolutions train faster with channels last; what is exported has the usual layout."""
    network, layouts = nn.Conv2d(2, 3, 3), []
    task = Line()
    task.channels_last = True

    def losses(network, batch):
        layouts.append(network.weight.is_contiguous(memory_format=torch.channels_last))
        return {"sum": network(torch.ones(1, 2, 3, 3)).sum()}

    task.losses = losses
    average = fit(task, network, loop.adamw(network, SETTINGS), SETTINGS, tmp_path)

    assert layouts == [True] * 6
    assert average.weight.is_contiguous()


IN_A_PROCESS_OF_ITS_OWN = """
from itertools import islice
import torch
from training.loop import Task

class Numbers(Task):
    def batch(self, step):
        return torch.tensor(10 * step)

    losses = evaluate = export = None

for workers in (0, 2):
    task = Numbers()
    task.workers = workers
    print([int(batch) for batch in islice(task.batches(3), 5)])
"""


def test_other_processes_make_the_same_batches():
    """In the order of the steps. torch's workers may crash beside OpenVINO, which other tests have used here."""
    command = [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN]
    made = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout

    assert made.split("\n")[:2] == ["[30, 40, 50, 60, 70]"] * 2


@pytest.mark.parametrize("is_fast", [True, False])
def test_training_computes_in_bfloat16_where_that_is_faster(monkeypatch, is_fast):
    """On processors; GPUs always do."""
    monkeypatch.setattr(loop.processors, "has_fast_bfloat16", lambda: is_fast)

    with loop.autocast("cpu"):
        product = torch.ones(2, 2) @ torch.ones(2, 2)

    assert product.dtype == (torch.bfloat16 if is_fast else torch.float32)
