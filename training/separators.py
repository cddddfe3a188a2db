"""Train the network that mends spaces, commas and stops in what was read.

    python -m training.separators runs/extraction/weights --sroie DATA/sroie --reads runs/reads/sroie.jsonl
        [--photographed runs/reads/sroie_photos.jsonl --seed 11 --surfaces DIR] [--made-up 200]

It learns from lines whose letters were read right: there it is known what stands between them. Of real receipts those
are lines that agree with a transcript, of made-up photographs lines that agree with what was printed. Writes
separators.safetensors into the folder, and prints what it mends and what it spoils on merchants that were kept back.
"""

import argparse
import csv
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional

from docextract.extraction.reading import Reader
from docextract.extraction.separators import (
    FILE,
    SEPARATORS,
    SURE,
    Between,
    Network,
    hints,
    letters,
    places,
    strips,
)
from docextract.findings import Line
from docextract.imaging import Page, rectify
from training import pages
from training.datasets import pictures, reads, sroie
from training.synth.examples import PhotoExamples, printable
from training.synth.plan import PLANS

STEPS = 6000
BATCH = 256
PEAK_LR = 2e-3
WRONG, MARKED, SPACED, PLAIN = 8.0, 3.0, 1.5, 0.5  # how often a place is drawn: where the reader was wrong most often
UNTOLD = 0.3  # of the places, without a hint of what was read: it is to look
SHIFT_PX = 3  # middles of letters are known to a quarter of a letter
FEWEST_LETTERS = 3
HELD_BACK = 10  # every tenth made-up photograph


@dataclass(frozen=True)
class Lessons:
    """N places."""

    pixels: Tensor  # uint8 [N, HEIGHT, WIDTH]
    hints: Tensor  # float [N, 15]
    read: Tensor  # int [N], index of SEPARATORS
    truth: Tensor  # int [N]


def lessons(page: Page, lines: Sequence[Line], truths: Iterable[str]) -> Iterator[tuple[Between, int]]:
    """Places of lines that were read right but for separators, and what stands there. truths: the page's lines."""
    spellings: dict[str, set[str]] = {}
    for text in truths:
        spellings.setdefault(_bare(text), set()).add(text.upper())
    for line, strip in zip(lines, strips(page, lines), strict=True):
        known = spellings.get(_bare(line.text), set())
        if len(known) != 1 or len(_bare(line.text)) < FEWEST_LETTERS:
            continue
        (text,) = known
        true = dict(zip(letters(line.text), pairwise(letters(text)), strict=False))
        for place in places(line, strip):
            first, second = true[place.first]
            if text[first + 1 : second] in SEPARATORS:
                yield place, SEPARATORS.index(text[first + 1 : second])


def _bare(text: str) -> str:
    return "".join(text[at] for at in letters(text)).upper()


def stacked(found: Sequence[tuple[Between, int]]) -> Lessons:
    """At least one."""
    some = [place for place, _ in found]
    return Lessons(
        torch.from_numpy(np.stack([place.pixels for place in some])),
        hints(some),
        torch.tensor([place.read for place in some]),
        torch.tensor([truth for _, truth in found]),
    )


def train(given: Lessons, steps: int, seed: int = 1) -> Network:
    """From nothing; the rate falls to zero."""
    torch.manual_seed(seed)
    network = Network()
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=0.02)
    often = torch.full((len(given.truth),), PLAIN)
    often[given.truth == SEPARATORS.index(" ")] = SPACED
    often[torch.maximum(given.truth, given.read) > SEPARATORS.index(" ")] = MARKED
    often[given.truth != given.read] = WRONG
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = PEAK_LR * min(1.0, 2 * (1 - step / steps))
        drawn = torch.multinomial(often, BATCH, replacement=True)
        told = given.hints[drawn].clone()
        told[torch.rand(BATCH) < UNTOLD, : len(SEPARATORS)] = 0.0
        shift = int(torch.randint(-SHIFT_PX, SHIFT_PX + 1, ()))
        with torch.autocast("cpu", torch.bfloat16):
            logits = network(torch.roll(given.pixels[drawn], shift, 2), told)
        each = functional.cross_entropy(logits.float(), given.truth[drawn], reduction="none")
        # Half the way back to how often things are: it is to doubt a change, and yet to learn of rare ones.
        loss = (each * often[drawn] ** -0.5).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return network.eval()


def tried(network: Network, held_back: Lessons, sure: float = SURE) -> dict[str, int]:
    """What becomes of places that training has not seen."""
    with torch.inference_mode():
        parts = zip(held_back.pixels.split(4096), held_back.hints.split(4096), strict=True)
        sureness, best = torch.cat([network(pixels, told).softmax(1) for pixels, told in parts]).max(1)
    now = torch.where(sureness >= sure, best, held_back.read)
    wrong, still = held_back.read != held_back.truth, now != held_back.truth
    counts = {"places": torch.ones_like(wrong), "read wrong": wrong, "mended": wrong & ~still, "spoilt": ~wrong & still}
    return {name: int(some.sum()) for name, some in counts.items()}


def _receipts(
    folder: Path, cache: Path, seed: int | None, surfaces: Sequence[Page]
) -> Iterator[tuple[str, list[tuple[Between, int]]]]:
    """Key and lessons of each receipt of the training part. seed: of the photographs that the cache is of."""
    known = reads.load(cache)
    train_keys = {label.key for label in sroie.load(folder, "train")}
    strangers = 0
    for number, path in enumerate(sorted((folder / "images").glob("*.jpg"))):
        if path.stem not in known or path.stem not in train_keys:
            continue
        read = known[path.stem]
        page = pictures.load(path)
        if seed is not None:
            page = reads.photographed(page, np.random.default_rng((seed, number)), surfaces)
        if page.shape[:2] != (read.height, read.width):
            strangers += 1
            continue
        yield path.stem, list(lessons(page, read.lines, _transcript(folder / "lines" / f"{path.stem}.csv")))
    if strangers:
        print(f"{strangers} pages of {cache} are left out: they were read from other pictures")


def _transcript(file: Path) -> list[str]:
    rows = csv.reader(file.read_text(encoding="utf-8", errors="replace").splitlines(), quoting=csv.QUOTE_NONE)
    return [",".join(row[8:]) for row in rows if len(row) > 8]


def _made_up(count: int, surfaces: Sequence[Page]) -> Iterator[list[tuple[Between, int]]]:
    reader = Reader(threads=1)
    examples = PhotoExamples(1 << 40, kinds=printable(), plan=PLANS["everyday"], surfaces=surfaces)
    for number in range(count):
        example = examples[number]
        if not np.isnan(example.shot.polygon).any():
            page = rectify(example.shot.photo, example.shot.polygon).page
            yield list(lessons(page, reader.read([page])[0], [run.text for run in example.printed.runs]))


def _collected(options: argparse.Namespace) -> tuple[Lessons, dict[str, Lessons]]:
    """To learn from, and to try it on by name."""
    surfaces = pictures.load_folder(options.surfaces)
    learned: list[tuple[Between, int]] = []
    tried_on: dict[str, list[tuple[Between, int]]] = {}
    if options.sroie:
        kept = pages.kept_back(sroie.load(options.sroie, "train"))
        caches = [("scans", options.reads, None), ("photographs", options.photographed, options.seed)]
        for name, cache, seed in caches:
            for key, found in _receipts(options.sroie, cache, seed, surfaces) if cache else ():
                (tried_on.setdefault(name, []) if key in kept else learned).extend(found)
    for number, found in enumerate(_made_up(options.made_up, surfaces)):
        (learned if number % HELD_BACK else tried_on.setdefault("made up", [])).extend(found)
    return stacked(learned), {name: stacked(some) for name, some in tried_on.items() if some}


def main() -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path, help="the folder of an extraction model")
    parser.add_argument("--sroie", type=Path)
    parser.add_argument("--reads", type=Path, help="cache of the scans, made by training.datasets.reads")
    parser.add_argument("--photographed", type=Path, help="cache of photographs of them, made with --photograph SEED")
    parser.add_argument("--seed", type=int, default=11, help="of those photographs")
    parser.add_argument("--made-up", type=int, default=200, metavar="N", help="photographs; each is read, 1–2 s")
    parser.add_argument("--surfaces", type=Path, help="of those photographs")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    given, held_back = _collected(options)
    print(f"{len(given.truth)} places to learn from, {int((given.truth != given.read).sum())} of them read wrong")
    begun = time.monotonic()
    network = train(given, options.steps)
    print(f"{options.steps} steps in {time.monotonic() - begun:.0f} s")
    for name, some in held_back.items():
        for sure in (0.5, 0.8, SURE, 0.97):
            print(name, f"sure {sure}", tried(network, some, sure))
    save_file({name: part.half().contiguous() for name, part in network.state_dict().items()}, options.weights / FILE)


if __name__ == "__main__":
    main()
