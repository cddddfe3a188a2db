"""The typefaces that synthetic documents are printed in: which there are, where their files are, and fonts of a size.

training/synth/data/typefaces.toml lists them. Their files come from the locked Python packages, which are always
installed, and from the folder that `make fonts` fills; never from the system's font folders. So the same seed gives the
same page on every machine with the same typefaces, and `digest` tells whether two machines have the same.
"""

import hashlib
import os
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Literal, cast, get_args

from PIL import ImageFont
from pydantic import TypeAdapter

import training
from training.synth.sheet import Face

LIST = Path(training.__file__).parent / "synth/data/typefaces.toml"
FOLDER = Path(training.__file__).parents[1] / "build/fonts"  # filled by `make fonts`
SELECTION_VARIABLE = "DOCEXTRACT_TYPEFACES"  # of the environment, so that worker processes inherit it

# In the order in which a printer chooses; another order changes the page that a seed gives.
ROLES: tuple[Face, ...] = ("mono", "sans", "serif", "condensed", "display", "ocrb", "dot")
# The locked packages have no typeface for these roles. A sheet gets one of another role instead.
SUBSTITUTES: Mapping[Face, Face] = {"ocrb": "mono", "dot": "mono"}

# "known": networks learn from it; "unseen": they are only judged with it.
Share = Literal["all", "known", "unseen"]
# "packaged": those of the locked packages only, whatever `make fonts` has fetched.
Selection = Literal["all", "packaged"]
PackageSource = Literal["locked", "pip", "npm", "debian"]


class TypefaceError(RuntimeError):
    """A typeface's file is missing or is not the one that the list names."""


@dataclass(frozen=True)
class Package:
    """Where files come from. license: SPDX expression of the typefaces in it."""

    name: str
    source: PackageSource
    version: str
    license: str


@dataclass(frozen=True)
class FontFile:
    """One file of a package. path: inside the package; sha256: of its bytes, in hexadecimal."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Typeface:
    """One entry of the list. Without `bold`, the printer thickens the regular."""

    name: str
    role: Face
    share: Literal["known", "unseen"]
    package: str
    regular: FontFile
    bold: FontFile | None = None

    @property
    def files(self) -> tuple[FontFile, ...]:
        """The regular, then the bold if there is one."""
        return (self.regular,) if self.bold is None else (self.regular, self.bold)


@dataclass(frozen=True)
class Family:
    """A typeface as the printer uses it: the paths of two font files, which are the same where there is no bold."""

    regular: str
    bold: str

    @property
    def has_bold(self) -> bool:
        """Whether the bold is a file of its own."""
        return self.bold != self.regular


@dataclass(frozen=True)
class _List:
    package: tuple[Package, ...]
    typeface: tuple[Typeface, ...]


@cache
def _list() -> _List:
    return TypeAdapter(_List).validate_python(tomllib.loads(LIST.read_text(encoding="utf-8")))


@cache
def packages() -> Mapping[str, Package]:
    """Every package of the list, by its name."""
    return {package.name: package for package in _list().package}


def listed() -> tuple[Typeface, ...]:
    """Every typeface of the list, in its order, whether its files are here or not."""
    return _list().typeface


def selection() -> Selection:
    """What the environment variable DOCEXTRACT_TYPEFACES asks for; "all" where it is not set.

    Raises TypefaceError where it is set to something else.
    """
    found = os.environ.get(SELECTION_VARIABLE, "all")
    if found not in get_args(Selection):
        raise TypefaceError(f"{SELECTION_VARIABLE} is {found!r}; it must be one of {', '.join(get_args(Selection))}")
    return cast(Selection, found)


def location(package: Package, file: FontFile) -> Path:
    """Where a file is, or where `make fonts` puts it. Raises TypefaceError where a locked package is not installed."""
    if package.source != "locked":
        return FOLDER / package.name.replace("/", "-").removeprefix("@") / PurePosixPath(file.path).name
    try:
        return Path(str(metadata.distribution(package.name).locate_file(file.path)))
    except metadata.PackageNotFoundError:
        raise TypefaceError(
            f"the package {package.name} {package.version} is not installed; it carries typefaces that the generator "
            "needs: install docextract with its `train` extra, under the constraints of requirements.lock"
        ) from None


def verify(path: Path, expected: str, content: bytes | None = None) -> None:
    """Compare a file with its digest. expected: SHA-256 in hexadecimal; content: what is to be written there.

    Raises TypefaceError that names the file, what was expected and what was found.
    """
    found = hashlib.sha256(path.read_bytes() if content is None else content).hexdigest()
    if found != expected:
        raise TypefaceError(
            f"{path}: expected SHA-256 {expected}, found {found}. Delete the file and run `make fonts`; for a file of "
            "an installed package, install the version of requirements.lock."
        )


def available() -> tuple[Typeface, ...]:
    """The typefaces of the selection whose files are all here, in the order of the list.

    Raises TypefaceError where a locked package is not installed, or a file is not the listed one.
    """
    return _available(selection())


@cache
def _available(chosen: Selection) -> tuple[Typeface, ...]:
    found = []
    for typeface in listed():
        package = packages()[typeface.package]
        if chosen == "packaged" and package.source != "locked":
            continue
        paths = [location(package, file) for file in typeface.files]
        if package.source == "locked" or all(path.exists() for path in paths):
            for path, file in zip(paths, typeface.files, strict=True):
                _verify_once(path, file.sha256)
            found.append(typeface)
    return tuple(found)


@cache
def _verify_once(path: Path, expected: str) -> None:
    """A file may belong to several typefaces, and to both selections."""
    try:
        verify(path, expected)
    except FileNotFoundError:
        raise TypefaceError(f"{path} is missing; install the version of requirements.lock") from None


def digest(typefaces: Sequence[Typeface]) -> str:
    """SHA-256, in hexadecimal, of everything that decides what these typefaces print: roles, shares, files, order."""
    lines = [
        " ".join((typeface.role, typeface.share, *(file.sha256 for file in typeface.files))) for typeface in typefaces
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def count(typefaces: Sequence[Typeface]) -> int:
    """How many typefaces these are; one that has several roles counts once."""
    return len({typeface.regular.sha256 for typeface in typefaces})


def count_by_role(typefaces: Sequence[Typeface]) -> dict[Face, int]:
    """How many there are for each role, in the order of `ROLES`; 0 where there is none."""
    found = Counter(typeface.role for typeface in typefaces)
    return {role: found[role] for role in ROLES}


def families(face: Face, share: Share = "all") -> tuple[Family, ...]:
    """The families that a role can be set in, in the order of the list; never empty.

    Where the machine has none of the share, those of the role's other share; where it has none of the role, those of
    its substitute. Raises TypefaceError as `available` does, and where there is no substitute either.
    """
    return _families(face, share, selection())


@cache
def _families(face: Face, share: Share, chosen: Selection) -> tuple[Family, ...]:
    of_role = [typeface for typeface in _available(chosen) if typeface.role == face]
    found = [typeface for typeface in of_role if share in ("all", typeface.share)] or of_role
    if found:
        return tuple(family_of(typeface) for typeface in found)
    if face in SUBSTITUTES:
        return _families(SUBSTITUTES[face], share, chosen)
    raise TypefaceError(f"there is no typeface for the role {face}, and no other role can replace it")


def family_of(typeface: Typeface) -> Family:
    """The files of a typeface as paths. Raises TypefaceError as `location` does."""
    paths = [str(location(packages()[typeface.package], file)) for file in typeface.files]
    return Family(paths[0], paths[-1])


@lru_cache(maxsize=2048)
def font(path: str, size_px: int) -> ImageFont.FreeTypeFont:
    """The font at a size of its em. No ligatures: "->" and "fi" are printed letter by letter by a till."""
    return ImageFont.truetype(path, size_px, layout_engine=ImageFont.Layout.BASIC)


@cache
def em_per_height(path: str) -> float:
    """Size of the em for an ascender-to-descender height of 1."""
    sample = font(path, 200)
    _, top, _, bottom = sample.getbbox("bdfhklQgjpqy")
    return 200.0 / max(1.0, bottom - top)


@lru_cache(maxsize=65536)
def _has(path: str, letter: str) -> bool:
    """Whether the font has the letter; a missing one prints as the same box that a code point of no letter prints."""
    sample = font(path, 24)
    nothing, drawn = sample.getmask("\U0010ffff"), sample.getmask(letter)
    return bytes(drawn) != bytes(nothing) or drawn.size != nothing.size


def covers(path: str, text: str) -> bool:
    """Whether every letter of the text can be set in this font."""
    return all(_has(path, letter) for letter in text if not letter.isspace())
