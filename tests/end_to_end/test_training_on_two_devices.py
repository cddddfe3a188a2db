"""Training on several devices, tested with two processes on the CPU."""

import json
import os
import subprocess
import sys

import pytest
import torch

CONFIG = """
seed = 3
steps = 4
decay_steps = 2
warmup_steps = 1
peak_lr = 1e-3
weight_decay = 0.0
pieces_per_batch = 400
real_share = 0.0
other_share = 0.1
evaluate_every = 2
[types]
receipt = 1
[shape]
width = 32
layers = 1
heads = 2
ngram_width = 8
"""


@pytest.mark.processes
@pytest.mark.slow
def test_two_processes_share_the_work_and_have_the_same_weights(tmp_path):
    """Each process trains on every second pool of pages; their gradients update one network."""
    (tmp_path / "tiny.toml").write_text(CONFIG)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [
        *launch,
        "-m",
        "training.tasks.layout.train",
        str(tmp_path / "tiny.toml"),
        "--out",
        str(tmp_path / "out"),
    ]
    environment = os.environ | {"ACCELERATE_USE_CPU": "true"}

    done = subprocess.run(
        [*command, "--workers", "0"], capture_output=True, text=True, timeout=240, check=False, env=environment
    )

    assert done.returncode == 0, done.stderr
    state = torch.load(tmp_path / "out" / "last.pt", weights_only=True)
    assert state["step"] == 4
    assert [pool % 2 for pool, _ in state["positions"]] == [0, 1]
    assert [json.loads(row)["step"] for row in (tmp_path / "out" / "history.jsonl").open()] == [2, 4]
    assert (tmp_path / "out" / "weights" / "model.safetensors").exists()
