"""What training runs do alike."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from training.tasks.donut import train as donut_training
from training.tasks.language import train as language_training
from training.tasks.ocr import train as ocr_training
from training.tasks.quality import train as quality_training
from training.tasks.zones import train as zone_training

CONFIGS = Path(__file__).parents[2] / "training" / "configs"


@pytest.mark.parametrize("program", [donut_training, language_training, quality_training, ocr_training, zone_training])
def test_a_setting_that_is_not_known_is_named(program, tmp_path):
    """A slip of the pen must not train for hours with what is usual."""
    committed = CONFIGS / f"{program.__name__.split('.')[2]}.toml"
    slipped = tmp_path / "slipped.toml"
    slipped.write_text("stepps = 1\n" + committed.read_text())

    assert type(program.Settings.read(committed)) is program.Settings
    with pytest.raises(ValidationError, match="stepps"):
        program.Settings.read(slipped)
