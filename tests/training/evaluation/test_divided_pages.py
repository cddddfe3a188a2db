"""Measurement of group=auto on sheets with several documents."""

import cv2
import numpy as np
import pytest

from training.datasets.pictures import load, save
from training.evaluation.divided_pages import ARRANGEMENTS, SHEET_PX, draw_sheet, draw_sheets, main, measure_divisions

GREYS = (40, 80, 120, 160)


@pytest.fixture
def pictures(tmp_path):
    """Pictures of one grey each, which is also the total of the document."""
    paths = [tmp_path / f"{grey}.png" for grey in GREYS]
    for path, grey in zip(paths, GREYS, strict=True):
        save(np.full((500, 300, 3), grey, np.uint8), path)
    return paths


def seen(file):
    """The greys of the areas on a sheet."""
    sheet = load(file)[..., 0].astype(int)
    return [grey for grey in GREYS if (abs(sheet - grey) < 6).mean() > 0.02]


def document(*totals, needs_review=False, rows=()):
    money = [{"value": {"amount": f"{total}.00", "currency": None}, "needs_review": needs_review} for total in totals]
    fields = dict(zip(("total", "tip"), money, strict=False))
    return {
        "fields": fields | ({"line_items": {"items": [{"fields": {"amount": row}} for row in rows]}} if rows else {})
    }


def test_pictures_lie_apart_on_a_sheet(pictures):
    """As many as the arrangement has, all of them whole."""
    sheets = list(draw_sheets(pictures, 4))

    assert [len(sheet) for sheet in sheets] == [rows * columns for rows, columns in ARRANGEMENTS]
    for sheet in sheets:
        page = draw_sheet(sheet)
        assert page.shape == (*SHEET_PX, 3)
        count, _ = cv2.connectedComponents((page[..., 0] < 250).astype(np.uint8))
        assert count - 1 == len(sheet)
        assert (page[[0, -1]] == 255).all()
        assert (page[:, [0, -1]] == 255).all()


def test_a_document_alone_is_at_its_place_of_the_sheet(pictures):
    """And as large as there."""
    (sheet,) = draw_sheets(pictures, 1)
    together, alone = draw_sheet(sheet), draw_sheet(sheet[:1])

    is_print = alone < 250
    np.testing.assert_array_equal(alone[is_print], together[is_print])


def test_documents_that_are_found_apart_are_right(pictures):
    """In any order."""
    found = measure_divisions(
        draw_sheets(pictures, 4), lambda file: {"documents": [document(grey) for grey in reversed(seen(file))]}
    )

    assert (found.divided_right, found.sheets) == (4, 4)
    assert (found.alone_right, found.alone) == (11, 11)
    assert found.values_equal == found.values == found.accepted == 11
    assert found.accepted_different == 0


def test_a_sheet_that_is_not_divided_is_wrong(pictures):
    """Its values are not compared."""
    found = measure_divisions(draw_sheets(pictures, 4), lambda file: {"documents": [document(seen(file)[0])]})

    assert (found.divided_right, found.sheets, found.alone_right, found.values) == (0, 4, 11, 0)


def test_values_that_differ_are_counted(pictures):
    """With others on the sheet, each has another amount in its row, and a tip. What needs review is not accepted."""

    def extract(file):
        greys = seen(file)
        row, tip = ("1", ()) if len(greys) == 1 else ("2", (5,))
        return {"documents": [document(grey, *tip, needs_review=grey == 40, rows=[{"value": row}]) for grey in greys]}

    found = measure_divisions(draw_sheets(pictures, 4), extract)
    of_40 = sum(40 in (int(one.picture[0, 0, 0]) for one in sheet) for sheet in draw_sheets(pictures, 4))

    assert (found.values, found.values_equal) == (22, 11)  # a total and a row
    assert found.accepted == 33 - 2 * of_40
    assert found.accepted_different == 22 - of_40  # rows and tips


def test_too_few_pictures_are_refused(tmp_path, capsys):
    """The folder has none."""
    with pytest.raises(SystemExit):
        main(["--pictures", str(tmp_path)])
    assert "too few pictures" in capsys.readouterr().err
