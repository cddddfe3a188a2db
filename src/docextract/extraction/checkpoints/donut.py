"""Serves a public Donut checkpoint as an extraction model: from pixels to field values without OCR.

Donut (Kim et al. 2022, arXiv:2111.15664) is one network from pixels to JSON: a DonutSwin encoder and an MBart decoder
that continues a task prompt. `python -m docextract.registry import-donut` makes a candidate of a checkpoint.

Values have no polygons. The decoder's attention shows roughly where it looked, in cells of 32 px, but that may be
another place with the same amount; evidence that may be wrong is worse than none.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from docextract.documents import document_types
from docextract.documents.base import Field
from docextract.documents.field_mapping import FieldMapping
from docextract.documents.values import Conventions
from docextract.extraction.checkpoints import common
from docextract.extraction.checkpoints.common import CHECKPOINT_FOLDER, CheckpointConfig
from docextract.extraction.checkpoints.greedy import GeneratedToken, greedy_decode
from docextract.extraction.checkpoints.json_tokens import is_bracket, parse_leaves
from docextract.extraction.layout.calibration import Calibration
from docextract.extraction.layout.candidates import Candidate, Candidates
from docextract.images.geometry import Page
from docextract.predictions import AUTO, OTHER_TYPE, PagePrediction, PredictedValue

DECODER_BATCH_SIZE = 8  # pages; each of 2560 x 1920 px needs 160 MB for keys and values in float32
UNCALIBRATED_DONUT = Calibration({"*": (0.0, 1.0)}, {"*": 0.0}, ("probability",))  # the confidence is the probability
_CATEGORY = re.compile(r"<(.+)/>")


class Donut:
    """One checkpoint with one task prompt."""

    def __init__(
        self,
        model: Any,
        processor: Any,
        tokenizer: Any,
        config: CheckpointConfig,
        mapping: FieldMapping,
        calibration: Calibration,
    ) -> None:
        """model, processor, tokenizer: VisionEncoderDecoderModel, DonutImageProcessorPil and its tokenizer."""
        self._model = model
        self._processor = processor
        self._tokenizer = tokenizer
        self._config = config
        self._mapping = mapping
        self._calibration = calibration
        self._fields = {field.name: field for field in document_types()[config.document_type].fields()}
        self._conventions = Conventions(
            mapping.date_order or "DMY", mapping.currency, currency_confidence=1.0 if mapping.currency else 0.0
        )

    @classmethod
    def load(cls, folder: Path, device: str = "cpu") -> "Donut":
        """Load from a folder of weights, see common.py."""
        config = CheckpointConfig.load(folder)
        model, processor, tokenizer = open_donut(folder / CHECKPOINT_FOLDER, common.inference_dtype(device))
        mapping, calibration = common.load_field_mapping(folder), common.load_calibration(folder, UNCALIBRATED_DONUT)
        return cls(model.to(device), processor, tokenizer, config, mapping, calibration)

    @property
    def types(self) -> tuple[str, ...]:
        """The types that pages can get, "other" included."""
        return (self._config.document_type, OTHER_TYPE)

    def extract(self, pages: Sequence[Page], document_types: Sequence[str]) -> list[PagePrediction]:
        """Return one prediction per page, in input order. document_types: a type's name or "auto" for each page.

        A task prompt covers one type: pages for which another type is requested get no fields.
        """
        decoded = [index for index, name in enumerate(document_types) if name in (AUTO, self._config.document_type)]
        predictions = [PagePrediction(name, 0.0, self._conventions) for name in document_types]
        generated = self._generate([pages[index] for index in decoded])
        for index, tokens in zip(decoded, generated, strict=True):
            predictions[index] = self._prediction(self._candidates(tokens), document_types[index])
        return predictions

    def candidates(self, pages: Sequence[Page]) -> list[Candidates]:
        """Return the candidates of each page, to fit the calibration to."""
        return [self._candidates(tokens) for tokens in self._generate(pages)]

    def _generate(self, pages: Sequence[Page]) -> list[list[GeneratedToken]]:
        prompt = self._tokenizer(self._config.task_prompt, add_special_tokens=False).input_ids
        max_length = self._model.decoder.config.max_position_embeddings
        generated: list[list[GeneratedToken]] = []
        for start in range(0, len(pages), DECODER_BATCH_SIZE):
            # Pages are encoded one by one, because the thousands of patches of a page keep any device busy. Decoding
            # single tokens does not, so pages are decoded in batches.
            memory = torch.cat([self._encode(page) for page in pages[start : start + DECODER_BATCH_SIZE]])  # [B, P, D]
            generated += greedy_decode(
                self._model, memory, prompt, max_length, self._tokenizer.eos_token_id,
                forbidden=[self._tokenizer.unk_token_id],  # as in Donut's own code: it stands for no printed text
            )  # fmt: skip
        return generated

    @torch.inference_mode()
    def _encode(self, page: Page) -> torch.Tensor:
        """Return the output of the encoder, [1, P, D]."""
        pixels = self._processor(images=[page], return_tensors="pt").pixel_values
        memory: torch.Tensor = self._model.encoder(pixels.to(self._model.device, self._model.dtype)).last_hidden_state
        return memory

    def _candidates(self, generated: Sequence[GeneratedToken]) -> Candidates:
        """Return the likeliest text that parses as a value, for each field and for each leaf of a row."""
        tokens = self._tokenizer.convert_ids_to_tokens([one.token for one in generated])
        best: dict[tuple[str, int], Candidate] = {}
        for leaf in parse_leaves(tokens):
            field = self._fields.get(self._mapping.map_name(leaf.name) or "")
            if field is None:
                continue
            content = self._text(generated[leaf.first + 1 : leaf.last])
            values = self._mapping.possible_values(field.kind, content)
            if len(values) != 1:  # it does not parse, or it is a date with two possible meanings
                continue
            key = (field.name, leaf.row if field.group else 0)
            candidate = _candidate(field, content, values.pop(), generated[leaf.first : leaf.last + 1])
            if key not in best or candidate.probability > best[key].probability:
                best[key] = candidate
        return _group_candidates(best)

    def _text(self, generated: Sequence[GeneratedToken]) -> str:
        """Return the printed text; for a category with a token of its own, such as <yes/>, its name."""
        tokens = self._tokenizer.convert_ids_to_tokens([one.token for one in generated])
        plain = [one.token for one, token in zip(generated, tokens, strict=True) if not is_bracket(token)]
        text = str(self._tokenizer.decode(plain)).strip()
        category = _CATEGORY.fullmatch(text)
        return category[1] if len(plain) == 1 and category else text

    def _prediction(self, candidates: Candidates, requested_type: str) -> PagePrediction:
        fields = {name: self._value(one) for name, one in candidates.fields.items() if self._calibration.accepts(one)}
        groups = {
            group: tuple({leaf: self._value(one) for leaf, one in row.items()} for row in rows)
            for group, rows in candidates.groups.items()
        }
        row_values = (value for rows in groups.values() for row in rows for value in row.values())
        confidence = _max_confidence(fields.values(), row_values)
        if requested_type == AUTO and not fields and not groups:
            return PagePrediction(OTHER_TYPE, 1.0, self._conventions)
        return PagePrediction(self._config.document_type, confidence, self._conventions, fields, groups)

    def _value(self, candidate: Candidate) -> PredictedValue:
        return PredictedValue(candidate.content, candidate.value, self._calibration.confidence(candidate), ())


def _group_candidates(best: Mapping[tuple[str, int], Candidate]) -> Candidates:
    """Sort candidates into single fields and rows of lists. best: by our field name and the row."""
    fields: dict[str, Candidate] = {}
    groups: dict[str, dict[int, dict[str, Candidate]]] = {}
    for (name, row), candidate in sorted(best.items()):
        group, _, leaf = name.rpartition(".")
        if group:
            groups.setdefault(group, {}).setdefault(row, {})[leaf] = candidate
        else:
            fields[name] = candidate
    return Candidates(fields, {group: [row for _, row in sorted(rows.items())] for group, rows in groups.items()})


def _max_confidence(*values: Iterable[PredictedValue]) -> float:
    """Return the highest confidence, which serves as the type's: on pages of other types it is low."""
    return max((value.confidence for some in values for value in some), default=0.0)


def _candidate(field: Field, content: str, value: Any, generated: Sequence[GeneratedToken]) -> Candidate:
    """generated: including the bracket tokens, which decide that the field is there and where it ends."""
    log_probabilities = [math.log(max(one.probability, 1e-9)) for one in generated]
    probability = math.exp(sum(log_probabilities))
    return Candidate(
        field=field.name,
        content=content,
        value=value,
        piece_indices=(),
        probability=probability,  # that all its tokens are right
        support=math.exp(min(log_probabilities)),  # does not depend on the length of the text
        margin=min(one.margin for one in generated),
        confidence=math.exp(sum(log_probabilities) / len(log_probabilities)),
        whole=probability,
    )


def open_donut(folder: Path, dtype: torch.dtype) -> tuple[Any, Any, Any]:
    """Return the network, its image processor and its tokenizer."""
    library = common.import_transformers()
    return (
        common.load_transformers_model(library.VisionEncoderDecoderModel, folder, dtype),
        library.DonutImageProcessorPil.from_pretrained(folder, local_files_only=True),
        library.AutoTokenizer.from_pretrained(folder, local_files_only=True),
    )
