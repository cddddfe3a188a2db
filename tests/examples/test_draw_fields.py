"""The example that draws fields: values of every form are one line of text."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "draw_fields.py"))


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("BAKERY", "BAKERY"),
        (7.5, "7.5"),
        ({"amount": "9.00", "currency": "GBP"}, "9.00 GBP"),
        ({"amount": "9.00", "currency": None}, "9.00"),
        ({"format": "TD1", "lines": ["I<UTO", "740812"], "valid": True}, "TD1 I<UTO 740812 True"),
    ],
)
def test_values_of_every_form_are_one_line(value, line):
    """Passports have a machine-readable zone, whose value has parts."""
    assert EXAMPLE["format_value"](value) == line
