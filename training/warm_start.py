"""Initialise a new network from the weights of a served one: outputs by their names, everything else as it is.

Outputs that only the new network has, such as those of a new type or field, keep their random weights.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

RowPairs = Sequence[tuple[int, int]]  # row in the new network, row in the served one


def matching_rows(names: Sequence[str], served_names: Sequence[str]) -> RowPairs:
    """Rows of the outputs that both networks have, by their names; of several with one name, each with its like."""
    places: dict[str, list[int]] = {}
    for served_row, name in enumerate(served_names):
        places.setdefault(name, []).append(served_row)
    return [(row, places[name].pop(0)) for row, name in enumerate(names) if places.get(name)]


@torch.no_grad()
def copy_weights(network: nn.Module, served: Mapping[str, Tensor], heads: Mapping[str, RowPairs]) -> None:
    """Fill a network with the tensors of a served one. heads: the rows to copy, by the name of their layer.

    Raises ValueError where the shapes of other layers differ.
    """
    for name, value in network.state_dict().items():
        head = name.rpartition(".")[0]
        if head in heads:
            for row, served_row in heads[head]:
                value[row] = served[name][served_row].to(value)
        elif name in served and served[name].shape == value.shape:
            value.copy_(served[name])
        else:
            found = tuple(served[name].shape) if name in served else "missing"
            raise ValueError(f"{name} has shape {tuple(value.shape)} here and is {found} in the served weights")
