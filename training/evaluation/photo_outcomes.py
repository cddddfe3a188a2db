"""For each labelled photo: the quality network's scores, and which fields extraction then read right.

Reading takes about a second per page, so the outcomes are cached next to the photos, in a file named after both models:
another model of either kind is measured again, and a run that was stopped is resumed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docextract.answers.review import required_confidence
from docextract.answers.schema import DocumentAnswer
from docextract.documents import document_types
from docextract.images.geometry import Glimpse
from docextract.predictions import Assessment
from docextract.quality.usability import USABILITY_FILE
from docextract.registry import Version, overall_digest
from docextract.serving.local import LocalModels
from training.datasets import LabelledPage, labelled_folder
from training.evaluation.evaluate import evaluate, extract_in_process


@dataclass(frozen=True)
class PhotoOutcome:
    """The outcome of one photo. It has only fields whose value is known."""

    key: str  # of the page; photos of one receipt share it
    type: str  # of the label
    detected: bool  # whether an outline was found
    scores: Mapping[str, float]  # by criterion: probability that the photo is free of the defect
    right: Mapping[str, bool]  # by field: loose, see training/metrics.py
    sure: float | None  # of the required fields of the answer, see `answers.review.required_confidence`


class RecordingModels(LocalModels):
    """The promoted models; `last` is the latest assessment of the quality network."""

    last: Assessment

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """Return one assessment per glimpse, in input order. Called with one photo at a time here."""
        found = await super().assess(glimpses)
        self.last = found[-1]
        return found


def collect_outcomes(folder: Path, models: RecordingModels) -> list[PhotoOutcome]:
    """The outcomes of all photos of a labelled folder, in its order; cached ones are not computed again."""
    pages, _ = labelled_folder.load(folder)
    quality, extraction = (_network_digest(models.served[name]) for name in ("quality", "extraction"))
    cache = folder / f"outcomes-{quality}-{extraction}.jsonl"
    known = {outcome.key: outcome for outcome in load(cache)}
    cache.write_text("".join(map(dump_outcomes, known.values())))  # drops a half-written last line
    with cache.open("a") as out:
        for outcome in _measure([page for page in pages if page.key not in known], models):
            known[outcome.key] = outcome
            out.write(dump_outcomes(outcome))
            out.flush()
    return [known[page.key] for page in pages]


def _network_digest(version: Version) -> str:
    """Eight digits over all files but the usability model, which does not change the network's scores."""
    files = {name: digest for name, digest in version.files.items() if name != USABILITY_FILE}
    return overall_digest(files).removeprefix("sha256:")[:8]


def _measure(pages: Sequence[LabelledPage], models: RecordingModels) -> Iterator[PhotoOutcome]:
    extract = extract_in_process(models)
    for page in pages:
        body = extract(page.image, page.page)
        (outcome,) = evaluate([page], lambda image, number, body=body: body)
        if outcome.problem:
            raise ValueError(f"{page.image} cannot be measured: the service answers {outcome.problem}")
        known = [one for one in outcome.comparisons if one.expected is not None]
        yield PhotoOutcome(
            page.key,
            page.type,
            models.last.polygon is not None,
            {name: round(score, 5) for name, score in models.last.scores.items()},
            {one.field: one.loose for one in known},
            _required_confidence(body),
        )


def _required_confidence(body: Mapping[str, Any]) -> float | None:
    """Return what validation=enforce takes from an answer; None without a document of a known type."""
    documents = body.get("documents") or []
    return required_confidence(DocumentAnswer(**documents[0])) if documents else None


def dump_outcomes(outcome: PhotoOutcome) -> str:
    """One JSON line, with its line break."""
    return json.dumps(asdict(outcome)) + "\n"


def load(cache: Path) -> list[PhotoOutcome]:
    """The outcomes in a cache file; [] if there is none yet. A half-written last line is dropped."""
    if not cache.exists():
        return []
    return [PhotoOutcome(**json.loads(line)) for line in cache.read_text().split("\n")[:-1]]


def required_fields(outcome: PhotoOutcome) -> list[str]:
    """Names of the required fields whose value is known."""
    return [name for name in outcome.right if name in document_types()[outcome.type].required]
