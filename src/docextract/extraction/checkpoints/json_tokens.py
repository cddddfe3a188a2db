"""Donut's tokens → the texts they enclose, each with its name, its row and where its tokens stand.

    <s_menu> <s_nm> Green tea </s_nm> <s_price> 1.20 </s_price> <sep/> <s_nm> … </s_menu>

is JSON with tokens for brackets: {"menu": [{"nm": "Green tea", "price": "1.20"}, {"nm": …}]}. transformers'
`DonutProcessor.token2json` reads the same from the joined text; but then nobody knows which tokens a value was
made of, and how sure the network was of them. No torch here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

SEPARATOR = "<sep/>"
_OPEN = re.compile(r"<s_(.+)>")
_BRACKET = re.compile(r"</?s_.+>")


@dataclass(frozen=True)
class Leaf:
    """One text between brackets. Tokens first and last are the brackets, or separators; the text lies between."""

    name: str  # "menu.nm"
    row: int  # in the outermost list that has several entries, from 0
    first: int
    last: int


@dataclass(frozen=True)
class _Node:
    key: str
    first: int  # token that opens it
    last: int  # token that closes it


def key(token: str) -> str | None:
    """`<s_menu>` → menu; None for any other token."""
    match = _OPEN.fullmatch(token)
    return match[1] if match else None


def is_bracket(token: str) -> bool:
    """Whether it only gives form: `<s_menu>`, `</s_menu>`."""
    return _BRACKET.fullmatch(token) is not None


def parse_leaves(tokens: Sequence[str]) -> tuple[Leaf, ...]:
    """Every text, in order; what is not enclosed, or never closed, as where decoding ran out of room, is none."""
    return tuple(_walk(tokens, 0, len(tokens), "", None))


def _walk(tokens: Sequence[str], start: int, end: int, name: str, row: int | None) -> Iterator[Leaf]:
    rows = _rows(tokens, start, end)
    for number, nodes in enumerate(rows):
        here = number if row is None and len(rows) > 1 else row
        for node in nodes:
            inner = f"{name}.{node.key}" if name else node.key
            if any(_rows(tokens, node.first + 1, node.last)):
                yield from _walk(tokens, node.first + 1, node.last, inner, here)
            else:
                yield from _texts(tokens, node, inner, here)


def _rows(tokens: Sequence[str], start: int, end: int) -> list[list[_Node]]:
    """The nodes between two tokens that lie in no other, parted where a separator stands between them."""
    rows: list[list[_Node]] = [[]]
    at = start
    while at < end:
        node = _node(tokens, at, end)
        if node is not None:
            rows[-1].append(node)
            at = node.last
        elif tokens[at] == SEPARATOR:
            rows.append([])
        at += 1
    return rows


def _node(tokens: Sequence[str], at: int, end: int) -> _Node | None:
    opened = key(tokens[at])
    closing = f"</s_{opened}>"
    last = next((later for later in range(at + 1, end) if tokens[later] == closing), None)
    return _Node(opened, at, last) if opened and last is not None else None


def _texts(tokens: Sequence[str], node: _Node, name: str, row: int | None) -> Iterator[Leaf]:
    borders = [node.first, *(at for at in range(node.first, node.last) if tokens[at] == SEPARATOR), node.last]
    for number, (first, last) in enumerate(pairwise(borders)):
        yield Leaf(name, number if row is None else row, first, last)
