"""Compare scores of photos by how well they tell usable photos from spoilt ones.

    python -m training.evaluation.usability PHOTOS --legibility runs/legibility/weights [--page docs/legibility.md]

PHOTOS is written by training.evaluation.usability_photos, which has also read them: comparing takes seconds, and a
minute for weights that have not assessed these photos yet. A photo is usable if all its required fields that count are
read right; a field counts if it is read right in the clean picture and in the careful photos, see
training.evaluation.risk. Of the real phone photos as they are, date and total count: merchant names are read wrong for
reasons that no photo changes.

All that is fitted (thresholds, the combined score) is fitted on one half of the documents and reported on the other.
The halves share no document, and no template of invoices and cards. Intervals are from a bootstrap over documents.
"""

import argparse
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from docextract.documents import document_types
from docextract.images.geometry import take_glimpse
from docextract.predictions import Assessment
from docextract.quality.assessor import CONFIG_FILE, WEIGHTS_FILE, Assessor
from docextract.quality.criteria import Strictness
from docextract.quality.usability import UsabilityModel
from docextract.registry import promoted_version
from training.datasets import labelled_folder, pictures
from training.evaluation.bootstrap import auroc_interval, compare_aurocs, compare_shares, draw_resamples
from training.evaluation.evaluate import provenance
from training.evaluation.photo_outcomes import PhotoOutcome, RecordingModels, collect_outcomes
from training.evaluation.risk import (
    STRICTNESSES,
    PhotoCase,
    build_cases,
    choose_threshold,
    risk_curve,
)
from training.evaluation.usability_photos import CLEAN

SERVED, WEAKEST, ALL_FIELDS, BOTH = "served score", "weakest field", "all fields", "served score and map"
EVERYTHING = "all"
PHONE_FIELDS = ("document_date", "total")  # that count on the real phone photos as they are
BOOTSTRAP_SEED = 0
_FLOOR = 1e-4  # smallest probability, before logarithms


@dataclass(frozen=True)
class CheckedPhoto:
    """One photo whose usability is known, and what both scores are computed from.

    fields:  expected share of each required field of the predicted type that is read right, 0..1; see FieldLegibility.
    fitted:  whether it belongs to the half that thresholds are fitted on.
    """

    collection: str
    case: PhotoCase
    fields: tuple[float, ...]
    fitted: bool

    @property
    def usable(self) -> bool:
        """Whether all required fields that count are read right."""
        return bool(self.case.usable)


Score = Callable[[CheckedPhoto], float]


def read_photos(root: Path, models: RecordingModels, weights: Path) -> list[CheckedPhoto]:
    """The photos of all collections with a field that counts. weights: of a quality network with a legibility map."""
    photos = []
    for name, folder, cases in decided_cases(root, models):
        fields = assess_fields(folder, weights)
        photos += [CheckedPhoto(name, case, fields[case.key], is_fitted(name, case.key)) for case in cases]
    return photos


def decided_cases(root: Path, models: RecordingModels) -> Iterator[tuple[str, Path, list[PhotoCase]]]:
    """Of each labelled folder: the name of its collection, the folder, and the photos that have a field that counts."""
    for collection in sorted(path for path in root.iterdir() if (path / CLEAN).is_dir()):
        clean = collect_outcomes(collection / CLEAN, models)
        careful = [collect_outcomes(folder, models) for folder in sorted(collection.glob("careful-*[0-9]"))]
        for folder in sorted(collection.glob("damaged-*[0-9]")):
            yield f"{collection.name}, damaged", folder, _decided(collect_outcomes(folder, models), clean, *careful)
        if collection.name == "srd":
            yield "srd, as they are", collection / CLEAN, _decided([_with_phone_fields(one) for one in clean])


def _decided(photos: Sequence[PhotoOutcome], *careful: Sequence[PhotoOutcome]) -> list[PhotoCase]:
    return [case for case in build_cases(photos, *careful) if case.usable is not None]


def _with_phone_fields(photo: PhotoOutcome) -> PhotoOutcome:
    right, likeness = ({name: of[name] for name in PHONE_FIELDS if name in of} for of in (photo.right, photo.likeness))
    return replace(photo, right=right, likeness=likeness)


def is_fitted(collection: str, key: str) -> bool:
    """Whether a document belongs to the half that thresholds are fitted on.

    The served score is fitted on the development half of srd, so that this half cannot be reported. Keys of other
    collections begin with their template.
    """
    if collection.startswith("srd"):
        return int(key[:4]) % 2 == 0
    return zlib.crc32(key.partition("--")[0].encode()) % 2 == 0


def assess_fields(folder: Path, weights: Path) -> dict[str, tuple[float, ...]]:
    """The expected legibility of the required fields of the predicted type, by key of a labelled folder; cached there.

    Where the predicted type has no required field, it is that of the whole document.
    """
    digest = hashlib.sha256(b"".join((weights / name).read_bytes() for name in (CONFIG_FILE, WEIGHTS_FILE)))
    cache = folder / f"legibility-{digest.hexdigest()[:8]}.json"
    if not cache.exists():
        assessor = Assessor.load(weights)
        found = {
            page.key: fields_of(assessor.assess([take_glimpse(pictures.load(page.image))])[0])
            for page in labelled_folder.load(folder).pages
        }
        cache.write_text(json.dumps(found))
    return {key: tuple(fields) for key, fields in json.loads(cache.read_text()).items()}


def fields_of(assessment: Assessment) -> tuple[float, ...]:
    """The expected legibility of the required fields of the predicted type; of the document if it has none."""
    legibility = assessment.legibility
    if legibility is None:
        raise ValueError("these weights have no legibility map: train them with training.tasks.quality.legibility")
    kind = document_types().get(assessment.type or "")
    required = sorted(kind.required & legibility.fields.keys()) if kind else []
    return tuple(round(legibility.fields[name].expected, 5) for name in required) or (round(legibility.document, 5),)


def build_scores(fitted: Sequence[CheckedPhoto], usability: UsabilityModel) -> dict[str, Score]:
    """The compared scores, by name. fitted: the photos that the combined score is fitted on."""

    def served(photo: CheckedPhoto) -> float:
        return photo.case.verdict(usability).score

    def capped(photo: CheckedPhoto, score: float) -> float:
        """A photo without a detected document scores no more than in the service."""
        return score if photo.case.detected else min(score, served(photo))

    def features(photo: CheckedPhoto) -> list[float]:
        score = min(max(served(photo), _FLOOR), 1 - _FLOOR)
        logs = np.log(np.maximum(photo.fields, _FLOOR))
        return [np.log(score / (1 - score)), float(logs.min()), float(logs.mean())]

    weights = fit_logistic(np.array([features(one) for one in fitted]), np.array([one.usable for one in fitted]))

    def both(photo: CheckedPhoto) -> float:
        return float(1 / (1 + np.exp(-(np.array([*features(photo), 1.0]) @ weights))))

    return {
        SERVED: served,
        WEAKEST: lambda photo: capped(photo, min(photo.fields)),
        ALL_FIELDS: lambda photo: capped(photo, float(np.prod(photo.fields))),
        BOTH: lambda photo: capped(photo, both(photo)),
    }


def fit_logistic(features: NDArray[np.float64], positive: NDArray[np.bool_], steps: int = 50) -> NDArray[np.float64]:
    """Weights of a logistic regression, [D + 1], the last is the intercept; by Newton's method with a weak penalty.

    features: [N, D]. positive: [N].
    """
    inputs = np.concatenate([features, np.ones((len(features), 1))], 1)
    weights = np.zeros(inputs.shape[1])
    for _ in range(steps):
        probability = 1 / (1 + np.exp(-(inputs @ weights)))
        slope = inputs.T @ (probability - positive) + weights
        curvature = (inputs * (probability * (1 - probability))[:, None]).T @ inputs + np.eye(len(weights))
        weights = weights - np.linalg.solve(curvature, slope)
    return weights


def compare_scores(photos: Sequence[CheckedPhoto], usability: UsabilityModel) -> dict[str, Any]:
    """The figures of each collection and of all, by collection: numbers of photos, and figures of each score."""
    fitted, reported = [one for one in photos if one.fitted], [one for one in photos if not one.fitted]
    scores = build_scores(fitted, usability)
    usable = np.array([one.usable for one in fitted])
    thresholds = {
        name: {
            strictness: choose_threshold(strictness, np.array([score(one) for one in fitted]), usable)
            for strictness in STRICTNESSES
        }
        for name, score in scores.items()
    }
    sets = {
        name: [one for one in reported if one.collection == name] for name in sorted({p.collection for p in photos})
    }
    return {
        name: _figures(chosen, scores, thresholds, usability) for name, chosen in {**sets, EVERYTHING: reported}.items()
    }


def _figures(
    photos: Sequence[CheckedPhoto],
    scores: Mapping[str, Score],
    thresholds: Mapping[str, Mapping[Strictness, float]],
    usability: UsabilityModel,
) -> dict[str, Any]:
    usable = np.array([one.usable for one in photos])
    documents, of_document = np.unique([one.case.key for one in photos], return_inverse=True)
    drawn = draw_resamples(len(documents), np.random.default_rng(BOOTSTRAP_SEED))[:, of_document]
    served = [scores[SERVED](one) for one in photos]
    figures: dict[str, Any] = {
        "photos": len(photos), "documents": len(documents), "usable": int(usable.sum()), "spoilt": int((~usable).sum())
    }  # fmt: skip
    accepted = {name: np.array([one.case.verdict(usability, name).accepted for one in photos]) for name in STRICTNESSES}
    figures["as served"] = {name: passed_and_stopped(accepted[name], usable) for name in STRICTNESSES}
    for name, score in scores.items():
        values = np.array([score(one) for one in photos])
        compared = compare_aurocs((values, served), usable.tolist(), drawn)
        figures[name] = {
            "auroc": auroc_interval(values, usable, drawn),
            "against served": None if compared is None else asdict(compared),
            "mean_risk": round(_mean_risk(photos, score), 4),
            "thresholds": dict(thresholds[name]),
            **{level: passed_and_stopped(values >= limit, usable) for level, limit in thresholds[name].items()},
            "decisions": _compare_decisions(
                values >= thresholds[name]["normal"], np.array(served) >= thresholds[SERVED]["normal"], usable, drawn
            ),
        }
    return figures


def _compare_decisions(
    passed: NDArray[np.bool_], served: NDArray[np.bool_], usable: NDArray[np.bool_], drawn: NDArray[np.float64]
) -> dict[str, Any] | None:
    """Compare the mean of usable photos passed and spoilt photos stopped, of a score and of the served score."""
    if usable.all() or not usable.any():
        return None
    weight = np.where(usable, 0.5 / usable.mean(), 0.5 / (~usable).mean())
    compared = compare_shares((weight * (passed == usable), weight * (served == usable)), weight, drawn)
    return None if compared is None else asdict(compared)


def _mean_risk(photos: Sequence[CheckedPhoto], score: Score) -> float:
    by_case = {id(one.case): score(one) for one in photos}
    return risk_curve([one.case for one in photos], lambda case: by_case[id(case)]).area


def passed_and_stopped(passed: NDArray[np.bool_], usable: NDArray[np.bool_]) -> dict[str, float | None]:
    """Share of the usable photos that pass, and of the spoilt ones that are stopped; None without such photos."""
    return {
        "usable_passed": round(float(passed[usable].mean()), 4) if usable.any() else None,
        "spoilt_stopped": round(float((~passed[~usable]).mean()), 4) if not usable.all() else None,
    }


def comparison_page(figures: Mapping[str, Any], made: Mapping[str, Any], command: str) -> str:
    """The figures as a page in Markdown."""
    return _PAGE.format(
        command=command,
        made=made,
        ranking="\n".join(_ranking_rows(figures)),
        passing="\n".join(_passing_rows(figures[EVERYTHING])),
    )


def _ranking_rows(figures: Mapping[str, Any]) -> list[str]:
    rows = []
    for name, part in figures.items():
        shown = [_with_interval(part[score]["auroc"]) for score in (SERVED, WEAKEST, ALL_FIELDS, BOTH)]
        gain = _with_limits(part[BOTH]["against served"])
        cells = [name, str(part["documents"]), str(part["usable"]), str(part["spoilt"]), *shown, gain]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _with_interval(area: tuple[float, float, float] | None) -> str:
    return "–" if area is None else f"{area[0]:.3f} ({area[1]:.3f} to {area[2]:.3f})"


def _with_limits(compared: Mapping[str, Any] | None) -> str:
    """The gain of a score over the served one, with its interval."""
    return "–" if compared is None else f"{compared['gain']:+.3f} ({compared['low']:+.3f} to {compared['high']:+.3f})"


def _passing_rows(figures: Mapping[str, Any]) -> list[str]:
    rows = []
    for name in (SERVED, WEAKEST, ALL_FIELDS, BOTH):
        shares = [f"{figures[name][one][share]:.0%}" for one in STRICTNESSES for share in _SHARES]
        decisions = figures[name]["decisions"]
        rows.append(f"| {name} | {' | '.join(shares)} | {_with_limits(decisions)} | {figures[name]['mean_risk']:.4f} |")
    shares = [f"{figures['as served'][one][share]:.0%}" for one in STRICTNESSES for share in _SHARES]
    rows.append(f"| {SERVED}, with the served thresholds and errors | {' | '.join(shares)} | | |")
    return rows


_SHARES = ("usable_passed", "spoilt_stopped")
_PAGE = """\
# Legibility map against the served score

*Written by `{command}`; do not edit. {made[date]}, commit {made[commit]}, {made[machine]}.*

A photo is *usable* if extraction reads all its required fields right that it reads right on the undamaged page and on
simulated careful photos of it; it is *spoilt* if one of them is wrong. Of the phone photos as they are, date and total
count. Damaged photos are made by the camera simulation. Thresholds and the combined score are fitted on one half of
the documents; all figures are of the other half. AUROC: the probability that a usable photo scores above a spoilt one,
with a 95 % interval from a bootstrap over documents. *Weakest field*: the smallest expected share of a required field
that is read right, by the legibility map. *All fields*: the product of these shares.

| photos | documents | usable | spoilt | served score | weakest field | all fields | both | gain of both |
|---|---|---|---|---|---|---|---|---|
{ranking}

Of all these photos, usable photos passed and spoilt photos stopped; the mean of both at normal strictness compared with
the served score; and the mean risk (see [validation.md](validation.md)):

| score | relaxed: passed | stopped | normal: passed | stopped | strict: passed | stopped | gain at normal | mean risk |
|---|---|---|---|---|---|---|---|---|
{passing}
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("--legibility", type=Path, required=True, metavar="WEIGHTS")
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--page", type=Path, metavar="FILE.md")
    parser.add_argument("--scores", type=Path, metavar="FILE.json")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    photos = read_photos(options.photos, RecordingModels(options.models), options.legibility)
    usability = UsabilityModel.load(promoted_version("quality", options.models).folder)
    figures = compare_scores(photos, usability)
    page = comparison_page(figures, provenance(), "python -m training.evaluation.usability")
    if options.scores:
        options.scores.write_text(json.dumps(figures, indent=1) + "\n")
    if options.page:
        options.page.write_text(page)
    else:
        print(page)


if __name__ == "__main__":
    main()
