"""Measure whether print is misread where guidance says that a photo is least legible.

    python -m training.evaluation.named_places WEIGHTS --photos runs/legibility/photos

The photos are those of training.datasets.legibility whose documents the legibility map has not learned from: it is
known which letters and digits the served reader reads right in them. Photos are counted that are refused at normal
strictness, with a place in their guidance. Compared are the shares of misread letters in the named ninth of the
document and in the rest of it, and in the ninth in which most are misread; with a 95 % interval from a bootstrap over
documents.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from docextract.images.geometry import take_glimpse
from docextract.quality.assessor import Assessor
from docextract.quality.places import place_of
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import judge_photo
from docextract.sources import PLACES
from training.datasets import legibility, pictures
from training.datasets.legibility import LegibilityPhoto
from training.tasks.quality.legibility import is_left_out

_DRAWS = 2000


@dataclass(frozen=True)
class NamedPlace:
    """A refused photo. place: that is named, None if none is. right, letters: by place, [9]."""

    origin: str
    place: int | None
    right: NDArray[np.float64]
    letters: NDArray[np.float64]


def is_unseen(photo: LegibilityPhoto, since: int | None) -> bool:
    """Whether the map has not learned from a photo's document. since: number of the first photo made after it."""
    is_synthetic = photo.origin.startswith(photo.type)  # other documents are on several photos
    return (
        is_left_out(photo) if since is None else int(photo.image.stem) >= since and (is_synthetic or is_left_out(photo))
    )


def judge_photos(
    photos: Sequence[LegibilityPhoto], assessor: Assessor, usability: UsabilityModel
) -> Iterator[NamedPlace]:
    """The photos that are refused and show a document."""
    for photo in photos:
        pixels = pictures.load(photo.image)
        (assessment,) = assessor.assess([take_glimpse(pixels)])
        verdict = judge_photo(assessment, 0, pixels.shape[1], pixels.shape[0], usability=usability)
        if verdict.accepted or assessment.polygon is None:
            continue
        named = next((advice.place for advice in verdict.guidance if advice.place), None)
        right, letters = letters_by_place(photo, assessment.polygon)
        yield NamedPlace(photo.origin, PLACES.index(named) if named else None, right, letters)


def letters_by_place(
    photo: LegibilityPhoto, outline: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the letters and digits that are read right, and all of them, by ninth of the outline's bounding box."""
    right, letters = np.zeros(len(PLACES)), np.zeros(len(PLACES))
    for line in photo.lines:
        place = place_of(line.places, outline)
        np.add.at(letters, place[place >= 0], 1)
        np.add.at(right, place[place >= 0], line.right[place >= 0])
    return right, letters


def compare_places(photos: Sequence[NamedPlace], seed: int = 0) -> dict[str, object]:
    """The shares of misread letters in the named places, elsewhere on these documents, and where most are misread."""
    named = [
        one
        for one in photos
        if one.place is not None and one.letters[one.place] and one.letters.sum() > one.letters[one.place]
    ]
    if not named:
        raise ValueError("no photo has print in a named place")
    shares = np.array([_misread_shares(one) for one in named])
    rows = {
        origin: [at for at, one in enumerate(named) if one.origin == origin] for origin in {one.origin for one in named}
    }
    groups, rng = list(rows.values()), np.random.default_rng(seed)
    draws = [
        shares[[at for group in rng.integers(len(groups), size=len(groups)) for at in groups[group]]].mean(axis=0)
        for _ in range(_DRAWS)
    ]
    return {
        "refused": len(photos),
        "with a named place": sum(one.place is not None for one in photos),
        "of these with print there": len(named),
        "documents": len(groups),
        **{
            f"misread {name}": [
                round(float(value), 3),
                *np.round(np.percentile(np.array(draws)[:, column], [2.5, 97.5]), 3),
            ]
            for column, (name, value) in enumerate(
                zip(("there", "elsewhere", "in the worst place"), shares.mean(axis=0), strict=True)
            )
        },
        "more misread there than elsewhere": round(float((shares[:, 0] > shares[:, 1]).mean()), 3),
    }


def _misread_shares(one: NamedPlace) -> tuple[float, float, float]:
    wrong = one.letters - one.right
    assert one.place is not None
    elsewhere = (wrong.sum() - wrong[one.place]) / (one.letters.sum() - one.letters[one.place])
    by_place = wrong[one.letters > 0] / one.letters[one.letters > 0]
    return float(wrong[one.place] / one.letters[one.place]), float(elsewhere), float(by_place.max())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--photos", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--since", type=int, metavar="N", help="only photos from this number on: made after the map was trained"
    )
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    photos = [photo for photo in legibility.load(options.photos) if is_unseen(photo, options.since)]
    found = list(judge_photos(photos, Assessor.load(options.weights), UsabilityModel.load(options.weights)))
    print(json.dumps(compare_places(found), default=float, indent=1))


if __name__ == "__main__":
    main()
