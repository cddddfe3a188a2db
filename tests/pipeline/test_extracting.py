"""The page that the extraction model receives of a photo or scan, and the way back to its places."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from docextract.documents.values import Conventions
from docextract.images.decoder import PreparedPage
from docextract.images.geometry import project, take_glimpse, turned_to_page
from docextract.images.uploads import EmbeddedLine
from docextract.pipeline.cutting import CutPage, cut_parts, whole_photo
from docextract.pipeline.decoding import Photo
from docextract.pipeline.extracting import extract_documents
from docextract.predictions import Assessment, PagePrediction, TextLine

WIDTH, HEIGHT = 1600, 2200
PRINT = np.array([[700, 900], [1000, 1100]], np.float32)  # px of the sheet: left top, right bottom

UNSEEN = Assessment(0.0, None, 0.0, None, None, 0, {})


def _extracted(source):
    """Extract a sheet with a small document, in which no outline was detected."""
    sheet = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    cv2.rectangle(sheet, PRINT[0].astype(int).tolist(), PRINT[1].astype(int).tolist(), (0, 0, 0), 4)
    photo = Photo(0, PreparedPage(1, source, WIDTH, HEIGHT, take_glimpse(sheet), sheet, blank=False))

    async def extract(tasks):
        return [PagePrediction("receipt", 0.9, Conventions()) for _ in tasks]

    models = SimpleNamespace(extract=extract)
    return asyncio.run(extract_documents([photo], [UNSEEN], "auto", "file", models))[0][0]


@pytest.mark.parametrize(("source", "is_cut"), [("scan", True), ("photo", False)])
def test_a_small_document_is_cut_out_of_its_sheet(source, is_cut):
    """Its values have their places on the sheet. Of a photo the margins are no blank paper."""
    extracted = _extracted(source)
    dark = np.argwhere(extracted.page.min(axis=2) < 100)[:, ::-1]
    corners = np.stack([dark.min(axis=0), dark.max(axis=0)]).astype(np.float32)

    assert (max(extracted.page.shape) < HEIGHT / 2) == is_cut
    np.testing.assert_allclose(project(corners, extracted.to_photo) * [WIDTH, HEIGHT], PRINT, atol=4)


def _line(text, x, y):
    polygon = np.array([[x, y], [x + 300, y], [x + 300, y + 40], [x, y + 40]], np.float32)
    return TextLine(text, polygon, 0.9)


LEFT = (_line("Corner Bakery", 100, 200), _line("TOTAL 9.75", 100, 1900))
RIGHT = (_line("Northern Tools", 900, 200), _line("TOTAL 29.79", 900, 1900))


def _sheet(lines=()):
    """A page of 1,600 x 2,200 px with two black lines on the left and two on the right."""
    sheet = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    for line in LEFT + RIGHT:
        cv2.fillConvexPoly(sheet, line.polygon.astype(int), (0, 0, 0))
    return Photo(0, PreparedPage(1, "scan", WIDTH, HEIGHT, take_glimpse(sheet), sheet, blank=False, lines=lines))


class Dividing:
    """Finds two documents on every whole page, and `more` in each of their parts."""

    def __init__(self, more=()):
        self.more, self.tasks = more, []

    async def extract(self, tasks):
        self.tasks += tasks
        return [
            PagePrediction("receipt", 0.9, Conventions(), lines=LEFT + RIGHT, parts=(LEFT, RIGHT))
            if max(task.page.shape) == HEIGHT
            else PagePrediction("receipt", 0.9, Conventions(), lines=LEFT, parts=self.more)
            for task in tasks
        ]


def _documents(models, grouping="auto", photos=None):
    photos = photos or [_sheet()]
    return asyncio.run(extract_documents(photos, [UNSEEN] * len(photos), "auto", grouping, models))


def test_documents_on_one_page_are_extracted_apart():
    """Each has its own print alone, and its places on the page; the page beside it stays as it is."""
    documents = _documents(models := Dividing())

    assert [[page.image for page in document] for document in documents] == [[0], [0]]
    for (page,), lines in zip(documents, (LEFT, RIGHT), strict=True):
        dark = np.argwhere(page.page.max(axis=2) < 100)[:, ::-1]
        corners = np.stack([dark.min(axis=0), dark.max(axis=0)]).astype(np.float32)
        printed = np.stack([lines[0].polygon[0], lines[1].polygon[2]])
        np.testing.assert_allclose(project(corners, page.to_photo) * [WIDTH, HEIGHT], printed, atol=4)
    assert len(models.tasks) == 3


@pytest.mark.parametrize("grouping", ["file", "page", "request"])
def test_a_page_is_divided_only_where_documents_are_to_be_found(grouping):
    """The caller has said what one document is."""
    ((page,),) = _documents(models := Dividing(), grouping)

    assert page.prediction.parts
    assert len(models.tasks) == 1


def _documents_of_photo(models, score):
    """Extract a photo on whose left half an outline was detected. score: that it shows one document."""
    left = np.array([[0.05, 0.05], [0.3, 0.05], [0.3, 0.95], [0.05, 0.95]], np.float32)
    seen = Assessment(0.97, "receipt", 0.9, "front", left, 0, {"multiple_documents": score})
    photo = replace(_sheet(), page=replace(_sheet().page, source="photo"))
    return asyncio.run(extract_documents([photo], [seen], "auto", "auto", models))


@pytest.mark.parametrize(("score", "count"), [(0.4, 2), (0.9, 1)])
def test_a_photo_that_may_show_several_documents_is_divided_as_a_whole(score, count):
    """The outline that was detected is that of one of them."""
    documents = _documents_of_photo(Dividing(), score)

    assert len(documents) == count


def test_a_photo_that_cannot_be_divided_is_read_by_its_outline():
    """Although it may show several documents."""

    class Whole(Dividing):
        async def extract(self, tasks):
            return [replace(one, parts=()) for one in await super().extract(tasks)]

    ((page,),) = _documents_of_photo(Whole(), 0.1)

    assert page.page.shape[1] < WIDTH / 2


def test_other_pages_keep_their_places_and_documents():
    """The answer has the documents of a divided page between those of the pages before and after it."""
    small = np.full((800, 600, 3), 255, np.uint8)
    before = Photo(0, PreparedPage(1, "scan", 600, 800, take_glimpse(small), small, blank=False))

    documents = _documents(Dividing(), photos=[before, _sheet(), before])

    assert [[page.image for page in document] for document in documents] == [[0], [1], [1], [2]]


def test_parts_that_are_divided_again_come_to_an_end():
    """At most eight documents: a page is divided three times."""
    assert len(_documents(Dividing(more=(LEFT[:1], LEFT[1:])))) == 8


@pytest.mark.parametrize("has_layer", [False, True])
def test_a_part_of_a_part_has_nothing_of_the_documents_cut_off_before(has_layer):
    """Of three columns, the first is cut off, and then the second, in whose margin the first one is."""
    columns = [[_line(name, 60 + 400 * at, 200 + 120 * row) for row in range(16)] for at, name in enumerate("ABC")]
    sheet = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    for column, colour in zip(columns, ((200, 0, 0), (0, 0, 0), (0, 0, 0)), strict=True):
        for line in column:
            cv2.fillConvexPoly(sheet, line.polygon.astype(int), colour)
    lines = [line for column in columns for line in column] if has_layer else []
    layer = [EmbeddedLine(line.text, line.polygon, (0.0, 1.0)) for line in lines]
    photo = Photo(
        0, PreparedPage(1, "scan", WIDTH, HEIGHT, take_glimpse(sheet), sheet, blank=False, lines=tuple(layer))
    )
    whole = CutPage(0, sheet, np.diag([1 / WIDTH, 1 / HEIGHT, 1.0]), tuple(lines))

    def divide(cut, *parts):
        """Divide a page by lines of the sheet."""
        to_page = np.linalg.inv(np.diag([WIDTH, HEIGHT, 1.0]) @ cut.to_photo)
        on_page = tuple(tuple(replace(line, polygon=project(line.polygon, to_page)) for line in part) for part in parts)
        return list(cut_parts(cut, PagePrediction("receipt", 0.9, Conventions(), parts=on_page), photo))

    first, rest = divide(whole, columns[0], columns[1] + columns[2])
    second, third = divide(rest, columns[1], columns[2])

    assert [_red_share(one.page) > 0.001 for one in (first, rest, second, third)] == [True, False, False, False]
    assert ["".join(sorted({line.text for line in one.lines})) for one in (first, second, third)] == (
        ["A", "B", "C"] if has_layer else [""] * 3
    )


def test_print_of_a_part_of_a_long_page_is_not_reduced():
    """Of two till rolls beside each other: the whole page has the shorter side that its print needs."""
    roll = np.full((9000, 1100, 3), 255, np.uint8)
    photo = Photo(0, PreparedPage(1, "scan", 1100, 9000, take_glimpse(roll), roll, blank=False))
    whole = whole_photo(0, photo)
    left, right = ([_line("9.75", x, 50 + 200 * row) for row in range(22)] for x in (20, 240))

    (part, _) = cut_parts(
        whole, PagePrediction("receipt", 0.9, Conventions(), parts=(tuple(left), tuple(right))), photo
    )

    to_part = np.linalg.inv(part.to_photo) @ whole.to_photo
    top, bottom = project(left[0].polygon[[0, 3]], to_part)[:, 1]
    assert bottom - top == pytest.approx(40, abs=0.5)


def _red_share(page):
    return (page[..., 0].astype(int) - page[..., 1] > 100).mean()


@pytest.mark.parametrize("quarter_turns", [1, 2, 3])
def test_parts_of_a_turned_page_are_cut_out_where_they_are(quarter_turns):
    """The model has turned the page, and its lines are on that; parts and their text layer are upright."""
    upright = _sheet().page.pixels
    turned = np.ascontiguousarray(np.rot90(upright, -quarter_turns))
    height, width = turned.shape[:2]
    to_turned = turned_to_page(quarter_turns, width, height)
    layer = tuple(EmbeddedLine(one.text, project(one.polygon, to_turned), (0.0, 1.0)) for one in LEFT + RIGHT)
    photo = Photo(0, PreparedPage(1, "scan", width, height, take_glimpse(turned), turned, blank=False, lines=layer))
    found = PagePrediction("receipt", 0.9, Conventions(), parts=(LEFT, RIGHT), quarter_turns=quarter_turns)

    for part, lines in zip(cut_parts(whole_photo(0, photo), found, photo), (LEFT, RIGHT), strict=True):
        assert [line.text for line in part.lines] == [line.text for line in lines]
        for line in part.lines:
            x, y = line.polygon.mean(axis=0).round().astype(int)
            assert part.page[y, x].max() < 100
            left_top, right_top = line.polygon[:2]
            np.testing.assert_allclose((right_top - left_top)[1], 0, atol=0.1)
            assert right_top[0] > left_top[0]


def test_a_request_cannot_cost_any_number_of_extractions():
    """Of 20 pages with several documents each, all are divided once; their parts say that they have several."""
    models = Dividing(more=(LEFT[:1], LEFT[1:]))

    documents = _documents(models, photos=[_sheet()] * 20)

    assert len(documents) == 40
    assert len(models.tasks) == 60
    assert all(page.prediction.parts for (page,) in documents)


def test_each_part_has_its_own_lines_of_the_text_layer():
    """Where they are on its page, also those that are struck out."""
    struck = _line("was 12.00", 120, 400)
    layer = tuple(EmbeddedLine(line.text, line.polygon, (0.0, 1.0), line is struck) for line in (*LEFT, struck, *RIGHT))

    _, left, right = _tasks_with(layer)

    assert [(line.text, line.is_struck) for line in left.lines] == [
        ("Corner Bakery", False), ("TOTAL 9.75", False), ("was 12.00", True)
    ]  # fmt: skip
    assert [line.text for line in right.lines] == ["Northern Tools", "TOTAL 29.79"]
    x, y = right.lines[1].polygon.mean(axis=0).round().astype(int)
    assert right.page[y, x].max() < 100


def test_a_struck_line_of_another_part_is_covered():
    """It is in no part, and would be read in the margin of the other one as print that the layer lacks."""
    corners = np.array([[460, 400], [830, 400], [830, 440], [460, 440]], np.float32)  # in the margins of both
    struck = TextLine("was 12.00", corners, 1.0)
    layer = tuple(EmbeddedLine(line.text, line.polygon, (0.0, 1.0), line is struck) for line in (*LEFT, struck, *RIGHT))
    photo = _sheet(layer)
    cv2.fillConvexPoly(photo.page.pixels, struck.polygon.astype(int), (200, 0, 0))

    _documents(models := Dividing(), photos=[photo])

    assert [_red_share(task.page) > 0.001 for task in models.tasks] == [True, True, False]


def _tasks_with(layer):
    _documents(models := Dividing(), photos=[_sheet(layer)])
    return models.tasks
