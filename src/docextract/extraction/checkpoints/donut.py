"""Pages in, found values out, without reading: a Donut checkpoint in the format in which they are published.

Donut (Kim et al. 2022, arXiv:2111.15664) is one network from pixels to JSON: a DonutSwin encoder, an MBart decoder,
a task prompt that it answers. `python -m docextract.registry import-donut` makes a candidate of one.

Values have no polygons. The decoder's attention tells roughly where it looked, in cells of 32 px, and
that may be another place with the same amount; evidence that may be wrong is worse than none.
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
from docextract.extraction.layout.postprocessing import AUTO
from docextract.extraction.layout.spans import Candidate, Candidates
from docextract.images.geometry import Page
from docextract.predictions import OTHER_TYPE, PagePrediction, PredictedValue

PAGES_AT_ONCE = 8  # in the decoder; of 2560 x 1920 px each keeps 160 MB of keys and values in float32
UNCALIBRATED_DONUT = Calibration({"*": (0.0, 1.0)}, {"*": 0.0}, ("probability",))  # as it is
_CATEGORY = re.compile(r"<(.+)/>")


class Donut:
    """One checkpoint, asked one prompt."""

    def __init__(
        self,
        model: Any,
        processor: Any,
        tokenizer: Any,
        setting: CheckpointConfig,
        naming: FieldMapping,
        calibration: Calibration,
    ) -> None:
        """model, processor, tokenizer: VisionEncoderDecoderModel, DonutImageProcessorPil and its tokenizer."""
        self._model = model
        self._processor = processor
        self._tokenizer = tokenizer
        self._setting = setting
        self._naming = naming
        self._calibration = calibration
        self._fields = {field.name: field for field in document_types()[setting.document_type].fields()}
        self._conventions = Conventions(naming.date_order or "DMY", naming.currency)

    @classmethod
    def load(cls, folder: Path, device: str = "cpu") -> "Donut":
        """From a folder of weights, see checkpoints.py."""
        setting = CheckpointConfig.load(folder)
        model, processor, tokenizer = open_checkpoint(folder / CHECKPOINT_FOLDER, common.inference_dtype(device))
        naming, calibration = common.load_naming(folder), common.load_calibration(folder, UNCALIBRATED_DONUT)
        return cls(model.to(device), processor, tokenizer, setting, naming, calibration)

    @property
    def types(self) -> tuple[str, ...]:
        """What a page can be taken for, "other" included."""
        return (self._setting.document_type, OTHER_TYPE)

    def extract(self, pages: Sequence[Page], document_types: Sequence[str]) -> list[PagePrediction]:
        """Answer for each page, in the order given. document_types: a type's name or "auto" for each page.

        A prompt knows of one type: a page of which another is asked gets no fields.
        """
        asked = [at for at, wanted in enumerate(document_types) if wanted in (AUTO, self._setting.document_type)]
        found = [PagePrediction(wanted, 0.0, self._conventions) for wanted in document_types]
        for at, spoken in zip(asked, self._speak([pages[at] for at in asked]), strict=True):
            found[at] = self._found(self._candidates(spoken), document_types[at])
        return found

    def candidates(self, pages: Sequence[Page]) -> list[Candidates]:
        """What calibration is fitted to, for each page."""
        return [self._candidates(spoken) for spoken in self._speak(pages)]

    def _speak(self, pages: Sequence[Page]) -> list[list[GeneratedToken]]:
        prompt = self._tokenizer(self._setting.task_prompt, add_special_tokens=False).input_ids
        longest = self._model.decoder.config.max_position_embeddings
        answers: list[list[GeneratedToken]] = []
        for start in range(0, len(pages), PAGES_AT_ONCE):
            # One by one: a page has thousands of patches and fills any device; the decoder's single tokens do not.
            memory = torch.cat([self._look(page) for page in pages[start : start + PAGES_AT_ONCE]])  # [B, P, D]
            answers += greedy_decode(
                self._model, memory, prompt, longest, self._tokenizer.eos_token_id,
                never=[self._tokenizer.unk_token_id],  # as the authors do: it stands for nothing that is printed
            )  # fmt: skip
        return answers

    @torch.inference_mode()
    def _look(self, page: Page) -> torch.Tensor:
        """The encoder's view of a page, [1, P, D]."""
        pixels = self._processor(images=[page], return_tensors="pt").pixel_values
        memory: torch.Tensor = self._model.encoder(pixels.to(self._model.device, self._model.dtype)).last_hidden_state
        return memory

    def _candidates(self, spoken: Sequence[GeneratedToken]) -> Candidates:
        """For each field, and for each leaf of a row, the best of the texts that are values of it."""
        tokens = self._tokenizer.convert_ids_to_tokens([one.token for one in spoken])
        best: dict[tuple[str, int], Candidate] = {}
        for leaf in parse_leaves(tokens):
            field = self._fields.get(self._naming.map_name(leaf.name) or "")
            if field is None:
                continue
            content = self._text(spoken[leaf.first + 1 : leaf.last])
            meanings = self._naming.possible_values(field.kind, content)
            if len(meanings) != 1:  # no such value, or a date that can be read two ways
                continue
            at = (field.name, leaf.row if field.group else 0)
            candidate = _candidate(field, content, meanings.pop(), spoken[leaf.first : leaf.last + 1])
            if at not in best or candidate.probability > best[at].probability:
                best[at] = candidate
        return _sorted(best)

    def _text(self, spoken: Sequence[GeneratedToken]) -> str:
        """What is printed; a category that has a token of its own, <yes/>, without its brackets."""
        tokens = self._tokenizer.convert_ids_to_tokens([one.token for one in spoken])
        plain = [one.token for one, token in zip(spoken, tokens, strict=True) if not is_bracket(token)]
        text = str(self._tokenizer.decode(plain)).strip()
        category = _CATEGORY.fullmatch(text)
        return category[1] if len(plain) == 1 and category else text

    def _found(self, candidates: Candidates, wanted: str) -> PagePrediction:
        fields = {name: self._value(one) for name, one in candidates.fields.items() if self._calibration.accepts(one)}
        rows = {
            group: tuple({leaf: self._value(one) for leaf, one in row.items()} for row in some)
            for group, some in candidates.groups.items()
        }
        sure = _surest(fields.values(), (value for group in rows.values() for row in group for value in row.values()))
        if wanted == AUTO and not fields and not rows:
            return PagePrediction(OTHER_TYPE, 1.0, self._conventions)
        return PagePrediction(self._setting.document_type, sure, self._conventions, fields, rows)

    def _value(self, candidate: Candidate) -> PredictedValue:
        return PredictedValue(candidate.content, candidate.value, self._calibration.confidence(candidate), ())


def _sorted(best: Mapping[tuple[str, int], Candidate]) -> Candidates:
    """best: by our name of the field, and its row."""
    fields: dict[str, Candidate] = {}
    groups: dict[str, dict[int, dict[str, Candidate]]] = {}
    for (name, row), candidate in sorted(best.items()):
        group, _, leaf = name.rpartition(".")
        if group:
            groups.setdefault(group, {}).setdefault(row, {})[leaf] = candidate
        else:
            fields[name] = candidate
    return Candidates(fields, {group: [row for _, row in sorted(rows.items())] for group, rows in groups.items()})


def _surest(*values: Iterable[PredictedValue]) -> float:
    """How sure the surest value is. The network is not asked for the type, but of other pages it says little surely."""
    return max((value.confidence for some in values for value in some), default=0.0)


def _candidate(field: Field, content: str, value: Any, spoken: Sequence[GeneratedToken]) -> Candidate:
    """spoken: with the tokens before and behind, which say that the field is there and that it ends."""
    logs = [math.log(max(one.probability, 1e-9)) for one in spoken]
    whole = math.exp(sum(logs))
    return Candidate(
        field=field.name,
        content=content,
        value=value,
        piece_indices=(),
        probability=whole,  # that all its tokens are right
        support=math.exp(min(logs)),  # a long address may be as well supported as a short amount
        margin=min(one.margin for one in spoken),
        confidence=math.exp(sum(logs) / len(logs)),
        whole=whole,
    )


def open_checkpoint(folder: Path, dtype: torch.dtype) -> tuple[Any, Any, Any]:
    """The network, what makes its pixels, and its tokenizer."""
    library = common.import_transformers()
    return (
        common.load_model(library.VisionEncoderDecoderModel, folder, dtype),
        library.DonutImageProcessorPil.from_pretrained(folder, local_files_only=True),
        library.AutoTokenizer.from_pretrained(folder, local_files_only=True),
    )
