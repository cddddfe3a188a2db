"""Every picture that can be decoded gets a verdict through the code of the trained network, without a crash."""

import io
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pillow_heif
import pytest
import torch
from PIL import ExifTags, Image
from starlette.testclient import TestClient

from docextract.http.app import create_app
from docextract.quality.assessor import Assessor
from docextract.quality.criteria import CRITERIA
from docextract.quality.network import QualityNetwork
from docextract.settings import Settings
from tests.http.conftest import PlainModels, version
from tests.memory import PeakMemory
from tests.quality.conftest import TINY

RNG = np.random.default_rng(0)
HEIGHT, WIDTH = 300, 200
GREY = RNG.integers(0, 256, (HEIGHT, WIDTH), np.uint8)
COLOUR = RNG.integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)


class Networked(PlainModels):
    """Assesses with a network with random weights; extracts nothing."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self._assessor = Assessor(QualityNetwork(TINY).eval(), {})

    async def assess(self, glimpses):
        return self._assessor.assess(glimpses)


@pytest.fixture(scope="module")
def client():
    """With the default limits."""
    with started() as client:
        yield client


def started() -> TestClient:
    served = {"quality": version("quality"), "extraction": version("extraction")}
    return TestClient(create_app(Networked(), Settings(), served))


def encoded(picture: Image.Image, kind: str, **options) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def frames(mode: str = "RGB") -> list[Image.Image]:
    return [Image.fromarray(COLOUR // (number + 1)).convert(mode) for number in range(3)]


def animated(kind: str, mode: str = "RGB") -> bytes:
    first, *others = frames(mode)
    return encoded(first, kind, save_all=True, append_images=others, duration=40, loop=0)


def heic() -> bytes:
    out = io.BytesIO()
    pillow_heif.from_pillow(Image.fromarray(COLOUR)).save(out)
    return out.getvalue()


def turned() -> Image.Exif:
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    return exif


PALETTE = Image.fromarray(COLOUR).quantize(17)
PICTURES = {
    "all black": encoded(Image.new("RGB", (WIDTH, HEIGHT)), "JPEG"),
    "all white": encoded(Image.new("RGB", (WIDTH, HEIGHT), "white"), "JPEG"),
    "all of one colour": encoded(Image.new("RGB", (WIDTH, HEIGHT), (200, 0, 90)), "PNG"),
    "noise": encoded(Image.fromarray(COLOUR), "PNG"),
    "grey": encoded(Image.fromarray(GREY), "JPEG"),
    "one bit": encoded(Image.fromarray(GREY).convert("1"), "PNG"),
    "one bit, fax": encoded(Image.fromarray(GREY).convert("1"), "TIFF", compression="group4"),
    "transparent throughout": encoded(Image.new("RGBA", (WIDTH, HEIGHT)), "PNG"),
    "half transparent": encoded(Image.fromarray(np.dstack([COLOUR, GREY])), "PNG"),
    "grey and transparent": encoded(Image.fromarray(np.dstack([GREY, GREY])), "PNG"),
    "CMYK": encoded(Image.fromarray(COLOUR).convert("CMYK"), "JPEG"),
    "CMYK TIFF": encoded(Image.fromarray(COLOUR).convert("CMYK"), "TIFF"),
    "Lab": encoded(Image.fromarray(COLOUR).convert("LAB"), "TIFF"),
    "16 bits": encoded(Image.fromarray(GREY.astype(np.uint16) * 257), "PNG"),
    "16 bits TIFF": encoded(Image.fromarray(GREY.astype(np.uint16) * 257), "TIFF"),
    "palette": encoded(PALETTE, "PNG"),
    "palette with a transparent colour": encoded(PALETTE, "PNG", transparency=3),
    "palette BMP": encoded(PALETTE, "BMP"),
    "TIFF of three pages": animated("TIFF"),
    "progressive": encoded(Image.fromarray(COLOUR), "JPEG", progressive=True),
    "HEIC": heic(),
    "as narrow as may be": encoded(Image.fromarray(RNG.integers(0, 256, (2000, 64, 3), np.uint8)), "JPEG"),
    "as flat as may be": encoded(Image.fromarray(RNG.integers(0, 256, (64, 2000, 3), np.uint8)), "JPEG"),
    "the longest strip": encoded(Image.new("L", (64, 10_000), 128), "PNG"),
    "the smallest": encoded(Image.new("RGB", (64, 64), "green"), "PNG"),
    "lying on its side, says EXIF": encoded(Image.fromarray(COLOUR), "JPEG", exif=turned()),
}  # fmt: skip


@pytest.mark.parametrize("name", PICTURES)
def test_any_decodable_picture_gets_a_verdict(client, name):
    """Every criterion is assessed or listed as not assessed, and every score is between 0 and 1."""
    response = client.post("/validation", files={"images": PICTURES[name]})

    assert response.status_code == 200, response.text
    image, *_ = response.json()["images"]
    assert len(image["criteria"]) + len(image["not_assessed"]) == len(CRITERIA)
    assert 0 <= image["score"] <= 1
    assert all(0 <= criterion["score"] <= 1 for criterion in image["criteria"])
    assert image["accepted"] or response.json()["guidance"]


@pytest.mark.parametrize("size", [(1, 3000), (3000, 1), (63, 500), (1, 1)])
def test_too_narrow_picture_is_refused(client, size):
    """The status is 422."""
    response = client.post("/validation", files={"images": encoded(Image.new("RGB", size), "PNG")})

    assert (response.status_code, response.json()["code"]) == (422, "image_too_small")


def test_animated_gif_is_refused(client):
    """The answer names the accepted formats."""
    response = client.post("/validation", files={"images": animated("GIF", "P")})

    assert (response.status_code, response.json()["code"]) == (422, "image_undecodable")
    assert "JPEG" in response.json()["detail"]


@pytest.mark.parametrize("size", [(7071, 7071), (10_000, 5000)])
def test_fifty_megapixels_take_at_most_four_copies_of_their_pixels(size):
    """The largest accepted picture takes at most 600 MB for a moment, in addition to the process itself.

    Measured in a process of its own, like the front of the service: what other tests loaded changes the allocation.
    """
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
        width, most_bytes = alone.submit(memory_taken, size).result()

    assert width == size[0]
    assert most_bytes < 4 * 3 * size[0] * size[1]


def memory_taken(size: tuple[int, int]) -> tuple[int, int]:
    """Return the width of the picture in the answer, and the additional bytes of the process during the request."""
    small, data = (encoded(Image.new("RGB", one, (120, 130, 140)), "JPEG", quality=50) for one in ((640, 480), size))
    with started() as client:
        client.post("/validation", files={"images": small})  # what the first picture loads does not count
        with PeakMemory() as memory:
            response = client.post("/validation", files={"images": data})
    return response.json()["images"][0]["width"], memory.peak_bytes
