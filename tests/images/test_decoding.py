import io
import multiprocessing
import struct
import zlib
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pillow_heif
import psutil
import pypdfium2
import pytest
from PIL import Image, ImageCms, ImageOps

from docextract.images import decoding
from docextract.images.decoding import decode_upload
from docextract.images.limits import DecodingLimits
from docextract.images.uploads import PageSelection, Refusal
from tests.images import hostile_pdfs
from tests.memory import PeakMemory

LIMITS = DecodingLimits()
RED, BLUE = (220, 30, 40), (30, 40, 220)


def half_and_half(width=120, height=80):
    """The left half is red and the right half blue, which shows every rotation and mirroring."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[:, : width // 2] = RED
    pixels[:, width // 2 :] = BLUE
    return Image.fromarray(pixels)


def encoded(picture, kind, **options):
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def the_page(answer):
    assert not isinstance(answer, Refusal), answer
    (page,) = answer.pages
    return page.pixels


def refusal(answer):
    assert isinstance(answer, Refusal), "it was decoded"
    return answer


def is_near(pixel, colour, tolerance=12):
    return np.abs(pixel.astype(int) - colour).max() <= tolerance


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("JPEG", {"quality": 95, "subsampling": 0}),
        ("JPEG", {"quality": 95, "subsampling": 0, "progressive": True}),
        ("PNG", {}),
        ("WEBP", {"quality": 95}),
        ("TIFF", {}),
        ("TIFF", {"compression": "tiff_lzw"}),
        ("BMP", {}),
        ("HEIF", {"quality": 90}),
    ],
)
def test_every_image_format_gives_the_same_page(kind, options):
    """JPEG, PNG, WebP, TIFF, BMP and HEIC files of one picture decode to the same colours."""
    page = the_page(decode_upload(encoded(half_and_half(), kind, **options), LIMITS))

    assert page.shape == (80, 120, 3)
    assert page.dtype == np.uint8
    assert is_near(page[40, 20], RED)
    assert is_near(page[40, 100], BLUE)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_exif_orientation_is_applied_once(kind, orientation):
    """A photo of a phone that was held sideways gives an upright page."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = half_and_half()
    picture.paste((9, 160, 9), (0, 60, 20, 80))  # shows mirroring from top to bottom, too
    upright = Image.new("RGB", picture.size)
    upright.paste(picture)
    upright.getexif()[0x0112] = orientation
    expected = np.asarray(ImageOps.exif_transpose(upright), int)

    page = the_page(decode_upload(encoded(picture, kind, exif=exif, quality=95), LIMITS))

    assert page.shape == expected.shape
    assert np.abs(page[5::10, 5::10] - expected[5::10, 5::10]).max() <= 30


def short_tag(tag, value):
    return struct.pack("<HHIHH", tag, 3, 1, value, 0)


@pytest.mark.parametrize(
    "odd",
    [
        struct.pack("<HHI4s", 0x0100, 2, 4, b"AAAA"),
        struct.pack("<HHIi", 0x0100, 9, 1, -1),
        struct.pack("<HHIf", 0x011A, 11, 1, float("nan")),
    ],
    ids=["width as text", "negative width", "resolution that is no number"],
)
def test_a_photo_with_an_odd_tag_is_turned(odd):
    """Pillow reads such tags and cannot write them."""
    exif = b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<H", 2) + odd + short_tag(0x0112, 6) + bytes(4)

    page = the_page(decode_upload(encoded(half_and_half(), "JPEG", exif=exif), LIMITS))

    assert page.shape == (120, 80, 3)


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "JPEG"])
@pytest.mark.parametrize("exif", [bytes(40), b"\xff" * 64, b"II*\0"], ids=["zeros", "other bytes", "cut"])
def test_unreadable_exif_data_are_ignored(kind, exif):
    """Programs blank the data with zeros, and Pillow raises various errors where it reads them."""
    page = the_page(decode_upload(encoded(half_and_half(), kind, exif=b"Exif\0\0" + exif), LIMITS))

    assert page.shape == (80, 120, 3)


@pytest.mark.parametrize("primary", [0, 1])
def test_the_primary_picture_of_a_heic_is_decoded(primary):
    """It need not be the first."""
    pictures = pillow_heif.from_pillow(Image.new("RGB", (70, 80), RED))
    pictures.add_from_pillow(Image.new("RGB", (90, 100), BLUE))
    out = io.BytesIO()
    pictures.save(out, primary_index=primary)

    assert the_page(decode_upload(out.getvalue(), LIMITS)).shape == [(80, 70, 3), (100, 90, 3)][primary]


def test_transparency_becomes_white():
    """Transparent pixels look like paper."""
    layered = half_and_half().convert("RGBA")
    layered.putalpha(Image.new("L", layered.size, 0))

    assert the_page(decode_upload(encoded(layered, "PNG"), LIMITS)).min() == 255


def test_a_transparent_palette_colour_becomes_white():
    """PNGs with a palette name one colour as transparent."""
    indexed = half_and_half().quantize(2)
    red = indexed.getpixel((0, 0))

    page = the_page(decode_upload(encoded(indexed, "PNG", transparency=red), LIMITS))

    assert is_near(page[40, 20], (255, 255, 255), 0)
    assert is_near(page[40, 100], BLUE)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "CMYK", "YCbCr", "LAB"])
def test_other_colour_models_are_converted_to_rgb(mode):
    """Black and white, grey, palettes and CMYK."""
    white = lab_white() if mode == "LAB" else Image.new("RGB", (64, 64), "white").convert(mode)

    page = the_page(decode_upload(encoded(white, "PNG" if mode == "P" else "TIFF"), LIMITS))

    assert page.shape == (64, 64, 3)
    assert page.min() >= 250


def lab_white():
    profile = ImageCms.createProfile("LAB")
    to_lab = ImageCms.buildTransform(ImageCms.createProfile("sRGB"), profile, "RGB", "LAB")
    return ImageCms.applyTransform(Image.new("RGB", (64, 64), "white"), to_lab)


def test_sixteen_bit_grey_keeps_its_greys():
    """The 16-bit picture of a scanner is scaled and not clipped."""
    ramp = np.tile(np.linspace(0, 65_535, 64, dtype=np.uint16), (64, 1))

    page = the_page(decode_upload(encoded(Image.fromarray(ramp), "PNG"), LIMITS))

    assert page[0, 0, 0] == 0
    assert page[0, 63, 0] == 255
    assert 100 < page[0, 32, 0] < 155


@pytest.mark.parametrize(("photometric", "brightness"), [(0, 255), (1, 0)])
@pytest.mark.parametrize("depth", [np.uint8, np.uint16])
def test_paper_is_white_in_both_kinds_of_tiff(depth, photometric, brightness):
    """In a TIFF, white is either 0 or the maximum, as its header states."""
    grey = encoded(Image.fromarray(np.zeros((64, 64), depth)), "TIFF")
    said, says = (struct.pack("<HHIHH", 262, 3, 1, one, 0) for one in (1, photometric))
    assert grey.count(said) == 1

    page = the_page(decode_upload(grey.replace(said, says), LIMITS))

    assert (page == brightness).all()


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "CMYK", "I;16", "I;16B", "P"])
def test_conversion_in_bands_leaves_no_seam(mode, monkeypatch):
    """Colours are converted a few rows at a time, and no row is lost or doubled."""
    noise = np.random.default_rng(1).integers(0, 255, (67, 70, 4), np.uint8)
    picture = Image.frombytes(mode, (70, 67), noise.tobytes()[: 67 * 70 * 2]) if mode.startswith("I") else None
    data = encoded(picture or Image.fromarray(noise).convert("RGB").convert(mode), "PNG" if mode == "P" else "TIFF")
    whole = the_page(decode_upload(data, LIMITS))

    monkeypatch.setattr(decoding, "_BAND_PX", 700)

    assert np.array_equal(the_page(decode_upload(data, LIMITS)), whole)


@pytest.mark.parametrize(
    ("mode", "kind", "options"),
    [
        ("RGBA", "PNG", {}),
        ("LA", "PNG", {}),
        ("I;16", "PNG", {}),
        ("I", "TIFF", {"compression": "tiff_deflate"}),
        ("CMYK", "JPEG", {}),
    ],
)
def test_decoding_needs_at_most_ten_bytes_per_pixel(mode, kind, options):
    """Four for Pillow, three for the page, and temporary memory: 400 MB for the largest allowed picture."""
    side_px = 4000
    data = encoded(Image.new(mode, (side_px, side_px)), kind, **options)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:  # nothing freed before is at hand there
        most_bytes = alone.submit(memory_to_decode, data).result()

    assert 3 * side_px**2 < most_bytes < 10 * side_px**2


def memory_to_decode(data):
    """Return by how many bytes the memory of this process grew meanwhile."""
    with PeakMemory() as memory:
        the_page(decode_upload(data, LIMITS))
    return memory.peak_bytes


def test_colours_are_converted_from_their_profile_to_srgb():
    """The same numbers are other colours in another profile."""
    plain = the_page(decode_upload(encoded(half_and_half(), "PNG"), LIMITS))
    profile = ImageCms.ImageCmsProfile(swapped_primaries()).tobytes()

    page = the_page(decode_upload(encoded(half_and_half(), "PNG", icc_profile=profile), LIMITS))

    assert np.abs(page.astype(int) - plain).max() > 40


def swapped_primaries():
    """Return an sRGB profile with swapped red and green primaries, renamed so that it is applied."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    tags = {bytes(data[at : at + 4]): at for at in range(132, 132 + 12 * struct.unpack(">I", data[128:132])[0], 12)}
    red, green = tags[b"rXYZ"], tags[b"gXYZ"]
    data[red : red + 4], data[green : green + 4] = b"gXYZ", b"rXYZ"
    data = data.replace("sRGB".encode("utf-16-be"), "odd!".encode("utf-16-be")).replace(b"sRGB", b"odd!")
    return io.BytesIO(bytes(data))


def test_a_broken_profile_is_ignored():
    """The picture is decoded without colour conversion."""
    page = the_page(decode_upload(encoded(half_and_half(), "PNG", icc_profile=b"rubbish"), LIMITS))

    assert is_near(page[40, 20], RED)


@pytest.mark.parametrize("kind", ["WEBP", "PNG"])
def test_an_animation_is_refused(kind):
    """Decoding its first picture would drop the others without a word."""
    second = Image.new("RGB", (120, 80), (1, 2, 3))
    data = encoded(half_and_half(), kind, save_all=True, append_images=[second], lossless=True)

    assert refusal(decode_upload(data, LIMITS)).code == "image_undecodable"
    the_page(decode_upload(encoded(half_and_half(), kind, lossless=True), LIMITS))


def tiff(*pictures, **options):
    first, *others = pictures
    return encoded(first, "TIFF", save_all=True, append_images=others, **options)


def test_every_page_of_a_tiff_is_decoded():
    """Each with its own size, colour model and orientation."""
    turned = Image.new("L", (100, 70), 9)
    data = tiff(half_and_half(), turned, Image.new("1", (90, 80), 1))

    file = decode_upload(data, LIMITS)

    assert (file.media_type, file.page_count) == ("image/tiff", 3)
    assert [(page.number, page.pixels.shape) for page in file.pages] == [
        (1, (80, 120, 3)), (2, (70, 100, 3)), (3, (80, 90, 3)),
    ]  # fmt: skip
    assert [int(page.pixels[40, 5].max()) for page in file.pages] == [220, 9, 255]


def test_the_selected_pages_of_a_tiff_are_decoded():
    file = decode_upload(tiff(*[Image.new("L", (70, 70), level) for level in range(40)]), LIMITS, selected("38-39,2"))

    assert [(page.number, int(page.pixels[0, 0, 0])) for page in file.pages] == [(2, 1), (38, 37), (39, 38)]


def test_reduced_copies_in_a_tiff_are_no_pages():
    """Scanners write previews next to the page."""
    small = half_and_half(70, 66)
    small.encoderinfo = {"tiffinfo": {254: 1}}

    assert decode_upload(tiff(half_and_half(), small), LIMITS).page_count == 1


@pytest.mark.parametrize(("selection", "code"), [(None, "too_many_pages"), ("22", "invalid_parameter")])
def test_a_tiff_with_too_many_pages_is_refused(selection, code):
    data = tiff(*[Image.new("L", (70, 70))] * 21)

    assert refusal(decode_upload(data, LIMITS, selected(selection))).code == code


def test_the_pages_of_a_tiff_share_a_limit_of_pixels():
    """Twenty blank fax pages of 50 Mpx fit into a few kilobytes."""
    data = tiff(*[Image.new("1", (7000, 7000), 1)] * 3, compression="group4")

    assert len(data) < 100_000
    assert refusal(decode_upload(data, LIMITS)).code == "image_too_large"
    assert len(decode_upload(data, LIMITS, selected("1")).pages) == 1


def selected(text):
    return PageSelection.parse(text) if text else None


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "BMP", "HEIF"])
def test_a_truncated_file_is_refused(kind):
    """Even if a part of the picture could be shown."""
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (200, 200, 3), dtype=np.uint8))
    data = encoded(noise, kind)

    assert refusal(decode_upload(data[: len(data) // 2], LIMITS)).code == "image_undecodable"


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"<svg/>", b"%PDF-1.7\nnothing", b"GIF89a" + b"\0" * 50, b"\xff\xd8\xff\xe0"]
)
def test_files_that_are_no_pictures_are_refused(data):
    """Text, random bytes and unknown formats give a Refusal and no exception."""
    assert refusal(decode_upload(data, LIMITS)).code == "image_undecodable"


def test_an_empty_file_is_called_empty():
    """An upload or a copy has failed: another format would not help."""
    assert refusal(decode_upload(b"", LIMITS)) == Refusal("image_undecodable", "The file is empty.")


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_limits_are_checked_before_a_pixel_is_decoded():
    """A PNG whose header states a gigapixel is refused although it has no pixel data."""
    header = struct.pack(">IIBBBBB", 9_999, 9_999, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    bomb += b"\0\0\0\0IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))

    assert refusal(decode_upload(bomb, LIMITS)).code == "image_too_large"


@pytest.mark.parametrize(
    ("size", "limits", "code"),
    [
        ((63, 500), LIMITS, "image_too_small"),
        ((501, 100), DecodingLimits(max_side_px=500), "image_too_large"),
        ((100, 101), DecodingLimits(max_pixels=10_000), "image_too_large"),
        ((100, 100), DecodingLimits(max_bytes=20), "image_too_large"),
    ],
)
def test_each_limit_has_its_own_refusal(size, limits, code):
    """There are limits for bytes, sides and pixels."""
    assert refusal(decode_upload(encoded(Image.new("RGB", size), "PNG"), limits)).code == code


@pytest.mark.parametrize("size", [(64, 64), (64, 10_000)])
def test_the_limits_themselves_are_allowed(size):
    """Sides of 64 px and of 10,000 px are accepted."""
    assert the_page(decode_upload(encoded(Image.new("L", size, 9), "PNG"), LIMITS)).shape == (size[1], size[0], 3)


def pdf(*sizes_pt):
    document = pypdfium2.PdfDocument.new()
    for width, height in sizes_pt:
        document.new_page(width, height)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_a_pdf_gives_its_selected_pages():
    """Of twelve pages ten are rendered, each white and of the size that extraction needs."""
    pages = [page.pixels for page in decode_upload(pdf(*[(595, 842)] * 12), LIMITS, selected("1-10")).pages]

    assert not isinstance(pages, Refusal)
    assert len(pages) == 10
    assert max(pages[0].shape) == pytest.approx(2200, abs=2)
    assert pages[0].min() == 255


def test_a_picture_in_a_pdf_keeps_its_colours():
    """Red stays red, although PDFium has another order of channels."""
    out = io.BytesIO()
    half_and_half(400, 300).save(out, "PDF", quality=95)

    page = the_page(decode_upload(out.getvalue(), LIMITS))

    assert is_near(page[page.shape[0] // 2, page.shape[1] // 4], RED, 20)
    assert is_near(page[page.shape[0] // 2, page.shape[1] * 3 // 4], BLUE, 20)


def test_blank_scans_leave_no_memory_behind():
    """The scanned back of a sheet has 8.7 million pixels, which are decoded to tell whether it is damaged."""
    out = io.BytesIO()
    Image.new("1", (2480, 3508), 1).save(out, "PDF", resolution=300)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
        assert alone.submit(memory_left_behind, out.getvalue()).result() < 30_000_000


def memory_left_behind(data):
    """Return by how many bytes the memory of this process is larger after the file has been decoded ten more times."""
    the_page(decode_upload(data, LIMITS))
    before = psutil.Process().memory_info().rss
    for _ in range(10):
        the_page(decode_upload(data, LIMITS))
    return psutil.Process().memory_info().rss - before


def test_a_very_narrow_pdf_page_is_refused():
    """The limits apply to the rendered size."""
    assert refusal(decode_upload(pdf((2, 14_000)), LIMITS)).code == "image_too_small"


def test_a_giant_pdf_page_is_rendered_at_the_usual_size():
    """A page of 200 inches costs no more than a letter."""
    assert max(the_page(decode_upload(pdf((14_400, 10_000)), LIMITS)).shape) <= 2201


def test_a_damaged_pdf_is_refused():
    """The first bytes of a PDF are not a PDF."""
    assert refusal(decode_upload(pdf((595, 842))[:200], LIMITS)).code == "image_undecodable"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (hostile_pdfs.locked(), "password"),
        (hostile_pdfs.circular(), "PDF"),
        (hostile_pdfs.many_pages(0), "PDF"),
    ],
    ids=["locked", "circular", "without pages"],
)
def test_refusals_of_pdfs_state_the_reason(data, says):
    """In a sentence that the sender understands."""
    refused = refusal(decode_upload(data, LIMITS))

    assert refused.code == "image_undecodable"
    assert says in refused.detail


def test_a_pdf_of_five_hundred_pages_is_refused_unless_pages_are_selected():
    """Only the selected ones are opened."""
    data = hostile_pdfs.many_pages(500)

    refused = refusal(decode_upload(data, LIMITS))
    assert (refused.code, "500" in refused.detail, "20" in refused.detail) == ("too_many_pages", True, True)
    file = decode_upload(data, LIMITS, selected("499-500"))
    assert (file.page_count, [page.number for page in file.pages]) == (500, [499, 500])


def test_a_jpeg_with_too_many_scans_is_refused():
    """Each scan has a few bytes and processes every pixel: ten megabytes of them would take hours."""
    data = encoded(half_and_half(), "JPEG", progressive=True)
    scan = data[data.rindex(b"\xff\xda") : -2]

    assert refusal(decode_upload(data[:-2] + scan * 100 + data[-2:], LIMITS)).code == "image_too_large"
    the_page(decode_upload(data[:-2] + scan * 20 + data[-2:], LIMITS))


def test_scans_after_markers_that_libjpeg_skips_are_counted():
    """Where a restart marker is due, libjpeg continues after a meaningless marker, whatever its length says."""
    data = encoded(half_and_half(), "JPEG", progressive=True, restart_marker_blocks=1)
    last = data.rindex(b"\xff\xda")
    head = data[last : last + 10]
    lure = head + b"\xff\x05\xff\xff"

    assert refusal(decode_upload(data[:last] + lure + head * 100 + data[-2:], LIMITS)).code == "image_too_large"
    the_page(decode_upload(data[:last] + lure + head * 20 + data[-2:], LIMITS))


@pytest.mark.parametrize(
    "with_scans",
    [
        lambda jpeg, scans: jpeg + scans,
        lambda jpeg, scans: jpeg[:2] + b"\xff\xe1" + struct.pack(">H", 2 + len(scans)) + scans + jpeg[2:],
    ],
    ids=["a motion photo", "a thumbnail"],
)
def test_only_scans_of_the_main_picture_are_counted(with_scans):
    """Phones store a thumbnail before the photo and a video after it, with any bytes."""
    data = encoded(half_and_half(), "JPEG", quality=95)

    page = the_page(decode_upload(with_scans(data, b"\xff\xda\0\2" * 1000), LIMITS))

    assert is_near(page[40, 20], RED)


def test_library_warnings_about_a_file_are_not_logged(capfd, recwarn):
    """Untrusted files cannot fill the log: libtiff has a line for each row of a damaged fax."""
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (200, 200), dtype=np.uint8)).convert("1")
    fax = bytearray(encoded(noise, "TIFF", compression="group4"))
    fax[100:2_000] = bytes(1_900)

    decode_upload(bytes(fax), LIMITS)

    assert capfd.readouterr().err == ""
