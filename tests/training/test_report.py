"""Tests of report.html."""

import base64

import cv2
import numpy as np

from training import report


def test_a_curve_begins_at_its_first_step_and_ends_at_the_last():
    """From left to right, with the greatest value at the top; a later name starts later."""
    rows = [{"step": 50, "values": {"a": 4.0}}, {"step": 100, "values": {"a": 1.0, "b": 2.0}}]

    drawn = report.plot("Loss", rows, lambda row: row["values"])

    assert [(curve.name, curve.points) for curve in drawn.curves] == [
        ("a", "50.0,0.0 100.0,75.0"), ("b", "100.0,50.0"),
    ]  # fmt: skip
    assert (drawn.curves[0].first, drawn.curves[0].last) == (4.0, 1.0)


def test_the_outline_is_drawn_on_the_photo():
    """In its colour, at its place, on the reduced photo."""
    photo = np.full((1000, 500, 3), 30, np.uint8)
    outline = np.array([[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]], np.float32)

    jpeg = np.frombuffer(base64.b64decode(report.thumbnail(photo, outline)), np.uint8)
    shown = cv2.cvtColor(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)

    assert shown.shape[:2] == (report.THUMBNAIL_PX, report.THUMBNAIL_PX // 2)
    green = (shown[..., 1] > 120) & (shown[..., 0] < 90)
    assert green[180, 34:39].any()
    assert not green[150:210, 60:120].any()


def test_wrong_rows_are_highlighted_and_text_is_escaped(tmp_path):
    """Text from a document cannot become HTML of the report."""
    rows = [report.Row(("total", "9.00", None, 0.5), wrong=True), report.Row(("<script>", "x", "x", 0.25))]
    table = report.ReportTable(("field", "labelled", "found", "confidence"), rows)

    report.write_report(
        tmp_path / "report.html",
        report.Report("Training", ["4 steps."], [], {"Pages": table}, [report.ReportSample("001", "", table)]),
    )

    html = (tmp_path / "report.html").read_text()
    assert html.count('<tr class="wrong"><td>total<td>9.00<td>–<td>0.500</tr>') == 2
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
