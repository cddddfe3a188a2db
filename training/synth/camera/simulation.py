"""A phone's camera: a page in, a photograph and the truth about it out.

Nothing here knows what the page is: a printed sheet, a scanned receipt, an identity card. The truth is computed from
what was done, never from what was asked for: `Plan` is a wish, `Conditions` is what came of it.
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
from training.synth.camera.plan import DEFECTS, Defect, PhotoPlan, PhotoSettings, draw_settings
from training.synth.camera.pose import Pose, Rect
from training.synth.camera.surroundings import Mask


@dataclass(frozen=True)
class Conditions:
    """What the camera did to a page, physically, and therefore what the quality network should notice.

    Lengths are in px of the final photo. Where no document is in the picture, the document's own
    conditions are neutral and `document_present` is False.
    """

    document_present: bool
    documents: int  # how many stand in the picture
    visible_fraction: float  # of the document's area inside the picture, 0..1
    occluded_fraction: float  # of the document's area under fingers, pens, other paper, 0..1
    background_contrast: float  # |paper − surroundings| in CIE L*, 0..100
    blur_sigma_px: float  # defocus and scaling together, as one Gaussian
    motion_px: float  # length of the motion path
    exposure: float  # mean L* of white paper, 0..100; 85–97 is a good photo
    clipped_fraction: float  # of the document's area burnt to white by exposure
    glare_fraction: float  # of the document's area under a specular spot
    shadow_depth: float  # deepest shadow on the document, 0 none .. 1 black
    ink_contrast: float  # |ink − paper| in L* as printed, before the camera; thermal paper fades
    noise_sigma: float  # of luma, 0..255 scale
    text_height_px: float  # median height of a line of text (ascender to descender); nan if not known
    screen: bool  # photographed from a display: moiré, pixel grid
    jpeg_quality: int
    area_ratio: float  # document area inside the picture / picture area
    center_offset_x: float  # middle of what is seen of the document − picture's, in picture widths; right is positive
    center_offset_y: float
    tilt_deg: float  # angle between the camera's axis and the page's normal: perspective
    rotation_deg: float  # in the picture's plane, clockwise, 0..360; 0 is upright
    lines_cut: float  # share of the lines of print that are not wholly inside the picture, 0..1; nan if not known
    lines_covered: float  # share of the lines of print that something lies over, 0..1; nan if not known


@dataclass(frozen=True)
class Shot:
    """A photograph and all that is known about it."""

    photo: Page
    polygon: Polygon  # photo px, clockwise from the document's own top left; nan where there is no document
    conditions: Conditions
    pose: Pose
    origin: tuple[float, float]  # of the page on the sheet that was photographed: a display is larger than the page

    def to_photo(self, points: NDArray[np.floating]) -> NDArray[np.float32]:
        """Points [..., 2] on the page, px → photo px, paper curl included."""
        flat = np.asarray(points, np.float64).reshape(-1, 2) + np.array(self.origin)
        return self.pose.to_photo(flat).reshape(points.shape).astype(np.float32)


@dataclass(frozen=True)
class _Subject:
    """What is photographed: a page, alone or shown on a display."""

    sheet: Page
    rect: Rect  # the document on the sheet
    origin: tuple[float, float]  # of the page that was given, on the sheet
    lines: NDArray[np.float64]  # [N, 4, 2], outlines of what is printed, on the sheet
    aimed_at: Rect  # what fills the picture as wished, on the sheet: the document, or what is printed on it
    paper: NDArray[np.float64]  # [3], its bare paper
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
    """Photograph a page.

    page: uint8 [H, W, 3], upright, cut at the document's border.
    plan: what to provoke; Plan.everyday() when not given.
    surfaces: photographs of table tops to lay it on; without any, surfaces are made up.
    paper: photographs of crumpled white paper, whose light and shadow the page takes on.
    text_height_px: median height of a line of text on the page; a fortieth of its width when not known, and then
        `Conditions.text_height_px` is nan.
    ink_contrast: |ink − paper| in L* as printed; measured on the page when not given.
    others: pages to lie beside it where the plan asks for several documents; without any, parts of the page itself.
    lines: outlines of what is printed on the page, px, clockwise from the top left of each; without any,
        `Conditions.lines_cut` and `lines_covered` are nan, and the whole page stands for its print.
    """
    if text_height_px is not None and not text_height_px > 0:  # an empty page has none
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
    settings: PhotoSettings,
    text_height_px: float | None,
    ink_contrast: float | None,
    rng: np.random.Generator,
) -> _Subject:
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
        page = cv2.addWeighted(page, settings.ink_contrast_kept, np.broadcast_to(paper.astype(np.uint8), page.shape).copy(),
                               1.0 - settings.ink_contrast_kept, 0)  # fmt: skip
        ink = lightness(paper) - ink_contrast
        grey = _grey(float(ink)) * settings.ink_contrast_kept + _grey(dark_paper) * (1.0 - settings.ink_contrast_kept)
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
    (left, top), (right, bottom) = lines.min((0, 1)).tolist(), lines.max((0, 1)).tolist()
    return left, top, right, bottom


def _moved(rect: Rect, right: float, down: float) -> Rect:
    return rect[0] + right, rect[1] + down, rect[2] + right, rect[3] + down


def _lines_cut(camera: Pose, lines: NDArray[np.float64]) -> float:
    """The share of lines [N, 4, 2] on the sheet, clockwise from each top left, that the picture's border cuts."""
    if not len(lines):
        return float("nan")
    within = _ink(lines)
    seen = camera.to_photo(within.reshape(-1, 2)).reshape(lines.shape)
    inside = ((seen >= 0) & (seen <= np.array(camera.photo))).all((1, 2))
    return float(1 - inside.mean())


def _lines_covered(camera: Pose, lines: NDArray[np.float64], covered: Mask) -> float:
    """The share of those lines that something lies over, wherever it does: of a word a letter is enough to be missed.

    covered: what lies over the picture, 0..255, at a quarter of its size.
    """
    if not len(lines):
        return float("nan")
    across, down = np.meshgrid(np.linspace(0, 1, SAMPLES_PER_LINE), np.linspace(0, 1, 3))
    along, below = across.reshape(-1, 1), down.reshape(-1, 1)
    top_left, top_right, bottom_right, bottom_left = _ink(lines)[:, :, None].transpose(1, 0, 2, 3)  # each [N, 1, 2]
    upper = top_left + (top_right - top_left) * along
    places = upper + (bottom_left + (bottom_right - bottom_left) * along - upper) * below  # [N, P, 2]
    seen = camera.to_photo(places.reshape(-1, 2)).reshape(places.shape)
    inside = ((seen >= 0) & (seen < np.array(camera.photo))).all(2)
    x, y = np.moveaxis(np.where(inside[..., None], seen / LIGHT_DOWNSCALE, 0).astype(int), 2, 0)
    hidden = inside & (covered[y, x] > 127)
    return float(hidden.any(1).mean())


def _ink(lines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Outlines of lines, [N, 4, 2], without the room around the letters: a fifth of their height on each side."""
    room = 0.2 * np.linalg.norm(lines[:, 3] - lines[:, 0], axis=1)[:, None, None]
    return np.asarray(lines + room * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]))


def _grey(tone: float) -> float:
    """L* → the sRGB grey of that lightness, 0..255."""
    ramp = np.arange(256)
    return float(np.interp(tone, lightness(np.repeat(ramp[:, None], 3, 1)), ramp))


def _on_display(page: Page, rng: np.random.Generator) -> tuple[Page, float, float]:
    """The page in a viewer's window on a display with a dark bezel; the page's place on it."""
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


def _camera(subject: _Subject, settings: PhotoSettings, rng: np.random.Generator) -> Pose:
    """Where the camera stands, and how large its picture is so that text comes out as high as wished."""
    height, width = subject.sheet.shape[:2]
    rect = subject.aimed_at
    aspect = settings.aspect or (rect[2] - rect[0]) / (rect[3] - rect[1])
    bend = pose.draw_bend(settings.curl, settings.folds, width / height, rng) if not settings.screen else pose.Bend()
    turn = pose.rotation(settings.tilt_deg, settings.tilt_towards_deg, settings.roll_deg)
    if settings.scan:
        bend = pose.Bend()  # pressed flat; folds show as shading only

    def at_size(long_side_px: float) -> Pose:
        wide = min(1.0, aspect) * long_side_px
        photo = (max(64, round(wide)), max(64, round(wide / aspect)))
        focal = (settings.focal if not settings.scan else 20.0) * max(photo)
        far = focal / max(photo) * 1.3
        start = Pose((float(width), float(height)), photo, focal, turn, (0.0, 0.0, far), bend)
        # The same dice for each size: the picture is the same, only larger.
        return pose.frame_document(
            start, rect, settings.fill, settings.offset, settings.area, settings.visible, np.random.default_rng(dice)
        )

    dice = int(rng.integers(2**31))
    camera = at_size(settings.long_side_px)
    text = _text_px(camera, subject)
    if settings.text_px is not None:
        return at_size(float(np.clip(settings.long_side_px * settings.text_px / text, 320, 2000)))
    if text < settings.min_text_px:
        return at_size(float(np.clip(settings.long_side_px * settings.min_text_px / text, settings.long_side_px, 2000)))
    return camera


def _text_px(camera: Pose, subject: _Subject) -> float:
    """Height of a line of text in the photo."""
    left, top, right, bottom = subject.rect
    grid = np.stack(np.meshgrid(np.linspace(left, right, 5)[1:-1], np.linspace(top, bottom, 7)[1:-1]), -1).reshape(
        -1, 2
    )
    return float(np.median(camera.scale_at(grid)[1]) * subject.text_height_px)


def _silhouette(camera: Pose, rect: Rect) -> Mask:
    """The document's mask at a quarter of the photo's size, its part in the picture."""
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
    settings: PhotoSettings,
    rng: np.random.Generator,
) -> Mask:
    """Fingers that hold the document, and whatever else is in the way; in place. returns: what was covered."""
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
    """Where print is in the picture, 0 or 255, at a quarter of its size. lines: [N, 4, 2] on the sheet."""
    mask = np.zeros(size[::-1], np.uint8)
    seen = camera.to_photo(lines.reshape(-1, 2)).reshape(lines.shape) / LIGHT_DOWNSCALE
    for outline in np.round(np.clip(seen, -4e3, 4e3)).astype(np.int32):
        cv2.fillConvexPoly(mask, outline, 255)
    return mask


def _inside_share(document: Mask, polygon: Polygon) -> float:
    """Whole document / its part in the picture: what is covered is told as a share of the whole."""
    return pose.polygon_area(polygon) / max(1.0, cv2.countNonZero(document) * float(LIGHT_DOWNSCALE**2))


# --- the scene --------------------------------------------------------------------------------------------------------


def _render_table(
    camera: Pose,
    subject: _Subject,
    settings: PhotoSettings,
    document: Mask,
    surfaces: Sequence[Page],
    rng: np.random.Generator,
) -> Page:
    """All that lies under the document: uint8 [h, w, 3]."""
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
    """What lies next to the document, a band of about a twelfth of its size."""
    reach = 2 * max(2, round(np.sqrt(cv2.countNonZero(document)) / 12)) + 1
    near = cv2.dilate(document, cv2.getStructuringElement(cv2.MORPH_RECT, (reach, reach)))
    touching = cv2.dilate(document, np.ones((3, 3), np.uint8))
    return np.asarray((near > 127) & (touching == 0))


def _lay_others(
    scene: Page, camera: Pose, page: Page, settings: PhotoSettings, others: Sequence[Page], rng: np.random.Generator,
) -> int:  # fmt: skip
    """Lay more documents beside and half under the first; how many can be seen."""
    seen = 0
    for _ in range(settings.others):
        height, width = page.shape[:2]
        if others:
            other = others[int(rng.integers(len(others)))]
        else:  # the page itself, cut elsewhere, on another paper
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
        seen += 1
    return seen


def _lay_page(scene: Page, camera: Pose, worn: WornPage) -> float:
    """Put the page into the scene, in place. returns: the blur of being scaled, sigma in photo px."""
    width, height = camera.photo
    size = camera.size
    seen = camera.to_photo(pose.outline((0.0, 0.0, *size)))
    left, top = (int(value) for value in np.clip(np.floor(seen.min(0)) - 2, 0, (width, height)))
    right, bottom = (int(value) for value in np.clip(np.ceil(seen.max(0)) + 2, 0, (width, height)))
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
    # A pixel is a box (variance 1/12), a bilinear look-up between two of them 1/6 on average; each in the worn page's
    # pixels, which are scale / shrink photo px wide. Shrinking adds the box of the larger pixel, counted already.
    return float(np.sqrt((1 / 12 + 1 / 6) * (scale / worn.shrink) ** 2))


def _pixel_grid(scene: Page, camera: Pose, strength: float, rng: np.random.Generator) -> None:
    """The display's red, green and blue stripes as the sensor samples them: moiré where the two grids nearly agree."""
    width, height = camera.photo
    map_x, map_y = camera.maps((0, 0, width, height))
    scale = float(camera.scale_at(np.array(camera.size)[None] / 2)[0][0])
    pitch = float(rng.uniform(0.9, 3.2)) / scale  # page px for one pixel of the display
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
    """Blur and sharpening in px of the photo."""

    defocus_px: float  # sigma
    motion_px: float
    sharpen: float
    sharpen_radius_px: float
    noise: float  # sigma of luma as the sensor gives it
    grain_px: float

    @classmethod
    def draw(cls, settings: PhotoSettings, text_px: float, rng: np.random.Generator) -> "_Lens":
        return cls(
            settings.defocus * text_px,
            settings.motion * text_px,
            settings.sharpen if not settings.scan else 0.3 * settings.sharpen,
            float(rng.uniform(0.8, 1.6)),
            settings.noise,
            float(rng.choice(light.NOISE_GRAIN_SIZES_PX)),
        )


def _expose_scene(
    scene: Page, lighting: Lighting, document: Mask, lens: _Lens, settings: PhotoSettings, rng: np.random.Generator
) -> tuple[Page, NDArray[np.uint8], float]:
    """Scene → photo; also the tone curve and the gain that were used."""
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
        # The mirrored lamp adds its own light: what was printed there loses contrast, then vanishes.
        washed = cv2.resize(lighting.glare * 255.0 * min(1.0, settings.exposure), (width, height))
        picture += washed[..., None]
    if settings.exposure > 1.1:
        picture += min(70.0, 45.0 * (settings.exposure - 1.1))  # stray light veils the blacks
    light.add_noise(picture, lens.noise, lens.grain_px, rng)
    photo = np.asarray(cv2.convertScaleAbs(np.maximum(picture, 0.0, out=picture)), np.uint8)
    if lens.sharpen > 0.05:
        photo = light.sharpen(photo, lens.sharpen, lens.sharpen_radius_px)
    curve = light.draw_tone_curve(rng, flat=settings.scan)
    return light.compress(cv2.LUT(photo, curve), settings.jpeg_quality), curve, gain


# --- the truth --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _GroundTruth:
    """All that was done, from which the conditions follow. Masks and light at a quarter of the photo's size."""

    settings: PhotoSettings
    camera: Pose
    subject: _Subject
    polygon: Polygon
    document: Mask
    covered: Mask
    scene: Page  # without light, the document on it, before anything was put over it
    lighting: Lighting
    curve: NDArray[np.uint8]
    gain: float
    lens: _Lens
    blur_floor: float
    brightness: float  # of the paper for its folds and crumples

    def absent(self) -> Conditions:
        """Of a picture without a document: the light and the sensor are real, the rest neutral."""
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
        on_document = self.document > 127
        if not on_document.any():  # all of it is outside the picture
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
        """Defocus, scaling and sharpening as one Gaussian: variances add, and sharpening takes some away."""
        sharpened = self.lens.sharpen * self.lens.sharpen_radius_px**2
        own = self.lens.defocus_px**2 if self.lens.defocus_px > 0.25 else 0.0
        variance = own + self.blur_floor**2
        return float(np.sqrt(max(variance - sharpened, 0.25 * variance)))

    def _noise(self) -> float:
        return self.lens.noise * light.noise_gain(self.lens.grain_px, self.lens.sharpen, self.lens.sharpen_radius_px)

    def _white(self, where: NDArray[np.bool_]) -> float:
        """Mean L* that white paper has in the photo."""
        level = (self.lighting.level * self.lighting.shadow)[where][:: max(1, int(where.sum()) // 5000), None]
        values = np.clip(
            level * self.brightness * self.gain * light.WHITE_PAPER_LEVEL * self.lighting.colour, 0, 255
        ).astype(np.uint8)
        return float(lightness(self.curve[values]).mean())

    def _background_contrast(self) -> float:
        ring = _ring_around(self.document)
        if ring.sum() < 20:  # nothing around it to be told from
            return 100.0
        return float(np.abs(lightness(self.scene[ring]) - lightness(self.subject.paper)).mean())

    def _rotation_deg(self) -> float:
        top = self.polygon[1] - self.polygon[0] + self.polygon[2] - self.polygon[3]
        return float(np.degrees(np.arctan2(top[1], top[0])) % 360.0)


# Paper this far over the sensor's white takes thin print with it; below, white is only white.
CLIPPED_LIGHT_LEVEL = 1.12
# Along a line of print: a receipt's has 20 to 40 letters, and a pen is as wide as one or two.
SAMPLES_PER_LINE = 48

__all__ = ["DEFECTS", "Conditions", "Defect", "PhotoPlan", "Shot", "take_photo"]
