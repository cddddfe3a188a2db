"""Measure which photos validation=enforce refuses: by the quality check alone, and after the photos were read.

    python -m training.evaluation.enforced PHOTOS

PHOTOS is written by training.evaluation.usability_photos, which has also read them; see there and in
training.evaluation.usability for usable and spoilt photos. Only the half of the documents is reported that nothing was
chosen on. Also reported is the AUROC of the quality check's score, and of its mean with the lowest confidence of a
required field (pipeline.steps.READABLE_FROM).
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import torch

from docextract.pipeline.steps import READABLE_FROM, readability, shows_wrong_documents
from docextract.quality.criteria import Strictness
from docextract.quality.usability import UsabilityModel
from docextract.registry import promoted_version
from training.evaluation.photo_outcomes import PhotoOutcome, RecordingModels, collect_outcomes, required_fields
from training.evaluation.usability import decided_cases, is_fitted
from training.metrics import auroc

ALL = "all"


@dataclass(frozen=True)
class EnforcedPhoto:
    """One photo. score: of the quality check, 0..1. readable: what it is refused by after it was read, 0..1."""

    collection: str
    usable: bool
    score: float
    readable: float  # 0 if it is refused before it is read
    accepted: frozenset[Strictness]  # at which the quality check accepts it


def reported_photos(root: Path, models: RecordingModels, usability: UsabilityModel) -> Iterator[EnforcedPhoto]:
    """The photos of the half of the documents that is reported."""
    for name, folder, cases in decided_cases(root, models):
        outcomes = {outcome.key: outcome for outcome in collect_outcomes(folder, models)}
        for case in cases:
            if not is_fitted(name, case.key):
                verdicts = {strictness: case.verdict(usability, strictness) for strictness in get_args(Strictness)}
                accepted = frozenset(strictness for strictness, verdict in verdicts.items() if verdict.accepted)
                score = verdicts["normal"].score
                is_read = not shows_wrong_documents(verdicts["normal"].criteria)
                readable = readability(score, _lowest_confidence(outcomes[case.key])) if is_read else 0.0
                yield EnforcedPhoto(name, bool(case.usable), score, readable, accepted)


def _lowest_confidence(outcome: PhotoOutcome) -> float:
    return min((outcome.confidence[name] for name in required_fields(outcome)), default=0.0)


def enforced_table(photos: Sequence[EnforcedPhoto], strictness: Strictness) -> str:
    """A table in Markdown: usable photos that pass and spoilt ones that are stopped, by collection and of all."""
    names = [*dict.fromkeys(photo.collection for photo in photos), ALL]
    rows = [_row(name, [photo for photo in photos if name in (photo.collection, ALL)], strictness) for name in names]
    return "\n".join(
        [
            "| photos | usable: accepted | usable: answered | spoilt: not accepted | spoilt: refused | "
            "AUROC of the score | of both |",
            "|---|---|---|---|---|---|---|",
            *rows,
        ]
    )


def _row(name: str, photos: Sequence[EnforcedPhoto], strictness: Strictness) -> str:
    usable = [photo for photo in photos if photo.usable]
    spoilt = [photo for photo in photos if not photo.usable]
    enough = READABLE_FROM[strictness]
    cells = [
        f"{sum(strictness in photo.accepted for photo in usable)} of {len(usable)}",
        f"{sum(photo.readable >= enough for photo in usable)} of {len(usable)}",
        f"{sum(strictness not in photo.accepted for photo in spoilt)} of {len(spoilt)}",
        f"{sum(photo.readable < enough for photo in spoilt)} of {len(spoilt)}",
        *(
            f"{auroc(scores, [photo.usable for photo in photos]):.3f}"
            for scores in ([photo.score for photo in photos], [photo.readable for photo in photos])
        ),
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
    photos = list(reported_photos(options.photos, models, usability))
    for strictness in READABLE_FROM:
        print(f"{strictness}\n\n{enforced_table(photos, strictness)}\n")


if __name__ == "__main__":
    main()
