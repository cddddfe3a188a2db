"""Reads image files as pages for training and evaluation: uint8 [H, W, 3], upright, sRGB."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from docextract.images.geometry import Page

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}


def load(path: Path, longest_px: int = 10_000) -> Page:
    """Read one file. The EXIF orientation is applied; larger images are scaled down to `longest_px`."""
    with Image.open(path) as picture:
        upright = ImageOps.exif_transpose(picture).convert("RGB")
    upright.thumbnail((longest_px, longest_px))
    return np.array(upright)


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
