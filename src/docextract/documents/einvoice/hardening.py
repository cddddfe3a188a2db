"""A tree of the elements of an untrusted XML file, within limits.

No file with a document type declaration is parsed, so that there are no entities: none that multiply, and none that
name a file or an address. The text is decoded here, so that no encoding hides such a declaration.
"""

import codecs
import re
from xml.etree import ElementTree

MAX_BYTES = 5 * 1024 * 1024
# Real invoices have at least 25 bytes for each start or end of an element. A million elements would take 100 MB.
MAX_TAGS = 250_000
MAX_ATTRIBUTES = 100_000

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_FIRST_CHARACTER = ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
_DECLARED = re.compile(rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
# A file that declares UTF-16 but begins with single bytes cannot be UTF-16.
_CODECS = {
    "utf-8": "utf-8", "utf-16": "utf-8", "us-ascii": "ascii", "iso-8859-1": "iso-8859-1",
    "iso-8859-15": "iso-8859-15", "windows-1252": "windows-1252",
}  # fmt: skip


class EInvoiceError(ValueError):
    """The data are no electronic invoice that can be read; the message is for the caller."""


def parse_untrusted_xml(data: bytes) -> ElementTree.Element:
    """Return the root element; comments and processing instructions are left out.

    Raises EInvoiceError for what is no well-formed XML, is over a limit, or has a document type declaration.
    """
    if len(data) > MAX_BYTES:
        raise EInvoiceError(f"The XML has {len(data):,} bytes; at most {MAX_BYTES:,} are read.")
    text = _decode(data)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise EInvoiceError("The XML has a document type declaration; e-invoices have none, and it is not processed.")
    if text.count("<") > MAX_TAGS or text.count('="') + text.count("='") > MAX_ATTRIBUTES:
        raise EInvoiceError(f"The XML has over {MAX_TAGS:,} tags or over {MAX_ATTRIBUTES:,} attributes.")
    parser = ElementTree.XMLParser(encoding="utf-8")  # of the bytes made here; it overrides the declaration
    try:
        parser.feed(text.encode())
        return parser.close()
    except ElementTree.ParseError as error:
        raise EInvoiceError(f"The XML is damaged: it is not well-formed in line {error.position[0]}.") from None


def _decode(data: bytes) -> str:
    encoding = _encoding(data)
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise EInvoiceError(f"The XML is damaged: its text is not {encoding}.") from None


def _encoding(data: bytes) -> str:
    """Return the encoding that the first bytes show, else the declared one, else UTF-8 (XML 1.0, appendix F)."""
    for start, encoding in (*_BYTE_ORDER_MARKS, *_FIRST_CHARACTER):
        if data.startswith(start):
            return encoding
    declared = _DECLARED.match(data.lstrip()[:300])
    name = declared[1].decode().lower() if declared else "utf-8"
    if name not in _CODECS:
        raise EInvoiceError(f"The XML is encoded as {name}; read are UTF-8, UTF-16, ISO-8859-1 and Windows-1252.")
    return _CODECS[name]
