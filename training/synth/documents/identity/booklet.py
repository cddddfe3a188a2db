"""Lays out the data page of a passport, 125 by 88 mm (TD3), alone or below the page before it."""

from dataclasses import replace
from random import Random

from docextract.documents.identity import Identity
from training.synth.documents.identity import decoration
from training.synth.documents.identity.decoration import EntryBuilder
from training.synth.documents.identity.text_layout import Area, Canvas, FieldBlock, FieldEntry
from training.synth.documents.identity.writer import IdentityWriter
from training.synth.sheet import Mark, Sheet

WIDTH_MM, HEIGHT_MM = 125.0, 88.0
_REQUEST_WORDS = (
    "the bearer passport state request pass freely without let hindrance afford protection pages valid all countries"
)


def typeset(record: Identity, rng: Random) -> Sheet:
    """Lay out a record."""
    writer = IdentityWriter(record, "passport", rng)
    canvas = Canvas(WIDTH_MM, HEIGHT_MM)
    paper = decoration.paper_tint(writer)
    decoration.background(canvas, writer)
    _page(canvas, writer)
    if not writer.chance(0.14):
        return canvas.sheet(paper)
    marks = (*_page_before(writer).marks, *(_moved_down(mark, HEIGHT_MM) for mark in canvas.marks))
    return Sheet(WIDTH_MM, 2 * HEIGHT_MM, marks, paper)


def _moved_down(mark: Mark, down_mm: float) -> Mark:
    """The mark, lower by `down_mm`."""
    return replace(mark, y_mm=mark.y_mm + down_mm)


def _page(canvas: Canvas, writer: IdentityWriter) -> None:
    """Draw the data page."""
    rng = writer.rng
    foot = decoration.machine_readable_zone(canvas, writer)
    head = rng.uniform(2.5, 5.0)
    decoration.country_heading(
        canvas,
        writer,
        Area(rng.uniform(4, 40), head, rng.uniform(60, 80), rng.uniform(4.5, 8.5)),
        rng.choice((1, 2, 3)),
    )
    top = head + rng.uniform(8.5, 11.0)
    left = writer.chance(0.9)
    photo_width = rng.uniform(28, 38)
    photo_x = rng.uniform(3.5, 7.0) if left else WIDTH_MM - photo_width - rng.uniform(4, 7)
    photo = Area(photo_x, top + rng.uniform(2, 5), photo_width, min(photo_width * 1.25, foot - top - 7))
    decoration.portrait(canvas, writer, photo)
    decoration.document_titles(
        canvas, writer, Area(photo_x, top - 3.5 if left else top - 2, photo_width, 4.5), rng.choice((1, 2, 3))
    )
    if writer.chance(0.3):
        decoration.ghost_portrait(canvas, writer, Area(WIDTH_MM - 24 if left else 6, foot - 26, 18, 22))
    x_mm = photo_x + photo_width + rng.uniform(3, 6) if left else rng.uniform(5, 9)
    width = WIDTH_MM - x_mm - rng.uniform(3, 7) if left else photo_x - x_mm - 3
    signed = writer.chance(0.5)
    if signed and writer.chance(0.6):
        decoration.signature(canvas, writer, Area(x_mm + width * 0.45, foot - 10, width * 0.4, 7))
        foot_of_fields = foot - 10.5
    else:
        foot_of_fields = foot - 0.5
        if signed:
            decoration.signature(
                canvas, writer, Area(photo.x_mm, min(photo.y_mm + photo.height_mm + 0.5, foot - 6), photo_width, 5)
            )
    area = Area(x_mm, top, width, foot_of_fields - top)
    block = FieldBlock(
        canvas, area, writer.style, decoration.choose_column_count(writer, width, rng), rng.uniform(3.0, 4.3)
    )
    block.draw(_entries(writer), rng.uniform(0.3, 1.0))
    if writer.chance(0.1):
        decoration.specimen_overprint(
            canvas, writer, Area(photo.x_mm, photo.y_mm + photo.height_mm * 0.6, photo_width, 7)
        )
    if writer.chance(0.15) and writer.has("document_number"):  # repeated at the edge
        canvas.put(writer.value("document_number"), WIDTH_MM - 34, 1.5, 3.6, 32, "mono", True, (170, 40, 50), "r")


def _entries(writer: IdentityWriter) -> list[FieldEntry]:
    """Labels and values in the order of the page."""
    builder, rng = EntryBuilder(writer, _choose_max_label_length(writer)), writer.rng
    field = builder.field
    first: list[FieldEntry] = []
    if writer.chance(0.85):
        first.append(builder.extra("type", rng.choice(("P", "P", "P", "PP", "PN", "PA"))))
    if writer.chance(0.8) and writer.has("issuing_country"):
        first.append(FieldEntry(builder.label("country_code"), ((_country_code(writer), "issuing_country"),)))
    first += builder.field("document_number", "number_passport")
    body = [
        *builder.names(), *field("nationality"), *field("birth_date"), *field("administrative_number"),
        *field("sex"), *field("birth_place"), *builder.body_features(0.12), *field("issue_date"),
        *field("issuing_authority"), *field("expiry_date"), *field("resident_address", columns=2),
    ]  # fmt: skip
    swaps = rng.choice((0, 0, 1, 2, 4))
    return [*first, *_names_first(decoration.swap_neighbours(body, writer, swaps))]


def _country_code(writer: IdentityWriter) -> str:
    """The issuer's code as its passports print it: Germany's is D."""
    own = writer.issuer.options("country_code")
    return own[0] if own else writer.record.issuing_country or ""


def _names_first(entries: list[FieldEntry]) -> list[FieldEntry]:
    """Move the names before all other entries, as in every passport."""
    return sorted(entries, key=lambda entry: not any(name in ("family_name", "given_name") for _, name in entry.runs))


def _choose_max_label_length(writer: IdentityWriter) -> int:
    """Choose the longest label of this document, in characters."""
    return writer.rng.choice((24, 32, 44))


def _page_before(writer: IdentityWriter) -> Canvas:
    """The page above in an open booklet: a request to other states, a signature, a page number."""
    rng, canvas = writer.rng, Canvas(WIDTH_MM, HEIGHT_MM)
    decoration.background(canvas, writer)
    words = _REQUEST_WORDS.split()
    y_mm = rng.uniform(8, 40)
    for _ in range(rng.randint(0, 7)):
        line = " ".join(rng.choice(words) for _ in range(rng.randint(6, 11)))
        canvas.put([(line.capitalize(), None)], 12, y_mm, 3.0, 100, "serif")
        y_mm += 4.2
    if writer.chance(0.6):
        decoration.signature(canvas, writer, Area(rng.uniform(20, 60), 66, 40, 11))
    if writer.chance(0.5):
        canvas.put([(str(rng.randint(1, 4)), None)], rng.choice((6.0, 115.0)), 80, 4.0)
    return canvas
