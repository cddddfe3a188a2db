"""Lays out identity cards: front and back of an ID-1 card, and the older, larger TD2 with everything on one side."""

from random import Random

from docextract.documents.identity import Identity
from training.synth.documents.identity import decoration
from training.synth.documents.identity.american import typeset_american
from training.synth.documents.identity.decoration import EntryBuilder
from training.synth.documents.identity.text_layout import ID1_CARD_MM, Area, Canvas, FieldBlock, FieldEntry
from training.synth.documents.identity.writer import IdentityWriter
from training.synth.sheet import Sheet

TD2_MM = (105.0, 74.0)


def typeset(record: Identity, rng: Random) -> Sheet:
    """Lay out a record; a side without a name is a back."""
    writer = IdentityWriter(record, "id_card", rng)
    if record.family_name is None:
        return _back(writer)
    if writer.issuer.licence_style == "american" and not record.mrz:
        return typeset_american(writer)
    return _front(writer, TD2_MM if len(record.mrz) == 2 else ID1_CARD_MM)


def _front(writer: IdentityWriter, size_mm: tuple[float, float]) -> Sheet:
    rng, canvas = writer.rng, Canvas(*size_mm)
    paper = decoration.paper_tint(writer)
    decoration.background(canvas, writer)
    foot = decoration.machine_readable_zone(canvas, writer)
    top = _head(canvas, writer)
    photo = _photo(canvas, writer, top, foot)
    left = photo.x_mm < canvas.width_mm / 2
    x_mm = photo.x_mm + photo.width_mm + rng.uniform(1.5, 3.5) if left else rng.uniform(2.5, 4.5)
    width = (canvas.width_mm - rng.uniform(2, 4) if left else photo.x_mm - 1.5) - x_mm
    if writer.chance(0.25) and not writer.record.mrz:
        decoration.signature(canvas, writer, Area(x_mm + width * 0.4, foot - 6, width * 0.4, 5))
        foot -= 6.5
    area = Area(x_mm, top, width, foot - top)
    block = FieldBlock(
        canvas, area, writer.style, decoration.choose_column_count(writer, width, rng), rng.uniform(2.4, 3.4)
    )
    block.draw(_front_entries(writer), rng.uniform(0.2, 1.0))
    return canvas.sheet(paper)


def _head(canvas: Canvas, writer: IdentityWriter) -> float:
    """Country and title across the top; returns the y where the fields may begin, mm."""
    rng = writer.rng
    y_mm, margin = rng.uniform(1.2, 2.5), rng.uniform(2, 5)
    inset = 0.0
    if writer.issuer.options("sign") and writer.chance(0.3):
        decoration.state_flag(canvas, writer, Area(margin, y_mm, 9, 6))
        inset = 11.0
    width = canvas.width_mm - margin - inset - 2.5
    if writer.chance(0.25):  # side by side
        decoration.country_heading(canvas, writer, Area(margin + inset, y_mm, width * 0.55, 5), 2)
        decoration.document_titles(canvas, writer, Area(margin + inset + width * 0.57, y_mm, width * 0.43, 4.5), 2)
        return y_mm + rng.uniform(7, 8.5)
    parts = [decoration.country_heading, decoration.document_titles]
    if writer.chance(0.1):
        parts.pop()
    elif writer.chance(0.2):
        parts.reverse()
    for part in parts:
        part(canvas, writer, Area(margin + inset, y_mm, width, rng.uniform(2.8, 4.8)), rng.choice((1, 1, 2, 3)))
        y_mm += rng.uniform(4.6, 5.4)
    return y_mm + rng.uniform(0.2, 1.5)


def _photo(canvas: Canvas, writer: IdentityWriter, top: float, foot: float) -> Area:
    """Portrait, and what is below it; returns the area of the portrait."""
    rng = writer.rng
    width = canvas.width_mm * rng.uniform(0.24, 0.32)
    height = min(width * rng.uniform(1.2, 1.35), foot - top - 1)
    x_mm = rng.uniform(2, 4.5) if writer.chance(0.8) else canvas.width_mm - width - rng.uniform(2, 4)
    photo = Area(x_mm, top + rng.uniform(0, max(0.1, (foot - top - height) * 0.6)), width, height)
    decoration.portrait(canvas, writer, photo)
    if writer.chance(0.25):
        other = canvas.width_mm - 16 if x_mm < canvas.width_mm / 2 else 3
        decoration.ghost_portrait(canvas, writer, Area(other, foot - 17, 12, 15))
    if writer.chance(0.08):
        decoration.specimen_overprint(canvas, writer, Area(x_mm, photo.y_mm + height * 0.6, width, 5))
    under = photo.y_mm + height + 0.4
    if foot - under > 3.2:
        if writer.chance(0.35) and writer.has("document_number"):
            canvas.put(writer.value("document_number"), x_mm, under, 2.8, width, "sans", True, align="c")
        elif writer.chance(0.4):
            canvas.put([(f"{rng.randrange(10**6):06}", None)], x_mm, under, 2.8, width, "mono", align="c")
        elif writer.chance(0.5):
            decoration.signature(canvas, writer, Area(x_mm, under, width, foot - under - 0.4))
    return photo


def _front_entries(writer: IdentityWriter) -> list[FieldEntry]:
    """Labels and values of the front, in their order."""
    rng = writer.rng
    builder = EntryBuilder(writer, rng.choice((20, 28, 38)))
    field = builder.field
    number = builder.field("document_number", "number_id_card")
    body = [
        *builder.names(), *field("nationality"), *field("birth_date"), *field("sex"),
        *field("birth_place"), *field("administrative_number"), *field("resident_address", columns=2),
        *builder.body_features(0.1), *field("issue_date"), *field("expiry_date"),
        *field("issuing_authority"),
    ]  # fmt: skip
    if writer.chance(0.1):
        body.append(builder.extra("type", rng.choice(("ID", "I", "IR"))))
    body = decoration.swap_neighbours(body, writer, rng.choice((0, 0, 1, 2, 5)))
    return [*number, *body] if writer.chance(0.5) else [*body, *number]


def _back(writer: IdentityWriter) -> Sheet:
    rng, canvas = writer.rng, Canvas(*ID1_CARD_MM)
    paper = decoration.paper_tint(writer)
    decoration.background(canvas, writer)
    foot = decoration.machine_readable_zone(canvas, writer)
    top = rng.uniform(1.5, 4.0)
    x_mm, width = rng.uniform(2.5, 5), canvas.width_mm * rng.uniform(0.6, 0.92)
    if writer.has("issuing_country"):
        decoration.country_heading(canvas, writer, Area(x_mm, top, width, 3.6), 1)
        top += 4.6
    if writer.chance(0.2):
        decoration.document_titles(canvas, writer, Area(x_mm, top, width, 3), 2)
        top += 3.8
    if writer.chance(0.35):
        size = min(13.0, foot - top)
        canvas.ornament("chip", Area(canvas.width_mm - 16, top, 12, size * 0.75))
        width = min(width, canvas.width_mm - 18 - x_mm)
    elif writer.chance(0.35):
        decoration.barcode(canvas, writer, Area(canvas.width_mm - 17, top + 1, 14, min(14.0, foot - top - 2)))
        width = min(width, canvas.width_mm - 19 - x_mm)
    if writer.chance(0.2):
        decoration.signature(canvas, writer, Area(x_mm + 4, foot - 6.5, width * 0.5, 5))
        foot -= 7
    block = FieldBlock(
        canvas,
        Area(x_mm, top, width, foot - top),
        writer.style,
        decoration.choose_column_count(writer, width, rng),
        rng.uniform(2.2, 3.0),
    )
    block.draw(_back_entries(writer), rng.uniform(0.1, 0.9))
    return canvas.sheet(paper)


def _back_entries(writer: IdentityWriter) -> list[FieldEntry]:
    """Labels and values of the back, in their order."""
    builder = EntryBuilder(writer, writer.rng.choice((20, 28, 38)))
    body = [
        *builder.field("resident_address", columns=2), *builder.body_features(0.3), *builder.field("issuing_authority"),
        *builder.field("issue_date"), *builder.field("expiry_date"), *builder.field("birth_place"),
        *builder.field("birth_date"), *builder.field("sex"), *builder.field("nationality"),
        *builder.field("administrative_number"), *builder.field("document_number", "number_id_card"),
    ]  # fmt: skip
    if writer.chance(0.15):
        body.append(builder.extra("remarks", writer.rng.choice(("—", "***", "C", "NIL"))))
    return decoration.swap_neighbours(body, writer, writer.rng.choice((0, 0, 1, 3)))
