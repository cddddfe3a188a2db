"""Tests of reading Softmatic's receipts."""

import numpy as np
import pytest
from PIL import Image

from training.datasets import softmatic


@pytest.mark.parametrize(
    ("name", "day", "total"),
    [
        ("aldi_02032020_19_02423", "2020-03-02", "24.23"),
        ("lidl_02032020_02_00716_B", "2020-03-02", "7.16"),
        ("mediamarkt_14052020_03900", "2020-05-14", "39.00"),
        ("saturn_08092017_112900", "2017-09-08", "1129.00"),
    ],
)
def test_labels_are_parsed_from_file_names(tmp_path, name, day, total):
    """File names have merchant, day, sometimes the number of items, and cents."""
    Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(tmp_path / f"{name}.jpg")

    (page,) = softmatic.load(tmp_path)

    assert page.fields == {"document_date": day, "total": total}
