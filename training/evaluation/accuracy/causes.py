"""Why a field is wrong: reading, finding, joining, spelling, or a label that is not on the page.

noise    the label's letters do not stand one after the other in the page's own transcript
reading  a word of the label is not in the OCR text
finding  the OCR text has all of it, and the field was left out or another place was chosen
joining  the right lines were chosen, with too much or too little of them, or in another order
spelling letters and digits are right; spaces or punctuation are not
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz

from training.evaluation.accuracy.page_results import PageResult, alphanumeric, iter_comparisons
from training.metrics import Comparison

CAUSES = ("noise", "reading", "finding", "joining", "spelling")
MIN_OVERLAP = 50.0  # similarity, 0..100, from which two texts are the same place with other limits


def error_cause(one: Comparison, printed: str, ocr_lines: Sequence[str], transcript: Sequence[str] = ()) -> str | None:
    """One of CAUSES; None for a field that is right.

    printed: the label as it is printed on the page. ocr_lines: from top to bottom. transcript: the page's true lines,
    for pages whose labels may disagree with them.
    """
    if one.exact:
        return None
    if one.loose:
        return "spelling"
    if transcript and alphanumeric(printed) not in "".join(map(alphanumeric, transcript)):
        return "noise"
    lines = "\n".join(ocr_lines).upper()
    if not all(_is_in(word, lines) for word in printed.split()):
        return "reading"
    if one.predicted is None or not isinstance(one.expected, str) or one.answer.get("type") not in (None, "string"):
        return "finding"
    similarity = fuzz.partial_ratio(alphanumeric(one.predicted), alphanumeric(one.expected))
    return "joining" if similarity >= MIN_OVERLAP else "finding"


def _is_in(word: str, lines: str) -> bool:
    """Whether a word is in the text, ignoring punctuation; a number may not be part of a longer one."""
    letters = alphanumeric(word)
    if not letters:
        return True
    before, after = (r"(?<!\d)" if letters[0].isdigit() else "", r"(?!\d)" if letters[-1].isdigit() else "")
    return re.search(before + r"[\W_]*".join(map(re.escape, letters)) + after, lines) is not None


def count_causes(results: Iterable[PageResult], labels_are_noisy: bool) -> dict[str, Counter[str]]:
    """Counts of causes by field. "fields" is the number of labelled fields, "missed" of those that are not exact."""
    found: dict[str, Counter[str]] = {}
    for result, one in iter_comparisons(results):
        if one.expected is None:
            continue
        counts = found.setdefault(one.field, Counter())
        counts["fields"] += 1
        why = error_cause_on(result, one, labels_are_noisy)
        if why is not None:
            counts["missed"] += 1
            counts[why] += 1
    return found


def error_cause_on(result: PageResult, one: Comparison, labels_are_noisy: bool = False) -> str | None:
    """The same as error_cause, with the printed text and the OCR lines of a page result."""
    transcript = [run.text for run in result.page.runs] if labels_are_noisy else []
    printed = " ".join(dict.fromkeys(run.text for run in result.printed_runs(one)))
    printed = printed or result.page.printed.get(one.field, "") or str(one.expected)
    return error_cause(one, printed, result.ocr_lines, transcript)
