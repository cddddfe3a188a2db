"""The parts of a user's data: training, stopping, calibration and evaluation never share pages of one vendor."""

import zlib
from collections.abc import Sequence
from typing import Literal

from docextract.documents.billing import ISSUER_FIELDS
from docextract.files import escape_surrogates
from training.datasets.page import LabelledPage, UnusableDataError

Part = Literal["train", "stop", "calibrate", "evaluate"]

# Of ten groups two are held out for evaluation, one decides when training stops, and confidences are fitted on one.
MIN_DIVIDED_PAGES = 10
_PARTS: dict[int, Part] = {0: "evaluate", 5: "evaluate", 1: "stop", 6: "calibrate"}


def group_of(page: LabelledPage) -> str:
    """Return the group of a page: pages of one group look alike and stay together.

    It is the one that its label names; without one, the picture's name.
    """
    return named_group(page) or _as_group(page.image.stem)


def named_group(page: LabelledPage) -> str:
    """Return the "group" of a page's label, or else the name of the shop or vendor; empty if it has neither."""
    issuers = (page.fields.get(name) for name in ISSUER_FIELDS)
    return _as_group(page.group or next((issuer for issuer in issuers if issuer), ""))


def _as_group(name: str) -> str:
    """In capitals, without signs."""
    return "".join(filter(str.isalnum, name.upper())) or name


def part_of(page: LabelledPage) -> Part:
    """Return the part of a page. It depends on the page's group alone: a page stays there when others are added."""
    return part_of_group(group_of(page))


def part_of_group(name: str) -> Part:
    """Return the part of the pages of a group, as `group_of` names it."""
    return _PARTS.get(zlib.crc32(escape_surrogates(name).encode()) % 10, "train")


def are_divided(pages: Sequence[LabelledPage]) -> bool:
    """Whether pages are enough to hold some back; all of fewer ones are trained on, and nothing is measured."""
    return len(pages) >= MIN_DIVIDED_PAGES


def is_held_out(page: LabelledPage) -> bool:
    """Whether a page is held out for evaluation: nothing is trained, stopped or fitted on it."""
    return part_of(page) == "evaluate"


def require_groups(pages: Sequence[LabelledPage]) -> None:
    """Raise UnusableDataError if the pages cannot be divided, and say what to do."""
    groups, parts = {group_of(page) for page in pages}, {part_of(page) for page in pages}
    if not {"train", "evaluate"} <= parts:
        raise UnusableDataError(
            f"{len(pages)} pages of {len(groups)} groups are too few for training and evaluation, which share none. "
            'Label more pages; where all are of one vendor, give each original a "group" of its own'
        )
