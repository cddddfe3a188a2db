"""The training loop of all tasks: optimizer steps, averaged weights, evaluation, early stopping, checkpoints."""

import copy
import json
import logging
import math
import time
import tomllib
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import torch
from pydantic import ConfigDict, TypeAdapter
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from docextract import processors
from docextract.files import whole_file
from training import history

if TYPE_CHECKING:
    from accelerate import Accelerator

log = logging.getLogger(__name__)

CHECKPOINT, WEIGHTS = "last.pt", "weights"  # in the folder of a run
# A smaller gain does not count for early stopping: sums of the same numbers in another order differ by less.
MIN_GAIN = 1e-6
LAST_STEP = 1 << 40  # no run has as many


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings that every training run has; each task adds its own. Read from TOML, see training/configs."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    steps: int
    peak_lr: float
    warmup_steps: int
    weight_decay: float
    average: float  # decay of the moving average of the weights, see `update_ema`; 0: no average, the network itself
    evaluate_every: int  # steps
    checkpoint_s: float  # seconds between two checkpoints
    patience: int = 0  # evaluations without a gain after which the run ends early; 0: it never does
    max_gradient_norm: float = 1.0
    typefaces: int = 0  # fewest typefaces that promotion accepts, see training/typefaces.py

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a TOML file. Raises pydantic's ValidationError for an unknown name, a missing one or a wrong type."""
        return TypeAdapter(cls).validate_python(tomllib.loads(path.read_text()))

    @property
    def cooldown_steps(self) -> int:
        """Number of steps that a run continues after early stopping has decided to end it."""
        return 0

    def learning_rate(self, step: int, end: int) -> float:
        """Learning rate of a step, counted from 0. end: number of steps of the run, see `TrainingRun.end`."""
        return self.peak_lr * warmup_cosine(step, self.warmup_steps, end)


class Task(ABC):
    """What a training program trains: its batches, losses, evaluation and export.

    Batches and losses depend on the seed and the step alone, so that a resumed run equals an unbroken one to the bit.
    """

    channels_last: ClassVar[bool] = False  # memory layout of the network while it trains: convolutions are faster
    evaluate_first: ClassVar[bool] = False  # also evaluate before the first step, for a network that is trained already
    workers: int = 0  # additional processes that make batches; the task must then hold nothing of OpenVINO
    # Where `batches` continues, for a task in which the step does not say it. Saved in checkpoints: plain values only.
    position: Any = None

    def batch(self, step: int) -> Any:
        """The batch of a step, from the seed and the step alone."""
        raise NotImplementedError

    def batches(self, first_step: int) -> Iterator[Any]:
        """The batches of `first_step` and all later steps, made in `workers` processes, or in this one without any."""
        if not self.workers:
            return map(self.batch, count(first_step))
        steps = range(first_step, LAST_STEP)
        return iter(DataLoader(_Batches(self), batch_size=None, sampler=steps, num_workers=self.workers))

    @abstractmethod
    def losses(self, network: Any, batch: Any) -> dict[str, Tensor]:
        """Weighted losses by name; training minimises their sum. torch's random generator was seeded with the step."""

    @abstractmethod
    def evaluate(self, network: Any) -> dict[str, Any]:
        """Scores on data that is not trained on, as JSON for the history. network: the averaged one, in eval mode."""

    def score(self, evaluation: Mapping[str, Any]) -> float:
        """The number that early stopping compares; higher is better. evaluation: result of `evaluate`."""
        raise NotImplementedError(f"{type(self).__name__} has no score for early stopping: set patience to 0")

    @abstractmethod
    def export(self, network: Any, folder: Path) -> None:
        """Write the weights in the format that is served."""


class _Batches(Dataset[Any]):
    def __init__(self, task: Task) -> None:
        self._task = task

    def __getitem__(self, step: int) -> Any:
        return self._task.batch(step)


def default_device() -> torch.device:
    """A GPU if there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def autocast(device_type: str) -> torch.autocast:
    """Computation in bfloat16, where it is faster than in float32."""
    return torch.autocast(device_type, torch.bfloat16, enabled=device_type != "cpu" or processors.has_fast_bfloat16())


def fit(
    task: Task, network: nn.Module, optimizer: torch.optim.Optimizer, settings: Settings, out: Path, *,
    accelerator: "Accelerator | None" = None,
    on_step: Callable[[int, int], None] | None = None,
    on_checkpoint: Callable[[Any], None] | None = None,
) -> Any:  # fmt: skip
    """Train to the last step, from the checkpoint in the folder `out` if there is one. Returns the averaged network.

    accelerator:   the one that has prepared `network` and `optimizer`; without it, training runs in one process.
    on_step:       called with the number of steps done and of all steps, before the first step and after each.
    on_checkpoint: called with the averaged network after each checkpoint, in the main process only.

    `out` then holds the checkpoint and the history (training/history.py).
    """
    run = TrainingRun(task, network, optimizer, settings, out, accelerator)
    run.resume()
    on_step = on_step or (lambda step, end: None)
    on_step(run.step, run.end)
    if task.evaluate_first and run.step == 0:
        run.evaluate()
    batches = task.batches(run.step)
    while run.step < run.end:
        run.train_step(next(batches))
        on_step(run.step, run.end)
        if run.step % settings.evaluate_every == 0 or run.step == run.end:
            run.evaluate()
        if run.checkpoint_is_due():
            run.save()
            if on_checkpoint and run.is_main_process:
                on_checkpoint(run.average)
    return run.average.eval()


class TrainingRun:
    """A network in training, the moving average of its weights, and how far the run is; `fit` drives it."""

    SAVED = ("step", "best_score", "evaluations_since_best", "early_end")

    def __init__(
        self, task: Task, network: nn.Module, optimizer: torch.optim.Optimizer, settings: Settings, out: Path,
        accelerator: "Accelerator | None" = None,
    ) -> None:  # fmt: skip
        self._task, self._network, self._optimizer, self._settings = task, network, optimizer, settings
        self._out, self._accelerator = out, accelerator
        self._bare: nn.Module = accelerator.unwrap_model(network) if accelerator else network
        self.average = copy.deepcopy(self._bare) if settings.average else self._bare
        if task.channels_last:
            network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        network.train()
        self.step = 0
        self.best_score = -math.inf
        self.evaluations_since_best = 0
        self.early_end: int | None = None  # number of steps after which early stopping ends the run
        self._saved_at = time.monotonic()
        self._start_interval()

    @property
    def is_main_process(self) -> bool:
        return self._accelerator is None or self._accelerator.is_main_process

    @property
    def end(self) -> int:
        """Number of steps of the run, fewer than configured once early stopping has decided to end it."""
        steps = self._settings.steps
        return steps if self.early_end is None else min(steps, self.early_end)

    def train_step(self, batch: Any) -> None:
        """One optimizer step, and one step of the moving average."""
        settings = self._settings
        torch.manual_seed(settings.seed * 1_000_003 + self.step)  # for dropout
        for group in self._optimizer.param_groups:
            group["lr"] = settings.learning_rate(self.step, self.end) * group.get("lr_scale", 1.0)
        losses = self._task.losses(self._network, batch)
        self._optimizer.zero_grad(set_to_none=True)
        torch.stack(list(losses.values())).sum().backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._network.parameters(), settings.max_gradient_norm)
        self._optimizer.step()
        self.step += 1
        if self.average is not self._bare:
            update_ema(self.average, self._bare, settings.average, self.step)
        for name, value in losses.items():
            self._loss_sums[name] += float(value.detach())

    def evaluate(self) -> None:
        """Write the mean losses and the task's evaluation to the history; decide whether the run ends early."""
        evaluation = self._task.evaluate(self.average.eval())
        self._network.train()
        if self._settings.patience:
            self._stop_early(self._task.score(evaluation))
        row: dict[str, Any] = {"step": self.step, "of": self.end}
        if steps := self.step - self._interval_start:
            row["loss"] = {name: value / steps for name, value in self._loss_sums.items()}
            row["steps_per_s"] = steps / (time.monotonic() - self._interval_started_at)
        if self.is_main_process:
            rounded = _rounded(row | evaluation)
            log.info("%s", json.dumps(rounded))
            history.append(self._out, rounded)
        self._start_interval()

    def _stop_early(self, score: float) -> None:
        gained = score > self.best_score + MIN_GAIN
        self.best_score = max(self.best_score, score)
        self.evaluations_since_best = 0 if gained else self.evaluations_since_best + 1
        if self.evaluations_since_best >= self._settings.patience and self.early_end is None:
            self.early_end = self.step + self._settings.cooldown_steps

    def _start_interval(self) -> None:
        self._interval_start, self._interval_started_at = self.step, time.monotonic()
        self._loss_sums: dict[str, float] = defaultdict(float)

    def checkpoint_is_due(self) -> bool:
        """At the end and every `checkpoint_s` seconds, by the clock of the main process: all must save together."""
        due = [self.step >= self.end or time.monotonic() - self._saved_at > self._settings.checkpoint_s]
        if self._accelerator is not None and self._accelerator.num_processes > 1:
            from accelerate.utils import broadcast_object_list

            broadcast_object_list(due)
        return due[0]

    def save(self) -> None:
        """Write the checkpoint."""
        self._saved_at = time.monotonic()
        positions = [self._task.position]
        if self._accelerator is not None:
            from accelerate.utils import gather_object

            positions = gather_object(positions)
        if self.is_main_process:
            state = {name: part.state_dict() for name, part in self._parts().items()}
            state |= {name: getattr(self, name) for name in self.SAVED}
            save_atomically(state | {"positions": positions}, self._out / CHECKPOINT)

    def resume(self) -> None:
        """Continue from the checkpoint, if there is one; remove what the history has of later steps.

        Raises ValueError if another number of processes has written it.
        """
        path = self._out / CHECKPOINT
        last_step = -1  # without a checkpoint nothing was learned, and the whole history goes
        if path.exists():
            state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
            positions = state["positions"]
            processes = 1 if self._accelerator is None else self._accelerator.num_processes
            if len(positions) != processes:
                raise ValueError(f"{path} is from a run of {len(positions)} processes; resume it with as many")
            for name, part in self._parts().items():
                part.load_state_dict(state[name])
            for name in self.SAVED:
                setattr(self, name, state[name])
            self._task.position = positions[0 if self._accelerator is None else self._accelerator.process_index]
            self._start_interval()
            last_step = self.step
            log.info("resumed at step %d", self.step)
        if self.is_main_process:
            self._out.mkdir(parents=True, exist_ok=True)
            history.trim(self._out, last_step)

    def _parts(self) -> dict[str, Any]:
        parts = {"network": self._bare, "optimizer": self._optimizer}
        return parts if self.average is self._bare else parts | {"average": self.average}


def adamw(network: nn.Module, settings: Settings) -> torch.optim.Optimizer:
    """The optimizer of tasks whose parameters are all trained alike; the loop sets the learning rate of each step."""
    return torch.optim.AdamW(network.parameters(), settings.peak_lr, weight_decay=settings.weight_decay)


def warmup_cosine(step: int, warmup_steps: int, steps: int) -> float:
    """Learning rate as a share of its peak: rises linearly, then falls as a cosine to a hundredth."""
    warmup = min(1.0, (step + 1) / warmup_steps)
    return warmup * (0.01 + 0.99 * (1 + math.cos(math.pi * min(1.0, step / steps))) / 2)


@torch.no_grad()
def update_ema(average: nn.Module, network: nn.Module, decay: float, step: int) -> None:
    """Update the exponential moving average of a network's weights in place.

    step: number of steps done; over the first ones the decay is smaller, so that the random start is soon forgotten.
    """
    decay = min(decay, step / (step + 10))
    for mean, value in zip(average.state_dict().values(), network.state_dict().values(), strict=True):
        if mean.is_floating_point():
            mean.lerp_(value, 1 - decay)
        else:
            mean.copy_(value)


def save_atomically(state: Mapping[str, Any], path: Path) -> None:
    """Write a checkpoint under another name, then rename it: a kill leaves the previous checkpoint complete."""
    with whole_file(path) as unfinished:
        torch.save(dict(state), unfinished)


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _rounded(one) for name, one in value.items()}
    return round(value, 5) if isinstance(value, float) else value
