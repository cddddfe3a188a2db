"""Joins groups of pages that look alike although their labels do not say so: photos of one original, forms of a vendor.

Pages of one file are joined, too, if they name one vendor: often only the first does.

A model that has seen one of two such pages in training has seen both, so they must not be in different parts. Photos of
one original are always joined; the only form of a type is divided nevertheless.
"""

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Page
from docextract.predictions import TextLine
from training.datasets import pictures
from training.datasets.page import LabelledPage
from training.datasets.parts import group_of, named_group

# Two pages are alike if their pictures differ in at most this number of 63 bits, or share this share of their words.
# On 300 receipts of SROIE 85 % of the pairs of one merchant share so many words, and 0.1 % of the other pairs, most of
# which are one merchant in two spellings; their pictures alone find 11 % and 0.02 % (2026-11-24).
MAX_DIFFERENT_BITS = 8
MIN_SHARED_WORDS = 0.6
MIN_WORDS = 8  # of a page that can be like another
# Of the pages, that may be joined as one form, and a number of pages that always may: what is larger is the only form
# of this type, and its pages must be divided nevertheless. Of 25 scans of a form with other values, 87 % of the pairs
# have alike pictures, of scans of one original 97 %: the labels tell them apart (2026-11-30).
MAX_JOINED_SHARE, MAX_JOINED_PAGES = 0.2, 5
MIN_SAME_VALUES = 2  # that the labels of two photos of one original share, and none differs
HASHED_SIDE_PX, LOADED_SIDE_PX = 32, 256
MIN_CONTRAST = 2.0  # standard deviation of grey levels; a blank picture is like no other
WORD_BUCKETS = 4096
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True)
class JoinedPages:
    """Pages, those that are alike with one group: the first name, in alphabetical order, of their groups.

    left_apart: the sizes of the sets of pages that are alike, but too large to be joined.
    """

    pages: list[LabelledPage]
    left_apart: list[int]


def join_alike(
    pages: Sequence[LabelledPage], texts: Mapping[str, Sequence[TextLine]] | None = None
) -> list[LabelledPage]:
    """Return the pages with the groups of `find_alike`."""
    return find_alike(pages, texts).pages


def find_alike(pages: Sequence[LabelledPage], texts: Mapping[str, Sequence[TextLine]] | None = None) -> JoinedPages:
    """Join pages that are alike.

    A page's group can change when pages are added. Photos of one original are joined: their pictures are alike, and
    their labels have the same values. Other sets are joined up to MAX_JOINED_SHARE of the pages.
    texts: the lines that were read on each page, by its key; without it only pictures are compared.
    """
    links = list(_alike_pictures(pages))
    originals = _joined(
        _groups_by_file(pages), [(one, other) for one, other in links if _have_same_values(pages[one], pages[other])]
    )
    if texts is not None:
        links += _alike_texts([texts[page.key] for page in pages])
    names = _joined(originals, links)
    sizes, limit = Counter(names), max(MAX_JOINED_PAGES, int(MAX_JOINED_SHARE * len(pages)))
    groups = [name if sizes[name] <= limit else own for name, own in zip(names, originals, strict=True)]
    divided = {name for name, group in zip(names, groups, strict=True) if group != name}
    return JoinedPages(
        [replace(page, group=group) for page, group in zip(pages, groups, strict=True)],
        sorted(sizes[name] for name in divided),
    )


def perceptual_hash(picture: Page) -> NDArray[np.bool_] | None:
    """Return the signs of the lowest frequencies of a picture, [63]; None for one without contrast.

    Frequencies of the cosine transform are compared with their median (Zauner 2010, "pHash").
    """
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (HASHED_SIDE_PX, HASHED_SIDE_PX), interpolation=cv2.INTER_AREA).astype(np.float32)
    if small.std() < MIN_CONTRAST:
        return None
    low = cv2.dct(small)[:8, :8].ravel()[1:]
    return np.asarray(low > np.median(low))


def _joined(groups: Sequence[str], links: Sequence[tuple[int, int]]) -> list[str]:
    """The first group of each connected set of groups. links: pairs of indices that are alike."""
    first = {name: name for name in groups}

    def find(name: str) -> str:
        while first[name] != name:
            first[name] = first[first[name]]
            name = first[name]
        return name

    for one, other in links:
        names = sorted((find(groups[one]), find(groups[other])))
        first[names[1]] = names[0]
    return [find(name) for name in groups]


def _groups_by_file(pages: Sequence[LabelledPage]) -> list[str]:
    """The group of each page; one that names none has that of its file's other pages, if these name only one."""
    named: dict[Path, set[str]] = defaultdict(set)
    for page in pages:
        if name := named_group(page):
            named[page.image.resolve()].add(name)
    found = [(page, named[page.image.resolve()]) for page in pages]
    return [min(names) if len(names) == 1 else group_of(page) for page, names in found]


def _alike_pictures(pages: Sequence[LabelledPage]) -> Iterator[tuple[int, int]]:
    hashed = [(at, bits) for at, page in enumerate(pages) if (bits := _hash_of(page)) is not None]
    if hashed:
        bits = np.stack([one for _, one in hashed]).astype(np.float32)
        different = bits @ (1 - bits).T
        for one, other in _pairs(different + different.T <= MAX_DIFFERENT_BITS):
            yield hashed[one][0], hashed[other][0]


def _hash_of(page: LabelledPage) -> NDArray[np.bool_] | None:
    try:
        return perceptual_hash(pictures.load(page.image, LOADED_SIDE_PX, page.selection))
    except OSError:  # reported where the page is opened
        return None


def _have_same_values(one: LabelledPage, other: LabelledPage) -> bool:
    """Whether MIN_SAME_VALUES fields have values in both labels, at least one with a digit, and none has two values.

    Words that are printed on all forms of one kind do not tell them apart; lists do not count.
    """
    pairs = [(value, other.fields.get(name)) for name, value in one.fields.items()]
    both = [(a, b) for a, b in pairs if isinstance(a, str) and isinstance(b, str)]
    has_number = any(char.isdigit() for value, _ in both for char in value)
    return one.type == other.type and len(both) >= MIN_SAME_VALUES and has_number and all(a == b for a, b in both)


def _alike_texts(texts: Sequence[Sequence[TextLine]]) -> Iterator[tuple[int, int]]:
    """Pairs of pages that share most of their words; numbers do not count."""
    present = np.zeros((len(texts), WORD_BUCKETS), np.float32)
    for at, lines in enumerate(texts):
        words = (word for line in lines for word in _WORD.findall(line.text.upper()))
        present[at, [zlib.crc32(word.encode()) % WORD_BUCKETS for word in words]] = 1
    counts = present.sum(axis=1)
    shared = present @ present.T
    return _pairs(shared >= MIN_SHARED_WORDS * np.maximum(counts[:, None] + counts[None] - shared, MIN_WORDS))


def _pairs(alike: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    for one, other in zip(*np.nonzero(np.triu(alike, 1)), strict=True):
        yield int(one), int(other)
