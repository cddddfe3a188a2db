"""Image files → pages, as training and measuring want them: upright, sRGB."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from docextract.imaging import Page

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}


def load(path: Path) -> Page:
    """One file, EXIF orientation honoured."""
    with Image.open(path) as picture:
        return np.array(ImageOps.exif_transpose(picture).convert("RGB"))


def load_folder(folder: Path | None) -> tuple[Page, ...]:
    """Every picture directly in a folder, by name; () for no folder."""
    if folder is None:
        return ()
    return tuple(load(path) for path in sorted(folder.iterdir()) if path.suffix.lower() in SUFFIXES)


def save(page: Page, path: Path, quality: int = 92) -> None:
    """Write a page; the suffix tells the format."""
    Image.fromarray(page).save(path, quality=quality)
