"""How much the words of a page speak for each type: a linear model of hashed words, beside the layout network.

The network has learned to find invoices, receipts and cards, and not the words of all other papers: it takes a student
card for an identity card. This model has learned these words in many languages. It also counts which labels, titles
and headings of the word lists a page has, which mean the same in all languages.
"""

import json
import math
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from docextract.documents.accents import plain_letters
from docextract.documents.printed_labels import are_of_identity, kinds_of_labels, names_invoice
from docextract.predictions import OTHER_TYPE, TextLine

TYPE_WORDS_FILE = "type_words.safetensors"  # stored next to the weights of the layout network
BUCKETS = 1 << 16
MIN_LOG_PROBABILITY = -9.0  # of the network: what is as good as impossible to it can still be proven by words
MIN_WORDS_CONFIDENCE = 0.9  # of a line whose words count, by the recogniser
_WORD = re.compile(r"[^\W\d_]{2,}")
_MAX_CAPTION_WORDS = 4  # of a line that counts as a whole: a title or a label
_LONG_WORD, _STEM, _ENDING = 7, 5, 6  # letters: of "Studierendenausweis" also "studi" and "usweis" count


def log_probabilities(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the logarithms of the network's probabilities, at least MIN_LOG_PROBABILITY."""
    return np.log(np.maximum(probabilities, math.exp(MIN_LOG_PROBABILITY)))


def word_buckets(texts: Sequence[str]) -> list[int]:
    """Return the buckets, 0..BUCKETS - 1, of the words, pairs of words and short lines of a page; each once."""
    return _buckets(feature for text in texts for feature in _word_features(text))


def label_buckets(texts: Sequence[str]) -> list[int]:
    """Return the buckets of the kinds of labels on a page, and of whether a word names an invoice; each once."""
    return _buckets(_label_features(texts))


def _buckets(features: Iterable[str]) -> list[int]:
    return sorted({zlib.crc32(feature.encode()) % BUCKETS for feature in features})


def _label_features(texts: Sequence[str]) -> frozenset[str]:
    return kinds_of_labels(texts) | {"names an invoice" if names_invoice(texts) else "names no invoice"}


def _word_features(text: str) -> Iterator[str]:
    words = _WORD.findall(plain_letters(text))
    for index, word in enumerate(words):
        yield f"word {word}"
        if len(word) >= _LONG_WORD:
            yield f"stem {word[:_STEM]}"
            yield f"ending {word[-_ENDING:]}"
        if index:
            yield f"pair {words[index - 1]} {word}"
    if 0 < len(words) <= _MAX_CAPTION_WORDS:
        yield f"line {' '.join(words)}"


@dataclass(frozen=True)
class TypeWords:
    """The weight of each bucket for each type.

    types:   those of the network that it was fitted to. weights: float32 [BUCKETS, N]. bias: float32 [N].
    network: factor on the log probabilities of the network.
    """

    types: tuple[str, ...]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    network: float

    @classmethod
    def load(cls, folder: Path) -> "TypeWords | None":
        """Load the model from a folder of weights; None if the folder has none."""
        file = folder / TYPE_WORDS_FILE
        if not file.exists():
            return None
        with safe_open(file, "pt") as opened:
            metadata = opened.metadata()
        tensors = {name: tensor.float().numpy() for name, tensor in load_file(file).items()}
        types = tuple(json.loads(metadata["types"]))
        return cls(types, tensors["weights"], tensors["bias"], float(metadata["network"]))

    def save(self, folder: Path) -> None:
        """Write TYPE_WORDS_FILE, with weights in half precision."""
        folder.mkdir(parents=True, exist_ok=True)
        tensors = {"weights": torch.from_numpy(self.weights).half(), "bias": torch.from_numpy(self.bias)}
        metadata = {"types": json.dumps(self.types), "network": str(self.network)}
        save_file(tensors, folder / TYPE_WORDS_FILE, metadata)

    def combine(
        self, probabilities: NDArray[np.float32], types: Sequence[str], lines: Sequence[TextLine]
    ) -> NDArray[np.float32]:
        """Return the probabilities of a page's types, [N], by the network and by the words of its lines.

        types: of the network. A type that this model does not know has the evidence of other papers, so the network
        alone tells it from these. Words make no page with many labels of identity documents another paper.
        Words of lines that may be misread say nothing: what is no word of an invoice looks like another paper. Their
        labels count, as they are known words.
        """
        kinds = _label_features([line.text for line in lines])
        sure = [line.text for line in lines if line.confidence >= MIN_WORDS_CONFIDENCE]
        logits = self._logits(probabilities, types, [*word_buckets(sure), *_buckets(kinds)])
        if OTHER_TYPE in types and are_of_identity(kinds):
            return _without_more_of(types.index(OTHER_TYPE), logits, probabilities)
        return _softmax(logits)

    def of_buckets(
        self, probabilities: NDArray[np.float32], types: Sequence[str], buckets: Sequence[int] | NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the probabilities of the types by the network and by the buckets of a page's words and labels."""
        return _softmax(self._logits(probabilities, types, buckets))

    def _logits(
        self, probabilities: NDArray[np.float32], types: Sequence[str], buckets: Sequence[int] | NDArray[np.int64]
    ) -> NDArray[np.float64]:
        known = self.weights[np.asarray(buckets, np.int64)].sum(axis=0) + self.bias
        of_type = dict(zip(self.types, known.tolist(), strict=True))
        evidence = np.array([of_type.get(name, of_type[OTHER_TYPE]) for name in types])
        return np.asarray(self.network * log_probabilities(probabilities) + evidence, np.float64)


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float32]:
    shares = np.exp(logits - logits.max())
    return np.asarray(shares / shares.sum(), np.float32)


def _without_more_of(one: int, logits: NDArray[np.float64], probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the shares that the logits give, but to one of the types not more than its probability."""
    share = min(float(_softmax(logits)[one]), float(probabilities[one]))
    others = _softmax(np.delete(logits, one)) * (1 - share)
    return np.asarray(np.insert(others, one, share), np.float32)
