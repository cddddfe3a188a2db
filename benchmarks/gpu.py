"""Measure the service on a GPU, beside the same machine's processor; write docs/gpu.md.

    python -m benchmarks.gpu FOLDER [FOLDER ...] [--out docs/gpu.md]

The labelled photos of all folders are read without HTTP, by the processor and by the GPU with several numbers of photos
per request, and then over HTTP. Without a GPU the command ends with an error.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import torch

from benchmarks.environment import describe_environment
from benchmarks.offline import GPU_IMAGES_PER_REQUEST, OfflineResult, measure_in_subprocess
from benchmarks.pages import page_template
from benchmarks.performance import SERVICE_SETTINGS
from benchmarks.service_process import ROOT, running_service
from benchmarks.throughput import REQUEST_TIMEOUT_S, EncodedPhoto, LoadResult, print_load, run_closed_loop
from training.datasets import labelled_folder, pictures

TEMPLATE = "gpu.md.j2"
SYSTEMS = ("batches", *(f"gpu_{count}" for count in GPU_IMAGES_PER_REQUEST))
LOADS = (("validation", 32), ("extraction", 1), ("extraction", 8), ("extraction", 32))
WORKERS = (1, 4)  # processes of the extraction runner, which share the GPU
WINDOW_S = 6.0


def measure_over_http(
    photos: Sequence[EncodedPhoto], workers: int, loads: Sequence[tuple[str, int]]
) -> list[LoadResult]:
    """Return the result of each load, in its order. workers: processes of the extraction runner."""
    settings = {**SERVICE_SETTINGS, "DOCEXTRACT_DEVICE": "cuda", "DOCEXTRACT_EXTRACTION_WORKERS": str(workers)}
    results = []
    with running_service(settings) as service:
        for operation, clients in loads:
            result = run_closed_loop(
                service, lambda: httpx.Client(base_url=service.address, timeout=REQUEST_TIMEOUT_S), operation, photos,
                clients, WINDOW_S,
            )  # fmt: skip
            print_load(result, f"{workers} workers")
            results.append(result)
    return results


def join_folders(folders: Sequence[Path], joined: Path) -> Path:
    """Copy the labelled photos of all folders into one."""
    with labelled_folder.LabelledFolderWriter(joined) as writer:
        for folder in folders:
            for page in labelled_folder.load(folder)[0]:
                writer.copy(page)
    return joined


def encode(photo: Path) -> EncodedPhoto:
    """Return a stored photo as it is sent."""
    height, width = pictures.load(photo).shape[:2]
    return EncodedPhoto(photo.read_bytes(), width, height)


def write(
    out: Path, offline: Sequence[OfflineResult], loads: Sequence[tuple[int, LoadResult]], info: dict[str, Any]
) -> None:
    """Write the page. loads: number of workers and result."""
    out.write_text(page_template(TEMPLATE).render(offline=offline, loads=loads, info=info), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="a labelled folder")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "gpu.md")
    options = parser.parse_args(arguments)
    if not torch.cuda.is_available():
        parser.error("PyTorch finds no GPU here")
    info = describe_environment() | {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__}
    with tempfile.TemporaryDirectory() as temporary:
        folder = join_folders(options.folders, Path(temporary, "photos"))
        offline = [measure_in_subprocess(name, folder) for name in SYSTEMS]
        photos = [encode(page.image) for page in labelled_folder.load(folder)[0]]
        loads = [
            (workers, result)
            for workers in WORKERS
            for result in measure_over_http(photos, workers, LOADS if workers == 1 else LOADS[-1:])
        ]
    write(options.out, offline, loads, info | {"photos": len(photos)})
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
