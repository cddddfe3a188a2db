"""Draws the settings of a simulated photo: from a plan ("blurry, severity 0.7") to numbers.

Severity runs from 0, which a careful photographer might accept, to 1, which nobody can read. Its middle is where
extraction starts to fail, so that thresholds can be fitted from both sides.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

Defect = Literal[
    "document_absent", "document_cutoff", "occluded", "multiple_documents", "low_background_contrast",
    "blurry", "dark", "overexposed", "glare", "faint", "noisy", "text_too_small", "screen_capture",
    "off_center", "too_far", "too_close", "tilted", "rotated",
]  # fmt: skip
DEFECTS: tuple[Defect, ...] = Defect.__args__  # type: ignore[attr-defined]

# Small defects of everyday photos; the others are decisions (a screen, a second receipt) or accidents.
_MILD_DEFECTS: tuple[Defect, ...] = (
    "document_cutoff", "occluded", "low_background_contrast", "blurry", "dark", "overexposed", "glare", "faint",
    "noisy", "text_too_small", "off_center", "too_far", "too_close", "tilted", "rotated",
)  # fmt: skip

# Defects that the network learns slowly are drawn more often: with equal probabilities too few of 6,400 photos had a
# visible one.
_SLOWLY_LEARNED_DEFECTS: tuple[Defect, ...] = (
    "occluded",
    "glare",
    "screen_capture",
    "tilted",
    "faint",
    "noisy",
    "multiple_documents",
)
_DEFECT_PROBABILITIES = np.array([2.5 if name in _SLOWLY_LEARNED_DEFECTS else 1.0 for name in DEFECTS])
_DEFECT_PROBABILITIES /= _DEFECT_PROBABILITIES.sum()

COVERED_SHARE, WORN_SHARE = 0.25, 0.15  # shares of the photos that the quality network trains on


@dataclass(frozen=True)
class PhotoPlan:
    """Which defects a photo is to have. All other settings are drawn by the carelessness of the photographer.

    A plan states an intention; `simulation.Conditions` are what the photo really shows.
    """

    defects: tuple[tuple[Defect, float], ...] = ()  # name, severity 0..1
    carelessness: float = 0.25  # 0: every setting near its best; 1: no care at all, but no defect on purpose
    max_mild_defects: int = 0  # up to this many more mild defects, drawn with the settings
    scan: bool = False  # a flatbed: no perspective, even light, the page fills the picture
    tight: bool = False  # framed by the print: blank paper around it may be outside the picture
    gripped: bool = False  # fingers and thumbs hold it, on its blank margin or on its print
    strewn: bool = False  # thin things lie over it: pens, cables
    worn: bool = False  # crumpled and folded, in coloured light

    @classmethod
    def good(cls) -> "PhotoPlan":
        """A careful photo: all settings near their best."""
        return cls(carelessness=0.12)

    @classmethod
    def everyday(cls) -> "PhotoPlan":
        """A mostly good photo with one or two mild defects."""
        return cls(carelessness=0.45, max_mild_defects=2)

    @classmethod
    def defect(cls, name: Defect, severity: float) -> "PhotoPlan":
        """One defect of this severity, 0..1, in an otherwise ordinary photo."""
        return cls(defects=((name, severity),), carelessness=0.25)

    @classmethod
    def tight_framing(cls, rng: np.random.Generator) -> "PhotoPlan":
        """A photo as most people take it of a receipt: the print fills the picture, blank paper may be cut off."""
        return cls(carelessness=float(rng.uniform(0.1, 0.5)), tight=True, max_mild_defects=int(rng.random() < 0.4))

    @classmethod
    def with_covering_objects(cls, rng: np.random.Generator) -> "PhotoPlan":
        """Something lies over the document: fingers that mostly hide no print, or pens and cables that mostly do."""
        gripped = bool(rng.random() < 0.7)
        return cls(
            carelessness=float(rng.uniform(0.1, 0.5)),
            tight=bool(rng.random() < (0.5 if gripped else 0.15)),
            max_mild_defects=int(rng.random() < 0.25),
            gripped=gripped,
            strewn=not gripped,
        )

    @classmethod
    def quality_training(cls, rng: np.random.Generator) -> "PhotoPlan":
        """The mix that the quality network trains on: `random`, and images that only look like a defect.

        These are fingers that hide no print, and crumpled paper that has the colour of skin or an unusual colour.
        """
        draw = float(rng.random())
        if draw < COVERED_SHARE:
            return cls.with_covering_objects(rng)
        return replace(cls.tight_framing(rng), worn=True) if draw < COVERED_SHARE + WORN_SHARE else cls.random(rng)

    @classmethod
    def random(cls, rng: np.random.Generator) -> "PhotoPlan":
        """A training mix: good, everyday, tight, scanned; each defect at any severity, one to three at once."""
        draw = float(rng.random())
        if draw < 0.12:
            return cls.good()
        if draw < 0.32:
            return cls.everyday()
        if draw < 0.39:
            return cls(carelessness=0.2, scan=True, max_mild_defects=int(rng.random() < 0.4))
        return cls.tight_framing(rng) if draw < 0.52 else cls.damaged(rng)

    @classmethod
    def damaged(cls, rng: np.random.Generator) -> "PhotoPlan":
        """One to three defects at any severity."""
        count = int(rng.choice([1, 2, 3], p=[0.6, 0.28, 0.12]))
        names = rng.choice(DEFECTS, size=count, replace=False, p=_DEFECT_PROBABILITIES)
        defects = tuple((name, float(rng.random())) for name in names)
        return cls(defects=defects, carelessness=float(rng.uniform(0.05, 0.7)), tight=bool(rng.random() < 0.2))


PHOTO_PLANS: Mapping[str, Callable[[np.random.Generator], PhotoPlan]] = {
    "random": PhotoPlan.random,
    "good": lambda rng: PhotoPlan.good(),
    "everyday": lambda rng: PhotoPlan.everyday(),
    "scan": lambda rng: PhotoPlan(scan=True),
    "tight": PhotoPlan.tight_framing,
    "quality_training": PhotoPlan.quality_training,
    "damaged": PhotoPlan.damaged,
}


@dataclass(frozen=True)
class CameraSettings:
    """The settings of one photo. Lengths are shares of the picture unless a unit is named."""

    absent: bool  # no document in the picture
    scan: bool  # a flatbed scanner
    screen: float  # strength of the display's pixel grid, 0..1; 0: no display
    others: int  # number of other documents in the picture
    # framing
    tight: bool  # the print fills the picture, not the paper
    blank: tuple[float, float, float, float]  # paper added left, above, right and below, in page widths
    long_side_px: int  # of the picture
    aspect: float  # width / height of the picture; 0: that of what fills it
    fill: float  # larger one of the document's width and height
    area: float | None  # when given, used instead of `fill`: the document's share of the picture's area
    visible: float | None  # when given: share of the document inside the picture
    offset: tuple[float, float]  # of the document's centre, in picture widths and heights
    tilt_deg: float
    tilt_towards_deg: float  # direction in which the page leans back
    roll_deg: float  # clockwise
    focal: float  # focal length / long side of the picture
    text_px: float | None  # when given, the picture is scaled so that text lines are this high
    min_text_px: float  # otherwise it is enlarged until they are at least this high, or its long side is 2000 px
    # paper
    curl: float  # 0 flat .. 1 strongly
    folds: int  # number of folds
    crumple: float  # 0 smooth .. 1 crumpled .. 2 crumpled into a ball and smoothed out
    pen_marks: int  # number of lines and signs drawn with a pen
    ink_contrast_kept: float  # share of the ink's contrast that is left
    # surroundings
    contrast: float | None  # |paper − surroundings| in L*, when given
    clutter: int  # number of things on the table
    held: bool  # in a hand; the background is far behind and out of focus
    grip: int  # number of fingers on its border
    with_thumbs: bool  # thumbs too: thicker, further inside, and from any side
    strewn: int  # number of pens and cables over it
    occluded: float  # share of the document that other things cover
    # light
    exposure: float  # level of white paper: 1.0 just reaches the sensor's white
    gradient: float  # change of the light across the picture, relative to its level
    shadows: int  # number of shadows
    shadow_depth: float  # of each shadow, 0 none .. 1 black
    glare: float  # share of the document under a reflection
    warmth: float  # −1 blue .. 1 yellow; up to ±2.2 under coloured lamps
    # lens and sensor; defocus (sigma) and motion (length) in heights of a text line
    defocus: float
    motion: float
    noise: float  # sigma, 0..255 scale
    sharpen: float  # amount of unsharp masking
    jpeg_quality: int


def draw_settings(plan: PhotoPlan, rng: np.random.Generator) -> CameraSettings:
    """Draw the settings of one photo."""
    settings = _ordinary(plan.carelessness, rng)
    if plan.scan:
        settings = _scanned(settings, rng)
    if plan.tight:
        settings = _tight(settings, rng)
    if plan.gripped:
        settings = _gripped(settings, rng)
    if plan.strewn:
        settings = _strewn(settings, rng)
    if plan.worn:
        settings = _worn(settings, rng)
    defects = list(plan.defects)
    if plan.max_mild_defects:
        for index in rng.permutation(len(_MILD_DEFECTS))[: int(rng.integers(1, plan.max_mild_defects + 1))]:
            defects.append((_MILD_DEFECTS[index], float(rng.uniform(0.0, 0.35))))
    for name, severity in defects:
        settings = _add_defect(settings, name, severity, rng)
    return settings


def _ordinary(carelessness: float, rng: np.random.Generator) -> CameraSettings:
    """Settings without defects."""
    care = 1.0 - carelessness

    def slip(spread: float) -> float:
        """A deviation from the best setting; larger for a careless photographer."""
        return float(rng.normal(0.0, spread * (0.25 + carelessness)))

    aspect = float(rng.choice([3 / 4, 9 / 16, 2 / 3, 1.0, 4 / 3], p=[0.68, 0.17, 0.06, 0.03, 0.06]))
    held = bool(rng.random() < 0.08)
    return CameraSettings(
        absent=False,
        scan=False,
        screen=0.0,
        others=0,
        tight=False,
        blank=(0.0, 0.0, 0.0, 0.0),
        long_side_px=int(rng.triangular(700, 1250, 2000)),
        aspect=aspect,
        fill=float(np.clip(0.95 - abs(slip(0.16)) + rng.uniform(-0.05, 0.04), 0.5, 0.985)),
        area=None,
        visible=None,
        offset=(float(np.clip(slip(0.05), -0.12, 0.12)), float(np.clip(slip(0.05), -0.12, 0.12))),
        tilt_deg=float(np.clip(abs(slip(14.0)), 0.0, 24.0)),
        # People tilt the phone towards themselves far more often than sideways.
        tilt_towards_deg=float(rng.normal(-90.0, 25.0) if rng.random() < 0.7 else rng.uniform(0.0, 360.0)),
        roll_deg=float(np.clip(slip(8.0), -14.0, 14.0)),
        focal=float(rng.uniform(0.72, 1.15)),
        text_px=None,
        min_text_px=18.0 * care,
        curl=float(np.clip(abs(slip(0.5)) + rng.uniform(0.0, 0.25), 0.0, 1.0)),
        folds=int(rng.poisson(0.9)),
        crumple=float(rng.beta(1.0, 2.5)) if rng.random() < 0.7 else 0.0,
        pen_marks=int(rng.integers(1, 4)) if rng.random() < 0.1 else 0,
        ink_contrast_kept=1.0,
        contrast=None,
        clutter=int(rng.poisson(0.8)),
        held=held,
        grip=int(rng.integers(1, 3)) if held or rng.random() < 0.05 else 0,
        with_thumbs=False,
        strewn=0,
        occluded=0.0,
        exposure=float(np.clip(rng.normal(0.9, 0.07 * (0.4 + carelessness)), 0.66, 1.05)),
        gradient=float(abs(slip(0.35)) + rng.uniform(0.02, 0.16)),
        shadows=int(rng.random() < 0.2 + 0.4 * carelessness),
        shadow_depth=float(rng.uniform(0.08, 0.2 + 0.35 * carelessness)),
        glare=0.0,
        warmth=float(np.clip(rng.normal(0.15, 0.2 + 0.35 * carelessness), -1.0, 1.0)),
        defocus=float(rng.uniform(0.0, 0.03 + 0.03 * carelessness)),
        motion=0.0,
        noise=float(rng.uniform(0.6, 1.8 + 3.5 * carelessness)),
        sharpen=float(rng.uniform(0.0, 0.9)) if rng.random() < 0.8 else 0.0,
        jpeg_quality=int(rng.integers(round(60 + 22 * care), 96)),
    )


def _scanned(settings: CameraSettings, rng: np.random.Generator) -> CameraSettings:
    """Settings of a flatbed scanner."""
    small = rng.random() < 0.25  # a receipt somewhere on a large scanner bed
    return replace(
        settings, scan=True, held=False, grip=0, aspect=float(rng.choice([210 / 297, 3 / 4])) if small else 0.0,
        fill=float(rng.uniform(0.45, 0.8) if small else rng.uniform(0.95, 1.015)),
        offset=(float(rng.uniform(-0.2, 0.2)), float(rng.uniform(-0.1, 0.1))) if small else (0.0, 0.0),
        tilt_deg=0.0, roll_deg=float(rng.normal(0.0, 0.8)), curl=0.0, folds=int(rng.poisson(0.4)),
        crumple=settings.crumple * 0.3, clutter=0, exposure=float(rng.uniform(0.93, 1.06)), gradient=0.0, shadows=0,
        warmth=float(rng.normal(0.0, 0.06)), noise=float(rng.uniform(0.2, 2.0)), min_text_px=16.0,
    )  # fmt: skip


def _tight(settings: CameraSettings, rng: np.random.Generator) -> CameraSettings:
    """The print fills the picture: rolls are torn off far from the print, and many people crop a photo to it."""
    sides, ends = rng.uniform(0.0, 0.07, 2), rng.uniform(0.0, 0.45, 2) * (rng.random(2) < 0.6)
    held = bool(rng.random() < 0.2)
    return replace(
        settings, tight=True, blank=(float(sides[0]), float(ends[0]), float(sides[1]), float(ends[1])),
        aspect=0.0 if rng.random() < 0.5 else settings.aspect, fill=float(rng.triangular(0.86, 0.95, 1.05)),
        offset=(0.3 * settings.offset[0], 0.3 * settings.offset[1]), roll_deg=0.5 * settings.roll_deg,
        held=held, grip=int(rng.integers(1, 3)) if held else settings.grip,
    )  # fmt: skip


def _gripped(settings: CameraSettings, rng: np.random.Generator) -> CameraSettings:
    """Hands hold the document: mostly where nothing is printed, by one or two fingers."""
    sides, ends = rng.uniform(0.0, 0.2, 2) * (rng.random(2) < 0.5), rng.uniform(0.0, 0.5, 2) * (rng.random(2) < 0.7)
    more = (float(sides[0]), float(ends[0]), float(sides[1]), float(ends[1]))
    left, above, right, below = (max(pair) for pair in zip(settings.blank, more, strict=True))
    return replace(
        settings, blank=(left, above, right, below), held=bool(rng.random() < 0.5),
        grip=int(rng.choice([1, 2, 3], p=[0.5, 0.38, 0.12])), with_thumbs=True,
    )  # fmt: skip


def _strewn(settings: CameraSettings, rng: np.random.Generator) -> CameraSettings:
    """Objects on an uncleared desk; photographed from further away than a receipt in the hand, often in landscape."""
    lying = rng.random() < 0.4
    return replace(
        settings, strewn=int(rng.integers(1, 7)), clutter=settings.clutter + int(rng.integers(0, 3)), held=False,
        grip=0,
        aspect=float(rng.choice([16 / 9, 4 / 3])) if lying else settings.aspect,
        fill=settings.fill * float(rng.uniform(0.7, 1.0)),
    )  # fmt: skip


def _worn(settings: CameraSettings, rng: np.random.Generator) -> CameraSettings:
    """Paper from a pocket, photographed in the coloured light of a bar."""
    return replace(
        settings, crumple=float(rng.uniform(0.5, 2.0)), folds=settings.folds + int(rng.integers(0, 3)),
        warmth=float(rng.uniform(-2.2, 2.0)), gradient=settings.gradient + float(rng.uniform(0.0, 0.3)),
    )  # fmt: skip


def _between(low: float, high: float, severity: float) -> float:
    """Linear interpolation: `low` at severity 0, `high` at severity 1."""
    return low + (high - low) * severity


def _add_defect(settings: CameraSettings, name: Defect, severity: float, rng: np.random.Generator) -> CameraSettings:
    """The settings with one more defect."""
    sign = float(rng.choice([-1.0, 1.0]))
    match name:
        case "document_absent":
            return replace(
                settings, absent=True, held=False, grip=0, clutter=settings.clutter + int(rng.integers(0, 4))
            )
        case "document_cutoff":
            return replace(
                settings, visible=_between(0.985, 0.45, severity), fill=min(settings.fill, rng.uniform(0.7, 1.0))
            )
        case "occluded":
            return replace(settings, occluded=_between(0.005, 0.4, severity**1.5))
        case "multiple_documents":
            settings = replace(settings, held=False)
            count = 1 + int(rng.random() < 0.35) + int(rng.random() < 0.15)
            return replace(settings, others=count, fill=min(settings.fill, rng.uniform(0.45, 0.8)))
        case "low_background_contrast":
            return replace(settings, contrast=_between(24.0, 0.5, severity))
        case "blurry":
            return _blurred(settings, severity, rng)
        case "dark":
            return replace(
                settings, exposure=_between(0.68, 0.05, severity**0.7), noise=settings.noise + 9.0 * severity
            )
        case "overexposed":
            return replace(settings, exposure=_between(1.02, 2.6, severity**1.3))
        case "glare":
            return replace(settings, glare=_between(0.01, 0.45, severity**1.3))
        case "faint":
            return replace(settings, ink_contrast_kept=_between(0.8, 0.03, severity**0.6))
        case "noisy":
            return replace(
                settings,
                noise=_between(4.0, 50.0, severity),
                sharpen=0.3 * settings.sharpen,
                jpeg_quality=min(settings.jpeg_quality, 85),
            )
        case "text_too_small":
            return replace(settings, text_px=_between(15.0, 4.0, severity**0.8), min_text_px=0.0)
        case "screen_capture":
            return replace(
                settings,
                screen=_between(0.15, 1.0, severity),
                held=False,
                grip=0,
                pen_marks=0,
                curl=0.0,
                folds=0,
                crumple=0.0,
                fill=min(settings.fill, 0.9),
            )
        case "off_center":
            reach, turn = _between(0.08, 0.4, severity), rng.uniform(0.0, 2 * np.pi)
            return replace(
                settings, offset=(reach * float(np.cos(turn)), reach * float(np.sin(turn))),
                fill=min(settings.fill, 1.0 - 1.2 * reach),
            )  # fmt: skip
        case "too_far":
            return replace(settings, area=_between(0.3, 0.015, severity**0.7), min_text_px=0.0)
        case "too_close":
            return replace(settings, fill=_between(1.0, 2.0, severity))
        case "tilted":
            return replace(settings, tilt_deg=_between(12.0, 54.0, severity), fill=min(settings.fill, 0.93))
        case "rotated":
            straight = rng.random() < 0.3 and severity > 0.4
            turn = float(rng.choice([90.0, 180.0, 270.0])) if straight else sign * _between(8.0, 180.0, severity)
            return replace(settings, roll_deg=settings.roll_deg * 0.5 + turn)


def _blurred(settings: CameraSettings, severity: float, rng: np.random.Generator) -> CameraSettings:
    """Defocus, motion or both."""
    # Print is unreadable from a sigma of an eighth of its height on, or a path of half its height.
    defocus, motion = _between(0.03, 0.24, severity**1.2), _between(0.1, 0.95, severity**1.2)
    kind = rng.random()
    if kind < 0.5:
        return replace(settings, defocus=defocus)
    if kind < 0.85:
        return replace(settings, motion=motion)
    return replace(settings, defocus=defocus * 0.7, motion=motion * 0.7)
