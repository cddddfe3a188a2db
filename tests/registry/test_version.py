"""A version as text: it comes back as it was, and people can review it."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from docextract.registry import RegistryError, Version, overall_digest
from docextract.registry.version import file_digests, format_toml, parse_version, version_table, version_tag

SCORES = {
    "date": "2026-01-31",
    "synthetic": {
        "pages": 60,
        "fields": {"total": {"exact": 0.9, "pages": 60}, "line_items.price": {"exact": 0.8}},
        "accepted": {"normal": {"of_fine": 0.93}},
    },
    "odd": {"names": ["a", "b"], "nothing": {}, "quoted.key": 1, 'say "so"': {"x": 1.5}},
}


def test_what_is_written_can_be_read():
    """Every level, strange names, lists and rows."""
    values = {"version": "1", "day": date(2026, 1, 31), "history": [{"version": "0"}, {"version": "00"}], "s": SCORES}

    assert tomllib.loads(format_toml(values)) == values


def test_a_row_of_figures_is_one_line():
    """A ledger is reviewed like code; a thousand lines are not."""
    lines = format_toml({"scores": SCORES}).splitlines()

    assert "total = { exact = 0.9, pages = 60 }" in lines
    assert '"line_items.price" = { exact = 0.8 }' in lines
    assert lines.index("[scores.synthetic.fields]") < lines.index("total = { exact = 0.9, pages = 60 }")


def test_a_version_survives_its_table(candidate):
    """But for where its files are, which follows from where it is written."""
    files = file_digests(candidate)
    version = Version("quality", "1.2", "tiny", "m:C", overall_digest(files), date(2026, 1, 31), candidate, files,
                      ("receipt",), {"overall": 0.9}, "a reason", ("total", "tip"))  # fmt: skip

    again = parse_version("quality", tomllib.loads(format_toml(version_table(version))), candidate, Path("somewhere"))

    assert again == version
    assert again.tag == f"quality:1.2-{version.digest[7:19]}"


@pytest.mark.parametrize("lost", ["version", "loader", "files", "promoted"])
def test_what_is_missing_is_named(candidate, lost):
    """With the file that lacks it."""
    files = file_digests(candidate)
    version = Version("quality", "1.2", "tiny", "m:C", overall_digest(files), date(2026, 1, 31), candidate, files)
    entry = version_table(version)
    del entry[lost]

    with pytest.raises(RegistryError, match=f"somewhere: the key '{lost}' is missing"):
        parse_version("quality", entry, candidate, Path("somewhere"))


def test_two_sets_of_files_have_two_digests(candidate):
    """A byte, a name, a file more: each counts."""
    seen = {overall_digest(file_digests(candidate))}
    (candidate / "config.json").write_text("[]")
    seen.add(overall_digest(file_digests(candidate)))
    (candidate / "config.json").rename(candidate / "other.json")
    seen.add(overall_digest(file_digests(candidate)))
    (candidate / "empty").write_text("")
    seen.add(overall_digest(file_digests(candidate)))

    assert len(seen) == 4


def test_a_tag_tells_version_and_digest():
    """As `bentoml models list` shows it."""
    assert version_tag("extraction", "1.0.0", "sha256:7fafe259fdb65389") == "extraction:1.0.0-7fafe259fdb6"
