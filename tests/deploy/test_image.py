"""Tests of the image without a container engine: its content, and its command run as the image would run it.

It runs with the environment of the tests. `make check-image` builds and runs the image itself, where the tools for that
are installed.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
RECEIPT = ROOT / "docs" / "images" / "receipt.jpg"
PACKED_FILES = ("service.py", "Makefile", "pyproject.toml", "requirements.lock", "bentofile.yaml", "LICENSE", "NOTICE")
VENV = Path(sys.prefix)
START_TIMEOUT_S, STOP_TIMEOUT_S = 90, 30


@dataclass(frozen=True)
class DockerfileContent:
    """What the Dockerfile defines for a container."""

    environment: dict[str, str]
    user: int
    command: list[str]
    health: list[str]
    copied: list[str]  # source paths of COPY, inside the Bento

    @staticmethod
    def read() -> "DockerfileContent":
        text = re.sub(r"\\\n\s*", "", DOCKERFILE.read_text())
        (variables,) = re.findall(r"^ENV (.*)$", text, re.M)
        return DockerfileContent(
            dict(pair.split("=", 1) for pair in variables.split()),
            int(re.findall(r"^USER (\d+):\d+$", text, re.M)[0]),
            json.loads(re.findall(r"^CMD (.*)$", text, re.M)[0]),
            json.loads(re.findall(r"^HEALTHCHECK .*? CMD (.*)$", text, re.M)[0]),
            re.findall(r"^COPY (?!--from)(\S+) ", text, re.M),
        )


def test_image_needs_no_compiler_and_no_system_package():
    """Only wheels are installed."""
    text = DOCKERFILE.read_text()

    assert "--only-binary :all:" in text
    assert "apt-get" not in text
    assert "USER 1034" in text


def test_dockerfile_passes_hadolint():
    """hadolint reports nothing."""
    linter = shutil.which("hadolint", path=Path(sys.executable).parent)
    if linter is None:
        pytest.skip("there is no hadolint for this machine")

    done = subprocess.run([linter, str(DOCKERFILE)], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


def test_image_has_only_packages_of_serving():
    """The image has no package of tests, linting or training, and every pin comes from the lock file."""
    command = [sys.executable, str(ROOT / "deploy" / "requirements.py")]

    plain, donut = (
        subprocess.run([*command, *groups], capture_output=True, text=True, check=True).stdout.splitlines()
        for groups in ((), ("donut",))
    )

    names = {line.partition("==")[0].lower() for line in plain}
    assert {"bentoml", "torch", "rapidocr", "starlette", "markupsafe"} <= names
    assert not {"pytest", "mypy", "ruff", "playwright", "accelerate", "transformers", "ray"} & names
    assert set(plain) < set(donut) <= set((ROOT / "requirements.lock").read_text().splitlines())
    assert any(line.startswith("transformers==") for line in donut)


@dataclass(frozen=True)
class Container:
    """The image's command, running outside a container."""

    url: str
    process: subprocess.Popen[bytes]
    tmp_folder: Path  # stands for /tmp of the image, the only writable folder
    health: list[str]
    environment: dict[str, str]

    def is_healthy(self) -> bool:
        return subprocess.run(self.health, env=self.environment, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def work_folder():
    """A folder that every user may read, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="docextract-image-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="module")
def bento(work_folder):
    """The Bento that `make bento` packs: the build context of the image."""
    clone = work_folder / "clone"
    clone.mkdir()
    for name in PACKED_FILES:
        shutil.copy(ROOT / name, clone)
    for folder in ("src", "models", "deploy"):
        shutil.copytree(ROOT / folder, clone / folder, ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {"BENTOML_HOME": str(work_folder / "home")}
    ready = f"{sys.prefix}/.ready"  # -o keeps make from creating another environment
    command = ["make", "bento", f"VENV={sys.prefix}", "-o", ready]
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = (work_folder / "home" / "bentos" / "docextract").glob("*/bento.yaml")
    shutil.copytree(found.parent, work_folder / "opt")
    subprocess.run(["chmod", "-R", "a+rX", work_folder / "opt"], check=True)  # same as in the Dockerfile
    return work_folder / "opt"


@pytest.fixture(scope="module")
def container(work_folder, bento):
    """The command as uid 1034 if this process may change the user, with the image's environment only."""
    dockerfile = DockerfileContent.read()
    tmp_folder = work_folder / "tmp"
    tmp_folder.mkdir(mode=0o777)
    tmp_folder.chmod(0o777)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])

    local_paths = {
        "/opt/docextract": bento,
        "/opt/venv": VENV,
        "/tmp": tmp_folder,
        "$PATH": os.defpath,
        ":3000": f":{port}",
    }

    def to_local_path(text: str) -> str:
        return re.sub(r"/opt/docextract|/opt/venv|^/tmp|\$PATH|:3000", lambda found: str(local_paths[found[0]]), text)

    environment = {name: to_local_path(value) for name, value in dockerfile.environment.items()} | {
        "HOME": str(tmp_folder)
    }
    as_user = ["setpriv", f"--reuid={dockerfile.user}", f"--regid={dockerfile.user}", "--clear-groups"]
    # Only root can do that, and only if other users may read the folder of this Python.
    probe_command = [*as_user, "sh", "-c", f"{VENV}/bin/python -c pass"]
    can_change_user = os.geteuid() == 0 and shutil.which("setpriv") is not None
    runs_as_user = can_change_user and subprocess.run(probe_command, capture_output=True, check=False).returncode == 0
    command = [to_local_path(part) for part in (*dockerfile.command, "--port", port)]
    command[0] = str(VENV / "bin" / command[0])
    health = [str(VENV / "bin" / dockerfile.health[0]), *map(to_local_path, dockerfile.health[1:])]
    with (work_folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*(as_user if runs_as_user else []), *command], env=environment, cwd=bento, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield Container(f"http://127.0.0.1:{port}", process, tmp_folder, health, environment)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.processes  # it runs beside the next one, so that the Bento is packed once
@pytest.mark.slow
def test_build_context_is_complete(bento):
    """Every file that the Dockerfile copies is in the Bento, and the weights are there once."""
    assert all((bento / name).exists() for name in DockerfileContent.read().copied)
    weights = sorted(f"{path.parent.parent.name}/{path.name}" for path in bento.rglob("*.safetensors"))
    assert weights == [
        "extraction/language.safetensors", "extraction/model.safetensors", "extraction/reader.safetensors",
        "extraction/type_words.safetensors", "extraction/zones.safetensors", "quality/model.safetensors",
    ]  # fmt: skip
    assert {path.name for path in (bento / "src").iterdir()} == {
        "service.py", "src", "models", "LICENSE", "NOTICE", "bentofile.yaml",
    }  # fmt: skip


@pytest.mark.processes
@pytest.mark.slow
def test_image_serves_drains_and_stops(container, bento, work_folder):
    """Both endpoints answer, the health check agrees, only /tmp is written, and SIGTERM ends it cleanly."""
    started, packed = time.monotonic(), sorted(bento.rglob("*"))
    while not container.is_healthy():
        assert container.process.poll() is None, (work_folder / "log").read_text()[-6000:]
        assert time.monotonic() - started < START_TIMEOUT_S, (work_folder / "log").read_text()[-6000:]
        time.sleep(0.2)
    photo, headers = RECEIPT.read_bytes(), {"content-type": "image/jpeg"}
    with httpx.Client(base_url=container.url, timeout=60) as client:
        verdict = client.post("/validation", content=photo, headers=headers).json()
        answer = client.post("/extraction", content=photo, headers=headers).json()

    assert verdict["accepted"]
    assert answer["documents"][0]["fields"]["total"]["value"]["amount"] == "88.26"

    (container.tmp_folder / "drain").touch()
    assert not container.is_healthy()
    container.process.terminate()
    assert container.process.wait(STOP_TIMEOUT_S) == 0
    assert sorted(bento.rglob("*")) == packed
