"""Where a picture, its text and a value come from, and places in a picture: words of the API that every layer uses."""

from typing import Literal, get_args

# `photo`: taken by a camera; `scan`: by a flatbed or a scanning application; `digital`: drawn by a program.
ImageSource = Literal["photo", "scan", "digital"]
TextSource = Literal["embedded", "recognised"]  # the text layer of the file, or OCR
ValueSource = Literal["mrz", "printed", "embedded_xml"]
# Of the picture as it is shown, whatever the direction of the print; row by row.
Place = Literal[
    "top_left", "top", "top_right", "left", "middle", "right", "bottom_left", "bottom", "bottom_right",
]  # fmt: skip
PLACES: tuple[Place, ...] = get_args(Place)
