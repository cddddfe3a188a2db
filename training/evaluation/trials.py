"""Photos tried out: what the quality network thought of each, and how much of it extraction then got right.

Reading costs a second a page, so what came out is kept beside the photos, in a file named after both models: another
model of either kind is tried anew, and a run that was stopped goes on.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from docextract.documents import document_types
from docextract.images.geometry import Glimpse
from docextract.predictions import Assessment
from docextract.quality.yardstick import YARDSTICK
from docextract.registry import Version, overall_digest
from docextract.serving.local import LocalModels
from training.datasets import LabelledPage, labelled_folder
from training.evaluation.evaluate import ask_here, evaluate


@dataclass(frozen=True)
class Trial:
    """One photo. Only fields whose value is known are here."""

    key: str  # of the page: photos of one receipt share it
    type: str  # the label's
    detected: bool  # an outline was found
    scores: Mapping[str, float]  # by criterion: the probability that the photo is free of it
    right: Mapping[str, bool]  # by field: loose, see training/evaluation/metrics.py
    likeness: Mapping[str, float]  # by field, 0..1: of strings 1 − edit distance, of all else 1 if right


class Watched(LocalModels):
    """The promoted models, which remember what the quality network said last."""

    last: Assessment

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """One photo at a time here."""
        found = await super().assess(glimpses)
        self.last = found[-1]
        return found


def collect(folder: Path, models: Watched) -> list[Trial]:
    """The trials of all photos of a labelled folder, in its order; those of before are not done again."""
    pages, _ = labelled_folder.load(folder)
    cache = folder / f"trials-{_short(models.served['quality'])}-{_short(models.served['extraction'])}.jsonl"
    known = {trial.key: trial for trial in load(cache)}
    cache.write_text("".join(map(dump, known.values())))  # without a half-written last line
    with cache.open("a") as out:
        for trial in _tried([page for page in pages if page.key not in known], models):
            known[trial.key] = trial
            out.write(dump(trial))
            out.flush()
    return [known[page.key] for page in pages]


def _short(model: Version) -> str:
    """Of what the network is; what its scores are held against may change without it."""
    files = {name: digest for name, digest in model.files.items() if name != YARDSTICK}
    return overall_digest(files).removeprefix("sha256:")[:8]


def _tried(pages: Sequence[LabelledPage], models: Watched) -> Iterator[Trial]:
    for page, outcome in zip(pages, evaluate(pages, ask_here(models)), strict=True):
        if outcome.problem:
            raise ValueError(f"{page.image} cannot be tried: {outcome.problem}")
        known = [one for one in outcome.comparisons if one.wanted is not None]
        yield Trial(
            page.key,
            page.type,
            models.last.polygon is not None,
            {name: round(score, 5) for name, score in models.last.scores.items()},
            {one.field: one.loose for one in known},
            {
                one.field: round(1 - one.edit_distance, 4) if isinstance(one.wanted, str) else float(one.loose)
                for one in known
            },
        )


def dump(trial: Trial) -> str:
    """One JSON line."""
    return json.dumps(asdict(trial)) + "\n"


def load(cache: Path) -> list[Trial]:
    """Everything in a cache; [] where there is none yet. A half-written last line is dropped."""
    if not cache.exists():
        return []
    return [Trial(**json.loads(line)) for line in cache.read_text().split("\n")[:-1]]


def required(trial: Trial) -> list[str]:
    """Names of the required fields whose value is known."""
    return [name for name in trial.right if name in document_types()[trial.type].required]
