"""Test of the command that fits the usability model."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from docextract.quality.usability import USABILITY_FILE, UsabilityModel
from tests.training.tasks.quality.test_usability import simulated, with_map
from training.commands import fit_usability


def test_the_command_writes_model_report_and_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The model next to the weights, the report and its plot, and the figures as JSON."""
    photos = with_map(simulated(80, 3))
    monkeypatch.setattr(fit_usability, "read_photos", lambda *_: photos)
    monkeypatch.setattr(fit_usability, "RecordingModels", lambda models: None)
    page, scores = tmp_path / "validation.md", tmp_path / "scores.json"

    fit_usability.main(["photos", "--weights", str(tmp_path), "--page", str(page), "--scores", str(scores)])

    assert (tmp_path / USABILITY_FILE).is_file()
    assert UsabilityModel.load(tmp_path).fitted["photos"] == 80
    figures = json.loads(scores.read_text())
    assert f"{figures['all']['auroc']['score'][0]:.3f}" in page.read_text()
    assert "`glare`" in page.read_text()
    drawn = ET.fromstring((tmp_path / "validation.svg").read_text())
    assert {one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")} >= {"relaxed", "normal", "strict"}
