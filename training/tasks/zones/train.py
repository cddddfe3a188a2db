"""Train the reader of machine-readable zones, from nothing, on synthetic lines.

    python -m training.tasks.zones.train training/configs/zones.toml --out runs/zones \\
        --extraction models/extraction/weights

Run again, it goes on from its last checkpoint, as if it had never stopped. At the end OUT/weights holds the given
extraction weights with this reader beside them, to be judged and promoted as any others; OUT/history.jsonl is how it
learned. `python -m training.evaluation.zones` measures it on whole photographs.
"""

import argparse
import json
import logging
import shutil
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from docextract.extraction.zones.decoding import ZONE_CHARACTERS
from docextract.extraction.zones.network import (
    STRIP_WIDTH_PX,
    ZONE_FRAME_PX,
    ZoneNetwork,
    ZoneNetworkShape,
    ZoneReader,
    save_zone_network,
)
from training import history, loop, typefaces
from training.tasks.zones import strips as zone_strips
from training.tasks.zones.strips import Printed

log = logging.getLogger("training.tasks.zones.train")

CHECKPOINT, WEIGHTS, PHOTOGRAPHED = "last.pt", "weights", "photographed.npz"
PHOTOGRAPHS_SEED = 8101  # no measured set has it
HELD_BACK = 400  # strips that are looked at on the way
HELD_BACK_SHARE = 10  # every tenth photographed strip, too
NO_CHARACTER = -100
BELL_FRAMES = 0.6  # sigma of the target around a character's middle
TELLING = 0.4  # of the pitch: so near to its middle a frame tells a character


@dataclass(frozen=True)
class Settings(loop.Settings):
    """One training run. Read from TOML; see training/configs/zones.toml."""

    seed: int
    steps: int
    batch: int
    peak_lr: float
    warmup_steps: int
    weight_decay: float
    average: float
    photographs: int
    photographed_share: float
    evaluate_every: int
    checkpoint_s: float
    shape: ZoneNetworkShape = field(default_factory=ZoneNetworkShape)


@dataclass(frozen=True)
class Batch:
    """B strips, T frames."""

    pixels: Tensor  # uint8 [B, H, W]
    middles: Tensor  # float [B, T], 0..1: how near a middle is
    characters: Tensor  # int [B, T], NO_CHARACTER between characters


def batch_of(strips: Sequence[Printed]) -> Batch:
    """As the network learns from them."""
    targets = [_targets(strip) for strip in strips]
    return Batch(
        torch.from_numpy(np.stack([strip.pixels for strip in strips])),
        torch.from_numpy(np.stack([middles for middles, _ in targets])),
        torch.from_numpy(np.stack([characters for _, characters in targets])),
    )


def _targets(strip: Printed) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    frames = (np.arange(STRIP_WIDTH_PX // ZONE_FRAME_PX) + 0.5) * ZONE_FRAME_PX
    away = np.abs(frames[:, None] - strip.middles)  # [T, N], px
    nearest = away.argmin(axis=1)
    least = away.min(axis=1)
    pitch = (strip.middles[-1] - strip.middles[0]) / (len(strip.middles) - 1)
    said = np.array([ZONE_CHARACTERS.index(character) for character in strip.text])
    characters = np.where(least <= TELLING * pitch, said[nearest], NO_CHARACTER)
    return np.exp(-((least / ZONE_FRAME_PX / BELL_FRAMES) ** 2) / 2).astype(np.float32), characters.astype(np.int64)


def losses(logits: Tensor, batch: Batch) -> dict[str, Tensor]:
    """Their sum is what training makes small."""
    middles = functional.binary_cross_entropy_with_logits(logits[..., 0], batch.middles)
    characters = functional.cross_entropy(
        logits[..., 1:].flatten(0, 1), batch.characters.flatten(), ignore_index=NO_CHARACTER
    )
    return {"middles": middles, "characters": characters}


class Strips:
    """The strips of each step, by number."""

    def __init__(self, settings: Settings, photographed: Sequence[Printed]) -> None:
        self._settings = settings
        self._photographed = [one for at, one in enumerate(photographed) if at % HELD_BACK_SHARE]

    def __call__(self, step: int) -> Batch:
        settings = self._settings
        strips = []
        for number in range(settings.batch):
            rng = np.random.default_rng((settings.seed, step, number))
            if self._photographed and rng.random() < settings.photographed_share:
                strips.append(self._photographed[int(rng.integers(len(self._photographed)))])
            else:
                strips.append(zone_strips.draw(rng))
        return batch_of(strips)


@dataclass
class Run(loop.TrainingState):
    """One training run."""

    network: ZoneNetwork
    average: ZoneNetwork

    @staticmethod
    def begin(settings: Settings) -> "Run":
        """Random weights, the same for the same seed."""
        torch.manual_seed(settings.seed)
        network, average = ZoneNetwork(settings.shape), ZoneNetwork(settings.shape)
        average.load_state_dict(network.state_dict())
        network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        optimizer = torch.optim.AdamW(network.parameters(), settings.peak_lr, weight_decay=settings.weight_decay)
        return Run(network.train(), average.eval(), optimizer)

    def learn(self, settings: Settings, batch: Batch) -> dict[str, float]:
        """One step."""
        for group in self.optimizer.param_groups:
            group["lr"] = settings.peak_lr * loop.warmup_cosine(self.step, settings.warmup_steps, settings.steps)
        with torch.autocast("cpu", torch.bfloat16):
            logits = self.network(batch.pixels)
        parts = losses(logits, batch)
        self.optimizer_step(torch.stack(list(parts.values())).sum(), 2.0, settings.average)
        return {name: float(part.detach()) for name, part in parts.items()}


def train(run: Run, settings: Settings, out: Path, photographed: Sequence[Printed]) -> None:
    """To the last step; strips of the next one are made meanwhile."""
    strips, watched = Strips(settings, photographed), held_back(settings, photographed)
    sums: dict[str, float] = {}
    looked, asked = run.step, time.monotonic()
    saved = asked
    with ThreadPoolExecutor(1) as maker:
        coming = maker.submit(strips, run.step)
        while run.step < settings.steps:
            batch = coming.result()
            coming = maker.submit(strips, run.step + 1)
            for name, part in run.learn(settings, batch).items():
                sums[name] = sums.get(name, 0.0) + part
            if run.step % settings.evaluate_every == 0 or run.step == settings.steps:
                means = {name: round(value / (run.step - looked), 5) for name, value in sums.items()}
                pace = settings.batch * (run.step - looked) / (time.monotonic() - asked)
                found = {name: accuracy(run.average, some) for name, some in watched.items()}
                row = {"step": run.step, "of": settings.steps, "loss": means, "strips_per_s": round(pace, 1), **found}
                log.info("%s", json.dumps(row))
                history.append(out, row)
                sums, looked, asked = {}, run.step, time.monotonic()
            if time.monotonic() - saved > settings.checkpoint_s:
                run.save(out / CHECKPOINT)
                saved = time.monotonic()
    run.save(out / CHECKPOINT)


def held_back(settings: Settings, photographed: Sequence[Printed]) -> dict[str, list[Printed]]:
    """What is looked at on the way: made as those that it learns from, in other typefaces, and off photographs."""
    seeds = [(settings.seed, 1 << 40, number) for number in range(HELD_BACK)]
    sets = {
        "known faces": [zone_strips.draw(np.random.default_rng(seed)) for seed in seeds],
        "other faces": [zone_strips.draw(np.random.default_rng(seed), held_out=True) for seed in seeds[::2]],
        "photographed": list(photographed[::HELD_BACK_SHARE]),
    }
    return {name: some for name, some in sets.items() if some}


def accuracy(network: ZoneNetwork, strips: Sequence[Printed]) -> dict[str, float]:
    """Shares of characters, and of whole lines, that are right without any check digit's help."""
    reader = ZoneReader(network)
    right, characters, whole = 0, 0, 0
    for start in range(0, len(strips), 50):
        some = strips[start : start + 50]
        for strip, frames in zip(some, reader.read_strips([one.pixels for one in some]), strict=True):
            best = frames.read_columns(len(strip.text)).log_probabilities.argmax(axis=1)
            agreeing = sum(ZONE_CHARACTERS[at] == said for at, said in zip(best, strip.text, strict=True))
            right, characters, whole = right + agreeing, characters + len(best), whole + (agreeing == len(best))
    return {"characters": round(right / characters, 4), "lines": round(whole / len(strips), 4)}


def photographed(folder: Path, photographs: int) -> list[Printed]:
    """Strips of whole photographs, made once and kept in the folder."""
    file = folder / PHOTOGRAPHED
    if photographs and not file.exists():
        made = list(_made(photographs))
        np.savez_compressed(
            file, pixels=np.stack([one.pixels for one in made]), texts=np.array([one.text for one in made]),
            middles=np.stack([np.pad(one.middles, (0, 44 - len(one.middles))) for one in made]),
        )  # fmt: skip
    if not photographs:
        return []
    kept = np.load(file)
    return [
        Printed(pixels, str(text), middles[: len(str(text))])
        for pixels, text, middles in zip(kept["pixels"], kept["texts"], kept["middles"], strict=True)
    ]


def _made(photographs: int) -> Iterator[Printed]:
    orders = zone_strips.orders_with_zone(PHOTOGRAPHS_SEED, ("everyday", "everyday", "random", "good"))
    for number, order in zip(range(photographs), orders, strict=False):
        yield from zone_strips.photographed(order, np.random.default_rng((PHOTOGRAPHS_SEED, number)))
        if number % 50 == 0:
            log.info("photographs %d/%d", number, photographs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--extraction", type=Path, metavar="WEIGHTS", help="to lie beside the reader in OUT/weights")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    settings = Settings.read(options.config)
    typefaces.record(options.config, options.out)
    shutil.copy(options.config, options.out / "config.toml")
    run = Run.begin(settings)
    if (options.out / CHECKPOINT).exists():
        run.resume(options.out / CHECKPOINT)
    history.trim(options.out, run.step)
    train(run, settings, options.out, photographed(options.out, settings.photographs))
    if options.extraction:
        shutil.copytree(options.extraction, options.out / WEIGHTS, dirs_exist_ok=True)
    save_zone_network(run.average, options.out / WEIGHTS)


if __name__ == "__main__":
    main()
