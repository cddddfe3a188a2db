"""The currency that a page prints, by its codes and signs."""

import re
from collections.abc import Iterable

# Codes by ISO 4217, and what else names one currency only: not "$", "kr" or "Fr.", which several countries use.
CURRENCY_CODES = (
    "AED AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF IDR INR JPY MXN MYR NOK NZD PEN PHP PLN RON SEK SGD THB TRY USD ZAR"
).split()
_SIGNS = {
    "EUR": r"€|\bEUROS?\b", "GBP": "£", "INR": r"₹|\bRs\.?(?=\s?-?\d)", "MYR": r"\bRM(?=\s?\d)",
    "PLN": r"(?<=\d)\s?zł\b", "CZK": r"\bKč", "TRY": r"₺|(?<=\d)\s?TL\b", "RON": r"(?<=\d)\s?LEI\b",
    "BRL": r"R\$", "USD": r"US\$", "SGD": r"S\$",
    "PEN": r"S/\.?(?=\s?\d)", "ZAR": r"(?<![\w$])R(?=\s?\d+[.,]\d\d)", "JPY": r"(?<=\d)\s?円", "HUF": r"(?<=\d)\s?Ft\b",
}  # fmt: skip
_PRINTED = {
    code: re.compile(rf"\b{code}\b|{_SIGNS[code]}" if code in _SIGNS else rf"\b{code}\b") for code in CURRENCY_CODES
}


def find_currency(texts: Iterable[str]) -> str | None:
    """Return the currency (ISO 4217) that lines of text name; None if they name none, or several."""
    page = "\n".join(texts)
    found = [code for code, form in _PRINTED.items() if form.search(page)]
    return found[0] if len(found) == 1 else None


def is_currency(text: str) -> bool:
    """Whether a text in front of a number is a currency: "EUR", "RM"."""
    return find_currency([f"{text} 1.00"]) is not None
