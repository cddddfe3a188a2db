"""What stood in the way of a field that was missed: reading, finding, joining, or a label that is not on the page.

noise    the label's letters do not follow each other in the page's own transcript
reading  a word of the label is not among what was read
finding  all of it was read, and the field was left out or put elsewhere
joining  the right lines, and too much or too little of them, or in another order
spelling the letters and digits are right; spaces, points or commas are not
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz

from training.evaluation.accuracy.answered import Answered, bare, comparisons
from training.evaluation.metrics import Comparison

CAUSES = ("noise", "reading", "finding", "joining", "spelling")
OVERLAP = 50.0  # of a hundred: likeness from which two texts are the same place cut differently


def cause(one: Comparison, printed: str, read: Sequence[str], transcript: Sequence[str] = ()) -> str | None:
    """One of CAUSES; None for a field that is right.

    printed: the label as it stands on the page. read: the lines that were read, from the top. transcript: the page's
    true lines, where the label may disagree with them.
    """
    if one.exact:
        return None
    if one.loose:
        return "spelling"
    if transcript and bare(printed) not in "".join(map(bare, transcript)):
        return "noise"
    lines = "\n".join(read).upper()
    if not all(_was_read(word, lines) for word in printed.split()):
        return "reading"
    if one.given is None or not isinstance(one.wanted, str) or one.answer.get("type") not in (None, "string"):
        return "finding"
    alike = fuzz.partial_ratio(bare(one.given), bare(one.wanted))
    return "joining" if alike >= OVERLAP else "finding"


def _was_read(word: str, lines: str) -> bool:
    """Its letters and digits follow each other, whatever signs lie between them; a number is no part of another."""
    letters = bare(word)
    if not letters:
        return True
    before, after = (r"(?<!\d)" if letters[0].isdigit() else "", r"(?!\d)" if letters[-1].isdigit() else "")
    return re.search(before + r"[\W_]*".join(map(re.escape, letters)) + after, lines) is not None


def causes(pages: Iterable[Answered], labels_are_noisy: bool) -> dict[str, Counter[str]]:
    """By field, how often which; "fields" is how many there are, "missed" how many are not exact."""
    found: dict[str, Counter[str]] = {}
    for page, one in comparisons(pages):
        if one.wanted is None:
            continue
        counts = found.setdefault(one.field, Counter())
        counts["fields"] += 1
        why = cause_on(page, one, labels_are_noisy)
        if why is not None:
            counts["missed"] += 1
            counts[why] += 1
    return found


def cause_on(page: Answered, one: Comparison, labels_are_noisy: bool = False) -> str | None:
    """The same of a field on a page that is known through and through."""
    transcript = [run.text for run in page.sample.runs] if labels_are_noisy else []
    printed = " ".join(dict.fromkeys(run.text for run in page.printed(one))) or page.sample.printed.get(one.field, "")
    return cause(one, printed or str(one.wanted), page.read, transcript)
