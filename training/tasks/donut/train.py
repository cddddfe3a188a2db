"""Learn a Donut, the OCR-free architecture, from nothing: one network from pixels to JSON.

    python -m training.tasks.donut.train training/configs/donut.toml --out runs/donut \\
        --surfaces DATA/surfaces --workers 14
    python -m docextract.registry import-donut runs/donut/published --document-type receipt \\
        --task-prompt "<s_receipt>" --out runs/donut/weights

Run again, it goes on from its last checkpoint, as if it had never stopped; on a GPU if there is one. OUT/history.jsonl
is how it learned; OUT/published is a checkpoint in the format in which Donuts are published. What is imported of it is
calibrated, judged and promoted like any other candidate.

Answers alone teach a network from random weights next to nothing for hours. Its encoder's map is made to read as well
(Shi et al. 2015, arXiv:1507.05717: every known line is sampled from the map and spelt by CTC) and to say which field
stands in each cell. Both heads are left behind when it is published.
"""

import argparse
import json
import logging
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader

from docextract.documents.base import DocumentType
from docextract.documents.field_mapping import FieldMapping
from docextract.extraction.checkpoints import common
from docextract.extraction.checkpoints.common import CheckpointConfig
from docextract.extraction.checkpoints.donut import UNCALIBRATED_DONUT, Donut
from training import history, loop, typefaces
from training.datasets import pictures
from training.datasets.page import value_of
from training.tasks.donut.batches import (
    LETTERS,
    NOT_TAGGED,
    PAD,
    ROWS,
    Example,
    Examples,
    Lesson,
    can_be_read,
    places_along,
    processor,
    prompt,
    tags,
    tokenizer,
    type_named,
)

log = logging.getLogger("training.tasks.donut.train")

CHECKPOINT, PUBLISHED = "last.pt", "published"
HELD_BACK = 1 << 40  # numbers of pages from here on are looked at and not learned from


@dataclass(frozen=True)
class Settings(loop.Settings):
    """One training run. Read from TOML; see training/configs/donut.toml."""

    seed: int
    document_type: str
    plan: str
    pages: int
    steps: int
    batch: int
    height: int
    width: int
    embedding: int
    depths: tuple[int, ...]
    heads: tuple[int, ...]
    window: int
    decoder_layers: int
    decoder_heads: int
    longest: int
    peak_lr: float
    warmup_steps: int
    weight_decay: float
    average: float
    reading: float
    tagging: float
    lines: int
    watched: int
    evaluate_every: int
    checkpoint_s: float

    @property
    def size(self) -> tuple[int, int]:
        """Of the canvas, px."""
        return self.height, self.width

    @property
    def depth(self) -> int:
        """Channels of the encoder's map, which are the decoder's."""
        return int(self.embedding * 2 ** (len(self.depths) - 1))


class Pupil(nn.Module):
    """A Donut, and the heads that it has while it learns."""

    def __init__(self, settings: Settings, words: Any, fields: int) -> None:
        super().__init__()
        self._settings = settings
        self.donut = _donut(settings, words)
        self.reading = nn.Sequential(
            nn.Conv1d(len(ROWS) * settings.depth, settings.depth, 5, padding=2), nn.GELU(),
            nn.Conv1d(settings.depth, 1 + len(LETTERS), 1),
        )  # fmt: skip
        self.tagging = nn.Linear(settings.depth, 1 + fields)

    def forward(self, lesson: Lesson, rng: np.random.Generator) -> dict[str, Tensor]:
        """What is to be small: nats per token, per letter and per cell. rng: which lines of a page are read."""
        memory = self.donut.encoder(lesson.pixels).last_hidden_state  # [B, P, D]
        said = self.donut(encoder_outputs=(memory,), decoder_input_ids=lesson.tokens[:, :-1]).logits
        side = math.isqrt(memory.shape[1] * self._settings.height // self._settings.width)
        cells = (side, memory.shape[1] // side)
        return {
            "answer": functional.cross_entropy(
                said.flatten(0, 1).float(), lesson.tokens[:, 1:].flatten(), ignore_index=PAD
            ),
            "reading": self._read(memory.unflatten(1, cells), lesson, rng),
            "tagging": self._tag(memory, cells, lesson),
        }

    def _read(self, maps: Tensor, lesson: Lesson, rng: np.random.Generator) -> Tensor:
        """maps: [B, h, w, D]."""
        size, lost, letters = self._settings.size, maps.new_zeros(()).float(), 0
        for seen, lines in zip(maps.float(), lesson.lines, strict=True):  # places in bfloat16 would be some px off
            known = [line for line in lines if can_be_read(line, size)]
            for at in rng.permutation(len(known))[: self._settings.lines].tolist():
                where = torch.from_numpy(places_along(known[at], size)).to(seen.device)
                found = functional.grid_sample(
                    seen.permute(2, 0, 1)[None], where[None], align_corners=False
                )  # [1, D, R, T]
                chances = self.reading(found.flatten(1, 2)).float().log_softmax(1).permute(2, 0, 1)  # [T, 1, letters]
                wanted = torch.tensor([known[at].letters], device=seen.device)
                lost = lost + functional.ctc_loss(chances, wanted, [len(chances)], [wanted.shape[1]], reduction="sum")
                letters += wanted.shape[1]
        return lost / max(1, letters)

    def _tag(self, memory: Tensor, cells: tuple[int, int], lesson: Lesson) -> Tensor:
        wanted = np.stack([tags(lines, cells, self._settings.size) for lines in lesson.lines])
        told = self.tagging(memory).float().flatten(0, 1)
        return functional.cross_entropy(
            told, torch.from_numpy(wanted).to(memory.device).flatten(), ignore_index=NOT_TAGGED
        )


def _donut(settings: Settings, words: Any) -> Any:
    """A network of the published classes, with random weights."""
    library = common.import_transformers()
    encoder = library.DonutSwinConfig(
        image_size=list(settings.size), embed_dim=settings.embedding, depths=list(settings.depths),
        num_heads=list(settings.heads), window_size=settings.window, drop_path_rate=0.0,
    )  # fmt: skip
    decoder = library.MBartConfig(
        vocab_size=len(words), d_model=settings.depth, decoder_layers=settings.decoder_layers,
        decoder_attention_heads=settings.decoder_heads, decoder_ffn_dim=4 * settings.depth,
        max_position_embeddings=settings.longest, is_decoder=True, is_encoder_decoder=False, add_cross_attention=True,
        scale_embedding=True, add_final_layer_norm=True, dropout=0.0, attention_dropout=0.0,
    )  # fmt: skip
    config = library.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.pad_token_id, config.eos_token_id = words.pad_token_id, words.eos_token_id
    config.decoder_start_token_id = words.convert_tokens_to_ids(prompt(settings.document_type))
    return library.VisionEncoderDecoderModel(config)


@dataclass
class Run(loop.TrainingState):
    """One training run."""

    network: Pupil
    average: Pupil

    @staticmethod
    def begin(settings: Settings, kind: DocumentType, device: torch.device) -> "Run":
        """Random weights, the same for the same seed."""
        torch.manual_seed(settings.seed)
        words, fields = tokenizer(kind, settings.longest), len(kind.fields())
        network, average = (Pupil(settings, words, fields).to(device) for _ in range(2))
        average.load_state_dict(network.state_dict())
        optimizer = torch.optim.AdamW(network.parameters(), settings.peak_lr, weight_decay=settings.weight_decay)
        return Run(network.train(), average.eval(), optimizer)

    def learn(self, settings: Settings, lesson: Lesson) -> dict[str, float]:
        """One step. Returns what was lost."""
        torch.manual_seed(settings.seed * 1_000_003 + self.step)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.peak_lr * loop.warmup_cosine(self.step, settings.warmup_steps, settings.steps)
        rng = np.random.default_rng((settings.seed, self.step))
        lost = _lost(self.network, lesson, rng)
        self.optimizer_step(
            lost["answer"] + settings.reading * lost["reading"] + settings.tagging * lost["tagging"],
            1.0,
            settings.average,
        )
        return {name: float(part.detach()) for name, part in lost.items()}

    def publish(self, settings: Settings, kind: DocumentType, folder: Path) -> None:
        """The mean of the weights, as Donuts are published."""
        for part in (self.average.donut, processor(settings.size), tokenizer(kind, settings.longest)):
            part.save_pretrained(folder)


def _lost(network: Pupil, lesson: Lesson, rng: np.random.Generator) -> dict[str, Tensor]:
    device = network.tagging.weight.device
    moved = Lesson(lesson.pixels.to(device), lesson.tokens.to(device), lesson.lines)
    with torch.autocast(device.type, torch.bfloat16):
        lost: dict[str, Tensor] = network(moved, rng)
    return lost


def lessons(examples: Examples, settings: Settings, step: int, workers: int) -> Iterator[Lesson]:
    """From this step on, each of pages of its own: what a step learns from is a matter of its number alone."""
    numbers = ([at * settings.batch + one for one in range(settings.batch)] for at in range(step, settings.steps))
    yield from DataLoader(examples, batch_sampler=list(numbers), collate_fn=Lesson.of, num_workers=workers)


def train(run: Run, settings: Settings, kind: DocumentType, examples: Examples, out: Path, workers: int) -> None:
    """To the last step."""
    watched = [examples[HELD_BACK + one] for one in range(settings.watched)]
    sums, looked, saved = dict[str, float](), run.step, time.monotonic()
    for lesson in lessons(examples, settings, run.step, workers):
        for name, part in run.learn(settings, lesson).items():
            sums[name] = sums.get(name, 0.0) + part
        if run.step % settings.evaluate_every == 0 or run.step == settings.steps:
            means = {name: round(part / (run.step - looked), 4) for name, part in sums.items()}
            row = {
                "step": run.step,
                "of": settings.steps,
                "loss": means,
                "held_back": look(run, settings, kind, watched),
            }
            log.info("%s", json.dumps(row))
            history.append(out, row)
            sums, looked = {}, run.step
        if time.monotonic() - saved > settings.checkpoint_s:
            run.save(out / CHECKPOINT)
            saved = time.monotonic()
    run.save(out / CHECKPOINT)


@torch.inference_mode()
def look(run: Run, settings: Settings, kind: DocumentType, watched: Sequence[Example]) -> dict[str, float]:
    """What the mean of the weights loses on pages that it does not learn from; `right`: share of single fields."""
    lost = _lost(run.average, Lesson.of(watched), np.random.default_rng(settings.seed))
    setting = CheckpointConfig("donut", kind.name, tuple(field.name for field in kind.fields()), prompt(kind.name))
    words = tokenizer(kind, settings.longest)
    asked = Donut(run.average.donut, processor(settings.size), words, setting, FieldMapping(), UNCALIBRATED_DONUT)
    found = asked.extract([one.page for one in watched], [kind.name] * len(watched))
    right = [
        field.name in one.fields and one.fields[field.name].value == value_of(field.kind, example.label[field.name])
        for one, example in zip(found, watched, strict=True)
        for field in kind.fields()
        if not field.group and example.label.get(field.name) is not None
    ]
    return {name: round(float(part), 4) for name, part in lost.items()} | {"right": round(float(np.mean(right)), 4)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--surfaces", type=Path, metavar="DIR", help="pictures of table tops; made up without")
    parser.add_argument("--workers", type=int, default=1, help="processes that make pages")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(1)
    settings = Settings.read(options.config)
    kind = type_named(settings.document_type)
    options.out.mkdir(parents=True, exist_ok=True)
    typefaces.record(options.config, options.out)
    surfaces = pictures.load_folder(options.surfaces)
    examples = Examples(kind, settings.seed, settings.plan, settings.size, settings.longest, surfaces, settings.pages)
    run = Run.begin(settings, kind, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    if (options.out / CHECKPOINT).exists():
        run.resume(options.out / CHECKPOINT)
    history.trim(options.out, run.step)
    train(run, settings, kind, examples, options.out, options.workers)
    run.publish(settings, kind, options.out / PUBLISHED)


if __name__ == "__main__":
    main()
