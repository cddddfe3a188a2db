"""Weights in place of those of PP-OCR's text detector, for smaller canvases.

`training.tasks.detection.train` trains them; they are stored next to the extraction weights that were evaluated with
them.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from safetensors import safe_open
from safetensors.numpy import save_file

DETECTOR_WEIGHTS_FILE = "detector.safetensors"


@dataclass(frozen=True)
class DetectorWeights:
    """Tensors of a fine-tuned detector."""

    tensors: Mapping[str, NDArray[np.float32]]  # by name in PP-OCR's graph; others are kept
    scale: float = 1.0  # of canvases, relative to those on which PP-OCR's own weights detect text

    def applied_to(self, model: bytes) -> bytes:
        """Return PP-OCR's detector, as ONNX, with these weights."""
        changed = onnx.load_from_string(model)
        for tensor in changed.graph.initializer:
            if tensor.name in self.tensors:
                value = np.ascontiguousarray(self.tensors[tensor.name], np.float32)
                tensor.CopyFrom(numpy_helper.from_array(value, tensor.name))
        return bytes(changed.SerializeToString())

    @cached_property
    def digest(self) -> str:
        """Digest of weights and scale, 20 characters; stored OCR results are identified by it."""
        digest = hashlib.blake2b(str(self.scale).encode(), digest_size=10)
        for name in sorted(self.tensors):
            digest.update(self.tensors[name].astype(np.float16).tobytes())
        return digest.hexdigest()

    def save(self, folder: Path) -> None:
        """Write DETECTOR_WEIGHTS_FILE in half precision."""
        tensors = {name: np.ascontiguousarray(tensor, np.float16) for name, tensor in self.tensors.items()}
        save_file(tensors, folder / DETECTOR_WEIGHTS_FILE, {"scale": str(self.scale)})

    @classmethod
    def load(cls, folder: Path) -> "DetectorWeights | None":
        """Load them from a folder of weights; None if it has none, so that PP-OCR's own are used."""
        file = folder / DETECTOR_WEIGHTS_FILE
        if not file.exists():
            return None
        with safe_open(file, "np") as stored:
            tensors = {name: stored.get_tensor(name).astype(np.float32) for name in stored.keys()}  # noqa: SIM118
            return cls(tensors, float(stored.metadata()["scale"]))
