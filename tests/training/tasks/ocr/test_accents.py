"""Lines in which letters with accents are equally frequent."""

from collections import Counter

import numpy as np

from training.tasks.ocr.accents import ACCENTED, accented_line, accented_word, plain_letter


def test_all_letters_are_about_equally_frequent():
    """The rarest of a language is printed at least a quarter as often as the mean."""
    rng = np.random.default_rng(1)
    counts = Counter(char for _ in range(6000) for char in accented_word(rng).lower() if char in ACCENTED)

    assert min(counts[letter] for letter in ACCENTED) > 0.25 * counts.total() / len(ACCENTED)
    assert max(counts.values()) < 5 * counts.total() / len(ACCENTED)


def test_a_letter_without_its_accent_is_plain():
    """Also those that Unicode does not decompose."""
    assert [plain_letter(letter) for letter in "ńěłøß"] == ["n", "e", "l", "o", "s"]
    assert all(plain_letter(letter).isascii() for letter in ACCENTED)


def test_lines_fit_and_capitals_exist_for_every_letter():
    """The length of a text is the same in capitals: one character for each that is printed."""
    rng = np.random.default_rng(2)
    lines = [accented_line(rng, 30) for _ in range(500)]

    assert all(len(line) <= 30 or len(line.split()) == 1 for line in lines)
    assert sum(line.isupper() for line in lines) > 80
    assert not any("SS" in line and line.isupper() and "ß" in line for line in lines)
