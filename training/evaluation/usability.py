"""How well the check of photos tells usable photos from spoilt ones: the figures and the text of docs/validation.md.

The photos are those of training.evaluation.usability_photos. The usability model is fitted in five parts: photos are
judged by a model that was fitted on the others, and no document and no template is in two parts. Intervals are from a
bootstrap over documents and templates.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import take_glimpse
from docextract.quality.assessor import CONFIG_FILE, WEIGHTS_FILE, Assessor
from docextract.quality.criteria import CRITERIA, Strictness
from docextract.quality.usability import UsabilityModel
from training.datasets import labelled_folder, pictures
from training.evaluation.bootstrap import ANY_SHARE, Resamples, auroc_interval, compare_aurocs, draw_group_resamples
from training.evaluation.photo_outcomes import PhotoOutcome, RecordingModels, collect_outcomes
from training.evaluation.risk import STRICTNESSES, CheckedPhoto, RiskCurve, is_usable, readable_score, risk_curve
from training.evaluation.usability_photos import CLEAN

EVERYTHING = "all"
FOLD_COUNT = 5
PHONE_FIELDS = ("document_date", "total")  # that count on the real phone photos as they are
BOOTSTRAP_SEED = 0

Fit = Callable[[Sequence[CheckedPhoto]], UsabilityModel]


def read_photos(root: Path, models: RecordingModels, weights: Path) -> list[CheckedPhoto]:
    """The photos of all collections with a field that counts.

    weights: of a quality network with a legibility map, whose other outputs are those of the promoted network.
    """
    return [photo for collection in sorted(root.iterdir()) for photo in _collection(collection, models, weights)]


def _collection(folder: Path, models: RecordingModels, weights: Path) -> Iterator[CheckedPhoto]:
    if not (folder / CLEAN).is_dir():
        return
    clean = collect_outcomes(folder / CLEAN, models)
    careful = [clean, *(collect_outcomes(one, models) for one in sorted(folder.glob("careful-*[0-9]")))]
    for damaged in sorted(folder.glob("damaged-*[0-9]")):
        outcomes = collect_outcomes(damaged, models)
        yield from _checked(f"{folder.name}, damaged", outcomes, careful, required_legibility(damaged, weights))
    if folder.name == "srd":
        as_they_are = list(map(_with_phone_fields, clean))
        yield from _checked("srd, as they are", as_they_are, [], required_legibility(folder / CLEAN, weights))


def _checked(
    collection: str,
    outcomes: Sequence[PhotoOutcome],
    careful: Sequence[Sequence[PhotoOutcome]],
    legibility: Mapping[str, tuple[float, ...]],
) -> Iterator[CheckedPhoto]:
    by_key = [{one.key: one for one in some} for some in careful]
    for photo in outcomes:
        usable = is_usable(photo, [some[photo.key] for some in by_key])
        if usable is not None:
            group = photo.key.partition("--")[0]  # keys of invoices and cards begin with their template
            yield CheckedPhoto(
                collection, photo.type, group, photo.detected, photo.scores, legibility[photo.key], photo.sure, usable
            )


def _with_phone_fields(photo: PhotoOutcome) -> PhotoOutcome:
    return replace(photo, right={name: photo.right[name] for name in PHONE_FIELDS if name in photo.right})


def required_legibility(folder: Path, weights: Path) -> dict[str, tuple[float, ...]]:
    """The legibility of the required fields of each photo of a labelled folder, by key; cached in the folder.

    Raises ValueError if the weights have no legibility map.
    """
    digest = hashlib.sha256(b"".join((weights / name).read_bytes() for name in (CONFIG_FILE, WEIGHTS_FILE)))
    cache = folder / f"legibility-{digest.hexdigest()[:8]}.json"
    if not cache.exists():
        assessor = Assessor.load(weights)
        found = {}
        for page in labelled_folder.load(folder).pages:
            legibility = assessor.assess([take_glimpse(pictures.load(page.image))])[0].legibility
            if legibility is None:
                raise ValueError(
                    "these weights have no legibility map: train it with training.tasks.quality.legibility"
                )
            found[page.key] = [round(share, 5) for share in legibility.required_fields]
        cache.write_text(json.dumps(found))
    return {key: tuple(fields) for key, fields in json.loads(cache.read_text()).items()}


@dataclass(frozen=True)
class JudgedPhoto:
    """A photo with the results of a model that was not fitted on it.

    score:     usability, 0..1.
    criteria:  usability by the criteria alone, of a model that was fitted without the map.
    readable:  what validation=enforce refuses by, 0..1; 0 for a photo that is refused before it is read.
    passed:    strictness at which the check accepts it.
    answered:  strictness at which validation=enforce answers it.
    """

    photo: CheckedPhoto
    score: float
    criteria: float
    readable: float
    passed: frozenset[Strictness]
    answered: frozenset[Strictness]


def cross_judge(photos: Sequence[CheckedPhoto], fit: Fit) -> list[JudgedPhoto]:
    """Judge every photo by a model that was fitted on the other parts."""
    judged: list[JudgedPhoto] = []
    for part in range(FOLD_COUNT):
        others = [photo for photo in photos if _part(photo) != part]
        mine = [photo for photo in photos if _part(photo) == part]
        if mine:
            model, without_map = fit(others), fit([replace(photo, fields=()) for photo in others])
            judged += [_judge(photo, model, without_map) for photo in mine]
    return judged


def _part(photo: CheckedPhoto) -> int:
    return zlib.crc32(photo.group.encode()) % FOLD_COUNT


def _judge(photo: CheckedPhoto, model: UsabilityModel, without_map: UsabilityModel) -> JudgedPhoto:
    verdicts = {strictness: photo.verdict(model, strictness) for strictness in STRICTNESSES}
    score, readable = verdicts["normal"].score, readable_score(photo, model)
    return JudgedPhoto(
        photo,
        score,
        replace(photo, fields=()).verdict(without_map).score,
        readable,
        frozenset(strictness for strictness, verdict in verdicts.items() if verdict.accepted),
        frozenset(strictness for strictness in STRICTNESSES if readable >= model.min_readable(photo.type, strictness)),
    )


def usability_figures(judged: Sequence[JudgedPhoto]) -> dict[str, Any]:
    """The figures of each collection and of all, by collection."""
    names = sorted({one.photo.collection for one in judged})
    sets = {name: [one for one in judged if one.photo.collection == name] for name in names}
    return {name: _figures(some) for name, some in {**sets, EVERYTHING: judged}.items()}


def _figures(judged: Sequence[JudgedPhoto]) -> dict[str, Any]:
    usable = np.array([one.photo.usable for one in judged])
    groups = [one.photo.group for one in judged]
    drawn = draw_group_resamples(groups, np.random.default_rng(BOOTSTRAP_SEED))
    ranked = {name: np.array([getattr(one, name) for one in judged]) for name in ("score", "criteria", "readable")}
    gain = compare_aurocs((ranked["score"], ranked["criteria"]), usable.tolist(), drawn)
    return {
        "groups": len(set(groups)),
        "usable": int(usable.sum()),
        "spoilt": int((~usable).sum()),
        "auroc": {name: auroc_interval(scores, usable, drawn) for name, scores in ranked.items()},
        "gain": None if gain is None else [gain.gain, gain.low, gain.high],
        "mean_risk": {name: round(risk_curve(scores, usable).area, 4) for name, scores in ranked.items()},
        **{name: _shares(judged, usable, name, drawn) for name in STRICTNESSES},
    }


def _shares(
    judged: Sequence[JudgedPhoto], usable: NDArray[np.bool_], strictness: Strictness, drawn: Resamples
) -> dict[str, Any]:
    passed = np.array([strictness in one.passed for one in judged])
    answered = np.array([strictness in one.answered for one in judged])
    return {
        "passed": _share(passed, usable, drawn),
        "stopped": _share(~passed, ~usable, drawn),
        "answered": _share(answered, usable, drawn),
        "refused": _share(~answered, ~usable, drawn),
        "passed_of_all": round(float(passed.mean()), 4),
    }


def _share(right: NDArray[np.bool_], of: NDArray[np.bool_], drawn: Resamples) -> list[float] | None:
    """The share of some photos with its 95 % interval: value, low, high; None without such photos."""
    if not of.any():
        return None
    with np.errstate(invalid="ignore"):
        values = (drawn.weights @ (right & of)) / (drawn.weights @ of)
    return [round(float(share), 4) for share in (right[of].mean(), *drawn.limits(values, of, ANY_SHARE))]


def risk_curves(judged: Sequence[JudgedPhoto]) -> dict[str, RiskCurve]:
    """The risk if photos are passed in the order of three scores, by name."""
    usable = np.array([one.photo.usable for one in judged])
    names = {"score": "usability score", "criteria": "criteria alone", "readable": "after reading"}
    return {
        title: risk_curve(np.array([getattr(one, name) for one in judged]), usable) for name, title in names.items()
    }


def validation_page(
    figures: Mapping[str, Any], usability: UsabilityModel, made: Mapping[str, Any], command: str, plot: str
) -> str:
    """The text of docs/validation.md. plot: path of the risk plot, relative to the page."""
    everything = figures[EVERYTHING]
    return _PAGE.format(
        command=command,
        made=made,
        plot=plot,
        all=everything,
        ranking="\n".join(_ranking_row(name, one) for name, one in figures.items()),
        passing="\n".join(_passing_row(name, one["normal"]) for name, one in figures.items()),
        strictnesses="\n".join(
            _row(
                name,
                f"{usability.thresholds[name]:.2f}",
                ", ".join(f"{kind} {limits[name]:.2f}" for kind, limits in sorted(usability.readable.items())),
                *_passing(everything[name]),
            )
            for name in STRICTNESSES
        ),
        costs="\n".join(
            _row(
                f"`{criterion.name}`",
                f"{usability.cost(criterion):.2f}",
                usability.severity(criterion),
                f"{usability.threshold(criterion, usability.severity(criterion), 'normal'):.2f}",
            )
            for criterion in sorted(CRITERIA, key=usability.cost, reverse=True)
        ),
        model=usability,
    )


def _ranking_row(name: str, figures: Mapping[str, Any]) -> str:
    areas = [_with_interval(figures["auroc"][score]) for score in ("criteria", "score", "readable")]
    gain = "–" if figures["gain"] is None else "{:+.3f} ({:+.3f} to {:+.3f})".format(*figures["gain"])
    return _row(
        name, str(figures["groups"]), str(figures["usable"]), str(figures["spoilt"]), *areas[:2], gain, areas[2]
    )


def _with_interval(area: Sequence[float] | None) -> str:
    return "–" if area is None else "{:.3f} ({:.3f} to {:.3f})".format(*area)


def _passing_row(name: str, shares: Mapping[str, Any]) -> str:
    return _row(name, *_passing(shares))


def _passing(shares: Mapping[str, Any]) -> list[str]:
    return [_percent(shares[share]) for share in ("passed", "stopped", "answered", "refused")]


def _percent(share: Sequence[float] | None) -> str:
    return "–" if share is None else "{:.0%} ({:.0%} to {:.0%})".format(*share)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


_PAGE = """\
# Validation of photos

*Written by `{command}`; do not edit. {made[date]}, commit {made[commit]}, {made[machine]}.*

`POST /validation` gives every photo a usability score: the estimated probability that extraction reads the photo as
well as a careful picture of the same page. It combines the scores of all criteria with the legibility map, which
predicts where in the photo print would be read right, and where the required fields stand.

A photo is *usable* if extraction reads all its required fields right that it reads right on the undamaged page and on
simulated careful photos of it; it is *spoilt* if one of them is wrong. *srd* are phone photos of American receipts,
*ids* specimens of passports and cards, *invoices* real invoices, *synthetic* generated documents. Damaged photos are
made by the camera simulation from these pages; of the phone photos as they are, date and total count. The usability
model is fitted in five parts: every photo is judged by a model that was fitted on the other parts, and no document and
no template is in two parts. In brackets: 95 % intervals from a bootstrap over documents and templates. The service uses
a model that is fitted on all these photos.

## Telling usable photos from spoilt ones

AUROC: the probability that a usable photo scores above a spoilt one. *Criteria alone*: fitted without the map. *After
reading*: what `validation=enforce` refuses by, the mean of the score and of the confidence of the required fields (the
mean of the lowest and of the mean one).

| photos | documents or templates | usable | spoilt | criteria alone | score | gain by the map | after reading |
|---|---|---|---|---|---|---|---|
{ranking}

At normal strictness, `POST /validation` passes and stops, and `validation=enforce` answers and refuses:

| photos | usable: passed | spoilt: stopped | usable: answered | spoilt: refused |
|---|---|---|---|---|
{passing}

The goal is 90 % of each. At normal strictness, the lower of both shares is as high as it can be; *relaxed* passes 95 %
of the usable photos, *strict* stops 90 % of the spoilt ones. Of all photos, with the minimum of the score, and of its
mean with the confidence:

| strictness | minimum score | minimum mean | usable: passed | spoilt: stopped | usable: answered | spoilt: refused |
|---|---|---|---|---|---|---|
{strictnesses}

![Risk and coverage]({plot})

The curves show the share of spoilt photos among the passed ones if photos are passed in the order of a score, best
first. Their means are {all[mean_risk][score]} for the usability score, {all[mean_risk][criteria]} for the criteria
alone, and {all[mean_risk][readable]} after reading.

## Cost of each defect

Each criterion multiplies the photo's chance by 1 − cost · (1 − tolerated). *Tolerated* is the criterion's
score, raised if extraction tolerates more of the defect than the criterion does, and lowered if it tolerates
less. The logarithm of the product (times {model.scale:.2f}), the logarithm of the lowest legibility of a required field
(times {model.legibility[0]:.2f}), and the mean of these logarithms (times {model.legibility[1]:.2f}) are added to
{model.shift:.2f}; a sigmoid of the sum is the usability score. A defect that alone, at its worst, refuses a photo at
normal strictness is an error, other defects are warnings. The cost of a defect that few of the fitted photos have stays
near its initial guess. The last column is the score in this criterion below which it fails at normal strictness: an
error where it alone refuses the photo, a warning where the photo probably has more of it than extraction tolerates.

| criterion | cost | severity | minimum score |
|---|---|---|---|
{costs}
"""
