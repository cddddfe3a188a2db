"""Electronic invoices as XML, which are embedded in PDFs or sent alone.

Read are UN/CEFACT CII (Factur-X, ZUGFeRD 2, XRechnung), ZUGFeRD 1 and UBL 2.1 (XRechnung, Peppol). `hardening` makes a
tree of an untrusted file, and `parsing` finds the fields of an invoice in it by a table, data/einvoices.toml.

The standard library's parser instead of factur-x, drafthorse or pycheval: those have objects for CII only, and all
three need pypdf. Instead of lxml: it keeps each name of an element that it has ever parsed (libxml2's dictionary:
hostile files of 0.9 MB with new names each add 1.35 MB to the process for good, lxml 6.1.3), and expat keeps none.
"""

from docextract.documents.einvoice.hardening import EInvoiceError
from docextract.documents.einvoice.parsing import EInvoice, parse_einvoice

__all__ = ["EInvoice", "EInvoiceError", "parse_einvoice"]
