"""Build the image with buildah and run it without a container engine: its size, start, memory, health and end.

    python deploy/check_image.py cpu gpu --bento DIR [--python-image NAME]

Needs root, buildah, debootstrap, chroot and unshare; STORAGE_DRIVER=vfs where buildah cannot use overlays. The base is
a Debian of debootstrap's with its Python 3.11, unless --python-image names another; pip's configuration of this machine
is mounted during the build. The image's command runs as the image's user with its environment on a read-only root file
system, of which only /tmp is writable.

"cpu" wants the CPU build of PyTorch, from where pip's configuration or PIP_EXTRA_INDEX_URL finds it; "gpu" uses no
folder of local packages, so that PyTorch comes with its CUDA libraries.
"""

import argparse
import ast
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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

ROOT = Path(__file__).parents[1]
RECEIPT = ROOT / "docs" / "images" / "receipt.jpg"
BASE = "docextract-python"
PACKAGES = "python3,python3-venv,python3-pip"
UNNEEDED = ("var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale")
TOOLS = ("buildah", "debootstrap", "chroot", "unshare")
LARGEST_MB = {"cpu": 1500}  # the image for GPUs is as large as PyTorch makes it
PORT = 3000
START_TIMEOUT_S, STOP_TIMEOUT_S = 180, 30
LOCAL_PACKAGES = "find-links"


class CheckError(Exception):
    """The image does not do what it should."""


def run(*command: str | Path) -> str:
    """Return what the command prints. Raises CheckError with its output if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CheckError(f"{' '.join(map(str, command[:3]))} failed: {(done.stdout + done.stderr)[-3000:]}")
    return done.stdout.strip()


def build_base(mirror: str) -> str:
    """Build an image of Debian with Python, unless there is one; return its name."""
    if BASE not in run("buildah", "images", "--format", "{{.Name}}"):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "root")
            run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", root, mirror)
            for name in UNNEEDED:
                shutil.rmtree(root / name, ignore_errors=True)
            (root / "usr/bin/python").symlink_to("python3")
            container = run("buildah", "from", "scratch")
            run("buildah", "add", "--quiet", container, root, "/")
            run("buildah", "commit", "--quiet", "--rm", container, BASE)
    return f"localhost/{BASE}"


def build(bento: Path, python_image: str, variant: str, work: Path) -> str:
    """Build the image as a container engine would; return its name."""
    name = f"docextract:{variant}"
    index = os.environ.get("PIP_EXTRA_INDEX_URL")
    run(
        "buildah", "bud", "--isolation", "chroot", "--network", "host", "--pull-never", "--format", "docker",
        "--build-arg", f"PYTHON_IMAGE={python_image}",
        *(("--build-arg", f"PIP_EXTRA_INDEX_URL={index}") if index and variant == "cpu" else ()),
        *(f"--volume={source}:{target}:ro" for source, target in pip_mounts(variant, work)),
        "--file", ROOT / "deploy" / "Dockerfile", "--tag", name, bento,
    )  # fmt: skip
    return name


def pip_mounts(variant: str, work: Path) -> Iterator[tuple[Path, Path]]:
    """What pip needs in the build: this machine's configuration and certificates, and the paths that they name."""
    listed = run(sys.executable, "-m", "pip", "config", "list").splitlines()
    settings = dict(line.removeprefix("global.").split("=", 1) for line in listed if line.startswith("global."))
    if variant == "gpu":
        settings.pop(LOCAL_PACKAGES, None)
    values = {name: ast.literal_eval(value) for name, value in settings.items()}
    (work / "pip.conf").write_text("[global]\n" + "".join(f"{name} = {value}\n" for name, value in values.items()))
    yield work / "pip.conf", Path("/etc/pip.conf")
    paths = {Path(name) for name in re.findall(r"(?:^|\s)(?:file://)?(/\S+)", " ".join(values.values()))}
    # An index of files links to its packages, which may be in a folder beside it.
    folders = {path.parent if path.name == "simple" else path for path in paths} | {Path("/etc/ssl/certs")}
    yield from ((path, path) for path in folders if path.exists())  # a constraint names a file


def size_of(image: str) -> int:
    """Return the bytes of the image's layers, uncompressed."""
    manifest = json.loads(run("buildah", "inspect", "--type", "image", "--format", "{{.Manifest}}", image))
    return sum(layer["size"] for layer in manifest["layers"])


@dataclass
class Container:
    """The image's command in a namespace of its own, with a read-only root file system."""

    root: Path  # the image's file system
    tmp: Path  # its /tmp, on this machine
    config: Mapping[str, Any]  # as the image has it
    process: subprocess.Popen[bytes] = field(init=False)

    def command(self, of_image: Sequence[str]) -> list[str]:
        """Return what runs a command of the image on this machine."""
        user, _, group = self.config["User"].partition(":")
        mounts = f"""
            mount --make-rprivate / && mount --bind {self.root} {self.root} && mount -o remount,bind,ro {self.root}
            mount --bind {self.tmp} {self.root}/tmp && mount --rbind /dev {self.root}/dev
            mount -t proc proc {self.root}/proc && mount --bind /sys {self.root}/sys
            exec chroot --userspec={user}:{group} {self.root} env -i --chdir={self.config["WorkingDir"]} "$@"
        """
        return [
            "unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", mounts, "sh",
            *self.config["Env"], "HOME=/tmp", *of_image,
        ]  # fmt: skip

    def start(self, log: Path) -> None:
        """Start the image's command. log: what it prints."""
        with log.open("wb") as file:
            self.process = subprocess.Popen(self.command(self.config["Cmd"]), stdout=file, stderr=file)

    def is_healthy(self) -> bool:
        """Run the image's health check once."""
        kind, *test = self.config["Healthcheck"]["Test"]
        if kind != "CMD":
            raise CheckError(f"the health check is no command: {kind}")
        return subprocess.run(self.command(test), capture_output=True, check=False).returncode == 0

    def processes(self) -> list[psutil.Process]:
        """All processes of the image; unshare, the first, is not of it."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def memory_mb(self) -> float:
        """Memory of all processes; pages that they share are counted once (proportional set size)."""
        return sum(process.memory_full_info().pss for process in self.processes()) / 1e6


@contextlib.contextmanager
def container_of(image: str, work: Path) -> Iterator[Container]:
    """The image's file system, mounted, with nothing running yet; its processes end with the context."""
    name = run("buildah", "from", "--pull-never", image)
    try:
        config = json.loads(run("buildah", "inspect", "--type", "image", "--format", "{{.Config}}", image))["config"]
        (work / "tmp").mkdir()
        (work / "tmp").chmod(0o1777)
        container = Container(Path(run("buildah", "mount", name)), work / "tmp", config)
        shutil.copy("/etc/hosts", container.root / "etc")  # container engines do that, too
        try:
            yield container
        finally:
            if hasattr(container, "process") and container.process.poll() is None:
                container.process.kill()
                container.process.wait()
    finally:
        run("buildah", "rm", name)


def check(container: Container, log: Path) -> dict[str, str]:
    """Start, use, drain and stop the image; return the measured figures. Raises CheckError."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", PORT)) == 0:
            raise CheckError(f"port {PORT}, which the image uses, is taken on this machine")
    started = time.monotonic()
    container.start(log)
    while not container.is_healthy():
        if container.process.poll() is not None or time.monotonic() - started > START_TIMEOUT_S:
            raise CheckError(f"the service did not become ready: {log.read_text()[-3000:]}")
        time.sleep(0.5)
    figures = {"from start to ready": f"{time.monotonic() - started:.1f} s"}
    figures["memory when ready"] = f"{container.memory_mb():.0f} MB"
    _answers_of_a_receipt()
    figures["memory after 20 receipts"] = f"{container.memory_mb():.0f} MB"
    figures["processes"] = str(len(container.processes()))
    _must_be_read_only(container)
    figures["written outside /tmp"] = "nothing: read-only"
    (container.tmp / "drain").touch()
    if container.is_healthy():
        raise CheckError("the container is healthy while it is drained")
    stopped = time.monotonic()
    server = next(process for process in container.processes() if "bentoml" in " ".join(process.cmdline()))
    server.send_signal(signal.SIGTERM)
    try:
        code = container.process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise CheckError(f"the service runs {STOP_TIMEOUT_S} s after SIGTERM") from None
    if code:
        raise CheckError(f"the service ended with {code}: {log.read_text()[-3000:]}")
    return {**figures, "from SIGTERM to the end": f"{time.monotonic() - stopped:.1f} s, with status 0"}


def _answers_of_a_receipt() -> None:
    photo = RECEIPT.read_bytes()
    with httpx.Client(
        base_url=f"http://127.0.0.1:{PORT}", timeout=120, headers={"content-type": "image/jpeg"}
    ) as client:
        if not client.post("/validation", content=photo).json()["accepted"]:
            raise CheckError("/validation refuses the receipt")
        for _ in range(20):
            answer = client.post("/extraction", content=photo).json()
            if (total := answer["documents"][0]["fields"]["total"]["value"]["amount"]) != "88.26":
                raise CheckError(f"/extraction reads a total of {total}, not of 88.26")


def _must_be_read_only(container: Container) -> None:
    """Neither the user nor root can write anywhere but in /tmp."""
    for path in ("/opt/docextract/x", "/opt/venv/x", "/var/tmp/x", "/etc/x"):
        if subprocess.run(container.command(["touch", path]), capture_output=True, check=False).returncode == 0:
            raise CheckError(f"the image's user can write {path}")
    if subprocess.run(container.command(["touch", "/tmp/x"]), capture_output=True, check=False).returncode:
        raise CheckError("the image's user cannot write /tmp")


def check_variant(variant: str, bento: Path, python_image: str) -> Iterator[tuple[str, str]]:
    """Build and run one variant; yield what was measured. Raises CheckError."""
    with tempfile.TemporaryDirectory(prefix="docextract-image-") as folder:
        work = Path(folder)
        work.chmod(0o755)
        started = time.monotonic()
        image = build(bento, python_image, variant, work)
        yield "build", f"{time.monotonic() - started:.0f} s"
        size_mb = size_of(image) / 1e6
        yield "size", f"{size_mb:.0f} MB, uncompressed"
        if size_mb > LARGEST_MB.get(variant, size_mb):
            raise CheckError(f"the image has {size_mb:.0f} MB; at most {LARGEST_MB[variant]} are allowed")
        with container_of(image, work) as container:
            yield from check(container, work / "log").items()


def main() -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="+", choices=("cpu", "gpu"))
    parser.add_argument("--bento", type=Path, required=True, help="what `make bento` has built")
    parser.add_argument("--python-image", help="an image with Python 3.11 that buildah has")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian", help="of Debian's packages")
    options = parser.parse_args()
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing or os.geteuid():
        parser.exit(2, f"not checked: {'needs ' + ', '.join(missing) if missing else 'needs root'}\n")
    try:
        python_image = options.python_image or build_base(options.mirror)
        for variant in options.variants:
            print(f"\n{variant} image, on {os.cpu_count()} cores")
            for name, figure in check_variant(variant, options.bento, python_image):
                print(f"| {name} | {figure} |", flush=True)
    except CheckError as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
