"""The contract of the API: docs/openapi.json, the OpenAPI document of the service as it is shipped.

    python -m tests.http.contract

writes it, unless the API has changed without a line in CHANGELOG.md, section API.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from docextract.http.app import create_app
from docextract.registry.ledger import promoted_version
from docextract.settings import Settings
from tests.http.conftest import PlainModels

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = ROOT / "docs" / "openapi.json"
CHANGELOG_MEMBER = "x-changelog"  # digest of the changelog's section on the API when the contract was written


def current_document() -> dict[str, Any]:
    """The OpenAPI document of this code with the default settings and the promoted models."""
    served = {name: promoted_version(name, ROOT / "models") for name in ("quality", "extraction")}
    return json.loads(json.dumps(create_app(PlainModels(), Settings(), served).openapi()))


def read_contract() -> dict[str, Any]:
    """The contract without the digest of the changelog."""
    document = json.loads(CONTRACT.read_text(encoding="utf-8"))
    return {name: value for name, value in document.items() if name != CHANGELOG_MEMBER}


def changelog_digest(text: str) -> str:
    """Digest of the first section on the API."""
    section = text.partition("#### API\n")[2].partition("\n#### ")[0]
    return hashlib.sha256(section.encode()).hexdigest()


def write(path: Path, document: dict[str, Any], changelog: str) -> None:
    """Write the contract. Raises ValueError if it has changed and the changelog has not."""
    digest = changelog_digest(changelog)
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        unchanged_log = before.pop(CHANGELOG_MEMBER) == digest
        if before != document and unchanged_log:
            raise ValueError("the API has changed: add a line to CHANGELOG.md, section API, then run this again")
    path.write_text(json.dumps({CHANGELOG_MEMBER: digest, **document}, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    try:
        write(CONTRACT, current_document(), (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    except ValueError as error:
        sys.exit(str(error))
