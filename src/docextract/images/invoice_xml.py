"""Recognition of e-invoices in XML by their first bytes, before anything is parsed."""

import re

MAX_XML_BYTES = 5_000_000
_HEAD_BYTES = 65_536  # licences of several kilobytes stand before the root element
_ROOT = re.compile(r"<(?:[\w.-]+:)?(CrossIndustryInvoice|CrossIndustryDocument|Invoice|CreditNote)[\s/>]")
_FIRST_TAG = re.compile(r"\s*<[?!\w]")


def is_einvoice_xml(data: bytes) -> bool:
    """Whether a file begins like an e-invoice: with XML whose root element is that of CII or UBL.

    Comments and a document type declaration may come before it; whether they are accepted is decided by the parser.
    """
    head = data[:_HEAD_BYTES]
    encoding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    text = head.decode(encoding, "replace")
    return bool(_FIRST_TAG.match(text) and _ROOT.search(text))
