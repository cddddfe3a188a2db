import logging
import os
import re

import pytest

from docextract.keys import KeyRing, find_key, generate_key, key_digest, key_line, parse_keys, parse_rate_limit

WRONG = {
    "no table": "sha256:00",
    "a key in the place of its digest": f'phone = "{generate_key()}"',
    "half a digest": 'phone = "sha256:12"',
    "no digest": 'phone = { rate_limit = "1/second" }',
    "no limit": f'phone = {{ digest = "{key_digest("x")}", rate_limit = "often" }}',
    "more": f'phone = {{ digest = "{key_digest("x")}", admin = true }}',
    "a bad name": f'"my phone" = "{key_digest("x")}"',
    "the name of another": f'phone = "{key_digest("x")}"\nphone = "{key_digest("y")}"',
}


def ring_of(file):
    return KeyRing((), file)


def rewrite(file, text):
    """As a later moment: two changes within a clock's tick would have one time."""
    before = file.stat().st_mtime_ns if file.exists() else 0
    file.write_text(text)
    os.utime(file, ns=(before + 10**9, before + 10**9))


def test_a_new_key_is_known_by_its_line():
    """What is made is what is recognised; the line does not give the key away."""
    key = generate_key()
    written = key_line("phone-app", key)
    (found,) = parse_keys(written)

    assert find_key(key, [found]).name == "phone-app"
    assert key not in written


def test_keys_cannot_be_guessed():
    """256 bits, and no two alike."""
    keys = {generate_key() for _ in range(100)}

    assert len(keys) == 100
    assert all(re.fullmatch(r"docextract_[A-Za-z0-9_-]{43}", key) for key in keys)


def test_of_several_keys_each_is_known_by_its_own_name():
    """And one that was never given out by none."""
    given = {name: generate_key() for name in ("phone", "scanner", "night-run")}
    keys = parse_keys({name: key_digest(key) for name, key in given.items()})

    assert {name: find_key(key, keys).name for name, key in given.items()} == {name: name for name in given}
    assert find_key(generate_key(), keys) is None
    assert find_key("", keys) is None


def test_every_key_is_compared_to_its_end(monkeypatch):
    """How long an answer takes tells neither whether a key was nearly right nor how many there are before it."""
    compared = []
    plain = __import__("hmac").compare_digest
    monkeypatch.setattr("docextract.keys.hmac.compare_digest", lambda a, b: compared.append(b) or plain(a, b))
    first, second = generate_key(), generate_key()
    keys = parse_keys({"first": key_digest(first), "second": key_digest(second)})

    for asked in (first, second, "nobody's"):
        compared.clear()
        find_key(asked, keys)
        assert compared == [key.digest for key in keys]


def test_a_key_may_have_a_limit_of_its_own():
    """A scanner asks more often than a phone."""
    phone, scanner = parse_keys(
        f'phone = "{key_digest("a")}"\nscanner = {{ digest = "{key_digest("b")}", rate_limit = "9/second" }}'
    )

    assert phone.rate_limit is None
    assert scanner.rate_limit == parse_rate_limit("9 per second")


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_what_is_no_key_is_refused_without_being_repeated(wrong):
    """A key that was pasted where its digest belongs must not end up in the log."""
    with pytest.raises(ValueError) as refusal:
        parse_keys(wrong)

    assert not re.search(r"docextract_|[0-9a-f]{20}", str(refusal.value))


def test_a_name_that_toml_would_not_take_gets_no_line():
    """The line is made to be pasted."""
    with pytest.raises(ValueError):
        key_line("my phone", generate_key())


def test_a_line_taken_out_is_a_key_revoked(tmp_path):
    """And a line put in is a key made, without a restart."""
    file, old, new = tmp_path / "keys.toml", generate_key(), generate_key()
    rewrite(file, key_line("old", old))
    ring = ring_of(file)
    assert find_key(old, ring.keys())

    rewrite(file, key_line("new", new))

    assert find_key(old, ring.keys()) is None
    assert find_key(new, ring.keys()).name == "new"


@pytest.mark.parametrize("spoilt", ["half a li", None], ids=["nonsense", "gone"])
def test_a_file_that_is_spoilt_later_shuts_nobody_out(tmp_path, caplog, spoilt):
    """The keys stay as they were, the log says so once, and a mended file counts again."""
    file, key = tmp_path / "keys.toml", generate_key()
    rewrite(file, key_line("phone", key))
    ring = ring_of(file)

    with caplog.at_level(logging.ERROR):
        file.unlink() if spoilt is None else rewrite(file, spoilt)
        assert all(find_key(key, ring.keys()) for _ in range(3))
    assert len(caplog.records) == 1
    rewrite(file, "")
    assert ring.keys() == ()


@pytest.mark.parametrize("text", ["half a li", None], ids=["nonsense", "missing"])
def test_a_file_that_makes_no_sense_at_the_start_is_named(tmp_path, text):
    """Nobody finds out later that no key was ever read."""
    file = tmp_path / "keys.toml"
    if text:
        file.write_text(text)

    with pytest.raises((ValueError, OSError), match=r"keys\.toml"):
        ring_of(file)


def test_keys_of_the_settings_and_of_the_file_are_all_in_force(tmp_path):
    """Of two with one name, the file's: it is the one that can be changed."""
    keys = {name: generate_key() for name in ("a", "b", "newer-b")}
    file = tmp_path / "keys.toml"
    file.write_text(key_line("b", keys["newer-b"]))

    ring = KeyRing(parse_keys({"a": key_digest(keys["a"]), "b": key_digest(keys["b"])}), file)

    assert [find_key(keys[name], ring.keys()) is not None for name in keys] == [True, False, True]
