"""Decodes the frame scores of machine-readable zone lines into the most likely zone (ICAO Doc 9303).

The characters that the format allows in a column decide first, then the check digits. They choose only among characters
that the network considers possible.
"""

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from docextract.documents.countries import is_country_code
from docextract.documents.mrz.fitting import ALPHABETS, column_alphabets
from docextract.documents.mrz.layout import ALPHABET, COMPOSITE, FILLER, LAYOUTS, Cell, ZoneLayout
from docextract.documents.mrz.repair import replace_characters, select_repair
from docextract.extraction.zones.grids import CharacterColumns, Float32Array, FrameScores, aligned_grids, read_columns

ZONE_CHARACTERS = ALPHABET + FILLER

# Choice of the characters.
SMOOTHING_PROBABILITY = 3e-5  # added to the probability of each character in each column
OTHER_READER_WEIGHT = 20.0  # factor on the probability of a letter that another reader found in the same column
RARE_CHARACTER_WEIGHT = 0.05  # factor on that of a character that few documents have in its column
MAX_LETTERS_PER_CODE_COLUMN = 4  # letters tried in each column of a country code
MAX_CHANGE_LOG_ODDS = 7.0  # total log odds against the characters that check digits may choose
MAX_CHANGES = 3
MAX_TRIALS = 1500
MIN_MARGIN_LOG_ODDS = 1.0  # by which one zone with correct check digits must be likelier than the next

# Acceptance of the result.
MIN_LIKELY_PROBABILITY, MIN_LIKELY_SHARE = 0.5, 0.6  # this share of the columns must reach this probability
MIN_CHARACTER_PROBABILITY = 0.5  # of a character that no check digit protects
MIN_ODDS_AGAINST_OTHERS = 0.35  # of the chosen characters over all others; a tenth of the others agree by chance

_LETTERS_OR_DIGITS = "letters or digits"  # alphabet
# By alphabet. Nearly all document codes have letters only, and only Mexico has H for men.
_RARE_CHARACTERS = {_LETTERS_OR_DIGITS: "0123456789", "sex of a card": "H"}
_INDEX = {character: index for index, character in enumerate(ZONE_CHARACTERS)}


@dataclass(frozen=True)
class DecodedZone:
    """The lines of a zone with the probabilities of all alternatives. N columns, C characters.

    lines: the decoded lines; check digits may have replaced characters of `likeliest_lines`.
    log_probabilities: for each line [N, C], of the characters that the format allows; the others are close to zero.
    """

    layout: ZoneLayout
    lines: tuple[str, ...]
    likeliest_lines: tuple[str, ...]
    columns: tuple[CharacterColumns, ...]
    log_probabilities: tuple[Float32Array, ...]
    score: float

    def character_probabilities(self, line: int) -> Float32Array:
        """Return the probabilities of the decoded characters of a line, [N]."""
        return np.exp(_log_probabilities_of(self.log_probabilities[line], self.lines[line]))

    def log_odds_against(self, lines: Sequence[str]) -> float:
        """Return the log odds of the likeliest lines over these lines."""
        pairs = zip(self.log_probabilities, self.likeliest_lines, lines, strict=True)
        return sum(
            float(_log_probabilities_of(scores, likeliest).sum() - _log_probabilities_of(scores, line).sum())
            for scores, likeliest, line in pairs
        )

    @property
    def is_plausible(self) -> bool:
        """Whether enough characters are clear that the lines are a zone at all."""
        probabilities = np.concatenate([self.character_probabilities(line) for line in range(len(self.lines))])
        return float((probabilities > MIN_LIKELY_PROBABILITY).mean()) >= MIN_LIKELY_SHARE

    def is_unambiguous(self, lines: Sequence[str]) -> bool:
        """Whether the pixels support these lines so clearly that no other lines are about as likely.

        In a part that a check digit protects, other characters must agree with the digit too. One in ten does by
        chance, and characters under a thumb always have such alternatives.
        """
        checks = self.layout.check_digits_of(lines)
        others = {cell for check in checks if check.name != COMPOSITE for cell in check.covered_cells}
        for check in checks:
            cells = [
                cell for cell in (check.cell, *check.covered_cells) if check.name != COMPOSITE or cell not in others
            ]
            chosen, likeliest = self._probability(cells, lines), self._probability(cells, self.likeliest_lines)
            replaced = list(lines) != list(self.likeliest_lines) and chosen < likeliest
            if chosen < MIN_ODDS_AGAINST_OTHERS * (1 - likeliest if replaced else 1 - chosen):
                return False
        protected = {cell for check in checks for cell in (check.cell, *check.covered_cells)}
        cells = [(number, column) for number, line in enumerate(lines) for column in range(len(line))]
        return all(
            self._probability([cell], lines) > MIN_CHARACTER_PROBABILITY for cell in cells if cell not in protected
        )

    def _probability(self, cells: Sequence[Cell], lines: Sequence[str]) -> float:
        """Return the joint probability of the characters that the lines have in these cells."""
        return float(
            np.exp(sum(self.log_probabilities[line][column, _INDEX[lines[line][column]]] for line, column in cells))
        )


def _log_probabilities_of(scores: Float32Array, line: str) -> Float32Array:
    """Return the log probabilities of a line's characters, [N]. scores: [N, C]."""
    found: Float32Array = scores[np.arange(len(line)), [_INDEX[character] for character in line]]
    return found


def decode_zone(
    strips: Sequence[FrameScores],
    printed_numbers: Collection[str] = (),
    other_readings: Collection[tuple[str, ...]] = (),
) -> DecodedZone | None:
    """Decode the most likely zone; None if no format has this number of lines.

    strips: one per line, from top to bottom.
    printed_numbers: document numbers printed elsewhere on the document; they decide between zones that all agree with
                     their check digits.
    other_readings: the lines of the zone as another reader reports them. It is good at letters, so its letters count
                    in columns where only letters are allowed, and all its characters in document codes.
    """
    zones = [_decode(strips, layout, other_readings) for layout in LAYOUTS.values() if layout.height == len(strips)]
    best = max(zones, key=lambda zone: zone.score, default=None)
    return _apply_check_digits(best, printed_numbers) if best else None


def _decode(
    strips: Sequence[FrameScores], layout: ZoneLayout, other_readings: Collection[tuple[str, ...]]
) -> DecodedZone:
    """Choose the likeliest allowed character in each column."""
    columns = tuple(read_columns(*pair) for pair in zip(strips, aligned_grids(strips, layout.width), strict=True))
    score, lines, log_probabilities = 0.0, [], []
    for number, line in enumerate(columns):
        weights = np.exp(line.log_probabilities) + SMOOTHING_PROBABILITY
        weights = weights * _other_reader_weights(other_readings, layout, number) * _character_weights(layout, number)
        normalised = np.maximum(weights / weights.sum(axis=1, keepdims=True), 1e-12)
        log_probabilities.append(np.log(normalised).astype(np.float32))
        best = log_probabilities[-1].argmax(axis=1)
        score += line.score + float(line.log_probabilities[np.arange(len(best)), best].sum())
        lines.append("".join(ZONE_CHARACTERS[index] for index in best))
    decoded = _with_country_codes(lines, layout, log_probabilities)
    return DecodedZone(layout, decoded, decoded, columns, tuple(log_probabilities), score)


def _with_country_codes(
    lines: Sequence[str], layout: ZoneLayout, log_probabilities: Sequence[Float32Array]
) -> tuple[str, ...]:
    """Replace country codes by the likeliest codes that exist, unless these are too unlikely."""
    corrected = list(lines)
    for name in ("issuing_country", "nationality"):
        place = layout.fields[name]
        scores = log_probabilities[place.line][place.start : place.end]  # [3, C]
        likeliest = np.argsort(-scores, axis=1)[:, :MAX_LETTERS_PER_CODE_COLUMN].tolist()
        codes = {
            "".join(ZONE_CHARACTERS[index] for index in code): float(
                sum(scores[column, index] for column, index in enumerate(code))
            )
            for code in product(*likeliest)
        }
        existing = max(
            (code for code in codes if is_country_code(code.rstrip(FILLER))), key=codes.__getitem__, default=None
        )
        if existing and max(codes.values()) - codes[existing] <= MAX_CHANGE_LOG_ODDS:
            line = corrected[place.line]
            corrected[place.line] = line[: place.start] + existing + line[place.end :]
    return tuple(corrected)


def _other_reader_weights(other_readings: Collection[tuple[str, ...]], layout: ZoneLayout, line: int) -> Float32Array:
    """Return the factor on each character's probability that other readers' letters give, [N, C]."""
    weights = np.ones((layout.width, len(ZONE_CHARACTERS)), np.float32)
    for lines in other_readings:
        if len(lines) == layout.height and len(lines[line]) == layout.width:
            for column, (name, character) in enumerate(zip(column_alphabets(layout, line), lines[line], strict=True)):
                if name in ("letters", _LETTERS_OR_DIGITS) and character in ALPHABETS[name]:
                    weights[column, _INDEX[character]] = OTHER_READER_WEIGHT
    return weights


def _character_weights(layout: ZoneLayout, line: int) -> Float32Array:
    """Return the factor on each character's probability in each column of a line, [N, C]: 0 where it is not allowed."""
    by_alphabet = {name: [_weight(one, name) for one in ZONE_CHARACTERS] for name in ALPHABETS}
    return np.array([by_alphabet[name] for name in column_alphabets(layout, line)], np.float32)


def _weight(character: str, alphabet: str) -> float:
    if character not in ALPHABETS[alphabet]:
        return 0.0
    return RARE_CHARACTER_WEIGHT if character in _RARE_CHARACTERS.get(alphabet, "") else 1.0


def _apply_check_digits(zone: DecodedZone, printed_numbers: Collection[str]) -> DecodedZone:
    """Choose the likeliest lines that agree with all check digits; no change if none or several do."""
    agreeing: list[tuple[float, tuple[str, ...]]] = []
    for log_odds, lines in _trials(zone):
        if agreeing and log_odds > agreeing[0][0] + MIN_MARGIN_LOG_ODDS:
            break
        if zone.layout.check_digits_are_valid(lines) and zone.is_unambiguous(lines):
            agreeing.append((log_odds, lines))
    chosen = select_repair([lines for _, lines in agreeing], zone.layout, printed_numbers)
    return replace(zone, lines=chosen) if chosen else zone


def _trials(zone: DecodedZone) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Yield the lines, then variants with up to MAX_CHANGES changed characters, the likeliest first.

    Each comes with the log odds against it. The variants are enumerated best first with a heap of change sets.
    """
    yield 0.0, zone.lines
    changes = _changes(zone)
    if not changes:
        return
    queue: list[tuple[float, tuple[int, ...]]] = [(changes[0][0], (0,))]
    for _ in range(MAX_TRIALS):
        if not queue:
            return
        log_odds, chosen = heapq.heappop(queue)
        if log_odds > MAX_CHANGE_LOG_ODDS:
            return
        following = chosen[-1] + 1
        if following < len(changes):
            cost = changes[following][0]
            heapq.heappush(queue, (log_odds - changes[chosen[-1]][0] + cost, (*chosen[:-1], following)))
            if len(chosen) < MAX_CHANGES:
                heapq.heappush(queue, (log_odds + cost, (*chosen, following)))
        cells = {changes[number][1:3] for number in chosen}
        if len(cells) == len(chosen):
            replacements = [
                ((line, column), character) for _, line, column, character in map(changes.__getitem__, chosen)
            ]
            yield log_odds, replace_characters(zone.lines, replacements)


def _changes(zone: DecodedZone) -> list[tuple[float, int, int, str]]:
    """Return the possible changes of characters that check digits protect, the likeliest first.

    Each is (log odds against it, line, column, character).
    """
    layout = zone.layout
    cells = {cell for check in layout.checks for cell in (check.cell, *check.covered_cells)}
    allowed = [_character_weights(layout, line) > 0 for line in range(layout.height)]
    changes = []
    for line, column in sorted(cells):
        scores = zone.log_probabilities[line][column]
        current = scores[_INDEX[zone.lines[line][column]]]
        for index in np.flatnonzero(allowed[line][column] & (current - scores <= MAX_CHANGE_LOG_ODDS)).tolist():
            if ZONE_CHARACTERS[index] != zone.lines[line][column]:
                changes.append((float(current - scores[index]), line, column, ZONE_CHARACTERS[index]))
    return sorted(changes)
