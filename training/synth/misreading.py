"""Turns a sheet into the text lines that OCR would report, without pixels: thousands of training pages a second.

Kinds and rates of errors are fitted to those of the text recogniser:

    python -m training.synth.misreading READS SROIE

compares cached OCR results of scans with their transcripts and writes misreading.json next to this file.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from docextract.documents.base import DocumentType
from docextract.predictions import TextLine
from training.synth.labelled_lines import LabelledLine
from training.synth.sheet import Sheet, Text

ERROR_RATES_FILE = Path(__file__).with_suffix(".json")
PX_PER_MM = 8.0
SAME_LINE_GAP = 6.0  # in text heights; a wider gap ends a value: two blocks stand side by side
TYPICAL_GAP = 1.2  # in text heights; a wider gap between two runs ends a line
VISIBLE_GAP = 0.2  # in text heights; a wider gap between two runs is read as a space
GARBAGE_CHARACTERS = ("一", "。", "·", "~", "|", "I", "l", "1", "-", "'", ".", "_", "*", "ii", "口", "工")


NumberedText = tuple[Text, int]


@dataclass(frozen=True)
class ErrorRates:
    """Rates of recognition errors per character, on a typical page."""

    wrong: float  # share of characters that are replaced or dropped
    # What a character becomes ("": dropped), with shares that sum to 1.
    replacements: Mapping[str, Sequence[tuple[str, float]]]
    wrong_of: Mapping[str, float]  # share of wrong ones, by character
    lost_space: float  # share of spaces that are dropped
    lost_line: float  # share of lines that are not detected


@cache
def error_rates() -> ErrorRates:
    """Read the fitted rates from misreading.json."""
    row = json.loads(ERROR_RATES_FILE.read_text())
    replacements = {char: [(new, share) for new, share in others.items()] for char, others in row["instead"].items()}
    return ErrorRates(row["wrong"], replacements, row["wrong_of"], row["lost_space"], row["lost_line"])


@dataclass(frozen=True)
class Glyph:
    """One character of a text line before recognition errors."""

    char: str
    left: float  # px
    right: float
    field: str | None
    occurrence: int


def is_visible_gap(width: float, text_height: float) -> bool:
    """Whether the gap between two runs of a line is read as a space.

    text_height: of the run behind the gap, in the unit of its width.
    """
    return width > VISIBLE_GAP * text_height


def string_fields(document_type: DocumentType) -> frozenset[str]:
    """Return the fields whose value may continue on the next line."""
    return frozenset(field.name for field in document_type.fields() if field.kind.name == "string")


def misread(sheet: Sheet, rng: np.random.Generator, strings: Collection[str]) -> list[LabelledLine]:
    """Return the text lines that OCR would report, with the field of each character.

    A third of the sheets have no recognition errors; a tenth have 2.5 times the fitted rates.

    strings: see string_fields; every run of another field is an occurrence of its own.
    """
    noise = float(rng.choice([0.0, 0.5, 1.0, 2.5], p=[0.3, 0.3, 0.3, 0.1]))
    rows = _rows(number_occurrences(sheet.texts(), strings))
    rows = _cut_page(rows, rng)
    gap = float(rng.uniform(0.7, 1.8))  # in text heights; a wider gap ends a line
    slope, curve = rng.normal(0, 0.008), rng.normal(0, 0.02)
    upper = rng.random() < 0.12
    lines: list[LabelledLine] = []
    for row in rows:
        for group in _join_neighbours(row, gap):
            if rng.random() < error_rates().lost_line * noise:
                continue
            marked = _line(group, noise, upper, slope, curve, sheet.width_mm * PX_PER_MM, rng)
            if marked is not None:
                lines.append(marked)
    lines += [_garbage_line(sheet, rng) for _ in range(rng.poisson(0.4 * noise))]
    return lines


def read_without_errors(sheet: Sheet, gap: float = TYPICAL_GAP) -> list[TextLine]:
    """Return all lines as a reader without errors would report them.

    gap: in text heights; a wider gap between two runs ends a line.
    """
    rows = _rows([(text, 0) for text in sheet.texts()])
    return [line for row in rows for group in _join_neighbours(row, gap) if (line := _exact_line(group))]


def _exact_line(runs: Sequence[NumberedText]) -> TextLine | None:
    """One line; None where nothing is printed."""
    glyphs = _glyphs(runs)
    if not glyphs:
        return None
    left, right = glyphs[0].left, glyphs[-1].right
    top = min(run.y_mm for run, _ in runs) * PX_PER_MM
    bottom = top + max(run.height_mm for run, _ in runs) * PX_PER_MM
    polygon = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    cuts = (np.array([*(glyph.left for glyph in glyphs), right]) - left) / max(right - left, 1.0)
    return TextLine("".join(glyph.char for glyph in glyphs), polygon, 1.0, tuple(np.clip(cuts, 0, 1).tolist()))


def number_occurrences(texts: Sequence[Text], strings: Collection[str]) -> list[NumberedText]:
    """Number the occurrences of each field on the page, from 0.

    A value of one of `strings` may go on beside its texts, below them, or at the start of the next line; its first text
    once more is another occurrence.
    """
    numbered: list[NumberedText] = []
    occurrences: dict[str, list[list[Text]]] = defaultdict(list)
    for text in texts:
        if text.field is None:
            numbered.append((text, 0))
            continue
        own = occurrences[text.field]
        number = _continued(own, text) if own and _field_of_list(text.field) in strings else None
        if number is None:
            number = len(own)
            own.append([])
        own[number].append(text)
        numbered.append((text, number))
    return numbered


def _continued(occurrences: Sequence[Sequence[Text]], text: Text) -> int | None:
    """The number of the occurrence that a text continues: one that it touches, else the last if it is right above."""
    near = [at for at, one in enumerate(occurrences) if 0 <= _lines_below(one[-1], text) <= 1]
    near = [at for at in near if not any(_is_same(text, other) for other in (occurrences[at][0], occurrences[at][-1]))]
    touching = [at for at in near if any(_gap(one, text) < _max_gap(one, text) for one in occurrences[at])]
    next_line = [at for at in near if _lines_below(occurrences[at][-1], text) == 1]
    return next(iter(touching or next_line[-1:]), None)


def _is_same(one: Text, other: Text) -> bool:
    return one.text.strip(" ,") == other.text.strip(" ,")


def _lines_below(one: Text, other: Text) -> int:
    """0: the other text stands on the same line, 1: on the next line, -1: elsewhere."""
    down = (other.y_mm - one.y_mm) / max(one.height_mm, other.height_mm)
    if abs(down) <= 0.5:
        return 0
    return 1 if 0 < down < 1.8 else -1


def _max_gap(one: Text, other: Text) -> float:
    return (SAME_LINE_GAP if _lines_below(one, other) == 0 else 1.0) * max(one.height_mm, other.height_mm)


def _gap(one: Text, other: Text) -> float:
    """The distance of two texts from left to right, in mm; negative if they overlap in this direction."""
    return max(one.x_mm, other.x_mm) - min(one.x_mm + one.width_mm, other.x_mm + other.width_mm)


def _field_of_list(field: str) -> str:
    """Drop the row number: "line_items.2.description" becomes "line_items.description"."""
    parts = field.split(".")
    return field if len(parts) < 3 else f"{parts[0]}.{parts[-1]}"


def _rows(runs: Sequence[NumberedText]) -> list[list[NumberedText]]:
    """Group runs by baseline: rows from the top, runs from the left."""
    rows: list[list[NumberedText]] = []
    for run in sorted(runs, key=lambda one: one[0].y_mm + one[0].height_mm / 2):
        text = run[0]
        last = rows[-1][-1][0] if rows else None
        middle = text.y_mm + text.height_mm / 2
        if last is not None and abs(middle - last.y_mm - last.height_mm / 2) < 0.4 * min(
            text.height_mm, last.height_mm
        ):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [sorted(row, key=lambda one: one[0].x_mm) for row in rows]


def _cut_page(rows: list[list[NumberedText]], rng: np.random.Generator) -> list[list[NumberedText]]:
    """Drop the first or last rows of 6 % of the pages: some photos do not show the whole receipt."""
    if rng.random() > 0.06 or len(rows) < 8:
        return rows
    share = int(rng.integers(1, len(rows) // 3 + 1))
    return rows[share:] if rng.random() < 0.5 else rows[:-share]


def _join_neighbours(row: Sequence[NumberedText], gap: float) -> list[list[NumberedText]]:
    """Group neighbours on a row that a text detector takes for one line."""
    chains: list[list[NumberedText]] = []
    for run in row:
        text = run[0]
        last = chains[-1][-1][0] if chains else None
        if last is not None and text.x_mm - (last.x_mm + _inked_width_mm(last)) < gap * min(
            text.height_mm, last.height_mm
        ):
            chains[-1].append(run)
        else:
            chains.append([run])
    return chains


def _inked_width_mm(text: Text) -> float:
    """Width up to the last character that is not a space, mm."""
    return text.width_mm * len(text.text.rstrip()) / max(1, len(text.text))


def _glyphs(runs: Sequence[NumberedText]) -> list[Glyph]:
    """The characters of runs that are read as one line, with a space where there is a visible gap."""
    glyphs: list[Glyph] = []
    for text, occurrence in runs:
        left, step = text.x_mm * PX_PER_MM, text.width_mm * PX_PER_MM / max(1, len(text.text))
        if glyphs and is_visible_gap(left - glyphs[-1].right, text.height_mm * PX_PER_MM):
            glyphs.append(Glyph(" ", glyphs[-1].right, left, None, 0))
        glyphs += [
            Glyph(char, left + at * step, left + (at + 1) * step, text.field, occurrence)
            for at, char in enumerate(text.text)
        ]
    return _squeeze_spaces(glyphs)


def _squeeze_spaces(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Replace several spaces by one, and drop spaces at both ends."""
    out: list[Glyph] = []
    for glyph in glyphs:
        if glyph.char.isspace():
            if out and out[-1].char != " ":
                out.append(replace(glyph, char=" "))
        else:
            out.append(glyph)
    while out and out[-1].char == " ":
        out.pop()
    return out


def _apply_errors(glyphs: Sequence[Glyph], noise: float, rng: np.random.Generator) -> tuple[list[Glyph], int]:
    """Return the characters as the recogniser would report them, and the number of wrong ones."""
    rates = error_rates()
    draws = rng.random(len(glyphs))
    out: list[Glyph] = []
    wrong = 0
    for glyph, draw in zip(glyphs, draws, strict=True):
        if glyph.char == " ":
            if draw >= rates.lost_space * min(noise, 1.5):
                out.append(glyph)
            continue
        rate = rates.wrong_of.get(glyph.char.upper(), rates.wrong) * noise
        if draw >= rate:
            out.append(glyph)
            continue
        wrong += 1
        options = rates.replacements.get(glyph.char.upper(), [("", 1.0)])
        new = options[int(rng.choice(len(options), p=[share for _, share in options]))][0]
        if new:
            out.append(replace(glyph, char=new.lower() if glyph.char.islower() else new))
    return _squeeze_spaces(out), wrong


def _line(
    runs: Sequence[NumberedText],
    noise: float,
    upper: bool,
    slope: float,
    curve: float,
    width: float,
    rng: np.random.Generator,
) -> LabelledLine | None:
    """One text line with polygon, confidence and character positions; None when all of it is lost."""
    glyphs, wrong = _apply_errors(_glyphs(runs), noise, rng)
    if not glyphs:
        return None
    text = "".join(glyph.char for glyph in glyphs)
    if upper and len(text.upper()) == len(text):
        text = text.upper()
    left, right = glyphs[0].left, glyphs[-1].right
    top = min(run.y_mm for run, _ in runs) * PX_PER_MM
    height = max(run.height_mm for run, _ in runs) * PX_PER_MM
    polygon = np.array([[left, top], [right, top], [right, top + height], [left, top + height]], np.float32)
    polygon[:, 1] += slope * polygon[:, 0] + curve * height * (polygon[:, 0] / width)
    polygon += rng.normal(0, 0.04 * height, (4, 2)).astype(np.float32)
    polygon[:, 1] += np.float32(rng.normal(0, 0.05 * height))
    borders = [glyph.left for glyph in glyphs] + [right]
    cuts = np.clip((np.array(borders) - left) / max(right - left, 1.0), 0, 1)
    confidence = float(np.clip(1 - 0.25 * wrong / len(glyphs) ** 0.5 - rng.exponential(0.015 + 0.01 * noise), 0.5, 1))
    return LabelledLine(TextLine(text, polygon, confidence, tuple(cuts.tolist())), _marks(glyphs))


def _marks(glyphs: Sequence[Glyph]) -> tuple[tuple[int, int, str, int], ...]:
    """Ranges of characters that belong to one occurrence of a field: (start, end, field, occurrence)."""
    marks: list[tuple[int, int, str, int]] = []
    for at, glyph in enumerate(glyphs):
        if glyph.field is None:
            continue
        if marks and marks[-1][1] == at and marks[-1][2:] == (glyph.field, glyph.occurrence):
            marks[-1] = (marks[-1][0], at + 1, glyph.field, glyph.occurrence)
        else:
            marks.append((at, at + 1, glyph.field, glyph.occurrence))
    return tuple(marks)


def _garbage_line(sheet: Sheet, rng: np.random.Generator) -> LabelledLine:
    """A false detection: texture that OCR reports as text."""
    text = "".join(str(rng.choice(GARBAGE_CHARACTERS)) for _ in range(int(rng.integers(1, 4))))
    x, y = rng.uniform(0, sheet.width_mm) * PX_PER_MM, rng.uniform(0, sheet.height_mm) * PX_PER_MM
    height = rng.uniform(1.5, 5) * PX_PER_MM
    box = np.array([[0, 0], [len(text) * height / 2, 0], [len(text) * height / 2, height], [0, height]], np.float32)
    return LabelledLine(TextLine(text, box + np.array([x, y], np.float32), float(rng.uniform(0.5, 0.8))), ())


def fit_error_rates(reads: Path, sroie: Path) -> dict[str, object]:
    """Count recognition errors on the scans of SROIE's training split; case is ignored: transcripts are upper case."""
    from rapidfuzz.distance import Levenshtein

    from training.datasets import reads as cached

    names = set(json.loads((sroie / "splits.json").read_text())["train"])
    character_counts: Counter[str] = Counter()
    replacements: dict[str, Counter[str]] = defaultdict(Counter)
    lines = lost = 0
    for name, read in cached.load(reads).items():
        if name not in names:
            continue
        for polygon, truth in _transcript(sroie / "lines" / f"{name}.csv"):
            lines += 1
            text = _read_at(polygon, read.lines)
            lost += not text and not _covered(polygon, read.lines)
            if not text or Levenshtein.normalized_similarity(truth, text) < 0.7:
                continue
            character_counts.update(truth)
            for edit in Levenshtein.editops(truth, text):
                if edit.tag == "replace":
                    replacements[truth[edit.src_pos]][text[edit.dest_pos]] += 1
                elif edit.tag == "delete":
                    replacements[truth[edit.src_pos]][""] += 1
    spaces = replacements.pop(" ", Counter())
    errors = sum(sum(counts.values()) for counts in replacements.values())
    return {
        "wrong": round(errors / max(1, sum(character_counts.values()) - character_counts[" "]), 5),
        "wrong_of": {
            c: round(sum(n.values()) / character_counts[c], 5)
            for c, n in sorted(replacements.items())
            if character_counts[c] >= 50
        },
        "instead": {
            char: _shares(counts.most_common(12))
            for char, counts in sorted(replacements.items())
            if character_counts[char] >= 50
        },
        "lost_space": round(spaces[""] / max(1, character_counts[" "]), 5),
        "lost_line": round(lost / max(1, lines), 5),
    }


def _covered(polygon: np.ndarray, lines: Sequence[TextLine]) -> bool:
    """Whether OCR found text at the middle of a transcript's box, even as part of a longer line."""
    x, y = polygon.mean(axis=0)
    low, high = (
        np.array([line.polygon.min(axis=0) for line in lines]),
        np.array([line.polygon.max(axis=0) for line in lines]),
    )
    return bool(len(lines)) and bool(((low <= (x, y)) & ((x, y) <= high)).all(axis=1).any())


def _shares(counts: Sequence[tuple[str, int]]) -> dict[str, float]:
    """Counts as shares that sum to 1."""
    total = sum(count for _, count in counts)
    return {char: count / total for char, count in counts}


def _transcript(path: Path) -> list[tuple[np.ndarray, str]]:
    """Polygons [4, 2] and upper-case texts of a transcript file of SROIE."""
    found = []
    for row in path.read_text(errors="replace").splitlines():
        parts = row.split(",", 8)
        if len(parts) == 9 and parts[8].strip():
            found.append((np.array(parts[:8], np.float32).reshape(4, 2), parts[8].strip().upper()))
    return found


def _read_at(polygon: np.ndarray, lines: Sequence[TextLine]) -> str:
    """The text that OCR reported inside the box of a transcript, from left to right, in upper case."""
    (left, top), (right, bottom) = polygon.min(axis=0), polygon.max(axis=0)
    inside = []
    for line in lines:
        x, y = line.polygon.mean(axis=0)
        if left <= x <= right and top <= y <= bottom:
            inside.append((float(line.polygon[0, 0]), line.text))
    return " ".join(text for _, text in sorted(inside)).upper()


def main() -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reads", type=Path)
    parser.add_argument("sroie", type=Path)
    options = parser.parse_args()
    found = fit_error_rates(options.reads, options.sroie)
    ERROR_RATES_FILE.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    print({name: value for name, value in found.items() if isinstance(value, float)})


if __name__ == "__main__":
    main()
