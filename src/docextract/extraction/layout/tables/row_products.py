"""The numbers of a row of which one is the product of the others: quantity times price, and a rate of a net amount."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import TAX_RATE, pieces_of

FACTORS = QUANTITY, PRICE, AMOUNT = ("quantity", "unit_price", "amount")  # the product of the first two is the third
UNIT = "unit"
NET, RATE = "net_amount", "rate"
TAX_FACTORS = (NET, RATE, AMOUNT)  # of a row of taxes
PROVEN_PROBABILITY = 0.9  # of a value that makes the product right
TOLERANCE = Decimal("0.01")  # of the product
ROUNDING, ROUNDING_WITHOUT_CENTS = Decimal("0.02"), Decimal("0.5")  # differences that contradict nothing
_THOUSANDS = re.compile(r"\D*\d{1,3}[.,]\d{3}\D*")  # or three decimals
_GROUPED = re.compile(r"\d{1,3}(?: \d{3})+(?:[.,]\d\d)?")


@dataclass(frozen=True)
class RowProduct:
    """Three numbers of a row of which the last one is the product of the others, divided by `divisor`."""

    factors: tuple[str, str, str]
    divisor: int = 1

    def product_and_amount(self, row: Mapping[str, Candidate]) -> tuple[Decimal, Decimal] | None:
        """Return both; None where a number is missing, or is text in a type that users describe."""
        values = [row[leaf].value for leaf in self.factors if leaf in row]
        numbers = [Decimal(value) for value in values if isinstance(value, Decimal | int)]
        if len(numbers) < len(self.factors):
            return None
        first, second, amount = numbers
        return first * second / self.divisor, amount

    def is_right(self, row: Mapping[str, Candidate]) -> bool:
        """Whether a row has all three numbers, and they agree."""
        numbers = self.product_and_amount(row)
        return numbers is not None and abs(numbers[0] - numbers[1]) <= TOLERANCE

    def evidence(self, row: Mapping[str, Candidate]) -> float:
        """Return 1 for numbers that agree, -1 for those that contradict each other, else 0.

        Amounts may be rounded, and those of credit notes may be negative alone. Zero agrees with everything.
        """
        numbers = self.product_and_amount(row)
        if numbers is None or not all(numbers):
            return 0.0
        product, amount = map(abs, numbers)
        rounding = ROUNDING if amount % 1 else ROUNDING_WITHOUT_CENTS
        return 1.0 if self.is_right(row) else 0.0 if abs(product - amount) <= rounding else -1.0


PRICE_PRODUCT, TAX_PRODUCT = RowProduct(FACTORS), RowProduct(TAX_FACTORS, divisor=100)  # rates are in percent
ROW_PRODUCTS = (PRICE_PRODUCT, TAX_PRODUCT)
SHARE_PRODUCT = RowProduct((PRICE, TAX_RATE, AMOUNT), divisor=100)  # of a row of commissions


def have_product(fields: Mapping[str, Field]) -> bool:
    """Whether the rows of a list have a quantity, a price and an amount, by leaf."""
    kinds = [fields[leaf].kind.name if leaf in fields else "" for leaf in FACTORS]
    return kinds[0] in ("number", "integer") and kinds[1:] == ["currency", "currency"]


def has_right_product(known: Mapping[str, Candidate]) -> bool:
    """Whether a row has all three numbers, and quantity times price is the amount."""
    return PRICE_PRODUCT.is_right(known)


def without_share(known: Mapping[str, Candidate]) -> dict[str, Candidate]:
    """Return a row without its price and its rate of tax if the amount is that rate of the price, and not its product.

    A commission: "Reservations 41 18,240.00 15 % 2,736.00". The sales are no price, and their share is no tax.
    """
    is_commission = SHARE_PRODUCT.evidence(known) > 0 and not has_right_product(known)
    return {leaf: one for leaf, one in known.items() if not is_commission or leaf not in (PRICE, TAX_RATE)}


def read_again(
    known: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels, numbers: Sequence[Span]
) -> dict[str, Candidate]:
    """Return another reading of one of the three numbers with which the product is right; {} if there is none.

    Three digits behind a separator are decimals or thousands, as the product tells; where those of the quantity and of
    an amount may be both, it does not. An amount may have digits in front that are no value: "4 353.95".
    """
    may_be_thousands = {leaf for leaf, one in known.items() if _THOUSANDS.fullmatch(one.content)}
    leaves = (QUANTITY,) if QUANTITY in may_be_thousands else may_be_thousands
    readings = [(leaf, replace(known[leaf], value=_with_other_mark(known[leaf].value))) for leaf in leaves]
    for leaf in (PRICE, AMOUNT):
        own, others = set(known[leaf].piece_indices), pieces_of(one for name, one in known.items() if name != leaf)
        for cell in numbers:
            if own < set(cell) and others.isdisjoint(cell) and _GROUPED.fullmatch(page.text(cell)):
                longer = candidate_of(fields[leaf], cell, page)
                readings += [(leaf, longer)] if longer else []
    right = [{leaf: one} for leaf, one in readings if has_right_product({**known, leaf: one})]
    return right[0] if len(right) == 1 else {}


def _with_other_mark(number: Decimal) -> Decimal:
    """Return a number with its three decimals as thousands, or with three of its digits as decimals."""
    return number * 1000 if number.as_tuple().exponent == -3 else number / 1000
