"""Extract the fields of a photo with a running service, and draw them at their places.

    python examples/draw_fields.py docs/images/receipt.jpg fields.png [--server http://127.0.0.1:3000]

Needs httpx and Pillow, but not docextract: any program can use the polygons in this way.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from PIL import Image, ImageDraw, ImageFont, ImageOps

LEVEL_COLOURS = {"certain": "#13803d", "high": "#2563eb", "medium": "#c2740a", "low": "#c81e1e"}
PANEL_PX = 560


def iterate_fields(fields: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every field with a polygon, including table cells: ("total", ...), ("line_items.0.description", ...)."""
    for name, field in fields.items():
        if "items" in field:
            for at, row in enumerate(field["items"]):
                yield from iterate_fields(row["fields"], f"{prefix}{name}.{at}.")
        elif "polygon" in field:
            yield f"{prefix}{name}", field


def format_value(value: Any) -> str:
    """Format a typed value as one line."""
    if isinstance(value, dict):  # an amount with its currency, or the parts of a machine-readable zone
        return " ".join(format_value(part) for part in value.values() if part is not None)
    if isinstance(value, list):
        return " ".join(map(format_value, value))
    return str(value)


def main() -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photo", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--server", default="http://127.0.0.1:3000")
    options = parser.parse_args()
    response = httpx.post(
        f"{options.server}/extraction",
        files={"images": options.photo.read_bytes()}, data={"include": "polygons"}, timeout=60,
    )  # fmt: skip
    response.raise_for_status()
    fields = response.json()["documents"][0]["fields"]

    photo = ImageOps.exif_transpose(Image.open(options.photo)).convert("RGB")
    sheet = Image.new("RGB", (photo.width + PANEL_PX, photo.height), "white")
    sheet.paste(photo)
    draw, font = ImageDraw.Draw(sheet, "RGBA"), ImageFont.load_default(19)
    y = 30
    for name, field in iterate_fields(fields):
        corners = [(x * photo.width, y_ * photo.height) for x, y_ in field["polygon"]]
        colour = LEVEL_COLOURS[field["level"]]
        draw.polygon(corners, fill=f"{colour}22", outline=colour, width=2)
        if "." in name:
            continue
        draw.text((photo.width + 24, y), name, fill="#555555", font=font)
        draw.text((photo.width + 24, y + 24), format_value(field["value"])[:46], fill=colour, font=font)
        draw.text((photo.width + PANEL_PX - 70, y + 24), f"{field['confidence']:.2f}", fill=colour, font=font)
        y += 66
    sheet.save(options.out)


if __name__ == "__main__":
    main()
