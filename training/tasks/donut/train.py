"""Train a Donut, an OCR-free architecture, from random weights: one network from pixels to JSON.

    python -m training.tasks.donut.train training/configs/donut.toml --out runs/donut \\
        --surfaces DATA/surfaces --workers 14
    python -m docextract.registry import-donut runs/donut/published --document-type receipt \\
        --task-prompt "<s_receipt>" --out runs/donut/weights

It uses a GPU if there is one. Run the same command again to resume from the last checkpoint. OUT/history.jsonl is the
history of the run; OUT/published is a checkpoint in the format in which Donuts are published. Its imported weights are
candidate weights, to be calibrated, evaluated and promoted like any others.

From the answers alone, a network with random weights learns almost nothing for hours. Therefore its encoder's feature
map is also trained to read (Shi et al. 2015, arXiv:1507.05717: features are sampled along each line and decoded by CTC)
and to tag each cell with the field that is printed there. The two heads for this are not published.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from docextract.documents.base import DocumentType
from docextract.documents.field_mapping import FieldMapping
from docextract.extraction.checkpoints import common
from docextract.extraction.checkpoints.common import CheckpointConfig
from docextract.extraction.checkpoints.donut import UNCALIBRATED_DONUT, Donut
from training import command_line, loop
from training.datasets import pictures
from training.datasets.page import value_of
from training.tasks.donut.batches import (
    CHARACTERS,
    NOT_TAGGED,
    PAD,
    SAMPLE_ROWS,
    DonutBatch,
    DonutExamples,
    PrintedLine,
    build_processor,
    build_tokenizer,
    donut_batch,
    prompt,
    sample_points,
    tag_cells,
    type_named,
)

PUBLISHED = "published"
FIRST_VALIDATION_PAGE = 1 << 40  # pages from this number on are not trained on


@dataclass(frozen=True, kw_only=True)
class DonutSettings(loop.Settings):
    """Settings of one training run, see training/configs/donut.toml."""

    document_type: str
    plan: str
    pages: int
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
    reading: float
    tagging: float
    lines: int
    watched: int

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of the canvas, px."""
        return self.height, self.width

    @property
    def depth(self) -> int:
        """Channels of the encoder's feature map, which are also those of the decoder."""
        return int(self.embedding * 2 ** (len(self.depths) - 1))


class DonutWithHeads(nn.Module):
    """A Donut, and the two heads that it has only in training."""

    def __init__(self, settings: DonutSettings, tokenizer: Any, fields: int) -> None:
        super().__init__()
        self._settings = settings
        self.donut = _build_donut(settings, tokenizer)
        self.reading = nn.Sequential(
            nn.Conv1d(len(SAMPLE_ROWS) * settings.depth, settings.depth, 5, padding=2), nn.GELU(),
            nn.Conv1d(settings.depth, 1 + len(CHARACTERS), 1),
        )  # fmt: skip
        self.tagging = nn.Linear(settings.depth, 1 + fields)

    def forward(self, batch: DonutBatch) -> dict[str, Tensor]:
        """Losses: nats per token of the answer, per character of the lines to read, and per tagged cell."""
        # B pages, P cells, D depth, h × w = P
        features = self.donut.encoder(batch.pixels).last_hidden_state  # [B, P, D]
        logits = self.donut(encoder_outputs=(features,), decoder_input_ids=batch.tokens[:, :-1]).logits
        height = math.isqrt(features.shape[1] * self._settings.height // self._settings.width)
        cells = (height, features.shape[1] // height)
        return {
            "answer": functional.cross_entropy(
                logits.flatten(0, 1).float(), batch.tokens[:, 1:].flatten(), ignore_index=PAD
            ),
            "reading": self._reading_loss(features.unflatten(1, cells), batch.read_lines),
            "tagging": self._tagging_loss(features, cells, batch.lines),
        }

    def _reading_loss(self, maps: Tensor, read_lines: Sequence[Sequence[PrintedLine]]) -> Tensor:
        """maps: [B, h, w, D]."""
        size, total, characters = self._settings.size, maps.new_zeros(()).float(), 0
        for features, lines in zip(maps.float(), read_lines, strict=True):  # bfloat16 points would be some px off
            for line in lines:
                points = torch.from_numpy(sample_points(line, size)).to(features.device)
                samples = functional.grid_sample(
                    features.permute(2, 0, 1)[None], points[None], align_corners=False
                )  # [1, D, rows, T]
                log_probabilities = self.reading(samples.flatten(1, 2)).float().log_softmax(1).permute(2, 0, 1)
                target = torch.tensor([line.characters], device=features.device)
                total = total + functional.ctc_loss(
                    log_probabilities, target, [len(log_probabilities)], [target.shape[1]], reduction="sum"
                )
                characters += target.shape[1]
        return total / max(1, characters)

    def _tagging_loss(self, features: Tensor, cells: tuple[int, int], lines: Sequence[Sequence[PrintedLine]]) -> Tensor:
        """features: [B, P, D]."""
        targets = np.stack([tag_cells(of_page, cells, self._settings.size) for of_page in lines])
        logits = self.tagging(features).float().flatten(0, 1)
        return functional.cross_entropy(
            logits, torch.from_numpy(targets).to(features.device).flatten(), ignore_index=NOT_TAGGED
        )


def _build_donut(settings: DonutSettings, tokenizer: Any) -> Any:
    """A network of the published classes, with random weights."""
    library = common.import_transformers()
    encoder = library.DonutSwinConfig(
        image_size=list(settings.size), embed_dim=settings.embedding, depths=list(settings.depths),
        num_heads=list(settings.heads), window_size=settings.window, drop_path_rate=0.0,
    )  # fmt: skip
    decoder = library.MBartConfig(
        vocab_size=len(tokenizer), d_model=settings.depth, decoder_layers=settings.decoder_layers,
        decoder_attention_heads=settings.decoder_heads, decoder_ffn_dim=4 * settings.depth,
        max_position_embeddings=settings.longest, is_decoder=True, is_encoder_decoder=False, add_cross_attention=True,
        scale_embedding=True, add_final_layer_norm=True, dropout=0.0, attention_dropout=0.0,
    )  # fmt: skip
    config = library.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.pad_token_id, config.eos_token_id = tokenizer.pad_token_id, tokenizer.eos_token_id
    config.decoder_start_token_id = tokenizer.convert_tokens_to_ids(prompt(settings.document_type))
    return library.VisionEncoderDecoderModel(config)


class DonutTask(loop.Task):
    """Trains a Donut on simulated photos of synthetic documents of one type."""

    def __init__(self, settings: DonutSettings, kind: DocumentType, examples: DonutExamples, workers: int) -> None:
        """workers: processes that make pages."""
        self._settings, self._kind, self._examples, self.workers = settings, kind, examples, workers
        self._validation = [examples[FIRST_VALIDATION_PAGE + number] for number in range(settings.watched)]

    def batch(self, step: int) -> DonutBatch:
        settings = self._settings
        examples = [self._examples[step * settings.batch + number] for number in range(settings.batch)]
        return donut_batch(examples, settings.size, settings.lines, np.random.default_rng((settings.seed, step)))

    def losses(self, network: DonutWithHeads, batch: DonutBatch) -> dict[str, Tensor]:
        device = network.tagging.weight.device
        with loop.autocast(device.type):
            losses: dict[str, Tensor] = network(batch.to(device))
        weights = {"answer": 1.0, "reading": self._settings.reading, "tagging": self._settings.tagging}
        return {name: weights[name] * loss for name, loss in losses.items()}

    @torch.inference_mode()
    def evaluate(self, network: DonutWithHeads) -> dict[str, dict[str, float]]:
        """Losses on the validation pages, and `right`: the share of correct fields, without those of table rows."""
        settings, kind = self._settings, self._kind
        batch = donut_batch(self._validation, settings.size, settings.lines, np.random.default_rng(settings.seed))
        losses = {name: float(loss) for name, loss in self.losses(network, batch).items()}
        config = CheckpointConfig("donut", kind.name, tuple(field.name for field in kind.fields()), prompt(kind.name))
        tokenizer = build_tokenizer(kind, settings.longest)
        served = Donut(
            network.donut, build_processor(settings.size), tokenizer, config, FieldMapping(), UNCALIBRATED_DONUT
        )
        predictions = served.extract([one.page for one in self._validation], [kind.name] * len(self._validation))
        correct = [
            field.name in one.fields and one.fields[field.name].value == value_of(field.kind, example.label[field.name])
            for one, example in zip(predictions, self._validation, strict=True)
            for field in kind.fields()
            if not field.group and example.label.get(field.name) is not None
        ]
        return {"held_back": losses | {"right": float(np.mean(correct))}}

    def export(self, network: DonutWithHeads, folder: Path) -> None:
        """Write a checkpoint in the format in which Donuts are published."""
        processor, tokenizer = build_processor(self._settings.size), build_tokenizer(self._kind, self._settings.longest)
        for part in (network.donut, processor, tokenizer):
            part.save_pretrained(folder)


def build_network(settings: DonutSettings, kind: DocumentType, device: torch.device) -> DonutWithHeads:
    """Random weights, the same for the same seed."""
    torch.manual_seed(settings.seed)
    return DonutWithHeads(settings, build_tokenizer(kind, settings.longest), len(kind.fields())).to(device)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = command_line.argument_parser(__doc__)
    parser.add_argument("--surfaces", type=Path, metavar="DIR", help="pictures of table tops; synthetic if not given")
    parser.add_argument("--workers", type=int, default=1, help="processes that make pages")
    options = parser.parse_args(arguments)
    settings = command_line.prepare(options, DonutSettings)
    kind = type_named(settings.document_type)
    surfaces = pictures.load_folder(options.surfaces)
    examples = DonutExamples(
        kind, settings.seed, settings.plan, settings.size, settings.longest, surfaces, settings.pages
    )
    task = DonutTask(settings, kind, examples, options.workers)
    network = build_network(settings, kind, loop.default_device())
    optimizer = loop.adamw(network, settings)
    task.export(loop.fit(task, network, optimizer, settings, options.out), options.out / PUBLISHED)


if __name__ == "__main__":
    main()
