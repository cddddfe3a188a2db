"""Printed lines of numbers: amounts, dates, numbers of documents and accounts.

Each digit is as likely as any other, and nearly each capital letter. No language model and no spelling helps with them,
and on synthetic documents most of them are short.
"""

import numpy as np

# 9 is any digit, A any capital letter, X either.
PATTERNS = (
    # Amounts, quantities, rates.
    "9.99", "99.99", "999.99", "9,999.99", "99,999.99", "9,99", "99,99", "999,99", "9.999,99", "99.999,99",
    "9 999,99", "9'999.99", "99 999,99", "999.99-", "-99,99", "$99.99", "$9,999.99", "€ 999,99", "99,99 €",
    "9.999,99 EUR", "£99.99", "RM999.99", "USD 9,999.99", "CHF 999.99", "999,99 zł", "99 999 Kč", "9 999 Ft",
    "999,99 kr", "99.9 %", "99,9%", "9%", "9 x 99.99", "99 @ 9.99", "9,999 kg", "999 kWh", "(9.99)", "99.99 A",
    "9.99 X", "9,99 B",
    # Dates and times.
    "99.99.9999", "99/99/9999", "99-99-9999", "9999-99-99", "99/99/99", "99.99.99", "99:99", "99:99:99",
    "99-99-99 99:99", "9/99/9999", "9999.99.99", "99 99 9999", "99/9999", "99.99.9999 99:99",
    # Numbers of documents, customers and articles.
    "999", "9999", "99999", "999999", "9999999", "99999999", "999999999", "9999999999", "9999999999999",
    "AA-9999-99999", "9999/99999", "AAA/9999/99/9999", "A99999", "AA999999", "AA999999A", "A9999999",
    "X99-9999-9999", "99-9999999", "9999-999", "#99999", "No. 999999", "A-99999-9", "999-999-9999", "AA99 AAA",
    "99AA99999", "XXXX-XXXX-XXXX", "XXXXXXXXX", "XXXXXX", "A999-9999-9999", "A999 9999 9999", "999 999 999",
    "AAA9999999", "9A", "9a", "99a", "9b", "A9", "AA", "5'-99\"", "999 lb", "999 cm", "XX-XXXXXX-X",
    # Tax numbers, accounts, cards, telephones, postal codes.
    "AA999999999", "AA99999999999", "AA 999 999 999", "AA99 9999 9999 9999 9999 99", "AA9999999999999999",
    "99/999/99999", "999-99-99-999", "AAAAAAAAXXX", "AAAAAA99", "************9999", "XXXXXXXXXXXX9999",
    "9999 9999 9999 9999", "(999) 999-9999", "+99 999 9999999", "99999-9999", "A9A 9A9", "AA9 9AA", "99-999",
    "999 99", "999999-9999", "99999999-9-99", "99.999.999/9999-99", "999.999.999-99", "99999999A", "A99999999",
)  # fmt: skip
_DIGITS, _LETTERS = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CHOICES = {"9": _DIGITS, "A": _LETTERS, "X": _DIGITS + _LETTERS}


def line_of_numbers(rng: np.random.Generator, columns: int) -> str:
    """One to four numbers; at most so many characters."""
    numbers = [draw_number(rng) for _ in range(int(rng.integers(1, 5)))]
    while len(numbers) > 1 and len(" ".join(numbers)) > columns:
        numbers.pop()
    return " ".join(numbers)


def draw_number(rng: np.random.Generator) -> str:
    """A number in one of PATTERNS, all equally likely."""
    pattern = PATTERNS[int(rng.integers(len(PATTERNS)))]
    return "".join(_drawn(_CHOICES[char], rng) if char in _CHOICES else char for char in pattern)


def _drawn(choices: str, rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]
