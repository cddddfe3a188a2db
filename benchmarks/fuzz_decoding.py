"""Decoding under Atheris: files are changed towards code that no file has reached yet, until one breaks a promise.

A file that does lies in the folder from then on, as crash-… or timeout-…, and is a test to be written.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["docextract", "PIL"]):
    from docextract.images import decoding

from tests.images import hostile_files

LIMITS = decoding.Limits(max_pixels=2_000_000, max_side_px=4_000)  # small, for more files a second
SLOWEST_S = 30
MOST_MEMORY_MB = 1_500


def one(data: bytes) -> None:
    """A page or a refusal, and nothing else."""
    answer = decoding.decode(data, LIMITS)
    if isinstance(answer, decoding.Refusal):
        assert answer.detail
        return
    for page in answer:
        height, width, channels = page.shape
        assert channels == 3
        assert height * width <= LIMITS.max_pixels or data[:1024].count(b"%PDF-")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run for a while. Ends with a status other than 0 where a file was found."""
    parser = argparse.ArgumentParser(epilog="python -m benchmarks.fuzz_decoding --seconds 120")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="of files to begin with and to keep")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, data in {**hostile_files.sound(), **hostile_files.malicious()}.items():
        (options.folder / name.replace(" ", "-")).write_bytes(data)
    atheris.Setup(
        [
            sys.argv[0],
            str(options.folder),
            f"-artifact_prefix={options.folder}/",
            f"-max_total_time={options.seconds}",
            f"-timeout={SLOWEST_S}",
            f"-rss_limit_mb={MOST_MEMORY_MB}",
            "-print_final_stats=1",
        ],
        one,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
