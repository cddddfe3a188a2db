"""Tests of reading exports of Label Studio."""

import json

import pytest

from training.datasets import label_studio


@pytest.fixture
def export(tmp_path):
    """Write an export with one picture next to it; the test supplies the tasks."""
    (tmp_path / "1.jpg").write_bytes(b"not opened here")

    def write(*tasks, names='type = "receipt"'):
        (tmp_path / "export.json").write_text(json.dumps(tasks))
        (tmp_path / "fields.toml").write_text(names)
        return tmp_path / "export.json"

    return write


def box(label, text, x=10.0, y=20.0, width=30.0, height=5.0, id_=None, **more):
    """The two results that form one region: a labelled rectangle and its transcription."""
    frame = {"x": x, "y": y, "width": width, "height": height, "rotation": 0, **more.pop("value", {})}
    about = {
        "id": id_ or f"{label}{x}{y}",
        "original_width": 1000,
        "original_height": 2000,
        "image_rotation": 0,
        **more,
    }
    results = [{**about, "type": "rectanglelabels", "value": {**frame, "rectanglelabels": [label]}}]
    if text is not None:
        results.append({**about, "type": "textarea", "value": {**frame, "text": [text]}})
    return results


def task(*results, image="/data/upload/7/1.jpg", **more):
    """One annotated picture."""
    annotation = {"result": [one for result in results for one in result], "was_cancelled": False}
    return {"id": 5, "data": {"image": image}, "annotations": [annotation], **more}


def test_regions_are_fields_with_their_places(export):
    """A region gives the field, its text and its place."""
    (page,), unusable = label_studio.load(export(task(box("total", "RM 9.00"), box("document_date", "25/12/2018"))))

    assert unusable == []
    assert (page.type, page.source) == ("receipt", "export.json:1")
    assert page.fields == {"total": "9.00", "document_date": "2018-12-25"}
    (outline,) = page.places["total"]
    assert [x for point in outline for x in point] == pytest.approx([0.1, 0.2, 0.4, 0.2, 0.4, 0.25, 0.1, 0.25])


def test_an_export_may_begin_with_a_byte_order_mark(export):
    """Some editors on Windows write one."""
    path = export(task(box("total", "9.00")))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())

    assert len(label_studio.load(path).pages) == 1


def test_files_of_every_kind_are_found_by_their_names(export, tmp_path):
    """All that the service reads, and under a key of the task that is named otherwise."""
    (tmp_path / "scans").mkdir()
    (tmp_path / "scans" / "2.tif").write_bytes(b"not opened here")
    one = task(box("total", "9.00")) | {"data": {"scan": "/data/upload/7/0a1b2c3d-2.tif"}}

    (page,), _ = label_studio.load(export(one))

    assert page.image == tmp_path / "scans" / "2.tif"


def test_the_ocr_template_is_supported(export):
    """In the OCR template, shape, label and text are three results with one id."""
    about = {"id": "a", "original_width": 1000, "original_height": 2000}
    points = {"points": [[10, 20], [40, 21], [39, 26]]}
    results = [
        {**about, "type": "polygon", "value": points},
        {**about, "type": "labels", "value": {**points, "labels": ["total"]}},
        {**about, "type": "textarea", "value": {**points, "text": "9.00"}},
    ]

    (page,), _ = label_studio.load(export(task(results)))

    assert page.fields == {"total": "9.00"}
    assert page.places == {"total": (((0.1, 0.2), (0.4, 0.21), (0.39, 0.26)),)}


def test_a_rotated_rectangle_stays_a_rectangle(export):
    """It is rotated around its top-left corner in pixels: percentages of width and height have different scales."""
    turned = box("total", "9.00", x=50, y=20, width=30, height=5, value={"rotation": 90})

    (page,), _ = label_studio.load(export(task(turned)))

    # 300 x 100 px at (500, 400) of 1000 x 2000: a quarter turn clockwise goes 300 px down and 100 px to the left.
    (outline,) = page.places["total"]
    assert [x for point in outline for x in point] == pytest.approx([0.5, 0.2, 0.5, 0.35, 0.4, 0.35, 0.4, 0.2])


def test_a_rotated_picture_has_values_without_places(export):
    """No place is better than a wrong one."""
    (page,), _ = label_studio.load(export(task(box("total", "9.00", image_rotation=90))))

    assert (page.fields, page.places) == ({"total": "9.00"}, {})


def test_a_polygon_of_two_points_has_a_value_without_a_place(export):
    """A labelled folder refuses such an outline."""
    about = {"id": "a", "original_width": 1000, "original_height": 2000, "image_rotation": 0}
    line = {"points": [[10, 20], [40, 21]]}
    drawn = [
        {**about, "type": "polygonlabels", "value": {**line, "polygonlabels": ["total"]}},
        {**about, "type": "textarea", "value": {**line, "text": ["9.00"]}},
    ]

    (page,), _ = label_studio.load(export(task(drawn)))

    assert (page.fields, page.places) == ({"total": "9.00"}, {})


def test_a_choice_is_the_document_type(export):
    """In the annotator's words, which fields.toml translates."""
    choice = [{"id": "c", "type": "choices", "value": {"choices": ["Kassenbon"]}}]

    (page,), _ = label_studio.load(export(task(choice, box("total", "9.00")), names='[types]\nKassenbon = "receipt"'))

    assert page.type == "receipt"


def test_texts_for_the_whole_picture_name_their_field(export):
    """For annotations without regions: one text box per field, named as the field."""
    typed = [{"id": "t", "type": "textarea", "from_name": "total", "value": {"text": ["9.00"]}}]

    (page,), _ = label_studio.load(export(task(typed)))

    assert (page.fields, page.places) == ({"total": "9.00"}, {})


def test_regions_side_by_side_are_one_row(export):
    """In whatever order they were drawn."""
    name, price = "line_items.description", "line_items.amount"
    drawn = [
        box(price, "3.40", 60, 31),
        box(name, "TEA", 10, 20),
        box(name, "CAKE", 10, 30),
        box(price, "1.20", 60, 21),
    ]

    (page,), _ = label_studio.load(export(task(*drawn)))

    assert page.fields == {
        "line_items": [
            {"description": "TEA", "amount": "1.20"},
            {"description": "CAKE", "amount": "3.40"},
        ]
    }


def test_parts_of_a_text_are_joined_from_top_to_bottom(export):
    """An address on two lines is one address with two places."""
    parts = [box("merchant_address", "50000 KL", 10, 30), box("merchant_address", "12 JALAN RAJA", 10, 20)]

    (page,), _ = label_studio.load(export(task(*parts)))

    assert page.fields == {"merchant_address": "12 JALAN RAJA 50000 KL"}
    assert len(page.places["merchant_address"]) == 2


def test_an_amount_marked_twice_is_one_amount_in_two_places(export):
    """Both places are right if both texts have the same value."""
    twice = [box("total", "9.00", y=20), box("total", "RM9.00", y=80)]

    (page,), _ = label_studio.load(export(task(*twice)))

    assert (page.fields, len(page.places["total"])) == ({"total": "9.00"}, 2)


def test_ground_truth_then_the_latest_annotation_is_taken(export):
    """Not a cancelled one or a prediction; the later of two, but first of all the one marked as ground truth."""

    def annotation(total, day, **more):
        return {"result": box("total", total), "updated_at": f"2026-01-{day}T00:00:00Z", **more}

    made = [annotation("1.00", "03"), annotation("2.00", "05"), annotation("3.00", "09", was_cancelled=True)]
    latest = task(annotations=made, predictions=[annotation("4.00", "10")])
    truth = task(annotations=[*made, annotation("5.00", "01", ground_truth=True)])

    pages, _ = label_studio.load(export(latest, truth))

    assert [page.fields["total"] for page in pages] == ["2.00", "5.00"]


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("/data/upload/7/photo%201.jpg", "photo 1.jpg"),
        ("/data/upload/7/0123abcd-photo.jpg", "images/photo.jpg"),
        ("/data/upload/7/0123abcd-photo.jpg", "media/0123abcd-photo.jpg"),
        ("/data/local-files/?d=scans/may/photo.jpg", "may/photo.jpg"),
        ("https://example.org/a/photo.jpg?token=1", "photo.jpg"),
        ("s3://bucket/may/photo.jpg", "may/photo.jpg"),
        (r"C:\scans\photo.jpg", "photo.jpg"),
        ("../../photo.jpg", "photo.jpg"),
    ],
)
def test_pictures_are_found_next_to_the_export(export, tmp_path, path, file):
    """Whatever path the server used for them."""
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_bytes(b"not opened here")

    (page,), _ = label_studio.load(export(task(box("total", "9.00"), image=path)))

    assert page.image == tmp_path / file


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (task(box("total", "9.00"), image="/data/upload/7/2.jpg"), "no picture of that name"),
        (task(box("total", None)), "has no transcription"),
        (task(box("totals", "9.00")), "no field 'totals'"),
        (task(box("total", "9.00", y=20), box("total", "8.00", y=80)), "total is both '9.00' and '8.00'"),
        (task(annotations=[]), "task 5 is not annotated"),
        (task(annotations=[{"result": [], "was_cancelled": True}]), "was skipped"),
        (task([{"type": "choices", "value": {}}]), "is not as Label Studio writes it"),
        ({**task(box("total", "9.00")), "data": {"text": "no picture"}}, "names no picture"),
    ],
)
def test_an_unusable_task_says_why(export, bad, reason):
    """The reason is reported, and other tasks are not affected."""
    (page,), (unusable,) = label_studio.load(export(task(box("total", "9.00")), bad))

    assert page.row == 1
    assert unusable.source == "export.json:2"
    assert reason in unusable.reason


def test_two_pictures_of_one_name_are_an_error(export, tmp_path):
    """Labels on the wrong picture are worse than no labels."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "2.jpg").write_bytes(b"")

    _, (unusable,) = label_studio.load(export(task(box("total", "9.00"), image="/data/upload/7/2.jpg")))

    assert "there are 2 pictures of that name" in unusable.reason


@pytest.mark.parametrize("text", ["{", "{}", '[{"image": "/data/upload/1.jpg", "label": []}]'])
def test_other_json_is_refused(tmp_path, text):
    """Also JSON-MIN, which does not say which text belongs to which region."""
    (tmp_path / "export.json").write_text(text)

    with pytest.raises(ValueError, match=r"export\.json"):
        label_studio.load(tmp_path / "export.json")
