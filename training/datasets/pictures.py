"""Reads image files as pages for training and evaluation: uint8 [H, W, 3], upright, sRGB."""

from pathlib import Path

from PIL import Image

from docextract.images.decoding import decode_upload
from docextract.images.geometry import Page, shrink
from docextract.images.limits import DecodingLimits
from docextract.images.uploads import PageSelection, Refusal

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}
# The files are the user's own: cut-outs smaller and photos larger than the service accepts are read, too.
_LIMITS = DecodingLimits(max_bytes=1_000_000_000, min_side_px=1, max_side_px=30_000, max_pixels=500_000_000)


def load(path: Path, longest_px: int = 10_000, selection: PageSelection | None = None) -> Page:
    """Read one page with the decoder of the service; larger ones are scaled down to `longest_px`.

    selection: of one page of a PDF or TIFF; None: its first one. Raises OSError for a file that cannot be read.
    """
    file = decode_upload(path.read_bytes(), _LIMITS, selection or PageSelection(((1, 1),)))
    if isinstance(file, Refusal):
        raise OSError(f"{path}: {file.detail}")
    return shrink(file.pages[0].pixels, longest_px, 1)


def list_pictures(folder: Path | None) -> list[Path]:
    """The picture files of a folder and its subfolders, sorted; [] for None."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES) if folder else []


def load_folder(folder: Path | None, longest_px: int = 2000) -> tuple[Page, ...]:
    """All pictures of a folder; () for None. Raises ValueError for a folder without pictures."""
    if folder is None:
        return ()
    found = tuple(load(path, longest_px) for path in list_pictures(folder))
    if not found:
        raise ValueError(f"{folder}: no {', '.join(sorted(SUFFIXES))} in this folder")
    return found


def save(page: Page, path: Path, quality: int = 92) -> None:
    """Write a page; the suffix determines the format."""
    Image.fromarray(page).save(path, quality=quality)
