import logging
import os
import re

import pytest

from docextract.keys import KeyRing, find_key, generate_key, key_digest, key_line, parse_keys, parse_rate_limit

INVALID = {
    "not a table": "sha256:00",
    "a key instead of its digest": f'phone = "{generate_key()}"',
    "half a digest": 'phone = "sha256:12"',
    "no digest": 'phone = { rate_limit = "1/second" }',
    "an invalid limit": f'phone = {{ digest = "{key_digest("x")}", rate_limit = "often" }}',
    "an unknown member": f'phone = {{ digest = "{key_digest("x")}", admin = true }}',
    "an invalid name": f'"my phone" = "{key_digest("x")}"',
    "a duplicate name": f'phone = "{key_digest("x")}"\nphone = "{key_digest("y")}"',
}


def ring_of(file):
    return KeyRing((), file)


def rewrite(file, text):
    """Write the file with a later modification time: two changes within one clock tick would have the same time."""
    before = file.stat().st_mtime_ns if file.exists() else 0
    file.write_text(text)
    os.utime(file, ns=(before + 10**9, before + 10**9))


def test_new_key_is_found_by_its_line():
    """The line does not contain the key."""
    key = generate_key()
    written = key_line("phone-app", key)
    (found,) = parse_keys(written)

    assert find_key(key, [found]).name == "phone-app"
    assert key not in written


def test_keys_are_random():
    """256 bits, and no two keys are equal."""
    keys = {generate_key() for _ in range(100)}

    assert len(keys) == 100
    assert all(re.fullmatch(r"docextract_[A-Za-z0-9_-]{43}", key) for key in keys)


def test_each_of_several_keys_is_found():
    """An unknown key is not found."""
    given = {name: generate_key() for name in ("phone", "scanner", "night-run")}
    keys = parse_keys({name: key_digest(key) for name, key in given.items()})

    assert {name: find_key(key, keys).name for name, key in given.items()} == {name: name for name in given}
    assert find_key(generate_key(), keys) is None
    assert find_key("", keys) is None


def test_every_key_is_compared_in_constant_time(monkeypatch):
    """The response time reveals neither whether a key is similar nor its position in the list."""
    compared = []
    plain = __import__("hmac").compare_digest
    monkeypatch.setattr("docextract.keys.hmac.compare_digest", lambda a, b: compared.append(b) or plain(a, b))
    first, second = generate_key(), generate_key()
    keys = parse_keys({"first": key_digest(first), "second": key_digest(second)})

    for asked in (first, second, "unknown"):
        compared.clear()
        find_key(asked, keys)
        assert compared == [key.digest for key in keys]


def test_key_can_have_its_own_rate_limit():
    """A scanner sends more requests than a phone."""
    phone, scanner = parse_keys(
        f'phone = "{key_digest("a")}"\nscanner = {{ digest = "{key_digest("b")}", rate_limit = "9/second" }}'
    )

    assert phone.rate_limit is None
    assert scanner.rate_limit == parse_rate_limit("9 per second")


@pytest.mark.parametrize("invalid", INVALID.values(), ids=INVALID.keys())
def test_invalid_keys_are_refused_without_being_repeated(invalid):
    """A key that was pasted instead of its digest must not appear in the log."""
    with pytest.raises(ValueError) as refusal:
        parse_keys(invalid)

    assert not re.search(r"docextract_|[0-9a-f]{20}", str(refusal.value))


def test_name_that_is_invalid_in_toml_gets_no_line():
    """The line must be valid when it is pasted into a file."""
    with pytest.raises(ValueError):
        key_line("my phone", generate_key())


def test_removing_a_line_revokes_the_key(tmp_path):
    """Adding a line adds a key; both without a restart."""
    file, old, new = tmp_path / "keys.toml", generate_key(), generate_key()
    rewrite(file, key_line("old", old))
    ring = ring_of(file)
    assert find_key(old, ring.keys())

    rewrite(file, key_line("new", new))

    assert find_key(old, ring.keys()) is None
    assert find_key(new, ring.keys()).name == "new"


def test_file_that_becomes_invalid_keeps_the_keys_that_it_still_names(tmp_path, caplog):
    """A misspelt line locks nobody out, but a key whose line is gone is revoked. The log reports it once."""
    file, kept, revoked, new = tmp_path / "keys.toml", generate_key(), generate_key(), generate_key()
    rewrite(file, key_line("kept", kept) + "\n" + key_line("revoked", revoked))
    ring = ring_of(file)

    with caplog.at_level(logging.ERROR):
        rewrite(file, key_line("kept", kept) + "\n" + key_line("new", new) + "\nhalf a li")
        for _ in range(3):
            assert find_key(kept, ring.keys())
            assert find_key(revoked, ring.keys()) is find_key(new, ring.keys()) is None
    assert len(caplog.records) == 1
    rewrite(file, key_line("new", new))
    (only,) = ring.keys()
    assert only.name == "new"


def test_deleted_file_revokes_its_keys(tmp_path, caplog):
    """The keys of the settings stay in force."""
    file, from_file, fixed = tmp_path / "keys.toml", generate_key(), generate_key()
    rewrite(file, key_line("phone", from_file))
    ring = KeyRing(parse_keys(key_line("fixed", fixed)), file)
    assert find_key(from_file, ring.keys())

    with caplog.at_level(logging.ERROR):
        file.unlink()
        assert find_key(from_file, ring.keys()) is None
    assert find_key(fixed, ring.keys())
    assert len(caplog.records) == 1


@pytest.mark.parametrize("text", ["half a li", None], ids=["nonsense", "missing"])
def test_invalid_file_stops_the_start_and_is_named(tmp_path, text):
    """Otherwise it would be noticed only later that no key was loaded."""
    file = tmp_path / "keys.toml"
    if text:
        file.write_text(text)

    with pytest.raises((ValueError, OSError), match=r"keys\.toml"):
        ring_of(file)


def test_keys_of_the_settings_and_the_file_are_merged(tmp_path):
    """With the same name, the key of the file is used, because the file can be changed at run time."""
    keys = {name: generate_key() for name in ("a", "b", "newer-b")}
    file = tmp_path / "keys.toml"
    file.write_text(key_line("b", keys["newer-b"]))

    ring = KeyRing(parse_keys({"a": key_digest(keys["a"]), "b": key_digest(keys["b"])}), file)

    assert [find_key(keys[name], ring.keys()) is not None for name in keys] == [True, False, True]
