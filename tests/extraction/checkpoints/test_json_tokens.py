"""Parsing of Donut's tokens into texts with their names, rows and token ranges."""

import re
from random import Random

import pytest
from transformers.models.donut.processing_donut import DonutProcessor

from docextract.extraction.checkpoints.json_tokens import parse_leaves


def tokens(text):
    """Split a text into brackets, separators and the words between them."""
    return re.findall(r"<[^>]+>|[^<\s]+", text)


def read(text):
    split = tokens(text)
    return [(leaf.name, leaf.row, " ".join(split[leaf.first + 1 : leaf.last])) for leaf in parse_leaves(split)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("<s_total> 1.20 </s_total>", [("total", 0, "1.20")]),
        ("<s_total> <s_price> 1 </s_price> </s_total>", [("total.price", 0, "1")]),
        (
            "<s_menu> <s_nm> Green tea </s_nm> <s_price> 1 </s_price> <sep/> <s_nm> Bun </s_nm> </s_menu>",
            [("menu.nm", 0, "Green tea"), ("menu.price", 0, "1"), ("menu.nm", 1, "Bun")],
        ),
        ("<s_nm> a <sep/> b </s_nm>", [("nm", 0, "a"), ("nm", 1, "b")]),
        (
            "<s_menu> <s_nm> a <sep/> b </s_nm> <sep/> <s_nm> c </s_nm> </s_menu>",
            [("menu.nm", 0, "a"), ("menu.nm", 0, "b"), ("menu.nm", 1, "c")],
        ),
        ("stray <s_total> 1 </s_total> words", [("total", 0, "1")]),
    ],
)
def test_every_text_has_its_name_and_row(text, expected):
    """The row is the index in the outermost list with several entries."""
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    ["<s_total> 1.20", "1.20 </s_total>", "</s_total> <s_total>", "<sep/> <sep/>", "<s_menu> <s_nm> Tea </s_menu>"],
)
def test_truncated_output_gives_no_partial_values(text):
    """If decoding reaches the maximum length, brackets stay open; their texts are not complete values."""
    assert [name for name, _, _ in read(text)] in ([], ["menu"])


def test_names_and_texts_agree_with_transformers():
    """On random trees, names and texts are those of DonutProcessor.token2json."""
    processor = DonutProcessor.__new__(DonutProcessor)  # without image processor and tokenizer
    for seed in range(200):
        text = random_output(Random(seed), 3)
        reference = processor.token2json(text, added_vocab={})

        assert [(name, text) for name, _, text in read(text)] == list(flatten(reference)), text


def random_output(rng, depth):
    """Make a random output of a Donut."""
    rows = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        row = ""
        for name in rng.sample("abcd", rng.randint(1, 3)):
            key = f"{depth}{name}"  # a key nested in itself is closed by the inner end, here and in transformers
            content = random_output(rng, depth - 1) if depth and rng.random() < 0.4 else random_words(rng)
            row += f"<s_{key}>{content}</s_{key}>"
        rows.append(row)
    return "<sep/>".join(rows)


def random_words(rng):
    return "<sep/>".join(" ".join(rng.choices(["tea", "1.20", "x"], k=2)) for _ in range(rng.choice([1, 1, 2])))


def flatten(value, name=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for inner in value:
            yield from flatten(inner, name)
    else:
        yield name, value
