"""Rows of text lines on paper that is not flat."""

from dataclasses import replace

import numpy as np
import pytest

from docextract.extraction.ocr.rows import RowStraightener, in_reading_order, reading_order

ROWS = 14


@pytest.fixture
def table(line):
    """Rows 24 px apart, each with a name, a unit and an amount; every other name is twice as long."""
    return [
        one
        for row in range(ROWS)
        for one in (
            line("DESCRIPTION " * (1 + row % 2), 0, 24 * row),
            line("EACH DELIVERED", 460, 24 * row),
            line(f"{row}.00", 800, 24 * row),
        )
    ]


def sagging(x, y):
    return y + 40 * ((x - 400) / 400) ** 2


def fanning(x, y):
    return y * (1 + 0.08 * x / 800)


def sloping_and_sagging(x, y):
    return sagging(x, y) + 0.1 * x


BENDS = [sagging, fanning, sloping_and_sagging]


def bend_lines(lines, bend):
    def move(points):
        return np.stack([points[:, 0], bend(points[:, 0], points[:, 1])], axis=1).astype(np.float32)

    return [replace(one, polygon=move(one.polygon)) for one in lines]


@pytest.mark.parametrize("bend", BENDS)
def test_rows_of_a_curved_page_stay_rows(table, bend):
    """If the paper curls by more than a row, an amount still follows its own words."""
    lines = bend_lines(table, bend)

    assert [one.text for one in in_reading_order(lines[::-1])] == [one.text for one in table]


@pytest.mark.parametrize("bend", BENDS)
def test_curved_rows_are_straightened(table, bend):
    """The lines of a row are level again, within a fifth of their height."""
    lines = bend_lines(table, bend)

    straight = RowStraightener.fitted([one.polygon for one in lines])(np.stack([one.polygon for one in lines]))

    middles = straight.mean(axis=1)[:, 1].reshape(ROWS, 3)
    assert np.ptp(middles, axis=1).max() < 4
    assert np.diff(middles.mean(axis=1)).min() > 15


def test_a_flat_page_is_not_changed(table):
    """Straight level rows stay where they are."""
    polygons = np.stack([one.polygon for one in table])

    assert RowStraightener.fitted(list(polygons))(polygons) == pytest.approx(polygons, abs=0.5)


def test_rows_of_a_dense_table_are_not_joined():
    """Each amount is a little lower than its words, and almost as close to the row below."""
    row = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    words, units, amounts = (
        (row * (wide, 22) + (left, lower)) for left, wide, lower in ((0, 160, 0), (400, 60, 8), (700, 60, 12))
    )
    table = np.stack([one + (0, 20 * number) for number in range(6) for one in (words, units, amounts)])

    found = reading_order(table[::-1])

    assert [len(table) - 1 - at for at in found] == list(range(len(table)))


def test_a_stamp_does_not_bend_the_rows(table, line):
    """Print in another direction is an outlier."""
    stamp = line("PAID " * 8, 300, 100)
    angle = np.radians(30)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]], np.float32)
    stamp = replace(stamp, polygon=(stamp.polygon - stamp.polygon[0]) @ turn + stamp.polygon[0])
    polygons = np.stack([one.polygon for one in table])

    found = RowStraightener.fitted([*polygons, stamp.polygon])(polygons)

    assert np.ptp(found.mean(axis=1)[:, 1].reshape(ROWS, 3), axis=1).max() < 4


def test_few_lines_are_only_rotated(line):
    """Three lines determine a slope but no curvature."""
    lines = bend_lines([line("A LONG LINE OF PRINT", 0, 30 * at) for at in range(3)], lambda x, y: y + 0.2 * x)

    assert RowStraightener.fitted([one.polygon for one in lines]).bend == pytest.approx(np.zeros(5))
