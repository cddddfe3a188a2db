"""A generator for a document type that no shipped model knows: photos of truck scale slips, for tests of retraining.

    python -m tests.renderers.weighing_slips OUT --count 80

writes the labelled folder that a user would bring: photos, labels.jsonl, and the type as a TOML file.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random

import numpy as np

from docextract.documents import register_types
from training.datasets import labelled_folder
from training.synth import printing
from training.synth.camera import simulation
from training.synth.camera.plan import PhotoPlan
from training.synth.sheet import Sheet
from training.synth.typesetting import LineLayout, TextRun

TYPE = "weighing_slip"
DESCRIPTION = """\
description = "What a truck scale prints: who delivered what, and how much it weighed."
required = ["ticket_number", "weighed_on", "net_weight"]

[fields]
ticket_number = "string"
weighed_on = "date"
weighed_at = "time"
plate = "string"
carrier = "company_name"
goods = "string"
gross_weight = "integer"
tare_weight = "integer"
net_weight = "integer"
"""
_CARRIERS = (
    "Hollis Haulage Ltd", "Brightmoor Transport", "Vanterpool & Sons", "Quarry Lane Logistics", "Oster Freight GmbH",
    "Delmar Aggregates", "Northgate Tippers", "Ferris Waste Services", "Kestrel Bulk Carriers", "Aldwyn Recycling",
    "Tamsin Grain Co-op", "Redfern Skip Hire", "Marlowe Timber Ltd", "Pascoe Plant & Haulage", "Ingleby Farms",
)  # fmt: skip
_GOODS = (
    "Crushed limestone 0-40", "Washed sand", "Mixed scrap metal", "Feed wheat", "Green waste", "Topsoil, screened",
    "Wood chips", "Concrete rubble", "Malting barley", "Gravel 8/16", "Glass cullet", "Rapeseed", "Asphalt planings",
    "Cardboard bales", "Sugar beet",
)  # fmt: skip
_LABELS = {
    "ticket_number": ("Ticket No.", "Slip", "Weighing No", "Ticket"),
    "weighed_on": ("Date", "Weighed on", "Date out"),
    "weighed_at": ("Time", "At", "Time out"),
    "plate": ("Vehicle", "Registration", "Truck", "Veh. Reg."),
    "carrier": ("Haulier", "Carrier", "Account", "Customer"),
    "goods": ("Product", "Material", "Goods"),
    "gross_weight": ("Gross", "1st weight", "Gross wt"),
    "tare_weight": ("Tare", "2nd weight", "Tare wt"),
    "net_weight": ("NET", "Net weight", "Nett"),
}
_SITES = (
    "Hatherley Quarry",
    "Weighbridge South",
    "Port of Ellsmere",
    "Millbrook Transfer Station",
    "Silo 4, East Dock",
)


@dataclass(frozen=True)
class Slip:
    """The labels of a slip as in a labelled folder, and its sheet."""

    fields: dict[str, str | None]
    sheet: Sheet


def slip(rng: Random) -> Slip:
    """Generate one slip in the layout of one of several scales."""
    fields, printed = _values(rng)
    shown = {name: text for name, text in printed.items() if fields[name] is not None}
    width = rng.choice((76.0, 82.0, 105.0))
    layout = LineLayout(width, 4.0, rng.uniform(3.0, 3.6), rng.choice((0.0, 1.75)), rng.choice(("mono", "sans")))
    labels = {name: rng.choice(options) for name, options in _LABELS.items()}
    layout.centre([(rng.choice(_SITES), None)], scale=1.2, height=1.2, bold=True)
    if rng.random() < 0.6:
        layout.centre([(f"Scale {rng.randint(1, 6)}  Operator {rng.choice('ABCDEFGH')}{rng.randint(10, 99)}", None)])
    layout.rule()
    rng.choice((_in_rows, _spread))(layout, labels, shown, rng)
    layout.rule()
    layout.left([("Driver ______________________", None)])
    if rng.random() < 0.5:
        layout.centre([("Weighed on a verified scale", None)])
    return Slip(fields, layout.sheet())


def _values(rng: Random) -> tuple[dict[str, str | None], dict[str, str]]:
    """The labels, and the printed texts, by field."""
    day = date(2019, 1, 1) + timedelta(days=rng.randrange(2500))
    clock = f"{rng.randint(5, 19):02}:{rng.randint(0, 59):02}"
    tare = 20 * rng.randint(350, 900)
    net = 20 * rng.randint(100, 1400)
    plate = f"{_letters(rng, 2)}{rng.randint(10, 72)} {_letters(rng, 3)}"
    number = f"{rng.choice(('W', 'WB-', ''))}{rng.randint(10_000, 999_999)}"
    grouped = rng.random() < 0.5
    weights = {"gross_weight": tare + net, "tare_weight": tare, "net_weight": net}
    printed = {
        "ticket_number": number,
        "weighed_on": day.strftime(rng.choice(("%d/%m/%Y", "%d.%m.%Y", "%d %b %Y"))),
        "weighed_at": clock,
        "plate": plate,
        "carrier": rng.choice(_CARRIERS),
        "goods": rng.choice(_GOODS),
        **{name: f"{kilos:,}" if grouped else str(kilos) for name, kilos in weights.items()},
    }
    fields: dict[str, str | None] = {**printed, "weighed_on": day.isoformat(), "weighed_at": f"{clock}:00"}
    fields |= {name: str(kilos) for name, kilos in weights.items()}
    for name in ("weighed_at", "goods", "carrier"):
        if rng.random() < 0.15:
            fields[name] = None
    return fields, printed


def _letters(rng: Random, count: int) -> str:
    return "".join(rng.choice("ABCDEFGHJKLMNPRSTUVWXY") for _ in range(count))


def _runs(name: str, label: str, text: str) -> tuple[list[TextRun], list[TextRun]]:
    unit: list[TextRun] = [(" kg", None)] if name.endswith("_weight") else []
    return [(label, None)], [(text, name), *unit]


def _in_rows(layout: LineLayout, labels: dict[str, str], shown: dict[str, str], rng: Random) -> None:
    """One line per field: label and value."""
    colon = rng.choice((": ", " : "))
    for name, text in shown.items():
        head, tail = _runs(name, labels[name] + colon, text)
        layout.left([*head, *tail], bold=name == "net_weight")


def _spread(layout: LineLayout, labels: dict[str, str], shown: dict[str, str], rng: Random) -> None:
    """Labels at the left, values at the right."""
    edge = rng.choice((1.0, 0.9))
    for name, text in shown.items():
        layout.spread(*_runs(name, labels[name], text), bold=name == "net_weight", right_edge=edge)


def describe(folder: Path) -> None:
    """Write the type's description into the folder and register the type."""
    (folder / "types").mkdir(parents=True, exist_ok=True)
    (folder / "types" / f"{TYPE}.toml").write_text(DESCRIPTION, encoding="utf-8")
    register_types(folder)


def write(out: Path, count: int, seed: int) -> None:
    """Write a labelled folder of careful simulated photos."""
    describe(out)
    with labelled_folder.LabelledFolderWriter(out) as writer:
        for number in range(count):
            rng = np.random.default_rng((seed, number))
            made = slip(Random(int(rng.integers(1 << 62))))
            shot = simulation.take_photo(printing.print_sheet(made.sheet, rng).pixels, rng, PhotoPlan.good())
            writer.add(f"{seed}-{number:03}", shot.photo, TYPE, made.fields)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--seed", type=int, default=80)
    options = parser.parse_args(arguments)
    write(options.out, options.count, options.seed)


if __name__ == "__main__":
    main()
