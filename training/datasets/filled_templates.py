"""Documents that were filled into HTML templates and printed by a browser: text, places and fields of each page.

`python -m training.synth.templates` writes them, one JSON line per document.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docextract.documents.values import DateOrder
from training.synth.sheet import Sheet, Text

HELD_OUT_TEMPLATES_ONE_IN = 5


@dataclass(frozen=True)
class FilledTemplate:
    """One document.

    template: the name of its layout, the unit by which training and test are split. number: of the document, from 0.
    language: ISO 639-1. country: ISO 3166-1, alpha-2, of cards alpha-3. currency: ISO 4217, None if none is printed.
    date_order: None where every order gives the printed dates.
    """

    template: str
    number: int
    type: str
    language: str
    country: str
    currency: str | None
    date_order: DateOrder | None
    sheets: tuple[Sheet, ...]

    @property
    def is_held_out(self) -> bool:
        """Whether its template is held out from training; it depends on the template's name alone."""
        return zlib.crc32(self.template.encode()) % HELD_OUT_TEMPLATES_ONE_IN == 0


def dump_document(document: FilledTemplate) -> str:
    """Return one JSON line, without its line break."""
    head = {name: getattr(document, name) for name in _HEAD}
    pages = [
        {
            "size": [round(sheet.width_mm, 1), round(sheet.height_mm, 1)],
            "texts": [
                [one.text, one.field, *(round(side, 2) for side in (one.x_mm, one.y_mm, one.width_mm, one.height_mm))]
                for one in sheet.texts()
            ],
        }
        for sheet in document.sheets
    ]
    return json.dumps({**head, "pages": pages}, ensure_ascii=False)


def load_documents(files: Sequence[Path]) -> Iterator[FilledTemplate]:
    """Yield the documents of these files."""
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            sheets = tuple(
                Sheet(*page["size"], tuple(Text(text, *box, field, "sans") for text, field, *box in page["texts"]))
                for page in row["pages"]
            )
            yield FilledTemplate(*(row[name] for name in _HEAD), sheets)


_HEAD = ("template", "number", "type", "language", "country", "currency", "date_order")
