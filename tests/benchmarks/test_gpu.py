"""The page about a GPU."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from benchmarks import gpu
from benchmarks.offline import OfflineResult
from benchmarks.throughput import LoadResult, TimedAnswer
from training.datasets import labelled_folder

OFFLINE = OfflineResult("the processor", 2, 4.0, 6.0, 1.5, 900.0, 3.0, 0.8)


def photos(folder, name):
    with labelled_folder.LabelledFolderWriter(folder / name) as writer:
        writer.add(name, np.full((40, 30, 3), 200, np.uint8), "receipt", {"total": "1.00"})
    return folder / name


def test_a_gpu_is_compared_with_the_processor_beside_it(tmp_path, monkeypatch):
    """The photos of all folders are read, and requests for them sent to one and to four processes."""
    loads = []

    def measure_over_http(sent, workers, requested):
        loads.append((len(sent), workers, len(requested)))
        return [
            LoadResult(operation, clients, 2.0, [TimedAnswer(1.0, 250.0, {})] * 8, None, {"extraction": 4.0})
            for operation, clients in requested
        ]

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a GPU")
    monkeypatch.setattr(
        gpu, "measure_in_subprocess",
        lambda name, folder: replace(OFFLINE, label=name, seconds=4.0 if name == "batches" else 1.0),
    )  # fmt: skip
    monkeypatch.setattr(gpu, "measure_over_http", measure_over_http)

    gpu.main([str(photos(tmp_path, "one")), str(photos(tmp_path, "two")), "--out", str(tmp_path / "gpu.md")])

    page = (tmp_path / "gpu.md").read_text()
    assert loads == [(2, 1, 4), (2, 4, 1)]
    assert "| batches | 0.50 | 1.00 |" in page
    assert "| gpu_32 | 2.00 | 4.00 |" in page
    assert "| `/extraction` | 4 | 32 | 4.00 | 250 | 250 | 0.000 | 0.0 | 4.0 |" in page


def test_without_a_gpu_nothing_is_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    with pytest.raises(SystemExit):
        gpu.main([str(tmp_path)])

    assert "PyTorch finds no GPU here" in capsys.readouterr().err
