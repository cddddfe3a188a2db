"""Fetch the typefaces that no locked package carries, into the folder that the generator reads: `make fonts`.

    python -m training.synth.fetch_fonts            fetch what is missing
    python -m training.synth.fetch_fonts --check    only list what is missing

Packages and versions are those of training/synth/data/typefaces.toml. Each is fetched by the tool that knows its
registry (pip, npm, or apt-get with dpkg-deb), as any user, into a temporary folder; the listed files are taken out and
kept once their SHA-256 is right. Nothing is installed. Exits with 1 where a typeface is missing at the end.
"""

import argparse
import io
import logging
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from docextract.files import whole_file
from training.synth import fonts
from training.synth.fonts import FontFile, Package, PackageSource, TypefaceError

AT_A_TIME = 4  # packages
TIMEOUT_S = 300  # of one call of a tool
TOOLS: Mapping[PackageSource, tuple[str, ...]] = {"pip": (), "npm": ("npm",), "debian": ("apt-get", "dpkg-deb")}

log = logging.getLogger(__name__)


class FetchError(RuntimeError):
    """A package cannot be fetched, or lacks a file."""


def missing() -> dict[Package, list[FontFile]]:
    """The files that are listed and not here, by their package. Those of locked packages are never among them.

    Raises TypefaceError where a file that is here is not the listed one.
    """
    wanted: dict[Package, list[FontFile]] = {}
    for typeface in fonts.listed():
        package = fonts.packages()[typeface.package]
        for file in typeface.files:
            if package.source == "locked" or file in wanted.get(package, []):
                continue
            path = fonts.location(package, file)
            if path.exists():
                fonts.verify(path, file.sha256)
            else:
                wanted.setdefault(package, []).append(file)
    return wanted


def fetch(package: Package, files: Sequence[FontFile]) -> None:
    """Put files of a package where `fonts.location` looks for them.

    Raises FetchError where the package or a file is not to be had, TypefaceError where a file is not the listed one.
    """
    with tempfile.TemporaryDirectory(prefix="docextract-fonts-") as folder:
        archive = _download(package, Path(folder))
        contents = _READERS[package.source](archive, [file.path for file in files])
    for file in files:
        if file.path not in contents:
            raise FetchError(f"{package.name} {package.version}: {file.path} is not in the package")
        _store(fonts.location(package, file), contents[file.path], file.sha256)


def _store(path: Path, content: bytes, sha256: str) -> None:
    """Written beside and moved, so that a kill leaves no half file."""
    fonts.verify(path, sha256, content)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as unfinished:
        unfinished.write_bytes(content)


def _download(package: Package, folder: Path) -> Path:
    """The archive of exactly this version, the only file in the folder."""
    exactly = {"pip": "==", "npm": "@", "debian": "="}[package.source].join((package.name, package.version))
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", exactly)
    commands: Mapping[str, tuple[str, ...]] = {
        "pip": pip,
        "npm": (shutil.which("npm") or "npm", "pack", "--silent", "--ignore-scripts", exactly),
        "debian": ("apt-get", "download", "--quiet", "--quiet", exactly),
    }
    done = subprocess.run(
        commands[package.source], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    archives = [path for path in folder.iterdir() if path.is_file()]
    if done.returncode or len(archives) != 1:
        reason = (done.stderr.strip() or done.stdout.strip() or f"{len(archives)} files").splitlines()[-1]
        raise FetchError(f"{package.name} {package.version}: {commands[package.source][0]} failed: {reason}")
    return archives[0]


def _from_wheel(archive: Path, paths: Sequence[str]) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as wheel:
        return {path: wheel.read(path) for path in set(paths) & set(wheel.namelist())}


def _from_npm(archive: Path, paths: Sequence[str]) -> dict[str, bytes]:
    """Everything in such an archive lies in one folder, whatever it is called."""
    with tarfile.open(archive) as tar:
        return _from_tar(tar, paths, lambda name: name.partition("/")[2])


def _from_debian(archive: Path, paths: Sequence[str]) -> dict[str, bytes]:
    done = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(archive)], capture_output=True, check=False)
    if done.returncode:
        raise FetchError(f"dpkg-deb cannot read {archive.name}: {done.stderr.decode(errors='replace').strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as tar:
        return _from_tar(tar, paths, lambda name: name.removeprefix("./"))


def _from_tar(tar: tarfile.TarFile, paths: Sequence[str], rename: Callable[[str], str]) -> dict[str, bytes]:
    """Reads members, extracts none: no archive decides where a file is written."""
    found = {}
    for member in tar:
        path, file = rename(member.name), tar.extractfile(member) if member.isfile() else None
        if path in paths and file is not None:
            found[path] = file.read()
    return found


_READERS: Mapping[str, Callable[[Path, Sequence[str]], dict[str, bytes]]] = {
    "pip": _from_wheel,
    "npm": _from_npm,
    "debian": _from_debian,
}


def _attempt(package: Package, files: Sequence[FontFile]) -> str | None:
    """What went wrong; None where nothing did."""
    try:
        fetch(package, files)
    except (FetchError, TypefaceError, OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None


def fetch_all(wanted: Mapping[Package, Sequence[FontFile]]) -> list[str]:
    """Fetch these files. Returns one message for each tool that is absent and each package that failed."""
    problems, packages = [], []
    for source, tools in TOOLS.items():
        of_source = [package for package in wanted if package.source == source]
        absent = [tool for tool in tools if shutil.which(tool) is None]
        if absent and of_source:
            names = ", ".join(package.name for package in of_source)
            problems.append(f"{' and '.join(absent)} not found on this machine; needed for {names}")
        else:
            packages += of_source
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        outcomes = pool.map(_attempt, packages, [wanted[package] for package in packages])
        for number, (package, problem) in enumerate(zip(packages, outcomes, strict=True), 1):
            log.info("%d/%d %s %s", number, len(packages), package.name, package.version)
            if problem:
                problems.append(problem)
    return problems


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fetch nothing; only list what is missing")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        problems = [] if options.check else fetch_all(missing())
        left = missing()
    except TypefaceError as error:
        sys.exit(f"error: {error}")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    names = {package.name for package in left}
    absent = [typeface.name for typeface in fonts.listed() if typeface.package in names]
    here = fonts.available()
    print(f"{fonts.count(here)} of {fonts.count(fonts.listed())} typefaces are available, digest {fonts.digest(here)}")
    if absent:
        print(f"missing: {', '.join(dict.fromkeys(absent))}", file=sys.stderr)
    return 1 if absent else 0


if __name__ == "__main__":
    raise SystemExit(main())
