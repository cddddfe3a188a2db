"""Train the layout transformer from nothing.

    python -m training.extraction training/configs/extraction.toml --out runs/extraction \
        --sroie DATA/sroie --reads runs/reads/sroie.jsonl

Run again, it goes on from its last checkpoint. Without --sroie it trains on sheets alone. The result is
OUT/weights/{model.safetensors, config.json}, calibrated by `python -m training.calibrate`.
"""

import argparse
import itertools
import json
import logging
import shutil
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch.utils.data import DataLoader, IterableDataset

from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.extraction import spans
from docextract.extraction.network import LayoutTransformer, Shape, collate
from docextract.extraction.spans import Labelling
from training import pages
from training.datasets import reads, sroie
from training.pages import RealPage
from training.targets import Example, loss

log = logging.getLogger("training.extraction")
POOL = 192  # pages sorted by length together, so that batches are of like length
CHECKPOINT_EVERY_S = 150
CURRENCIES = (
    "MYR", "SGD", "USD", "CAD", "AUD", "NZD", "GBP", "EUR", "CHF", "BRL", "MXN", "INR", "IDR", "PHP", "THB",
    "SEK", "DKK", "NOK", "PLN", "CZK",
)  # fmt: skip


@dataclass(frozen=True)
class Config:
    """See training/configs/extraction.toml for what each means."""

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
    shape: dict[str, Any]
    types: tuple[str, ...] = ("receipt",)

    def lr(self, step: int) -> float:
        """Warm-up, constant, then linear to zero: a run can be ended early without having planned it."""
        left = (self.steps - step) / max(1, self.decay_steps)
        return self.peak_lr * min(1.0, (step + 1) / self.warmup_steps, max(left, 0.0))


def load_config(path: Path) -> Config:
    """TOML → Config."""
    return Config(**tomllib.loads(path.read_text()))


class Batches(IterableDataset[list[Example]]):
    """Batches of pages of like length, without end."""

    def __init__(self, config: Config, shape: Shape, real: Sequence[RealPage], start: int) -> None:
        self.config, self.shape, self.real, self.start = config, shape, real, start

    def __iter__(self) -> Iterator[list[Example]]:
        kinds = [document_types()[name] for name in self.config.types]
        worker = torch.utils.data.get_worker_info()
        seed = self.config.seed * 1_000_003 + self.start * 101 + (worker.id if worker else 0)
        source = pages.stream(kinds, self.shape, self.real, self.config.real_share, self.config.other_share, seed)
        order = torch.Generator().manual_seed(seed)
        while True:
            pool = [page for page in itertools.islice(source, POOL) if page.page.pieces]
            batches = list(_packed(sorted(pool, key=lambda page: len(page.page.pieces)), self.config.pieces_per_batch))
            for at in torch.randperm(len(batches), generator=order).tolist():
                yield batches[at]


def _packed(pool: Sequence[Example], pieces: int) -> Iterator[list[Example]]:
    batch: list[Example] = []
    for page in pool:
        if batch and (len(batch) + 1) * len(page.page.pieces) > pieces:
            yield batch
            batch = []
        batch.append(page)
    if batch:
        yield batch


def train(config: Config, out: Path, real: Sequence[RealPage], tuning: Sequence[RealPage], workers: int) -> None:
    """Train to config.steps, from the last checkpoint if there is one."""
    torch.manual_seed(config.seed)
    shape = pages.shape_of(config.types, CURRENCIES, **config.shape)
    network = LayoutTransformer(shape)
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=config.weight_decay, betas=(0.9, 0.98))
    step = _resume(out, network, optimiser)
    batches = iter(DataLoader(
        Batches(config, shape, real, step), batch_size=None, num_workers=workers,
        prefetch_factor=16 if workers else None,
    ))  # fmt: skip
    saved = logged = time.monotonic()
    sums: dict[str, float] = {}
    seen = 0
    while step < config.steps:
        batch = next(batches)
        losses = _step(network, optimiser, batch, config.lr(step))
        step += 1
        seen += len(batch)
        for name, value in losses.items():
            sums[name] = sums.get(name, 0.0) + value
        if step % 50 == 0:
            now = time.monotonic()
            means = " ".join(f"{name} {value / 50:.4f}" for name, value in sums.items())
            log.info("step %d  %s  %.1f pages/s", step, means, seen / (now - logged))
            sums, seen, logged = {}, 0, now
        if step % config.evaluate_every == 0 or step == config.steps:
            log.info("step %d  exact on held-out merchants: %s", step, accuracy(network, tuning))
        if time.monotonic() - saved > CHECKPOINT_EVERY_S or step == config.steps:
            _save(out, network, optimiser, step)
            saved = time.monotonic()
    export(network, out / "weights")


def _step(
    network: LayoutTransformer, optimiser: torch.optim.Optimizer, batch: list[Example], lr: float
) -> dict[str, float]:
    network.train()
    for group in optimiser.param_groups:
        group["lr"] = lr
    device = next(network.parameters()).device
    with torch.autocast(device.type, torch.bfloat16):
        logits = network(collate([example.page for example in batch]).to(device))
    losses = loss(logits, [example.target for example in batch])
    total = torch.stack(list(losses.values())).sum()
    optimiser.zero_grad()
    total.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimiser.step()
    return {name: float(value.detach()) for name, value in losses.items()}


def accuracy(network: LayoutTransformer, real: Sequence[RealPage]) -> dict[str, float]:
    """Share of known fields decoded exactly, on pages as read: a quick look, not the evaluation."""
    network.eval()
    right: dict[str, list[bool]] = {}
    shape = network.shape
    for one in real:
        kind = document_types()[one.label.type]
        example = pages.from_real(one, shape)
        with torch.inference_mode(), torch.autocast(next(network.parameters()).device.type, torch.bfloat16):
            logits = network(collate([example.page]).to(next(network.parameters()).device))
        order = shape.date_orders[int(logits.date_order[0].argmax())]
        view = Labelling(logits.labels[0].softmax(-1).cpu().numpy(), logits.row_starts[0].sigmoid().cpu().numpy())
        found = spans.decode_fields(kind, shape.fields, example.page.pieces, view, Conventions(order))  # type: ignore[arg-type]
        for name, wanted in one.label.fields.items():
            field = next((field for field in kind.fields() if field.name == name), None)
            if field is not None and wanted is not None:
                truth = field.kind.parse(wanted, Conventions("YMD"))
                got = found[name].value if name in found else None
                right.setdefault(name, []).append(_alike(got, truth))
    return {name: round(sum(values) / len(values), 3) for name, values in right.items()}


def _alike(got: object, truth: object) -> bool:
    if isinstance(got, str) and isinstance(truth, str):
        return got.upper() == truth.upper()
    return got == truth


def _save(out: Path, network: LayoutTransformer, optimiser: torch.optim.Optimizer, step: int) -> None:
    """Written beside and moved, so that a kill leaves the last one whole."""
    out.mkdir(parents=True, exist_ok=True)
    state = {"network": network.state_dict(), "optimiser": optimiser.state_dict(), "step": step}
    torch.save(state, out / "last.tmp")
    (out / "last.tmp").replace(out / "last.pt")
    export(network, out / "weights")


def _resume(out: Path, network: LayoutTransformer, optimiser: torch.optim.Optimizer) -> int:
    if not (out / "last.pt").exists():
        return 0
    state = torch.load(out / "last.pt", weights_only=True)
    network.load_state_dict(state["network"])
    optimiser.load_state_dict(state["optimiser"])
    log.info("resumed at step %d", state["step"])
    return int(state["step"])


def export(network: LayoutTransformer, folder: Path) -> None:
    """What is served: fp16 safetensors and the shape."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().half().cpu().contiguous() for name, value in network.state_dict().items()}
    save_file(weights, folder / "model.safetensors")
    config = {"architecture": "layout", "shape": network.shape.to_json()}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")


def main() -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sroie", type=Path)
    parser.add_argument("--reads", type=Path, nargs="*", default=[], help="caches made by training.datasets.reads")
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
    train(load_config(options.config), options.out, training, tuning, options.workers)


if __name__ == "__main__":
    main()
