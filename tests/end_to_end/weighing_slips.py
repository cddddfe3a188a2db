"""Photographed weighing slips: a document type that no shipped model has seen, and of which there are photos only.

It stands in for a user's own documents; docs/adding-a-document.md is walked through with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random

import numpy as np

from docextract.documents import describe_types
from docextract.documents.sheet import Box, Face, Mark, Rule, Sheet, Text
from docextract.documents.typesetting import natural_width
from docextract.imaging import Page
from training.datasets import labelled_folder
from training.synth import camera, printing
from training.synth.plan import PLANS

WEIGHBRIDGES = ("NORTHGATE AGGREGATES LTD", "Holm & Sons Quarries", "RIVERSIDE RECYCLING", "Eastfield Grain Co-op",
                "Stonebridge Metals Ltd", "HARBOUR BULK TERMINAL")  # fmt: skip
MATERIALS = ("Gravel 0/32", "Washed sand", "Topsoil", "Crushed concrete", "Winter wheat", "Scrap iron", "Rapeseed",
             "Limestone 8/16", "Green waste", "Mixed rubble", "Malting barley", "Wood chips")  # fmt: skip
WORDING = (
    {"title": "WEIGHBRIDGE TICKET", "slip_number": "Ticket No.", "weighing_date": "Date", "vehicle": "Vehicle reg.",
     "material": "Product", "gross_weight": "Gross kg", "tare_weight": "Tare kg", "net_weight": "NET kg"},
    {"title": "Weighing slip", "slip_number": "Slip:", "weighing_date": "Weighed on:", "vehicle": "Truck:",
     "material": "Material:", "gross_weight": "1st weight:", "tare_weight": "2nd weight:", "net_weight": "Net weight:"},
    {"title": "Weight note", "slip_number": "No", "weighing_date": "Day", "vehicle": "Lorry", "material": "Goods",
     "gross_weight": "Full", "tare_weight": "Empty", "net_weight": "Net"},
)  # fmt: skip
DATES = ("%d/%m/%Y", "%d.%m.%y", "%d %b %Y")


@dataclass(frozen=True)
class Slip:
    """A printed slip: what stands on it as labels have it, and the sheet."""

    fields: Mapping[str, str | None]
    sheet: Sheet


def make(rng: Random) -> Slip:
    """One slip of one of a few weighbridges, in the wording and layout of that weighbridge."""
    house = rng.randrange(len(WEIGHBRIDGES))
    tare = rng.randrange(6_000, 16_000, 20)
    net = rng.randrange(2_000, 26_000, 20)
    day = date(2024, 1, 1) + timedelta(days=rng.randrange(700))
    labels = {
        "weighbridge": WEIGHBRIDGES[house],
        "slip_number": f"{rng.choice('ABW')}{rng.randrange(10_000, 99_999)}",
        "weighing_date": day.isoformat(),
        "vehicle": f"{rng.choice('ABCDEFGH')}{rng.choice('KLMNOP')}{rng.randrange(10, 74)} "
        + "".join(rng.choices("ABCDEFGHJKLMNOPRSTUVWXYZ", k=3)),
        "material": rng.choice(MATERIALS),
        "gross_weight": str(tare + net),
        "tare_weight": str(tare),
        "net_weight": str(net),
    }
    printed = dict(labels, weighing_date=day.strftime(DATES[house % len(DATES)]))
    if house % 2:
        printed |= {name: f"{int(printed[name]):,}" for name in ("gross_weight", "tare_weight", "net_weight")}
    known: dict[str, str | None] = dict(labels)
    if rng.random() < 0.25:  # not every load is named
        known["material"] = None
        del printed["material"]
    return Slip(known, _typeset(printed, house, rng))


def _typeset(printed: Mapping[str, str], house: int, rng: Random) -> Sheet:
    """Head, title and one line for each value; the value right behind its caption or in a column of its own."""
    width, line = 105.0, 4.2
    face: Face = ("mono", "sans", "dot")[house % 3]
    words = WORDING[house % len(WORDING)]
    marks: list[Mark] = []

    def put(text: str, x: float, y: float, field: str | None = None, height: float = line) -> float:
        advance = len(text) * height * 0.5 if face in ("mono", "dot") else natural_width(text, height)
        marks.append(Text(text, x, y, advance, height, field, face))
        return x + advance

    put(printed["weighbridge"], 8, 8, "weighbridge", 5.0)
    put(f"Hill Road {rng.randrange(1, 90)}, Tel {rng.randrange(10_000, 99_999)} {rng.randrange(100, 999)}", 8, 14.5)
    marks.append(Rule(8, 21, width - 16))
    put(words["title"], 8, 23.5, height=5.0)
    y = 33.0
    for name in (one for one in words if one in printed):
        end = put(words[name], 8, y)
        put(printed[name], 52 if house < 3 else end + 2.5, y, name)
        y += line * 1.7
    if house % 2 == 0:
        marks.append(Box(8, y + 3, width - 16, 0.6))
    put(
        f"Operator {rng.choice('JKLMRS')}. {rng.choice(('Reed', 'Marsh', 'Cole'))}   Printed {rng.randrange(2, 9)}x",
        8,
        y + 6,
    )
    return Sheet(width, y + 18, tuple(marks))


def photograph(slip: Slip, rng: np.random.Generator) -> Page:
    """A careful photo of it."""
    printed = printing.draw(slip.sheet, rng, 7.0)
    return camera.shoot(
        printed.pixels,
        rng,
        PLANS["good"](rng),
        text_height_px=printed.text_height_px,
        ink_contrast=printed.ink_contrast,
    ).photo


def write(folder: Path, count: int, seed: int) -> None:
    """A labelled folder of so many photos; their type must be described already, or be in the folder."""
    describe_types(folder)
    with labelled_folder.Writer(folder) as writer:
        for number in range(count):
            slip = make(Random(f"{seed}/{number}"))
            photo = photograph(slip, np.random.default_rng((seed, number)))
            writer.add(f"{number:04}", photo, "weighing_slip", slip.fields)
