"""Small PDFs that need a lot of time or memory; they are written by hand because no library creates them."""

import io
import zlib


def endless() -> bytes:
    """A form that draws a form ten times, and so on, ten thousand million times in all; 2 kB."""
    levels = 10
    forms = [_form(b"/F Do " * 10, b"/XObject<</F %d 0 R>>" % (6 + level)) for level in range(levels)]
    return _page(_stream(b"", b"/F Do"), b"/XObject<</F 5 0 R>>", *forms, _form(b"0 0 m 500 800 l S", b""))


def of_spaces(megabytes: int) -> bytes:
    """A page of white space that is a thousand times smaller when it is compressed."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * 1_000_000) for _ in range(megabytes)) + packer.flush()
    return _page(_stream(b"/Filter/FlateDecode", packed), b"")


def many_glyphs(count: int) -> bytes:
    """A page with this many letters, most of them outside it; a thousandth of that in bytes."""
    line = b"(" + b"x" * 1000 + b") Tj "
    packed = zlib.compress(b"BT /F1 4 Tf 0 400 Td " + line * (count // 1000) + b"ET", 9)
    return _page(_stream(b"/Filter/FlateDecode", packed), b"/Font<</F1 5 0 R>>", _HELVETICA)


def cyclic_font() -> bytes:
    """A font whose glyphs are drawn with the font itself."""
    font = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 97/LastChar 97/Widths[9]"
        b"/Encoding<</Differences[97/a]>>/CharProcs<</a 6 0 R>>/Resources<</Font<</F1 5 0 R>>>>>>"
    )
    glyph = _stream(b"", b"9 0 d0 BT /F1 1 Tf " + b"(aaaaaaaaaa) Tj " * 20 + b"ET")
    text = b"BT /F1 9 Tf 60 400 Td " + b"(aaaaaaaaaaaaaaaaaaaa) Tj " * 500 + b"ET"
    return _page(_stream(b"", text), b"/Font<</F1 5 0 R>>", font, glyph)


def many_pages(count: int) -> bytes:
    """Blank pages."""
    kids = b" ".join(b"%d 0 R" % (3 + number) for number in range(count))
    sheet = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]>>"
    return _file(_CATALOG, b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count), *[sheet] * count)


def circular() -> bytes:
    """Pages that are their own parents."""
    return _file(_CATALOG, b"<</Type/Pages/Kids[2 0 R]/Count 1>>")


def locked() -> bytes:
    """A PDF that is encrypted with an unknown password."""
    rights = b"<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P -4>>" % (b"41" * 32, b"42" * 32)
    return _file(_CATALOG, b"<</Type/Pages/Kids[]/Count 0>>", rights, trailer=b"/Encrypt 3 0 R/ID[<41><41>]")


_HELVETICA = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
_CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"


def _page(content: bytes, resources: bytes, *objects: bytes) -> bytes:
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    sheet = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<%s>>>>" % resources
    return _file(_CATALOG, pages, sheet, content, *objects)


def _form(content: bytes, resources: bytes) -> bytes:
    head = b"/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<<%s>>" % resources
    return _stream(head, content)


def _stream(head: bytes, data: bytes) -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (head, len(data), data)


def _file(*objects: bytes, trailer: bytes = b"") -> bytes:
    out = io.BytesIO(b"%PDF-1.7\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, one in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, one))
    table = out.tell()
    size = len(objects) + 1
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % size)
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (size, trailer, table))
    return out.getvalue()
