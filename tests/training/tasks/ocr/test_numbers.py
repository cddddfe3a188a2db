"""Lines of numbers in which all characters are equally likely."""

from collections import Counter

import numpy as np

from training.tasks.ocr.numbers import draw_number, line_of_numbers


def test_all_digits_and_letters_are_equally_likely():
    rng = np.random.default_rng(1)
    counts = Counter(char for _ in range(6000) for char in draw_number(rng))
    digits, letters = [counts[char] for char in "0123456789"], [counts[char] for char in "BGIOQVZ"]

    assert max(digits) < 1.15 * min(digits)
    assert max(letters) < 1.3 * min(letters)


def test_lines_of_numbers_fit():
    rng = np.random.default_rng(2)
    lines = [line_of_numbers(rng, 30) for _ in range(500)]

    assert all(0 < len(line) <= 30 for line in lines)
    assert len(set(lines)) > 450
