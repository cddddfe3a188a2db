"""A network's view of a page → what is found on it. The same for every network that labels pieces of print."""

from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from docextract.documents import document_types
from docextract.documents.base import DocumentType
from docextract.documents.values import Conventions
from docextract.extraction.layout import spans
from docextract.extraction.layout.calibration import Calibration
from docextract.extraction.layout.pieces import Piece
from docextract.extraction.layout.spans import Candidate, Candidates, LabelProbabilities
from docextract.extraction.zones import recognition
from docextract.extraction.zones.search import ZoneRefiner
from docextract.predictions import OTHER_TYPE, PagePrediction, PredictedValue, PredictedZone, TextLine

AUTO = "auto"
SURE_TYPE = 0.9  # below this probability a valid machine-readable zone decides what a page is
SURE_ZONE = 0.99  # probability of a type that such a zone speaks for


@dataclass(frozen=True)
class LayoutOutput:
    """What a network makes of one page. T pieces, N types."""

    lines: tuple[TextLine, ...]  # in reading order
    pieces: tuple[Piece, ...]
    labelling: LabelProbabilities
    types: NDArray[np.float32]  # [N], probabilities
    conventions: Conventions
    closer: ZoneRefiner | None = None  # has a closer look at machine-readable zones


@dataclass(frozen=True)
class PredictionBuilder:
    """What the labels of one network mean, and how far they are to be trusted."""

    types: tuple[str, ...]  # what a page can be taken for, "other" included
    fields: tuple[str, ...]  # as labels number them
    calibration: Calibration

    def candidates(self, kind: DocumentType, view: LayoutOutput) -> Candidates:
        """The best candidate of each single field, sure or not, and the rows of lists."""
        page = (kind, self.fields, view.pieces, view.labelling, view.conventions)
        return Candidates(spans.decode_fields(*page), spans.decode_groups(*page))

    def found(self, view: LayoutOutput, wanted: str) -> PagePrediction:
        """All that is found; wanted: a type's name or "auto"."""
        if not view.pieces:  # the network has never seen a page without print, and would answer anything
            return (
                PagePrediction(OTHER_TYPE, 1.0, Conventions())
                if wanted == AUTO
                else PagePrediction(wanted, 0.0, Conventions())
            )
        today = date.today()
        zone = recognition.find_zone(view.lines, today, view.closer.look if view.closer else None)
        name, sure = self._type(view, wanted, zone)
        if view.closer and not (zone and zone.valid):
            zone = recognition.find_zone_in_strips(view.closer.find_lines(name), view.lines, today) or zone
        kind = document_types().get(name)
        candidates = self.candidates(kind, view) if kind else Candidates({}, {})
        fields = self._fields(candidates, view)
        return PagePrediction(name, sure, view.conventions, fields, self._groups(candidates, view), view.lines, zone)

    def _type(self, view: LayoutOutput, wanted: str, zone: PredictedZone | None) -> tuple[str, float]:
        """What the page is, or how much it looks like what was asked for; a probability."""
        name = wanted if wanted != AUTO else self.types[int(view.types.argmax())]
        sure = float(view.types[self.types.index(name)]) if name in self.types else 0.0
        told = recognition.document_type_of(zone)
        if told in self.types and sure < SURE_TYPE and wanted in (AUTO, told):
            return told, max(sure, SURE_ZONE)
        return name, sure

    def _fields(self, candidates: Candidates, view: LayoutOutput) -> dict[str, PredictedValue]:
        return {
            name: self._value(candidate, view)
            for name, candidate in candidates.fields.items()
            if self.calibration.accepts(candidate)
        }

    def _groups(self, candidates: Candidates, view: LayoutOutput) -> dict[str, tuple[dict[str, PredictedValue], ...]]:
        return {
            group: tuple({leaf: self._value(candidate, view) for leaf, candidate in row.items()} for row in rows)
            for group, rows in candidates.groups.items()
            if rows
        }

    def _value(self, candidate: Candidate, view: LayoutOutput) -> PredictedValue:
        return spans.predicted_value(candidate, self.calibration.confidence(candidate), view.pieces)
