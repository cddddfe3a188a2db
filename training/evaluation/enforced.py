"""Measure which photos validation=enforce refuses: by the quality check alone, and after the photos were read.

    python -m training.evaluation.enforced PHOTOS

PHOTOS is written by training.evaluation.usability_photos; see there and in training.evaluation.usability for usable and
spoilt photos. Only the half of the documents is reported that the served score is not fitted on. Photos that the
quality check refuses are read again by the promoted models, a second a photo.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from docextract.quality.usability import UsabilityModel
from docextract.registry import promoted_version
from docextract.serving import local
from training.datasets import labelled_folder
from training.evaluation.evaluate import make_extract_call
from training.evaluation.photo_outcomes import RecordingModels
from training.evaluation.usability import decided_cases, is_fitted

ALL = "all"
REFUSAL = "image_quality_insufficient"


@dataclass(frozen=True)
class EnforcedPhoto:
    """One photo. accepted: by the quality check. answered: with validation=enforce."""

    collection: str
    usable: bool
    accepted: bool
    answered: bool


def enforce(
    root: Path, models: RecordingModels, usability: UsabilityModel, refuses: Callable[[Path], bool]
) -> Iterator[EnforcedPhoto]:
    """Judge the reported photos. refuses: whether the service refuses an image; called for those not accepted."""
    for name, folder, cases in decided_cases(root, models):
        images = {page.key: page.image for page in labelled_folder.load(folder).pages}
        for case in cases:
            if not is_fitted(name, case.key):
                accepted = case.verdict(usability).accepted
                answered = accepted or not refuses(images[case.key])
                yield EnforcedPhoto(name, bool(case.usable), accepted, answered)


def enforced_table(photos: Sequence[EnforcedPhoto]) -> str:
    """A table in Markdown: usable photos that pass and spoilt ones that are stopped, by collection and of all."""
    names = [*dict.fromkeys(photo.collection for photo in photos), ALL]
    rows = [_row(name, [photo for photo in photos if name in (photo.collection, ALL)]) for name in names]
    return "\n".join(
        [
            "| photos | usable: accepted | usable: answered | spoilt: not accepted | spoilt: refused |",
            "|---|---|---|---|---|",
            *rows,
        ]
    )


def _row(name: str, photos: Sequence[EnforcedPhoto]) -> str:
    usable = [photo for photo in photos if photo.usable]
    spoilt = [photo for photo in photos if not photo.usable]
    cells = [
        f"{sum(photo.accepted for photo in usable)} of {len(usable)}",
        f"{sum(photo.answered for photo in usable)} of {len(usable)}",
        f"{sum(not photo.accepted for photo in spoilt)} of {len(spoilt)}",
        f"{sum(not photo.answered for photo in spoilt)} of {len(spoilt)}",
    ]
    return f"| {name} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("--models", type=Path, default=Path("models"))
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    models = RecordingModels(options.models)
    usability = UsabilityModel.load(promoted_version("quality", options.models).folder)
    with local.client(models) as client:
        extract = make_extract_call(client, validation="enforce")
        photos = list(enforce(options.photos, models, usability, lambda image: extract(image).get("code") == REFUSAL))
    print(enforced_table(photos))


if __name__ == "__main__":
    main()
