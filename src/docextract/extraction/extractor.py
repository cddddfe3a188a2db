"""Pages in, found values out: read, understand, calibrate."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from docextract.documents import describe_types, document_types
from docextract.documents.base import DocumentType
from docextract.documents.values import Conventions, DateOrder
from docextract.extraction import machine_readable, spans
from docextract.extraction.calibration import UNCALIBRATED, Calibration
from docextract.extraction.network import LayoutTransformer, Shape, collate
from docextract.extraction.pieces import Piece, Sequenced, ngrams, sequence
from docextract.extraction.reading import Reader
from docextract.extraction.spans import Candidate, Labelling
from docextract.findings import OTHER, Found, FoundValue, FoundZone, Line
from docextract.imaging import Page

AUTO = "auto"
# With padding. Together, eight pages of 1000 pieces took 800 MB and were no faster than one after the other; and
# seven receipts of 150 beside one of them took 7.8 s instead of 0.7 (4 layers, one core, 2026-11-20).
PIECES_AT_ONCE = 2000
SURE_CURRENCY = 0.9  # below this probability the currency is left open
SURE_TYPE = 0.9  # below this probability a valid machine-readable zone decides what a page is
SURE_ZONE = 0.99  # probability of a type that such a zone speaks for


@dataclass(frozen=True)
class _View:
    """The network's view of one page. T pieces, N types."""

    lines: tuple[Line, ...]  # in reading order
    pieces: tuple[Piece, ...]
    labelling: Labelling
    types: NDArray[np.float32]  # [N], probabilities
    conventions: Conventions


class Extractor:
    """The reader and one version of the layout transformer."""

    def __init__(self, network: LayoutTransformer, calibration: Calibration, reader: Reader) -> None:
        self._network = network.eval()
        self._calibration = calibration
        self._reader = reader

    @classmethod
    def load(cls, folder: Path, device: str = "cpu", threads: int | None = None) -> "Extractor":
        """From model.safetensors, config.json and calibration.json in a folder. threads: as many as torch uses.

        Types that are described beside them, in types/*.toml, are known from then on.
        """
        describe_types(folder)
        config = json.loads((folder / "config.json").read_text())
        network = LayoutTransformer(Shape.from_json(config["shape"]))
        network.load_state_dict({name: part.float() for name, part in load_file(folder / "model.safetensors").items()})
        fitted = folder / "calibration.json"
        calibration = Calibration(**json.loads(fitted.read_text())) if fitted.exists() else UNCALIBRATED
        return cls(network.to(device), calibration, Reader(threads or torch.get_num_threads(), cuda=device != "cpu"))

    def extract(self, pages: Sequence[Page], document_types: Sequence[str]) -> list[Found]:
        """Answer for each page, in the order given. document_types: a type's name or "auto" for each page."""
        return self.understand(self._reader.read(pages), document_types)

    @property
    def types(self) -> tuple[str, ...]:
        """What a page can be taken for, "other" included."""
        return self._network.shape.types

    def understand(self, read: Sequence[Sequence[Line]], document_types: Sequence[str]) -> list[Found]:
        """The same for pages that have been read already."""
        return [self._found(view, wanted) for view, wanted in zip(self._views(read), document_types, strict=True)]

    def candidates(self, kind: DocumentType, lines: Sequence[Line]) -> dict[str, Candidate]:
        """What calibration is fitted to: the best candidate of each single field, sure or not."""
        view = self._views([lines])[0]
        return spans.decode_fields(kind, self._network.shape.fields, view.pieces, view.labelling, view.conventions)

    def _views(self, read: Sequence[Sequence[Line]]) -> list[_View]:
        ordered = [sequence(lines) for lines in read]
        views: dict[int, _View] = {}
        for pack in packs([len(page.pieces) for _, page in ordered]):
            views |= zip(pack, self._look([ordered[at] for at in pack]), strict=True)
        ngrams.cache_clear()  # it would keep the words of the last thousand documents; nothing that is sent is kept
        return [views[at] for at in range(len(ordered))]

    def _look(self, ordered: Sequence[tuple[tuple[Line, ...], Sequenced]]) -> list[_View]:
        """The network's view of pages that are understood together; at least one."""
        device = next(self._network.parameters()).device
        with torch.inference_mode():
            logits = self._network(collate([page for _, page in ordered]).to(device))
        parts = zip(
            logits.labels.softmax(-1).cpu().numpy(), logits.row_starts.sigmoid().cpu().numpy(),
            logits.type.softmax(-1).cpu().numpy(), logits.currency.softmax(-1).cpu().numpy(),
            logits.date_order.softmax(-1).cpu().numpy(), strict=True,
        )  # fmt: skip
        shape = self._network.shape
        return [
            _View(
                lines, page.pieces, Labelling(labels[: len(page.pieces)], starts[: len(page.pieces)]),
                types, _conventions(shape, currencies, orders),
            )
            for (lines, page), (labels, starts, types, currencies, orders) in zip(ordered, parts, strict=True)
        ]  # fmt: skip

    def _found(self, view: _View, wanted: str) -> Found:
        if not view.pieces:  # the network has never seen a page without print, and would answer anything
            return Found(OTHER, 1.0, Conventions()) if wanted == AUTO else Found(wanted, 0.0, Conventions())
        zone = machine_readable.find(view.lines, date.today())
        name, sure = self._type(view, wanted, zone)
        kind = document_types().get(name)
        fields = self._fields(kind, view) if kind else {}
        groups = self._groups(kind, view) if kind else {}
        return Found(name, sure, view.conventions, fields, groups, view.lines, zone)

    def _type(self, view: _View, wanted: str, zone: FoundZone | None) -> tuple[str, float]:
        """What the page is, or how much it looks like what was asked for; a probability."""
        types = self._network.shape.types
        name = wanted if wanted != AUTO else types[int(view.types.argmax())]
        sure = float(view.types[types.index(name)]) if name in types else 0.0
        told = machine_readable.type_of(zone)
        if told in types and sure < SURE_TYPE and wanted in (AUTO, told):
            return told, max(sure, SURE_ZONE)
        return name, sure

    def _fields(self, kind: DocumentType, view: _View) -> dict[str, FoundValue]:
        candidates = spans.decode_fields(
            kind, self._network.shape.fields, view.pieces, view.labelling, view.conventions
        )
        return {
            name: self._value(candidate, view)
            for name, candidate in candidates.items()
            if self._calibration.accepts(candidate)
        }

    def _groups(self, kind: DocumentType, view: _View) -> dict[str, tuple[dict[str, FoundValue], ...]]:
        groups = spans.decode_groups(kind, self._network.shape.fields, view.pieces, view.labelling, view.conventions)
        return {
            group: tuple({leaf: self._value(candidate, view) for leaf, candidate in row.items()} for row in rows)
            for group, rows in groups.items()
            if rows
        }

    def _value(self, candidate: Candidate, view: _View) -> FoundValue:
        return spans.found_value(candidate, self._calibration.confidence(candidate), view.pieces)


def _conventions(shape: Shape, currencies: NDArray[np.float32], orders: NDArray[np.float32]) -> Conventions:
    currency = shape.currencies[int(currencies.argmax())] if currencies.max() >= SURE_CURRENCY else ""
    order: DateOrder = shape.date_orders[int(orders.argmax())]  # type: ignore[assignment]
    return Conventions(order, currency or None)


def packs(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Which pages to understand together: of like length, so that no short one is padded to a long one's."""
    pack: list[int] = []
    for at in sorted(range(len(lengths)), key=lambda at: lengths[at]):
        if pack and (len(pack) + 1) * lengths[at] > PIECES_AT_ONCE:
            yield pack
            pack = []
        pack.append(at)
    if pack:
        yield pack
