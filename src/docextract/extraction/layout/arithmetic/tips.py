"""Tells tips and change by their labels, of which the network takes some for taxes, discounts or each other."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from docextract.documents.printed_labels import is_caption
from docextract.extraction.layout.arithmetic.sums import SUBTRACTED, TAX
from docextract.extraction.layout.candidates import Candidate, Candidates, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import PageCells, pieces_of

CHANGE, TIP = "change", "tip"
LABELLED_PROBABILITY = 0.6  # of an amount behind the label of a tip
_MISTAKEN = frozenset({CHANGE, TAX, SUBTRACTED})  # what the network may take a tip for


def with_labelled_tip(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates with the amount behind the label of a tip, which is no change and no tax: "Trinkgeld 6,00".

    On types without tips they stay as they are.
    """
    tips = labelled_amounts(TIP, page, PageCells(page)) if page.single_field(TIP) else []
    if len({one.value for one in tips}) != 1 or not tips[0].value:
        return dict(found)
    own = pieces_of(tips)
    others = {name: one for name, one in found.items() if name not in _MISTAKEN or own.isdisjoint(one.piece_indices)}
    labelled = at_least(tips[0], LABELLED_PROBABILITY)
    known = others.get(TIP, labelled)
    return {**others, TIP: known if known.is_likely else labelled}


def labelled_amounts(name: str, page: PageLabels, cells: PageCells) -> list[Candidate]:
    """Return the amounts that are alone beside the label of a tip or of change."""
    field = page.single_field(name)
    if field is None or field.kind.name != "currency":
        return []
    labelled = [cell for cell in cells.numbers() if _is_label(cells.words_beside(cell), name, page)]
    return [one for cell in labelled if (one := candidate_of(field, cell, page))]


def _is_label(words: Sequence[Span], field: str, page: PageLabels) -> bool:
    return len(words) == 1 and is_caption(page.text(words[0]), f"{field}_label")


def possible_tips(candidates: Candidates) -> tuple[Decimal, ...]:
    """Return what a sum may have as a tip: nothing, or the given tip."""
    tip = candidates.fields.get(TIP)
    if tip is None or not tip.is_likely or not isinstance(tip.value, Decimal):
        return (Decimal(0),)
    return (Decimal(0), tip.value)
