"""What was tried to read faster, and how the page tells it."""

from collections import Counter

import pytest

from benchmarks import reading
from benchmarks.reading import CHOSEN, VARIANTS, Tried
from benchmarks.environment import surroundings


def came_of(variant, cpu_s: float, *lines: str) -> Tried:
    return Tried(variant, cpu_s, cpu_s, {"made up": 0.5}, [Counter(lines)])


def test_lines_are_alike_letter_for_letter():
    """However they are ordered; a line that stands twice counts twice."""
    chosen = came_of(CHOSEN, 1.0, "TOTAL 1.00", "TOTAL 1.00", "TEA")

    assert came_of(VARIANTS[0], 1.0, "TEA", "TOTAL 1.00", "TEA 2").alike(chosen) == pytest.approx(2 / 3)
    assert chosen.alike(chosen) == 1.0


def test_the_page_holds_everything_against_the_first_line(tmp_path):
    """And says which one is served."""
    out = tmp_path / "reading-speed.md"

    reading.write(
        out, [came_of(VARIANTS[0], 2.0, "TEA"), came_of(CHOSEN, 0.5, "TEA")],
        surroundings() | {"pages": {"made up": 1}, "busy": True},
    )  # fmt: skip

    page = out.read_text()
    assert "**as served** | 0.500 | 0.500 | 4.00 | 50.0 % | 100.0 % |" in page
    assert "busy" in page


def test_a_variant_goes_through_the_served_models(tmp_path):
    """One synthetic page, by the promoted weights."""
    (sheet,) = reading.sheets(tmp_path, None, 1)

    found = reading.tried(CHOSEN, [sheet], reading.ROOT / "models")

    assert found.cpu_s > 0
    assert found.texts[0].total() > 5
    assert found.right["made up"] > 0.5
