"""Public checkpoints → candidates that `python -m docextract.registry promote` takes.

Nothing that comes from elsewhere is unpickled, and no code that lies beside it is run.
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
from docextract.extraction.checkpoints.json_tokens import key

NAMES = Path(__file__).parent / "field_names"  # what public checkpoints call their fields
_CONVERSION = (
    'It is a pickle, which can run any code when it is opened. Where you trust it, convert it: python -c "from '
    "transformers import {1} as M; M.from_pretrained('{0}').save_pretrained('{0}')\""
)


@dataclass(frozen=True)
class _Names:
    """What a checkpoint's names mean."""

    kind: DocumentType
    naming: FieldMapping
    text: str  # of fields.toml
    words: frozenset[str]  # that the checkpoint can say
    spelled: Callable[[str], Sequence[str]]  # a name in such words

    def taught(self) -> tuple[str, ...]:
        """Those of our fields that the checkpoint has words for."""
        return tuple(
            field.name
            for field in self.kind.fields()
            if any(
                self._is_said(theirs) and self.naming.map_name(theirs) == field.name
                for theirs in (*self.naming.fields, field.name)
            )
        )

    def told(self) -> list[str]:
        """What there is to know of it, in sentences."""
        unsaid = [name for name in self.naming.fields if not self._is_said(name)]
        return [
            f"{self.kind.name}: {', '.join(self.taught())}",
            *([f"named, but it has no word for it: {', '.join(unsaid)}"] if unsaid else []),
            *([f"nothing is made of: {', '.join(self.unheard())}"] if self.unheard() else []),
        ]

    def unheard(self) -> list[str]:
        """Words of the checkpoint of which nothing is made, and nothing is said either."""
        names = [*self.naming.fields, *self.naming.ignore, *(field.name for field in self.kind.fields())]
        heard = {word for name in names for word in self.spelled(name)}
        return sorted(word for word in self.words - heard if self.naming.map_name(word) is not None)

    def _is_said(self, name: str) -> bool:
        return self.words.issuperset(self.spelled(name))


def import_donut(folder: Path, out: Path, document_type: str, task_prompt: str, fields: str | None = None) -> list[str]:
    """Write a candidate. Returns what its maker should know of it, in sentences.

    folder: a VisionEncoderDecoderModel and its processor, as `save_pretrained` writes them. fields: a file that says
    what its names mean, see documents/naming.py, or one that comes along, "cord-v2"; types that are described beside
    it travel with the weights. Without it, what comes along for the task prompt, else our own names. Raises
    ValueError where that is no such checkpoint, or tells us nothing.
    """
    config = _config(folder)
    kinds = tuple(config.get(side, {}).get("model_type") for side in ("encoder", "decoder"))
    if kinds != ("donut-swin", "mbart"):
        raise ValueError(f"{folder} has {kinds} for encoder and decoder; a Donut has donut-swin and mbart")
    _must_be_safe(folder, "VisionEncoderDecoderModel")
    model, processor, tokenizer = donut.open_checkpoint(folder, torch.float16)
    added = tokenizer.get_added_vocab()
    if task_prompt not in added:
        prompts = ", ".join(sorted(token for token in added if key(token)))
        raise ValueError(f"the tokenizer has no token {task_prompt!r}; it has {prompts or 'none of the kind'}")
    known = task_prompt.removeprefix("<s_").removesuffix(">")
    fields = fields or (known if (NAMES / f"{known}.toml").exists() else None)
    keys = frozenset(name for token in added if token != task_prompt and (name := key(token)))
    names = _names(fields, document_type, keys, lambda name: name.split("."))
    return _write(out, [model, processor, tokenizer], "donut", names, task_prompt)


def import_layout(folder: Path, out: Path, document_type: str, fields: str | None = None) -> list[str]:
    """The same for a LayoutLMv3ForTokenClassification or LiltForTokenClassification and its tokenizer."""
    kind = _config(folder).get("model_type")
    if kind not in ("layoutlmv3", "lilt"):
        raise ValueError(f"{folder} is of the type {kind!r}; layoutlmv3 and lilt can be read")
    _must_be_safe(folder, "AutoModelForTokenClassification")
    model, tokenizer, pixels = layout.open_checkpoint(folder, torch.float16)
    labels = frozenset(name for label in layout.label_names(model) if (name := layout.field_name(label)))
    names = _names(fields, document_type, labels, lambda name: [name])
    return _write(out, [model, tokenizer, *([pixels] if pixels else [])], "public_layout", names)


def _config(folder: Path) -> Mapping[str, Any]:
    path = folder / "config.json"
    if not path.exists():
        raise ValueError(f"{folder} is no checkpoint: there is no {path}")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise ValueError(f"{path} is no JSON") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path} describes no network")
    return found


def _must_be_safe(folder: Path, kind: str) -> None:
    """kind: transformers' class that converts it where it is not."""
    if any(folder.glob("model*.safetensors")):
        return
    if pickled := sorted(folder.glob("*.bin")):
        raise ValueError(f"{pickled[0]} is not opened. {_CONVERSION.format(folder, kind)}")
    raise ValueError(f"{folder} holds no weights: there is no model.safetensors")


def _names(
    fields: str | None, document_type: str, words: frozenset[str], spelled: Callable[[str], Sequence[str]]
) -> _Names:
    file = _file(fields) if fields else None
    if file:
        register_types(file.parent)
    if document_type not in document_types():
        raise ValueError(f"type {document_type!r} is not known; known are {', '.join(document_types())}")
    kind = document_types()[document_type]
    naming = FieldMapping.load(file) if file else FieldMapping()
    own = {field.name for field in kind.fields()}
    for theirs, ours in naming.fields.items():
        if ours not in own:
            raise ValueError(f"{file}: {theirs!r} is {ours!r}, and {document_type} has no such field")
    names = _Names(kind, naming, file.read_text(encoding="utf-8") if file else "", words, spelled)
    if not names.taught():
        raise ValueError(
            f"nothing that it says is a field of {document_type}: it says {', '.join(names.unheard())}. Write down "
            "what they mean and name the file with --fields; src/docextract/documents/naming.py shows how"
        )
    return names


def _file(fields: str) -> Path:
    for path in (Path(fields), NAMES / f"{fields}.toml"):
        if path.is_file():
            return path
    known = ", ".join(sorted(path.stem for path in NAMES.glob("*.toml")))
    raise ValueError(f"{fields} is neither a file nor one that comes along: {known}")


def _write(out: Path, parts: Sequence[Any], architecture: str, names: _Names, task_prompt: str = "") -> list[str]:
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty; a candidate is all that lies in its folder")
    for part in parts:
        part.save_pretrained(out / CHECKPOINT_FOLDER)
    setting = CheckpointConfig(architecture, names.kind.name, names.taught(), task_prompt)
    (out / FIELD_MAPPING_FILE).write_text(names.text, encoding="utf-8")
    if names.kind.toml_source:
        type_files.save_types([names.kind], out / type_files.TYPES_FOLDER)
    (out / "config.json").write_text(json.dumps(setting.to_json(), indent=1) + "\n", encoding="utf-8")
    return names.told()
