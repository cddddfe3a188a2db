"""A new network begins with what a served one knows: answers by their names, everything else as it is.

What only the new one has (a type, a field) keeps its random start.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

Rows = Sequence[tuple[int, int]]  # row here, row there


def same_names(mine: Sequence[str], theirs: Sequence[str]) -> Rows:
    """Where the same name stands here and there."""
    return [(at, theirs.index(name)) for at, name in enumerate(mine) if name in theirs]


@torch.no_grad()
def take_over(network: nn.Module, served: Mapping[str, Tensor], heads: Mapping[str, Rows]) -> None:
    """Fill a network from a served one's tensors. heads: of which answers, by the name of their layer.

    Raises ValueError where the two differ in more than these heads.
    """
    for name, value in network.state_dict().items():
        head = name.rpartition(".")[0]
        if head in heads:
            for mine, theirs in heads[head]:
                value[mine] = served[name][theirs].to(value)
        elif name in served and served[name].shape == value.shape:
            value.copy_(served[name])
        else:
            there = tuple(served[name].shape) if name in served else "not there"
            raise ValueError(f"{name} is {tuple(value.shape)} here and {there} in the served weights")
