"""How tills print a receipt: `typeset` lays a record out, from head to foot, in one of countless ways."""

from docextract.documents.till.page import typeset

__all__ = ["typeset"]
