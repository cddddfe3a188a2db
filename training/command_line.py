"""The command line options that all training programs share."""

import argparse
import logging
import os
from pathlib import Path
from typing import TypeVar

import cv2
import torch

from docextract.settings import models_folder_of
from training import typefaces
from training.loop import Settings

SettingsT = TypeVar("SettingsT", bound=Settings)


def argument_parser(description: str | None, default_out: Path | None = None) -> argparse.ArgumentParser:
    """A parser with CONFIG, --out and --threads; a program adds its own options."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path, help="settings of the run, see training/configs")
    parser.add_argument(
        "--out", type=Path, required=default_out is None, default=default_out,
        help="folder of the run; a run that was stopped is resumed",
    )  # fmt: skip
    parser.add_argument("--threads", type=int, help="of torch; one if not given")
    return parser


def add_models_option(parser: argparse.ArgumentParser, purpose: str = "the served models") -> None:
    """Add --models; without it the service's setting DOCEXTRACT_MODELS_DIR decides."""
    parser.add_argument(
        "--models",
        type=Path,
        default=models_folder_of(os.environ, Path()),
        help=f"{purpose} (DOCEXTRACT_MODELS_DIR, or models)",
    )


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the pages that networks for reading learn from, and the extraction weights that they are stored next to."""
    parser.add_argument("--sroie", type=Path, required=True, metavar="ROOT")
    parser.add_argument("--surfaces", type=Path, help="pictures of table tops; synthetic if not given")
    parser.add_argument("--workers", type=int, default=0, help="additional processes that make batches, for a GPU")
    parser.add_argument(
        "--extraction", type=Path, metavar="WEIGHTS", help="extraction weights that are copied to OUT/weights"
    )


def prepare(options: argparse.Namespace, settings_type: type[SettingsT], draws_pages: bool = True) -> SettingsT:
    """Set up logging, threads and OUT, with a copy of the settings file. Returns the settings.

    draws_pages: record the typefaces in OUT; raises TypefaceError if a resumed run began with others.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    torch.set_num_threads(options.threads or 1)
    cv2.setNumThreads(1)
    settings = settings_type.read(options.config)
    options.out.mkdir(parents=True, exist_ok=True)
    if draws_pages:
        typefaces.record(options.config, options.out)
    (options.out / "config.toml").write_bytes(options.config.read_bytes())
    return settings
