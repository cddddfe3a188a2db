"""Printed pages of lines that are drawn one by one, as a source of text strips."""

from collections.abc import Callable
from typing import Any

import numpy as np

from training.synth import fonts, printing
from training.synth.sheet import Face
from training.synth.typesetting import LineLayout
from training.tasks.ocr.strips import PageSource, Runs

LINES_PER_PAGE = 32
FACES: tuple[Face, ...] = ("sans", "serif", "mono", "condensed")

DrawLine = Callable[[np.random.Generator, int], str]  # a line of at most so many characters


def pages_of_lines(draw_line: DrawLine, seed: int, typefaces: fonts.Share) -> PageSource:
    """Pages of such lines, as printed: without a camera. seed: with the page's number, it decides on everything."""

    def page(number: int) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], Runs]:
        rng = np.random.default_rng((seed, number))
        width_mm, columns = (210.0, 90) if rng.random() < 0.7 else (76.0, 30)
        face = FACES[int(rng.integers(len(FACES)))]
        layout = LineLayout(width_mm, 6.0, float(rng.uniform(2.6, 4.2)), 0.0, face)
        for _ in range(LINES_PER_PAGE):
            layout.left([(draw_line(rng, columns), None)], bold=rng.random() < 0.2)
        printed = printing.print_sheet(layout.sheet(), rng, typefaces=typefaces)
        return printed.pixels, [(run.polygon, run.text) for run in printed.runs]

    return page
