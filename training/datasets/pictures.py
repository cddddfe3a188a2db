"""Image files → pages, as training and measuring want them: upright, sRGB."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from docextract.imaging import Page

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}


def load(path: Path, longest_px: int = 10_000) -> Page:
    """One file, EXIF orientation honoured, no larger than this."""
    with Image.open(path) as picture:
        upright = ImageOps.exif_transpose(picture).convert("RGB")
    upright.thumbnail((longest_px, longest_px))
    return np.array(upright)


def load_folder(folder: Path | None, longest_px: int = 2000) -> tuple[Page, ...]:
    """Every picture of a folder and those below it, by name; () for no folder. Raises ValueError for an empty one."""
    if folder is None:
        return ()
    found = tuple(load(path, longest_px) for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES)
    if not found:
        raise ValueError(f"{folder}: no {', '.join(sorted(SUFFIXES))} in this folder")
    return found


def save(page: Page, path: Path, quality: int = 92) -> None:
    """Write a page; the suffix tells the format."""
    Image.fromarray(page).save(path, quality=quality)
