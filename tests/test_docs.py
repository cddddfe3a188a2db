"""What the documentation points at is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
_LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name if page.parent == ROOT else f"docs/{page.name}")
def test_every_link_leads_somewhere(page):
    """Files that are linked exist, and so do the headings in them."""
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith("http"):
            continue
        path, _, heading = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), link
        assert not heading or heading in headings(target), link


def headings(page):
    """As a link names them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def paths_on_the_plan():
    """The files and folders that the tree in docs/architecture.md names, relative to the repository."""
    plan = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("```")[1]
    folders: list[str] = []
    paths = set()
    for line in plan.splitlines():
        found = re.match(r"([│ ]*)[├└]── (\S.*?)(?:  |$)", line)
        if not found:
            continue
        depth = len(found[1]) // 4
        names = found[2].split(", ")
        paths |= {"/".join([*folders[:depth], name.rstrip("/")]) for name in names}
        folders[depth:] = [names[0].rstrip("/")]
    return paths


def test_everything_on_the_plan_exists():
    """docs/architecture.md names no file or folder that is gone."""
    paths = paths_on_the_plan()

    assert len(paths) > 40
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("folder", ["src/docextract", "src/docextract/extraction", "training"])
def test_everything_that_exists_is_on_the_plan(folder):
    """Whoever adds a module or a folder here says in docs/architecture.md what it is for."""
    entries = {
        f"{folder}/{entry.name}"
        for entry in (ROOT / folder).iterdir()
        if (entry.is_dir() and any(entry.rglob("*.py"))) or entry.suffix == ".py"
    }
    unnamed = {path for path in entries if not path.endswith(("__init__.py", "__main__.py", "__pycache__"))}

    assert unnamed - paths_on_the_plan() == set()


def test_contributing_names_paths_that_exist():
    """The table of where things are is right; a name after a path is in the same folder."""
    rows = re.findall(r"^\| [^|]+ \| (`[^|]+) \|$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M)
    paths = set()
    for row in rows:
        folder = ROOT
        for name in re.findall(r"`([^`]+)`", row):
            path = ROOT / name if (ROOT / name.split("/")[0]).exists() else folder / name
            folder = path.parent
            paths.add(path)

    assert len(paths) > 25
    assert [str(path.relative_to(ROOT)) for path in sorted(paths) if not path.exists()] == []


def test_every_promise_of_security_is_held_by_a_test_that_exists():
    """A promise whose test was renamed or dropped is noticed, and so is one without any."""
    promises = (
        (ROOT / "SECURITY.md")
        .read_text(encoding="utf-8")
        .split("## Security properties")[1]
        .split("## What is not covered")[0]
    )

    for promise in re.split(r"\n\n(?=\*\*)", promises.strip()):
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", promise)
        assert named, promise
        for file, test in named:
            assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{test}"


def test_readme_has_the_figures_of_real_documents():
    """README.md repeats main figures of docs/real-documents.md, which is written anew for each model."""
    page = (ROOT / "docs" / "real-documents.md").read_text(encoding="utf-8")
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())

    def percentages(name):
        rows = re.findall(rf"^\| {re.escape(name)} \|(.*)\|$", page, re.M)
        return [[float(share) for share in re.findall(r"([\d.]+)%", row)] for row in rows]

    (invoices, cards), ((others, *_),), ((hard, *_),) = map(percentages, ("**all**", "other", "other, hard"))
    (unseen,), (receipts,) = map(percentages, ("invoices and cards", "receipts: kept-back SROIE, half of SRD"))
    right, mean = re.findall(
        r"([\d.]+)% are right in\s+letters and\s+digits; their mean confidence is ([\d.]+)%", page
    )[-1]

    assert f"{invoices[4]:.0f} % of all fields right in letters and digits" in readme
    assert f"{cards[0]:.0f} % of all fields exact" in readme
    assert f"{others:.0f} %; of the 147 that resemble invoices (payslips, orders, statements …) {hard:.0f} %" in readme
    assert f"their mean is {float(mean):.0f} %, and {float(right):.0f} % are right" in readme
    assert (
        "1 % that you state, {:.0f} % of these values are accepted without review and {} % of".format(*unseen) in readme
    )
    assert "at 2 % {:.0f} and {} %; on receipts".format(*unseen[2:]) in readme
    assert "on receipts it is {:.0f} and {} %, {:.0f} and {} %".format(*receipts) in readme
