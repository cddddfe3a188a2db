"""Tests of the comparison of OCR variants and its page."""

from collections import Counter

import pytest

from benchmarks import reading
from benchmarks.environment import describe_environment
from benchmarks.reading import SERVED_VARIANT, VARIANTS, VariantResult


def make_result(variant, cpu_s_per_page: float, *lines: str) -> VariantResult:
    return VariantResult(variant, cpu_s_per_page, cpu_s_per_page, {"synthetic": 0.5}, [Counter(lines)])


def test_line_agreement_needs_equal_text():
    """The order of lines does not matter; a line that occurs twice counts twice."""
    served = make_result(SERVED_VARIANT, 1.0, "TOTAL 1.00", "TOTAL 1.00", "TEA")

    assert make_result(VARIANTS[0], 1.0, "TEA", "TOTAL 1.00", "TEA 2").line_agreement(served) == pytest.approx(2 / 3)
    assert served.line_agreement(served) == 1.0


def test_page_compares_variants_with_the_first_row(tmp_path):
    """The speed-up is relative to the first row, and the served variant is marked."""
    out = tmp_path / "reading-speed.md"

    reading.write(
        out, [make_result(VARIANTS[0], 2.0, "TEA"), make_result(SERVED_VARIANT, 0.5, "TEA")],
        describe_environment() | {"pages": {"synthetic": 1}, "busy": True},
    )  # fmt: skip

    page = out.read_text()
    assert "**as served** | 0.500 | 0.500 | 4.00 | 50.0 % | 100.0 % |" in page
    assert "busy" in page


def test_variant_is_measured_through_the_served_models(tmp_path):
    """One synthetic page, with the promoted weights."""
    (photo_set,) = reading.photo_sets(tmp_path, None, 1)

    result = reading.measure_variant(SERVED_VARIANT, [photo_set], reading.ROOT / "models")

    assert result.cpu_s_per_page > 0
    assert result.line_texts[0].total() > 5
    assert result.correct_share["synthetic"] > 0.5
