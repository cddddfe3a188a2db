"""What all public `transformers` checkpoints share. A folder of weights holds

    config.json         our own: the architecture, the document type, the fields that the checkpoint can predict
    checkpoint/         as transformers writes it: config.json, model.safetensors, tokenizer, preprocessor
    fields.toml         maps the checkpoint's field names to ours, see documents/field_mapping.py
    calibration.json    fitted confidences; optional
    types/              the document type, if a TOML file describes it

transformers is imported only when such a checkpoint is loaded: serving our own network needs neither its 126 MB nor its
seconds. Only safetensors files are opened, and code in a checkpoint is never run.
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
CALIBRATION_FILE = "calibration.json"


@dataclass(frozen=True)
class CheckpointConfig:
    """The content of config.json."""

    architecture: str
    document_type: str
    fields: tuple[str, ...]
    task_prompt: str = ""  # "<s_cord-v2>", if the network needs one

    def to_json(self) -> dict[str, Any]:
        """Return the content for config.json; the registry reads `architecture` and `shape`."""
        shape = {"types": [self.document_type], "fields": list(self.fields)}
        return {"architecture": self.architecture, "task_prompt": self.task_prompt, "shape": shape}

    @classmethod
    def load(cls, folder: Path) -> "CheckpointConfig":
        """Load config.json from a folder of weights; registers the document types that the folder describes."""
        register_types(folder)
        values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        shape = values["shape"]
        return cls(values["architecture"], shape["types"][0], tuple(shape["fields"]), values["task_prompt"])


def load_field_mapping(folder: Path) -> FieldMapping:
    """Load fields.toml from a folder of weights."""
    return FieldMapping.load(folder / FIELD_MAPPING_FILE)


def load_calibration(folder: Path, default: Calibration) -> Calibration:
    """Load the calibration from a folder of weights; the default if it has none."""
    file = folder / CALIBRATION_FILE
    return Calibration.load(file) if file.exists() else default


def import_transformers() -> Any:
    """Return the library, without progress bars. Raises ModuleNotFoundError that says how to install it."""
    if find_spec("transformers") is None:
        raise ModuleNotFoundError("this needs transformers, which is not installed: pip install 'docextract[donut]'")
    import transformers

    transformers.logging.disable_progress_bar()  # a log is no terminal
    return transformers


def load_transformers_model(model_class: Any, folder: Path, dtype: torch.dtype) -> Any:
    """Load a model of one of transformers' classes, in evaluation mode.

    Raises ValueError if a weight is missing; transformers would initialise it at random.
    """
    model, report = model_class.from_pretrained(
        folder, dtype=dtype, use_safetensors=True, local_files_only=True, output_loading_info=True
    )
    if missing := sorted(report["missing_keys"]):
        raise ValueError(f"{folder} lacks {len(missing)} of the network's weights, for example {missing[0]}")
    return model.eval()


def inference_dtype(device: str) -> torch.dtype:
    """Return the precision to compute in: half on GPUs, single on CPUs."""
    return torch.float32 if device == "cpu" else torch.float16
