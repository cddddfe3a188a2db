"""Labels of the quality criteria: thresholds on the physical conditions under which a photo was taken.

The camera simulation knows these conditions exactly. A threshold is the value from which on a condition reduces
extraction. Blur is compared with the height of the text, because a letter is lost when its strokes merge, whatever the
resolution of the photo.
"""

import math

from training.synth.camera.simulation import Conditions

# Height of text lines, ascender to descender. Of the words of rectified photos, 93 % are read at 9 px and 30 % at 6 px.
MIN_TEXT_HEIGHT_PX = 9.0
# Sigma of a Gaussian, as a share of the text height: strokes are about a tenth of it, and at an eighth nothing is read.
MAX_BLUR_OF_TEXT_HEIGHT = 0.10
MAX_BLUR_PX = 2.2  # where the text height is unknown
MIN_BLUR_LIMIT_PX = 1.0  # text that is unreadable with less blur than this is too small, not blurred
# Most people fill the picture with a receipt's print, so that blank paper is cut off. Of photos of held-out receipts
# without other defects, extraction reads as well as from a scan: 89 % with no text line cut off, 9 of 12 with up to 6 %
# of the lines cut off, 3 of 4 with up to a fifth, and 3 of 18 with more.
MAX_LINES_CUT = 0.1
# Shares of a page whose print is unknown: up to the first only its margin is cut off, from the second on also print.
MARGIN_CUT, PRINT_CUT = 0.005, 0.3
# Objects over blank paper do no harm. Of photos of receipts that extraction was not trained on (none of them in the
# report of docs/validation.md), without other defects, extraction reads as well as from a scan: 54 of 56 where no text
# line is covered (14 of 14 of these where more than 2 % of the paper is), 47 of 63 with up to a tenth of the lines
# covered, 31 of 46 with up to a fifth, and 25 of 68 with more.
MAX_LINES_COVERED = 0.1
MARGIN_COVERED, PRINT_COVERED = 0.002, 0.15  # shares of a page whose print is unknown, as above
# Distance of the center of the visible part from the center of the picture, as a share of the picture's sides; a guess.
# How far a document extends beyond the picture cannot be conditions; that it does is `document_cutoff`.
MAX_CENTER_OFFSET = 0.12
MIN_AREA_TOO_CLOSE = 0.6  # of the picture's area
MOTION_TO_SIGMA = 1 / math.sqrt(12)  # a motion path of length L blurs as much as a Gaussian with sigma L / √12


def label_defects(conditions: Conditions) -> dict[str, bool | None]:
    """Whether a photo has each defect, by criterion; None where that is unknown.

    A condition of nan was not measured, as in real photos. Without a document only `document_absent` is known.
    """
    center_offset = max(abs(conditions.center_offset_x), abs(conditions.center_offset_y))
    from_upright_deg = abs((conditions.rotation_deg + 180) % 360 - 180)
    defects = {
        "document_cutoff": _cut_off(conditions),
        "occluded": _covered(conditions),
        "multiple_documents": _above(conditions.documents, 1),
        "low_background_contrast": _above(-conditions.background_contrast, -12),
        "blurry": _blurry(conditions),
        "dark": _above(-conditions.exposure, -45),
        "overexposed": _above(conditions.clipped_fraction, 0.5),
        "glare": _above(conditions.glare_fraction, 0.015),
        "faint": _above(-conditions.ink_contrast, -20),
        "noisy": _above(conditions.noise_sigma, 15),
        "text_too_small": _above(-conditions.text_height_px, -MIN_TEXT_HEIGHT_PX),
        "screen_capture": _above(conditions.screen, 0.5),
        "off_center": _above(center_offset, MAX_CENTER_OFFSET),
        "too_far": _above(-conditions.area_ratio, -0.12),
        "too_close": _both(_above(conditions.area_ratio, MIN_AREA_TOO_CLOSE), _cut_off(conditions)),
        "tilted": _above(conditions.tilt_deg, 30),
        "rotated": _above(from_upright_deg, 20),
    }
    known = {name: value if conditions.document_present else None for name, value in defects.items()}
    return {"document_absent": not conditions.document_present} | known


def _above(value: float, limit: float) -> bool | None:
    return None if math.isnan(value) else bool(value > limit)


def _both(first: bool | None, second: bool | None) -> bool | None:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True


def _cut_off(conditions: Conditions) -> bool | None:
    return _lost(conditions.lines_cut, MAX_LINES_CUT, 1 - conditions.visible_fraction, MARGIN_CUT, PRINT_CUT)


def _covered(conditions: Conditions) -> bool | None:
    covered = conditions.occluded_fraction
    return _lost(conditions.lines_covered, MAX_LINES_COVERED, covered, MARGIN_COVERED, PRINT_COVERED)


def _lost(lines: float, max_lines: float, page: float, margin: float, print_: float) -> bool | None:
    """Whether too much print is lost. lines, page: lost shares of the text lines and of the page.

    Where the lines are unknown, the share of the page decides, unless it lies between `margin` and `print_`.
    """
    if not math.isnan(lines):
        return lines > max_lines
    return None if margin < page <= print_ else _above(page, print_)


def _blurry(conditions: Conditions) -> bool | None:
    sigma_px = math.hypot(conditions.blur_sigma_px, conditions.motion_px * MOTION_TO_SIGMA)
    if math.isnan(conditions.text_height_px):
        return _above(sigma_px, MAX_BLUR_PX)
    return _above(sigma_px, max(MIN_BLUR_LIMIT_PX, MAX_BLUR_OF_TEXT_HEIGHT * conditions.text_height_px))
