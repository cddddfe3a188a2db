"""Train the layout transformer, from random weights or from served ones.

    python -m training.tasks.layout.train training/configs/layout.toml --out runs/extraction \\
        --sroie DATA/sroie --reads runs/reads/sroie.jsonl

Run the same command again to resume from the last checkpoint. Without --sroie it trains on synthetic pages alone. On
several GPUs: `torchrun --nproc-per-node N -m training.tasks.layout.train …`. The result is
OUT/weights/{model.safetensors, config.json}, which `python -m training.commands.calibrate` calibrates;
OUT/history.jsonl is the history of the run.
"""

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator, PartialState
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from docextract.documents import document_types, type_files
from docextract.documents.values import Conventions
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import LabelProbabilities, begin_label, inside_label
from docextract.extraction.layout.network import LayoutShape, LayoutTransformer, collate_pages
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.tables.rows import decode_groups
from docextract.predictions import OTHER_TYPE
from training import command_line, loop
from training.datasets import filled_templates, merchants, reads, sroie, value_of
from training.datasets.shop_names import ShopNames
from training.metrics import Comparison, align_rows
from training.tasks.layout import pages
from training.tasks.layout.pages import PageMix
from training.tasks.layout.targets import TrainingPage, distillation_loss, layout_losses
from training.tasks.layout.template_variations import TemplatePages
from training.tasks.layout.variations import RealPage, RealPageVariations
from training.warm_start import RowPairs, copy_weights, matching_rows

POOL_PAGES = 192  # pages that are sorted by length together, so that a batch has pages of similar length
CURRENCIES = (
    "MYR", "SGD", "USD", "CAD", "AUD", "NZD", "GBP", "EUR", "CHF", "BRL", "MXN", "INR", "IDR", "PHP", "THB",
    "SEK", "DKK", "NOK", "PLN", "CZK", "RON", "TRY", "ZAR", "PEN",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LayoutSettings(loop.Settings):
    """Settings of one training run, see training/configs/layout.toml."""

    decay_steps: int
    pieces_per_batch: int
    real_share: float
    other_share: float
    template_share: float = 0.0
    mixed_share: float = 0.0
    shop_name_share: float = 0.0
    unlabelled_share: float = 0.0
    distillation: float = 0.0  # weight of the loss by which real pages keep the labels of the initial weights
    average: float = 0.0
    checkpoint_s: float = 150
    shape: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, int] = field(default_factory=dict)  # rows of the label head for a field, if not one

    @property
    def cooldown_steps(self) -> int:
        """A run that ends early still decays its learning rate to zero."""
        return self.decay_steps

    def learning_rate(self, step: int, end: int) -> float:
        """Warm-up, constant, then linear to zero at `end`: a run can be ended early without having planned it."""
        remaining = (end - step) / max(1, self.decay_steps)
        return self.peak_lr * min(1.0, (step + 1) / self.warmup_steps, max(remaining, 0.0))

    def network_shape(self) -> LayoutShape:
        """Shape of a new network for the configured types."""
        shape = pages.shape_for_types(tuple(self.types), CURRENCIES, **self.shape)
        return replace(shape, head_fields=tuple(name for name in shape.fields for _ in range(self.labels.get(name, 1))))


class Pools(Dataset[list[list[TrainingPage]]]):
    """Pool n: pages packed into batches of similar length, in an order that depends on the seed and n alone."""

    def __init__(self, mix: PageMix, pieces_per_batch: int) -> None:
        self.mix, self.pieces_per_batch = mix, pieces_per_batch

    def __getitem__(self, number: int) -> list[list[TrainingPage]]:
        numbers = range(number * POOL_PAGES, (number + 1) * POOL_PAGES)
        pool = [page for page in map(self.mix, numbers) if page.page.pieces]
        batches = list(_pack(sorted(pool, key=lambda page: len(page.page.pieces)), self.pieces_per_batch))
        order = torch.Generator().manual_seed(self.mix.seed * 1_000_003 + number)
        return [batches[at] for at in torch.randperm(len(batches), generator=order).tolist()]


def _pack(pool: Sequence[TrainingPage], pieces: int) -> Iterator[list[TrainingPage]]:
    """Batches of at most `pieces` pieces, padding included. pool: shortest page first."""
    batch: list[TrainingPage] = []
    for page in pool:
        if batch and (len(batch) + 1) * len(page.page.pieces) > pieces:
            yield batch
            batch = []
        batch.append(page)
    if batch:
        yield batch


class LayoutTask(loop.Task):
    """Trains the layout transformer on synthetic and real pages.

    The position is the pool and the batch within it; several processes take turns with the pools.
    """

    def __init__(
        self, mix: PageMix, settings: LayoutSettings, validation: Sequence[RealPage], workers: int = 0,
        accelerator: Accelerator | None = None, teacher: LayoutTransformer | None = None,
    ) -> None:  # fmt: skip
        """workers: additional processes that generate pages. accelerator: for several devices.

        teacher: whose labels are learned on real pages, if `distillation` is not 0; of the same shape.
        """
        self._mix, self._settings, self._validation, self._workers = mix, settings, validation, workers
        self._device = accelerator.device if accelerator else torch.device("cpu")
        self._processes = accelerator.num_processes if accelerator else 1
        self._teacher = teacher.eval().to(self._device) if teacher and settings.distillation else None
        self.position = (accelerator.process_index if accelerator else 0, 0)

    def batches(self, first_step: int) -> Iterator[list[TrainingPage]]:
        number, first = self.position
        pools = DataLoader(
            Pools(self._mix, self._settings.pieces_per_batch), batch_size=None,
            sampler=range(number, loop.LAST_STEP, self._processes), num_workers=self._workers,
            prefetch_factor=2 if self._workers else None,
        )  # fmt: skip
        for batches in pools:
            following = number + self._processes
            for at in range(first, len(batches)):
                self.position = (number, at + 1) if at + 1 < len(batches) else (following, 0)
                yield batches[at]
            number, first = following, 0

    def losses(self, network: torch.nn.Module, batch: Sequence[TrainingPage]) -> dict[str, Tensor]:
        pieces, targets = collate_pages([one.page for one in batch]).to(self._device), [one.target for one in batch]
        with loop.autocast(self._device.type):
            logits = network(pieces)
        losses = layout_losses(logits, targets)
        if self._teacher and any(target.is_taught for target in targets):
            with torch.no_grad(), loop.autocast(self._device.type):
                taught = self._teacher(pieces)
            losses["distillation"] = self._settings.distillation * distillation_loss(logits, taught, targets)
        # Several devices wait for each other's gradients: every head needs one, also if a batch has no label for it.
        losses["labels"] = losses["labels"] + torch.stack([part.sum() for part in vars(logits).values()]).sum() * 0.0
        return losses

    def evaluate(self, network: LayoutTransformer) -> dict[str, dict[str, float]]:
        return {"exact": field_accuracy(network, self._validation)}

    def score(self, evaluation: Mapping[str, Any]) -> float:
        shares = evaluation["exact"].values()
        return sum(shares) / len(shares) if shares else 0.0

    def export(self, network: LayoutTransformer, folder: Path) -> None:
        export_layout(network, folder)


def build_network(settings: LayoutSettings) -> LayoutTransformer:
    """Random weights, the same for the same seed."""
    torch.manual_seed(settings.seed)
    return LayoutTransformer(settings.network_shape())


def train_layout(
    network: LayoutTransformer, settings: LayoutSettings, mix: PageMix, validation: Sequence[RealPage], out: Path,
    workers: int, on_step: Callable[[int, int], None] | None = None, teacher: LayoutTransformer | None = None,
) -> None:  # fmt: skip
    """Train from the last checkpoint, if there is one, on all devices; write the weights at each checkpoint.

    validation: pages that are not trained on, for evaluation and early stopping. on_step: see `loop.fit`.
    teacher: see LayoutTask.
    """
    accelerator = Accelerator()
    task = LayoutTask(mix, settings, validation, workers, accelerator, teacher)
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=settings.weight_decay, betas=(0.9, 0.98))
    prepared, optimizer = accelerator.prepare(network, optimizer)
    trained = loop.fit(
        task, prepared, optimizer, settings, out, accelerator=accelerator, on_step=on_step,
        on_checkpoint=lambda network: task.export(network, out / loop.WEIGHTS),
    )  # fmt: skip
    if accelerator.is_main_process:
        task.export(trained, out / loop.WEIGHTS)


def field_accuracy(network: LayoutTransformer, real: Sequence[RealPage]) -> dict[str, float]:
    """Share of labelled values that are decoded exactly, by field. network: in evaluation mode.

    A quick check during training; the full evaluation is in training/evaluation.
    """
    correct: dict[str, list[bool]] = {}
    shape, device = network.shape, next(network.parameters()).device
    for one in real:
        kind = document_types()[one.label.type]
        page = pages.page_from_label(one, shape).page
        with torch.inference_mode(), loop.autocast(device.type):
            logits = network(collate_pages([page]).to(device))
        order = shape.date_orders[int(logits.date_order[0].argmax())]
        probabilities = LabelProbabilities(
            logits.labels[0].softmax(-1).cpu().numpy(), logits.row_starts[0].sigmoid().cpu().numpy()
        )
        conventions = Conventions(order)  # type: ignore[arg-type]
        for compared in _comparisons(one, PageLabels(kind, shape.fields, page.pieces, probabilities, conventions)):
            if compared.expected is not None:
                correct.setdefault(compared.field, []).append(compared.exact)
    return {name: round(sum(values) / len(values), 3) for name, values in correct.items()}


def _comparisons(real: RealPage, page: PageLabels) -> Iterator[Comparison]:
    """The label of each field, and what is decoded; rows with those that match them."""
    kinds = {field.name: field.kind for field in page.document_type.fields()}
    lists = {name: rows for name, rows in real.label.fields.items() if isinstance(rows, list)}
    fields, groups = decode_fields(page), decode_groups(page) if lists else {}
    for name, label in real.label.fields.items():
        if name in kinds:
            yield Comparison(name, value_of(kinds[name], label), fields[name].value if name in fields else None)
    for group, rows in lists.items():
        expected = [{leaf: value_of(kinds[f"{group}.{leaf}"], text) for leaf, text in row.items()} for row in rows]
        decoded = [{leaf: one.value for leaf, one in row.items()} for row in groups.get(group, ())]
        for row, partner in zip(expected, align_rows(expected, decoded), strict=True):
            for leaf, value in row.items():
                yield Comparison(f"{group}.{leaf}", value, None if partner is None else decoded[partner].get(leaf))


def matching_labels(shape: LayoutShape, served: LayoutShape) -> RowPairs:
    """Rows of the label head that both networks have."""
    pairs = matching_rows(shape.head_fields or shape.fields, served.head_fields or served.fields)
    labels = (begin_label, inside_label)
    return [(0, 0), *((label(row), label(served_row)) for row, served_row in pairs for label in labels)]


def start_from_served(network: LayoutTransformer, folder: Path) -> None:
    """Initialise a network from served weights, see training/warm_start.py. folder: the served weights."""
    served = _served_shape(folder)
    shape = network.shape
    heads = {
        "label_head": matching_labels(shape, served),
        "type_head": matching_rows(shape.types, served.types),
        "currency_head": matching_rows(shape.currencies, served.currencies),
        "date_order_head": matching_rows(shape.date_orders, served.date_orders),
    }
    copy_weights(network, load_file(folder / "model.safetensors"), heads)


def _served_shape(folder: Path) -> LayoutShape:
    return LayoutShape.from_json(json.loads((folder / "config.json").read_text())["shape"])


def _has_new_labels(shape: LayoutShape, folder: Path) -> bool:
    return len(matching_labels(shape, _served_shape(folder))) < 1 + 2 * len(shape.head_fields or shape.fields)


def train_new_labels_only(network: LayoutTransformer, folder: Path) -> None:
    """Keep everything as it is but the rows of the label head that served weights lack. folder: the served weights."""
    served = _served_shape(folder)
    is_new = torch.ones(len(network.label_head.weight), 1)
    is_new[[row for row, _ in matching_labels(network.shape, served)]] = 0
    network.requires_grad_(False)
    for parameter, mask in ((network.label_head.weight, is_new), (network.label_head.bias, is_new[:, 0])):
        parameter.requires_grad_(True)
        parameter.register_hook(lambda gradient, mask=mask: gradient * mask.to(gradient))


def export_layout(network: LayoutTransformer, folder: Path) -> None:
    """Write what is served: fp16 safetensors, the shape, and the types that only their type files define."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().half().cpu().contiguous() for name, value in network.state_dict().items()}
    save_file(weights, folder / "model.safetensors")
    config = {"architecture": "layout", "shape": network.shape.to_json()}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    types = (document_types()[name] for name in network.shape.types if name != OTHER_TYPE)
    type_files.save_types(types, folder / type_files.TYPES_FOLDER)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = command_line.argument_parser(__doc__)
    parser.add_argument("--sroie", type=Path)
    parser.add_argument(
        "--reads", type=Path, nargs="*", default=[], help="OCR results, written by training.datasets.reads"
    )
    parser.add_argument(
        "--templates", type=Path, nargs="*", default=[], help="filled templates, written by training.synth.templates"
    )
    parser.add_argument(
        "--unlabelled", type=Path, nargs="*", default=[],
        help="OCR results of pages without labels, on which the labels of the initial weights are kept",
    )  # fmt: skip
    parser.add_argument("--words", type=Path, metavar="DIR", help="merchants.txt: names of real shops")
    parser.add_argument("--start", type=Path, help="initial weights, as they are served; random if not given")
    parser.add_argument(
        "--new-labels-only", type=Path, metavar="SERVED", help="train only labels that these served weights lack"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes that generate pages")
    options = parser.parse_args(arguments)
    settings = command_line.prepare(options, LayoutSettings, draws_pages=False)
    labels = sroie.load(options.sroie, "train") if options.sroie else []
    real = [page for cache in options.reads for page in pages.real_pages(labels, reads.load(cache))]
    held_out = merchants.held_out_keys(labels)
    training = [page for page in real if page.label.key not in held_out]
    validation = [page for page in real if page.label.key in held_out]
    if labels and not training:
        parser.error("--reads has no receipt of --sroie to train on, only held-out ones; see training.datasets.reads")
    unlabelled = [read for cache in options.unlabelled for read in reads.load(cache).values()]
    if options.unlabelled and not unlabelled:
        parser.error("--unlabelled has no page; see training.datasets.reads")
    if bool(options.unlabelled) != bool(settings.unlabelled_share):
        parser.error("--unlabelled and unlabelled_share belong together")
    if options.unlabelled and not settings.distillation:
        parser.error("--unlabelled needs distillation: nothing else is learned of such pages")
    templates = [one for one in filled_templates.load_documents(options.templates) if not one.is_held_out]
    network, teacher = build_network(settings), None
    if options.start:
        start_from_served(network, options.start)
    if settings.distillation:
        if not options.start or _has_new_labels(network.shape, options.start):
            parser.error("distillation needs --start, with weights of the same labels")
        teacher = copy.deepcopy(network)
    if options.new_labels_only:
        train_new_labels_only(network, options.new_labels_only)
    shop_names = ShopNames.read(options.words, settings.shop_name_share)
    mix = PageMix(
        network.shape, settings.types, RealPageVariations(training), settings.real_share, settings.other_share,
        settings.seed, TemplatePages.of(templates, settings.mixed_share, shop_names), settings.template_share,
        shop_names, unlabelled, settings.unlabelled_share,
    )  # fmt: skip
    train_layout(network, settings, mix, validation, options.out, options.workers, teacher=teacher)
    PartialState().destroy_process_group()


if __name__ == "__main__":
    main()
