"""The served extraction model: OCR, layout network, machine-readable zones and calibrated confidences."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from docextract.documents import document_types, register_types
from docextract.documents.amounts import find_amounts, proven_decimal_mark
from docextract.documents.base import MRZ, DocumentType
from docextract.documents.currencies import find_currency
from docextract.documents.dates import YEAR_BEHIND, are_years_behind, proven_date_order
from docextract.documents.values import Conventions, DateOrder
from docextract.extraction.layout.calibration import UNCALIBRATED, Calibration
from docextract.extraction.layout.candidates import Candidates
from docextract.extraction.layout.labels import LabelProbabilities
from docextract.extraction.layout.network import LayoutShape, LayoutTransformer, collate_pages
from docextract.extraction.layout.pieces import PieceSequence, hash_ngrams, relate_amounts, split_off_ends, split_page
from docextract.extraction.layout.postprocessing import LayoutOutput, PredictionBuilder
from docextract.extraction.layout.type_words import TypeWords
from docextract.extraction.ocr import embedded_text
from docextract.extraction.ocr.embedded_text import Agreement
from docextract.extraction.ocr.ppocr import engine_for
from docextract.extraction.ocr.reading import Reader
from docextract.extraction.ocr.upright import turn_upright
from docextract.extraction.several_documents import are_different_documents, find_divisions, is_document
from docextract.extraction.zones.network import ZoneReader
from docextract.extraction.zones.search import ZoneRefiner
from docextract.images.geometry import Page, size_of, turn_page
from docextract.predictions import AUTO, OTHER_TYPE, PagePrediction, TextLine, common_type

# Including padding. Eight pages of 1000 pieces in one batch took 800 MB and were no faster than one after the other,
# and seven receipts of 150 pieces in a batch with one of them took 7.8 s instead of 0.7 s (4 layers, one core,
# 2026-11-20).
MAX_PIECES_PER_BATCH = 2000
# A page that is `other` stays so in a document of several pages if it has fewer lines with amounts: it has conditions
# of sale, or is an empty reverse side. Tables that go on look like other papers.
MIN_AMOUNT_LINES = 3
MIN_CURRENCY_PROBABILITY = 0.9  # below it the currency is what the print names
PRINTED_CURRENCY_PROBABILITY = 0.7  # of such a currency, before it is calibrated
YEAR_FIRST = frozenset({"SEK"})  # currencies of countries that write two-digit years first


class Extractor:
    """OCR and one version of the layout transformer."""

    uses_text_layers = True

    def __init__(
        self,
        network: LayoutTransformer,
        calibration: Calibration,
        reader: Reader,
        zones: ZoneReader | None = None,
        type_words: TypeWords | None = None,
    ) -> None:
        """zones: reads machine-readable zones; without it, they are read from the OCR text alone.

        type_words: what words say about the type of a page; without it, the network alone tells types.
        """
        self._zones, self._type_words = zones, type_words
        self._network = network.eval()
        self._builder = PredictionBuilder(network.shape.types, network.shape.fields, calibration)
        self.reader = reader

    @classmethod
    def load(cls, folder: Path, device: str = "cpu", threads: int | None = None) -> "Extractor":
        """Load a version from model.safetensors, config.json and calibration.json in a folder.

        Optional files: zones.safetensors (the network for machine-readable zones), reader.safetensors (fine-tuned
        layers of the text recogniser), detector.safetensors (a trained text detector), language.safetensors (the
        language model), type_words.safetensors (types by words), and types/*.toml (document types, which are registered
        for the whole process).

        threads: of the OCR; None for as many as torch uses.
        """
        register_types(folder)
        config = json.loads((folder / "config.json").read_text())
        network = LayoutTransformer(LayoutShape.from_json(config["shape"]))
        tensors = load_file(folder / "model.safetensors")
        network.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
        fitted = folder / "calibration.json"
        calibration = Calibration.load(fitted) if fitted.exists() else UNCALIBRATED
        reader = Reader.load(folder, engine_for(device, threads or torch.get_num_threads()))
        return cls(network.to(device), calibration, reader, ZoneReader.load(folder, device), TypeWords.load(folder))

    def extract(
        self, pages: Sequence[Page], document_types: Sequence[str], text_layers: Sequence[Sequence[TextLine]] = ()
    ) -> list[PagePrediction]:
        """Return one prediction per page, in input order.

        document_types: a type's name or "auto" for each page. text_layers: the text layer of each page, () for pages
        without one; it is used in place of OCR if it agrees with what is visible. What is struck out in it is not read.
        """
        embedded = self._extract_embedded(pages, document_types, text_layers)
        left = [index for index in range(len(pages)) if not (index in embedded and embedded[index].text_layer_matches)]
        read = self.extract_from_lines(
            [
                embedded_text.without_struck(lines, text_layers[index]) if text_layers else lines
                for index, lines in zip(left, self.reader.read([pages[index] for index in left]), strict=True)
            ],
            [document_types[index] for index in left],
            [pages[index] for index in left],
        )
        for index, prediction in zip(left, read, strict=True):
            differs = index in embedded
            embedded[index] = replace(prediction, text_layer_matches=False) if differs else prediction
        predictions = [embedded[index] for index in range(len(pages))]
        return [replace(page, parts=self._find_parts(page.lines)) for page in predictions]

    def _find_parts(self, lines: Sequence[TextLine]) -> tuple[tuple[TextLine, ...], ...]:
        """Return the two parts of a page that are different documents if each is understood alone; () without them."""
        for parts in find_divisions(lines):
            smaller, larger = sorted(parts, key=len)  # most of the smaller ones are no documents, and cost little
            first = self._understand_part(smaller)
            if is_document(first) and are_different_documents(first, self._understand_part(larger)):
                return parts
        return ()

    def _understand_part(self, lines: Sequence[TextLine]) -> PagePrediction:
        (output,) = self._layout_outputs([lines])
        return self._builder.build(output, AUTO)

    def _extract_embedded(
        self, pages: Sequence[Page], document_types: Sequence[str], text_layers: Sequence[Sequence[TextLine]]
    ) -> dict[int, PagePrediction]:
        """Return predictions from text layers that are clearly right or clearly wrong, by index of the page."""
        upright: dict[int, tuple[Page, list[TextLine], int]] = {}  # page, text layer, quarter turns
        lines: dict[int, list[TextLine]] = {}
        for index, found in enumerate(text_layers):
            with_struck, quarter_turns = turn_upright(found, size_of(pages[index]))
            page = turn_page(pages[index], quarter_turns)
            layer = [line for line in with_struck if not line.is_struck]
            boxes = embedded_text.find_uncovered_boxes(page, with_struck) if layer else None
            if boxes is not None:
                upright[index] = page, layer, quarter_turns
                lines[index] = [*layer, *embedded_text.outside(self.reader.read_boxes(page, boxes), with_struck)]
        predictions = self._extract_upright(
            list(lines.values()), [document_types[index] for index in lines], [page for page, _, _ in upright.values()]
        )
        embedded: dict[int, PagePrediction] = {}
        for (index, (page, layer, quarter_turns)), prediction in zip(upright.items(), predictions, strict=True):
            # Of a page of no type that may continue a table, values are taken only with the pages before it.
            continues = prediction.type == OTHER_TYPE and not _is_of_no_type(prediction)
            sample = layer if continues else embedded_text.sample_lines(layer, prediction.values())
            agreement = self._compare(page, sample)
            if agreement != "unclear":
                embedded[index] = replace(
                    prediction,
                    quarter_turns=quarter_turns,
                    text_source="embedded",
                    text_layer_matches=agreement == "matches",
                    compared=tuple(line.polygon for line in (*sample, *lines[index][len(layer) :])),
                )
        return embedded

    def _compare(self, page: Page, sample: Sequence[TextLine]) -> Agreement:
        """Compare lines of a text layer with the page."""
        read = self.reader.read_strips(page, [line.polygon for line in sample])
        return embedded_text.compare_page(
            [(line.text, text, confidence) for line, (text, confidence) in zip(sample, read, strict=True)]
        )

    def understand(self, pages: Sequence[PagePrediction], document_type: str) -> tuple[PagePrediction, ...]:
        """Return new predictions for the pages of one document, from their lines; in input order.

        The document has one type. Amounts are compared with those of all pages, so that a total on the last page can be
        the sum of rows on the first. Machine-readable zones are kept, and so are pages that are surely of another kind.
        A value where a text layer was not compared with its page has a low confidence.
        """
        name = document_type if document_type != AUTO else common_type(pages)
        kind = document_types().get(name)
        if kind is None:
            return tuple(pages)
        has_zone = MRZ in kind.record.non_fields
        repeated = [
            index
            for index, page in enumerate(pages)
            if not _is_of_no_type(page) and (page.type != name or not has_zone)
        ]
        outputs = self._layout_outputs([pages[index].lines for index in repeated], one_document=True)
        understood = list(pages)
        for index, output in zip(repeated, outputs, strict=True):
            page, built = pages[index], self._builder.build(output, name)
            if page.text_source == "embedded":
                built = built.with_values(partial(embedded_text.with_doubt, compared=page.compared))
            understood[index] = replace(
                page,
                type=name,
                type_confidence=page.type_confidence if page.type == name else built.type_confidence,
                conventions=built.conventions,
                fields=built.fields,
                groups=built.groups,
                zone=page.zone or built.zone,
            )
        return tuple(understood)

    @property
    def types(self) -> tuple[str, ...]:
        """The types that the network distinguishes, "other" included."""
        return self._builder.types

    def extract_from_lines(
        self, lines: Sequence[Sequence[TextLine]], document_types: Sequence[str], pages: Sequence[Page] = ()
    ) -> list[PagePrediction]:
        """Return one prediction per page, in input order, from the OCR result of each page.

        pages: the pixels, to read machine-readable zones with their own network; optional.
        """
        upright = [turn_upright(some, size) for some, size in zip_longest(lines, map(size_of, pages))]
        turned = [turn_page(page, turns) for page, (_, turns) in zip(pages, upright, strict=False)]
        predictions = self._extract_upright([some for some, _ in upright], document_types, turned)
        return [
            replace(prediction, quarter_turns=turns)
            for prediction, (_, turns) in zip(predictions, upright, strict=True)
        ]

    def _extract_upright(
        self, lines: Sequence[Sequence[TextLine]], document_types: Sequence[str], pages: Sequence[Page]
    ) -> list[PagePrediction]:
        """Return one prediction per page whose print runs to the right. pages: may be empty."""
        outputs = self._layout_outputs(lines)
        if self._zones and pages:
            zones = self._zones
            outputs = [
                replace(output, zone_refiner=ZoneRefiner(page, zones))
                for output, page in zip(outputs, pages, strict=True)
            ]
        return [self._builder.build(output, name) for output, name in zip(outputs, document_types, strict=True)]

    def candidates(self, document_type: DocumentType, pages: Sequence[Sequence[TextLine]]) -> list[Candidates]:
        """Return the candidates of each page of one document, from its lines, to fit the calibration to."""
        outputs = self._layout_outputs([turn_upright(lines)[0] for lines in pages], one_document=True)
        return [self._builder.candidates(document_type, output) for output in outputs]

    def _layout_outputs(self, pages: Sequence[Sequence[TextLine]], one_document: bool = False) -> list[LayoutOutput]:
        """Run the network on pages. one_document: they are consecutive pages of one document."""
        split = [split_page(lines) for lines in pages]
        windows = [(lines, window) for lines, some in split for window in some]
        if one_document:
            relate_amounts([window for _, window in windows])
        found: dict[int, LayoutOutput] = {}
        for batch in batch_by_length([len(window.pieces) for _, window in windows]):
            found |= zip(batch, self._run_network([windows[index] for index in batch]), strict=True)
        outputs = iter([found[index] for index in range(len(windows))])
        is_part = one_document and len(pages) > 1
        joined = [replace(_join_windows([next(outputs) for _ in some]), is_part=is_part) for _, some in split]
        typed = [self._with_types_by_words(self._with_types_of_ends(output)) for output in joined]
        # The cache would keep the words of the last thousand documents; nothing of a request may be kept.
        hash_ngrams.cache_clear()
        return typed

    def _with_types_of_ends(self, output: LayoutOutput) -> LayoutOutput:
        """Return the output for a page that seems to be `other` with the types of its ends, if it is a long list.

        Its middle looks like other papers, and there is more of it in a longer list: of 13 receipts of 90 to 420 rows 7
        seemed to be `other`, and none by their ends. All of 12 price lists, stock counts, packing lists and statements
        of as many rows stayed `other` (2026-11-30).
        """
        if self._builder.types[int(output.types.argmax())] != OTHER_TYPE:
            return output
        ends = split_off_ends(output.lines)
        return replace(output, types=self._run_network([ends])[0].types) if ends else output

    def _with_types_by_words(self, output: LayoutOutput) -> LayoutOutput:
        if self._type_words is None:
            return output
        return replace(output, types=self._type_words.combine(output.types, self._builder.types, output.lines))

    def _run_network(self, pages: Sequence[tuple[tuple[TextLine, ...], PieceSequence]]) -> list[LayoutOutput]:
        """Run the network on one batch of at least one page."""
        device = next(self._network.parameters()).device
        with torch.inference_mode():
            logits = self._network(collate_pages([sequence for _, sequence in pages]).to(device))
        probabilities = zip(
            logits.labels.softmax(-1).cpu().numpy(), logits.row_starts.sigmoid().cpu().numpy(),
            logits.type.softmax(-1).cpu().numpy(), logits.currency.softmax(-1).cpu().numpy(),
            logits.date_order.softmax(-1).cpu().numpy(), strict=True,
        )  # fmt: skip
        shape = self._network.shape
        return [
            LayoutOutput(
                lines, page.pieces, LabelProbabilities(labels[: len(page.pieces)], starts[: len(page.pieces)]),
                types, _conventions(shape, currencies, orders, lines),
            )
            for (lines, page), (labels, starts, types, currencies, orders) in zip(pages, probabilities, strict=True)
        ]  # fmt: skip


def _join_windows(windows: Sequence[LayoutOutput]) -> LayoutOutput:
    """Return the output for a page from those of its windows, each of which counts for its type by its pieces."""
    if len(windows) == 1:
        return windows[0]
    counts = [len(window.pieces) for window in windows]
    conventions = [window.conventions for window in windows]
    return replace(
        windows[0],
        pieces=tuple(piece for window in windows for piece in window.pieces),
        labels=LabelProbabilities(
            np.concatenate([window.labels.labels for window in windows]),
            np.concatenate([window.labels.row_starts for window in windows]),
        ),
        types=np.average([window.types for window in windows], axis=0, weights=counts),
        conventions=next((one for one in conventions if one.currency), conventions[0]),
    )


def _is_of_no_type(page: PagePrediction) -> bool:
    return page.type == OTHER_TYPE and sum(bool(find_amounts(line.text)) for line in page.lines) < MIN_AMOUNT_LINES


def _conventions(
    shape: LayoutShape, currencies: NDArray[np.float32], orders: NDArray[np.float32], lines: Sequence[TextLine]
) -> Conventions:
    """Return how the page writes dates and amounts. Where the network is not sure, the print may name a currency.

    The confidence of the currency is not yet calibrated, and the probabilities of orders are those of the network.
    """
    texts = [line.text for line in lines]
    currency: str | None = shape.currencies[int(currencies.argmax())]
    probability = float(currencies.max())
    if not currency or probability < MIN_CURRENCY_PROBABILITY:
        currency = find_currency(texts)
        probability = PRINTED_CURRENCY_PROBABILITY if currency else 0.0
    probabilities = cast(dict[DateOrder, float], dict(zip(shape.date_orders, orders.tolist(), strict=True)))
    given: DateOrder | None = proven_date_order(texts) or ("YMD" if currency in YEAR_FIRST else None)
    if given:
        probabilities = {}
    elif are_years_behind(texts):  # YMD says nothing of them
        probabilities = {order: one for order, one in probabilities.items() if order in YEAR_BEHIND}
    order: DateOrder = given if given else max(probabilities, key=lambda one: probabilities[one])
    decimal_mark = proven_decimal_mark(texts)
    return Conventions(order, currency, probability, decimal_mark, date_order_probabilities=probabilities)


def batch_by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield batches of page indices with similar lengths, so that no short page is padded to a long one."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: lengths[index]):
        if batch and (len(batch) + 1) * lengths[index] > MAX_PIECES_PER_BATCH:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
