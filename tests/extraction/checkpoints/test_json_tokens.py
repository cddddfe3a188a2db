"""Donut's tokens: every text with its name and row, and the tokens it was made of."""

import re
from random import Random

import pytest
from transformers.models.donut.processing_donut import DonutProcessor

from docextract.extraction.checkpoints.json_tokens import parse_leaves


def tokens(text):
    """Brackets, separators, and words between them."""
    return re.findall(r"<[^>]+>|[^<\s]+", text)


def read(text):
    split = tokens(text)
    return [(leaf.name, leaf.row, " ".join(split[leaf.first + 1 : leaf.last])) for leaf in parse_leaves(split)]


@pytest.mark.parametrize(
    ("text", "wanted"),
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
def test_every_text_has_its_name_and_row(text, wanted):
    """A row is a place in the outermost list; most lists have lists of one within."""
    assert read(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["<s_total> 1.20", "1.20 </s_total>", "</s_total> <s_total>", "<sep/> <sep/>", "<s_menu> <s_nm> Tea </s_menu>"],
)
def test_what_was_cut_off_is_no_surprise(text):
    """Decoding that ran out of room leaves brackets open; what they hold is not taken for a whole value."""
    assert [name for name, _, _ in read(text)] in ([], ["menu"])


def test_it_is_what_transformers_reads():
    """On any tree: the same names and texts as DonutProcessor.token2json."""
    reader = DonutProcessor.__new__(DonutProcessor)  # it needs no pixels, no tokenizer
    for seed in range(200):
        written = write(Random(seed), 3)
        theirs = reader.token2json(written, added_vocab={})

        assert [(name, text) for name, _, text in read(written)] == list(flat(theirs)), written


def write(dice, depth):
    """A synthetic answer."""
    rows = []
    for _ in range(dice.choice([1, 1, 2, 3])):
        row = ""
        for name in dice.sample("abcd", dice.randint(1, 3)):
            key = f"{depth}{name}"  # a name within itself is closed by the inner one's end, for them as for us
            inside = write(dice, depth - 1) if depth and dice.random() < 0.4 else words(dice)
            row += f"<s_{key}>{inside}</s_{key}>"
        rows.append(row)
    return "<sep/>".join(rows)


def words(dice):
    return "<sep/>".join(" ".join(dice.choices(["tea", "1.20", "x"], k=2)) for _ in range(dice.choice([1, 1, 2])))


def flat(value, name=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for inner in value:
            yield from flat(inner, name)
    else:
        yield name, value
