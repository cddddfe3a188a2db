"""Where a picture, its text and a value come from: words of the API that every layer uses."""

from typing import Literal

# `photo`: taken by a camera; `scan`: by a flatbed or a scanning application; `digital`: drawn by a program.
ImageSource = Literal["photo", "scan", "digital"]
TextSource = Literal["embedded", "recognised"]  # the text layer of the file, or OCR
ValueSource = Literal["mrz", "printed", "embedded_xml"]
