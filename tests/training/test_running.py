"""What training runs do alike."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from training import donut, language, quality, reader, zones

CONFIGS = Path(__file__).parents[2] / "training" / "configs"


@pytest.mark.parametrize("program", [donut, language, quality, reader, zones])
def test_a_setting_that_is_not_known_is_named(program, tmp_path):
    """A slip of the pen must not train for hours with what is usual."""
    committed = CONFIGS / f"{program.__name__.rpartition('.')[2]}.toml"
    slipped = tmp_path / "slipped.toml"
    slipped.write_text("stepps = 1\n" + committed.read_text())

    assert type(program.Settings.read(committed)) is program.Settings
    with pytest.raises(ValidationError, match="stepps"):
        program.Settings.read(slipped)
