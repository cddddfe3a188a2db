"""The predictions of the two models, as plain values that are sent between processes.

The runners return them and the front turns them into answers. There is one prediction per item: a page without any
result has an empty prediction, and no exception is raised.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.images.geometry import Polygon
from docextract.sources import TextSource

OTHER_TYPE = "other"  # the type of pages that are of no document type
AUTO = "auto"  # requested where the document type is to be detected


@dataclass(frozen=True)
class FieldLegibility:
    """Whether one required field would be read right, by the place where it probably stands.

    expected: expected share of its letters and digits that is read right, 0..1; what is outside the photo is not read.
    visible:  probability that it stands in the photo, 0..1.
    place:    its most probable place (x, y) in the photo, 0..1.
    """

    expected: float
    visible: float
    place: tuple[float, float]


@dataclass(frozen=True)
class Legibility:
    """Where in a photo print would be read right.

    cells:    float32 [rows, columns] of a grid over the photo, from its top left: the probability that a letter printed
              in this cell would be read right, 0..1. Means little where there is no document.
    fields:   by name, for the required fields of all document types that the network knows.
    document: mean over the cells of the document, 0..1.
    required: float32 [rows, columns], how many required fields of the document's type probably stand in each cell.
    required_fields: expected share of each of these fields that is read right, 0..1; of a page without any, `document`.
    """

    cells: NDArray[np.float32]
    fields: dict[str, FieldLegibility]
    document: float
    required: NDArray[np.float32]
    required_fields: tuple[float, ...] = ()

    def cell_side(self, width: int, height: int) -> float:
        """Return the side of a cell in a photo of this size, px.

        The last cells of the shorter side may reach beyond the photo.
        """
        return max(width, height) / float(max(self.cells.shape))


@dataclass(frozen=True)
class Assessment:
    """The prediction of the quality network for one photo. Scores are calibrated probabilities, 0..1.

    polygon: [4, 2], relative to the photo (0..1, may lie slightly outside), clockwise from the document's
             own top-left corner; None if no document was detected.
    scores: by criterion of `docextract.quality.criteria`, the probability that the photo does not have the defect.
    """

    detected: float
    type: str | None
    type_confidence: float
    side: str | None
    polygon: NDArray[np.float32] | None
    rotation_degrees: int  # 0, 90, 180, 270: clockwise rotation of the document in the photo
    scores: dict[str, float]
    version: str = ""  # of the model, see `with_version`
    legibility: Legibility | None = None  # None: the network has no legibility map


@dataclass(frozen=True)
class CharacterAlternative:
    """Another possible character at one position of a text line.

    at:    index in the text of the line.
    other: the alternative character.
    odds:  its probability divided by the probability of the recognised character, 0..1.
    """

    at: int
    other: str
    odds: float


@dataclass(frozen=True)
class TextLine:
    """One recognised line of text.

    polygon: [4, 2], px of the page, clockwise from the line's own top-left corner.
    cuts:    positions of the character borders along the line, 0..1, ascending, len(text) + 1 of them.
    is_struck: a line of a text layer that is struck out; it says where print is that must not be read.
    """

    text: str
    polygon: Polygon
    confidence: float
    cuts: tuple[float, ...] | None = None
    alternatives: tuple[CharacterAlternative, ...] = ()
    is_struck: bool = False


@dataclass(frozen=True)
class PredictedValue:
    """One value of a field, with its printed text, confidence and position."""

    content: str
    value: Any  # str, Decimal, date or time: the result of the field's FieldKind.parse
    confidence: float
    polygons: tuple[Polygon, ...]  # one for each line that it is printed on, px of the page


@dataclass(frozen=True)
class PredictedZone:
    """A machine-readable zone (ICAO Doc 9303), parsed by rules.

    fields: by the field names of identity documents; the issuing state defines `optional_data` and, of TD1,
            `more_optional_data`.
    checks: whether the check digit is valid, by field name, and "composite".
    """

    format: str  # TD1, TD2, TD3
    document_code: str  # "P", "ID", …
    lines: tuple[str, ...]
    valid: bool
    checks: dict[str, bool]
    names_truncated: bool  # the names fill their line, so the printed names may be longer
    confidence: float  # that every character is correct
    polygons: tuple[Polygon, ...]  # one for each recognised line, px of the page
    fields: dict[str, PredictedValue]


@dataclass(frozen=True)
class PagePrediction:
    """The prediction of the extraction model for one page. Polygons are in px of the page after `quarter_turns`."""

    type: str  # name of a document type, or OTHER_TYPE
    type_confidence: float  # 0..1; for a requested type: the probability that the page has it
    conventions: Conventions
    fields: dict[str, PredictedValue] = field(default_factory=dict)  # by name, such as "total"; only fields found
    # By name of a list, such as "line_items": its rows, each with values by the name within the row.
    groups: dict[str, tuple[dict[str, PredictedValue], ...]] = field(default_factory=dict)
    lines: tuple[TextLine, ...] = ()
    zone: PredictedZone | None = None
    quarter_turns: int = 0  # counter-clockwise, 0..3, after which the print of the page runs to the right
    text_source: TextSource = "recognised"
    # Whether the text layer of the file agrees with what is visible on the page; None: the page has none.
    text_layer_matches: bool | None = None
    compared: tuple[Polygon, ...] = ()  # where the print of a page with a text layer was recognised, px of the page
    # Of the model's calibration for this type: (confidence, upper estimate of the share of wrong values from it on).
    error_bounds: tuple[tuple[float, float], ...] = ()
    has_other_title: bool = False  # it is no invoice, because it has the title of another paper, such as an offer
    has_invoice_title: bool = False  # it is an invoice, and has the title of one in large print
    parts: tuple[tuple[TextLine, ...], ...] = ()  # the lines of each document, if the page shows several
    version: str = ""  # of the model, see `with_version`

    def values(self) -> list[PredictedValue]:
        """Return all values: those of the fields, then those of the rows."""
        return [
            *self.fields.values(),
            *(value for rows in self.groups.values() for row in rows for value in row.values()),
        ]

    def with_values(self, change: Callable[[PredictedValue], PredictedValue]) -> "PagePrediction":
        """Return the prediction with each value, also of the rows, as this function returns it."""

        def changed(values: Mapping[str, PredictedValue]) -> dict[str, PredictedValue]:
            return {name: change(value) for name, value in values.items()}

        groups = {name: tuple(map(changed, rows)) for name, rows in self.groups.items()}
        return replace(self, fields=changed(self.fields), groups=groups)


@dataclass(frozen=True)
class DocumentPrediction:
    """The predictions for the pages of one document, which were made together."""

    pages: tuple[PagePrediction, ...]
    version: str = ""  # of the model, see `with_version`


Prediction = TypeVar("Prediction", Assessment, PagePrediction, DocumentPrediction)


def with_version(predictions: Sequence[Prediction], version: str) -> list[Prediction]:
    """Return the predictions with the version of their model, which only the process with the model knows."""
    return [replace(prediction, version=version) for prediction in predictions]


def common_type(predictions: Sequence[PagePrediction]) -> str:
    """Return the type of a document with these pages, at least one: the type with the largest sum of confidences.

    Known document types are preferred to others, so that a blank reverse does not outweigh the front. The title of
    another paper on the first page is that of all pages, unless an invoice with its own title follows.
    """
    if predictions[0].has_other_title and not any(one.has_invoice_title for one in predictions):
        return OTHER_TYPE
    weights: dict[str, float] = {}
    for one in predictions:
        weights[one.type] = weights.get(one.type, 0.0) + one.type_confidence
    return max(weights, key=lambda name: (name in document_types(), weights[name]))
