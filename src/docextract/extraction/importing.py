"""Public checkpoints → candidates that `python -m docextract.registry promote` takes.

Nothing that comes from elsewhere is unpickled, and no code that lies beside it is run.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from docextract.documents import DocumentType, describe_types, described, document_types
from docextract.documents.naming import NAMING, Naming
from docextract.extraction.donut import CHECKPOINT, Setting, open_checkpoint
from docextract.extraction.json_tokens import key

NAMES = Path(__file__).parent / "names"  # what public checkpoints call their fields, by task prompt
_KINDS = ("donut-swin", "mbart")
_CONVERSION = (
    'It is a pickle, which can run any code when it is opened. Where you trust it, convert it: python -c "from '
    "transformers import VisionEncoderDecoderModel as M; M.from_pretrained('{0}').save_pretrained('{0}')\""
)


@dataclass(frozen=True)
class _Names:
    """What a checkpoint's names mean."""

    kind: DocumentType
    naming: Naming
    text: str  # of fields.toml
    keys: frozenset[str]  # that the tokenizer has a token for

    def taught(self) -> tuple[str, ...]:
        """Those of our fields that the checkpoint has words for."""
        return tuple(
            field.name
            for field in self.kind.fields()
            if any(self._is_said(theirs) and self.naming.ours(theirs) == field.name
                   for theirs in (*self.naming.fields, field.name))
        )  # fmt: skip

    def told(self) -> list[str]:
        """What there is to know of it, in sentences."""
        unsaid = [name for name in self.naming.fields if not self._is_said(name)]
        return [
            f"{self.kind.name}: {', '.join(self.taught())}",
            *([f"named, but the tokenizer has no token for it: {', '.join(unsaid)}"] if unsaid else []),
            *([f"nothing is made of: {', '.join(self.unheard())}"] if self.unheard() else []),
        ]

    def unheard(self) -> list[str]:
        """Words of the checkpoint of which nothing is made, and nothing is said either."""
        names = [*self.naming.fields, *self.naming.ignore, *(field.name for field in self.kind.fields())]
        return sorted(self.keys - {part for name in names for part in name.split(".")})

    def _is_said(self, name: str) -> bool:
        return self.keys.issuperset(name.split("."))


def import_donut(
    folder: Path, out: Path, document_type: str, task_prompt: str, fields: Path | None = None
) -> list[str]:
    """Write a candidate. Returns what its maker should know of it, in sentences.

    folder: a VisionEncoderDecoderModel and its processor, as `save_pretrained` writes them. fields: what its names
    mean, see documents/naming.py; types that are described beside it travel along. Without it, a naming that comes
    with docextract, else our own names. Raises ValueError where that is no such checkpoint, or tells us nothing.
    """
    _must_be_donut(folder)
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty; a candidate is made of what is in its folder")
    known = NAMES / f"{task_prompt.removeprefix('<s_').removesuffix('>')}.toml"
    file = fields or (known if known.exists() else None)
    if file is not None and not file.exists():
        raise ValueError(f"{file} does not exist")
    model, processor, tokenizer = open_checkpoint(folder, torch.float16)
    names = _names(file, document_type, task_prompt, tokenizer)
    taught = names.taught()
    if not taught:
        raise ValueError(
            f"nothing that {folder} says is a field of {document_type}: it says {', '.join(names.unheard())}. "
            "Write down what they mean and name the file with --fields; src/docextract/documents/naming.py shows how."
        )
    for part in (model, processor, tokenizer):
        part.save_pretrained(out / CHECKPOINT)
    setting = Setting(task_prompt, document_type, taught)
    (out / "config.json").write_text(json.dumps(setting.to_json(), indent=1) + "\n", encoding="utf-8")
    (out / NAMING).write_text(names.text, encoding="utf-8")
    if names.kind.described_as:
        described.save([names.kind], out / described.TYPES)
    return names.told()


def _must_be_donut(folder: Path) -> None:
    path = folder / "config.json"
    if not path.exists():
        raise ValueError(f"{folder} is no checkpoint: there is no {path}")
    try:
        config: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        kinds = tuple(config[side]["model_type"] for side in ("encoder", "decoder"))
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path} describes no encoder and decoder; a Donut is a VisionEncoderDecoderModel") from None
    if kinds != _KINDS:
        raise ValueError(f"{path} describes {' and '.join(kinds)}; a Donut is {' and '.join(_KINDS)}")
    if any(folder.glob("model*.safetensors")):
        return
    pickled = sorted(folder.glob("*.bin"))
    if pickled:
        raise ValueError(f"{pickled[0]} is not opened. {_CONVERSION.format(folder)}")
    raise ValueError(f"{folder} holds no weights: there is no model.safetensors")


def _names(file: Path | None, document_type: str, task_prompt: str, tokenizer: Any) -> _Names:
    added = tokenizer.get_added_vocab()
    if task_prompt not in added:
        prompts = ", ".join(sorted(token for token in added if key(token)))
        raise ValueError(f"the tokenizer has no token {task_prompt!r}; it has {prompts or 'none of the kind'}")
    if file is not None:
        describe_types(file.parent)
    if document_type not in document_types():
        raise ValueError(f"type {document_type!r} is not known; known are {', '.join(document_types())}")
    kind = document_types()[document_type]
    naming = Naming.load(file) if file else Naming()
    own = {field.name for field in kind.fields()}
    for theirs, ours in naming.fields.items():
        if ours not in own:
            raise ValueError(f"{file}: {theirs!r} is {ours!r}, and {document_type} has no such field")
    keys = frozenset(name for token in added if token != task_prompt and (name := key(token)))
    return _Names(kind, naming, file.read_text(encoding="utf-8") if file else "", keys)
