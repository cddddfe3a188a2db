"""The objects of PDF pages, as PDFium has them: text, pictures and drawn shapes, also those in forms."""

import ctypes
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

MAX_OBJECTS = 20_000  # of a page that are looked at; of real pages, drawings and maps have more
_MAX_FORM_DEPTH = 8  # of forms in forms
_IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

Matrix = tuple[float, float, float, float, float, float]  # in the order of PDF: x' = ax + cy + e, y' = bx + dy + f
Bounds = tuple[float, float, float, float]  # left, bottom, right, top


class PageObject(NamedTuple):
    """One object of a page.

    handle:  of PDFium.
    type:    one of its constants FPDF_PAGEOBJ_*.
    to_page: from the points of its parent, in which its bounds are, to those of the page.
    """

    handle: Any
    type: int
    to_page: Matrix

    @property
    def bounds(self) -> Bounds:
        """Return its bounds in points of its parent; zeros if it has none."""
        sides = [ctypes.c_float() for _ in range(4)]
        pdfium.FPDFPageObj_GetBounds(self.handle, *sides)
        left, bottom, right, top = (side.value for side in sides)
        return left, bottom, right, top

    @property
    def area(self) -> float:
        """Return the area of its bounds on the page."""
        left, bottom, right, top = self.bounds
        return max(0.0, right - left) * max(0.0, top - bottom) * abs(determinant(self.to_page))


def objects_of(page: Any, limit: int = MAX_OBJECTS, form_depth: int = _MAX_FORM_DEPTH) -> Iterator[PageObject]:
    """Yield the first objects of a page. form_depth: of forms that are opened."""
    objects = _objects_in(page, pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject, _IDENTITY, form_depth)
    return islice(objects, limit)


def _objects_in(
    parent: Any, count: Callable[[Any], int], get: Callable[[Any, int], Any], to_page: Matrix, depth: int
) -> Iterator[PageObject]:
    """Yield the objects of a page or a form. depth: of forms that are opened."""
    for index in range(count(parent)):
        handle = get(parent, index)
        one = PageObject(handle, int(pdfium.FPDFPageObj_GetType(handle)), to_page)
        yield one
        if depth and one.type == pdfium.FPDF_PAGEOBJ_FORM:
            inner = multiplied(matrix_of(handle), to_page)
            yield from _objects_in(
                handle, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject, inner, depth - 1
            )


def matrix_of(handle: Any) -> Matrix:
    """Return the map from the points of a form, or of a path, to those of its parent; zeros if it has none."""
    found = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(handle, found)
    return found.a, found.b, found.c, found.d, found.e, found.f


def multiplied(first: Matrix, second: Matrix) -> Matrix:
    """Return the map that applies one after the other."""
    a, b, c, d, e, f = first
    k, l, m, n, o, p = second  # noqa: E741
    return a * k + b * m, a * l + b * n, c * k + d * m, c * l + d * n, e * k + f * m + o, e * l + f * n + p


def determinant(matrix: Matrix) -> float:
    """Return the factor by which a map enlarges areas; negative if it mirrors."""
    a, b, c, d, *_ = matrix
    return a * d - b * c
