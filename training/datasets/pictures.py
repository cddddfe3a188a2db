"""Image files → pages, as training and measuring want them: upright, sRGB."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from docextract.images.geometry import Page

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}


def load(path: Path, longest_px: int = 10_000) -> Page:
    """One file, EXIF orientation honoured, no larger than this."""
    with Image.open(path) as picture:
        upright = ImageOps.exif_transpose(picture).convert("RGB")
    upright.thumbnail((longest_px, longest_px))
    return np.array(upright)


def listed(folder: Path | None) -> list[Path]:
    """The pictures of a folder and of those below it, by name; none for no folder."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES) if folder else []


def load_folder(folder: Path | None, longest_px: int = 2000) -> tuple[Page, ...]:
    """Every one of them; () for no folder. Raises ValueError for an empty one."""
    if folder is None:
        return ()
    found = tuple(load(path, longest_px) for path in listed(folder))
    if not found:
        raise ValueError(f"{folder}: no {', '.join(sorted(SUFFIXES))} in this folder")
    return found


def save(page: Page, path: Path, quality: int = 92) -> None:
    """Write a page; the suffix tells the format."""
    Image.fromarray(page).save(path, quality=quality)
