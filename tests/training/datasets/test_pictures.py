"""Tests of reading pictures: as the service reads them."""

from struct import pack

import numpy as np
import pytest
from PIL import Image

from docextract.images.decoding import decode_upload
from docextract.images.limits import DecodingLimits
from training.datasets import pictures


def save_transparent(path):
    pixels = np.zeros((80, 100, 4), np.uint8)
    pixels[20:40, :, 3] = 255
    Image.fromarray(pixels).save(path)


def save_deep(path):
    Image.fromarray((np.arange(80 * 100).reshape(80, 100) * 8).astype(np.uint16)).save(path)


def save_pdf(path):
    Image.new("RGB", (80, 100), "white").save(path, format="PDF")


def save_with_odd_tag(path):
    """A resolution that is text, and a photo that is to be turned."""
    orientation, resolution = pack("<HHIHH", 0x0112, 3, 1, 6, 0), pack("<HHI4s", 0x011A, 2, 4, b"abc")
    exif = b"Exif\0\0II*\0" + pack("<IH", 8, 2) + orientation + resolution + pack("<I", 0)
    pixels = np.arange(80 * 100 * 3).astype(np.uint8).reshape(80, 100, 3)
    Image.fromarray(pixels).save(path, exif=exif)


@pytest.mark.parametrize(
    ("name", "save"),
    [
        ("transparent.png", save_transparent),
        ("deep.png", save_deep),
        ("pdf.jpg", save_pdf),
        ("odd_tag.jpg", save_with_odd_tag),
    ],
)
def test_a_picture_is_read_as_the_service_reads_it(tmp_path, name, save):
    """Transparency is white, sixteen bits are eight, and neither a suffix nor a tag matters."""
    save(tmp_path / name)

    served = decode_upload((tmp_path / name).read_bytes(), DecodingLimits())

    assert np.array_equal(pictures.load(tmp_path / name), served.pages[0].pixels)


def test_cut_outs_may_be_small_and_are_never_enlarged(tmp_path):
    """They are smaller than the service accepts."""
    pictures.save(np.zeros((20, 10, 3), np.uint8), tmp_path / "a.png")

    assert pictures.load(tmp_path / "a.png").shape == (20, 10, 3)
    assert pictures.load(tmp_path / "a.png", longest_px=10).shape == (10, 5, 3)


def test_what_cannot_be_read_is_named(tmp_path):
    """It is one of the many in a folder."""
    (tmp_path / "a.jpg").write_bytes(b"no picture")

    with pytest.raises(OSError, match=r"a\.jpg: The file format"):
        pictures.load(tmp_path / "a.jpg")
