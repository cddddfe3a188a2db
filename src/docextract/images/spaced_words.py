"""Words in parts: letter-spaced print, form fields with a box for each character, and decimals that are drawn apart."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from docextract.images.glyph_lines import Glyph, is_joined

_MIN_STEPS = 3  # from character to character of spaced print
_TOLERANCE = 0.12  # heights by which its steps differ; pairs such as "To" are set closer
_EVEN_TOLERANCE, _MIN_EVEN_SHARE = 0.04, 0.7  # heights by which most steps differ, and how many
_MIN_STEP_SHARE = 0.6  # of all gaps of spaced print; the others are between its words
_MIN_APART_SHARE = 0.5  # of steps that are as wide as a space
_MIN_ALNUM_SHARE = 0.5  # of characters
_MAX_SPACE = 0.35  # heights of an ordinary space
_MIN_LETTERS, _MIN_LETTER_SHARE = 4, 0.5  # of characters that ordinary spaces separate, which are no numbers
_MIN_CHARACTERS = 8  # that are one number even then
_MIN_DIFFERENCE = 0.08  # heights between gaps of characters in boxes, which have different widths
_MAX_DECIMAL_GLYPHS = 4  # a mark, two digits, and what tells whether more follow
_MAX_GLYPHS = 64  # that are searched at once: the time does not grow with the square of a line

_DECIMALS = re.compile(r"[.,]\d\d\D?")
_DECIMAL_MARK = re.compile(r"\d[.,]\d")
_Measure = Callable[[Glyph, Glyph], float]


def with_spaced_words(line: Sequence[Glyph]) -> list[Glyph]:
    """Return the glyphs of a line, those of spaced words joined: "INVOICE" of "I N V O I C E".

    Characters are spaced if at least four are at the same distance: between them, or from centre to centre. Decimals
    belong to the digits in front of them: "94.10" of "94 .10".
    """
    joined = {at for at in range(1, len(line)) if _begins_decimals(line, at)}
    end = 0
    for start in range(len(line) - _MIN_STEPS):
        pair = line[start], line[start + 1]
        if start < end or is_joined(*pair) or not any(glyph.char.isalnum() for glyph in pair):
            continue
        steps = _steps(line, start, end, _gap) or _steps(line, start, end, _pitch)
        if steps:
            joined.update(steps)
            end = steps[-1]
    return [replace(glyph, continues_word=True) if at in joined else glyph for at, glyph in enumerate(line)]


def _begins_decimals(line: Sequence[Glyph], at: int) -> bool:
    """Whether a decimal mark with two digits behind it is apart from a digit in front of it, by a gap and no space."""
    before, mark = line[at - 1], line[at]
    if mark.char not in ".," or mark.is_space_typed or not before.char.isdigit() or _gap(before, mark) > _MAX_SPACE:
        return False
    pairs = takewhile(lambda pair: is_joined(*pair), pairwise(line[at : at + _MAX_DECIMAL_GLYPHS]))
    return _DECIMALS.fullmatch(mark.char + "".join(glyph.char for _, glyph in pairs)) is not None


def _gap(before: Glyph, glyph: Glyph) -> float:
    return (glyph.left - before.right) / glyph.height


def _pitch(before: Glyph, glyph: Glyph) -> float:
    return (glyph.left + glyph.right - before.left - before.right) / (2 * glyph.height)


def _steps(line: Sequence[Glyph], start: int, end: int, measure: _Measure) -> list[int]:
    """Return the glyphs that continue words of the spaced print around the gap behind `start`, none before `end`.

    [] if the print is not spaced. Larger gaps are between words.
    """
    width = measure(line[start], line[start + 1])
    first = start
    while first > max(end, start - _MAX_GLYPHS) and abs(measure(line[first - 1], line[first]) - width) <= _TOLERANCE:
        first -= 1
    steps = [*range(first + 1, start + 2)]
    for at in range(start + 2, min(start + _MAX_GLYPHS, len(line))):
        excess = measure(line[at - 1], line[at]) - width
        if abs(excess) <= _TOLERANCE:
            steps.append(at)
        elif excess < 0 or steps[-1] < at - 1:
            break
    steps = _without_parts_of_words(line, steps)
    return steps if _are_spaced(line, steps, measure) else []


def _without_parts_of_words(line: Sequence[Glyph], steps: list[int]) -> list[int]:
    """Leave out the first and the last step if they lead from or to a word whose letters are not apart."""
    first, last = steps[0] - 1, steps[-1]
    leads_from_word = first > 0 and line[first - 1].char.isalnum() and is_joined(line[first - 1], line[first])
    leads_to_word = last + 1 < len(line) and line[last + 1].char.isalnum() and is_joined(line[last], line[last + 1])
    return steps[leads_from_word : len(steps) - leads_to_word]


def _are_spaced(line: Sequence[Glyph], steps: Sequence[int], measure: _Measure) -> bool:
    """Whether steps are those of spaced print: many, even, as wide as spaces, and all of them typed or none."""
    if len(steps) < _MIN_STEPS or len(steps) < _MIN_STEP_SHARE * (steps[-1] - steps[0] + 1):
        return False
    widths = sorted(measure(line[at - 1], line[at]) for at in steps)
    even = sum(abs(width - widths[len(widths) // 2]) <= _EVEN_TOLERANCE for width in widths)
    apart = sum(not is_joined(line[at - 1], line[at]) for at in steps)
    chars = [line[at].char for at in (steps[0] - 1, *steps)]
    return (
        even >= _MIN_EVEN_SHARE * len(steps)
        and apart >= _MIN_APART_SHARE * len(steps)
        and len({line[at].is_space_typed for at in steps}) == 1
        and len(set(chars)) > 1
        and (len(chars) >= _MIN_CHARACTERS or not all(map(str.isdigit, chars)))
        and sum(map(str.isalnum, chars)) >= _MIN_ALNUM_SHARE * len(chars)
        and (not _may_be_spaces(line, steps) or _are_one_text(chars, line[steps[0]].is_space_typed))
    )


def _may_be_spaces(line: Sequence[Glyph], steps: Sequence[int]) -> bool:
    """Whether ordinary spaces are between characters. In a form with boxes, the centres are even and not the gaps."""
    if line[steps[0]].is_space_typed:
        return True
    gaps, pitches = (sorted(measure(line[at - 1], line[at]) for at in steps) for measure in (_gap, _pitch))
    are_in_boxes = pitches[-1] - pitches[0] <= _EVEN_TOLERANCE and gaps[-1] - gaps[0] >= _MIN_DIFFERENCE
    return not are_in_boxes and gaps[len(gaps) // 2] <= _MAX_SPACE


def _are_one_text(chars: Sequence[str], is_typed: bool) -> bool:
    """Whether characters with spaces between them are a word or a number: "A § 2 3" and "2 x 3 = 6" are none."""
    letters = sum(map(str.isalpha, chars))
    is_word = letters >= _MIN_LETTERS and letters > _MIN_LETTER_SHARE * len(chars)
    has_decimal_mark = _DECIMAL_MARK.search("".join(chars)) is not None
    return is_word or has_decimal_mark or (len(chars) >= _MIN_CHARACTERS and not is_typed)
