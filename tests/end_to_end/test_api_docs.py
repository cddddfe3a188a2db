"""The examples of docs/api.md work: each is run against a running service and prints the documented output."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from PIL import Image, ImageFilter

from docextract.pipeline.options import ExtractionOptions
from docextract.pipeline.problems import CODES
from docextract.quality.criteria import CRITERION_NAMES
from tests.end_to_end.excerpts import assert_within

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "api.md"
ADDRESS = "http://127.0.0.1:3000"
RUN_WITHIN_S = 60
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Example:
    """A block of code, and the following block with its output."""

    language: str
    code: str
    kind: str = ""  # of the output: "json", an excerpt; "text", complete
    printed: str = ""
    line: int = 0


def examples() -> list[Example]:
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = list(_FENCED.finditer(text))
    found = []
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        language, code = block.groups()
        if language in ("sh", "python", "js"):
            kind, printed = following.groups() if following else ("", "")
            has_output = kind in ("json", "text") and "## " not in text[block.end() : following.start()]
            line = text.count("\n", 0, block.start()) + 1
            found.append(Example(language, code, *((kind, printed) if has_output else ("", "")), line=line))
    return found


def node_of_n8n() -> dict:
    (text,) = (code for language, code in _FENCED.findall(DOCUMENT.read_text(encoding="utf-8")) if "n8n-nodes" in code)
    (node,) = json.loads(text)["nodes"]
    return node


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files of the examples."""
    here = tmp_path_factory.mktemp("examples")
    receipt = Image.open(ROOT / "docs" / "images" / "receipt.jpg")
    blurred = receipt.filter(ImageFilter.GaussianBlur(6))
    shutil.copy(ROOT / "docs" / "images" / "receipt.jpg", here / "receipt.jpg")
    blurred.save(here / "blurred.jpg", quality=90)
    receipt.save(here / "scan.pdf", save_all=True, append_images=[blurred])
    (here / "scans").mkdir()
    shutil.copy(here / "receipt.jpg", here / "scans" / "1.jpg")
    (here / "scans" / "2.jpg").write_bytes(b"no picture")
    return here


COMMANDS = {
    "sh": ["bash", "-e", "-o", "pipefail", "-c"],
    "python": [sys.executable, "-c"],
    "js": ["node", "--input-type=module", "-e"],
}


@pytest.mark.processes
@pytest.mark.parametrize("example", examples(), ids=lambda example: f"{example.language}-{example.line}")
def test_example_prints_the_documented_output(shipped, folder, example):
    """Run unchanged, except for the URL."""
    command = COMMANDS[example.language]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed here")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    code = example.code.replace(ADDRESS, shipped.url)

    done = subprocess.run(
        [*command, code], cwd=folder, env=environment, capture_output=True, text=True, timeout=RUN_WITHIN_S, check=False
    )

    assert done.returncode == 0, done.stderr
    if example.kind == "json":
        assert_within(json.loads(example.printed), json.loads(done.stdout))
    elif example.kind == "text":
        assert sorted(done.stdout.splitlines()) == sorted(
            example.printed.splitlines()
        )  # the order depends on which request is finished first
    else:
        assert done.stdout.strip()


@pytest.mark.processes
def test_request_of_the_n8n_node_is_answered(shipped, folder):
    """The request of this node is sent with httpx: n8n does not run in the tests."""
    has_output = node_of_n8n()["parameters"]
    assert has_output["contentType"] == "multipart-form-data"
    parts = has_output["bodyParameters"]["parameters"]
    files = [
        (part["name"], (folder / "receipt.jpg").read_bytes())
        for part in parts
        if part.get("parameterType") == "formBinaryData"
    ]
    fields = {part["name"]: part["value"] for part in parts if "value" in part}

    response = httpx.request(
        has_output["method"], has_output["url"].replace(ADDRESS, shipped.url), files=files, data=fields,
        timeout=has_output["options"]["timeout"] / 1000,
    )  # fmt: skip

    assert response.json()["documents"][0]["fields"]["total"]["value"]["amount"] == "88.26"


@pytest.mark.parametrize(
    "names", [CODES, ExtractionOptions.model_fields, CRITERION_NAMES], ids=["codes", "options", "criteria"]
)
def test_page_documents_every_name(names):
    """Every code, option and criterion is on the page."""
    text = DOCUMENT.read_text(encoding="utf-8")

    assert [name for name in names if f"`{name}`" not in text] == []


def test_page_has_examples_in_every_language():
    """No example is skipped because of its format."""
    languages = [example.language for example in examples()]

    assert {language: languages.count(language) >= 2 for language in COMMANDS} == dict.fromkeys(COMMANDS, True)
