"""The commands of docs/deployment.md work: they are run unchanged, one after the other."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from docextract import keys
from docextract.settings import Settings

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "deployment.md"
CLONED = ("service.py", "Makefile", "pyproject.toml", "requirements.lock", "bentofile.yaml", "LICENSE")
RUN_WITHIN_S = 120
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
_NOT_RUN = re.compile(r"not\s+run\s+by\s+the\s+tests\s+\(needs [^)]+\)", re.I)


@dataclass(frozen=True)
class Block:
    """One code block of the page."""

    language: str
    code: str
    run: bool  # false if the paragraph before it says so


def blocks() -> list[Block]:
    text = DOCUMENT.read_text(encoding="utf-8")
    found = []
    for block in _FENCED.finditer(text):
        paragraph = text[: block.start()].rstrip().rpartition("\n\n")[2]
        found.append(Block(*block.groups(), run=not _NOT_RUN.search(paragraph)))
    return found


def file_on_the_page(name: str) -> str:
    """Return the TOML block with this file name in its first line."""
    (found,) = (block.code for block in blocks() if block.language == "toml" and block.code.startswith(f"# {name}"))
    return found


@pytest.fixture
def clone(tmp_path):
    """A folder with the files of a clone that serving needs, and with the virtual environment of the tests."""
    for name in CLONED:
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "src").symlink_to(ROOT / "src")
    (tmp_path / "deploy").symlink_to(ROOT / "deploy")
    shutil.copytree(ROOT / "models", tmp_path / "models")
    environment = tmp_path / ".venv"
    environment.mkdir()
    for part in Path(sys.prefix).iterdir():
        (environment / part.name).symlink_to(part)
    for stamp in (".ready", ".ready-to-serve"):
        (environment / stamp).unlink(missing_ok=True)
        (environment / stamp).touch()
    yield tmp_path
    with contextlib.suppress(FileNotFoundError, psutil.NoSuchProcess):
        first = psutil.Process(int((tmp_path / "docextract.pid").read_text()))
        for process in [*first.children(recursive=True), first]:
            process.kill()


@pytest.mark.processes
@pytest.mark.slow
def test_commands_of_the_page_work(clone):
    """Set up, start, check, reload, drain, stop and pack: unchanged, except for the port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    # make passes its variables on to its children: with VENV, the commands would create another virtual environment.
    of_this_run = ("MAKE", "VENV", "DOCEXTRACT_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(of_this_run)}
    environment |= {"BENTOML_HOME": str(clone / "bentoml"), "DOCEXTRACT_DEVICE": "cpu", "OMP_NUM_THREADS": "1"}
    (clone / "docextract.toml").write_text(file_on_the_page("docextract.toml"))

    for block in blocks():
        if block.language != "sh" or not block.run:
            continue
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", block.code.replace("3000", port)],
            cwd=clone, env=environment, capture_output=True, text=True, timeout=RUN_WITHIN_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{block.code}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
        if "/v1/limits" in block.code:
            assert '"max_images":4' in done.stdout.replace(" ", "")  # from the configuration file of the page

    log = (clone / "docextract.log").read_text()
    assert "Traceback" not in log
    assert not psutil.pid_exists(int((clone / "docextract.pid").read_text()))


def test_every_setting_is_documented_with_its_default():
    """Also settings that were added later."""
    rows = re.findall(r"^\| (`[^|]*) \| ([^|]*) \|", DOCUMENT.read_text(encoding="utf-8"), re.M)
    documented = {}
    for names, values in rows:
        of_each = values.split(", ") if values.count(",") == names.count(",") else [values] * len(names.split(", "))
        documented |= dict(
            zip(names.replace("`", "").split(", "), (value.strip("`") for value in of_each), strict=True)
        )

    for name, field in Settings.model_fields.items():
        assert name in documented, name
        if field.default_factory is None and field.default is not None:
            assert documented[name] == str(field.default), name


def test_configuration_file_of_the_page_is_valid():
    """Its names are names of settings."""
    assert tomllib.loads(file_on_the_page("docextract.toml")).keys() <= Settings.model_fields.keys()


def test_keys_of_the_page_are_valid():
    """Two keys, one with its own rate limit."""
    phone, scanner = keys.parse_keys(file_on_the_page("keys.toml"))

    assert (phone.rate_limit, scanner.rate_limit) == (None, keys.parse_rate_limit("600/minute"))


def test_only_commands_with_special_requirements_are_not_run():
    """They need a container engine, a cluster, a proxy, a supervisor, a GPU or Ray; every other command is run."""
    left_out = [block for block in blocks() if not block.run]
    assert [block.language for block in left_out if block.language != "sh"] == ["ini", "nginx"]
    commands = [block.code for block in left_out if block.language == "sh"]
    assert all(re.search("docker|kubectl|bulk|benchmarks.gpu", one) for one in commands)
    assert sum(block.run for block in blocks() if block.language == "sh") >= 7
