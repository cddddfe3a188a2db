"""The image without a container engine: what goes into it, and its command run as the image would run it.

Here it runs with the environment that runs the tests; `make check-image` lets it run with one that holds only what the
image holds (IMAGE_VENV), and prints how large that is and how soon it answers.
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
PACKED = ("service.py", "Makefile", "pyproject.toml", "requirements.lock", "bentofile.yaml", "LICENSE", "NOTICE")
VENV = Path(os.environ.get("IMAGE_VENV", sys.prefix)).absolute()
START_WITHIN_S, STOP_WITHIN_S = 90, 30


@dataclass(frozen=True)
class Recipe:
    """What the Dockerfile says of a container."""

    environment: dict[str, str]
    user: int
    command: list[str]
    health: list[str]
    copied: list[str]  # from the Bento

    @staticmethod
    def read() -> "Recipe":
        text = re.sub(r"\\\n\s*", "", DOCKERFILE.read_text())
        (variables,) = re.findall(r"^ENV (.*)$", text, re.M)
        return Recipe(
            dict(pair.split("=", 1) for pair in variables.split()),
            int(re.findall(r"^USER (\d+):\d+$", text, re.M)[0]),
            json.loads(re.findall(r"^CMD (.*)$", text, re.M)[0]),
            json.loads(re.findall(r"^HEALTHCHECK .*? CMD (.*)$", text, re.M)[0]),
            re.findall(r"^COPY (?!--from)(\S+) ", text, re.M),
        )


def test_nothing_is_compiled_and_no_system_package_added():
    """Wheels alone: so no compiler has to come in, or go out again."""
    text = DOCKERFILE.read_text()

    assert "--only-binary :all:" in text
    assert "apt-get" not in text
    assert "USER 1034" in text


def test_the_dockerfile_is_in_order():
    """As hadolint has it."""
    linter = shutil.which("hadolint", path=Path(sys.executable).parent)
    if linter is None:
        pytest.skip("there is no hadolint for this machine")

    done = subprocess.run([linter, str(DOCKERFILE)], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


def test_an_image_holds_what_serving_needs_and_nothing_else():
    """Walked from pyproject.toml: no test, no linter and no training in it, and every pin is the lock's."""
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
    """The image's command, running outside of one."""

    url: str
    process: subprocess.Popen[bytes]
    scratch: Path  # what is /tmp in the image, the only place that can be written
    health: list[str]
    environment: dict[str, str]

    def healthy(self) -> bool:
        return subprocess.run(self.health, env=self.environment, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def place():
    """A folder that every user may look into, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="docextract-image-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="module")
def bento(place):
    """What `make bento` packs, which is the image's build context."""
    clone = place / "clone"
    clone.mkdir()
    for name in PACKED:
        shutil.copy(ROOT / name, clone)
    for folder in ("src", "models", "deploy"):
        shutil.copytree(ROOT / folder, clone / folder, ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {"BENTOML_HOME": str(place / "home")}
    ready = f"{sys.prefix}/.ready"  # -o keeps make from setting up another environment
    command = ["make", "bento", f"VENV={sys.prefix}", "-o", ready]
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = (place / "home" / "bentos" / "docextract").glob("*/bento.yaml")
    shutil.copytree(found.parent, place / "opt")
    subprocess.run(["chmod", "-R", "a+rX", place / "opt"], check=True)  # as the Dockerfile does
    return place / "opt"


@pytest.fixture(scope="module")
def container(place, bento):
    """As uid 1034 where we may choose, with the image's environment and nothing of ours."""
    recipe = Recipe.read()
    scratch = place / "tmp"
    scratch.mkdir(mode=0o777)
    scratch.chmod(0o777)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])

    places = {"/opt/docextract": bento, "/opt/venv": VENV, "/tmp": scratch, "$PATH": os.defpath, ":3000": f":{port}"}

    def here(text: str) -> str:
        return re.sub(r"/opt/docextract|/opt/venv|^/tmp|\$PATH|:3000", lambda found: str(places[found[0]]), text)

    environment = {name: here(value) for name, value in recipe.environment.items()} | {"HOME": str(scratch)}
    as_user = ["setpriv", f"--reuid={recipe.user}", f"--regid={recipe.user}", "--clear-groups"]
    # Only root can, and only where others may look into the folder that this Python lives in.
    look = [*as_user, "sh", "-c", f"{VENV}/bin/python -c pass"]
    may = os.geteuid() == 0 and shutil.which("setpriv") is not None
    changes = may and subprocess.run(look, capture_output=True, check=False).returncode == 0
    command = [here(part) for part in (*recipe.command, "--port", port)]
    command[0] = str(VENV / "bin" / command[0])
    health = [str(VENV / "bin" / recipe.health[0]), *map(here, recipe.health[1:])]
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(
            [*(as_user if changes else []), *command], env=environment, cwd=bento, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield Container(f"http://127.0.0.1:{port}", process, scratch, health, environment)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_the_build_context_is_complete(bento):
    """Every file that the Dockerfile copies is in the Bento, and one copy of the weights."""
    assert all((bento / name).exists() for name in Recipe.read().copied)
    weights = sorted(f"{path.parent.parent.name}/{path.name}" for path in bento.rglob("*.safetensors"))
    assert weights == [
        "extraction/language.safetensors", "extraction/model.safetensors", "extraction/reader.safetensors",
        "extraction/zones.safetensors", "quality/model.safetensors",
    ]  # fmt: skip
    assert {path.name for path in (bento / "src").iterdir()} == {
        "service.py", "src", "models", "LICENSE", "NOTICE", "bentofile.yaml",
    }  # fmt: skip


@pytest.mark.processes
def test_it_serves_drains_and_stops(container, bento, place, capsys):
    """Both endpoints answer, its health check agrees, nothing is written but in /tmp, and SIGTERM ends it cleanly."""
    started, packed = time.monotonic(), sorted(bento.rglob("*"))
    while not container.healthy():
        assert container.process.poll() is None, (place / "log").read_text()[-6000:]
        assert time.monotonic() - started < START_WITHIN_S, (place / "log").read_text()[-6000:]
        time.sleep(0.2)
    with capsys.disabled():
        print(f"\nfrom start to ready: {time.monotonic() - started:.1f} s")
    photo, headers = RECEIPT.read_bytes(), {"content-type": "image/jpeg"}
    with httpx.Client(base_url=container.url, timeout=60) as client:
        verdict = client.post("/validation", content=photo, headers=headers).json()
        answer = client.post("/extraction", content=photo, headers=headers).json()

    assert verdict["accepted"]
    assert answer["documents"][0]["fields"]["total"]["value"]["amount"] == "88.26"

    (container.scratch / "drain").touch()
    assert not container.healthy()
    container.process.terminate()
    assert container.process.wait(STOP_WITHIN_S) == 0
    assert sorted(bento.rglob("*")) == packed
