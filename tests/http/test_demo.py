"""The page at /demo as it leaves the service; tests/browser looks at what a browser makes of it."""

import re
import string
import tomllib
from importlib.resources import files

import pytest

from docextract.http.demo import DEMO_PATH, assets
from docextract.quality.messages import catalogues

WORDS = {
    file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8"))
    for file in (files("docextract") / "demo" / "words").iterdir()
}
ENGLISH = WORDS["en"]
SAMPLE_BYTES = 80_000


def script(name):
    return (files("docextract") / "demo" / name).read_text(encoding="utf-8")


def scripts():
    return [path.name for path in (files("docextract") / "demo").iterdir() if path.name.endswith((".js", ".html"))]


@pytest.mark.parametrize("path", assets())
def test_every_file_of_the_page_is_served_as_what_it_is(client, path):
    """Its own kind of content, never guessed, and nothing of another origin may frame, run in or be reached by it."""
    response = client.get(path)

    assert response.status_code == 200
    assert response.headers["content-type"] == assets()[path].media_type
    assert response.headers["x-content-type-options"] == "nosniff"
    policy = response.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"} <= set(policy)
    assert not any(word in " ".join(policy) for word in ("unsafe", "*", "http", "data:"))


def test_the_page_may_use_the_camera_and_nothing_else(client):
    """Nor may whoever embeds it."""
    assert client.get(DEMO_PATH).headers["permissions-policy"] == "camera=(self), microphone=(), geolocation=()"


def test_a_file_that_is_still_the_same_is_not_sent_again(client):
    """The browser asks each time, so that a new version is seen at once, and gets 304 while there is none."""
    first = client.get(DEMO_PATH)
    again = client.get(DEMO_PATH, headers={"if-none-match": first.headers["etag"]})
    other = client.get(DEMO_PATH, headers={"if-none-match": '"something else"'})

    assert first.headers["cache-control"] == "no-cache"
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert other.status_code == 200


def test_answers_of_the_api_are_still_kept_by_nobody(client):
    """Only the page's own files may be."""
    assert client.get("/v1/limits").headers["cache-control"] == "no-store"


def test_nothing_on_the_page_is_inline_or_from_elsewhere(client):
    """The policy would block it, and the page would be broken."""
    page = client.get(DEMO_PATH).text

    assert not re.search(r"<style|style=|\son\w+=|https?://", page)
    assert all(re.match(r"demo(/|$)|docs$", address) for address in re.findall(r'(?:src|href)="([^"]*)"', page))


def test_whatever_the_page_names_is_there(client):
    """Scripts that import each other, the style sheet, the icon: none is missing."""
    named = set(re.findall(r'"(demo/[^"]+)"', client.get(DEMO_PATH).text))
    named |= {f"demo/{name}" for file in scripts() for name in re.findall(r'from "\./([^"]+)"', script(file))}

    assert {f"/{name}" for name in named} <= assets().keys()
    assert len(named) > 5


@pytest.mark.parametrize("path", [path for path in assets() if path.endswith(".jpg")])
def test_a_sample_is_small_enough_to_travel(path):
    """They are part of the package."""
    assert len(assets()[path].content) <= SAMPLE_BYTES


def test_the_page_speaks_the_languages_of_the_advice(client):
    """A catalogue for each, with the very sentences of the quality check, and each is offered."""
    assert WORDS.keys() == catalogues().keys()
    for language, sentences in catalogues().items():
        assert client.get(f"{DEMO_PATH}/words/{language}.json").json()["advice"] == sentences
        assert re.search(rf"\b{language}: \"", script("words.js"))


@pytest.mark.parametrize("language", WORDS.keys() - {"en"})
def test_a_translation_is_whole(language):
    """No sentence is missing, none is left over, none loses or invents a blank."""
    words = WORDS[language]

    assert words.keys() == ENGLISH.keys()
    for table, sentences in ENGLISH.items():
        assert words[table].keys() == sentences.keys()
        for key, sentence in sentences.items():
            assert words[table][key].strip()
            assert blanks(words[table][key]) == blanks(sentence), key


def test_no_sentence_is_wanting_and_none_is_unused():
    """What the scripts say is in the catalogue, and what is in the catalogue is said."""
    texts = "\n".join(script(name) for name in scripts())
    said = set(re.findall(r'\bsay\("(\w+)"', texts)) | set(re.findall(r'data-say(?:-label)?="(\w+)"', texts))
    synthetic = {"group_single", "group_separate"}

    assert said <= ENGLISH["page"].keys()
    assert {key for key in ENGLISH["page"] if f'"{key}"' not in texts} == synthetic


def blanks(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}
