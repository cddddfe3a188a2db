"""What training runs do alike: their settings, how fast they learn, the mean of weights, what a checkpoint holds."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from pydantic import ConfigDict, TypeAdapter
from torch import Tensor, nn

from training.typefaces import RECIPE_KEY


class Settings:
    """What a TOML file says of one training run; each program's are a dataclass of its own."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    @classmethod
    def read(cls, path: Path) -> Self:
        """From a TOML file; a name that is not known is an error (pydantic's ValidationError)."""
        recipe = tomllib.loads(path.read_text())
        recipe.pop(RECIPE_KEY, None)  # of the machine, not of the network
        return TypeAdapter(cls).validate_python(recipe)


@dataclass
class TrainingState:
    """A network that learns, the mean of its weights, and how far it is: all that a checkpoint holds."""

    COUNTED: ClassVar[tuple[str, ...]] = ("step",)  # numbers, beside the networks and the optimizer

    network: nn.Module
    average: nn.Module
    optimizer: torch.optim.Optimizer
    step: int = 0

    def optimizer_step(self, lost: Tensor, longest: float, decay: float) -> None:
        """One step. lost: what is to be small. longest: norm of the gradients. decay: of the mean, see `update_ema`."""
        self.optimizer.zero_grad(set_to_none=True)
        lost.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), longest)
        self.optimizer.step()
        self.step += 1
        update_ema(self.average, self.network, decay, self.step)

    def save(self, path: Path) -> None:
        """In one piece."""
        state = {name: getattr(self, name).state_dict() for name in _PARTS}
        keep(state | {name: getattr(self, name) for name in self.COUNTED}, path)

    def resume(self, path: Path) -> None:
        """Go on where `save` left off."""
        kept: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        for name in _PARTS:
            getattr(self, name).load_state_dict(kept[name])
        for name in self.COUNTED:
            setattr(self, name, kept[name])


_PARTS = ("network", "average", "optimizer")


def warmup_cosine(step: int, warmup_steps: int, steps: int) -> float:
    """The learning rate as a share of its peak: up in a line, down in a cosine to a hundredth."""
    rise = min(1.0, (step + 1) / warmup_steps)
    return rise * (0.01 + 0.99 * (1 + math.cos(math.pi * min(1.0, step / steps))) / 2)


@torch.no_grad()
def update_ema(average: nn.Module, network: nn.Module, decay: float, step: int) -> None:
    """Bring the moving average of a network's weights one step on; over the first steps it forgets faster."""
    kept = min(decay, step / (step + 10))
    for mean, now in zip(average.state_dict().values(), network.state_dict().values(), strict=True):
        if mean.is_floating_point():
            mean.lerp_(now, 1 - kept)
        else:
            mean.copy_(now)


def keep(state: Mapping[str, Any], path: Path) -> None:
    """Written beside and moved, so that a kill leaves the checkpoint before whole."""
    unfinished = path.with_suffix(".part")
    torch.save(dict(state), unfinished)
    unfinished.replace(path)
