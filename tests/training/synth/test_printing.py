from dataclasses import replace

import numpy as np
import pytest

from training.synth import printing
from training.synth.sheet import Barcode, Box, Rule, Sheet, Text


@pytest.fixture
def sheet() -> Sheet:
    return Sheet(
        80.0,
        100.0,
        (
            Text("BOOK STORE", 15.0, 5.0, 50.0, 6.0, "merchant_name", bold=True),
            Text("Date: ", 5.0, 20.0, 12.0, 3.4),
            Text("25/12/2018", 17.0, 20.0, 20.0, 3.4, "document_date"),
            Text("PAID", 5.0, 30.0, 16.0, 4.0, inverse=True),
            Text("TOTAL", 5.0, 40.0, 12.0, 4.0),
            Text("€9.00", 60.0, 40.0, 12.0, 4.0, "total"),
            Rule(5.0, 48.0, 70.0, dashed=True),
            Box(5.0, 52.0, 20.0, 8.0),
            Barcode(5.0, 65.0, 50.0, 10.0),
            Barcode(58.0, 65.0, 20.0, 20.0, square=True),
        ),
    )


def darkness(printed: printing.PrintedPage, run: printing.DrawnText) -> np.ndarray:
    """How much darker than the paper each pixel of a run's box is, 0..1."""
    (left, top), (right, bottom) = np.round(run.polygon[[0, 2]]).astype(int)
    paper = np.percentile(printed.pixels[..., 1], 90)
    return (paper - printed.pixels[top:bottom, left:right, 1]) / paper


def test_every_run_has_ink_in_its_polygon(sheet):
    """There are as many runs as texts, and each has ink at its reported position."""
    for seed in range(4):
        printed = printing.print_sheet(sheet, np.random.default_rng(seed))

        assert [run.text for run in printed.runs] == [text.text for text in sheet.texts()]
        for run in printed.runs:
            assert (darkness(printed, run) > 0.15).mean() > 0.05, run.text


def test_a_run_keeps_its_field_and_position(sheet):
    """The box on the page is the box of the sheet, in pixels."""
    printed = printing.print_sheet(sheet, np.random.default_rng(1), px_per_mm=8.0)
    total = next(run for run in printed.runs if run.field == "total")

    left, top = total.polygon.min(0)
    assert left >= 60.0 * 8 - 1
    assert top == pytest.approx(40.0 * 8, abs=1)
    assert total.polygon[:, 0].max() <= 72.0 * 8 + 1


def test_letters_fill_the_width_of_their_box(sheet):
    """Glyphs are stretched to the box, so that boxes of sheet and page agree."""
    printed = printing.print_sheet(sheet, np.random.default_rng(2), px_per_mm=9.0)
    date = next(run for run in printed.runs if run.field == "document_date")

    inked = np.flatnonzero((darkness(printed, date) > 0.2).any(axis=0))
    assert date.polygon[1, 0] - date.polygon[0, 0] == pytest.approx(20.0 * 9, rel=0.05)
    assert inked[-1] - inked[0] > 0.85 * 20.0 * 9


def test_a_single_letter_is_not_stretched_over_a_wide_box():
    """One digit in a wide column keeps its shape, in the middle of its box."""
    sheet = Sheet(80.0, 30.0, (Text("8", 10.0, 10.0, 60.0, 4.0, "total"),))
    (run,) = printing.print_sheet(sheet, np.random.default_rng(0), px_per_mm=8.0).runs

    assert run.polygon[1, 0] - run.polygon[0, 0] < 60.0 * 8 / 4
    assert run.polygon[:, 0].mean() == pytest.approx(40.0 * 8, abs=2)


def test_inverse_text_is_paper_on_ink(sheet):
    """White on black: the box has more ink than paper, and some of both."""
    printed = printing.print_sheet(sheet, np.random.default_rng(3))
    inverse = darkness(printed, printed.runs[3]) > 0.15

    assert 0.5 < inverse.mean() < 0.98


def test_a_receipt_is_560_to_800_px_wide(sheet):
    """Without px_per_mm a page has the resolution of a good photo."""
    for seed in range(5):
        assert 560 <= printing.print_sheet(sheet, np.random.default_rng(seed)).pixels.shape[1] <= 800


def test_same_seed_prints_the_same_page(sheet):
    """Pages are reproducible from their seed."""
    first, again = (printing.print_sheet(sheet, np.random.default_rng(5)) for _ in range(2))

    assert np.array_equal(first.pixels, again.pixels)
    assert not np.array_equal(first.pixels.shape, printing.print_sheet(sheet, np.random.default_rng(6)).pixels.shape)


def test_ink_contrast_is_measured_on_letters(sheet):
    """The reported contrast is in a plausible range, and nan on an empty page."""
    for seed in range(4):
        printed = printing.print_sheet(sheet, np.random.default_rng(seed))

        assert 20 < printed.ink_contrast < 100
    assert np.isnan(printing.print_sheet(Sheet(80.0, 30.0), np.random.default_rng(0)).ink_contrast)


def test_a_pale_logo_does_not_lower_the_contrast(sheet):
    """Only letters count, however large the logo is."""
    emblem = Box(5.0, 5.0, 60.0, 60.0, filled=True, ink=(225, 240, 225))
    plain, adorned = (
        printing.print_sheet(replace(sheet, marks=marks), np.random.default_rng(3))
        for marks in (sheet.marks, (emblem, *sheet.marks))
    )

    assert adorned.ink_contrast > plain.ink_contrast - 10


def test_needles_print_dots(sheet):
    """A sheet in a dot face goes through a needle printer, which leaves gaps in its strokes."""
    dotted = Sheet(80.0, 30.0, (Text("IIIIIIIIII", 10.0, 5.0, 40.0, 8.0, face="dot"),))
    printed = printing.print_sheet(dotted, np.random.default_rng(1), px_per_mm=10.0)

    column = darkness(printed, printed.runs[0]).max(axis=1)
    middle = column[len(column) // 4 : -len(column) // 4]
    assert middle.max() - middle.min() > 0.1
