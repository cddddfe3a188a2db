"""Cuts what the extraction model receives out of a photo: its document, one of several, or the whole photo."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from docextract.images import geometry
from docextract.images.geometry import Page, Polygon, Rectified
from docextract.images.margins import printed_box
from docextract.images.outline import can_rectify
from docextract.images.parts import Lines, cut_out_part
from docextract.images.uploads import EmbeddedLine
from docextract.pipeline.decoding import MAX_EXTRACTION_SIDE_PX, MIN_EXTRACTION_SIDE_PX, Photo
from docextract.predictions import Assessment, PagePrediction, TextLine
from docextract.quality.criteria import DETECTION_THRESHOLD


@dataclass(frozen=True)
class CutPage:
    """The page that the extraction model receives, and its position in the photo.

    image:    index of the photo.
    to_photo: [3, 3], px of the page to coordinates relative to the photo, 0..1.
    lines:    of its text layer, px of the page.
    others:   [L, 4, 2], lines of other documents, px of the photo's pixels; they are covered.
    is_whole: the page is the whole photo.
    """

    image: int
    page: Page
    to_photo: NDArray[np.float64]
    lines: tuple[TextLine, ...] = ()
    others: Lines = field(default_factory=lambda: np.empty((0, 4, 2), np.float32))
    is_whole: bool = False

    def turned_to_photo(self, quarter_turns: int) -> NDArray[np.float64]:
        """Return `to_photo` of the page after `geometry.turn_page`."""
        return self.to_photo @ geometry.turned_to_page(quarter_turns, *geometry.size_of(self.page))


def cut_document(image: int, photo: Photo, assessment: Assessment) -> CutPage:
    """Return the rectified document if one was detected on a background, otherwise the whole photo."""
    page, layer = _pixels(photo), photo.page.lines
    cut_out = None if layer else _cut_out(photo, page, assessment)
    return _cut_page(image, page, cut_out, layer) if cut_out else whole_photo(image, photo)


def whole_photo(image: int, photo: Photo) -> CutPage:
    """Return the whole photo, reduced to what the extraction model needs."""
    page = _pixels(photo)
    whole = geometry.shrink(page, MAX_EXTRACTION_SIDE_PX, MIN_EXTRACTION_SIDE_PX)
    (width, height), (to_width, to_height) = geometry.size_of(page), geometry.size_of(whole)
    shrunk = Rectified(whole, np.diag([width / to_width, height / to_height, 1.0]))
    return replace(_cut_page(image, page, shrunk, photo.page.lines), is_whole=True)


def cut_parts(cut: CutPage, prediction: PagePrediction, photo: Photo) -> Iterator[CutPage]:
    """Yield each part of a page, cut out of the photo, which may have more pixels than the page.

    prediction: of the page, with parts. Each part has those lines of the text layer that are nearest to its own.
    """
    pixels = _pixels(photo)
    to_pixels = np.diag([*geometry.size_of(pixels), 1.0])
    turned_to_pixels = to_pixels @ cut.turned_to_photo(prediction.quarter_turns)
    parts = [geometry.project(np.stack([line.polygon for line in part]), turned_to_pixels) for part in prediction.parts]
    # Not that of the photo, which has the lines of documents that an earlier division has cut off.
    layer = [replace(line, polygon=geometry.project(line.polygon, to_pixels @ cut.to_photo)) for line in cut.lines]
    nearest = [_nearest(line.polygon, parts) for line in layer]
    for index, part in enumerate(parts):
        own = [line for line, owner in zip(layer, nearest, strict=True) if owner == index]
        # Struck lines are in the layer alone.
        of_layer = [line.polygon[None] for line, owner in zip(layer, nearest, strict=True) if owner != index]
        others = np.concatenate([cut.others, *(other for other in parts if other is not part), *of_layer])
        # A part of a long page, which is larger than others, is no smaller than it was there.
        corners = np.concatenate([line.polygon for line in prediction.parts[index]])
        longest_px = max(MAX_EXTRACTION_SIDE_PX, round(float(np.ptp(corners, axis=0).max())))
        cut_out = cut_out_part(pixels, part, others, longest_px)
        yield replace(_cut_page(cut.image, pixels, cut_out, own), others=others)


def _nearest(polygon: Polygon, parts: Sequence[Lines]) -> int:
    """Return the index of the part, [L, 4, 2], of which one line has its centre nearest to that of this line."""
    centre = polygon.mean(axis=0)
    return int(np.argmin([np.linalg.norm(part.mean(axis=1) - centre, axis=1).min() for part in parts]))


def _pixels(photo: Photo) -> Page:
    pixels = photo.page.pixels
    assert pixels is not None, "the request was decoded for its verdict alone"
    return pixels


def _cut_page(image: int, photo: Page, cut_out: Rectified, layer: Sequence[EmbeddedLine | TextLine]) -> CutPage:
    """Return what was cut out of a photo, with these lines of its text layer. photo: its pixels."""
    width, height = geometry.size_of(photo)
    to_page = geometry.inverse(cut_out.to_photo)
    lines = tuple(
        TextLine(line.text, geometry.project(line.polygon, to_page), 1.0, line.cuts, is_struck=line.is_struck)
        for line in layer
    )
    return CutPage(image, cut_out.page, np.diag([1 / width, 1 / height, 1.0]) @ cut_out.to_photo, lines)


def _cut_out(photo: Photo, page: Page, assessment: Assessment) -> Rectified | None:
    """Return the document that is a part of the picture: by its outline, or by the blank paper around its print."""
    height, width = page.shape[:2]
    if assessment.polygon is not None and assessment.detected >= DETECTION_THRESHOLD:
        polygon = assessment.polygon.astype(np.float32) * np.array([width, height], np.float32)
        if can_rectify(page, polygon, photo.page.source):
            return geometry.rectify(page, polygon, MAX_EXTRACTION_SIDE_PX)
    box = printed_box(page) if photo.page.source != "photo" else None
    return geometry.cut_out(page, box, MAX_EXTRACTION_SIDE_PX) if box else None
