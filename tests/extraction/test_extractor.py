"""From pixels to predictions, with the real OCR and a tiny layout network."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from docextract.documents.values import Conventions
from docextract.extraction.extractor import Extractor, batch_by_length
from docextract.extraction.layout.calibration import UNCALIBRATED
from docextract.extraction.layout.network import LayoutTransformer
from docextract.extraction.layout.pieces import hash_ngrams
from docextract.extraction.layout.postprocessing import PredictionBuilder
from docextract.extraction.layout.type_words import BUCKETS, TypeWords, word_buckets
from docextract.extraction.ocr.ppocr import Engine
from docextract.images.geometry import turn_page
from docextract.predictions import OTHER_TYPE, PagePrediction, PredictedValue, TextLine
from docextract.registry import promoted_version
from tests.extraction.conftest import TINY, frame_scores


def draw_page(*rows: str) -> np.ndarray:
    """Draw rows of black print on a white page."""
    page = np.full((60 + 60 * len(rows), 620, 3), 255, np.uint8)
    for at, text in enumerate(rows):
        cv2.putText(page, text, (30, 70 + 60 * at), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (0, 0, 0), 2, cv2.LINE_AA)
    return page


def test_print_is_read_with_its_polygon(extractor):
    """The polygon of a line encloses its pixels."""
    page = draw_page("GRAND TOTAL 12.50")

    (found,) = extractor.extract([page], ["receipt"])

    assert [line.text for line in found.lines] == ["GRAND TOTAL 12.50"]
    (left, top), (right, bottom) = found.lines[0].polygon.min(axis=0), found.lines[0].polygon.max(axis=0)
    ink = np.argwhere(page[..., 0] < 128)
    assert left <= ink[:, 1].min() + 6
    assert right >= ink[:, 1].max() - 6
    assert top <= ink[:, 0].min() + 6
    assert bottom >= ink[:, 0].max() - 6


def test_a_batch_gives_the_same_predictions_as_single_pages(extractor):
    """Batching is for speed only; other pages of the batch do not change a prediction."""
    pages = [draw_page("SHOP ONE", "TOTAL 1.00"), draw_page("SHOP TWO", "TAX 2.00", "SUM 3.00"), draw_page("X")]

    together = extractor.extract(pages, ["receipt"] * 3)
    alone = [extractor.extract([page], ["receipt"])[0] for page in pages]

    assert [[line.text for line in one.lines] for one in together] == [
        [line.text for line in one.lines] for one in alone
    ]
    assert [one.fields.keys() for one in together] == [one.fields.keys() for one in alone]


def test_a_page_without_print_gives_an_empty_prediction(extractor):
    """An empty page in a batch raises no error."""
    blank = np.full((400, 300, 3), 255, np.uint8)

    first, second = extractor.extract([blank, draw_page("TOTAL 1.00")], ["receipt", "receipt"])

    assert (first.fields, first.groups, first.lines) == ({}, {}, ())
    assert second.lines


def test_a_page_without_print_is_of_no_type(tiny):
    """Even if the network would classify it as a receipt."""
    with torch.no_grad():
        tiny.type_head.bias.copy_(torch.tensor([9.0, -9.0]))
    extractor = Extractor(tiny, UNCALIBRATED, reader=None)

    detected, requested = extractor.extract_from_lines([(), ()], ["auto", "receipt"])

    assert (detected.type, detected.type_confidence) == ("other", 1.0)
    assert (requested.type, requested.type_confidence) == ("receipt", 0.0)


def test_a_dense_page_does_not_slow_its_neighbours():
    """It gets a batch of its own; short pages are not padded to its length."""
    assert list(batch_by_length([100, 1000, 120, 0, 110])) == [[3, 0, 4, 2], [1]]
    assert list(batch_by_length([1000] * 4)) == [[0, 1], [2, 3]]
    assert list(batch_by_length([])) == []


def test_no_word_stays_in_memory_after_a_request(tiny, line):
    """The cache that makes training fast would keep words of other people's documents."""
    Extractor(tiny, UNCALIBRATED, reader=None).extract_from_lines([[line("MARTIN 81100")]], ["receipt"])

    assert hash_ngrams.cache_info().currsize == 0


def test_predictions_are_in_the_order_of_the_pages(tiny, line):
    """Batches by length do not change the order."""
    extractor = Extractor(tiny, UNCALIBRATED, reader=None)
    read = [[line(f"PAGE {at} WORD", 0, 30 * row) for row in range(rows)] for at, rows in enumerate([90, 2, 300, 1])]

    found = extractor.extract_from_lines(read, ["receipt"] * 4)

    assert [one.lines[0].text for one in found] == [f"PAGE {at} WORD" for at in range(4)]


ZONE = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")


@pytest.fixture
def uncertain_network():
    """A network that classifies every page as a receipt, with a low probability."""
    torch.manual_seed(0)
    network = LayoutTransformer(replace(TINY, types=("receipt", "passport", "other"))).eval()
    with torch.no_grad():
        network.type_head.weight.zero_()
        network.type_head.bias.copy_(torch.tensor([1.0, 0.0, 0.0]))
    return network


def test_a_valid_zone_decides_the_type_of_an_uncertain_page(uncertain_network, line):
    """Five correct check digits are no coincidence."""
    page = [line(text, 10, 40 * at) for at, text in enumerate(ZONE)]
    extractor = Extractor(uncertain_network, UNCALIBRATED, reader=None)

    found, requested, without = extractor.extract_from_lines([page, page, page[:1]], ["auto", "receipt", "auto"])

    assert (found.type, found.zone is not None) == ("passport", True)
    assert found.type_confidence > 0.9
    assert requested.type == "receipt"
    assert (without.type, without.zone) == ("receipt", None)


class FixedZoneReader:
    """A zone reader that always reads ZONE, and records the pages that it was asked to read."""

    def __init__(self):
        self.pages = []

    def read(self, page, polygons):
        self.pages.append(page)
        return [frame_scores(text) for text in ZONE]

    def read_strips(self, strips):
        return [frame_scores("<" * 44, hidden=range(44)) for _ in strips]


def test_zones_are_read_from_pixels_if_there_are_any(uncertain_network, line):
    """Without pixels, the zone is parsed from the OCR text."""
    lines = [line(text.replace("<<<", "<"), 10, 40 * at) for at, text in enumerate(ZONE)]
    zones, page = FixedZoneReader(), np.zeros((100, 500, 3), np.uint8)
    extractor = Extractor(uncertain_network, UNCALIBRATED, reader=None, zones=zones)

    with_zone, no_zone = extractor.extract_from_lines([lines, [line("TOTAL 1.00")]], ["passport"] * 2, [page, page])
    extractor.extract_from_lines([lines], ["passport"])

    assert with_zone.zone is not None
    assert with_zone.zone.lines == ZONE
    assert no_zone.zone is None
    assert len(zones.pages) == 1  # not for the page without a zone


def test_a_certain_network_overrules_the_zone(uncertain_network, line):
    """A receipt may quote the zone of a passport."""
    page = [line(text, 10, 40 * at) for at, text in enumerate(ZONE)]
    with torch.no_grad():
        uncertain_network.type_head.bias.copy_(torch.tensor([9.0, 0.0, 0.0]))

    (found,) = Extractor(uncertain_network, UNCALIBRATED, reader=None).extract_from_lines([page], ["auto"])

    assert found.type == "receipt"


def test_no_pages_give_no_predictions(extractor):
    """BentoML may dispatch an empty batch."""
    assert extractor.extract([], []) == []


@pytest.mark.parametrize("shape", [(1, 500), (500, 1), (3, 3), (64, 64)])
def test_tiny_pages_do_not_raise(extractor, shape):
    """Whatever rectification cuts out gets a prediction."""
    (found,) = extractor.extract([np.zeros((*shape, 3), np.uint8)], ["receipt"])

    assert found.fields == {}


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_sideways_page_reads_like_an_upright_one(extractor, turns):
    """OCR notices when the quality network is wrong about the rotation."""
    page = draw_page("MOON MART SDN BHD", "DATE 12/03/2018", "GRAND TOTAL 12.50")
    turned = np.ascontiguousarray(np.rot90(page, -turns))

    upright, found = extractor.extract([page, turned], ["receipt", "receipt"])

    assert (upright.quarter_turns, found.quarter_turns) == (0, turns)
    assert [line.text for line in found.lines] == [line.text for line in upright.lines]
    first = found.lines[0].polygon.astype(int)
    ink = turn_page(turned, turns)[first[:, 1].min() : first[:, 1].max(), first[:, 0].min() : first[:, 0].max()]
    assert (ink < 128).mean() > 0.05


def read_page(name, *texts, confidence=0.99):
    """A page of this type with these lines, as `extract` returns it."""
    lines = tuple(
        TextLine(text, np.array([[30, y], [300, y], [300, y + 20], [30, y + 20]], np.float32), 0.99)
        for text, y in zip(texts, range(30, 9999, 40), strict=False)
    )
    return PagePrediction(name, confidence, Conventions(), lines=lines)


def test_the_pages_of_a_document_have_one_type(tiny):
    """A table that goes on belongs to it, although it looks like another paper alone; conditions of sale do not."""
    extractor = Extractor(tiny, UNCALIBRATED, reader=None)
    pages = [
        read_page("receipt", "SHOP ONE", "BREAD 2.00"),
        read_page("other", "MILK 1.00", "OIL 7.00", "SALT 0.50"),
        read_page("other", "Goods may be returned", "with their receipt"),
    ]

    understood = extractor.understand(pages, "auto")

    assert [page.type for page in understood] == ["receipt", "receipt", "other"]


def test_values_of_a_text_layer_that_were_not_compared_are_doubtful(tiny, monkeypatch):
    """A page that was of another type alone had no values to compare, and may have some in its document."""
    extractor = Extractor(tiny, UNCALIBRATED, reader=None)
    read = read_page("receipt", "SHOP ONE", "TOTAL 2.00")
    layer = replace(read, text_source="embedded", text_layer_matches=True)
    compared = replace(layer, compared=(read.lines[1].polygon,))
    total = PredictedValue("TOTAL 2.00", Decimal("2.00"), 0.99, (read.lines[1].polygon,))
    values = replace(read, fields={"total": total}, groups={"line_items": ({"amount": total},)})
    monkeypatch.setattr(PredictionBuilder, "build", lambda self, output, name: values)

    def confidences(page):
        (understood,) = extractor.understand([page], "receipt")
        return understood.fields["total"].confidence, understood.groups["line_items"][0]["amount"].confidence

    assert confidences(read) == confidences(compared) == (0.99, 0.99)
    assert confidences(layer) == (0.5, 0.5)


def test_a_requested_type_is_that_of_every_page(tiny):
    """Whatever was detected."""
    extractor = Extractor(tiny, UNCALIBRATED, reader=None)
    pages = [read_page("receipt", "SHOP ONE", "BREAD 2.00"), read_page("receipt", "TOTAL 2.00")]

    assert [page.type for page in extractor.understand(pages, "receipt")] == ["receipt", "receipt"]
    assert extractor.understand([read_page("other", "A letter")] * 2, "auto")[0].type == "other"


@pytest.mark.parametrize(("bias", "name"), [(0.1, "receipt"), (6.0, "other")])
def test_a_page_is_of_no_type_only_if_that_is_clear(tiny, bias, name):
    """A doubtful page is answered, with a low probability of its type."""
    with torch.no_grad():
        tiny.type_head.weight.zero_()
        tiny.type_head.bias.copy_(torch.tensor([0.0, bias]))
    extractor = Extractor(tiny, UNCALIBRATED, reader=None)

    (found,) = extractor.extract_from_lines([read_page("", "SHOP ONE").lines], ["auto"])

    assert found.type == name
    probabilities = torch.tensor([0.0, bias]).softmax(0).tolist()
    assert found.type_confidence == pytest.approx(probabilities[TINY.types.index(name)], abs=1e-3)


@pytest.mark.parametrize(("price", "order"), [("52,14 SEK", "YMD"), ("52,14 EUR", "DMY")])
def test_swedish_dates_begin_with_the_year(tiny, price, order):
    """Where it has two digits: 21-01-25 is of 2021."""
    with torch.no_grad():
        for head in (tiny.currency_head, tiny.date_order_head):
            head.weight.zero_()
        tiny.currency_head.bias.copy_(torch.tensor([9.0, 0.0, 0.0]))
        tiny.date_order_head.bias.copy_(torch.tensor([9.0, *[0.0] * (len(TINY.date_orders) - 1)]))
    extractor = Extractor(tiny, UNCALIBRATED, reader=None)

    (found,) = extractor.extract_from_lines([read_page("", f"Total {price}").lines], ["receipt"])

    assert found.conventions.date_order == order
    (proven,) = extractor.extract_from_lines([read_page("", f"Total {price}", "13/12/2021").lines], ["receipt"])
    assert proven.conventions.date_order == "DMY"


@pytest.mark.parametrize(
    ("printed", "order", "probabilities"),
    [
        ("03/11/2026", "MDY", {"DMY": 0.1, "MDY": 0.3}),
        ("03/11/26", "YMD", {"DMY": 0.1, "MDY": 0.3, "YMD": 0.6}),
        ("03/13/2026", "MDY", {}),  # proven
    ],
)
def test_the_order_of_dates_is_the_likeliest_that_the_print_may_have(tiny, printed, order, probabilities):
    """With the year behind, it is not YMD, which says nothing of day and month."""
    with torch.no_grad():
        tiny.date_order_head.weight.zero_()
        tiny.date_order_head.bias.copy_(torch.tensor([0.1, 0.3, 0.6]).log())
    extractor = Extractor(tiny, UNCALIBRATED, reader=None)

    (found,) = extractor.extract_from_lines([read_page("", f"Date {printed}").lines], ["receipt"])

    assert found.conventions.date_order == order
    assert found.conventions.date_order_probabilities == pytest.approx(probabilities)


def test_a_gpu_reads_with_the_served_weights(monkeypatch):
    """There all networks run in torch: the recogniser with its trained layers and the language model too."""
    page = np.full((500, 700, 3), 255, np.uint8)
    for number, text in enumerate(["CORNER BAKERY SDN BHD", "25/12/2018 10:30", "TOTAL RM 9.00"]):
        cv2.putText(page, text, (40, 100 + 120 * number), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (0, 0, 0), 2, cv2.LINE_AA)
    folder = promoted_version("extraction", Path(__file__).parents[2] / "models").folder
    lines = {}
    for library in ("openvino", "torch"):
        engine = Engine(1, library, precision="f32")
        monkeypatch.setattr("docextract.extraction.extractor.engine_for", lambda device, threads, engine=engine: engine)
        (prediction,) = Extractor.load(folder, threads=1).extract([page], ["auto"])
        lines[library] = [line.text for line in prediction.lines]

    assert sorted(lines["torch"]) == ["25/12/2018 10:30", "CORNER BAKERY SDN BHD", "TOTAL RM 9.00"]
    assert lines["torch"] == lines["openvino"]


@pytest.mark.parametrize("rows", [120, 220])
def test_a_long_receipt_is_none_of_the_other_papers(line, rows):
    """Most of its rows alone look like another paper to the served network; what is above and below them does not."""
    goods = "Milk,Bread,Butter,Cheese Gouda,Apples Gala,Rice,Pasta Penne,Olive Oil,Coffee Beans,Eggs Free Range".split(
        ","
    )
    head = ["SUPERMERCATO BRILLI", "Via Roma 12", "50123 Firenze FI", "P.IVA 01234567890", "14/03/2026 17:21"]
    prices = [Decimal(45 + 377 * row % 1249) / 100 for row in range(rows)]
    items = [(f"{goods[7 * row % 10]} {100 + 77 * row % 800}g", f"{price:.2f}") for row, price in enumerate(prices)]
    sums = [("TOTALE EURO", f"{sum(prices):.2f}"), ("CARTA", f"{sum(prices):.2f}")]
    lines = [line(text, 0, 30 * at) for at, text in enumerate(head)]
    for at, (name, amount) in enumerate([*items, *sums], len(head) + 1):
        lines += [line(name, 0, 30 * at), line(amount, 500, 30 * at)]
    extractor = Extractor.load(promoted_version("extraction", Path(__file__).parents[2] / "models").folder, threads=1)

    (page,) = extractor.extract_from_lines([lines], ["auto"])

    assert (page.type, len(page.groups["line_items"])) == ("receipt", rows)
    assert page.fields["total"].value == sum(prices)


def test_words_of_other_papers_make_a_page_other(tiny, line):
    """Where the network alone takes it for a receipt."""
    with torch.no_grad():
        tiny.type_head.weight.zero_()
        tiny.type_head.bias.copy_(torch.tensor([2.0, -2.0]))
    weights = np.zeros((BUCKETS, 2), np.float32)
    weights[word_buckets(["Boarding pass"]), 1] = 5.0
    words = TypeWords(tuple(tiny.shape.types), weights, np.zeros(2, np.float32), network=1.0)
    extractor = Extractor(tiny, UNCALIBRATED, reader=None, type_words=words)
    pages = [[line("Boarding pass", 0, 0)], [line("Coffee", 0, 0)]]

    found = extractor.extract_from_lines(pages, ["auto", "auto"])

    assert [page.type for page in found] == [OTHER_TYPE, "receipt"]
