"""The files of the review's page: complete catalogues, and nothing that its policy would block."""

import re
import string
import tomllib
from importlib.resources import files

import pytest

PAGE = files("docextract") / "review" / "page"
WORDS = {
    file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8"))["page"]
    for file in (PAGE / "words").iterdir()
}
DEMO_WORDS = tomllib.loads((files("docextract") / "demo" / "words" / "en.toml").read_text(encoding="utf-8"))["page"]
FAMILIES = ("state_", "status_", "problem_", "key_")  # keys that scripts put together
SCRIPTS = {
    file.name: file.read_text(encoding="utf-8") for file in PAGE.iterdir() if file.name.endswith((".js", ".html"))
}


def blanks(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


@pytest.mark.parametrize("language", sorted(WORDS.keys() - {"en"}))
def test_translation_is_complete(language):
    """It has every text, no additional one, and the same placeholders."""
    assert WORDS[language].keys() == WORDS["en"].keys()
    for key, sentence in WORDS["en"].items():
        assert WORDS[language][key].strip()
        assert blanks(WORDS[language][key]) == blanks(sentence), key


def test_scripts_and_catalogue_have_the_same_texts():
    """Every text that a script uses is in a catalogue, and every text of the catalogue is used."""
    texts = "\n".join(SCRIPTS.values())
    said = set(re.findall(r'translate\("(\w+)"', texts)) | set(re.findall(r'data-say="(\w+)"', texts))

    assert said <= WORDS["en"].keys() | DEMO_WORDS.keys()
    assert {key for key in WORDS["en"] if f'"{key}"' not in texts and not key.startswith(FAMILIES)} == set()


def test_every_file_of_the_page_is_served(reviewer):
    """Scripts that import each other, also those of the demo; style sheets, the icon, and the languages."""
    page = reviewer.get("/").text
    named = {f"/{name}" for name in re.findall(r'(?:src|href)="([^"]+)"', page)}
    for text in SCRIPTS.values():
        named |= {f"/review/{name}" for name in re.findall(r'from "\./([^"]+)"', text)}
        named |= {f"/demo/{name}" for name in re.findall(r'from "\.\./demo/([^"]+)"', text)}
    named |= {f"/review/words/{language}.json" for language in WORDS}

    assert {path: reviewer.get(path).status_code for path in named} == dict.fromkeys(named, 200)
    assert len(named) > 15
    assert not re.search(r"<style|style=|\son\w+=|https?://", page)


def test_the_page_may_ask_no_other_server(reviewer):
    """Its policy permits requests to its own server only."""
    policy = reviewer.get("/").headers["content-security-policy"]

    assert {"default-src 'none'", "script-src 'self'", "connect-src 'self'"} <= set(policy.split("; "))
