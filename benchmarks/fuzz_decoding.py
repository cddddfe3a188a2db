"""Fuzz the image decoder with Atheris, which mutates files towards code that no file has reached yet.

A file that breaks an assertion or takes too long stays in the folder as crash-... or timeout-...; add a test for it.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["docextract", "PIL"]):
    from docextract.images import decoding
    from docextract.images.limits import DecodingLimits
    from docextract.images.uploads import Refusal

from tests.images import hostile_files

LIMITS = DecodingLimits(max_pixels=2_000_000, max_side_px=4_000)  # small limits, for more files per second
MAX_FILE_S = 30
MAX_MEMORY_MB = 1_500


def check_file(data: bytes) -> None:
    """Decode a file and check that the result is pages within the limits, or a refusal with a reason."""
    decoded = decoding.decode_upload(data, LIMITS)
    if isinstance(decoded, Refusal):
        assert decoded.detail
        return
    for page in decoded.pages:
        height, width, channels = page.pixels.shape
        assert channels == 3
        assert height * width <= LIMITS.max_pixels or data[:1024].count(b"%PDF-")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the fuzzer. The exit status is not 0 if a file was found."""
    parser = argparse.ArgumentParser(epilog="python -m benchmarks.fuzz_decoding --seconds 120")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="folder of initial and found files")
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
            f"-timeout={MAX_FILE_S}",
            f"-rss_limit_mb={MAX_MEMORY_MB}",
            "-print_final_stats=1",
        ],
        check_file,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
