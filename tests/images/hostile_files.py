"""Untrusted files for tests: valid ones of every format, damaged ones and malicious ones."""

import io
from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import pillow_heif
from PIL import Image

from tests.images import hostile_pdfs

_SIZE = (96, 128)
_INTERESTING = (b"\0" * 4, b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0\0\0\1", b"\0\1", b"\xff\xff")


def sound() -> Mapping[str, bytes]:
    """One small valid file of each format, by name."""
    noise = np.random.default_rng(0).integers(0, 256, (_SIZE[1], _SIZE[0], 3), np.uint8)
    colour = Image.fromarray(noise)
    grey = colour.convert("L")
    pages = [colour, colour.rotate(180), grey.convert("RGB")]
    many = {"save_all": True, "append_images": pages[1:]}
    heic = io.BytesIO()
    pillow_heif.from_pillow(colour).save(heic)
    return {
        "JPEG": _encoded(colour, "JPEG", exif=_turned()),
        "progressive JPEG": _encoded(colour, "JPEG", progressive=True),
        "CMYK JPEG": _encoded(colour.convert("CMYK"), "JPEG"),
        "PNG": _encoded(colour, "PNG"),
        "palette PNG": _encoded(colour.quantize(16), "PNG", transparency=1),
        "16-bit PNG": _encoded(Image.fromarray(noise[..., 0].astype(np.uint16) * 257), "PNG"),
        "WebP": _encoded(colour, "WEBP"),
        "TIFF": _encoded(colour, "TIFF"),
        "compressed TIFF": _encoded(colour, "TIFF", compression="tiff_lzw"),
        "fax": _encoded(colour.convert("1"), "TIFF", compression="group4"),
        "TIFF of pages": _encoded(colour, "TIFF", **many),
        "BMP": _encoded(colour, "BMP"),
        "HEIC": heic.getvalue(),
        "PDF": _encoded(colour, "PDF"),
        "PDF of pages": hostile_pdfs.many_pages(3),
    }


def malicious() -> Mapping[str, bytes]:
    """Files that do harm, or were sent by mistake. None can be decoded."""
    whole = sound()
    return {
        "nothing": b"",
        "text": b"Dear Sir or Madam",
        "SVG": b'<svg xmlns="http://www.w3.org/2000/svg" width="500" height="500"/>',
        "GIF": _encoded(Image.new("P", _SIZE), "GIF"),
        "program": b"\x7fELF" + bytes(200),
        "archive": b"PK\3\4" + bytes(200),
        "giant PNG": _with_size(whole["PNG"], 16, 60_000),
        "giant BMP": _with_size(whole["BMP"], 18, 60_000, order="little"),
        "flat PNG": _with_size(whole["PNG"], 16, 0),
        "PDF after a picture": b"\x89PNG" + hostile_pdfs.circular(),
        "locked PDF": hostile_pdfs.locked(),
        "circular PDF": hostile_pdfs.circular(),
        "half a PDF": whole["PDF"][: len(whole["PDF"]) // 2][:200],
    }


def damaged(rng: Random, files: Sequence[bytes]) -> bytes:
    """Return one of the files truncated, with flipped, overwritten or doubled bytes, or joined to another file."""
    data = bytearray(rng.choice(files))
    for _ in range(rng.choice((1, 1, 2, 8))):
        _damage(rng, data, files)
    return bytes(data)


def _damage(rng: Random, data: bytearray, files: Sequence[bytes]) -> None:
    # Headers decide how the rest is read, so they are hit more often.
    at = rng.randrange(min(len(data), rng.choice((64, 512, 1 << 30))) or 1) if data else 0
    match rng.randrange(6):
        case 0:
            del data[at:]
        case 1 if data:
            data[at] ^= 1 << rng.randrange(8)
        case 2:
            word = rng.choice(_INTERESTING)
            data[at : at + len(word)] = word
        case 3:
            data[at:at] = data[at : at + rng.randrange(1, 2_000)]
        case 4:
            other = rng.choice(files)
            data[at:] = other[rng.randrange(len(other) + 1) :]
        case _:
            data[at : at + rng.randrange(1, 40)] = rng.randbytes(rng.randrange(40))


def _encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)  # type: ignore[arg-type]
    return out.getvalue()


def _turned() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


def _with_size(data: bytes, at: int, side_px: int, order: str = "big") -> bytes:
    """Return the file with another size in its header, a square; `at` is the position of the size."""
    side = side_px.to_bytes(4, "little" if order == "little" else "big")
    return data[:at] + side + side + data[at + 8 :]


def of_many_scans(width: int, height: int, scans: int) -> bytes:
    """Return a progressive JPEG whose last scan is repeated: each scan processes all pixels, and takes few bytes."""
    out = io.BytesIO()
    Image.new("L", (width, height), 128).save(out, "JPEG", progressive=True, quality=10)
    data = out.getvalue()
    begins = [at for at in range(len(data) - 1) if data[at : at + 2] == b"\xff\xda"]
    last_scan = data[begins[-1] : data.rindex(b"\xff\xd9")]
    repeated = last_scan * (scans - len(begins))
    return data[: data.rindex(b"\xff\xd9")] + repeated + b"\xff\xd9"


def one_bit_square(side: int) -> bytes:
    """Return a black and white PNG: a fiftieth of a byte per pixel."""
    out = io.BytesIO()
    Image.new("1", (side, side), 1).save(out, "PNG", optimize=True)
    return out.getvalue()
