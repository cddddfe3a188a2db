"""Finds where the value of a field may be printed: where the network labels it, corrected by how it is printed."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from docextract.documents.address_lines import is_line_of_address
from docextract.documents.base import Field
from docextract.documents.identity import is_identity
from docextract.documents.printed_labels import OTHER_NUMBER, field_of_label
from docextract.documents.values import (
    ADDRESS,
    BIC,
    COMPANY_NAME,
    COUNTRY,
    DOCUMENT_NUMBER,
    EMAIL_ADDRESS,
    IBAN,
    INVOICE_KIND,
    PHONE_NUMBER,
    TAX_ID,
)
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece, Span, text_of
from docextract.extraction.layout.places import box_of, runs_on_lines
from docextract.extraction.layout.values.address_ends import without_lines_behind_home
from docextract.extraction.layout.values.addresses import (
    has_code,
    is_register_entry,
    is_street_below_company,
    last_address,
    may_begin_address,
    whole_addresses,
    without_seats,
    without_units,
)
from docextract.extraction.layout.values.card_elements import (
    FAMILY_NAME,
    GIVEN_NAME,
    before_next_element,
    is_numbered,
    numbered_name,
    without_discriminators,
    without_next_number,
    without_number,
)
from docextract.extraction.layout.values.company_names import company_names, without_banks, without_titles
from docextract.extraction.layout.values.invoice_titles import (
    invoice_title,
    is_titled_invoice,
    numbers_behind_titles,
)
from docextract.extraction.layout.values.labelled_values import (
    CREDIT_NOTE_NUMBER,
    NUMBER,
    NUMBERS_OF_CARDS,
    OTHER_ADDRESS_PART,
    OTHER_NAME,
    OTHER_TEXT,
    PARTS_OF_NAMES,
    PERSONAL_NUMBER,
    RESIDENT_ADDRESS,
    TEXTS_OF_LINES,
    TEXTS_OF_WORDS,
    dates_beside_other_labels,
    of_another_document,
    printed_labels,
)
from docextract.extraction.layout.values.merchants import MERCHANT_ADDRESS
from docextract.extraction.layout.values.payment_dates import DUE_DATE, without_payment_dates
from docextract.extraction.layout.values.payment_references import (
    PAYMENT_REFERENCE,
    printed_references,
    without_full_stop,
)
from docextract.extraction.layout.values.payment_terms import (
    PAYMENT_TERM,
    dates_behind_discounts,
    discount_lines,
    due_dates,
    first_sentence,
)
from docextract.extraction.layout.values.person_names import (
    PERSON_NAMES,
    is_behind_number,
    is_no_name,
    is_notice,
    with_particles,
    without_last_suffix,
    without_relative,
    without_suffix,
    without_title,
)
from docextract.extraction.layout.values.phone_numbers import without_labelled_numbers
from docextract.extraction.layout.values.printed_forms import (
    numbers_in_access_keys,
    outside_ibans,
    printed_access_keys,
    printed_bics,
    printed_email_addresses,
    printed_ibans,
)
from docextract.extraction.layout.values.resident_addresses import (
    HOME_PROBABILITY,
    completed_home,
    home_on,
    without_numbered_names,
)
from docextract.extraction.layout.values.text_spans import (
    begins_field,
    find_spans,
    is_span_below,
    join_lines,
    join_on_rows,
    may_be_personal_number,
    on_likely_lines,
)
from docextract.extraction.layout.values.whole_words import (
    IDENTIFIERS,
    from_start_of_word,
    is_end_of_number,
    is_number_in_groups,
    is_within_word,
    whole_words,
    with_rest_below,
    without_document_word,
)

MIN_VALUE_PROBABILITY = 0.15  # of a piece of an amount or a date; candidates that do not parse are dropped later
MIN_TEXT_PROBABILITY = 0.5  # of a piece of a text, where parsing cannot tell where the text ends
# Of the probability of the likeliest line of a text: lines below it, and above it, with at least this share belong to
# the text. With these values 122 of 171 names of held-out real receipts are exactly right, and 112 without the rule.
# With 0.95 for both it would be 129, because SROIE's labels are the company alone; but photos from elsewhere then lost
# "Friendly Red's" of "Friendly Red's of Windham" (2026-11-21, weights 2.1.0).
NAME_LINE_RATIOS = (0.9, 0.8)  # below, above
# Of addresses, also what the network takes for their first line as likely as not: "Hafenstr. 9, Hinterhaus". A name in
# front of an address is another field.
ADDRESS_LINE_RATIOS = (0.6, 0.5)
MAX_COMPLETED = 30  # addresses of one field that are completed; a page with more is no invoice
NEVER_IN_IBANS = (TAX_ID, PHONE_NUMBER)  # kinds whose digits are no groups of an IBAN, whatever the network says
IBAN_OR_BIC_PROBABILITY = 0.5  # of a text with the form of an IBAN or BIC that the network does not take for one
REFERENCE_FORM_PROBABILITY = 0.8  # of a text with the form and the check digits of a payment reference
INVOICE = "invoice"
# Of a value behind a label that names its field; and of numbers and dates on the label's own line, or that the network
# also takes for one. They have clear ends, and their labels name one field. Texts, amounts and tax numbers do not.
LABELLED_PROBABILITY, CLEARLY_LABELLED_PROBABILITY = 0.6, 0.93
CLEARLY_LABELLED = frozenset({"document_number", "document_date", DUE_DATE, "customer_id", "purchase_order"})
NUMBERED_PROBABILITY = 0.95  # of a probable value behind the number of its data element, or that an access key has

RECIPIENTS = {"customer_name": "customer_address", "ship_to_name": "ship_to_address"}

ValueSpans = dict[Span, float]  # with the least probability of each span, 0 if there is none but the network's


def value_spans(
    field: Field, page: PageLabels, labelled: Mapping[str, Sequence[Span]]
) -> tuple[ValueSpans, Collection[Span]]:
    """Return the spans that may be the value of a field, and those of them that stand behind or below its labels.

    labelled: see `labelled_values`.
    """
    spans = _with_printed_forms(field, _own_spans(field, page, labelled), page)
    behind_labels = list(labelled.get(field.name, ()))
    if field.name in IDENTIFIERS:
        spans, behind_labels = _whole_numbers(field, spans, behind_labels, page)
    if field.name == DUE_DATE:
        discounts = discount_lines(page.pieces, page.lines, lambda text: field.kind.parse(text, page.conventions))
        spans = _kept(without_payment_dates(due_dates(list(spans), discounts, page.lines), page), spans)
        behind_labels += dates_behind_discounts(discounts, page.pieces)
    spans = _without_values_of_others(field, spans, page, labelled)
    if field.name in (PAYMENT_REFERENCE, RESIDENT_ADDRESS):
        spans = _with_wholes(behind_labels, spans)
    if field.name in TEXTS_OF_LINES:
        behind_labels = [_continued(value, spans, page.pieces) for value in behind_labels]
        spans = _kept(_replaced_by(behind_labels, spans), spans)
    behind_labels = [next((span for span in spans if set(value) < set(span)), value) for value in behind_labels]
    least = {
        **{span: _labelled_probability(field, span, page) for span in behind_labels},
        **{span: one for span, one in spans.items() if one},
    }
    return _kept([*spans, *behind_labels], least), behind_labels


def _own_spans(field: Field, page: PageLabels, labelled: Mapping[str, Sequence[Span]]) -> ValueSpans:
    """Return the spans that the network takes for the field, texts completed, and those that their place tells."""
    spans = _network_spans(field, page, has_labelled=bool(labelled.get(field.name)))
    home = home_on(page) if field.name == RESIDENT_ADDRESS and not spans else None
    if home:
        spans = {home: 0.0}
    if _is_text(field):  # without others before the likeliest lines are chosen, and again when they are joined
        spans = _texts(field, _kept(_without_others(spans, field.name, labelled), spans), page)
    if home:
        spans = dict.fromkeys(spans, HOME_PROBABILITY)
    if field.name in PERSON_NAMES:
        spans = _with_numbered_name(field.name, spans, page)
    numbered = (span for span in spans if is_numbered(field.name, span, page.pieces))
    return spans | dict.fromkeys(numbered, NUMBERED_PROBABILITY)


def _is_text(field: Field) -> bool:
    return field.kind.name == "string"


def _whole_numbers(
    field: Field, spans: ValueSpans, behind_labels: Sequence[Span], page: PageLabels
) -> tuple[ValueSpans, list[Span]]:
    """Return the spans of an identifier, and those behind labels, with what goes on below them.

    A document number is also in an access key, or else behind the title of an invoice.
    """
    spans = {with_rest_below(span, page.pieces, page.lines): least for span, least in spans.items()}
    behind_labels = [with_rest_below(span, page.pieces, page.lines) for span in behind_labels]
    if field.name != NUMBER:
        return spans, behind_labels
    if page.document_type.name != INVOICE:  # "INV 00123" is one
        spans = {without_document_word(span, page.pieces): least for span, least in spans.items()}
    if access_keys := list(printed_access_keys(page.pieces, page.lines)):
        keys = {index for key in access_keys for index in key}
        spans = _kept([span for span in spans if keys.isdisjoint(span)], spans)
        spans |= dict.fromkeys(numbers_in_access_keys(access_keys, page.pieces), NUMBERED_PROBABILITY)
        behind_labels = [span for span in behind_labels if keys.isdisjoint(span)]
    if page.document_type.name == INVOICE and not (spans or behind_labels):
        spans = dict.fromkeys(numbers_behind_titles(page), LABELLED_PROBABILITY)
    return spans, behind_labels


def _without_values_of_others(
    field: Field, spans: ValueSpans, page: PageLabels, labelled: Mapping[str, Sequence[Span]]
) -> ValueSpans:
    """Return the spans without those that labels of other fields or documents claim."""
    if _is_text(field):
        spans = _kept(_without_others(spans, field.name, labelled), spans)
        if field.name in TEXTS_OF_WORDS and (own := labelled.get(field.name)):
            spans = _without_labels(spans, own, page)
        if field.name in NUMBERS_OF_CARDS:
            spans = _without_groups(spans, page, labelled)
        may_be_credit_note = field.name == NUMBER and not is_titled_invoice(page)
        return _of_credit_note(spans, labelled.get(CREDIT_NOTE_NUMBER, ())) if may_be_credit_note else spans
    beside = dates_beside_other_labels(field.name, page, labelled)
    spans = _kept([span for span in spans if span not in beside], spans)
    others = labelled.get(of_another_document(field.name), ())
    kept = [span for span in spans if span not in others]
    return _kept(kept if kept or labelled.get(field.name) else spans, spans)


def _without_labels(spans: ValueSpans, own: Sequence[Span], page: PageLabels) -> ValueSpans:
    """Leave out labels, which the network may take for values that stand on the right of others.

    own: the values behind labels of the field.
    """
    if all(span in own for span in spans):  # as on most pages: labels are not searched for
        return spans
    labels = {label for some in printed_labels(page).values() for label in some}
    return _kept([span for span in spans if span not in labels], spans)


def _without_groups(spans: ValueSpans, page: PageLabels, labelled: Mapping[str, Sequence[Span]]) -> ValueSpans:
    """Leave out parts of a labelled number in groups, whatever the network takes each group for."""
    numbers = [
        set(value) for values in labelled.values() for value in values if is_number_in_groups(value, page.pieces)
    ]
    return _kept([span for span in spans if not any(set(span) < number for number in numbers)], spans)


def _labelled_probability(field: Field, span: Span, page: PageLabels) -> float:
    is_behind = span[0] > 0 and page.pieces[span[0] - 1].line == page.pieces[span[0]].line
    is_clear = is_behind or page.probability(field.name)[list(span)].mean() >= MIN_VALUE_PROBABILITY
    return CLEARLY_LABELLED_PROBABILITY if is_clear and field.name in CLEARLY_LABELLED else LABELLED_PROBABILITY


def _kept(spans: Iterable[Span], known: Mapping[Span, float]) -> ValueSpans:
    """Return spans with what is known of them."""
    return {span: known.get(span, 0.0) for span in spans}


def _with_parts(parts: Mapping[Span, Span], own: NDArray[np.float32]) -> ValueSpans:
    """Return completed spans, each at least as likely as the part that was found. own: probabilities, [T]."""
    return {whole: 0.0 if whole == part else float(own[list(part)].mean()) for whole, part in parts.items()}


def _network_spans(field: Field, page: PageLabels, has_labelled: bool) -> ValueSpans:
    """Return what the network labels, to the ends of its numbers. has_labelled: there are values behind labels."""
    is_text, number, pieces = _is_text(field), page.numbers[field.name], page.pieces
    least = MIN_TEXT_PROBABILITY if is_text else MIN_VALUE_PROBABILITY
    found = find_spans(number, pieces, page.labels, least, is_text)
    if found and (field.kind in NEVER_IN_IBANS or field.name in IDENTIFIERS):
        ibans = list(printed_ibans(pieces, page.lines))
        found = [part for span in found for part in outside_ibans(span, ibans, pieces)]
    if field.kind == PHONE_NUMBER:
        found = without_labelled_numbers(found, page)
    if field.kind.name == "date":
        is_card = is_identity(page.document_type)  # which prints "DOB/12/03/1990"
        found = [span for span in found if is_card or not is_end_of_number(span, pieces)]
        found = [_without_next_element(field, span, page) for span in found] if is_card else found
        found += [span for span in join_on_rows(found, pieces) if span not in found]
    if field.kind == COUNTRY:
        found = [span for span in found if not is_within_word(span, pieces)]
    spans = _with_parts(whole_words(field, found, pieces), page.probability(field.name))
    if field.name == PERSONAL_NUMBER and is_identity(page.document_type):
        spans = _kept([span for span in spans if may_be_personal_number(page.text(span))], spans)
    if field.kind == DOCUMENT_NUMBER:
        numbers = without_discriminators(list(spans), pieces, has_others=has_labelled)
        spans = _kept([without_next_number(span, pieces) for span in numbers], spans)
    return spans


def _without_next_element(field: Field, span: Span, page: PageLabels) -> Span:
    """Return a date without the next element of a licence; unchanged if the date is behind the element's number."""
    front = before_next_element(span, page.pieces)
    return span if field.kind.parse(page.text(front), page.conventions) is None else front


def _texts(field: Field, spans: ValueSpans, page: PageLabels) -> ValueSpans:
    """Join the lines of texts, and complete and clean them by what they are."""
    pieces, lines, own = page.pieces, page.lines, page.probability(field.name)
    if field.name in TEXTS_OF_WORDS:
        spans = _from_starts_of_words(field, spans, page)
    if field.name in PERSON_NAMES:
        spans = _kept([span for span in spans if not is_no_name(span, pieces)], spans)
        spans = _kept([span for span in spans if not is_behind_number(span, pieces)] or spans, spans)
    if field.kind == COMPANY_NAME:
        names = [span for span in spans if not is_street_below_company(span, pieces, lines)]
        spans = _kept(without_banks(without_titles(names, pieces), list(printed_ibans(pieces, lines)), pieces), spans)
    ratios = ADDRESS_LINE_RATIOS if field.kind == ADDRESS else NAME_LINE_RATIOS
    likely = on_likely_lines(list(spans), own, pieces, ratios)
    joined = join_lines(likely, pieces, begins_field(page.numbers[field.name], page.labels))
    if field.kind == COMPANY_NAME:
        return _with_parts(company_names(joined, own, pieces, lines, _address_of_recipient(field, page)), own)
    if field.name in PERSON_NAMES:
        holders = (without_relative(span, pieces, lines) for span in joined)
        joined = [span for span in holders if span and not is_notice(span, pieces)]
        joined = [_without_titles(field.name, span, pieces) for span in joined]
    if field.name == FAMILY_NAME:
        wholes = {with_particles(span, pieces): span for span in joined}
        parts = {_without_given(whole, part, page): part for whole, part in wholes.items()}
        return {whole: max(least, spans.get(parts[whole], 0.0)) for whole, least in _with_parts(parts, own).items()}
    if field.name == PAYMENT_TERM:
        joined = [first_sentence(span, pieces) for span in joined]
    if field.name == PAYMENT_REFERENCE:
        joined = [without_full_stop(span, pieces) for span in joined]
    if field.kind == ADDRESS:
        joined = [span for span in joined if not is_register_entry(page.text(span))]
        named, taken = _name_beside(field, page), page.is_of_another(field.name)
        if field.name == RESIDENT_ADDRESS:
            taken = without_numbered_names(taken, page)
            joined = [completed_home(span, page, taken) for span in joined]
        else:
            joined = _join_in_columns(joined, pieces)
        taken[[span[0] - 1 for span in joined if is_numbered(field.name, span, pieces)]] = True
        whole = whole_addresses(joined[:MAX_COMPLETED], own, named, taken, pieces, lines)
        joined = [without_number(field.name, span, pieces) for span in _replaced_by(whole, joined)]
        if field.name == RESIDENT_ADDRESS:
            joined = [without_lines_behind_home(span, pieces) for span in joined]
        if field.name == MERCHANT_ADDRESS:
            joined = [last_address(span, pieces) for span in without_seats(joined, pieces, lines)]
        return _with_parts({span: without_units(span, pieces) for span in joined}, own)
    return _kept(joined, spans)


def _from_starts_of_words(field: Field, spans: ValueSpans, page: PageLabels) -> ValueSpans:
    """Return texts of words from the beginning of their first one, unless a label or another value is there."""
    own = page.probability(field.name)
    words = [span for span in spans if any(map(str.isalpha, page.text(span)))]
    known = {index for span in words for index in span}
    begun = {_from_start_of_word(field, span, page, known - {*span}): span for span in words}
    wholes = {whole: max(one, spans[begun[whole]]) for whole, one in _with_parts(begun, own).items()}
    marks = [span for span in spans if span not in words and not any(set(span) < set(whole) for whole in wholes)]
    return dict(sorted({**_kept(marks, spans), **wholes}.items()))


def _from_start_of_word(field: Field, span: Span, page: PageLabels, others: Collection[int]) -> Span:
    """Return a text from the beginning of its first word on. others: the pieces of other texts of the field."""
    whole = from_start_of_word(span, page.pieces)
    front = whole[: len(whole) - len(span)]
    is_label = any(field_of_label(page.text(front[:end]), page.document_type) for end in range(1, len(front) + 1))
    is_taken = page.is_of_another(field.name)[list(front)].any() or not set(others).isdisjoint(front)
    return span if is_label or is_taken else whole


def _with_numbered_name(field: str, spans: ValueSpans, page: PageLabels) -> ValueSpans:
    """Return all words on the line of the name's element instead of the spans, if there is one.

    Other places of the name are signatures, in which it may be abbreviated.
    """
    line = numbered_name(field, page)
    if line is None:
        return spans
    parts = [span for span in spans if not set(line).isdisjoint(span)]
    whole = _without_titles(field, tuple(sorted({*line, *(index for span in parts for index in span)})), page.pieces)
    return {whole: max((spans[part] for part in parts), default=0.0)}


def _without_given(whole: Span, family: Span, page: PageLabels) -> Span:
    """Return a family name without the particles in front of it, if the network is sure that they are a given name."""
    front = list(whole[: -len(family)])
    is_known = bool(front) and page.single_field(GIVEN_NAME) is not None
    return family if is_known and page.probability(GIVEN_NAME)[front].max() >= MIN_TEXT_PROBABILITY else whole


def _without_titles(field: str, name: Span, pieces: Sequence[Piece]) -> Span:
    """Drop what is printed around a person's name and is no part of it."""
    if field == GIVEN_NAME:
        return without_last_suffix(without_title(name, pieces), pieces)
    return without_suffix(name, pieces)


def _name_beside(field: Field, page: PageLabels) -> NDArray[np.float32]:
    """Return the probability that each piece belongs to the name of the party whose address a field is, [T]."""
    name = field.name.removesuffix("_address") + "_name"
    return page.probability(name) if page.single_field(name) else np.zeros(len(page.pieces), np.float32)


def _address_of_recipient(field: Field, page: PageLabels) -> NDArray[np.bool_] | None:
    """Return where the address of a party that receives a document is, [T]; None for the names of others."""
    if field.name not in RECIPIENTS:
        return None
    return np.asarray(page.probability(RECIPIENTS[field.name]) >= MIN_TEXT_PROBABILITY)


def _with_printed_forms(field: Field, spans: ValueSpans, page: PageLabels) -> ValueSpans:
    """Return titles by their words; numbers for payments and e-mail addresses by their form, not parts of them."""
    if field.kind in (IBAN, BIC):
        forms = list((printed_ibans if field.kind == IBAN else printed_bics)(page.pieces, page.lines))
        return _kept(_replaced_by(forms, spans), dict.fromkeys(forms, IBAN_OR_BIC_PROBABILITY))
    if field.name == PAYMENT_REFERENCE:
        forms = list(printed_references(page.pieces, page.lines))
        return _kept(_replaced_by(forms, spans), spans | dict.fromkeys(forms, REFERENCE_FORM_PROBABILITY))
    if field.kind == INVOICE_KIND:
        title = invoice_title(page)
        return spans | dict([title]) if title else spans
    if field.kind == EMAIL_ADDRESS:
        own, addresses = page.probability(field.name), printed_email_addresses(page.pieces)
        likely = [span for span in addresses if own[list(span)].max() >= MIN_VALUE_PROBABILITY]
        return _kept(_replaced_by(likely, spans), spans)
    return spans


def _without_others(spans: Iterable[Span], field: str, labelled: Mapping[str, Sequence[Span]]) -> list[Span]:
    """Leave out what stands behind labels of other fields only.

    A number behind a label of payment references stays if it is the only one and none is behind a label of the field:
    payers often state the customer number.
    So does one of another thing: a bill may have no number but that of the booking; a card no name but that at birth.
    """
    own = labelled.get(field, ())
    doubtful = (field, PARTS_OF_NAMES.get(field), PAYMENT_REFERENCE, OTHER_NUMBER, OTHER_NAME)
    others = {value for name, values in labelled.items() if name not in doubtful for value in values}
    other_texts = [frozenset(value) for name in (OTHER_TEXT, OTHER_ADDRESS_PART) for value in labelled.get(name, ())]
    kept = [span for span in spans if span in own or not (span in others or _is_part_of_any(span, other_texts))]
    numbers = [span for span in kept if span in own or span not in labelled.get(OTHER_NUMBER, ())]
    kept = numbers if numbers or own else kept
    other_names = [frozenset(value) for value in labelled.get(OTHER_NAME, ())]
    kept = [span for span in kept if not _is_part_of_any(span, other_names)] or kept
    references = labelled.get(PAYMENT_REFERENCE, ())
    unreferenced = [span for span in kept if span in own or span not in references]
    return unreferenced if unreferenced or own else kept


def _is_part_of_any(span: Span, wholes: Iterable[frozenset[int]]) -> bool:
    return any(whole.issuperset(span) for whole in wholes)


def _of_credit_note(spans: ValueSpans, numbers: Iterable[Span]) -> ValueSpans:
    """Leave out what is no number behind a label of credit notes, if there is one: their invoice has no such label."""
    own = {index for number in numbers for index in number}
    return _kept([span for span in spans if not own or own.intersection(span)], spans)


def _continued(value: Span, found: Collection[Span], pieces: Sequence[Piece]) -> Span:
    """Return the text behind a label, as far as it was found if it was, with another one that goes on below it."""
    upper = next((one for one in found if value[0] in one), value)
    return next((upper + one for one in found if _goes_on(upper, one, pieces)), upper)


def _with_wholes(values: Iterable[Span], spans: ValueSpans) -> ValueSpans:
    """Return the spans with values behind labels in place of their parts."""
    wholes = [value for value in values if any(set(span) < set(value) for span in spans)]
    return _kept(_replaced_by(wholes, spans), spans)


def _goes_on(upper: Span, lower: Span, pieces: Sequence[Piece]) -> bool:
    """Whether a span is directly below the last line of another, and begins in its column."""
    left, top, _, bottom = box_of(upper, pieces)
    return is_span_below(upper, lower, pieces) and abs(box_of(lower, pieces)[0] - left) < bottom - top


def _join_in_columns(spans: Iterable[Span], pieces: Sequence[Piece]) -> list[Span]:
    """Join addresses without a postal code with the rest directly below them, which begins with no street.

    In reading order a line of the address beside is between them; behind it the field seems to begin again.
    """
    joined: list[Span] = []
    for span in spans:
        at = next((at for at, upper in enumerate(joined) if _is_rest_of_address(upper, span, pieces)), None)
        if at is None:
            joined.append(span)
        else:
            joined[at] += span
    return joined


def _is_rest_of_address(upper: Span, lower: Span, pieces: Sequence[Piece]) -> bool:
    first = text_of(runs_on_lines(lower, pieces)[0], pieces)
    is_apart = lower[0] > upper[-1] + 1 and not has_code(upper, pieces)
    begins = may_begin_address(first) or is_line_of_address(first)
    return is_apart and not begins and _goes_on(upper, lower, pieces)


def _replaced_by(better: Iterable[Span], spans: Iterable[Span]) -> list[Span]:
    """Return the better spans, and those of the others that share no piece with them."""
    found = list(better)
    pieces = {index for span in found for index in span}
    return [*found, *(span for span in spans if pieces.isdisjoint(span))]
