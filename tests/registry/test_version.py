"""The TOML form of a version: it is parsed back without loss and is easy to review."""

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


def test_formatted_toml_is_parsed_back():
    """Nested tables, unusual names, lists and rows."""
    values = {"version": "1", "day": date(2026, 1, 31), "history": [{"version": "0"}, {"version": "00"}], "s": SCORES}

    assert tomllib.loads(format_toml(values)) == values


def test_a_table_of_numbers_is_one_line():
    """A ledger is reviewed like code, so it must be short."""
    lines = format_toml({"scores": SCORES}).splitlines()

    assert "total = { exact = 0.9, pages = 60 }" in lines
    assert '"line_items.price" = { exact = 0.8 }' in lines
    assert lines.index("[scores.synthetic.fields]") < lines.index("total = { exact = 0.9, pages = 60 }")


def test_a_version_is_parsed_back_from_its_table(candidate):
    """Except for its folder, which follows from the place of the file."""
    files = file_digests(candidate)
    version = Version("quality", "1.2", "tiny", "m:C", overall_digest(files), date(2026, 1, 31), candidate, files,
                      ("receipt",), {"overall": 0.9}, "a reason", ("total", "tip"))  # fmt: skip

    again = parse_version("quality", tomllib.loads(format_toml(version_table(version))), candidate, Path("somewhere"))

    assert again == version
    assert again.tag == f"quality:1.2-{version.digest[7:19]}"


@pytest.mark.parametrize("lost", ["version", "loader", "files", "promoted"])
def test_a_missing_key_is_named(candidate, lost):
    """Together with the file."""
    files = file_digests(candidate)
    version = Version("quality", "1.2", "tiny", "m:C", overall_digest(files), date(2026, 1, 31), candidate, files)
    entry = version_table(version)
    del entry[lost]

    with pytest.raises(RegistryError, match=f"somewhere: the key '{lost}' is missing"):
        parse_version("quality", entry, candidate, Path("somewhere"))


def test_different_sets_of_files_have_different_digests(candidate):
    """A changed byte, a changed name and an additional file each change the digest."""
    seen = {overall_digest(file_digests(candidate))}
    (candidate / "config.json").write_text("[]")
    seen.add(overall_digest(file_digests(candidate)))
    (candidate / "config.json").rename(candidate / "other.json")
    seen.add(overall_digest(file_digests(candidate)))
    (candidate / "empty").write_text("")
    seen.add(overall_digest(file_digests(candidate)))

    assert len(seen) == 4


def test_a_tag_contains_version_and_digest():
    """As `bentoml models list` shows it."""
    assert version_tag("extraction", "1.0.0", "sha256:7fafe259fdb65389") == "extraction:1.0.0-7fafe259fdb6"
