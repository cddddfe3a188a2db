"""Train the layout transformer, from nothing or from weights that are served.

    python -m training.tasks.layout.train training/configs/layout.toml --out runs/extraction \\
        --sroie DATA/sroie --reads runs/reads/sroie.jsonl

Run again, it goes on from its last checkpoint, as if it had never stopped. Without --sroie it trains on sheets
alone. On several GPUs: `torchrun --nproc-per-node N -m training.tasks.layout.train …`. The result is
OUT/weights/{model.safetensors, config.json}, calibrated by `python -m training.commands.calibrate`; OUT/history.jsonl
is how
it learned.
"""

import argparse
import json
import logging
import shutil
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.utils import gather_object
from safetensors.torch import load_file, save_file
from torch.utils.data import DataLoader, Dataset

from docextract.documents import document_types, type_files
from docextract.documents.values import Conventions
from docextract.extraction.layout import spans
from docextract.extraction.layout.network import LayoutShape, LayoutTransformer, collate_pages
from docextract.extraction.layout.spans import LabelProbabilities
from docextract.predictions import OTHER_TYPE
from training import history, loop
from training.datasets import reads, sroie, value_of
from training.evaluation.metrics import Comparison
from training.tasks.layout import pages
from training.tasks.layout.pages import Mix
from training.tasks.layout.targets import Example, loss
from training.tasks.layout.variations import RealPage, Varied
from training.warm_start import same_names, take_over

log = logging.getLogger("training.tasks.layout.train")
POOL = 192  # pages sorted by length together, so that batches are of like length
CHECKPOINT_EVERY_S = 150
CHECKPOINT, WEIGHTS = "last.pt", "weights"
CURRENCIES = (
    "MYR", "SGD", "USD", "CAD", "AUD", "NZD", "GBP", "EUR", "CHF", "BRL", "MXN", "INR", "IDR", "PHP", "THB",
    "SEK", "DKK", "NOK", "PLN", "CZK",
)  # fmt: skip


@dataclass(frozen=True)
class Config:
    """See training/configs/layout.toml for what each means."""

    seed: int
    steps: int
    decay_steps: int
    warmup_steps: int
    peak_lr: float
    weight_decay: float
    pieces_per_batch: int
    real_share: float
    other_share: float
    evaluate_every: int
    patience: int = 0
    shape: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, float] = field(default_factory=dict)

    def lr(self, step: int, steps: int) -> float:
        """Warm-up, constant, then linear to zero at `steps`: a run can be ended early without having planned it."""
        left = (steps - step) / max(1, self.decay_steps)
        return self.peak_lr * min(1.0, (step + 1) / self.warmup_steps, max(left, 0.0))

    def whole_shape(self) -> LayoutShape:
        """Of a network from nothing, for the configured types."""
        return pages.shape_of(tuple(self.types), CURRENCIES, **self.shape)


def load_config(path: Path) -> Config:
    """TOML → Config. Raises TypeError for a name that is not known."""
    return Config(**tomllib.loads(path.read_text()))


class Pools(Dataset[list[list[Example]]]):
    """Pool n: some pages, packed into batches of like length, in an order that depends on the seed and n alone."""

    def __init__(self, mix: Mix, pieces_per_batch: int) -> None:
        self.mix, self.pieces_per_batch = mix, pieces_per_batch

    def __getitem__(self, number: int) -> list[list[Example]]:
        numbers = range(number * POOL, (number + 1) * POOL)
        pool = [page for page in map(self.mix, numbers) if page.page.pieces]
        batches = list(_packed(sorted(pool, key=lambda page: len(page.page.pieces)), self.pieces_per_batch))
        order = torch.Generator().manual_seed(self.mix.seed * 1_000_003 + number)
        return [batches[at] for at in torch.randperm(len(batches), generator=order).tolist()]


def _packed(pool: Sequence[Example], pieces: int) -> Iterator[list[Example]]:
    batch: list[Example] = []
    for page in pool:
        if batch and (len(batch) + 1) * len(page.page.pieces) > pieces:
            yield batch
            batch = []
        batch.append(page)
    if batch:
        yield batch


@dataclass
class Place:
    """How far a run has come; `pool` and `batch` are those of the next batch."""

    step: int = 0
    pool: int = 0
    batch: int = 0
    steps: int = 0  # where the run will end; earlier than configured once it no longer helps
    best: float = -1.0
    since_best: int = 0  # evaluations


class Run:
    """One training run: network, optimizer, and the place it has come to; survives being killed at any moment."""

    def __init__(self, config: Config, out: Path, network: LayoutTransformer) -> None:
        self.config, self.out = config, out
        self.accelerator = Accelerator()
        optimizer = torch.optim.AdamW(network.parameters(), weight_decay=config.weight_decay, betas=(0.9, 0.98))
        self.network, self.optimizer = self.accelerator.prepare(network, optimizer)
        self.rank, self.world = self.accelerator.process_index, self.accelerator.num_processes
        self.place = Place(pool=self.rank, steps=config.steps)
        self._resume()
        if self.accelerator.is_main_process:
            history.trim(out, self.place.step)

    @property
    def bare(self) -> LayoutTransformer:
        """The network without what wraps it on several devices."""
        unwrapped: LayoutTransformer = self.accelerator.unwrap_model(self.network)
        return unwrapped

    def train(
        self, mix: Mix, tuning: Sequence[RealPage], workers: int, progress: Callable[[Place], None] | None = None
    ) -> None:
        """To the end. tuning: pages that training does not see, to watch and to stop by."""
        batches = self._batches(mix, workers)
        watch = _Watch()
        while self.place.step < self.place.steps:
            watch.add(self._step(*next(batches)))
            if progress:
                progress(self.place)
            if self.place.step % self.config.evaluate_every == 0 or self.place.step == self.place.steps:
                self._evaluate(tuning, watch)
            if watch.since_saved() > CHECKPOINT_EVERY_S or self.place.step == self.place.steps:
                self.save()
                watch.saved()
        if self.accelerator.is_main_process:
            export(self.bare, self.out / WEIGHTS)

    def _batches(self, mix: Mix, workers: int) -> Iterator[tuple[list[Example], int, int]]:
        """A batch and the place of the one after it. Processes take turns with the pools."""
        pools = DataLoader(
            Pools(mix, self.config.pieces_per_batch), batch_size=None,
            sampler=range(self.place.pool, 1 << 40, self.world), num_workers=workers,
            prefetch_factor=2 if workers else None,
        )  # fmt: skip
        number, first = self.place.pool, self.place.batch
        for batches in pools:
            for at in range(first, len(batches)):
                after = (number, at + 1) if at + 1 < len(batches) else (number + self.world, 0)
                yield batches[at], *after
            number, first = number + self.world, 0

    def _step(self, batch: Sequence[Example], pool: int, at: int) -> dict[str, float]:
        place = self.place
        torch.manual_seed(self.config.seed * 1_000_003 + place.step)  # dropout
        self.network.train()
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.lr(place.step, place.steps)
        device = self.accelerator.device
        with torch.autocast(device.type, torch.bfloat16):
            logits = self.network(collate_pages([example.page for example in batch]).to(device))
        losses = loss(logits, [example.target for example in batch])
        # Several devices wait for each other's gradients: no head may be without one, whatever a batch teaches.
        untaught = torch.stack([part.sum() for part in vars(logits).values()]).sum() * 0.0
        total = torch.stack(list(losses.values())).sum() + untaught
        self.optimizer.zero_grad()
        self.accelerator.backward(total)
        self.accelerator.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.place = replace(place, step=place.step + 1, pool=pool, batch=at)
        return {name: float(value.detach()) for name, value in losses.items()} | {"pages": len(batch)}

    def _evaluate(self, tuning: Sequence[RealPage], watch: "_Watch") -> None:
        """Note how it goes; without a gain for `patience` evaluations, begin to end the run."""
        found = accuracy(self.bare, tuning)
        place = self.place
        mean = sum(found.values()) / len(found) if found else 0.0
        gained = mean > place.best + 1e-6
        self.place = place = replace(
            place, best=max(place.best, mean), since_best=0 if gained else place.since_best + 1
        )
        if self.config.patience and place.since_best >= self.config.patience:
            self.place = replace(place, steps=min(place.steps, place.step + self.config.decay_steps))
        if self.accelerator.is_main_process:
            row = {"step": place.step, "of": self.place.steps, **watch.means(), "exact": found}
            log.info("%s", json.dumps(row))
            history.append(self.out, row)

    def save(self) -> None:
        """In one piece; with it the weights as they can be served."""
        places = gather_object([vars(self.place)])
        if not self.accelerator.is_main_process:
            return
        self.out.mkdir(parents=True, exist_ok=True)
        state = {"network": self.bare.state_dict(), "optimizer": self.optimizer.state_dict(), "places": places}
        loop.keep(state, self.out / CHECKPOINT)
        export(self.bare, self.out / WEIGHTS)

    def _resume(self) -> None:
        if not (self.out / CHECKPOINT).exists():
            return
        state = torch.load(self.out / CHECKPOINT, weights_only=True, map_location="cpu")
        if len(state["places"]) != self.world:
            raise ValueError(f"{self.out} was begun by {len(state['places'])} processes; go on with as many")
        self.bare.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        kept = Place(**state["places"][self.rank])
        ended = kept.steps if kept.since_best >= self.config.patience > 0 else self.config.steps
        self.place = replace(kept, steps=ended)
        log.info("resumed at step %d", self.place.step)


class _Watch:
    """Mean losses since they were last asked for, and the clock."""

    def __init__(self) -> None:
        self._saved = self._asked = time.monotonic()
        self._sums: dict[str, float] = {}
        self._count = 0

    def add(self, losses: Mapping[str, float]) -> None:
        self._count += 1
        for name, value in losses.items():
            self._sums[name] = self._sums.get(name, 0.0) + value

    def means(self) -> dict[str, float]:
        seconds, self._asked = time.monotonic() - self._asked, time.monotonic()
        pages_seen = self._sums.pop("pages", 0.0)
        means = {name: round(value / max(1, self._count), 5) for name, value in self._sums.items()}
        self._sums, self._count = {}, 0
        return means | {"pages_per_s": round(pages_seen / seconds, 1)}

    def since_saved(self) -> float:
        return time.monotonic() - self._saved

    def saved(self) -> None:
        self._saved = time.monotonic()


def accuracy(network: LayoutTransformer, real: Sequence[RealPage]) -> dict[str, float]:
    """Share of known fields decoded exactly, on pages as read: a quick look, not the evaluation."""
    network.eval()
    right: dict[str, list[bool]] = {}
    shape = network.shape
    for one in real:
        kind = document_types()[one.label.type]
        example = pages.from_real(one, shape)
        with torch.inference_mode(), torch.autocast(next(network.parameters()).device.type, torch.bfloat16):
            logits = network(collate_pages([example.page]).to(next(network.parameters()).device))
        order = shape.date_orders[int(logits.date_order[0].argmax())]
        view = LabelProbabilities(logits.labels[0].softmax(-1).cpu().numpy(), logits.row_starts[0].sigmoid().cpu().numpy())
        found = spans.decode_fields(kind, shape.fields, example.page.pieces, view, Conventions(order))  # type: ignore[arg-type]
        for name, wanted in one.label.fields.items():
            field = next((field for field in kind.fields() if field.name == name), None)
            if field is not None and wanted is not None:
                got = found[name].value if name in found else None
                right.setdefault(name, []).append(Comparison(name, value_of(field.kind, wanted), got).exact)
    return {name: round(sum(values) / len(values), 3) for name, values in right.items()}


def adopt(network: LayoutTransformer, folder: Path) -> None:
    """Take over what served weights know; see training/warm_start.py."""
    known = LayoutShape.from_json(json.loads((folder / "config.json").read_text())["shape"])
    shape = network.shape
    labels = [(0, 0)] + [
        (label(mine), label(theirs))
        for mine, theirs in same_names(shape.fields, known.fields)
        for label in (spans.begin_label, spans.inside_label)
    ]
    heads = {
        "label_head": labels,
        "type_head": same_names(shape.types, known.types),
        "currency_head": same_names(shape.currencies, known.currencies),
        "date_order_head": same_names(shape.date_orders, known.date_orders),
    }
    take_over(network, load_file(folder / "model.safetensors"), heads)


def export(network: LayoutTransformer, folder: Path) -> None:
    """What is served: fp16 safetensors, the shape, and the types that are known only by their description."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().half().cpu().contiguous() for name, value in network.state_dict().items()}
    save_file(weights, folder / "model.safetensors")
    config = {"architecture": "layout", "shape": network.shape.to_json()}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    type_files.save_types((document_types()[name] for name in network.shape.types if name != OTHER_TYPE), folder / type_files.TYPES_FOLDER)


def main() -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sroie", type=Path)
    parser.add_argument("--reads", type=Path, nargs="*", default=[], help="caches made by training.datasets.reads")
    parser.add_argument("--start", type=Path, help="weights to go on from instead of from nothing")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    shutil.copy(options.config, options.out / "config.toml")
    labels = sroie.load(options.sroie, "train") if options.sroie else []
    real = [page for cache in options.reads for page in pages.real_pages(labels, reads.load(cache))]
    kept = pages.kept_back(labels)
    training = [page for page in real if page.label.key not in kept]
    tuning = [page for page in real if page.label.key in kept]
    config = load_config(options.config)
    torch.manual_seed(config.seed)
    network = LayoutTransformer(config.whole_shape())
    if options.start:
        adopt(network, options.start)
    mix = Mix(network.shape, config.types, Varied(training), config.real_share, config.other_share, config.seed)
    Run(config, options.out, network).train(mix, tuning, options.workers)


if __name__ == "__main__":
    main()
