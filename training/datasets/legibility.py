"""Simulated photos with what the served reader reads right in them: the data of the legibility map.

    python -m training.datasets.legibility OUT --photos 3000 [--sroie DIR] [--surfaces DIR] [--models DIR]

OUT/photos.jsonl has one row per photo: its image, its document type, and its printed lines with their places, texts and
fields. OUT/reads.jsonl has what the service's own steps read in it (see training.datasets.reads). A photo depends on
the seed and its number only. A stopped run is resumed, and a larger --photos adds to what is there.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from docextract.images.geometry import Page, Polygon, project
from docextract.predictions import TextLine
from training.command_line import add_models_option
from training.datasets import pictures, reads, sroie
from training.datasets.page import LabelledPage
from training.datasets.reads import OcrResult
from training.datasets.simulated_photos import PhotoSpec, ScanPhotoSpec, SyntheticPhotoSpec, simulate_photo

PHOTOS_FILE, READS_FILE = "photos.jsonl", "reads.jsonl"
PHOTO_SEED = 31
SROIE_SHARE = 0.25  # of the photos, where its scans are given
# Relative frequency of the synthetic document types.
TYPE_WEIGHTS: Mapping[str, float] = {
    "receipt": 35, "invoice": 30, "passport": 10, "id_card": 12, "driver_licence": 13,
}  # fmt: skip
EVERYDAY_SHARE = 0.3  # of the photos; the others follow the mix that the quality network is trained on
REACH = 0.35  # heights of a line by which a read line may lie beside it
POINTS_PER_LINE = 9
EXTRA_CHARACTERS = 2  # on each side of the best match in a longer read line
MIN_FIELD_CHARACTERS = 3  # of a part of a label, to be found in a transcript


@dataclass(frozen=True)
class ReadLine:
    """One printed line of a photo, and which of its characters are read right.

    polygon: [4, 2], relative to the photo (outside 0..1 where the line is cut off), clockwise from the line's top left.
    field:   the field that it prints, None if none or unknown.
    right:   bool [characters], by the letters and digits of `text`.
    """

    text: str
    polygon: Polygon
    field: str | None
    right: NDArray[np.bool_]

    @cached_property
    def places(self) -> NDArray[np.float32]:
        """The centres of the letters and digits, [characters, 2], relative to the photo."""
        at = [index for index, character in enumerate(self.text) if character.isalnum()]
        along = ((np.array(at, np.float32) + 0.5) / max(1, len(self.text)))[:, None]
        top_left, top_right, bottom_right, bottom_left = self.polygon
        return np.asarray((top_left + bottom_left) / 2 * (1 - along) + (top_right + bottom_right) / 2 * along)


@dataclass(frozen=True)
class LegibilityPhoto:
    """A simulated photo. origin: photos with the same origin show the same document or receipt."""

    image: Path
    type: str
    origin: str
    lines: tuple[ReadLine, ...]
    conditions: Mapping[str, float]  # see training.synth.camera.simulation.Conditions


def load(folder: Path) -> list[LegibilityPhoto]:
    """The photos of a folder that have been read, by number."""
    read = reads.load(folder / READS_FILE)
    rows = [row for row in _rows(folder) if row["key"] in read]
    return [_photo(folder, row, read[row["key"]]) for row in sorted(rows, key=lambda row: str(row["key"]))]


def _photo(folder: Path, row: Mapping[str, Any], read: OcrResult) -> LegibilityPhoto:
    places = [project(line.polygon, read.to_photo) for line in read.lines] if read.to_photo is not None else []
    present = bool(row["conditions"].get("document_present", True))
    lines = [
        ReadLine(text, polygon, field, characters_right(text, polygon, read.lines, places))
        for text, polygon, field in ((text, np.array(where, np.float32), field) for text, where, field in row["lines"])
        if _letters(text)
    ]
    return LegibilityPhoto(
        folder / row["image"], row["type"], row["origin"], tuple(lines) if present else (), row["conditions"]
    )


def characters_right(
    text: str, polygon: Polygon, read: Sequence[TextLine], places: Sequence[Polygon]
) -> NDArray[np.bool_]:
    """Which letters and digits of a printed line are read right: bool [characters]; case does not matter.

    polygon: of the printed line. places: polygons of the read lines, in the same coordinates. The text of the read
    lines that lie on the printed line is aligned with its text (Levenshtein); a read line may be longer than it.
    """
    expected = _letters(text)
    given = _text_on(polygon, read, places)
    if not given:
        return np.zeros(len(expected), np.bool_)
    best = fuzz.partial_ratio_alignment(expected, given)
    if best is not None and len(given) > len(expected):
        given = given[max(0, best.dest_start - EXTRA_CHARACTERS) : best.dest_end + EXTRA_CHARACTERS]
    right = np.zeros(len(expected), np.bool_)
    for step in Levenshtein.opcodes(expected, given):
        if step.tag == "equal":
            right[step.src_start : step.src_end] = True
    return right


def _text_on(polygon: Polygon, read: Sequence[TextLine], places: Sequence[Polygon]) -> str:
    """The text of the read lines that run through a printed line, from its left to its right."""
    if not read:
        return ""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    to_line = cv2.getPerspectiveTransform(polygon.astype(np.float32), unit).astype(np.float64)
    share = np.linspace(0, 1, POINTS_PER_LINE, dtype=np.float32)[:, None]
    starts, ends = (np.stack([(one[a] + one[b]) / 2 for one in places])[:, None] for a, b in ((0, 3), (1, 2)))
    middles = project(starts * (1 - share) + ends * share, to_line)  # [N, POINTS_PER_LINE, 2]
    x, y = middles[..., 0], middles[..., 1]
    inside = (x > 0) & (x < 1) & (y > -REACH) & (y < 1 + REACH)
    order = sorted(np.flatnonzero(inside.any(1)).tolist(), key=lambda at: float(x[at].mean()))
    return "".join(_letters(read[at].text) for at in order)


class LegibilitySource:
    """Draws the specification of the n-th photo, from its seed and number."""

    def __init__(self, root: Path | None = None, seed: int = PHOTO_SEED) -> None:
        """root: of SROIE, of which only the training part is used; None uses synthetic documents only."""
        self._root, self._seed = root, seed
        self._scans = [page.image for page in sroie.load(root, "train")] if root else []
        self._types = list(TYPE_WEIGHTS)
        self._weights = np.array(list(TYPE_WEIGHTS.values())) / sum(TYPE_WEIGHTS.values())

    def __call__(self, number: int) -> PhotoSpec:
        """The specification of this number."""
        rng = np.random.default_rng((self._seed, number))
        plan = "everyday" if rng.random() < EVERYDAY_SHARE else "quality_training"
        kind = self._types[int(rng.choice(len(self._types), p=self._weights))]
        if self._root and rng.random() < SROIE_SHARE:
            scan = self._scans[int(rng.integers(len(self._scans)))]
            return ScanPhotoSpec(scan, self._root, number, plan, seed=self._seed)
        return SyntheticPhotoSpec(kind, number, plan, self._seed, "known")


def write_photos(
    folder: Path, source: LegibilitySource, photos: int, textures: Sequence[Page], models_dir: Path
) -> None:
    """Make and read the photos that are missing among the first `photos`."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    written = {row["key"]: row for row in _rows(folder)}
    (folder / PHOTOS_FILE).write_text("".join(_dump(row) for row in written.values()))  # drops a half-written line

    def pages() -> Iterator[LabelledPage]:
        with (folder / PHOTOS_FILE).open("a", encoding="utf-8") as out:
            for number in range(photos):
                key = f"{number:06}"
                if key not in written:
                    written[key] = _make(folder, key, source(number), textures)
                    out.write(_dump(written[key]))
                    out.flush()
                yield LabelledPage(folder / written[key]["image"], written[key]["type"], {}, key=key)

    for _ in reads.read_as_served(folder / READS_FILE, pages(), models_dir):
        pass


def _make(folder: Path, key: str, spec: PhotoSpec, textures: Sequence[Page]) -> dict[str, Any]:
    """Simulate one photo, save it and return its row."""
    simulated = simulate_photo(spec, textures)
    image = f"images/{key}.jpg"
    pictures.save(simulated.photo, folder / image, simulated.jpeg_quality)
    lines = simulated.truth["runs"]
    if isinstance(spec, ScanPhotoSpec):
        labels = sroie.printed_labels(spec.root, spec.scan.stem)
        lines = [[text, where, field_of_line(text, labels)] for text, where, _ in lines]
        kind, origin = "receipt", spec.scan.stem
    else:
        kind, origin = spec.type, f"{spec.type}-{key}"
    conditions = simulated.truth["conditions"]
    return {"key": key, "image": image, "type": kind, "origin": origin, "lines": lines, "conditions": conditions}


def field_of_line(text: str, labels: Mapping[str, str]) -> str | None:
    """The field that a line of a transcript prints, wholly or in part: its label contains the line or is in it."""
    line = _letters(text)
    for name, label in labels.items():
        value = _letters(label)
        within, around = value in line, line in value
        if (within and len(value) >= MIN_FIELD_CHARACTERS) or (around and len(line) >= 2 * MIN_FIELD_CHARACTERS):
            return name
    return None


def _letters(text: str) -> str:
    """The letters and digits of a text as capitals, one for each."""
    return "".join(upper if len(upper := one.upper()) == 1 else one for one in text if one.isalnum())


def _rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of the photos; [] without any. A half-written last line is dropped."""
    file = folder / PHOTOS_FILE
    return [json.loads(line) for line in file.read_text("utf-8").split("\n")[:-1]] if file.exists() else []


def _dump(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--photos", type=int, default=3000)
    parser.add_argument("--sroie", type=Path, metavar="DIR", help="the data set, for photos of real scans")
    parser.add_argument("--surfaces", type=Path, metavar="DIR", help="pictures of table tops (default: synthetic ones)")
    add_models_option(parser)
    options = parser.parse_args(arguments)
    textures = pictures.load_folder(options.surfaces)
    write_photos(options.out, LegibilitySource(options.sroie), options.photos, textures, options.models)


if __name__ == "__main__":
    main()
