"""The choice between printed values and the machine-readable zone."""

from dataclasses import replace
from datetime import date

import pytest

from docextract.answers.sources import recommend, zone_value
from docextract.documents.validity import NO_EXPIRY
from docextract.predictions import PredictedValue, PredictedZone


def value(meaning, confidence=0.9):
    return PredictedValue(str(meaning), meaning, confidence, ())


def zone(valid=True, cut=False, checks=None, **fields):
    found = {name: value(meaning, 0.95) for name, meaning in fields.items()}
    return PredictedZone("TD3", "P", (), valid, checks or {}, cut, 0.9, (), found)


def choice(name, printed, said, confidence=0.9, **options):
    of = zone(**options, **{name: said})
    return recommend(name, value(printed, confidence), of.fields[name], of)


def test_agreement_raises_and_disagreement_lowers_confidence():
    """Two equal values are more probable than either alone."""
    same = choice("birth_date", date(1974, 8, 12), date(1974, 8, 12), checks={"birth_date": True})
    other = choice("birth_date", date(1974, 8, 13), date(1974, 8, 12), checks={"birth_date": True})

    assert same.agree
    assert same.confidence > 0.98
    assert not other.agree
    assert other.confidence < 0.9


BORN, A_CENTURY_LATER = (date(date.today().year - age, 6, 1) for age in (101, 1))


def test_the_century_of_a_date_is_that_of_the_print():
    """Years in the zone have two digits, so that a holder of 101 years would be one year old."""
    found = choice("birth_date", BORN, A_CENTURY_LATER, checks={"birth_date": True})

    assert (found.source, found.agree) == ("printed", True)
    assert not choice("birth_date", date(1935, 6, 1), date(2025, 6, 1), checks={"birth_date": True}).agree


def test_a_printed_century_raises_no_confidence():
    """No zone has it."""
    assert choice("birth_date", BORN, A_CENTURY_LATER, checks={"birth_date": True}).confidence == 0.9


@pytest.mark.parametrize(
    ("name", "printed", "content", "in_zone"),
    [
        ("birth_date", date(2015, 6, 1), "01.06.15", date(1915, 6, 1)),
        ("birth_date", date(2074, 8, 12), "12.08.2074", date(1974, 8, 12)),
        ("birth_date", date(1908, 8, 12), "12.08.1908", date(2008, 8, 12)),
        ("expiry_date", date(1931, 8, 12), "12.08.1931", date(2031, 8, 12)),
    ],
    ids=["two digits", "future", "age", "expiry"],
)
def test_another_century_contradicts_the_zone(name, printed, content, in_zone):
    """It is misread or altered, or not printed; the check digit is right."""
    of = zone(checks={name: True}, **{name: in_zone})
    found = recommend(name, replace(value(printed, 0.7), content=content), of.fields[name], of)

    assert (found.source, found.agree) == ("mrz", False)


@pytest.mark.parametrize("never", [NO_EXPIRY, date(9999, 1, 1)])
def test_a_printed_permanent_validity_counts_whatever_year_the_zone_has(never):
    """Zones of Poland have 2112, which is read as 2012, for a card that was issued in 2012."""
    found = choice("expiry_date", never, date(2012, 7, 15), 0.7, checks={"expiry_date": True})

    assert (found.source, found.agree, found.confidence) == ("printed", True, 0.7)
    other = choice("expiry_date", date(2013, 7, 15), date(2012, 7, 15), 0.7, checks={"expiry_date": True})
    assert (other.source, other.agree) == ("mrz", False)


@pytest.mark.parametrize(("holds", "source"), [(True, "mrz"), (False, "printed")])
def test_the_zone_is_preferred_if_its_check_digit_is_valid(holds, source):
    """Otherwise the printed value is preferred."""
    found = choice("document_number", "AB1234567", "AB1234561", 0.6, checks={"document_number": holds})

    assert found.source == source


def test_a_name_keeps_its_accents():
    """The zone has no accents, so of two equal names the printed one is used."""
    assert choice("family_name", "Müller-Lüdenscheidt", "MUELLER LUEDENSCHEIDT").source == "printed"
    assert choice("family_name", "Müller-Lüdenscheidt", "MUELLER LUEDENSCHEIDT").agree
    assert choice("family_name", "MULIER", "MUELLER").source == "mrz"


def test_the_zone_confirms_no_accents():
    """Doubts about a printed name may concern an accent alone; a name from the zone may lack one."""
    letters = choice("document_number", "MUELLER", "MUELLER", 0.5, checks={"document_number": True}).confidence
    assert choice("family_name", "Müller", "MUELLER", 0.99).confidence > 0.99
    assert choice("family_name", "Müller", "MUELLER", 0.5).confidence < 0.8 < letters
    assert choice("family_name", "Mller", "MUELLER", 0.1).confidence < 0.95
    alone = zone_value(zone(family_name="MUELLER"), "family_name", None)
    assert alone.value == "MUELLER"
    assert alone.confidence < 0.95


def name_choice(printed, confidence, in_zone, confidence_in_zone, valid):
    of = zone(valid)
    return recommend("family_name", value(printed, confidence), value(in_zone, confidence_in_zone), of)


@pytest.mark.parametrize("visible", ["NEZ Y RODRIGUEZ", "MARTINEZ Y RO"])
@pytest.mark.parametrize("valid", [True, False])
def test_a_covered_zone_has_a_fragment_of_the_printed_name(visible, valid):
    """Its visible end or beginning says nothing against the whole name. The check digits are in other places."""
    found = name_choice("Martínez y Rodríguez", 0.85, visible, 0.9, valid)
    assert (found.source, found.confidence, found.agree) == ("printed", 0.85, False)
    assert name_choice("Martínez y Rodríguez", 0.85, visible, 0.96, valid).source == "mrz"


@pytest.mark.parametrize("named", ["RODRIGUEZ", "MARTINEZ", "GUADALUPE MARTINEZ Y RODRIGUEZ"])
def test_whole_words_in_the_zone_are_no_fragment(named):
    """The printed text may have the given name, too."""
    assert name_choice("Martínez y Rodríguez", 0.85, named, 0.9, valid=False).source == "mrz"


def test_a_doubtful_printed_name_does_not_outweigh_the_zone():
    """Its caption may be joined to it."""
    assert name_choice("NameSMITH", 0.6, "SMITH", 0.9, valid=False).source == "mrz"


def test_a_doubtful_name_in_a_valid_zone_does_not_outweigh_the_printed_one():
    """No check digit covers the names."""
    assert name_choice("MARTÍNEZ", 0.9, "MARTL", 0.4, valid=True).source == "printed"
    assert name_choice("MARTÍNEZ", 0.9, "MARTINES", 0.6, valid=True).source == "mrz"


def test_a_truncated_name_in_the_zone_agrees_with_the_printed_name():
    """A longer printed name agrees only if the zone had no room for it."""
    assert choice("given_name", "Chayapa Dejthamrong", "CHAYAPA DEJ", cut=True).source == "printed"
    assert not choice("given_name", "Chayapa Dejthamrong", "CHAYAPA DEJ").agree


def test_parts_of_a_truncated_name_may_be_cut():
    """States that write every part of a long name cut each of them, some to an initial."""
    found = choice("given_name", "ŠARŪNAS JAAK-KRISTJAN KEX", "SARUNAS JAAK KRISTJA K", cut=True)
    assert (found.agree, found.source) == (True, "printed")
    assert not choice("given_name", "ŠARŪNAS JAAK-KRISTJAN KEX", "SARUNAS JAAK MARTIN K", cut=True).agree
    assert not choice("given_name", "ŠARŪNAS", "SARUNAS JAAK", cut=True).agree


def test_without_a_check_digit_the_higher_confidence_decides():
    """Sex and nationality have no check digits."""
    assert choice("sex", "F", "M", 0.99).source == "printed"
    assert choice("sex", "F", "M", 0.5).source == "mrz"


def test_a_number_keeps_its_printed_punctuation():
    """A hyphen is not a difference."""
    found = choice("document_number", "12-345.678", "12345678", checks={"document_number": True})

    assert (found.agree, found.source) == (True, "printed")


def test_values_from_the_zone_alone_need_valid_check_digits():
    """The zone may be half covered; with a printed value, its value is still compared."""
    checks = {"document_number": True, "birth_date": False, "composite": False}
    of = zone(valid=False, checks=checks, document_number="L898902C3", birth_date=date(1974, 8, 12), family_name="ERIK")

    assert zone_value(of, "document_number", None) is of.fields["document_number"]
    assert zone_value(of, "birth_date", None) is None
    assert zone_value(of, "birth_date", value(date(1974, 8, 12))) is of.fields["birth_date"]
    assert zone_value(of, "family_name", None) is None


def test_optional_data_only_confirm_a_number_that_they_contain():
    """A state may put anything there, so optional data alone give no value."""
    of = zone(optional_data="PL 85010112345")

    assert zone_value(of, "administrative_number", None) is None
    assert zone_value(of, "administrative_number", value("999")) is None
    assert zone_value(of, "administrative_number", value("850101-12345")) is of.fields["optional_data"]
    assert zone_value(of, "optional_data", None) is None
    assert zone_value(of, "birth_place", None) is None


SPANISH = {"document_number": "BAA000589", "optional_data": "99999999R", "issuing_country": "ESP"}


def test_the_number_of_a_spanish_card_is_in_the_optional_data():
    """Its zone has the number of the blank card as document number, which is printed, too."""
    card = replace(zone(**SPANISH), format="TD1")
    confirmed = zone_value(card, "document_number", value("99999999-R"))

    assert confirmed is card.fields["optional_data"]
    assert recommend("document_number", value("99999999-R"), confirmed, card).agree
    for printed in (None, value("BAA000589"), value("BAA000598")):
        assert zone_value(card, "document_number", printed) is card.fields["document_number"]


@pytest.mark.parametrize(("holds", "source"), [(True, "mrz"), (False, "printed")])
@pytest.mark.parametrize(("printed", "data"), [("99999998R", "99999999R"), ("X-1234568-L", "X1234567L")])
def test_a_misread_number_of_a_spanish_holder_contradicts_the_optional_data(printed, data, holds, source):
    """It is no number of a blank card; of the check digits only the composite one covers the optional data."""
    checks = {"document_number": True, "composite": holds}
    card = replace(zone(checks=checks, **SPANISH | {"optional_data": data}), format="TD1")
    in_zone = zone_value(card, "document_number", value(printed))
    found = recommend("document_number", value(printed), in_zone, card)

    assert in_zone is card.fields["optional_data"]
    assert (found.agree, found.source) == (False, source)


def test_a_number_with_the_form_of_a_spanish_holder_may_be_the_documents():
    card = replace(zone(**SPANISH | {"document_number": "12345678Z"}), format="TD1")

    assert zone_value(card, "document_number", value("12345678Z")) is card.fields["document_number"]


@pytest.mark.parametrize(("layout", "state"), [("TD3", "ESP"), ("TD1", "BEL")])
def test_optional_data_are_no_document_number_elsewhere(layout, state):
    """A printed number that is the holder's is the wrong one there."""
    other = replace(zone(**SPANISH | {"issuing_country": state}), format=layout)

    assert zone_value(other, "document_number", value("99999999R")) is other.fields["document_number"]


def test_both_lines_of_optional_data_are_searched():
    """Cards of three lines have more of them in the second line."""
    of = zone(optional_data="7349", more_optional_data="85073000336")

    assert zone_value(of, "administrative_number", value("85.07.30-003.36")) is of.fields["more_optional_data"]
    assert zone_value(of, "administrative_number", value("7349")) is of.fields["optional_data"]
    assert zone_value(of, "administrative_number", value("734985")) is None


@pytest.mark.parametrize("printed", ["—", "***", "1", "850"])
def test_optional_data_do_not_confirm_short_numbers(printed):
    """One or two characters occur in most optional data."""
    assert zone_value(zone(optional_data="PL 85010112345"), "administrative_number", value(printed)) is None


def test_the_spelling_of_the_zone_is_doubtful_where_the_print_has_accents():
    """The print is misread, but the zone has no accents."""
    with_accents = choice("family_name", "ARNPÓRSDÓTTIR", "ARNTHORSDOTTIR", 0.2)
    without = choice("family_name", "ARNPORSDOTTIR", "ARNTHORSDOTTIR", 0.2)

    assert with_accents.source == without.source == "mrz"
    assert with_accents.confidence < 0.6 < 0.85 < without.confidence


@pytest.mark.parametrize(
    ("named", "doubtful"),
    [
        ({"family_name": "GARCIA", "given_name": "MARIA DEL C"}, "given_name"),
        ({"family_name": "GARCIA"}, "family_name"),
    ],
)
def test_the_last_name_in_a_full_line_of_the_zone_may_be_cut(named, doubtful):
    """The names that fill the line may go on where nothing is printed to compare with, as on the back of a card."""
    full, short = zone(cut=True, **named), zone(**named)

    for name in named:
        less = zone_value(full, name, None).confidence < 0.6
        assert less == (name == doubtful)
        assert zone_value(short, name, None).confidence > 0.9


@pytest.mark.parametrize(
    ("country", "name", "valid", "is_proven"),
    [
        ("BGR", "MARINA", True, True),
        ("GRC", "ANNA", True, True),
        ("BGR", "MARINA", False, False),
        ("BGR", "IVANOVA", True, False),
        ("POL", "MARINA", True, False),
    ],
)
def test_the_zone_proves_that_a_name_is_in_latin_letters(country, name, valid, is_proven):
    """A printed name that might be misread Greek or Cyrillic letters is doubtful; theirs are not in the zone."""
    of = zone(valid=valid, issuing_country=country, given_name=name)
    found = recommend("given_name", value(name, 0.46), of.fields["given_name"], of)

    assert found.agree
    assert (found.confidence > 0.9) == is_proven
