"""What to provoke in a photograph, and how hard: from a wish ("blurry, 0.7") to the numbers of one take.

Severity runs from 0, which a careful photographer might let pass, to 1, which nobody can read. It is spread so that
the middle straddles the place where extraction starts to fail: thresholds can then be fitted from both sides.
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

# Small ones that come with everyday photos; the others are decisions (a screen, a second receipt) or accidents.
_MILD: tuple[Defect, ...] = (
    "document_cutoff", "occluded", "low_background_contrast", "blurry", "dark", "overexposed", "glare", "faint",
    "noisy", "text_too_small", "off_center", "too_far", "too_close", "tilted", "rotated",
)  # fmt: skip

# What a network is slow to learn is shown more often: of 6,400 photos with even odds too few had a visible one.
_SLOW: tuple[Defect, ...] = ("occluded", "glare", "screen_capture", "tilted", "faint", "noisy", "multiple_documents")
_ODDS = np.array([2.5 if name in _SLOW else 1.0 for name in DEFECTS])
_ODDS /= _ODDS.sum()

TOUCHED, WORN = 0.25, 0.15  # of the quality network's photos


@dataclass(frozen=True)
class Plan:
    """Which defects to provoke. What is not named is drawn as someone of that carelessness would do it."""

    defects: tuple[tuple[Defect, float], ...] = ()  # name, severity 0..1
    carelessness: float = 0.25  # 0: every setting near its best; 1: nothing looked after, though nothing provoked
    surprises: int = 0  # up to so many mild defects more, drawn with the take
    scan: bool = False  # a flatbed: no perspective, even light, the page fills the picture
    tight: bool = False  # framed by what is printed: blank paper around it may run out of the picture
    gripped: bool = False  # fingers and thumbs hold it, by its blank margin or by its print
    strewn: bool = False  # thin things lie over it: pens, cables
    worn: bool = False  # crumpled and folded, in the light of a coloured lamp or of a screen

    @classmethod
    def good(cls) -> "Plan":
        """A careful photo: mild everything."""
        return cls(carelessness=0.12)

    @classmethod
    def everyday(cls) -> "Plan":
        """Mostly fine, with one or two mild defects."""
        return cls(carelessness=0.45, surprises=2)

    @classmethod
    def defect(cls, name: Defect, severity: float) -> "Plan":
        """One defect in an otherwise ordinary photo."""
        return cls(defects=((name, severity),), carelessness=0.25)

    @classmethod
    def close(cls, rng: np.random.Generator) -> "Plan":
        """As most people photograph a receipt: its print fills the picture."""
        return cls(carelessness=float(rng.uniform(0.1, 0.5)), tight=True, surprises=int(rng.random() < 0.4))

    @classmethod
    def touched(cls, rng: np.random.Generator) -> "Plan":
        """Something lies over the document: of what is held most hides no print, of what is strewn most does."""
        gripped = bool(rng.random() < 0.7)
        return cls(
            carelessness=float(rng.uniform(0.1, 0.5)),
            tight=bool(rng.random() < (0.5 if gripped else 0.15)),
            surprises=int(rng.random() < 0.25),
            gripped=gripped,
            strewn=not gripped,
        )

    @classmethod
    def lesson(cls, rng: np.random.Generator) -> "Plan":
        """What the quality network learns from: the mix below, and often enough what only looks like a defect.

        Fingers that hide nothing; paper that is crumpled, and has the colour of a finger or of no paper at all.
        """
        draw = float(rng.random())
        if draw < TOUCHED:
            return cls.touched(rng)
        return replace(cls.close(rng), worn=True) if draw < TOUCHED + WORN else cls.random(rng)

    @classmethod
    def random(cls, rng: np.random.Generator) -> "Plan":
        """A training mix: good, everyday, tight, scanned; each defect at any severity, several at once at times."""
        draw = float(rng.random())
        if draw < 0.12:
            return cls.good()
        if draw < 0.32:
            return cls.everyday()
        if draw < 0.39:
            return cls(carelessness=0.2, scan=True, surprises=int(rng.random() < 0.4))
        if draw < 0.52:
            return cls.close(rng)
        count = int(rng.choice([1, 2, 3], p=[0.6, 0.28, 0.12]))
        names = rng.choice(DEFECTS, size=count, replace=False, p=_ODDS)
        defects = tuple((name, float(rng.random())) for name in names)
        return cls(defects=defects, carelessness=float(rng.uniform(0.05, 0.7)), tight=bool(rng.random() < 0.2))


PLANS: Mapping[str, Callable[[np.random.Generator], Plan]] = {
    "random": Plan.random,
    "good": lambda rng: Plan.good(),
    "everyday": lambda rng: Plan.everyday(),
    "scan": lambda rng: Plan(scan=True),
    "tight": Plan.close,
}


@dataclass(frozen=True)
class Take:
    """One photograph's settings. Shares of the picture unless a unit is named."""

    absent: bool
    scan: bool
    screen: float  # strength of the display's pixel grid, 0 no display
    others: int  # documents beside the document
    # framing
    tight: bool  # what is printed fills the picture, not the paper
    blank: tuple[float, float, float, float]  # paper added left, above, right and below, in page widths
    long_side_px: int
    aspect: float  # width / height of the picture; 0: as what fills it
    fill: float  # larger of the document's width and height in the picture
    area: float | None  # instead of `fill`: share of the picture's area
    visible: float | None  # share of the document to be left inside the picture
    offset: tuple[float, float]  # of the document's centre, in picture widths and heights
    tilt_deg: float
    tilt_towards_deg: float  # which way the page leans back
    roll_deg: float  # clockwise
    focal: float  # focal length / long side of the picture
    text_px: float | None  # the picture is scaled so that text is this high
    least_text_px: float  # and enlarged, within reason, up to this
    # paper
    curl: float  # 0 flat .. 1 strongly
    folds: int
    crumple: float  # 0 smooth .. 1 crumpled .. 2 a ball that was smoothed out
    written: int  # lines and signs of a pen
    ink_kept: float  # share of the ink's contrast still there
    # surroundings
    contrast: float | None  # |paper − surroundings| in L*
    clutter: int
    held: bool  # in a hand, the surroundings far behind
    grip: int  # fingers on its border
    firm: bool  # among them thumbs: thicker, further in, and on any side
    strewn: int  # pens and cables over it
    occluded: float  # share of the document to be covered by other things
    # light
    exposure: float  # white paper in the picture: 1.0 just reaches the sensor's white
    gradient: float
    shadows: int
    shadow_depth: float
    glare: float  # share of the document
    warmth: float  # −1 blue .. 1 yellow; twice as much under coloured lamps
    # lens and sensor, relative to the height of text
    defocus: float
    motion: float
    noise: float  # sigma, 0..255 scale
    sharpen: float
    jpeg_quality: int


def draw_take(plan: Plan, rng: np.random.Generator) -> Take:
    """The numbers of one photograph."""
    take = _ordinary(plan.carelessness, rng)
    if plan.scan:
        take = _scanned(take, rng)
    if plan.tight:
        take = _tight(take, rng)
    if plan.gripped:
        take = _gripped(take, rng)
    if plan.strewn:
        take = _strewn(take, rng)
    if plan.worn:
        take = _worn(take, rng)
    defects = list(plan.defects)
    if plan.surprises:
        for index in rng.permutation(len(_MILD))[: int(rng.integers(1, plan.surprises + 1))]:
            defects.append((_MILD[index], float(rng.uniform(0.0, 0.35))))
    for name, severity in defects:
        take = _provoke(take, name, severity, rng)
    return take


def _ordinary(carelessness: float, rng: np.random.Generator) -> Take:
    care = 1.0 - carelessness

    def slip(spread: float) -> float:
        return float(rng.normal(0.0, spread * (0.25 + carelessness)))

    aspect = float(rng.choice([3 / 4, 9 / 16, 2 / 3, 1.0, 4 / 3], p=[0.68, 0.17, 0.06, 0.03, 0.06]))
    held = bool(rng.random() < 0.08)
    return Take(
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
        # People lean the phone towards themselves far more often than sideways.
        tilt_towards_deg=float(rng.normal(-90.0, 25.0) if rng.random() < 0.7 else rng.uniform(0.0, 360.0)),
        roll_deg=float(np.clip(slip(8.0), -14.0, 14.0)),
        focal=float(rng.uniform(0.72, 1.15)),
        text_px=None,
        least_text_px=18.0 * care,
        curl=float(np.clip(abs(slip(0.5)) + rng.uniform(0.0, 0.25), 0.0, 1.0)),
        folds=int(rng.poisson(0.9)),
        crumple=float(rng.beta(1.0, 2.5)) if rng.random() < 0.7 else 0.0,
        written=int(rng.integers(1, 4)) if rng.random() < 0.1 else 0,
        ink_kept=1.0,
        contrast=None,
        clutter=int(rng.poisson(0.8)),
        held=held,
        grip=int(rng.integers(1, 3)) if held or rng.random() < 0.05 else 0,
        firm=False,
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


def _scanned(take: Take, rng: np.random.Generator) -> Take:
    small = rng.random() < 0.25  # a receipt somewhere on a large bed
    return replace(
        take, scan=True, held=False, grip=0, aspect=float(rng.choice([210 / 297, 3 / 4])) if small else 0.0,
        fill=float(rng.uniform(0.45, 0.8) if small else rng.uniform(0.95, 1.015)),
        offset=(float(rng.uniform(-0.2, 0.2)), float(rng.uniform(-0.1, 0.1))) if small else (0.0, 0.0),
        tilt_deg=0.0, roll_deg=float(rng.normal(0.0, 0.8)), curl=0.0, folds=int(rng.poisson(0.4)),
        crumple=take.crumple * 0.3, clutter=0, exposure=float(rng.uniform(0.93, 1.06)), gradient=0.0, shadows=0,
        warmth=float(rng.normal(0.0, 0.06)), noise=float(rng.uniform(0.2, 2.0)), least_text_px=16.0,
    )  # fmt: skip


def _tight(take: Take, rng: np.random.Generator) -> Take:
    """Rolls are torn off far from the print, and many people turn the picture's sides to it, or crop it to them."""
    sides, ends = rng.uniform(0.0, 0.07, 2), rng.uniform(0.0, 0.45, 2) * (rng.random(2) < 0.6)
    held = bool(rng.random() < 0.2)
    return replace(
        take, tight=True, blank=(float(sides[0]), float(ends[0]), float(sides[1]), float(ends[1])),
        aspect=0.0 if rng.random() < 0.5 else take.aspect, fill=float(rng.triangular(0.86, 0.95, 1.05)),
        offset=(0.3 * take.offset[0], 0.3 * take.offset[1]), roll_deg=0.5 * take.roll_deg,
        held=held, grip=int(rng.integers(1, 3)) if held else take.grip,
    )  # fmt: skip


def _gripped(take: Take, rng: np.random.Generator) -> Take:
    """People hold a receipt where nothing is printed, if there is such a place, mostly by one or two fingers."""
    sides, ends = rng.uniform(0.0, 0.2, 2) * (rng.random(2) < 0.5), rng.uniform(0.0, 0.5, 2) * (rng.random(2) < 0.7)
    more = (float(sides[0]), float(ends[0]), float(sides[1]), float(ends[1]))
    left, above, right, below = (max(pair) for pair in zip(take.blank, more, strict=True))
    return replace(
        take, blank=(left, above, right, below), held=bool(rng.random() < 0.5),
        grip=int(rng.choice([1, 2, 3], p=[0.5, 0.38, 0.12])), firm=True,
    )  # fmt: skip


def _strewn(take: Take, rng: np.random.Generator) -> Take:
    """On a desk that nobody has cleared; from further away than a receipt in the hand, often with the phone lying."""
    lying = rng.random() < 0.4
    return replace(
        take, strewn=int(rng.integers(1, 7)), clutter=take.clutter + int(rng.integers(0, 3)), held=False, grip=0,
        aspect=float(rng.choice([16 / 9, 4 / 3])) if lying else take.aspect,
        fill=take.fill * float(rng.uniform(0.7, 1.0)),
    )  # fmt: skip


def _worn(take: Take, rng: np.random.Generator) -> Take:
    """Out of a pocket, on the table of a bar."""
    return replace(
        take, crumple=float(rng.uniform(0.5, 2.0)), folds=take.folds + int(rng.integers(0, 3)),
        warmth=float(rng.uniform(-2.2, 2.0)), gradient=take.gradient + float(rng.uniform(0.0, 0.3)),
    )  # fmt: skip


def _between(low: float, high: float, severity: float) -> float:
    return low + (high - low) * severity


def _provoke(take: Take, name: Defect, severity: float, rng: np.random.Generator) -> Take:
    """The take with one defect in it."""
    sign = float(rng.choice([-1.0, 1.0]))
    match name:
        case "document_absent":
            return replace(take, absent=True, held=False, grip=0, clutter=take.clutter + int(rng.integers(0, 4)))
        case "document_cutoff":
            return replace(take, visible=_between(0.985, 0.45, severity), fill=min(take.fill, rng.uniform(0.7, 1.0)))
        case "occluded":
            return replace(take, occluded=_between(0.005, 0.4, severity**1.5))
        case "multiple_documents":
            take = replace(take, held=False)
            count = 1 + int(rng.random() < 0.35) + int(rng.random() < 0.15)
            return replace(take, others=count, fill=min(take.fill, rng.uniform(0.45, 0.8)))
        case "low_background_contrast":
            return replace(take, contrast=_between(24.0, 0.5, severity))
        case "blurry":
            return _blurred(take, severity, rng)
        case "dark":
            return replace(take, exposure=_between(0.68, 0.05, severity**0.7), noise=take.noise + 9.0 * severity)
        case "overexposed":
            return replace(take, exposure=_between(1.02, 2.6, severity**1.3))
        case "glare":
            return replace(take, glare=_between(0.01, 0.45, severity**1.3))
        case "faint":
            return replace(take, ink_kept=_between(0.8, 0.03, severity**0.6))
        case "noisy":
            return replace(
                take,
                noise=_between(4.0, 50.0, severity),
                sharpen=0.3 * take.sharpen,
                jpeg_quality=min(take.jpeg_quality, 85),
            )
        case "text_too_small":
            return replace(take, text_px=_between(15.0, 4.0, severity**0.8), least_text_px=0.0)
        case "screen_capture":
            return replace(
                take,
                screen=_between(0.15, 1.0, severity),
                held=False,
                grip=0,
                written=0,
                curl=0.0,
                folds=0,
                crumple=0.0,
                fill=min(take.fill, 0.9),
            )
        case "off_center":
            reach, turn = _between(0.08, 0.4, severity), rng.uniform(0.0, 2 * np.pi)
            return replace(
                take, offset=(reach * float(np.cos(turn)), reach * float(np.sin(turn))),
                fill=min(take.fill, 1.0 - 1.2 * reach),
            )  # fmt: skip
        case "too_far":
            return replace(take, area=_between(0.3, 0.015, severity**0.7), least_text_px=0.0)
        case "too_close":
            return replace(take, fill=_between(1.0, 2.0, severity))
        case "tilted":
            return replace(take, tilt_deg=_between(12.0, 54.0, severity), fill=min(take.fill, 0.93))
        case "rotated":
            straight = rng.random() < 0.3 and severity > 0.4
            turn = float(rng.choice([90.0, 180.0, 270.0])) if straight else sign * _between(8.0, 180.0, severity)
            return replace(take, roll_deg=take.roll_deg * 0.5 + turn)


def _blurred(take: Take, severity: float, rng: np.random.Generator) -> Take:
    # Print can no longer be read from a sigma of an eighth of its height on, or a path of half of it.
    defocus, motion = _between(0.03, 0.24, severity**1.2), _between(0.1, 0.95, severity**1.2)
    kind = rng.random()
    if kind < 0.5:
        return replace(take, defocus=defocus)
    if kind < 0.85:
        return replace(take, motion=motion)
    return replace(take, defocus=defocus * 0.7, motion=motion * 0.7)
