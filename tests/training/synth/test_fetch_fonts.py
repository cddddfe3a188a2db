"""`make fonts` with tools and packages of our own: no registry is asked."""

import hashlib
import io
import os
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from training.synth import fetch_fonts, fonts
from training.synth.fonts import FontFile, Package, Typeface

REGULAR, BOLD = b"the regular", b"the bold"
PATHS = ("files/Serif-Regular.ttf", "files/Serif-Bold.ttf")


def typeface(package: Package, bold: bytes = BOLD) -> Typeface:
    regular, heavy = (
        FontFile(path, hashlib.sha256(content).hexdigest())
        for path, content in zip(PATHS, (REGULAR, bold), strict=True)
    )
    return Typeface(f"Serif of {package.source}", "serif", "known", package.name, regular, heavy)


def tar(path: Path, prefix: str, mode: str) -> None:
    with tarfile.open(path, mode) as archive:
        for name, content in zip(PATHS, (REGULAR, BOLD), strict=True):
            member = tarfile.TarInfo(prefix + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def tool(folder: Path, name: str, lines: str) -> None:
    """A program in a folder of its own, found before any other."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport pathlib, shutil, sys\n{lines}\n")
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """pip, npm, apt-get and dpkg-deb that know one package each; returns the folder with their programs."""
    packages = {
        source: Package(name, source, "1.0", "OFL-1.1")
        for source, name in (("pip", "serif-pip"), ("npm", "@some/serif"), ("debian", "fonts-serif"))
    }
    monkeypatch.setattr(fonts, "FOLDER", tmp_path / "fonts")
    monkeypatch.setattr(fonts, "packages", lambda: {package.name: package for package in packages.values()})
    monkeypatch.setattr(fonts, "listed", lambda: tuple(map(typeface, packages.values())))
    monkeypatch.setenv(fonts.SELECTION_VARIABLE, "all")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    with zipfile.ZipFile(tmp_path / "serif_pip-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("serif_pip-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: serif-pip\nVersion: 1.0\n")
        wheel.writestr(
            "serif_pip-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        for name, content in zip(PATHS, (REGULAR, BOLD), strict=True):
            wheel.writestr(name, content)
    tar(tmp_path / "serif.tgz", "package/", "w:gz")
    tar(tmp_path / "serif.tar", "./", "w")
    tool(
        tmp_path, "npm", f"assert sys.argv[-1] == '@some/serif@1.0'\nshutil.copy({str(tmp_path / 'serif.tgz')!r}, '.')"
    )
    tool(tmp_path, "apt-get", "assert sys.argv[-1] == 'fonts-serif=1.0'\npathlib.Path('serif_1.0.deb').touch()")
    tool(
        tmp_path,
        "dpkg-deb",
        f"sys.stdout.buffer.write(pathlib.Path({str(tmp_path / 'serif.tar')!r}).read_bytes())",
    )
    for each in (fonts._available, fonts._verify_once):
        each.cache_clear()
    yield tmp_path / "bin"
    for each in (fonts._available, fonts._verify_once):
        each.cache_clear()


def test_each_tool_fetches_its_own(machine, capsys):
    """From each of the three archives the listed files, and nothing else, at the place where the generator looks."""
    assert fetch_fonts.main([]) == 0

    found = {path.relative_to(fonts.FOLDER).as_posix(): path.read_bytes() for path in fonts.FOLDER.rglob("*.*")}
    assert found == {
        f"{folder}/Serif-{style}.ttf": content
        for folder in ("serif-pip", "some-serif", "fonts-serif")
        for style, content in (("Regular", REGULAR), ("Bold", BOLD))
    }
    assert "1 of 1 typefaces are available, digest " in capsys.readouterr().out


def test_what_is_here_is_not_fetched_again(machine):
    assert fetch_fonts.main([]) == 0
    (machine / "npm").unlink()

    assert fetch_fonts.missing() == {}
    assert fetch_fonts.main([]) == 0


def test_an_absent_tool_is_named_and_the_rest_is_fetched(machine, monkeypatch, capsys):
    """On a machine without npm and Debian, pip's typefaces are better than none."""
    monkeypatch.setenv("PATH", str(machine))
    (machine / "npm").unlink()
    (machine / "dpkg-deb").unlink()

    assert fetch_fonts.main([]) == 1

    said = capsys.readouterr()
    assert "error: npm not found on this machine; needed for @some/serif" in said.err
    assert "error: dpkg-deb not found on this machine; needed for fonts-serif" in said.err
    assert "missing: Serif of npm, Serif of debian" in said.err
    assert [typeface.name for typeface in fonts.available()] == ["Serif of pip"]


def test_a_tool_that_fails_is_quoted(machine, capsys):
    tool(machine.parent, "npm", "sys.exit('no such version')")

    assert fetch_fonts.main([]) == 1
    assert "error: @some/serif 1.0: " in (said := capsys.readouterr().err)
    assert "failed: no such version" in said


def test_another_file_than_the_listed_one_is_not_kept(machine, monkeypatch, capsys):
    """A mirror that serves something else is found out; the message names the file, what was expected and found."""
    package = next(one for one in fonts.packages().values() if one.source == "npm")
    expected = hashlib.sha256(b"another").hexdigest()
    monkeypatch.setattr(fonts, "listed", lambda: (typeface(package, b"another"),))

    assert fetch_fonts.main([]) == 1

    said = capsys.readouterr().err
    assert f"Serif-Bold.ttf: expected SHA-256 {expected}, found {hashlib.sha256(BOLD).hexdigest()}" in said
    assert not list(fonts.FOLDER.rglob("*Bold*"))


def test_a_file_that_the_package_lacks_is_named(machine, monkeypatch, capsys):
    package = next(one for one in fonts.packages().values() if one.source == "pip")
    lacking = Typeface("Other", "serif", "known", package.name, FontFile("files/Other.ttf", "0" * 64))
    monkeypatch.setattr(fonts, "listed", lambda: (lacking,))

    assert fetch_fonts.main([]) == 1
    assert "error: serif-pip 1.0: files/Other.ttf is not in the package" in capsys.readouterr().err


def test_a_spoilt_file_ends_the_command(machine):
    """It is not overwritten in silence: whoever changed it should know."""
    assert fetch_fonts.main([]) == 0
    (fonts.FOLDER / "some-serif/Serif-Bold.ttf").write_bytes(b"spoilt")

    with pytest.raises(SystemExit, match=r"Serif-Bold\.ttf: expected SHA-256 .* Delete the file and run `make fonts`"):
        fetch_fonts.main([])


def test_check_fetches_nothing(machine, capsys):
    assert fetch_fonts.main(["--check"]) == 1
    assert not fonts.FOLDER.exists()
    assert "missing: Serif of pip, Serif of npm, Serif of debian" in capsys.readouterr().err
