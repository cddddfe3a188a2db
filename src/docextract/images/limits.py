"""Limits on uploaded files, checked before any pixel is decoded."""

from dataclasses import dataclass

from docextract.images.uploads import Refusal


@dataclass(frozen=True)
class DecodingLimits:
    """Limits on an uploaded file; max_pages is also the limit of a request."""

    max_bytes: int = 10_000_000
    min_side_px: int = 64
    max_side_px: int = 10_000
    max_pixels: int = 50_000_000
    max_pages: int = 20


def check_size(width: int, height: int, limits: DecodingLimits) -> Refusal | None:
    """Return why a picture of this size in px is refused; None if it is accepted."""
    size = f"The picture is {width} x {height} px"
    if min(width, height) < limits.min_side_px:
        return Refusal("image_too_small", f"{size}; each side needs at least {limits.min_side_px} px.")
    if max(width, height) > limits.max_side_px:
        return Refusal("image_too_large", f"{size}; a side may have at most {limits.max_side_px:,} px.")
    if width * height > limits.max_pixels:
        return Refusal("image_too_large", f"{size}; at most {limits.max_pixels:,} pixels are decoded.")
    return None
