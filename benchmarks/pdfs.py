"""Measure how fast PDFs with a text layer are read, and whether memory stays flat, and write docs/pdf-speed.md.

Everything is measured twice, each time in a process of its own: with all instructions of the processor, and in float32,
without its bfloat16 instructions, which most processors lack. A limit to AVX2 ends OpenVINO 2026.4 with a segmentation
fault on processors that have AVX-512.

    python -m benchmarks.pdfs [--data FOLDER] [--files 2000] [--out docs/pdf-speed.md]

The same pages are read twice in this process, in turn: from the PDF with its text layer, and from a PDF of pictures of
the pages, which must be recognised. FOLDER holds PDFs of your own; without it, invoices are written for the purpose.
"""

import argparse
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pypdfium2

from benchmarks.environment import describe_environment
from benchmarks.pages import page_template
from benchmarks.service_process import ROOT
from docextract.client import Client
from docextract.images.decoding import decode_upload
from docextract.images.limits import DecodingLimits
from docextract.images.uploads import Refusal
from docextract.processors import LIMIT_VARIABLE
from docextract.serving import local
from docextract.serving.local import LocalModels
from docextract.settings import Settings
from tests.images.text_pdfs import text_pdf, words

LONG_PAGES = 10
WARM_UP_FILES = (
    200  # before memory is compared: libraries fill their caches, and processes are replaced every 200 files
)
MEMORY_SAMPLES = 20
WRITTEN_FILES = 8
DPI = 188  # of the pictures, as pages are drawn for extraction
LIMITED_ISA = "AVX512_CORE"
TEMPLATE = "pdfs.md.j2"


@dataclass(frozen=True)
class PdfTimes:
    """One PDF, read in both ways; seconds for all of its pages."""

    name: str
    pages: int
    embedded_pages: int  # whose text layer was used
    embedded_s: float
    recognised_s: float


@dataclass(frozen=True)
class PdfResults:
    """All results. memory_mb: of this process and its decoders, after WARM_UP_FILES and later at equal distances."""

    times: Sequence[PdfTimes]
    long_s: float  # of a PDF of LONG_PAGES pages
    memory_files: int
    memory_mb: Sequence[float]

    @property
    def text_layer_times(self) -> list[PdfTimes]:
        """The files of which every page has a text layer that was used."""
        return [one for one in self.times if one.embedded_pages == one.pages]

    @property
    def ratio(self) -> float:
        """How many times faster a page is read from its text layer, the pages of all files together."""
        used = self.text_layer_times
        return sum(one.recognised_s for one in used) / sum(one.embedded_s for one in used)

    def page_s(self, way: str) -> float:
        """Return the median seconds per page. way: embedded or recognised."""
        return float(np.median([getattr(one, f"{way}_s") / one.pages for one in self.text_layer_times]))


def written_invoice(number: int, pages: int = 1) -> bytes:
    """Return the PDF of an invoice with forty rows per page."""
    contents = []
    for page in range(pages):
        text = words("Harbour Supplies Ltd", 60, 790, 16) + words("1 Quay Street, Bristol BS1 4RN", 60, 772, 9)
        text += words(f"Invoice HS-{4000 + number}", 60, 740, 13) + words("Date: 15 March 2026", 400, 740)
        text += words(f"Page {page + 1} of {pages}", 480, 40, 8)
        for row in range(40):
            y, amount = 700 - 15 * row, 12.5 + row + number
            text += words(f"Oak board, planed, {2 + row} m", 60, y, 9) + words("2", 340, y, 9)
            text += words(f"{amount:,.2f}", 400, y, 9) + words(f"{2 * amount:,.2f}", 480, y, 9)
        contents.append(text + words("Total amount due", 340, 80) + words(f"{9000 + number:,.2f} GBP", 470, 80))
    return text_pdf(*contents)


def as_pictures(pdf: bytes) -> bytes:
    """Return a PDF with a picture of each page."""
    pictures = [page.render(scale=DPI / 72).to_pil().convert("RGB") for page in pypdfium2.PdfDocument(pdf)]
    out = io.BytesIO()
    pictures[0].save(out, "PDF", save_all=True, append_images=pictures[1:], resolution=DPI, quality=90)
    return out.getvalue()


def measure(folder: Path | None, files: int) -> PdfResults:
    """Run all measurements."""
    pdfs = list(_own_pdfs(folder) if folder else _written_pdfs())
    models = LocalModels(Settings().models_folder)
    models.load("quality", "extraction")
    with local.client(models) as client:
        _read(client, written_invoice(0))
        times = [_measure_pdf(client, name, pdf) for name, pdf in pdfs]
        long = written_invoice(1, LONG_PAGES)
        long_s = min(_read(client, long)[0] for _ in range(3))
        memory_mb = list(_memory_over(client, files))
    return PdfResults(times, long_s, files, memory_mb)


def _written_pdfs() -> Iterator[tuple[str, bytes]]:
    for number in range(WRITTEN_FILES):
        yield f"written {number}", written_invoice(number, 1 + number % 2)


def _own_pdfs(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*.pdf")):
        data = path.read_bytes()
        if not isinstance(decode_upload(data, DecodingLimits()), Refusal):
            yield path.stem, data


def _measure_pdf(client: Client, name: str, pdf: bytes) -> PdfTimes:
    pictures = as_pictures(pdf)
    _read(client, pdf)
    embedded_s, sources = _read(client, pdf)
    recognised_s, _ = _read(client, pictures)
    found = PdfTimes(name, len(sources), sources.count("embedded"), embedded_s, recognised_s)
    print(f"{name}: {found.pages} pages, {embedded_s:.2f} s, {recognised_s:.2f} s", flush=True)
    return found


def _read(client: Client, pdf: bytes) -> tuple[float, list[str]]:
    """Return the seconds, and where the text of each page came from."""
    start_s = time.perf_counter()
    answer = client.extract(pdf).model_dump(mode="json")
    return time.perf_counter() - start_s, [image["text_source"] for image in answer["images"]]


def _memory_over(client: Client, files: int) -> Iterator[float]:
    pdfs = itertools.cycle([written_invoice(number) for number in range(20)])
    every = max(1, (files - WARM_UP_FILES) // MEMORY_SAMPLES)
    for done, pdf in enumerate(itertools.islice(pdfs, files)):
        client.validate(pdf) if done % 2 else client.extract(pdf)
        if done >= WARM_UP_FILES and (done - WARM_UP_FILES) % every == 0:
            process = psutil.Process(os.getpid())
            yield sum(one.memory_info().rss for one in [process, *process.children()]) / 1e6


def measured_apart(folder: Path | None, files: int, isa: str) -> PdfResults:
    """Run all measurements in a process of its own. isa: the limit of its instructions; all if empty."""
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary) / "results.json"
        data = ["--data", str(folder)] if folder else []
        command = [sys.executable, "-m", "benchmarks.pdfs", *data, "--files", str(files), "--results", str(out)]
        environment = {**os.environ, **({LIMIT_VARIABLE: isa} if isa else {})}
        subprocess.run(command, check=True, cwd=ROOT, env=environment)
        found = json.loads(out.read_text())
    return PdfResults(**{**found, "times": [PdfTimes(**one) for one in found["times"]]})


def write(path: Path, results: PdfResults, limited: PdfResults, run_info: dict[str, Any], whose: str) -> None:
    """Write the page. limited: measured with LIMITED_ISA."""
    page = page_template(TEMPLATE)
    text = page.render(results=results, limited=limited, run_info=run_info, whose=whose, long_pages=LONG_PAGES)
    path.write_text(text + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pdf-speed.md")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="PDFs of your own")
    parser.add_argument("--files", type=int, default=2000, help="of the memory test (2000)")
    parser.add_argument("--results", type=Path, help="measure in this process, and write the results here as JSON")
    options = parser.parse_args(arguments)
    if options.results:
        options.results.write_text(json.dumps(asdict(measure(options.data, options.files))))
        return
    run_info = describe_environment()
    results = measured_apart(options.data, options.files, "")
    limited = measured_apart(options.data, 0, LIMITED_ISA)
    write(options.out, results, limited, run_info, "real" if options.data else "written for this page")
    for name, one in (("all instructions", results), (LIMITED_ISA, limited)):
        print(f"{name}: {one.ratio:.1f} times faster; {LONG_PAGES} pages in {one.long_s:.2f} s; {one.memory_mb}")


if __name__ == "__main__":
    main()
