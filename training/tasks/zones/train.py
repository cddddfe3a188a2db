"""Train the network that reads machine-readable zones, from random weights, on synthetic text lines.

    python -m training.tasks.zones.train training/configs/zones.toml --out runs/zones \\
        --extraction models/extraction/weights

Run the same command again to resume from the last checkpoint. At the end OUT/weights holds the given extraction
weights with this network stored next to them: candidate weights, to be evaluated and promoted. OUT/history.jsonl is the
history of the run. `python -m training.evaluation.zones` evaluates the network on whole simulated photos.
"""

import logging
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path

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
from docextract.files import whole_file
from training import command_line, loop
from training.tasks.zones import strips as zone_strips
from training.tasks.zones.strips import ZoneStrip

log = logging.getLogger("training.tasks.zones.train")

PHOTO_STRIPS = "photographed.npz"
PHOTOS_SEED = 8101  # no evaluation set is made with it
VALIDATION_STRIPS = 400
VALIDATION_PHOTO_STRIPS = 10  # every tenth strip of a simulated photo is for validation, the others are for training
EVALUATION_BATCH = 50
NO_CHARACTER = -100
CENTER_SIGMA_FRAMES = 0.6  # sigma of the target around a character's center
MAX_CHARACTER_OFFSET = 0.4  # of the pitch; a frame this close to a character's center has that character as its target
MAX_TEXT_LENGTH = 44  # characters


@dataclass(frozen=True, kw_only=True)
class ZoneSettings(loop.Settings):
    """Settings of one training run, see training/configs/zones.toml."""

    batch: int
    photographs: int
    photographed_share: float
    max_gradient_norm: float = 2.0
    shape: ZoneNetworkShape = field(default_factory=ZoneNetworkShape)


@dataclass(frozen=True)
class ZoneBatch:
    """B strips, T frames."""

    pixels: Tensor  # uint8 [B, H, W]
    centers: Tensor  # float [B, T], 0..1; 1: a character's center is here
    characters: Tensor  # int [B, T], NO_CHARACTER between characters


def zone_batch(strips: Sequence[ZoneStrip]) -> ZoneBatch:
    """Strips and the targets of their frames."""
    targets = [_targets(strip) for strip in strips]
    return ZoneBatch(
        torch.from_numpy(np.stack([strip.pixels for strip in strips])),
        torch.from_numpy(np.stack([centers for centers, _ in targets])),
        torch.from_numpy(np.stack([characters for _, characters in targets])),
    )


def _targets(strip: ZoneStrip) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Targets of the T frames of a strip: closeness to a character's center, and the character. [T] each."""
    frames = (np.arange(STRIP_WIDTH_PX // ZONE_FRAME_PX) + 0.5) * ZONE_FRAME_PX
    distance = np.abs(frames[:, None] - strip.centers)  # [T, N], px
    nearest = distance.argmin(axis=1)
    smallest = distance.min(axis=1)
    pitch = (strip.centers[-1] - strip.centers[0]) / (len(strip.centers) - 1)
    printed = np.array([ZONE_CHARACTERS.index(character) for character in strip.text])
    characters = np.where(smallest <= MAX_CHARACTER_OFFSET * pitch, printed[nearest], NO_CHARACTER)
    centers = np.exp(-((smallest / ZONE_FRAME_PX / CENTER_SIGMA_FRAMES) ** 2) / 2)
    return centers.astype(np.float32), characters.astype(np.int64)


class ZoneTask(loop.Task):
    """Trains the zone network on strips: most are drawn one by one, some are cut out of simulated photos."""

    channels_last = True

    def __init__(
        self, settings: ZoneSettings, photo_strips: Sequence[ZoneStrip], extraction: Path | None = None
    ) -> None:
        """extraction: weights folder that `export` copies, so that the network is stored next to them."""
        self._settings, self._extraction = settings, extraction
        self._photo_strips = photo_strips
        self._training_photo_strips = [one for at, one in enumerate(photo_strips) if at % VALIDATION_PHOTO_STRIPS]

    def batch(self, step: int) -> ZoneBatch:
        settings = self._settings
        strips = []
        for number in range(settings.batch):
            rng = np.random.default_rng((settings.seed, step, number))
            if self._training_photo_strips and rng.random() < settings.photographed_share:
                strips.append(self._training_photo_strips[int(rng.integers(len(self._training_photo_strips)))])
            else:
                strips.append(zone_strips.draw(rng))
        return zone_batch(strips)

    def batches(self, first_step: int) -> Iterator[ZoneBatch]:
        """Makes the next batch in a thread while the network trains."""
        with ThreadPoolExecutor(1) as thread:
            next_batch = thread.submit(self.batch, first_step)
            for step in count(first_step + 1):
                batch = next_batch.result()
                next_batch = thread.submit(self.batch, step)
                yield batch

    def losses(self, network: ZoneNetwork, batch: ZoneBatch) -> dict[str, Tensor]:
        with loop.autocast("cpu"):
            logits = network(batch.pixels)
        return {
            "centers": functional.binary_cross_entropy_with_logits(logits[..., 0], batch.centers),
            "characters": functional.cross_entropy(
                logits[..., 1:].flatten(0, 1), batch.characters.flatten(), ignore_index=NO_CHARACTER
            ),
        }

    @cached_property
    def _validation(self) -> dict[str, list[ZoneStrip]]:
        seeds = [(self._settings.seed, 1 << 40, number) for number in range(VALIDATION_STRIPS)]
        sets = {
            "known faces": [zone_strips.draw(np.random.default_rng(seed)) for seed in seeds],
            "other faces": [zone_strips.draw(np.random.default_rng(seed), held_out=True) for seed in seeds[::2]],
            "photographed": list(self._photo_strips[::VALIDATION_PHOTO_STRIPS]),
        }
        return {name: strips for name, strips in sets.items() if strips}

    def evaluate(self, network: ZoneNetwork) -> dict[str, dict[str, float]]:
        return {name: zone_accuracy(network, strips) for name, strips in self._validation.items()}

    def export(self, network: ZoneNetwork, folder: Path) -> None:
        if self._extraction:
            shutil.copytree(self._extraction, folder, dirs_exist_ok=True)
        save_zone_network(network, folder)


def build_network(settings: ZoneSettings) -> ZoneNetwork:
    """Random weights, the same for the same seed."""
    torch.manual_seed(settings.seed)
    return ZoneNetwork(settings.shape)


def zone_accuracy(network: ZoneNetwork, strips: Sequence[ZoneStrip]) -> dict[str, float]:
    """Shares of characters and of whole lines that are read correctly, without correction by check digits."""
    reader = ZoneReader(network)
    correct, characters, correct_lines = 0, 0, 0
    for start in range(0, len(strips), EVALUATION_BATCH):
        some = strips[start : start + EVALUATION_BATCH]
        for strip, frames in zip(some, reader.read_strips([one.pixels for one in some]), strict=True):
            best = frames.read_columns(len(strip.text)).log_probabilities.argmax(axis=1)
            matching = sum(ZONE_CHARACTERS[at] == printed for at, printed in zip(best, strip.text, strict=True))
            correct, characters = correct + matching, characters + len(best)
            correct_lines += matching == len(best)
    return {"characters": round(correct / characters, 4), "lines": round(correct_lines / len(strips), 4)}


def load_photo_strips(folder: Path, photos: int) -> list[ZoneStrip]:
    """Strips of whole simulated photos. They are made once and stored in the folder."""
    if not photos:
        return []
    path = folder / PHOTO_STRIPS
    if not path.exists():
        made = list(_photo_strips(photos))
        with whole_file(path) as unfinished:
            np.savez_compressed(
                unfinished, pixels=np.stack([one.pixels for one in made]), texts=np.array([one.text for one in made]),
                middles=np.stack([np.pad(one.centers, (0, MAX_TEXT_LENGTH - len(one.centers))) for one in made]),
            )  # fmt: skip
    stored = np.load(path)
    return [
        ZoneStrip(pixels, str(text), centers[: len(str(text))])
        for pixels, text, centers in zip(stored["pixels"], stored["texts"], stored["middles"], strict=True)
    ]


def _photo_strips(photos: int) -> Iterator[ZoneStrip]:
    orders = zone_strips.photos_with_zone(PHOTOS_SEED, ("everyday", "everyday", "random", "good"))
    for number, order in zip(range(photos), orders, strict=False):
        yield from zone_strips.strips_of_photo(order, np.random.default_rng((PHOTOS_SEED, number)))
        if number % 50 == 0:
            log.info("simulated photos %d/%d", number, photos)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = command_line.argument_parser(__doc__)
    parser.add_argument(
        "--extraction", type=Path, metavar="WEIGHTS", help="extraction weights that are copied to OUT/weights"
    )
    options = parser.parse_args(arguments)
    settings = command_line.prepare(options, ZoneSettings)
    task = ZoneTask(settings, load_photo_strips(options.out, settings.photographs), options.extraction)
    network = build_network(settings)
    optimizer = loop.adamw(network, settings)
    task.export(loop.fit(task, network, optimizer, settings, options.out), options.out / loop.WEIGHTS)


if __name__ == "__main__":
    main()
