from dataclasses import replace
from itertools import islice

import cv2
import numpy as np
import pytest

from docextract.documents import document_types
from training.synth import preview
from training.synth.camera import simulation
from training.synth.camera.colour import lightness
from training.synth.camera.simulation import DEFECTS, Conditions, PhotoPlan
from training.synth.examples import PhotoExamples

CONDITION_OF_DEFECT = {  # the condition of each defect, and whether it grows (1) or falls (-1) with severity
    "document_cutoff": ("visible_fraction", -1),
    "occluded": ("occluded_fraction", 1),
    "multiple_documents": ("documents", 1),
    "low_background_contrast": ("background_contrast", -1),
    "dark": ("exposure", -1),
    "overexposed": ("clipped_fraction", 1),
    "glare": ("glare_fraction", 1),
    "faint": ("ink_contrast", -1),
    "noisy": ("noise_sigma", 1),
    "text_too_small": ("text_height_px", -1),
    "too_far": ("area_ratio", -1),
    "too_close": ("visible_fraction", -1),
    "tilted": ("tilt_deg", 1),
}


LINES = [
    np.array([[40, y], [360, y], [360, y + 12], [40, y + 12]], np.float32) for y in range(40, 560, 24)
]  # of the page


@pytest.fixture(scope="module")
def page() -> np.ndarray:
    """Rows of black bars on white paper, as distant text lines."""
    paper = np.full((600, 400, 3), 248, np.uint8)
    for top in range(40, 560, 24):
        paper[top : top + 12, 40 : 360 - top % 90 : 3] = 30
    return paper


def take_photo(page, seed, plan, **known):
    return simulation.take_photo(page, np.random.default_rng(seed), plan, text_height_px=16.0, **known)


def test_same_seed_gives_the_same_photo(page):
    """Photo and ground truth are reproducible from the seed."""
    first, again = (take_photo(page, 3, PhotoPlan.everyday(), lines=LINES) for _ in range(2))

    assert np.array_equal(first.photo, again.photo)
    assert first.conditions == again.conditions
    assert not np.array_equal(first.polygon, take_photo(page, 4, PhotoPlan.everyday()).polygon)


def test_to_photo_maps_a_mark_to_its_position():
    """A red spot is where `to_photo` maps it, with curled paper and motion blur too."""
    paper = np.full((600, 400, 3), 250, np.uint8)
    spots = np.array([[100.0, 80.0], [300.0, 300.0], [120.0, 520.0]])
    for x, y in spots.astype(int).tolist():
        cv2.circle(paper, (x, y), 12, (225, 20, 20), -1)
    for seed in range(4):
        shot = take_photo(paper, seed, PhotoPlan.defect("blurry", 0.2) if seed % 2 else PhotoPlan(carelessness=0.5))
        redness = shot.photo[..., 0].astype(float) - shot.photo[..., 1]
        for x, y in shot.to_photo(spots + 0.5):
            left, top = int(x) - 30, int(y) - 30
            near = np.clip(redness[max(0, top) : top + 60, max(0, left) : left + 60], 60, None) - 60
            ys, xs = np.indices(near.shape)
            found = np.array([(near * xs).sum(), (near * ys).sum()]) / near.sum() + 0.5 + [max(0, left), max(0, top)]
            assert np.abs(found - [x, y]).max() < 2.5, seed


def test_the_polygon_starts_at_the_documents_own_top_left(page):
    """However the document is rotated."""
    for seed in range(4):
        shot = take_photo(page, seed, PhotoPlan.defect("rotated", 0.9))
        corners = shot.to_photo(np.array([[0.0, 0.0], [400.0, 0.0], [400.0, 600.0], [0.0, 600.0]]))

        assert np.allclose(shot.polygon, corners, atol=0.01)
        along = shot.polygon[1] - shot.polygon[0] + shot.polygon[2] - shot.polygon[3]
        turned = np.degrees(np.arctan2(along[1], along[0])) % 360
        assert shot.conditions.rotation_deg == pytest.approx(turned, abs=0.1)


@pytest.mark.parametrize(("name", "condition", "sign"), [(name, *moved) for name, moved in CONDITION_OF_DEFECT.items()])
def test_a_more_severe_defect_has_a_worse_condition(page, name, condition, sign):
    """A higher severity moves the condition of the defect in its bad direction."""
    mild, severe = (
        np.mean(
            [
                getattr(take_photo(page, seed, PhotoPlan.defect(name, severity)).conditions, condition)
                for seed in range(2)
            ]
        )
        for severity in (0.05, 0.95)
    )

    if name == "multiple_documents":
        assert min(mild, severe) > 1
    else:
        assert sign * (severe - mild) > 0.1 * abs(mild)


def test_blur_is_reported_as_defocus_or_motion(page):
    """One of the two conditions is large in a blurred photo."""
    sharp = [take_photo(page, seed, PhotoPlan.good()).conditions for seed in range(3)]
    blurred = [take_photo(page, seed, PhotoPlan.defect("blurry", 0.8)).conditions for seed in range(3)]

    def smear(each: Conditions) -> float:
        return max(each.blur_sigma_px, each.motion_px / 3.5) / each.text_height_px

    assert min(map(smear, blurred)) > 2 * max(map(smear, sharp))


def test_reported_blur_is_measured_on_an_edge():
    """The spread of a sharp edge in the photo is the reported sigma."""
    paper = np.full((600, 400, 3), 245, np.uint8)
    paper[:, :200] = 60
    shots = (take_photo(paper, seed, PhotoPlan.defect("blurry", 0.1 + 0.05 * seed)) for seed in range(20))
    unmoved = list(islice((shot for shot in shots if shot.conditions.motion_px == 0), 4))

    for shot in unmoved:
        reported = shot.conditions.blur_sigma_px
        assert edge_spread(shot, reported) == pytest.approx(reported, rel=0.2, abs=0.35)


def edge_spread(shot, expected_px: float) -> float:
    """Standard deviation of the derivative across the page's middle line, px of the photo."""
    reach = 3.5 * expected_px + 2.0
    steps = np.linspace(-reach, reach, 60)
    profiles = []
    for y in np.linspace(120, 480, 40):
        here, there = shot.to_photo(np.array([[200.0, y], [201.0, y]]))
        way = (there - here) / np.linalg.norm(there - here)
        points = (here + steps[:, None] * way - 0.5).astype(np.float32)
        profile = cv2.remap(shot.photo[..., 1], points[:, 0], points[:, 1], cv2.INTER_LINEAR)
        profiles.append(profile.ravel().astype(float))
    rise = np.diff(np.median(profiles, 0))  # the median ignores profiles under a finger
    rise[rise < 0.02 * rise.max()] = 0.0
    weight, place = rise / rise.sum(), (steps[:-1] + steps[1:]) / 2
    return float(np.sqrt((weight * (place - (weight * place).sum()) ** 2).sum()))


def test_reported_exposure_is_the_lightness_of_the_paper(page):
    """White paper has the reported L* in dark and bright photos."""
    for seed, plan in enumerate(
        (PhotoPlan.good(), PhotoPlan.defect("dark", 0.3), PhotoPlan.defect("dark", 0.8), PhotoPlan.good())
    ):
        shot = take_photo(np.full_like(page, 250), seed, plan)
        inside = np.zeros(shot.photo.shape[:2], np.uint8)
        cv2.fillPoly(inside, [np.round(shot.polygon).astype(np.int32)], 1)

        assert np.median(lightness(shot.photo[inside > 0])) == pytest.approx(shot.conditions.exposure, abs=3.0)


def test_visible_fraction_is_the_share_inside_the_picture(page):
    """It agrees with a pixel count on a larger canvas."""
    for seed in range(4):
        shot = take_photo(page, seed, PhotoPlan.defect("document_cutoff", 0.6))
        height, width = shot.photo.shape[:2]
        canvas = np.zeros((3 * height, 3 * width), np.uint8)
        cv2.fillPoly(canvas, [np.round(shot.polygon + np.array([width, height])).astype(np.int32)], 1)
        inside = canvas[height : 2 * height, width : 2 * width].sum() / canvas.sum()

        assert shot.conditions.visible_fraction == pytest.approx(inside, abs=0.01)
        assert shot.conditions.area_ratio == pytest.approx(
            canvas[height : 2 * height, width : 2 * width].mean(), abs=0.01
        )


def test_offset_is_measured_on_the_visible_part(page):
    """Parts of the document outside the picture do not move the centre."""
    offsets = []
    for seed in range(4):
        shot = take_photo(page, seed, PhotoPlan.defect("document_cutoff", 0.6))
        height, width = shot.photo.shape[:2]
        picture = np.zeros((height, width), np.uint8)
        cv2.fillPoly(picture, [np.round(shot.polygon).astype(np.int32)], 1)
        y, x = np.nonzero(picture)
        middle = (x.min() + x.max()) / 2 / width - 0.5, (y.min() + y.max()) / 2 / height - 0.5
        offset = shot.conditions.center_offset_x, shot.conditions.center_offset_y

        assert offset == pytest.approx(middle, abs=0.05)
        offsets.append(np.abs(shot.polygon.mean(0) / (width, height) - 0.5 - middle).max())
    assert min(offsets) > 0.1  # the centre of the whole document is elsewhere


def test_lines_cut_is_the_share_of_lines_outside_the_picture(page):
    """A line is cut when one of its ends is outside; without known lines the condition is nan."""
    cut = []
    for seed in range(8):
        shot = take_photo(page, seed, PhotoPlan.defect("document_cutoff", 0.4), lines=LINES)
        height, width = shot.photo.shape[:2]
        ends = shot.to_photo(np.array([[[46.0, line[0, 1] + 6.0], [354.0, line[0, 1] + 6.0]] for line in LINES]))
        outside = ((ends < 0) | (ends > (width, height))).any((1, 2)).mean()

        assert shot.conditions.lines_cut == pytest.approx(outside, abs=1.1 / len(LINES))
        cut.append(shot.conditions.lines_cut)
    assert max(cut) > 0.2
    assert np.isnan(take_photo(page, 0, PhotoPlan.good()).conditions.lines_cut)


def test_lines_covered_is_the_share_of_lines_under_the_mask(page):
    """When everything above some height is covered, exactly the lines that reach above it are."""
    shot = take_photo(page, 5, PhotoPlan.good(), lines=LINES)
    height, width = shot.photo.shape[:2]
    tops = shot.to_photo(np.array([[[46.0, line[0, 1] + 3.0], [354.0, line[0, 1] + 3.0]] for line in LINES]))[..., 1]
    for share in (0.0, 0.3, 0.6, 1.0):
        covered = np.zeros((-(-height // 4), -(-width // 4)), np.uint8)
        covered[: round(share * len(covered))] = 255
        found = simulation._lines_covered(shot.pose, np.array(LINES) + shot.origin, covered)

        assert found == pytest.approx((tops < share * height).any(1).mean(), abs=1.1 / len(LINES))
    assert shot.conditions.lines_covered == 0.0
    assert np.isnan(take_photo(page, 0, PhotoPlan.good()).conditions.lines_covered)


def test_gripping_fingers_mostly_spare_the_print(page):
    """Many documents in a hand have no covered line; pens and cables cover lines of nearly all."""
    held, among_pens = (
        [
            take_photo(page, seed, PhotoPlan(gripped=gripped, strewn=not gripped), lines=LINES).conditions
            for seed in range(12)
        ]
        for gripped in (True, False)
    )

    assert sum(shot.occluded_fraction > 0 for shot in held) >= 8
    assert sum(shot.lines_covered == 0 for shot in held) >= 6
    assert sum(shot.lines_covered > 0 for shot in among_pens) >= 10


def test_tight_framing_cuts_paper_rather_than_print(page):
    """Most tight photos lose blank paper and at most a tenth of the lines."""
    shots = [take_photo(page, seed, PhotoPlan(tight=True), lines=LINES).conditions for seed in range(12)]

    assert sum(shot.visible_fraction < 0.96 for shot in shots) >= 6
    assert sum(shot.lines_cut <= 0.1 for shot in shots) >= 8


def test_text_height_is_measured_in_the_photo(page):
    """A line of 16 px on the page has the reported height in the photo."""
    for seed in range(4):
        shot = take_photo(page, seed, PhotoPlan.everyday())
        lines = shot.to_photo(np.array([[[200.0, y], [200.0, y + 16.0]] for y in range(50, 550, 50)]))
        heights = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)

        assert shot.conditions.text_height_px == pytest.approx(float(np.median(heights)), rel=0.15)
    unknown = simulation.take_photo(page, np.random.default_rng(0), PhotoPlan.good())
    assert np.isnan(unknown.conditions.text_height_px)


def test_a_photo_without_document_has_neutral_conditions(page):
    """No polygon, and neutral values for the conditions of the document."""
    shot = take_photo(page, 1, PhotoPlan.defect("document_absent", 0.5))

    assert not shot.conditions.document_present
    assert np.isnan(shot.polygon).all()
    assert (shot.conditions.documents, shot.conditions.area_ratio) == (0, 0.0)


def test_faint_print_is_faint_in_the_photo(page):
    """Reported contrast and measured contrast of a faded page are low."""
    full, faded = (take_photo(page, 2, replace(PhotoPlan.good(), defects=wish), ink_contrast=80.0)
                   for wish in ((), (("faint", 0.9),)))  # fmt: skip

    def span(shot) -> float:
        corners = shot.to_photo(np.array([[150.0, 100.0], [250.0, 400.0]])).astype(int)
        tones = lightness(shot.photo[corners[0, 1] : corners[1, 1], corners[0, 0] : corners[1, 0]])
        return float(np.percentile(tones, 95) - np.percentile(tones, 5))

    assert full.conditions.ink_contrast == pytest.approx(80.0)
    assert faded.conditions.ink_contrast < 30
    assert span(faded) < 0.5 * span(full)


def test_a_scan_has_no_perspective(page):
    """No tilt and even light; the sheet fills the picture or is small on the scanner bed."""
    for seed in range(3):
        conditions = take_photo(page, seed, PhotoPlan(carelessness=0.2, scan=True)).conditions

        assert conditions.tilt_deg == 0.0
        assert conditions.shadow_depth < 0.01
        assert conditions.visible_fraction > 0.95


@pytest.mark.parametrize("size", [(260, 410), (1500, 1060), (2400, 500), (64, 64)])
def test_any_page_can_be_photographed(size):
    """Identity cards, A4, long receipts and scraps give a photo within the limits, whatever the plan."""
    sheet = np.random.default_rng(0).integers(0, 255, (*size, 3), dtype=np.uint8)
    for seed in range(2):
        rng = np.random.default_rng(seed)
        shot = simulation.take_photo(sheet, rng, PhotoPlan.random(rng))

        assert shot.photo.dtype == np.uint8
        assert 300 <= max(shot.photo.shape[:2]) <= 2000
        assert 0.0 <= shot.conditions.visible_fraction <= 1.0


def test_given_surfaces_are_used(page):
    """With a photo of a green table the table is green in most pictures."""
    green = np.zeros((200, 200, 3), np.uint8)
    green[..., 1] = 160
    plan = PhotoPlan(defects=(("document_absent", 0.0),), carelessness=0.0)
    tables = [take_photo(page, seed, plan, surfaces=[green]).photo.reshape(-1, 3).mean(0) for seed in range(6)]

    assert sum(table[1] > 2 * max(table[0], table[2]) for table in tables) >= 2


def test_the_training_mix_has_every_defect():
    """Random plans contain each defect, and many have none."""
    plans = [PhotoPlan.random(np.random.default_rng(seed)) for seed in range(400)]

    assert {name for plan in plans for name, _ in plan.defects} == set(DEFECTS)
    assert 80 < sum(not plan.defects for plan in plans) < 240
    assert any(plan.scan for plan in plans)
    assert any(plan.tight for plan in plans)


def test_the_quality_mix_has_fingers_and_thin_objects():
    """A quarter of its photos has something over the document, mostly fingers that hold it."""
    plans = [PhotoPlan.quality_training(np.random.default_rng(seed)) for seed in range(400)]

    assert 70 < sum(plan.gripped or plan.strewn for plan in plans) < 130
    assert sum(plan.gripped for plan in plans) > sum(plan.strewn for plan in plans) > 10
    assert 35 < sum(plan.worn for plan in plans) < 90


def test_an_example_depends_on_its_number_only():
    """Any example can be made alone."""
    receipts = [document_types()["receipt"]]
    examples = PhotoExamples(7, receipts)
    examples[0]
    later, alone = examples[5], PhotoExamples(7, receipts)[5]

    assert later.record == alone.record
    assert np.array_equal(later.shot.photo, alone.shot.photo)
    assert later.record != examples[6].record


def test_a_contact_sheet_needs_no_folders(tmp_path):
    """`make preview` works on a fresh checkout."""
    preview.main([str(tmp_path / "out" / "sheet.jpg"), "--count", "3", "--truth"])

    written = cv2.imread(str(tmp_path / "out" / "sheet.jpg"))
    assert written.shape == (preview.CELL[1], preview.COLUMNS * preview.CELL[0], 3)
