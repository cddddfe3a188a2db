"""PDFs with a text layer, written by hand so that every detail of them is known."""

from collections.abc import Mapping, Sequence

A4 = (595, 842)


def words(text: str, x: float, y: float, size: float = 11, extra: str = "") -> str:
    """Operators that show text with its baseline at x, y; points from the lower left corner."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F1 {size} Tf {extra} {x} {y} Td ({escaped}) Tj ET\n"


def text_pdf(
    *contents: str,
    size: tuple[float, float] = A4,
    attachments: Mapping[str, bytes] = {},
    page_entries: str = "",
    font: str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    objects: Sequence[bytes] = (),
    inherited: bool = False,
) -> bytes:
    """Return a PDF with one page for each content stream.

    page_entries: more entries of each page's dictionary. objects: more objects, numbered from 10. inherited: whether
    pages have their size and fonts from their parent.
    """
    bodies: dict[int, bytes] = {3: font.encode()}
    bodies |= {10 + index: body for index, body in enumerate(objects)}
    first = 100
    shared = f"/MediaBox[0 0 {size[0]} {size[1]}]/Resources<</Font<</F1 3 0 R>>>>"
    kids = []
    for index, content in enumerate(contents):
        page, stream = first + 2 * index, first + 2 * index + 1
        kids.append(f"{page} 0 R")
        bodies[page] = (
            f"<</Type/Page/Parent 2 0 R/Contents {stream} 0 R{'' if inherited else shared}{page_entries}>>"
        ).encode()
        bodies[stream] = _stream(content.encode("cp1252"))
    names = []
    for index, (name, data) in enumerate(attachments.items()):
        spec, file = 50 + 2 * index, 51 + 2 * index
        names.append(f"({name}) {spec} 0 R")
        bodies[spec] = f"<</Type/Filespec/F({name})/UF({name})/EF<</F {file} 0 R>>>>".encode()
        bodies[file] = _stream(data, "/Type/EmbeddedFile")
    embedded = f"/Names<</EmbeddedFiles<</Names[{' '.join(names)}]>>>>" if names else ""
    bodies[1] = f"<</Type/Catalog/Pages 2 0 R{embedded}>>".encode()
    bodies[2] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}{shared if inherited else ''}>>".encode()
    return _file(bodies)


def _stream(data: bytes, entries: str = "") -> bytes:
    return f"<</Length {len(data)}{entries}>>stream\n".encode() + data + b"\nendstream"


def _file(bodies: Mapping[int, bytes]) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    places = {}
    for number, body in sorted(bodies.items()):
        places[number] = len(out)
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {max(places) + 1}\n".encode()
    for number in range(max(places) + 1):
        place = places.get(number)
        out += b"0000000000 65535 f \n" if place is None else f"{place:010} 00000 n \n".encode()
    out += f"trailer<</Size {max(places) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)
