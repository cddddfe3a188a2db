"""Fit the type head of a layout network to real pages of all kinds, so that papers of other kinds are refused.

    python -m training.tasks.layout.type_head models/extraction/weights --out runs/types/weights --cache runs/types \\
        --collection DATA/invoices --collection DATA/ids --collection DATA/other --collection runs/types/sroie

A collection is a folder with labels.jsonl. Do not give pages that measure the served model.

The generator draws a few kinds of other papers, and a network that has learned from these alone takes most real ones
for invoices. The head is a linear model of the page's pooled pieces: multinomial logistic regression, drawn to the head
that it starts from, on real and synthetic pages. Everything else of the network stays as it is.

Before that, it is fitted and judged in parts, and no template, kind of paper or merchant is in two of them: the printed
figures are of pages that it has not learned from.
"""

import argparse
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import anyio
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from docextract.documents import document_types
from docextract.extraction.extractor import batch_by_length
from docextract.extraction.layout.network import LayoutShape, LayoutTransformer, collate_pages
from docextract.extraction.layout.pieces import PieceSequence, split_into_pieces
from docextract.extraction.layout.postprocessing import MIN_OTHER_PROBABILITY
from docextract.pipeline.problems import ProblemError
from docextract.predictions import OTHER_TYPE, PagePrediction, PredictedZone, TextLine
from docextract.registry import promoted_version
from docextract.serving.local import LocalModels
from docextract.settings import Settings
from training import typefaces
from training.datasets import filled_templates, reads
from training.datasets.filled_templates import FilledTemplate
from training.datasets.reads import OcrResult
from training.evaluation.bootstrap import interval
from training.metrics import loose_form
from training.tasks.layout import pages as generated
from training.tasks.layout.template_variations import training_pages

PARTS = 8  # of the cross-validation
DOCUMENTS_OF_A_TEMPLATE = 4
SYNTHETIC_PAGES = 500  # of each type
SYNTHETIC_SEED = 90_000
DRAWN_TO_START = 1e-3  # weight of the squared distance from the weights that the head starts from
# Of the loss; the pages of one type share the weight of their type. With layouts as heavy as real documents, 4.7 % of
# the pages of real invoices are refused instead of 2.7; without layouts, 11 % of those in unseen layouts instead of 4.
OTHER_WEIGHT, REAL_WEIGHT, TEMPLATE_WEIGHT, SYNTHETIC_WEIGHT = 2.0, 5.0, 3.0, 3.0


Origin = Literal["real", "template", "generated"]  # template: filled into a layout


@dataclass(frozen=True)
class TypedPage:
    """One page of a document. group: its template, kind or merchant, which is never in two parts."""

    document: str
    type: str
    group: str
    features: NDArray[np.float32]  # [F], what the head gets
    hard: bool = False
    origin: Origin = "real"


@dataclass(frozen=True)
class LabelledFile:
    """A file of a collection. group: its template, kind or merchant, which is never in two parts."""

    path: Path
    type: str
    group: str
    hard: bool = False


class PageReader:
    """Reads the lines of files as the service does, each file once, because reading takes a second a page.

    A line of the cache is a file that was read: a key of its path, its content and the models, and its pages.
    """

    def __init__(self, cache: Path | None, models: Path | None = None) -> None:
        """cache: a folder; None: only in memory. models: folder of the promoted models; None: that of the settings."""
        self._file = cache / "files.jsonl" if cache else None
        self._known = _whole_rows(self._file) if self._file else {}
        self._models_folder = models or Settings().models_folder

    def lines(self, path: Path) -> list[Sequence[TextLine]]:
        """Return the lines of each page of a file that has print."""
        key = self._key(path)
        if key not in self._known:
            found = [page.lines for page in self._read(path) if page.lines]
            self._known[key] = [reads.dump(OcrResult("", tuple(lines), 0, 0)) for lines in found]
            if self._file and found:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                with self._file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps({"key": key, "pages": self._known[key]}, ensure_ascii=False) + "\n")
        return [reads.parse(page).lines for page in self._known[key]]

    def zone(self, path: Path) -> PredictedZone | None:
        """Return the machine-readable zone of a file, a valid one if there is any. It is not kept."""
        zones = [page.zone for page in self._read(path) if page.zone]
        return max(zones, key=lambda zone: zone.valid, default=None)

    def _key(self, path: Path) -> str:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        return f"{reads.FORMAT_VERSION} {path} {content} {self._reader}"

    @cached_property
    def _reader(self) -> str:
        """Digests of the quality model, which crops the pages, and of the served reader."""
        quality, extraction = (promoted_version(name, self._models_folder) for name in ("quality", "extraction"))
        return f"{quality.digest} {reads.load_reader(extraction.folder).digest}"

    @cached_property
    def _models(self) -> LocalModels:
        models = LocalModels(self._models_folder)
        models.load("quality", "extraction")
        return models

    def _read(self, path: Path) -> list[PagePrediction]:
        try:
            return anyio.run(reads.predict_pages, path, self._models)
        except ProblemError as problem:
            print(f"{path}: {problem.detail}")
            return []


def _whole_rows(file: Path) -> dict[str, list[str]]:
    """The pages of each file in a cache, which then ends in a whole line; {} without a cache."""
    if not file.exists():
        return {}
    text = file.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        file.write_text(whole, encoding="utf-8")
    rows = map(json.loads, whole.split("\n")[:-1])
    return {row["key"]: row["pages"] for row in rows}


class HeadFeatures:
    """A network without its type head."""

    def __init__(self, weights: Path) -> None:
        """weights: of an extraction model."""
        config = json.loads((weights / "config.json").read_text())
        self.network = LayoutTransformer(LayoutShape.from_json(config["shape"])).eval()
        self.network.load_state_dict(
            {name: tensor.float() for name, tensor in load_file(weights / "model.safetensors").items()}
        )
        self.types = tuple(self.network.shape.types)

    def of_pages(self, pages: Sequence[PieceSequence]) -> NDArray[np.float32]:
        """Return the features of pages, [N, F]."""
        found = np.zeros((len(pages), self.network.type_head.in_features), np.float32)
        taken: list[Tensor] = []
        hook = self.network.type_head.register_forward_hook(lambda module, inputs, output: taken.append(inputs[0]))
        for batch in batch_by_length([len(page.pieces) for page in pages]):
            with torch.inference_mode():
                self.network(collate_pages([pages[index] for index in batch]))
            found[batch] = taken.pop().numpy()
        hook.remove()
        return found


def read_pages(features: HeadFeatures, reader: PageReader, collections: Sequence[Path]) -> list[TypedPage]:
    """Return the pages of all files, with features."""
    files = list(collected_files(collections))
    sources: list[LabelledFile] = []
    pages: list[PieceSequence] = []
    for number, file in enumerate(files):
        for lines in reader.lines(file.path):
            sources.append(file)
            pages.append(split_into_pieces(lines)[1])
        if number % 50 == 0:
            print(f"{number} of {len(files)} files read", flush=True)
    return [
        TypedPage(str(file.path), file.type, file.group, one, file.hard)
        for file, one in zip(sources, features.of_pages(pages), strict=True)
    ]


def template_pages(features: HeadFeatures, documents: Sequence[FilledTemplate]) -> list[TypedPage]:
    """Return the pages of some documents of each template, with features."""
    chosen = [one for one in documents if one.number < DOCUMENTS_OF_A_TEMPLATE]
    pages = [(one, page) for one in chosen for page in training_pages(one, features.network.shape, one.number)]
    found = features.of_pages([page.page for _, page in pages])
    return [
        TypedPage(f"{one.template}#{one.number}", one.type, f"templates/{one.template}", own, origin="template")
        for (one, _), own in zip(pages, found, strict=True)
    ]


def collected_files(folders: Sequence[Path]) -> Iterator[LabelledFile]:
    """Yield the files that collections label."""
    for folder in folders:
        for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            merchant = loose_form(row.get("fields", {}).get("merchant_name") or "")
            group = row.get("template") or row.get("kind") or row.get("group") or merchant or row["image"]
            yield LabelledFile(folder / row["image"], row["type"], f"{folder.name}/{group}", bool(row.get("hard")))


@dataclass(frozen=True)
class Head:
    """A linear classifier of pages. weight: [types, F]."""

    weight: Tensor
    bias: Tensor

    def probabilities(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probability of each type, [N, types]."""
        logits = torch.from_numpy(features) @ self.weight.T + self.bias
        return logits.softmax(-1).numpy()


def fit_head(
    start: Head, features: NDArray[np.float32], classes: NDArray[np.int64], weights: NDArray[np.float64]
) -> Head:
    """Return the head with the least weighted cross-entropy, drawn to `start`."""
    weight, bias = start.weight.clone().requires_grad_(), start.bias.clone().requires_grad_()
    inputs, targets, shares = torch.from_numpy(features), torch.from_numpy(classes), torch.from_numpy(weights).float()
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=150, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        entropy = functional.cross_entropy(inputs @ weight.T + bias, targets, reduction="none")
        value = (entropy * shares).sum() / shares.sum() + DRAWN_TO_START * (weight - start.weight).square().sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    return Head(weight.detach(), bias.detach())


def page_weights(classes: NDArray[np.int64], origins: Sequence[Origin], other: int) -> NDArray[np.float64]:
    """Return the weight of each page in the loss; see the constants. other: the class of other papers."""
    kinds = sorted(set(classes.tolist()))
    of_origin = np.array(origins)
    real_documents = {kind for kind in classes[of_origin == "real"].tolist() if kind != other}
    weights = np.zeros(len(classes))
    for kind in kinds:
        shares: dict[Origin, float] = {
            "real": OTHER_WEIGHT if kind == other else REAL_WEIGHT / max(len(real_documents), 1),
            "template": TEMPLATE_WEIGHT / len(kinds),
            "generated": SYNTHETIC_WEIGHT / len(kinds),
        }
        for origin, share in shares.items():
            chosen = (classes == kind) & (of_origin == origin)
            weights[chosen] = share / max(chosen.sum(), 1)
    return weights / weights.mean()


def named_types(probabilities: NDArray[np.float32], types: Sequence[str]) -> list[str]:
    """Return the type that the service names: `other` only if that is clear."""
    others = types.index(OTHER_TYPE)
    known = probabilities.copy()
    known[:, others] = np.where(probabilities[:, others] >= MIN_OTHER_PROBABILITY, 2.0, -1.0)
    return [types[index] for index in known.argmax(1)]


def types_by_cross_validation(pages: Sequence[TypedPage], synthetic: "Examples", types: Sequence[str]) -> list[str]:
    """Return the type of each page by a head that has not learned from its template, kind or merchant.

    Each begins with a head of synthetic pages alone: the served head may have learned from all of these pages.
    """
    inputs, classes = synthetic
    zeros = Head(torch.zeros(len(types), inputs.shape[1]), torch.zeros(len(types)))
    start = fit_head(
        zeros, inputs, classes, page_weights(classes, ["generated"] * len(classes), types.index(OTHER_TYPE))
    )
    groups = sorted({page.group for page in pages})
    np.random.default_rng(0).shuffle(groups)
    part_of = {group: index % PARTS for index, group in enumerate(groups)}
    parts = np.array([part_of[page.group] for page in pages])
    named = np.empty(len(pages), object)
    for part in range(PARTS):
        learned = [page for page, own in zip(pages, parts, strict=True) if own != part]
        head = _fit_on(start, learned, synthetic, types)
        judged = np.stack([page.features for page in pages])[parts == part]
        named[parts == part] = named_types(head.probabilities(judged), types)
    return list(named)


Examples = tuple[NDArray[np.float32], NDArray[np.int64]]


def synthetic_examples(features: HeadFeatures) -> Examples:
    """Return the features and classes of generated pages of every type, with errors of recognition."""
    shape, kinds = features.network.shape, document_types()
    sheets, classes = [], []
    for number, name in enumerate(features.types):
        for seed in range(SYNTHETIC_SEED, SYNTHETIC_SEED + SYNTHETIC_PAGES):
            is_other = name == OTHER_TYPE
            made = (
                generated.page_of_other_type(shape, seed)
                if is_other
                else generated.page_from_sheet(kinds[name], shape, seed)
            )
            sheets.append(made.page)
            classes.append(number)
    return features.of_pages(sheets), np.array(classes)


def _fit_on(start: Head, pages: Sequence[TypedPage], synthetic: Examples, types: Sequence[str]) -> Head:
    inputs = np.concatenate([np.stack([page.features for page in pages]), synthetic[0]])
    classes = np.concatenate([np.array([types.index(page.type) for page in pages]), synthetic[1]])
    origins: list[Origin] = [*(page.origin for page in pages), *["generated"] * len(synthetic[1])]
    return fit_head(start, inputs, classes, page_weights(classes, origins, types.index(OTHER_TYPE)))


def results_by_type(pages: Sequence[TypedPage], named: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    """Return by type, and for filled layouts of it, what was named.

    pages, right, other: pages, the share that is right, and the share called `other`.
    documents, refused: documents, and the share that is refused: the service calls a document `other` if all its pages
                        are. low, high: 95 % interval of this share over templates or kinds.
    """
    rows: dict[str, list[tuple[TypedPage, str]]] = {}
    for page, name in zip(pages, named, strict=True):
        own = page.type if page.origin == "real" else f"{page.type}, filled layouts"
        for row in (own, *(["other, hard"] if page.hard else [])):
            rows.setdefault(row, []).append((page, name))
    return {row: _summarize(results) for row, results in sorted(rows.items())}


def _summarize(results: Sequence[tuple[TypedPage, str]]) -> Mapping[str, float]:
    refused: dict[str, bool] = {}
    for page, name in results:
        refused[page.document] = refused.get(page.document, True) and name == OTHER_TYPE
    group_of = {page.document: page.group for page, _ in results}
    low, high = interval([group_of[document] for document in refused], list(refused.values()))
    shares = {
        "right": np.mean([name == page.type for page, name in results]),
        "other": np.mean([name == OTHER_TYPE for _, name in results]),
        "refused": np.mean(list(refused.values())),
        "low": low,
        "high": high,
    }
    return {"pages": len(results), "documents": len(refused)} | {
        name: round(float(share), 4) for name, share in shares.items()
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path, help="weights of an extraction model")
    parser.add_argument("--out", type=Path, required=True, help="folder for the weights with the new head")
    parser.add_argument("--collection", type=Path, action="append", default=[], help="folder with labels.jsonl")
    parser.add_argument("--templates", type=Path, nargs="*", default=[], help="files of training.synth.templates")
    parser.add_argument("--cache", type=Path, help="folder that keeps what has been read")
    options = parser.parse_args(arguments)
    features = HeadFeatures(options.weights)
    types = features.types
    read = read_pages(features, PageReader(options.cache), options.collection)
    read += template_pages(features, list(filled_templates.load_documents(options.templates)))
    pages = [page for page in read if page.type in types]
    synthetic = synthetic_examples(features)
    head = features.network.type_head
    start = Head(head.weight.detach().clone(), head.bias.detach().clone())
    results = {
        "before": results_by_type(
            pages, named_types(start.probabilities(np.stack([one.features for one in pages])), types)
        ),
        "cross-validated": results_by_type(pages, types_by_cross_validation(pages, synthetic, types)),
    }
    fitted = _fit_on(start, pages, synthetic, types)
    shutil.copytree(options.weights, options.out, dirs_exist_ok=True)
    tensors = load_file(options.weights / "model.safetensors")
    precision = tensors["type_head.weight"].dtype
    tensors |= {"type_head.weight": fitted.weight.to(precision), "type_head.bias": fitted.bias.to(precision)}
    save_file(tensors, options.out / "model.safetensors")
    typefaces.keep_record(options.weights, options.out)
    (options.out.parent / "types.json").write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
