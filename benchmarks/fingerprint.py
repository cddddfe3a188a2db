"""Hash the answers and the generated pages, to show that a change of structure changed no behaviour.

    python -m benchmarks.fingerprint before.json                      # write the digests
    python -m benchmarks.fingerprint after.json --compare before.json # exits with 1 where one differs

Digests are equal only on one machine with the same versions, processor features and typefaces: compare two commits
there. What is hashed: the bodies of /validation and /extraction for the synthetic photos of the repository, and for
each document type generated records, printed pages, simulated photos and training examples of the layout network.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from docextract.documents import document_types
from docextract.serving import local
from docextract.settings import Settings
from training.synth.examples import PhotoExamples, printable
from training.tasks.layout.pages import page_from_sheet, page_of_other_type, shape_for_types

ROOT = Path(__file__).resolve().parents[1]
PHOTO_FOLDERS = ("src/docextract/demo/samples", "docs/images/accuracy")
PHOTOS = ("docs/images/receipt.jpg",)
GENERATED_PER_TYPE = 4
INCLUDE = ("polygons", "verdict", "lines")
UNSTABLE = frozenset({"request_id", "timings_ms", "timings", "version", "versions"})  # differ between equal runs


def photo_paths() -> list[Path]:
    """The synthetic photos of the repository, sorted by name."""
    return [ROOT / name for name in PHOTOS] + [
        path for folder in PHOTO_FOLDERS for path in sorted((ROOT / folder).glob("*.jpg"))
    ]


def digest(value: object) -> str:
    """SHA-256 of a value; arrays by shape, type and bytes, all others by their repr."""
    if isinstance(value, np.ndarray):
        return hashlib.sha256(f"{value.shape}{value.dtype}".encode() + value.tobytes()).hexdigest()
    return hashlib.sha256(repr(value).encode()).hexdigest()


def stable(body: Any) -> Any:
    """A response body without the members that differ between two equal requests."""
    if isinstance(body, dict):
        return {name: stable(value) for name, value in body.items() if name not in UNSTABLE}
    return [stable(value) for value in body] if isinstance(body, list) else body


def answers() -> Iterator[tuple[str, str]]:
    """One digest per photo and operation."""
    settings = Settings()
    with local.client(local.LocalModels(settings.models_folder), settings) as client:
        for path in photo_paths():
            for name, ask in (("validation", client.validate), ("extraction", client.extract)):
                options = {"include": INCLUDE} if name == "extraction" else {}
                body = ask(path, **options).model_dump(mode="json")
                yield f"{name}/{path.name}", digest(json.dumps(stable(body), sort_keys=True))


def generated() -> Iterator[tuple[str, str]]:
    """Digests of what the generator makes, by type and seed."""
    names = [kind.name for kind in printable()]
    shape = shape_for_types(names, ("EUR", "USD"))
    for name in names:
        kind = document_types()[name]
        examples = PhotoExamples(seed=5, kinds=[kind])
        for number in range(GENERATED_PER_TYPE):
            example = examples[number]
            yield f"record/{name}/{number}", digest(example.record)
            yield f"printed/{name}/{number}", digest(example.printed.pixels)
            yield f"photo/{name}/{number}", digest(example.shot.photo)
        for seed in range(5 * GENERATED_PER_TYPE):
            page = page_from_sheet(kind, shape, seed)
            yield f"example/{name}/{seed}", digest((page.page.pieces, page.target.allowed.tobytes()))
    yield "example/other", digest(page_of_other_type(shape, 3).page.pieces)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write all digests, and compare them with an earlier run's; see the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--compare", type=Path, metavar="FILE", help="digests of an earlier run")
    parser.add_argument("--only", choices=("answers", "generated"))
    options = parser.parse_args(arguments)
    parts = {"answers": answers, "generated": generated}
    found = {name: value for part, run in parts.items() if options.only in (None, part) for name, value in run()}
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} digests, all of them together {digest(sorted(found.items()))[:16]}")
    if options.compare:
        before = json.loads(options.compare.read_text(encoding="utf-8"))
        changed = [name for name in found if before.get(name) != found[name]]
        print("\n".join(f"differs: {name}" for name in changed) or "equal to the digests compared with")
        sys.exit(bool(changed))


if __name__ == "__main__":
    main()
