"""Makes candidates for `python -m docextract.registry promote` of public checkpoints.

Downloaded files are never unpickled, and code in a checkpoint is never run.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from docextract.documents import DocumentType, document_types, register_types, type_files
from docextract.documents.field_mapping import FIELD_MAPPING_FILE, FieldMapping
from docextract.extraction.checkpoints import donut, layout
from docextract.extraction.checkpoints.common import CHECKPOINT_FOLDER, CheckpointConfig
from docextract.extraction.checkpoints.json_tokens import opened_key

FIELD_NAMES_FOLDER = Path(__file__).parent / "field_names"  # field mappings for well-known checkpoints
_CONVERSION = (
    'Pickle files can run code when they are opened. If you trust this one, convert it: python -c "from '
    "transformers import {1} as M; M.from_pretrained('{0}').save_pretrained('{0}')\""
)


@dataclass(frozen=True)
class _CheckpointFields:
    """How the names in a checkpoint relate to the fields of a document type."""

    document_type: DocumentType
    mapping: FieldMapping
    toml: str  # text of fields.toml
    vocabulary: frozenset[str]  # names that the checkpoint can output
    split: Callable[[str], Sequence[str]]  # splits a field name into names of the vocabulary

    def predictable(self) -> tuple[str, ...]:
        """Return those of our fields that the checkpoint can predict."""
        return tuple(
            field.name
            for field in self.document_type.fields()
            if any(
                self._is_in_vocabulary(name) and self.mapping.map_name(name) == field.name
                for name in (*self.mapping.fields, field.name)
            )
        )

    def report(self) -> list[str]:
        """Return what the user should know, one line each."""
        missing = [name for name in self.mapping.fields if not self._is_in_vocabulary(name)]
        unused = self.unused()
        return [
            f"{self.document_type.name}: {', '.join(self.predictable())}",
            *([f"in the field mapping, but unknown to the checkpoint: {', '.join(missing)}"] if missing else []),
            *([f"not used: {', '.join(unused)}"] if unused else []),
        ]

    def unused(self) -> list[str]:
        """Return names of the vocabulary that are neither mapped nor ignored on purpose."""
        fields = (field.name for field in self.document_type.fields())
        names = [*self.mapping.fields, *self.mapping.ignore, *fields]
        used = {part for name in names for part in self.split(name)}
        return sorted(name for name in self.vocabulary - used if self.mapping.map_name(name) is not None)

    def _is_in_vocabulary(self, name: str) -> bool:
        return self.vocabulary.issuperset(self.split(name))


def import_donut(folder: Path, out: Path, document_type: str, task_prompt: str, fields: str | None = None) -> list[str]:
    """Write a candidate from a Donut checkpoint. Returns what the user should know, one line each.

    folder: a VisionEncoderDecoderModel and its processor, as `save_pretrained` writes them.
    fields: a field mapping file (see documents/field_mapping.py) or the name of an included one, such as "cord-v2".
            Document types that are described next to the file become part of the candidate. Default: the included file
            for the task prompt, else no mapping.

    Raises ValueError if this is no such checkpoint, or if it predicts none of the type's fields.
    """
    config = _read_config(folder)
    model_types = tuple(config.get(side, {}).get("model_type") for side in ("encoder", "decoder"))
    if model_types != ("donut-swin", "mbart"):
        raise ValueError(f"{folder} has {model_types} as encoder and decoder; a Donut has donut-swin and mbart")
    _require_safetensors(folder, "VisionEncoderDecoderModel")
    model, processor, tokenizer = donut.open_donut(folder, torch.float16)
    added = tokenizer.get_added_vocab()
    if task_prompt not in added:
        prompts = ", ".join(sorted(token for token in added if opened_key(token)))
        raise ValueError(f"the tokenizer has no token {task_prompt!r}; it has {prompts or 'no task prompts'}")
    dataset = task_prompt.removeprefix("<s_").removesuffix(">")
    fields = fields or (dataset if (FIELD_NAMES_FOLDER / f"{dataset}.toml").exists() else None)
    keys = frozenset(key for token in added if token != task_prompt and (key := opened_key(token)))
    checkpoint_fields = _checkpoint_fields(fields, document_type, keys, lambda name: name.split("."))
    return _write_candidate(out, [model, processor, tokenizer], "donut", checkpoint_fields, task_prompt)


def import_layout(folder: Path, out: Path, document_type: str, fields: str | None = None) -> list[str]:
    """Write a candidate from a LayoutLMv3ForTokenClassification or LiltForTokenClassification and its tokenizer.

    Parameters, result and errors are those of import_donut; without `fields` there is no mapping.
    """
    model_type = _read_config(folder).get("model_type")
    if model_type not in ("layoutlmv3", "lilt"):
        raise ValueError(f"{folder} has the model type {model_type!r}; supported are layoutlmv3 and lilt")
    _require_safetensors(folder, "AutoModelForTokenClassification")
    model, tokenizer, image_processor = layout.open_layout_model(folder, torch.float16)
    labels = frozenset(name for label in layout.label_names(model) if (name := layout.field_name(label)))
    checkpoint_fields = _checkpoint_fields(fields, document_type, labels, lambda name: [name])
    parts = [model, tokenizer, *([image_processor] if image_processor else [])]
    return _write_candidate(out, parts, "public_layout", checkpoint_fields)


def _read_config(folder: Path) -> Mapping[str, Any]:
    path = folder / "config.json"
    if not path.exists():
        raise ValueError(f"{folder} is no checkpoint: {path} does not exist")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise ValueError(f"{path} is not valid JSON") from None
    if not isinstance(config, dict):
        raise ValueError(f"{path} is no JSON object")
    return config


def _require_safetensors(folder: Path, model_class: str) -> None:
    """Raise ValueError if there are no safetensors. model_class: transformers' class that converts other weights."""
    if any(folder.glob("model*.safetensors")):
        return
    if pickled := sorted(folder.glob("*.bin")):
        raise ValueError(f"{pickled[0]} is not opened. {_CONVERSION.format(folder, model_class)}")
    raise ValueError(f"{folder} has no weights: model.safetensors does not exist")


def _checkpoint_fields(
    fields: str | None, document_type: str, vocabulary: frozenset[str], split: Callable[[str], Sequence[str]]
) -> _CheckpointFields:
    file = _mapping_file(fields) if fields else None
    if file:
        register_types(file.parent)
    if document_type not in document_types():
        raise ValueError(f"document type {document_type!r} is unknown; known: {', '.join(document_types())}")
    known_type = document_types()[document_type]
    mapping = FieldMapping.load(file) if file else FieldMapping()
    own_names = {field.name for field in known_type.fields()}
    for name, own_name in mapping.fields.items():
        if own_name not in own_names:
            raise ValueError(f"{file}: {name!r} is mapped to {own_name!r}, but {document_type} has no such field")
    toml = file.read_text(encoding="utf-8") if file else ""
    checkpoint_fields = _CheckpointFields(known_type, mapping, toml, vocabulary, split)
    if not checkpoint_fields.predictable():
        raise ValueError(
            f"the checkpoint predicts no field of {document_type}; it predicts {', '.join(checkpoint_fields.unused())}."
            " Write a field mapping and pass it with --fields; src/docextract/documents/field_mapping.py describes it"
        )
    return checkpoint_fields


def _mapping_file(fields: str) -> Path:
    for path in (Path(fields), FIELD_NAMES_FOLDER / f"{fields}.toml"):
        if path.is_file():
            return path
    included = ", ".join(sorted(path.stem for path in FIELD_NAMES_FOLDER.glob("*.toml")))
    raise ValueError(f"{fields} is neither a file nor an included field mapping: {included}")


def _write_candidate(
    out: Path, parts: Sequence[Any], architecture: str, fields: _CheckpointFields, task_prompt: str = ""
) -> list[str]:
    """Write the folder of weights. parts: model, tokenizer and processors, which have `save_pretrained`."""
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty; everything in it would become part of the candidate")
    for part in parts:
        part.save_pretrained(out / CHECKPOINT_FOLDER)
    config = CheckpointConfig(architecture, fields.document_type.name, fields.predictable(), task_prompt)
    (out / FIELD_MAPPING_FILE).write_text(fields.toml, encoding="utf-8")
    if fields.document_type.toml_source:
        type_files.save_types([fields.document_type], out / type_files.TYPES_FOLDER)
    (out / "config.json").write_text(json.dumps(config.to_json(), indent=1) + "\n", encoding="utf-8")
    return fields.report()
