"""What counts as a defect: thresholds on the physical conditions under which a photo was made.

The simulator knows the conditions exactly; a criterion is where one of them begins to spoil reading. Blur and
size are judged by the text's own height, because a letter is lost when its strokes run together, whatever the
photo's resolution.
"""

import math

from training.synth.camera.simulation import Conditions

# Lines of text, ascender to descender. Rectified and read, photos of 9 px keep 93 % of their words, of 6 px 30 %.
SMALLEST_TEXT_PX = 9.0
# One Gaussian's sigma, of the text's height: strokes are about a tenth of it, and at an eighth nothing is read.
LARGEST_BLUR_OF_TEXT = 0.10
LARGEST_BLUR_PX = 2.2  # where the text's height is not known
SMALLEST_BLUR_PX = 1.0  # below it, what is lost is lost to size
# Most people fill the picture with a receipt's print, and blank paper runs out of it. Of photos of held-out receipts
# with nothing else wrong, extraction reads 89 % as well as a scan with no line of print cut, 9 of 12 with up to 6 %
# cut, 3 of 4 with up to a fifth, and 3 of 18 with more.
MOST_LINES_CUT = 0.1
# Where it is not known what is printed: so little of a page is its margin, so much holds print.
SMALLEST_CUT, LARGEST_CUT = 0.005, 0.3
# What lies over blank paper takes nothing. Of photos of receipts that extraction did not learn from (none of them in
# docs/validation.md's report), with nothing else wrong, 54 of 56 are read as well as a scan where no line is covered
# (14 of 14 where more than 2 % of the paper is), 47 of 63 with up to a tenth of the lines, 31 of 46 with up to a fifth,
# and 25 of 68 with more.
MOST_LINES_COVERED = 0.1
SMALLEST_COVER, LARGEST_COVER = 0.002, 0.15  # of a page of which it is not known what is printed
# Of the picture's sides, for the middle of what is seen; a guess. How far a document reaches beyond the picture cannot
# be seen, and that it does is `document_cutoff`.
FARTHEST_OFF_CENTER = 0.12
TOO_CLOSE_FROM = 0.6  # of the picture's area
MOTION_AS_SIGMA = 1 / math.sqrt(12)  # a path of length L spreads as much as a Gaussian of L / √12


def truths(seen: Conditions) -> dict[str, bool | None]:
    """Criterion → does the photo have this defect? None where it cannot be said.

    A condition that is nan was not measured (real photos). Without a document only its absence can be said.
    """
    spread = max(abs(seen.center_offset_x), abs(seen.center_offset_y))
    from_upright = abs((seen.rotation_deg + 180) % 360 - 180)
    defects = {
        "document_cutoff": _cut_off(seen),
        "occluded": _covered(seen),
        "multiple_documents": _above(seen.documents, 1),
        "low_background_contrast": _above(-seen.background_contrast, -12),
        "blurry": _blurry(seen),
        "dark": _above(-seen.exposure, -45),
        "overexposed": _above(seen.clipped_fraction, 0.5),
        "glare": _above(seen.glare_fraction, 0.015),
        "faint": _above(-seen.ink_contrast, -20),
        "noisy": _above(seen.noise_sigma, 15),
        "text_too_small": _above(-seen.text_height_px, -SMALLEST_TEXT_PX),
        "screen_capture": _above(seen.screen, 0.5),
        "off_center": _above(spread, FARTHEST_OFF_CENTER),
        "too_far": _above(-seen.area_ratio, -0.12),
        "too_close": _both(_above(seen.area_ratio, TOO_CLOSE_FROM), _cut_off(seen)),
        "tilted": _above(seen.tilt_deg, 30),
        "rotated": _above(from_upright, 20),
    }
    known = {name: value if seen.document_present else None for name, value in defects.items()}
    return {"document_absent": not seen.document_present} | known


def _above(value: float, limit: float) -> bool | None:
    return None if math.isnan(value) else bool(value > limit)


def _both(first: bool | None, second: bool | None) -> bool | None:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True


def _cut_off(seen: Conditions) -> bool | None:
    return _lost(seen.lines_cut, MOST_LINES_CUT, 1 - seen.visible_fraction, SMALLEST_CUT, LARGEST_CUT)


def _covered(seen: Conditions) -> bool | None:
    return _lost(seen.lines_covered, MOST_LINES_COVERED, seen.occluded_fraction, SMALLEST_COVER, LARGEST_COVER)


def _lost(lines: float, most: float, page: float, smallest: float, largest: float) -> bool | None:
    """Whether more than `most` of the print is; where that is not known, by the share of the page, if it tells."""
    if not math.isnan(lines):
        return lines > most
    return None if smallest < page <= largest else _above(page, largest)


def _blurry(seen: Conditions) -> bool | None:
    spread_px = math.hypot(seen.blur_sigma_px, seen.motion_px * MOTION_AS_SIGMA)
    if math.isnan(seen.text_height_px):
        return _above(spread_px, LARGEST_BLUR_PX)
    return _above(spread_px, max(SMALLEST_BLUR_PX, LARGEST_BLUR_OF_TEXT * seen.text_height_px))
