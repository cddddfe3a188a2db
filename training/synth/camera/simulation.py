"""Simulates the camera of a phone: makes a photo of a page, with physical ground truth.

The page may be anything: a printed sheet, a scanned receipt, an identity card. The ground truth is computed from what
was done to the picture, never from the plan: `PhotoPlan` states an intention, `Conditions` the result.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Page, Polygon, visible_center
from training.synth.camera import light, pose, surroundings
from training.synth.camera.colour import lightness
from training.synth.camera.light import LIGHT_DOWNSCALE, Lighting
from training.synth.camera.paper import WornPage, wear_page
from training.synth.camera.plan import DEFECTS, CameraSettings, Defect, PhotoPlan, draw_settings
from training.synth.camera.pose import Pose, Rect
from training.synth.camera.surroundings import Mask


@dataclass(frozen=True)
class Conditions:
    """What was physically done to a page: the ground truth for the quality network.

    Lengths are in px of the final photo. When no document is in the picture, `document_present` is False and the
    conditions of the document are neutral.
    """

    document_present: bool
    documents: int  # number of documents in the picture
    visible_fraction: float  # of the document's area inside the picture, 0..1
    occluded_fraction: float  # of the document's area under fingers, pens and other things, 0..1
    background_contrast: float  # |paper − surroundings| in CIE L*, 0..100
    blur_sigma_px: float  # defocus, scaling and sharpening together, as one Gaussian
    motion_px: float  # length of the motion blur's path
    exposure: float  # mean L* of white paper, 0..100; 85 to 97 in a good photo
    clipped_fraction: float  # of the document's area that exposure clips to white
    glare_fraction: float  # of the document's area under a reflection
    shadow_depth: float  # deepest shadow on the document, 0 none .. 1 black
    ink_contrast: float  # |ink − paper| in L* as printed, before the camera; thermal paper fades
    noise_sigma: float  # of luma, 0..255 scale
    text_height_px: float  # median height of a text line (ascender to descender); nan when unknown
    screen: bool  # photographed from a display: moiré, pixel grid
    jpeg_quality: int
    area_ratio: float  # document area inside the picture / picture area
    # Centre of the document's visible part − centre of the picture.
    center_offset_x: float  # in picture widths; right is positive
    center_offset_y: float  # in picture heights; down is positive
    tilt_deg: float  # angle between the camera's axis and the page's normal
    rotation_deg: float  # in the picture's plane, clockwise, 0..360; 0 is upright
    lines_cut: float  # share of the text lines that are not completely inside the picture, 0..1; nan when unknown
    lines_covered: float  # share of the text lines that something lies over, 0..1; nan when unknown


@dataclass(frozen=True)
class Shot:
    """A simulated photo with its ground truth."""

    photo: Page
    polygon: Polygon  # photo px, clockwise from the document's own top left; nan when there is no document
    conditions: Conditions
    pose: Pose
    origin: tuple[float, float]  # left and top of the page on the photographed sheet, px: a display is larger

    def to_photo(self, points: NDArray[np.floating]) -> NDArray[np.float32]:
        """Map points [..., 2] on the page, px, to px of the photo, including the curl of the paper."""
        flat = np.asarray(points, np.float64).reshape(-1, 2) + np.array(self.origin)
        return self.pose.to_photo(flat).reshape(points.shape).astype(np.float32)


@dataclass(frozen=True)
class _Subject:
    """What is photographed: a page, alone or on a display."""

    sheet: Page
    rect: Rect  # the document on the sheet
    origin: tuple[float, float]  # left and top of the given page on the sheet
    lines: NDArray[np.float64]  # [N, 4, 2], outlines of the text lines on the sheet
    aimed_at: Rect  # on the sheet, what is to fill the picture: the document, or its print
    paper: NDArray[np.float64]  # [3], sRGB of the bare paper
    ink_contrast: float
    text_height_px: float


def take_photo(
    page: Page,
    rng: np.random.Generator,
    plan: PhotoPlan | None = None,
    surfaces: Sequence[Page] = (),
    paper: Sequence[Page] = (),
    text_height_px: float | None = None,
    ink_contrast: float | None = None,
    others: Sequence[Page] = (),
    lines: Sequence[Polygon] = (),
) -> Shot:
    """Simulate a photo of a page.

    page:           uint8 [H, W, 3], upright, cut at the border of the document.
    plan:           defects to add; `PhotoPlan.everyday` when not given.
    surfaces:       photos of table tops to lay the page on; when none are given, surfaces are synthetic.
    paper:          photos of crumpled white paper, whose light and shadow are applied to the page.
    text_height_px: median height of a text line on the page; when unknown, a fortieth of its width is used, and
                    `Conditions.text_height_px` is nan.
    ink_contrast:   |ink − paper| in L* as printed; measured on the page when not given.
    others:         pages to lay next to it when the plan has several documents; when none are given, parts of the page.
    lines:          outlines of the text lines, px of the page, clockwise from the top left of each; without any,
                    `Conditions.lines_cut` and `lines_covered` are nan, and the whole page counts as print.
    """
    if text_height_px is not None and not text_height_px > 0:  # an empty page has no text height
        text_height_px = None
    settings = draw_settings(plan or PhotoPlan.everyday(), rng)
    printed = np.array(lines, np.float64).reshape(-1, 4, 2)
    subject = _subject(page, printed, settings, text_height_px, ink_contrast, rng)
    camera = _camera(subject, settings, rng)
    polygon = camera.to_photo(pose.corners(subject.rect)).astype(np.float32)
    document = _silhouette(camera, subject.rect)
    if settings.absent:
        document[:] = 0
    lighting = light.draw_lighting(settings, camera.photo, document, rng)

    scene = _render_table(camera, subject, settings, document, surfaces, rng)
    surround = cv2.resize(scene, document.shape[::-1], interpolation=cv2.INTER_AREA)
    covered = np.zeros_like(document)
    count = 0
    blur_floor, brightness = 0.0, 1.0
    if not settings.absent:
        count = 1 + _lay_others(scene, camera, page, settings, others, rng)
        worn = wear_page(subject.sheet, camera, settings, paper, rng)
        blur_floor, brightness = _lay_page(scene, camera, worn), worn.brightness
        surround = cv2.resize(scene, document.shape[::-1], interpolation=cv2.INTER_AREA)
        if settings.screen:
            _pixel_grid(scene, camera, settings.screen, rng)
        covered = _cover_document(scene, document, polygon, camera, subject.lines, settings, rng)
    lens = _Lens.draw(settings, _text_px(camera, subject), rng)
    photo, curve, gain = _expose_scene(scene, lighting, document, lens, settings, rng)
    truth = _GroundTruth(
        settings,
        camera,
        subject,
        polygon,
        document,
        covered,
        surround,
        lighting,
        curve,
        gain,
        lens,
        blur_floor,
        brightness,
    )
    conditions = truth.absent() if settings.absent else truth.present(count, text_height_px is not None)
    if settings.absent:
        polygon = np.full((4, 2), np.nan, np.float32)
    return Shot(photo, polygon, conditions, camera, subject.origin)


# --- the subject ------------------------------------------------------------------------------------------------------


def _subject(
    page: Page,
    lines: NDArray[np.float64],
    settings: CameraSettings,
    text_height_px: float | None,
    ink_contrast: float | None,
    rng: np.random.Generator,
) -> _Subject:
    """The page with its blank margins and faded ink, on a display when the settings have one."""
    height, width = page.shape[:2]
    some = page[:: max(1, height // 200), :: max(1, width // 200)].reshape(-1, 3)
    tones = lightness(some)
    bright = np.percentile(tones, 60)
    paper = np.median(some[tones >= bright], axis=0).astype(np.float64)
    if ink_contrast is None or np.isnan(ink_contrast):
        ink_contrast = float(max(0.0, lightness(paper) - np.percentile(tones, 3)))
    if settings.ink_contrast_kept < 1.0:
        dark_paper = float(lightness(paper))
        # Faded ink is mixed with paper; in L* that is almost a straight line.
        kept, blank_page = settings.ink_contrast_kept, np.broadcast_to(paper.astype(np.uint8), page.shape).copy()
        page = cv2.addWeighted(page, kept, blank_page, 1.0 - kept, 0)
        ink = lightness(paper) - ink_contrast
        grey = _grey(float(ink)) * kept + _grey(dark_paper) * (1.0 - kept)
        ink_contrast = float(abs(dark_paper - lightness(np.full(3, grey))))
    text = width / 40 if text_height_px is None else text_height_px
    left, top, right, bottom = (round(share * width) for share in settings.blank)
    page = cv2.copyMakeBorder(page, top, bottom, left, right, cv2.BORDER_CONSTANT, value=paper.tolist())
    origin, rect = (float(left), float(top)), (0.0, 0.0, float(page.shape[1]), float(page.shape[0]))
    if settings.screen:
        page, beside, above = _on_display(page, rng)
        origin, rect = (origin[0] + beside, origin[1] + above), _moved(rect, beside, above)
    lines = lines + origin
    aimed_at = rect
    if settings.tight:
        aimed_at = _bounds(lines) if len(lines) else (*origin, origin[0] + width, origin[1] + height)
    return _Subject(np.asarray(page, np.uint8), rect, origin, lines, aimed_at, paper, ink_contrast, text)


def _bounds(lines: NDArray[np.float64]) -> Rect:
    """The smallest rectangle around all lines."""
    (left, top), (right, bottom) = lines.min((0, 1)).tolist(), lines.max((0, 1)).tolist()
    return left, top, right, bottom


def _moved(rect: Rect, right: float, down: float) -> Rect:
    """The rectangle moved right and down."""
    return rect[0] + right, rect[1] + down, rect[2] + right, rect[3] + down


def _lines_cut(camera: Pose, lines: NDArray[np.float64]) -> float:
    """Share of the lines [N, 4, 2] on the sheet that the border of the picture cuts; nan when there are none."""
    if not len(lines):
        return float("nan")
    within = _ink(lines)
    projected = camera.to_photo(within.reshape(-1, 2)).reshape(lines.shape)
    inside = ((projected >= 0) & (projected <= np.array(camera.photo))).all((1, 2))
    return float(1 - inside.mean())


def _lines_covered(camera: Pose, lines: NDArray[np.float64], covered: Mask) -> float:
    """Share of the lines that something lies over, anywhere: one hidden letter is enough to lose a word.

    covered: mask of what lies over the picture, 0..255, at a quarter of its size.
    """
    if not len(lines):
        return float("nan")
    across, down = np.meshgrid(np.linspace(0, 1, SAMPLES_PER_LINE), np.linspace(0, 1, 3))
    along, below = across.reshape(-1, 1), down.reshape(-1, 1)
    top_left, top_right, bottom_right, bottom_left = _ink(lines)[:, :, None].transpose(1, 0, 2, 3)  # each [N, 1, 2]
    upper = top_left + (top_right - top_left) * along
    places = upper + (bottom_left + (bottom_right - bottom_left) * along - upper) * below  # [N, P, 2]
    projected = camera.to_photo(places.reshape(-1, 2)).reshape(places.shape)
    inside = ((projected >= 0) & (projected < np.array(camera.photo))).all(2)
    x, y = np.moveaxis(np.where(inside[..., None], projected / LIGHT_DOWNSCALE, 0).astype(int), 2, 0)
    hidden = inside & (covered[y, x] > 127)
    return float(hidden.any(1).mean())


def _ink(lines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Outlines of lines [N, 4, 2] without the space around the letters: a fifth of their height on each side."""
    room = 0.2 * np.linalg.norm(lines[:, 3] - lines[:, 0], axis=1)[:, None, None]
    return np.asarray(lines + room * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]))


def _grey(tone: float) -> float:
    """The sRGB grey of this lightness L*, 0..255."""
    ramp = np.arange(256)
    return float(np.interp(tone, lightness(np.repeat(ramp[:, None], 3, 1)), ramp))


def _on_display(page: Page, rng: np.random.Generator) -> tuple[Page, float, float]:
    """The page in the window of a viewer, on a display with a dark bezel; and its left and top there, px."""
    height, width = page.shape[:2]
    side, ends = round(width * rng.uniform(0.05, 0.5)), round(height * rng.uniform(0.02, 0.12))
    bezel = round(max(width, height) * rng.uniform(0.02, 0.07))
    desktop = np.full(3, rng.choice([40, 62, 82, 128, 200, 236])) * rng.uniform(0.9, 1.0, 3)
    shown = np.empty((height + 2 * ends + 2 * bezel, width + 2 * side + 2 * bezel, 3), np.uint8)
    shown[:] = rng.integers(8, 34)
    shown[bezel:-bezel, bezel:-bezel] = desktop.astype(np.uint8)
    bar = round(height * rng.uniform(0.02, 0.05))
    shown[bezel : bezel + min(bar, ends), bezel:-bezel] = rng.integers(40, 240)
    shown[bezel + ends : bezel + ends + height, bezel + side : bezel + side + width] = page
    return shown, float(bezel + side), float(bezel + ends)


def _camera(subject: _Subject, settings: CameraSettings, rng: np.random.Generator) -> Pose:
    """The pose of the camera, and the size of the picture that gives text the requested height."""
    height, width = subject.sheet.shape[:2]
    rect = subject.aimed_at
    aspect = settings.aspect or (rect[2] - rect[0]) / (rect[3] - rect[1])
    bend = pose.draw_bend(settings.curl, settings.folds, width / height, rng) if not settings.screen else pose.Bend()
    turn = pose.rotation(settings.tilt_deg, settings.tilt_towards_deg, settings.roll_deg)
    if settings.scan:
        bend = pose.Bend()  # pressed flat; folds are visible as shading only

    def at_size(long_side_px: float) -> Pose:
        wide = min(1.0, aspect) * long_side_px
        photo = (max(64, round(wide)), max(64, round(wide / aspect)))
        focal = (settings.focal if not settings.scan else 20.0) * max(photo)
        far = focal / max(photo) * 1.3
        start = Pose((float(width), float(height)), photo, focal, turn, (0.0, 0.0, far), bend)
        # The same seed for each size: the picture is the same, only larger.
        return pose.frame_document(
            start,
            rect,
            settings.fill,
            settings.offset,
            settings.area,
            settings.visible,
            np.random.default_rng(pose_seed),
        )

    pose_seed = int(rng.integers(2**31))
    camera = at_size(settings.long_side_px)
    text = _text_px(camera, subject)
    if settings.text_px is not None:
        return at_size(float(np.clip(settings.long_side_px * settings.text_px / text, 320, 2000)))
    if text < settings.min_text_px:
        return at_size(float(np.clip(settings.long_side_px * settings.min_text_px / text, settings.long_side_px, 2000)))
    return camera


def _text_px(camera: Pose, subject: _Subject) -> float:
    """Median height of a text line in the photo, px."""
    left, top, right, bottom = subject.rect
    grid = np.stack(np.meshgrid(np.linspace(left, right, 5)[1:-1], np.linspace(top, bottom, 7)[1:-1]), -1).reshape(
        -1, 2
    )
    return float(np.median(camera.scale_at(grid)[1]) * subject.text_height_px)


def _silhouette(camera: Pose, rect: Rect) -> Mask:
    """Mask of the part of the document inside the picture, at a quarter of the photo's size."""
    width, height = (-(-side // LIGHT_DOWNSCALE) for side in camera.photo)
    mask = np.zeros((height, width), np.uint8)
    border = camera.to_photo(pose.outline(rect)) / LIGHT_DOWNSCALE
    cv2.fillPoly(mask, [np.round(np.clip(border, -4e3, 4e3) * 16).astype(np.int32)], 255, cv2.LINE_AA, shift=4)
    return mask


def _cover_document(
    scene: Page,
    document: Mask,
    polygon: Polygon,
    camera: Pose,
    lines: NDArray[np.float64],
    settings: CameraSettings,
    rng: np.random.Generator,
) -> Mask:
    """Draw fingers and other objects over the document, in place; returns the mask of what they cover."""
    small = document.shape[::-1]
    covered = np.zeros_like(document)
    if settings.grip:
        spared = _printed(camera, lines, small) if settings.with_thumbs else None
        held = surroundings.add_gripping_fingers(scene, document, LIGHT_DOWNSCALE, settings.grip, rng, spared)
        covered = cv2.resize(held, small, interpolation=cv2.INTER_AREA)
    if settings.strewn or settings.occluded > 0:
        full = cv2.resize(document, scene.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    if settings.strewn:
        thin = surroundings.add_thin_objects(scene, full, settings.strewn, rng)
        covered = np.maximum(covered, cv2.resize(thin, small, interpolation=cv2.INTER_AREA))
    if settings.occluded > 0:
        hidden = surroundings.add_covering_objects(
            scene, full, settings.occluded * _inside_share(document, polygon), rng
        )
        covered = np.maximum(covered, cv2.resize(hidden, small, interpolation=cv2.INTER_AREA))
    return covered


def _printed(camera: Pose, lines: NDArray[np.float64], size: tuple[int, int]) -> Mask:
    """Mask of the print, 0 or 255, at a quarter of the photo's size. lines: [N, 4, 2] on the sheet."""
    mask = np.zeros(size[::-1], np.uint8)
    projected = camera.to_photo(lines.reshape(-1, 2)).reshape(lines.shape) / LIGHT_DOWNSCALE
    for outline in np.round(np.clip(projected, -4e3, 4e3)).astype(np.int32):
        cv2.fillConvexPoly(mask, outline, 255)
    return mask


def _inside_share(document: Mask, polygon: Polygon) -> float:
    """Area of the whole document / area of its part in the picture: covered shares refer to the whole."""
    return pose.polygon_area(polygon) / max(1.0, cv2.countNonZero(document) * float(LIGHT_DOWNSCALE**2))


# --- the scene --------------------------------------------------------------------------------------------------------


def _render_table(
    camera: Pose,
    subject: _Subject,
    settings: CameraSettings,
    document: Mask,
    surfaces: Sequence[Page],
    rng: np.random.Generator,
) -> Page:
    """Everything below the document: uint8 [h, w, 3]."""
    width, height = camera.photo
    if settings.scan:
        bed = float(rng.choice([255, 252, 246, 236, 20, 60], p=[0.35, 0.2, 0.15, 0.1, 0.1, 0.1]))
        return np.full((height, width, 3), bed, np.uint8)
    scene = surroundings.render_surface(camera.photo, camera.plane(), surfaces, rng)
    surroundings.add_clutter(scene, settings.clutter, rng)
    if settings.held:
        scene = surroundings.defocus_background(scene, rng)
    own = float(lightness(subject.paper))
    if settings.contrast is not None:
        wanted = own - settings.contrast if own > 50 or rng.random() < 0.7 else own + settings.contrast
        scene = surroundings.shift_lightness(scene, wanted, flatten=max(0.0, 1.0 - settings.contrast / 26.0))
    else:
        ring = _ring_around(document)
        small = cv2.resize(scene, document.shape[::-1], interpolation=cv2.INTER_AREA)
        if not settings.absent and ring.any() and np.abs(lightness(small[ring]) - own).mean() < 25.0:
            scene = surroundings.shift_lightness(scene, own - float(rng.uniform(28, 60)), flatten=0.0)
    if not settings.absent and not settings.held:
        spread = max(width, height) * float(rng.uniform(0.002, 0.016))
        turn = rng.uniform(0, 2 * np.pi)
        full = cv2.resize(document, (width, height), interpolation=cv2.INTER_LINEAR)
        reach = spread * float(rng.uniform(0.2, 1.2))
        surroundings.cast_shadow(scene, full, spread, float(rng.uniform(0.25, 0.65)),
                           (reach * float(np.cos(turn)), reach * float(np.sin(turn))))  # fmt: skip
    return scene


def _ring_around(document: Mask) -> NDArray[np.bool_]:
    """Mask of a band around the document, about a twelfth of its size wide."""
    reach = 2 * max(2, round(np.sqrt(cv2.countNonZero(document)) / 12)) + 1
    near = cv2.dilate(document, cv2.getStructuringElement(cv2.MORPH_RECT, (reach, reach)))
    touching = cv2.dilate(document, np.ones((3, 3), np.uint8))
    return np.asarray((near > 127) & (touching == 0))


def _lay_others(
    scene: Page, camera: Pose, page: Page, settings: CameraSettings, others: Sequence[Page], rng: np.random.Generator,
) -> int:  # fmt: skip
    """Lay more documents next to and partly below the first; returns how many are visible."""
    visible_count = 0
    for _ in range(settings.others):
        height, width = page.shape[:2]
        if others:
            other = others[int(rng.integers(len(others)))]
        else:  # the page itself, shifted, on paper of another colour
            tint = np.broadcast_to(rng.integers(225, 256, 3).astype(np.uint8), page.shape)
            other = cv2.multiply(
                np.roll(page, int(rng.integers(height // 4, height)), axis=0), tint.copy(), scale=1 / 255
            )
        size = np.array(other.shape[1::-1], np.float64)
        unit = width / camera.unit_px * float(rng.uniform(0.75, 1.15)) / size[0]  # about as wide as the first
        turn = float(rng.normal(0, 0.3) + rng.choice([0, 0, 0, np.pi, np.pi / 2]))
        side = rng.uniform(0, 2 * np.pi)
        reach = np.array([width, height]) / camera.unit_px * rng.uniform(0.6, 1.0)
        spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1.0]])
        spin[:2, 2] = np.array([np.cos(side), np.sin(side)]) * reach
        place = np.array([[unit, 0, -unit * size[0] / 2], [0, unit, -unit * size[1] / 2], [0, 0, 1.0]])
        to_photo = camera.plane() @ spin @ place
        outline = cv2.perspectiveTransform(pose.corners((0.0, 0.0, *size))[None], to_photo)[0]
        if pose.visible_fraction(outline, camera.photo) < 0.12:
            continue
        shrink = min(1.0, 1.2 * float(np.sqrt(pose.polygon_area(outline) / np.prod(size))))
        small = cv2.resize(other, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        scaled = to_photo @ np.diag([size[0] / small.shape[1], size[1] / small.shape[0], 1.0])
        mask = cv2.warpPerspective(np.full(small.shape[:2], 255, np.uint8), scaled, camera.photo)
        surroundings.cast_shadow(scene, mask, camera.photo[0] * 0.01, 0.4, (camera.photo[0] * 0.004,) * 2)
        cv2.multiply(scene, cv2.merge([cv2.bitwise_not(mask)] * 3), dst=scene, scale=1 / 255)
        cv2.add(scene, cv2.warpPerspective(small, scaled, camera.photo), dst=scene)
        visible_count += 1
    return visible_count


def _lay_page(scene: Page, camera: Pose, worn: WornPage) -> float:
    """Draw the page into the scene, in place; returns the blur of the scaling, sigma in photo px."""
    width, height = camera.photo
    size = camera.size
    projected = camera.to_photo(pose.outline((0.0, 0.0, *size)))
    left, top = (int(value) for value in np.clip(np.floor(projected.min(0)) - 2, 0, (width, height)))
    right, bottom = (int(value) for value in np.clip(np.ceil(projected.max(0)) + 2, 0, (width, height)))
    if right > left and bottom > top:
        map_x, map_y = camera.maps((left, top, right, bottom))
        map_x, map_y = map_x * worn.shrink + (worn.shrink - 1) / 2, map_y * worn.shrink + (worn.shrink - 1) / 2
        paper = cv2.remap(worn.pixels, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        window = scene[top:bottom, left:right]
        around = cv2.merge([cv2.bitwise_not(cv2.extractChannel(paper, 3))] * 3)
        under = cv2.multiply(window, around, scale=1 / 255)
        scene[top:bottom, left:right] = cv2.add(under, cv2.cvtColor(paper, cv2.COLOR_RGBA2RGB))
    middle = np.array(size)[None] / 2
    scale = float(camera.scale_at(middle)[0][0])
    # A pixel is a box (variance 1/12), bilinear interpolation adds 1/6 on average; both in pixels of the worn page,
    # which are scale / shrink photo px wide. Shrinking adds the box of the larger pixel, which is counted already.
    return float(np.sqrt((1 / 12 + 1 / 6) * (scale / worn.shrink) ** 2))


def _pixel_grid(scene: Page, camera: Pose, strength: float, rng: np.random.Generator) -> None:
    """Draw the stripes of a display as the sensor samples them: moiré where both grids almost agree."""
    width, height = camera.photo
    map_x, map_y = camera.maps((0, 0, width, height))
    scale = float(camera.scale_at(np.array(camera.size)[None] / 2)[0][0])
    pitch = float(rng.uniform(0.9, 3.2)) / scale  # page px per pixel of the display
    on_display = (map_x > 0) & (map_x < camera.size[0]) & (map_y > 0) & (map_y < camera.size[1])
    across = (map_x * (2 * np.pi / pitch)).astype(np.float32)
    down = np.cos(map_y * (2 * np.pi / pitch)).astype(np.float32)
    depth = (0.05 + 0.22 * strength) * on_display.astype(np.float32)
    grid = np.stack(
        [1.0 - depth * (0.5 - 0.35 * np.cos(across + shift) - 0.15 * down) for shift in (0.0, 2.1, 4.2)], -1
    )
    scene[:] = cv2.multiply(scene, grid.astype(np.float32), dtype=cv2.CV_8U)


# --- the exposure -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Lens:
    """Blur, sharpening and noise, in px of the photo."""

    defocus_px: float  # sigma
    motion_px: float
    sharpen: float
    sharpen_radius_px: float
    noise: float  # sigma of luma as the sensor gives it
    grain_px: float

    @classmethod
    def draw(cls, settings: CameraSettings, text_px: float, rng: np.random.Generator) -> "_Lens":
        """Scale the settings by the height of a text line in the photo."""
        return cls(
            settings.defocus * text_px,
            settings.motion * text_px,
            settings.sharpen if not settings.scan else 0.3 * settings.sharpen,
            float(rng.uniform(0.8, 1.6)),
            settings.noise,
            float(rng.choice(light.NOISE_GRAIN_SIZES_PX)),
        )


def _expose_scene(
    scene: Page, lighting: Lighting, document: Mask, lens: _Lens, settings: CameraSettings, rng: np.random.Generator
) -> tuple[Page, NDArray[np.uint8], float]:
    """Make the photo of a scene; returns also the tone curve and the gain."""
    height, width = scene.shape[:2]
    if lens.motion_px >= 1.0:
        scene = light.motion_blur(scene, lens.motion_px, rng)
    if lens.defocus_px > 0.25:
        scene = cv2.GaussianBlur(scene, (0, 0), lens.defocus_px)
    on_paper = document > 127 if document.any() else np.ones(document.shape, bool)
    falling = lighting.level * lighting.shadow
    gain = settings.exposure * 255.0 / light.WHITE_PAPER_LEVEL / float(np.percentile(falling[on_paper], 75))
    coloured = (falling * gain)[..., None] * lighting.colour.astype(np.float32)
    picture = cv2.multiply(scene, cv2.resize(coloured.astype(np.float32), (width, height)), dtype=cv2.CV_32F)
    if lighting.glare.any():
        # The reflected lamp adds light: print below it loses contrast, then disappears.
        washed = cv2.resize(lighting.glare * 255.0 * min(1.0, settings.exposure), (width, height))
        picture += washed[..., None]
    if settings.exposure > 1.1:
        picture += min(70.0, 45.0 * (settings.exposure - 1.1))  # stray light brightens the blacks
    light.add_noise(picture, lens.noise, lens.grain_px, rng)
    photo = np.asarray(cv2.convertScaleAbs(np.maximum(picture, 0.0, out=picture)), np.uint8)
    if lens.sharpen > 0.05:
        photo = light.sharpen(photo, lens.sharpen, lens.sharpen_radius_px)
    curve = light.draw_tone_curve(rng, flat=settings.scan)
    return light.compress(cv2.LUT(photo, curve), settings.jpeg_quality), curve, gain


# --- the truth --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _GroundTruth:
    """Everything that was done, from which the conditions follow. Masks and light at a quarter of the photo's size."""

    settings: CameraSettings
    camera: Pose
    subject: _Subject
    polygon: Polygon
    document: Mask
    covered: Mask
    scene: Page  # before lighting, with the document, without the objects over it
    lighting: Lighting
    curve: NDArray[np.uint8]
    gain: float
    lens: _Lens
    blur_floor: float
    brightness: float  # of the paper, because of its folds and crumples

    def absent(self) -> Conditions:
        """Conditions of a picture without a document: light and sensor are real, the rest is neutral."""
        everywhere = np.ones(self.document.shape, bool)
        return Conditions(
            document_present=False, documents=0, visible_fraction=1.0, occluded_fraction=0.0, background_contrast=100.0,
            blur_sigma_px=self._blur(), motion_px=self.lens.motion_px, exposure=self._white(everywhere),
            clipped_fraction=0.0, glare_fraction=0.0, shadow_depth=0.0, ink_contrast=100.0,
            noise_sigma=self._noise(), text_height_px=float("nan"), screen=False,
            jpeg_quality=self.settings.jpeg_quality, area_ratio=0.0, center_offset_x=0.0, center_offset_y=0.0,
            tilt_deg=0.0, rotation_deg=0.0, lines_cut=float("nan"), lines_covered=float("nan"),
        )  # fmt: skip

    def present(self, documents: int, text_known: bool) -> Conditions:
        """Conditions of a picture with a document. documents: how many are visible."""
        on_document = self.document > 127
        if not on_document.any():  # all of the document is outside the picture
            on_document = np.ones(self.document.shape, bool)
        photo = np.array(self.camera.photo, np.float64)
        visible = pose.visible_fraction(self.polygon, self.camera.photo)
        x, y = visible_center((self.polygon / photo).astype(np.float32))
        lit = self.lighting.level * self.lighting.shadow * self.gain * light.WHITE_PAPER_LEVEL / 255
        return Conditions(
            document_present=True,
            documents=documents,
            visible_fraction=visible,
            occluded_fraction=min(1.0, float((self.covered[self.document > 127] > 127).sum()) * visible
                                  / max(1.0, float((self.document > 127).sum()))),
            background_contrast=self._background_contrast(),
            blur_sigma_px=self._blur(),
            motion_px=self.lens.motion_px if self.lens.motion_px >= 1.0 else 0.0,
            exposure=self._white(on_document),
            clipped_fraction=float((lit[on_document] > CLIPPED_LIGHT_LEVEL).mean()),
            glare_fraction=float((self.lighting.glare[on_document] > light.GLARE_HIDES_PRINT).mean()),
            shadow_depth=float(1.0 - np.percentile(self.lighting.shadow[on_document], 2)),
            ink_contrast=self.subject.ink_contrast,
            noise_sigma=self._noise(),
            text_height_px=_text_px(self.camera, self.subject) if text_known else float("nan"),
            screen=self.settings.screen > 0,
            jpeg_quality=self.settings.jpeg_quality,
            area_ratio=pose.polygon_area(self.polygon) * visible / float(photo.prod()),
            center_offset_x=x - 0.5,
            center_offset_y=y - 0.5,
            tilt_deg=self.settings.tilt_deg,
            rotation_deg=self._rotation_deg(),
            lines_cut=_lines_cut(self.camera, self.subject.lines),
            lines_covered=_lines_covered(self.camera, self.subject.lines, self.covered),
        )  # fmt: skip

    def _blur(self) -> float:
        """Defocus, scaling and sharpening as one Gaussian: variances add up, sharpening reduces them."""
        sharpened = self.lens.sharpen * self.lens.sharpen_radius_px**2
        own = self.lens.defocus_px**2 if self.lens.defocus_px > 0.25 else 0.0
        variance = own + self.blur_floor**2
        return float(np.sqrt(max(variance - sharpened, 0.25 * variance)))

    def _noise(self) -> float:
        """Sigma of the luma noise after sharpening."""
        return self.lens.noise * light.noise_gain(self.lens.grain_px, self.lens.sharpen, self.lens.sharpen_radius_px)

    def _white(self, where: NDArray[np.bool_]) -> float:
        """Mean L* of white paper in the photo."""
        level = (self.lighting.level * self.lighting.shadow)[where][:: max(1, int(where.sum()) // 5000), None]
        values = np.clip(
            level * self.brightness * self.gain * light.WHITE_PAPER_LEVEL * self.lighting.colour, 0, 255
        ).astype(np.uint8)
        return float(lightness(self.curve[values]).mean())

    def _background_contrast(self) -> float:
        """Mean |paper − surroundings| in L*, next to the document."""
        ring = _ring_around(self.document)
        if ring.sum() < 20:  # no surroundings are visible
            return 100.0
        return float(np.abs(lightness(self.scene[ring]) - lightness(self.subject.paper)).mean())

    def _rotation_deg(self) -> float:
        """Clockwise angle of the document's upper edge in the picture, 0..360."""
        top = self.polygon[1] - self.polygon[0] + self.polygon[2] - self.polygon[3]
        return float(np.degrees(np.arctan2(top[1], top[0])) % 360.0)


# Light level, 1 is the sensor's white, from which on clipping destroys thin print; below, only white paper is clipped.
CLIPPED_LIGHT_LEVEL = 1.12
# Test points along a text line: a receipt's has 20 to 40 letters, and a pen is as wide as one or two of them.
SAMPLES_PER_LINE = 48

__all__ = ["DEFECTS", "Conditions", "Defect", "PhotoPlan", "Shot", "take_photo"]
