"""Character language model of text lines on receipts, invoices and cards; it rates the hypotheses of the recogniser.

It decides where the pixels are ambiguous, for example between "Zu zahien" and "Zu zahlen". The ten digits count as one
character: the model may know that a digit is likely, but only the pixels say which one.
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

LANGUAGE_WEIGHTS_FILE = "language.safetensors"  # stored next to the weights of the layout network
LINE_BATCH_SIZE = 64  # the 1,920 lines of a full request in one batch took 960 MB more and were no faster
END_OF_LINE, UNKNOWN_CHARACTER = 0, 1  # token ids; unknown: not among the letters
_SPECIAL_TOKENS = 2
_DIGITS_TO_ZERO = str.maketrans("123456789", "0" * 9)


@dataclass(frozen=True)
class LanguageModelShape:
    """Everything needed to build the network; stored in the metadata of its weights file."""

    letters: str
    embedding: int = 96
    hidden: int = 384

    @classmethod
    def for_letters(cls, letters: str, **sizes: int) -> "LanguageModelShape":
        """Build the shape for an alphabet. letters: all characters that the recogniser knows, digits included."""
        return cls("".join(sorted(set(letters.translate(_DIGITS_TO_ZERO)))), **sizes)


class LanguageNetwork(nn.Module):
    """A GRU that predicts the next character of a line."""

    # B lines, T characters, V token ids

    def __init__(self, shape: LanguageModelShape) -> None:
        super().__init__()
        self.shape = shape
        self._token_ids = {letter: token for token, letter in enumerate(shape.letters, _SPECIAL_TOKENS)}
        count = _SPECIAL_TOKENS + len(shape.letters)
        self.embedding = nn.Embedding(count, shape.embedding)
        self.memory = nn.GRU(shape.embedding, shape.hidden, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(shape.hidden, count)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits of each next token, [B, T, V]. tokens: int [B, T], END_OF_LINE first."""
        return self._logits(self.memory(self.embedding(tokens))[0])

    def forward_packed(self, tokens: PackedSequence) -> Tensor:
        """Do the same for lines of different lengths without padding. returns: [sum of the lengths, V]."""
        hidden = self.memory(tokens._replace(data=self.embedding(tokens.data)))[0]
        return self._logits(hidden.data)

    def _logits(self, hidden: Tensor) -> Tensor:
        logits: Tensor = self.head(self.drop(hidden))
        return logits

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text, without END_OF_LINE."""
        return [self._token_ids.get(letter, UNKNOWN_CHARACTER) for letter in text.translate(_DIGITS_TO_ZERO)]


class LanguageModel:
    """Rates how likely lines are."""

    def __init__(self, network: LanguageNetwork, weight: float) -> None:
        """weight: factor on its log likelihoods when they are added to those of the recogniser."""
        self.weight = weight
        self._network = network.eval()
        self._device = next(network.parameters()).device

    @classmethod
    def load(cls, folder: Path, device: str = "cpu") -> "LanguageModel | None":
        """Load the model from a folder of weights onto a torch device; None if the folder has none."""
        if not (folder / LANGUAGE_WEIGHTS_FILE).exists():
            return None
        with safe_open(folder / LANGUAGE_WEIGHTS_FILE, "pt") as file:
            metadata = file.metadata()
        network = LanguageNetwork(LanguageModelShape(**json.loads(metadata["shape"])))
        tensors = load_file(folder / LANGUAGE_WEIGHTS_FILE)
        network.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
        return cls(network.to(device), float(metadata["weight"]))

    def save(self, folder: Path) -> None:
        """Write LANGUAGE_WEIGHTS_FILE in half precision."""
        folder.mkdir(parents=True, exist_ok=True)
        metadata = {"shape": json.dumps(asdict(self._network.shape)), "weight": str(self.weight)}
        save_file(self._half_precision(), folder / LANGUAGE_WEIGHTS_FILE, metadata)

    @cached_property
    def digest(self) -> str:
        """Digest of the weights and settings, 20 characters; stored OCR results are identified by it."""
        shape = self._network.shape
        # The spelling of this text is fixed: another would make all stored OCR results unusable.
        settings = f"Shape(letters={shape.letters!r}, embedding={shape.embedding}, hidden={shape.hidden}) {self.weight}"
        digest = hashlib.blake2b(settings.encode(), digest_size=10)
        for _, tensor in sorted(self._half_precision().items()):
            digest.update(tensor.cpu().numpy().tobytes())
        return digest.hexdigest()

    def _half_precision(self) -> dict[str, Tensor]:
        return {name: value.half().contiguous() for name, value in self._network.state_dict().items()}

    def log_likelihoods(self, lines: Sequence[str]) -> NDArray[np.float32]:
        """Return the log likelihood of each whole line in nats, [len(lines)]."""
        without_digits = [line.translate(_DIGITS_TO_ZERO) for line in lines]
        unique = sorted(dict.fromkeys(without_digits), key=len)  # a batch takes as long as its longest line
        batches = (unique[start : start + LINE_BATCH_SIZE] for start in range(0, len(unique), LINE_BATCH_SIZE))
        found = dict(
            zip(unique, (value for batch in batches for value in self._batch_log_likelihoods(batch)), strict=True)
        )
        return np.array([found[line] for line in without_digits], np.float32)

    def _batch_log_likelihoods(self, lines: Sequence[str]) -> NDArray[np.float32]:
        tokens = [
            torch.tensor([END_OF_LINE, *self._network.encode(line), END_OF_LINE], device=self._device) for line in lines
        ]
        inputs = pack_sequence([line[:-1] for line in tokens], enforce_sorted=False)
        targets = pack_sequence([line[1:] for line in tokens], enforce_sorted=False)
        with torch.inference_mode():
            losses = functional.cross_entropy(self._network.forward_packed(inputs), targets.data, reduction="none")
        padded, _ = pad_packed_sequence(targets._replace(data=losses), batch_first=True)  # [B, T], 0 for padding
        return np.asarray(-padded.sum(1).cpu().numpy(), np.float32)
