"""How likely a line of print is by its letters alone: how receipts, invoices and cards are spelt.

Where the pixels do not tell "Zu zahien" from "Zu zahlen", whoever has seen invoices knows. The ten digits count as one
letter: that there is a digit may be likely, which one it is pixels alone say.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence, pack_sequence, pad_packed_sequence

LANGUAGE_WEIGHTS_FILE = "language.safetensors"  # beside the weights of the network that understands
LINE_BATCH_SIZE = 64  # lines: 1,920 of a full batch took 960 MB more when judged together, and were no faster
END_OF_LINE, UNKNOWN_CHARACTER = 0, 1  # of a line; a character that is not among the letters
_NAMED = 2
_DIGITS = str.maketrans("123456789", "0" * 9)


@dataclass(frozen=True)
class LanguageModelShape:
    """Everything needed to build the network; kept in its file."""

    letters: str
    embedding: int = 96
    hidden: int = 384

    @classmethod
    def for_letters(cls, letters: str, **sizes: int) -> "LanguageModelShape":
        """letters: all that may be read, digits among them."""
        return cls("".join(sorted(set(letters.translate(_DIGITS)))), **sizes)


class LanguageNetwork(nn.Module):
    """From the letters of a line so far to the logits of the next one."""

    def __init__(self, shape: LanguageModelShape) -> None:
        super().__init__()
        self.shape = shape
        self._places = {letter: place for place, letter in enumerate(shape.letters, _NAMED)}
        count = _NAMED + len(shape.letters)
        self.embedding = nn.Embedding(count, shape.embedding)
        self.memory = nn.GRU(shape.embedding, shape.hidden, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(shape.hidden, count)

    def forward(self, before: Tensor) -> Tensor:
        """before: int [B, T], END_OF_LINE first. returns: [B, T, letters]."""
        return self._told(self.memory(self.embedding(before))[0])

    def of_packed(self, before: PackedSequence) -> Tensor:
        """The same for lines of different lengths, without padding: [sum of their lengths, letters]."""
        remembered = self.memory(before._replace(data=self.embedding(before.data)))[0]
        return self._told(remembered.data)

    def _told(self, remembered: Tensor) -> Tensor:
        logits: Tensor = self.head(self.drop(remembered))
        return logits

    def encode(self, text: str) -> list[int]:
        """Its letters, by number."""
        return [self._places.get(letter, UNKNOWN_CHARACTER) for letter in text.translate(_DIGITS)]


class LanguageModel:
    """Tells how likely lines are. It runs on the processor, wherever the other networks do."""

    def __init__(self, network: LanguageNetwork, weight: float) -> None:
        """weight: what a nat of it counts against a nat of the recogniser's."""
        self.weight = weight
        self._network = network.eval()

    @classmethod
    def load(cls, folder: Path) -> "LanguageModel | None":
        """From a folder of weights; None where there is none."""
        if not (folder / LANGUAGE_WEIGHTS_FILE).exists():
            return None
        with safe_open(folder / LANGUAGE_WEIGHTS_FILE, "pt") as file:
            kept = file.metadata()
        network = LanguageNetwork(LanguageModelShape(**json.loads(kept["shape"])))
        network.load_state_dict(
            {name: part.float() for name, part in load_file(folder / LANGUAGE_WEIGHTS_FILE).items()}
        )
        return cls(network, float(kept["weight"]))

    def save(self, folder: Path) -> None:
        """As half-precision numbers in LANGUAGE_WEIGHTS_FILE."""
        folder.mkdir(parents=True, exist_ok=True)
        kept = {"shape": json.dumps(asdict(self._network.shape)), "weight": str(self.weight)}
        save_file(self._halves(), folder / LANGUAGE_WEIGHTS_FILE, kept)

    @cached_property
    def digest(self) -> str:
        """Of all of it; 20 characters."""
        whole = hashlib.blake2b(f"{self._network.shape} {self.weight}".encode(), digest_size=10)
        for _, tensor in sorted(self._halves().items()):
            whole.update(tensor.numpy().tobytes())
        return whole.hexdigest()

    def _halves(self) -> dict[str, Tensor]:
        return {name: value.half().contiguous() for name, value in self._network.state_dict().items()}

    def log_likelihoods(self, lines: Sequence[str]) -> NDArray[np.float32]:
        """Of each whole line, in nats: [len(lines)]."""
        parts = [
            self._judged(lines[start : start + LINE_BATCH_SIZE]) for start in range(0, len(lines), LINE_BATCH_SIZE)
        ]
        return np.concatenate([np.zeros(0, np.float32), *parts])

    def _judged(self, lines: Sequence[str]) -> NDArray[np.float32]:
        spelt = [torch.tensor([END_OF_LINE, *self._network.encode(line), END_OF_LINE]) for line in lines]
        before = pack_sequence([line[:-1] for line in spelt], enforce_sorted=False)
        coming = pack_sequence([line[1:] for line in spelt], enforce_sorted=False)
        with torch.inference_mode():
            lost = functional.cross_entropy(self._network.of_packed(before), coming.data, reduction="none")
        each, _ = pad_packed_sequence(coming._replace(data=lost), batch_first=True)  # [lines, T], 0 beyond their ends
        return np.asarray(-each.sum(1).numpy(), np.float32)
