"""Fit what the words of a page say about its type, see `docextract.extraction.layout.type_words`.

    python -m training.tasks.layout.type_words models/extraction/weights --out runs/words/weights --cache runs/types \\
        --collection DATA/invoices --collection DATA/ids --collection DATA/other --templates runs/templates.jsonl

A multinomial logistic regression of hashed words, with the log probabilities of the network as a further input. It
learns from papers of many kinds and languages (`training.synth.documents.papers`), from generated documents, filled
templates and real pages. Half of the words of a page are left out each time it is used, because a real page has only
some of the words that its kind may have; its labels are not.

First it is fitted without a fifth of the kinds, templates and groups, and judged on these: the printed figures are of
pages that it has not learned from.
"""

import argparse
import json
import shutil
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from docextract.extraction.layout.pieces import PieceSequence, split_into_pieces
from docextract.extraction.layout.type_words import BUCKETS, TypeWords, label_buckets, log_probabilities, word_buckets
from docextract.predictions import OTHER_TYPE, TextLine
from training import typefaces
from training.datasets import filled_templates
from training.synth.documents import generator_of, other, papers
from training.synth.misreading import misread
from training.synth.sheet import Sheet
from training.tasks.layout.type_head import Head, HeadFeatures, PageReader, collected_files, named_types

PAPERS = 3  # of each kind in each language
GENERATED_PAGES = 400  # of each type
GENERATED_SEED = 90_000
TEMPLATE_DOCUMENTS = 2  # of each template
HELD_OUT_ONE_IN = 5
# Pages of one type and origin share a weight. Refusing a document costs more than an answer about another paper.
WORD_TYPE_WEIGHTS = {"invoice": 3.0, "receipt": 3.0}
WORD_ORIGIN_WEIGHTS = {"templates": 3.0, "real": 2.0, "papers": 1.75}
EPOCHS, BATCH_PAGES, RATE, DECAY = 12, 64, 0.01, 0.8
PENALTY = 4e-4  # on squared weights
DROPPED_WORDS = 0.5


@dataclass(frozen=True)
class WordPage:
    """One page. group: its kind, template or collection's group, which is held out as a whole.

    words, labels: their buckets, see `word_buckets` and `label_buckets`. by_network: probabilities of the types, [N].
    """

    group: str
    type: str
    origin: str
    words: NDArray[np.int64]
    labels: NDArray[np.int64]
    by_network: NDArray[np.float32]

    def buckets(self) -> NDArray[np.int64]:
        """Return the buckets of the words and of the labels."""
        return np.concatenate([self.words, self.labels])

    def buckets_without_some(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the buckets without a share of the words: pages of its kind have its labels, but not all its words."""
        return np.concatenate([self.words[rng.random(len(self.words)) >= DROPPED_WORDS], self.labels])


class SourcePage(NamedTuple):
    """The lines of a page, and what it is."""

    group: str
    type: str
    origin: str
    lines: Sequence[TextLine]


def paper_source_pages() -> Iterator[SourcePage]:
    """Yield papers of all kinds in all languages, with errors of recognition."""
    for kind, languages in papers.kinds().items():
        for language in languages:
            for number in range(PAPERS):
                seed = zlib.crc32(f"{kind}/{language}/{number}".encode())
                sheet = papers.paper(kind, language, Random(seed))
                yield SourcePage(f"papers/{kind}", papers.type_of_kind(kind), "papers", _misread_lines(sheet, seed))


def generated_source_pages(types: Sequence[str]) -> Iterator[SourcePage]:
    """Yield generated documents of all types."""
    for name in types:
        for seed in range(GENERATED_SEED, GENERATED_SEED + GENERATED_PAGES):
            rng = Random(seed)
            if name == OTHER_TYPE:
                sheet = other.other_page(rng)
            else:
                generator = generator_of(name)
                sheet = generator.typeset(generator.sample(rng), rng)
            yield SourcePage(f"generated/{name}/{seed}", name, "generated", _misread_lines(sheet, seed))


def template_source_pages(files: Sequence[Path]) -> Iterator[SourcePage]:
    """Yield the pages of the first documents of each template."""
    for document in filled_templates.load_documents(files):
        if document.number < TEMPLATE_DOCUMENTS:
            for number, sheet in enumerate(document.sheets):
                lines = _misread_lines(sheet, document.number * 100 + number)
                yield SourcePage(f"templates/{document.template}", document.type, "templates", lines)


def real_source_pages(folders: Sequence[Path], cache: Path | None) -> Iterator[SourcePage]:
    """Yield the pages of real documents, as the service reads them. cache: see `PageReader`."""
    reader = PageReader(cache)
    for file in collected_files(folders):
        for lines in reader.lines(file.path):
            yield SourcePage(file.group, file.type, "real", lines)


def _misread_lines(sheet: Sheet, seed: int) -> list[TextLine]:
    return [one.line for one in misread(sheet, np.random.default_rng(seed), ())]


def with_network(sources: Iterable[SourcePage], features: HeadFeatures) -> list[WordPage]:
    """Return the pages that have print, with what the network says about their types."""
    printed = [(one, *split_into_pieces(one.lines)) for one in sources]
    kept = [(source, lines, page) for source, lines, page in printed if page.pieces]
    probabilities = _network_probabilities([page for _, _, page in kept], features)
    return [
        _word_page(source, [line.text for line in lines], own)
        for (source, lines, _), own in zip(kept, probabilities, strict=True)
    ]


def _word_page(source: SourcePage, texts: Sequence[str], by_network: NDArray[np.float32]) -> WordPage:
    words, labels = (np.array(buckets(texts), np.int64) for buckets in (word_buckets, label_buckets))
    return WordPage(source.group, source.type, source.origin, words, labels, by_network)


def _network_probabilities(pages: Sequence[PieceSequence], features: HeadFeatures) -> NDArray[np.float32]:
    head = features.network.type_head
    return Head(head.weight.detach(), head.bias.detach()).probabilities(features.of_pages(pages))


class _Regression(nn.Module):
    """Multinomial logistic regression of words, beside the network."""

    def __init__(self, types: int) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(BUCKETS, types, mode="sum")
        nn.init.zeros_(self.words.weight)
        self.network = nn.Parameter(torch.tensor(0.5))
        self.bias = nn.Parameter(torch.zeros(types))

    def forward(self, by_network: Tensor, buckets: Sequence[NDArray[np.int64]]) -> Tensor:
        """Return the logits of B pages, [B, N]. by_network: log probabilities, [B, N]."""
        starts = np.cumsum([0, *(len(one) for one in buckets[:-1])])
        words = self.words(torch.from_numpy(np.concatenate(buckets)), torch.from_numpy(starts))
        logits: Tensor = self.network * by_network + words + self.bias
        return logits


def fit_words(pages: Sequence[WordPage], types: Sequence[str], seed: int = 0) -> TypeWords:
    """Return the weights with the least penalised cross-entropy."""
    rng = np.random.default_rng(seed)
    model = _Regression(len(types))
    optimizer = torch.optim.Adam(
        [{"params": model.words.parameters(), "lr": RATE}, {"params": [model.network, model.bias], "lr": 2 * RATE}]
    )
    by_network = torch.from_numpy(log_probabilities(np.stack([page.by_network for page in pages])))
    classes = torch.tensor([types.index(page.type) for page in pages])
    weights = torch.from_numpy(word_page_weights(pages)).float()
    for _ in range(EPOCHS):
        for batch in np.array_split(rng.permutation(len(pages)), max(1, len(pages) // BATCH_PAGES)):
            kept = [pages[index].buckets_without_some(rng) for index in batch]
            entropy = functional.cross_entropy(model(by_network[batch], kept), classes[batch], reduction="none")
            used = torch.from_numpy(np.unique(np.concatenate(kept)))
            loss = (entropy * weights[batch]).mean() + PENALTY * model.words.weight[used].square().sum()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        for group in optimizer.param_groups:
            group["lr"] *= DECAY
    return TypeWords(
        tuple(types),
        model.words.weight.detach().numpy(),
        model.bias.detach().numpy(),
        float(model.network.detach()),
    )


def word_page_weights(pages: Sequence[WordPage]) -> NDArray[np.float64]:
    """Return the weight of each page in the loss; their mean is 1."""
    counts = Counter((page.type, page.origin) for page in pages)
    shares = [WORD_TYPE_WEIGHTS.get(page.type, 1.0) * WORD_ORIGIN_WEIGHTS.get(page.origin, 1.0) for page in pages]
    weights = np.array([share / counts[page.type, page.origin] for share, page in zip(shares, pages, strict=True)])
    return weights / weights.mean()


def is_group_held_out(page: WordPage) -> bool:
    """Whether the group of a page is held out; it depends on the name of the group alone."""
    return zlib.crc32(page.group.encode()) % HELD_OUT_ONE_IN == 0


def word_results(pages: Sequence[WordPage], words: TypeWords) -> Mapping[str, Mapping[str, float]]:
    """Return by origin and type: pages, and the shares that are right by the network alone and with words."""
    alone = np.stack([page.by_network for page in pages])
    both = np.stack([words.of_buckets(page.by_network, words.types, page.buckets()) for page in pages])
    named = [named_types(probabilities, words.types) for probabilities in (alone, both)]
    rows: dict[str, list[tuple[bool, bool]]] = {}
    for page, *own in zip(pages, *named, strict=True):
        rows.setdefault(f"{page.origin}, {page.type}", []).append((own[0] == page.type, own[1] == page.type))
    return {row: _summarize(right) for row, right in sorted(rows.items())}


def _summarize(right: Sequence[tuple[bool, bool]]) -> Mapping[str, float]:
    network, both = (round(float(share), 4) for share in np.mean(right, axis=0))
    return {"pages": len(right), "network": network, "with words": both}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path, help="weights of an extraction model")
    parser.add_argument("--out", type=Path, required=True, help="folder for the weights with the words")
    parser.add_argument("--collection", type=Path, action="append", default=[], help="folder with labels.jsonl")
    parser.add_argument("--templates", type=Path, nargs="*", default=[], help="files of training.synth.templates")
    parser.add_argument("--cache", type=Path, help="folder that keeps what has been read")
    options = parser.parse_args(arguments)
    features = HeadFeatures(options.weights)
    pages: list[WordPage] = []
    for sources in (
        paper_source_pages(),
        generated_source_pages(features.types),
        template_source_pages(options.templates),
        real_source_pages(options.collection, options.cache),
    ):
        pages += [page for page in with_network(sources, features) if page.type in features.types]
        print(f"{len(pages)} pages", flush=True)
    learned = [page for page in pages if not is_group_held_out(page)]
    found = word_results([page for page in pages if is_group_held_out(page)], fit_words(learned, features.types))
    shutil.copytree(options.weights, options.out, dirs_exist_ok=True)
    fit_words(pages, features.types).save(options.out)
    typefaces.keep_record(options.weights, options.out)
    (options.out.parent / "words.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
