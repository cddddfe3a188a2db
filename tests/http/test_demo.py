"""The responses at /demo; tests/browser tests the page in a browser."""

import re
import string
import tomllib
from importlib.resources import files

import pytest

from docextract.http.demo import DEMO_PATH, page_files
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


@pytest.mark.parametrize("path", page_files())
def test_every_file_has_its_media_type_and_the_policy(client, path):
    """The browser does not guess the type; other origins may not frame the page, add scripts or be contacted."""
    response = client.get(path)

    assert response.status_code == 200
    assert response.headers["content-type"] == page_files()[path].media_type
    assert response.headers["x-content-type-options"] == "nosniff"
    policy = response.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"} <= set(policy)
    assert not any(word in " ".join(policy) for word in ("unsafe", "*", "http", "data:"))


def test_page_may_use_only_the_camera(client):
    """No other device of the browser is permitted."""
    assert client.get(DEMO_PATH).headers["permissions-policy"] == "camera=(self), microphone=(), geolocation=()"


def test_unchanged_file_is_answered_304(client):
    """The browser revalidates each time, so a new version is visible at once."""
    first = client.get(DEMO_PATH)
    again = client.get(DEMO_PATH, headers={"if-none-match": first.headers["etag"]})
    other = client.get(DEMO_PATH, headers={"if-none-match": '"something else"'})

    assert first.headers["cache-control"] == "no-cache"
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert other.status_code == 200


def test_api_answers_are_not_cached(client):
    """Only the files of the page may be."""
    assert client.get("/v1/limits").headers["cache-control"] == "no-store"


def test_page_has_no_inline_code_and_no_external_resource(client):
    """The policy would block them and break the page."""
    page = client.get(DEMO_PATH).text

    assert not re.search(r"<style|style=|\son\w+=|https?://", page)
    assert all(re.match(r"demo(/|$)|docs$", address) for address in re.findall(r'(?:src|href)="([^"]*)"', page))


def test_every_referenced_file_exists(client):
    """Scripts that import each other, the style sheet, the icon."""
    named = set(re.findall(r'"(demo/[^"]+)"', client.get(DEMO_PATH).text))
    named |= {f"demo/{name}" for file in scripts() for name in re.findall(r'from "\./([^"]+)"', script(file))}

    assert {f"/{name}" for name in named} <= page_files().keys()
    assert len(named) > 5


@pytest.mark.parametrize("path", [path for path in page_files() if path.endswith(".jpg")])
def test_sample_images_are_small(path):
    """They are part of the package."""
    assert len(page_files()[path].content) <= SAMPLE_BYTES


def test_page_has_the_languages_of_the_guidance(client):
    """One catalogue per language, with the messages of the quality check, and each language can be selected."""
    assert WORDS.keys() == catalogues().keys()
    for language, sentences in catalogues().items():
        assert client.get(f"{DEMO_PATH}/words/{language}.json").json()["advice"] == sentences
        assert re.search(rf"\b{language}: \"", script("words.js"))


@pytest.mark.parametrize("language", sorted(WORDS.keys() - {"en"}))
def test_translation_is_complete(language):
    """It has every message, no additional one, and the same placeholders."""
    words = WORDS[language]

    assert words.keys() == ENGLISH.keys()
    for table, sentences in ENGLISH.items():
        assert words[table].keys() == sentences.keys()
        for key, sentence in sentences.items():
            assert words[table][key].strip()
            assert blanks(words[table][key]) == blanks(sentence), key


@pytest.mark.parametrize("language", sorted(WORDS))
def test_files_that_can_be_dropped_are_named(language):
    """Electronic invoices, too."""
    assert re.search("[eé]le[ckt]?tr", WORDS[language]["page"]["drop"])


def test_html_has_the_english_texts():
    """They are visible until the catalogue is loaded."""
    texts = re.findall(r'data-say="(\w+)">([^<]*)<', script("index.html"))

    assert dict(texts) == {key: ENGLISH["page"][key] for key, _ in texts}


def test_scripts_and_catalogue_have_the_same_messages():
    """Every message that a script uses is in the catalogue, and every message of the catalogue is used."""
    texts = "\n".join(script(name) for name in scripts())
    said = set(re.findall(r'\bsay\("(\w+)"', texts)) | set(re.findall(r'data-say(?:-label)?="(\w+)"', texts))
    synthetic = {"group_file", "group_page", "group_request", "group_auto"}

    assert said <= ENGLISH["page"].keys()
    assert {key for key in ENGLISH["page"] if f'"{key}"' not in texts} == synthetic


def blanks(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}
