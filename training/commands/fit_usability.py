"""Fit the usability model to photos of which extraction fails on some, and report how well it works.

    python -m training.commands.fit_usability PHOTOS --weights runs/legibility/weights --page docs/validation.md

PHOTOS is written by training.evaluation.usability_photos, which has also read them with the promoted models. The model
is fitted to all photos and stored next to the weights, to be promoted with them. The page reports models that were
fitted on four fifths of the photos and judge the others (training/evaluation/usability.py).
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from training.command_line import add_models_option
from training.evaluation.evaluate import provenance
from training.evaluation.photo_outcomes import RecordingModels
from training.evaluation.risk import STRICTNESSES, risk_plot
from training.evaluation.usability import (
    EVERYTHING,
    cross_judge,
    read_photos,
    risk_curves,
    usability_figures,
    validation_page,
)
from training.tasks.quality.usability import fit_usability_model


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("--weights", type=Path, required=True, help="quality weights; the model is stored next to them")
    add_models_option(parser)
    parser.add_argument("--page", type=Path, metavar="FILE.md", help="the report; its plot is written next to it")
    parser.add_argument("--scores", type=Path, metavar="FILE.json", help="the figures (default: print them)")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    photos = read_photos(options.photos, RecordingModels(options.models), options.weights)
    made = provenance()
    usability = fit_usability_model(photos)
    usable = sum(photo.usable for photo in photos)
    replace(usability, fitted={**made, "photos": len(photos), "usable": usable}).save(options.weights)
    judged = cross_judge(photos, fit_usability_model)
    figures = usability_figures(judged)
    if options.page:
        plot = options.page.with_suffix(".svg")
        passed: dict[str, float] = {one: figures[EVERYTHING][one]["passed_of_all"] for one in STRICTNESSES}
        plot.write_text(risk_plot(risk_curves(judged), passed))
        command = "python -m training.commands.fit_usability"
        options.page.write_text(validation_page(figures, usability, made, command, plot.name))
    text = json.dumps({"made": made, **figures}, indent=1) + "\n"
    if options.scores:
        options.scores.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
