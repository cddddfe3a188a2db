"""Parses Donut's tokens into the texts that they enclose, each with its name, its row and its token range.

    <s_menu> <s_nm> Green tea </s_nm> <s_price> 1.20 </s_price> <sep/> <s_nm> … </s_menu>

is JSON with tokens as brackets: {"menu": [{"nm": "Green tea", "price": "1.20"}, {"nm": …}]}. transformers'
`DonutProcessor.token2json` parses the joined text instead, and loses which tokens a value consists of, and so the
network's confidence in them. This module needs no torch.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

SEPARATOR = "<sep/>"
_OPENING = re.compile(r"<s_(.+)>")
_BRACKET = re.compile(r"</?s_.+>")


@dataclass(frozen=True)
class TextLeaf:
    """A text between two tokens, `first` and `last`, which are brackets or separators."""

    name: str  # "menu.nm"
    row: int  # from 0, in the outermost list with several entries
    first: int
    last: int


@dataclass(frozen=True)
class _Node:
    key: str
    first: int  # index of the opening token
    last: int  # index of the closing token


def opened_key(token: str) -> str | None:
    """Return the key that a token opens, such as "menu" for `<s_menu>`; None for any other token."""
    match = _OPENING.fullmatch(token)
    return match[1] if match else None


def is_bracket(token: str) -> bool:
    """Whether a token only marks structure: `<s_menu>`, `</s_menu>`."""
    return _BRACKET.fullmatch(token) is not None


def parse_leaves(tokens: Sequence[str]) -> tuple[TextLeaf, ...]:
    """Return every enclosed text in order. Texts that are never closed, as after truncated decoding, are left out."""
    return tuple(_walk(tokens, 0, len(tokens), "", None))


def _walk(tokens: Sequence[str], start: int, end: int, name: str, row: int | None) -> Iterator[TextLeaf]:
    rows = _rows(tokens, start, end)
    for number, nodes in enumerate(rows):
        current_row = number if row is None and len(rows) > 1 else row
        for node in nodes:
            inner_name = f"{name}.{node.key}" if name else node.key
            if any(_rows(tokens, node.first + 1, node.last)):
                yield from _walk(tokens, node.first + 1, node.last, inner_name, current_row)
            else:
                yield from _texts(tokens, node, inner_name, current_row)


def _rows(tokens: Sequence[str], start: int, end: int) -> list[list[_Node]]:
    """Return the outermost nodes between two positions, split into rows at the separators between them."""
    rows: list[list[_Node]] = [[]]
    position = start
    while position < end:
        node = _node(tokens, position, end)
        if node is not None:
            rows[-1].append(node)
            position = node.last
        elif tokens[position] == SEPARATOR:
            rows.append([])
        position += 1
    return rows


def _node(tokens: Sequence[str], position: int, end: int) -> _Node | None:
    key = opened_key(tokens[position])
    closing = f"</s_{key}>"
    last = next((later for later in range(position + 1, end) if tokens[later] == closing), None)
    return _Node(key, position, last) if key and last is not None else None


def _texts(tokens: Sequence[str], node: _Node, name: str, row: int | None) -> Iterator[TextLeaf]:
    separators = (index for index in range(node.first, node.last) if tokens[index] == SEPARATOR)
    for number, (first, last) in enumerate(pairwise([node.first, *separators, node.last])):
        yield TextLeaf(name, number if row is None else row, first, last)
