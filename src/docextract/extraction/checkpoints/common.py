"""Checkpoints that others have made with transformers, as far as they are all alike. A folder of weights holds

    config.json         our own: the architecture, the type it reads, the fields it was taught
    checkpoint/         as transformers writes it: config.json, model.safetensors, tokenizer, preprocessor
    fields.toml         what its names mean here, see documents/naming.py
    calibration.json    where confidences were fitted
    types/              the type, where it is a described one

transformers is imported when one is loaded, and only then: who serves our own network needs neither its 126 MB nor its
seconds. Only safetensors are opened, and no code that lies beside them is run.
"""

import json
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from docextract.documents import register_types
from docextract.documents.field_mapping import FIELD_MAPPING_FILE, FieldMapping
from docextract.extraction.layout.calibration import Calibration

CHECKPOINT_FOLDER = "checkpoint"
CALIBRATION = "calibration.json"


@dataclass(frozen=True)
class CheckpointConfig:
    """What config.json says."""

    architecture: str
    document_type: str
    fields: tuple[str, ...]
    task_prompt: str = ""  # "<s_cord-v2>", where the network has to be asked

    def to_json(self) -> dict[str, Any]:
        """For config.json; the registry reads `architecture` and `shape`."""
        shape = {"types": [self.document_type], "fields": list(self.fields)}
        return {"architecture": self.architecture, "task_prompt": self.task_prompt, "shape": shape}

    @classmethod
    def load(cls, folder: Path) -> "CheckpointConfig":
        """Of a folder of weights; the type that it may describe is known from then on."""
        register_types(folder)
        values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        shape = values["shape"]
        return cls(values["architecture"], shape["types"][0], tuple(shape["fields"]), values["task_prompt"])


def load_naming(folder: Path) -> FieldMapping:
    """What its names mean."""
    return FieldMapping.load(folder / FIELD_MAPPING_FILE)


def load_calibration(folder: Path, unfitted: Calibration) -> Calibration:
    """As fitted, else `unfitted`."""
    fitted = folder / CALIBRATION
    return Calibration(**json.loads(fitted.read_text(encoding="utf-8"))) if fitted.exists() else unfitted


def import_transformers() -> Any:
    """The library, quiet. Raises ModuleNotFoundError that says how to install it."""
    if find_spec("transformers") is None:
        raise ModuleNotFoundError("this needs transformers, which is not installed: pip install 'docextract[donut]'")
    import transformers

    transformers.logging.disable_progress_bar()  # a log is no terminal
    return transformers


def load_model(kind: Any, folder: Path, dtype: torch.dtype) -> Any:
    """A model of one of transformers' classes, not to be trained.

    Raises ValueError where a weight is missing: transformers would draw it at random.
    """
    model, report = kind.from_pretrained(
        folder, dtype=dtype, use_safetensors=True, local_files_only=True, output_loading_info=True
    )
    if missing := sorted(report["missing_keys"]):
        raise ValueError(f"{folder} lacks {len(missing)} of the network's weights, {missing[0]} among them")
    return model.eval()


def inference_dtype(device: str) -> torch.dtype:
    """Half of it on a GPU."""
    return torch.float32 if device == "cpu" else torch.float16
