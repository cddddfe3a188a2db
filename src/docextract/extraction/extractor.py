"""Pages in, found values out: read, understand, calibrate."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from docextract.documents import register_types
from docextract.documents.base import DocumentType
from docextract.documents.values import Conventions, DateOrder
from docextract.extraction.layout.calibration import UNCALIBRATED, Calibration
from docextract.extraction.layout.network import LayoutShape, LayoutTransformer, collate_pages
from docextract.extraction.layout.pieces import PieceSequence, ngrams, split_into_pieces
from docextract.extraction.layout.postprocessing import LayoutOutput, PredictionBuilder
from docextract.extraction.layout.spans import Candidates, LabelProbabilities
from docextract.extraction.ocr.reading import Reader
from docextract.extraction.zones.network import ZoneReader
from docextract.extraction.zones.search import ZoneRefiner
from docextract.images.geometry import Page
from docextract.predictions import PagePrediction, TextLine

# With padding. Together, eight pages of 1000 pieces took 800 MB and were no faster than one after the other; and
# seven receipts of 150 beside one of them took 7.8 s instead of 0.7 (4 layers, one core, 2026-11-20).
MAX_PIECES_PER_BATCH = 2000
SURE_CURRENCY = 0.9  # below this probability the currency is left open


class Extractor:
    """The reader and one version of the layout transformer."""

    def __init__(
        self, network: LayoutTransformer, calibration: Calibration, reader: Reader, zones: ZoneReader | None = None
    ) -> None:
        """zones: reads machine-readable zones; without, they are what the reader says."""
        self._zones = zones
        self._network = network.eval()
        self._finder = PredictionBuilder(network.shape.types, network.shape.fields, calibration)
        self.reader = reader

    @classmethod
    def load(cls, folder: Path, device: str = "cpu", threads: int | None = None) -> "Extractor":
        """From model.safetensors, config.json and calibration.json in a folder.

        Where they are there, zones.safetensors brings a reader of machine-readable zones, reader.safetensors what the
        reader of print learned anew, and language.safetensors what lines are likely to say.

        threads: as many as torch uses.

        Types that are described beside them, in types/*.toml, are known from then on.
        """
        register_types(folder)
        config = json.loads((folder / "config.json").read_text())
        network = LayoutTransformer(LayoutShape.from_json(config["shape"]))
        network.load_state_dict({name: part.float() for name, part in load_file(folder / "model.safetensors").items()})
        fitted = folder / "calibration.json"
        calibration = Calibration(**json.loads(fitted.read_text())) if fitted.exists() else UNCALIBRATED
        reader = Reader.load(folder, threads or torch.get_num_threads(), cuda=device != "cpu")
        return cls(network.to(device), calibration, reader, ZoneReader.load(folder, device))

    def extract(self, pages: Sequence[Page], document_types: Sequence[str]) -> list[PagePrediction]:
        """Answer for each page, in the order given. document_types: a type's name or "auto" for each page."""
        return self.extract_from_lines(self.reader.read(pages), document_types, pages)

    @property
    def types(self) -> tuple[str, ...]:
        """What a page can be taken for, "other" included."""
        return self._finder.types

    def extract_from_lines(
        self, read: Sequence[Sequence[TextLine]], document_types: Sequence[str], pages: Sequence[Page] = ()
    ) -> list[PagePrediction]:
        """The same for pages that have been read already. pages: for a closer look at machine-readable zones."""
        views = self._views(read)
        if self._zones and pages:
            zones = self._zones
            views = [replace(view, closer=ZoneRefiner(page, zones)) for view, page in zip(views, pages, strict=True)]
        return [self._finder.found(view, wanted) for view, wanted in zip(views, document_types, strict=True)]

    def candidates(self, kind: DocumentType, lines: Sequence[TextLine]) -> Candidates:
        """What calibration is fitted to."""
        return self._finder.candidates(kind, self._views([lines])[0])

    def _views(self, read: Sequence[Sequence[TextLine]]) -> list[LayoutOutput]:
        ordered = [split_into_pieces(lines) for lines in read]
        views: dict[int, LayoutOutput] = {}
        for pack in batch_by_length([len(page.pieces) for _, page in ordered]):
            views |= zip(pack, self._look([ordered[at] for at in pack]), strict=True)
        ngrams.cache_clear()  # it would keep the words of the last thousand documents; nothing that is sent is kept
        return [views[at] for at in range(len(ordered))]

    def _look(self, ordered: Sequence[tuple[tuple[TextLine, ...], PieceSequence]]) -> list[LayoutOutput]:
        """The network's view of pages that are understood together; at least one."""
        device = next(self._network.parameters()).device
        with torch.inference_mode():
            logits = self._network(collate_pages([page for _, page in ordered]).to(device))
        parts = zip(
            logits.labels.softmax(-1).cpu().numpy(), logits.row_starts.sigmoid().cpu().numpy(),
            logits.type.softmax(-1).cpu().numpy(), logits.currency.softmax(-1).cpu().numpy(),
            logits.date_order.softmax(-1).cpu().numpy(), strict=True,
        )  # fmt: skip
        shape = self._network.shape
        return [
            LayoutOutput(
                lines, page.pieces, LabelProbabilities(labels[: len(page.pieces)], starts[: len(page.pieces)]),
                types, _conventions(shape, currencies, orders),
            )
            for (lines, page), (labels, starts, types, currencies, orders) in zip(ordered, parts, strict=True)
        ]  # fmt: skip


def _conventions(shape: LayoutShape, currencies: NDArray[np.float32], orders: NDArray[np.float32]) -> Conventions:
    currency = shape.currencies[int(currencies.argmax())] if currencies.max() >= SURE_CURRENCY else ""
    order: DateOrder = shape.date_orders[int(orders.argmax())]  # type: ignore[assignment]
    return Conventions(order, currency or None)


def batch_by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Which pages to understand together: of like length, so that no short one is padded to a long one's."""
    pack: list[int] = []
    for at in sorted(range(len(lengths)), key=lambda at: lengths[at]):
        if pack and (len(pack) + 1) * lengths[at] > MAX_PIECES_PER_BATCH:
            yield pack
            pack = []
        pack.append(at)
    if pack:
        yield pack
