"""Weights in place of those of PP-OCR's text detector, for smaller canvases, and ranges of its values.

`training.tasks.detection.train` trains weights, `training.tasks.detection.ranges` measures ranges for PP-OCR's own;
they are stored next to the extraction weights that were evaluated with them.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from safetensors import safe_open
from safetensors.numpy import save_file

from docextract.extraction.ocr.int8 import Ranges

DETECTOR_WEIGHTS_FILE = "detector.safetensors"


@dataclass(frozen=True)
class DetectorWeights:
    """What makes a detector of PP-OCR's."""

    tensors: Mapping[str, NDArray[np.float32]]  # by name in PP-OCR's graph; others are kept
    scale: float = 1.0  # of canvases, relative to those on which PP-OCR's own weights detect text
    ranges: Ranges = field(default_factory=dict)  # of the inputs of convolutions that are computed in 8-bit integers

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
        """Digest of weights, scale and ranges, 20 characters; stored OCR results are identified by it."""
        digest = hashlib.blake2b(str(self.scale).encode(), digest_size=10)
        for name in sorted(self.tensors):
            digest.update(self.tensors[name].astype(np.float16).tobytes())
        if self.ranges:
            digest.update(json.dumps(self.ranges, sort_keys=True).encode())
        return digest.hexdigest()

    def save(self, folder: Path) -> None:
        """Write DETECTOR_WEIGHTS_FILE in half precision."""
        tensors = {name: np.ascontiguousarray(tensor, np.float16) for name, tensor in self.tensors.items()}
        described = {"scale": str(self.scale), "ranges": json.dumps(dict(self.ranges), sort_keys=True)}
        save_file(tensors, folder / DETECTOR_WEIGHTS_FILE, described)

    @classmethod
    def load(cls, folder: Path) -> "DetectorWeights | None":
        """Load them from a folder of weights; None if it has none, so that PP-OCR's own are used."""
        file = folder / DETECTOR_WEIGHTS_FILE
        if not file.exists():
            return None
        with safe_open(file, "np") as stored:
            tensors = {name: stored.get_tensor(name).astype(np.float32) for name in stored.keys()}  # noqa: SIM118
            ranges = json.loads(stored.metadata().get("ranges", "{}"))
            return cls(tensors, float(stored.metadata()["scale"]), ranges)
