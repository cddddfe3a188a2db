"""The wheel, in an environment that has its requirements but no clone: it extracts and serves with its own models."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
RECEIPT = ROOT / "docs" / "images" / "receipt.jpg"
START_TIMEOUT_S = 90

# Most of them start servers; the others run beside these, so that the wheel is built once.
pytestmark = [pytest.mark.slow, pytest.mark.processes]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The built wheel."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, str(ROOT / "deploy" / "wheel.py"), str(out)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    (wheel,) = out.glob("docextract-*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Path of the installed command. The requirements are those of the tests' environment."""
    environment = tmp_path_factory.mktemp("empty") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "requirements.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, str(wheel)], check=True, env=environment_without_clone(environment))
    return environment / "bin" / "docextract"


def environment_without_clone(folder) -> dict[str, str]:
    own = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DOCEXTRACT", "BENTOML"))
    }
    return {**own, "HOME": str(folder), "OMP_NUM_THREADS": "1"}


def test_the_wheel_has_code_models_and_pins(wheel):
    """And nothing of training, tests or tools."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))

    for model in ("quality", "extraction"):
        assert f"docextract/models/{model}/promoted.toml" in names
        assert f"docextract/models/{model}/weights/model.safetensors" in names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"docextract"}
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert required
    assert all("==" in line for line in required)


def test_the_installed_command_extracts(installed, tmp_path):
    """From an empty folder, with the models in the package."""
    done = subprocess.run(
        [str(installed), "extract", str(RECEIPT), "--json"],
        cwd=tmp_path, env=environment_without_clone(tmp_path), capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode in (0, 1), done.stderr
    answer = json.loads(done.stdout)
    assert answer["documents"][0]["fields"]["total"]["value"]["amount"]
    where = subprocess.run(
        [str(installed.with_name("python")), "-c", "import docextract; print(docextract.__file__)"],
        cwd=tmp_path, env=environment_without_clone(tmp_path), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert str(installed.parents[1]) in where.stdout


def test_the_installed_command_reviews(installed, tmp_path):
    """The address that it prints opens the page; a confirmed receipt is in labels.jsonl; Ctrl+C ends it."""
    (tmp_path / "receipt.jpg").write_bytes(RECEIPT.read_bytes())
    command = [str(installed), "review", str(tmp_path), "--no-browser"]
    process = subprocess.Popen(command, env=environment_without_clone(tmp_path), stdout=subprocess.PIPE, text=True)
    try:
        address = httpx.URL(process.stdout.readline().strip())
        with httpx.Client(base_url=address.join("/"), follow_redirects=True, timeout=60) as browser:
            assert "review/review.js" in browser.get(address).text
            assert browser.get("/review/words/de.json").status_code == 200
            (listed,) = browser.get("/documents").json()
            opened = browser.get(f"/documents/{listed['id']}").json()
            assert browser.get(f"/documents/{listed['id']}/pages/0").headers["content-type"] == "image/jpeg"
            box = {"image": 0, "box": box_around(opened["sheet"]["fields"]["total"]["polygons"])}
            read = browser.post(f"/documents/{listed['id']}/boxes", json=box).json()
            body = {"revision": 0, "file": opened["file"], "reviewed": True, "sheet": opened["sheet"]}
            saved = browser.put(f"/documents/{listed['id']}", json=body)
    finally:
        process.send_signal(signal.SIGINT)
        status = process.wait(60)

    assert saved.status_code == 200, saved.text
    (label,) = map(json.loads, (tmp_path / "labels.jsonl").read_text("utf-8").splitlines())
    assert label["fields"]["total"] in read["text"].replace(",", ".")
    assert status == 0


def box_around(polygons):
    """Left, top, right and bottom of all points."""
    xs, ys = zip(*(point for polygon in polygons for point in polygon), strict=True)
    return [min(xs), min(ys), max(xs), max(ys)]


@contextlib.contextmanager
def serving(installed, folder):
    """The address of `docextract serve`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [str(installed), "serve", "--port", str(port)], cwd=folder, env=environment_without_clone(folder),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until_ready(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture(scope="module")
def address(installed, tmp_path_factory):
    """Of `docextract serve`, started in an empty folder."""
    with serving(installed, tmp_path_factory.mktemp("served")) as found:
        yield found


def test_the_installed_command_serves(address):
    """A typed answer by HTTP."""
    headers = {"content-type": "image/jpeg"}
    answer = httpx.post(f"{address}/v1/extraction", content=RECEIPT.read_bytes(), headers=headers, timeout=60)

    assert answer.json()["documents"][0]["type"] == "receipt"


def wait_until_ready(address, process):
    until = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(f"{address}/readyz", timeout=5).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.3)
    pytest.fail("the service did not start")


def test_the_client_alone_calls_the_service(wheel, address, tmp_path):
    """In an environment that has only its three requirements: no torch, no BentoML, no OpenVINO, no numpy."""
    (client,) = wheel.parent.glob("docextract_client-*.whl")
    assert client.stat().st_size < 100_000
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    python = tmp_path / "env" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-compile", str(client)]
    if subprocess.run(install, capture_output=True, check=False).returncode:
        pytest.skip("the client's requirements cannot be installed here")
    heavy = "numpy torch bentoml openvino cv2"
    absent = f"import importlib.util as u; assert not any(map(u.find_spec, {heavy.split()}))"
    subprocess.run([str(python), "-c", absent], check=True)

    call = (
        "import sys; from docextract.client import Client\n"
        "with Client(sys.argv[1]) as client:\n"
        "    (document,) = client.extract(sys.argv[2]).documents\n"
        "print(document.type, document.fields['total'].value['amount'])"
    )
    done = subprocess.run(
        [str(python), "-c", call, address, str(RECEIPT)], check=True, capture_output=True, text=True, cwd=tmp_path
    )

    assert done.stdout.split() == ["receipt", "88.26"]
