"""The list of typefaces, and which of them the generator uses. None of these tests needs an installed font."""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from training.synth import fonts, printing
from training.synth.sheet import Sheet, Text

ROOT = Path(__file__).parents[3]
PRINT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:;-/()*#%+"
LETTERS_OF_EUROPE = "ÄÖÜßàâçéèêëîïôûùÿñáíóúåøæőűłśźżćńęąčďěňřšťůžğış€£"
TAKEN_OVER = {"mono": 28, "sans": 17, "serif": 12, "condensed": 7, "display": 15, "dot": 4}  # from the first list


@pytest.fixture
def fetched(tmp_path, monkeypatch):
    """A folder as `make fonts` leaves it, and a list of two typefaces of which only the first has been fetched."""
    real = next(typeface for typeface in fonts.available() if typeface.name == "PT Serif")
    monkeypatch.setenv(fonts.SELECTION_VARIABLE, "all")
    monkeypatch.setattr(fonts, "FOLDER", tmp_path)
    package = fonts.Package("@somebody/serif", "npm", "1.0.0", "OFL-1.1")
    here, absent = (replace(real, name=name, package=package.name) for name in ("Here", "Absent"))
    absent = replace(absent, regular=fonts.FontFile("files/Absent.ttf", "0" * 64))
    monkeypatch.setattr(fonts, "listed", lambda: (here, absent))
    monkeypatch.setattr(fonts, "packages", lambda: {package.name: package})
    for file, source in zip(here.files, (fonts_path(real, 0), fonts_path(real, 1)), strict=True):
        target = fonts.location(package, file)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(source, target)
    caches = (fonts._available, fonts._families, fonts._verify_once)
    for each in caches:
        each.cache_clear()
    yield here
    for each in caches:
        each.cache_clear()


def fonts_path(typeface: fonts.Typeface, number: int) -> Path:
    package = next(one for one in fonts._list().package if one.name == typeface.package)
    return fonts.location(package, typeface.files[number])


def test_tests_print_with_the_locked_packages_only():
    """Whatever a machine has installed or fetched, tests draw the same pages."""
    assert fonts.selection() == "packaged"
    assert {fonts.packages()[typeface.package].source for typeface in fonts.available()} == {"locked"}


def test_the_locked_packages_cover_every_style_with_both_shares():
    """So that a machine without `make fonts` can train a little, and judge in other typefaces than it learned from."""
    for role in set(fonts.ROLES) - fonts.SUBSTITUTES.keys():
        known, unseen = fonts.families(role, "known"), fonts.families(role, "unseen")

        assert known, role
        assert unseen, role
        assert not set(known) & set(unseen), role


def test_the_locked_packages_have_the_letters_of_europe():
    """A name with an accent is set in the typeface that was chosen, not in a substitute."""
    for typeface in fonts.available():
        for path in set(vars(fonts.family_of(typeface)).values()):
            assert fonts.covers(path, PRINT + LETTERS_OF_EUROPE), path


def test_a_letter_that_a_font_lacks_is_noticed():
    """Otherwise boxes would be printed for it."""
    assert not fonts.covers(fonts.families("sans")[0].regular, "漢")


def test_roles_without_a_packaged_typeface_get_another():
    """A machine-readable zone is printed without `make fonts`, too."""
    assert fonts.families("ocrb") == fonts.families("mono")
    assert fonts.families("dot", "known") == fonts.families("mono", "known")


def test_system_folders_are_not_looked_into(monkeypatch):
    """A typeface that is installed but not fetched is not used: only packages and the project's folder are read."""
    asked = []
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path, **more: asked.append(path) or exists(path, **more))
    monkeypatch.setenv(fonts.SELECTION_VARIABLE, "all")
    fonts._available.cache_clear()

    fonts.available()

    assert asked
    assert all(ROOT / "build" / "fonts" in path.parents for path in asked)


def test_what_is_fetched_is_used_and_what_is_not_is_left_out(fetched):
    assert [typeface.name for typeface in fonts.available()] == ["Here"]
    assert [family.has_bold for family in fonts.families("serif")] == [True]


def test_the_packaged_selection_ignores_what_is_fetched(fetched, monkeypatch):
    monkeypatch.setenv(fonts.SELECTION_VARIABLE, "packaged")

    assert fonts.available() == ()
    with pytest.raises(fonts.TypefaceError, match="no typeface for the role serif"):
        fonts.families("serif")


def test_a_changed_file_is_refused_by_name(fetched):
    """Otherwise two machines would print different pages from one seed and not know it."""
    path = Path(fonts.location(fonts.packages()[fetched.package], fetched.regular))
    path.write_bytes(path.read_bytes() + b"\0")

    with pytest.raises(fonts.TypefaceError, match=rf"{path.name}: expected SHA-256 {fetched.regular.sha256}, found"):
        fonts.available()


def test_an_unknown_selection_is_refused(monkeypatch):
    monkeypatch.setenv(fonts.SELECTION_VARIABLE, "some")

    with pytest.raises(fonts.TypefaceError, match="'some'; it must be one of all, packaged"):
        fonts.available()


def test_a_locked_package_that_is_not_installed_is_named():
    package = fonts.Package("fontpkg-none-such", "locked", "1.0", "OFL-1.1")

    with pytest.raises(fonts.TypefaceError, match=r"fontpkg-none-such 1\.0 is not installed.*requirements\.lock"):
        fonts.location(package, fonts.FontFile("a.ttf", ""))


def test_the_digest_tells_sets_apart():
    """Another order, share, file or one fewer prints other pages."""
    some = fonts.available()
    others = (
        some[1:],
        (some[1], some[0], *some[2:]),
        (replace(some[0], share="unseen"), *some[1:]),
        (replace(some[0], bold=None), *some[1:]),
    )

    assert len({fonts.digest(each) for each in (some, *others)}) == 1 + len(others)
    assert fonts.digest(some) == fonts.digest(list(some))


def test_a_typeface_with_two_roles_counts_once():
    some = fonts.available()

    assert fonts.count((*some, replace(some[0], role="dot"))) == len(some)
    assert sum(fonts.count_by_role(some).values()) == len(some)


def test_the_same_seed_prints_the_same_page_in_a_known_and_another_in_an_unseen_typeface():
    sheet = Sheet(80.0, 30.0, (Text("TOTAL 12.50", 10.0, 10.0, 40.0, 5.0, "total"),))

    def draw(share: fonts.Share) -> np.ndarray:
        return printing.print_sheet(sheet, np.random.default_rng(3), typefaces=share).pixels

    assert np.array_equal(draw("known"), draw("known"))
    assert not np.array_equal(draw("known"), draw("unseen"))


def test_every_package_and_typeface_of_the_list_belong_together():
    """Each package is used, each typeface has a package, and no two files of a package share a name."""
    used = {typeface.package for typeface in fonts.listed()}
    places: dict[Path, str] = {}

    assert used == fonts.packages().keys()
    assert len(fonts._list().package) == len(fonts.packages())
    for typeface in fonts.listed():
        package = fonts.packages()[typeface.package]
        for file in typeface.files if package.source != "locked" else ():
            assert len(file.sha256) == 64
            assert places.setdefault(fonts.location(package, file), file.sha256) == file.sha256, file.path


def test_names_are_unique_within_a_role():
    names = Counter((typeface.role, typeface.name) for typeface in fonts.listed())

    assert not [name for name, times in names.items() if times > 1]


def test_every_package_names_a_version_and_a_licence():
    for package in fonts.packages().values():
        assert package.version
        assert package.license


def test_locked_packages_have_the_versions_of_the_lock_file():
    """Another version has other files, whose digests would not match."""
    lock = set((ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines())
    locked = {f"{one.name}=={one.version}" for one in fonts.packages().values() if one.source == "locked"}

    assert locked
    assert locked <= lock


def test_every_fifth_typeface_is_unseen():
    """Of those taken over from the first list, the third of each five; of the others, the second of each five."""
    for role, taken_over in TAKEN_OVER.items():
        shares = [typeface.share for typeface in fonts.listed() if typeface.role == role]
        if role != "dot":  # its later typefaces are mono's, with the shares that they have there
            expected = [place % 5 == 2 for place in range(taken_over)]
            expected += [place % 5 == 1 for place in range(len(shares) - taken_over)]
            assert [share == "unseen" for share in shares] == expected, role


def test_a_file_that_is_learned_from_is_not_unseen():
    """Otherwise what is measured on unseen typefaces is too good. Three of the first list are known exceptions."""
    known = {file for typeface in fonts.listed() if typeface.share == "known" for file in typeface.files}
    unseen = [typeface for typeface in fonts.listed() if typeface.share == "unseen"]

    both = {(typeface.role, typeface.name) for typeface in unseen if known & set(typeface.files)}
    assert both == {("sans", "Play"), ("display", "DejaVu Serif Bold"), ("dot", "Hack")}


def test_there_are_enough_typefaces_without_debian():
    """Debian's archive moves; recipes ask for no more than pip and npm can give."""
    portable = [one for one in fonts.listed() if fonts.packages()[one.package].source != "debian"]

    assert fonts.count(portable) >= 200
    assert all(number > 0 for number in fonts.count_by_role(portable).values())
