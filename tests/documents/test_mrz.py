"""Machine-readable zones: composed and read back, as printed and as readers misread them."""

from datetime import date
from random import Random

import pytest

from docextract.documents.mrz import compute_check_digit, is_transliteration, parse_zone, transliterate
from training.synth.documents.identity.zone import compose_mrz

TODAY = date(2026, 11, 20)
# The specimens printed in ICAO Doc 9303, parts 4, 5 and 6.
TD3 = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")
TD2 = ("I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6")
TD1 = ("I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<")
LONG = ("I<UTOD23145890<7349<<<<<<<<<<<", "3407127M9507122UTO<<<<<<<<<<<2", "STEVENSON<<PETER<JOHN<<<<<<<<<")
ERIKSSON = {
    "document_code": "P", "issuing_country": "UTO", "family_name": "Eriksson", "given_name": "Anna Maria",
    "document_number": "L898902C3", "nationality": "UTO", "birth_date": date(1974, 8, 12), "sex": "F",
    "expiry_date": date(2012, 4, 15),
}  # fmt: skip


def zone(lines, **options):
    found = parse_zone(lines, TODAY, **options)
    assert found is not None
    return found


def values(found):
    return {name: field.value for name, field in found.fields.items()}


@pytest.mark.parametrize(
    ("lines", "fmt", "number"), [(TD3, "TD3", "L898902C3"), (TD2, "TD2", "D23145890"), (TD1, "TD1", "D23145890")]
)
def test_the_specimens_of_the_standard_are_read(lines, fmt, number):
    """All three formats, to the last field."""
    found = zone(lines)

    assert (found.format, found.valid, found.lines) == (fmt, True, lines)
    assert values(found) | {"optional_data": ""} == {
        "document_number": number, "family_name": "ERIKSSON", "given_name": "ANNA MARIA", "sex": "F",
        "birth_date": date(1974, 8, 12), "expiry_date": date(2012, 4, 15), "nationality": "UTO",
        "issuing_country": "UTO", "optional_data": "",
    }  # fmt: skip


def test_the_specimens_of_the_standard_are_composed():
    """Character by character."""
    assert compose_mrz("TD3", **ERIKSSON, optional_data="ZE184226B") == TD3
    assert compose_mrz("TD2", **{**ERIKSSON, "document_code": "I", "document_number": "D23145890"}) == TD2
    assert compose_mrz("TD1", **{**ERIKSSON, "document_code": "I", "document_number": "D23145890"}) == TD1


def test_a_long_document_number_goes_on_in_the_optional_data():
    """Twelve characters on a card, with their check digit behind them."""
    stevenson = {
        "document_code": "I", "issuing_country": "UTO", "family_name": "Stevenson", "given_name": "Peter John",
        "document_number": "D23145890734", "nationality": "UTO", "birth_date": date(1934, 7, 12), "sex": "M",
        "expiry_date": date(1995, 7, 12),
    }  # fmt: skip

    assert compose_mrz("TD1", **stevenson) == LONG
    assert zone(LONG).valid
    assert values(zone(LONG))["document_number"] == "D23145890734"
    with pytest.raises(ValueError, match="D23145890734"):
        compose_mrz("TD3", **stevenson)


def test_germany_is_d_in_the_zone_and_deu_in_values():
    """Its zones have one letter and two fillers; answers have ISO codes."""
    lines = compose_mrz("TD3", **{**ERIKSSON, "issuing_country": "DEU", "nationality": "DEU"})

    assert lines[0].startswith("P<D<<ERIKSSON")
    assert (values(zone(lines))["issuing_country"], values(zone(lines))["nationality"]) == ("DEU", "DEU")


@pytest.mark.parametrize(
    ("printed", "spelt"),
    [
        ("Müller", "MUELLER"), ("Ångström", "AANGSTROEM"), ("Øster-Ærø", "OESTER<AEROE"), ("Weiß", "WEISS"),
        ("Núñez", "NUNEZ"), ("O'Connor", "OCONNOR"), ("d’Arc", "DARC"), ("García López", "GARCIA<LOPEZ"),
        ("Łukasz Żółć", "LUKASZ<ZOLC"), ("Şahin Iğdır", "SAHIN<IGDIR"), ("Þór", "THOR"),
    ],
)  # fmt: skip
def test_names_are_spelt_as_the_standard_says(printed, spelt):
    """No accents; hyphens are fillers; apostrophes are dropped."""
    assert transliterate(printed) == spelt
    assert is_transliteration(printed, spelt)


def test_a_printed_name_may_be_spelt_in_several_ways():
    """Ü is UE in Germany and U in Turkey; nobody's name is Miller for it."""
    assert is_transliteration("Öztürk", "OZTURK")
    assert is_transliteration("Öztürk", "OEZTUERK")
    assert is_transliteration("Jean-Pierre", "JEAN PIERRE")
    assert not is_transliteration("Müller", "MILLER")


def test_names_that_are_too_long_are_cut_and_show_it():
    """The last column is a letter then, and the given name keeps at least one."""
    lines = compose_mrz("TD3", **{**ERIKSSON, "family_name": "Nilavadhanananda Dejthamrong", "given_name": "Chayapa Arun"})
    long = compose_mrz("TD1", **{**ERIKSSON, "family_name": "Papandropoulou-Stathakopoulou Ek", "given_name": "Eleni"})

    assert [len(line) for line in (*lines, *long)] == [44, 44, 30, 30, 30]
    assert lines[0][-1] != "<"
    assert zone(lines).names_truncated
    assert "<<E" in long[2]
    assert is_transliteration("Chayapa Arun", values(zone(lines))["given_name"], truncated=True)


def test_an_unknown_birthday_is_no_date():
    """Fillers stand for what is not known; the zone is valid all the same."""
    lines = compose_mrz("TD3", **{**ERIKSSON, "birth_date": "74<<<<"})

    assert zone(lines).valid
    assert "birth_date" not in values(zone(lines))


def test_no_sex_is_left_out():
    """A filler says nothing, so nothing is answered."""
    assert "sex" not in values(zone(compose_mrz("TD3", **{**ERIKSSON, "sex": "X"})))


@pytest.mark.parametrize(
    ("born", "expires", "birth", "expiry"),
    [
        ("740812", date(2031, 4, 15), 1974, 2031),
        ("250101", date(2030, 1, 1), 2025, 2030),
        ("270101", date(2030, 1, 1), 1927, 2030),
        ("200101", date(2012, 1, 1), 1920, 2012),
        ("500101", date(1998, 1, 1), 1950, 1998),
    ],
)
def test_two_digits_of_a_year_are_enough(born, expires, birth, expiry):
    """A birth lies in the past and before the expiry, an expiry within fifty years of today."""
    found = values(zone(compose_mrz("TD3", **{**ERIKSSON, "birth_date": born, "expiry_date": expires})))

    assert (found["birth_date"].year, found["expiry_date"].year) == (birth, expiry)


@pytest.mark.parametrize(
    "misread",
    [
        ("P<UT0ERIKSS0N<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", TD3[1]),  # 0 for O among letters
        (TD3[0], "L898902C36UT07408I22F12O4I59ZE184226B<<<<<10"),  # letters among digits
        (TD3[0], "L8989O2C36UTO7408122F1204159ZE184226B<<<<<10"),  # only the check digit tells
        (TD3[0], "L898902C36UTO7408122F1204159ZE18A226B<<<<<10"),
        ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<", TD3[1]),  # fillers lost at the end
        ("P<UTOERIKSSON<<ANNA<MARIA", "L898902C36UTO7408122F1204159ZE184226B<<10"),
        ("PUTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", TD3[1]),
        (f"{TD3[0]}<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<<<10"),  # too many
        ("P<UTOERIKSSON«ANNA<MARIA<<<<<«««<<<<<<<<", "L898902C36 UTO 7408122 F1204159 ZE184226B<<<<< 10"),
        ("P<UTOERIKSSON<<ANNA<MARIA<<<<<K<<<KKCC<<<K<<", TD3[1]),  # letters for fillers
        (TD3[0], "L898902C36UTO7408122F1204159ZE184226B<<K<<10"),
        ("Р<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", TD3[1]),  # a Cyrillic letter
        ("p<utoeriksson<<anna<maria<<<<<<<<<<<<<<<<<<<", TD3[1]),
    ],
)
def test_what_readers_do_to_a_zone_is_mended(misread):
    """Letters for digits, digits for letters, fillers lost, added or taken for letters."""
    found = zone(misread)

    assert found.valid
    assert found.lines == TD3


def test_a_field_that_was_mended_says_so():
    """A mended number is not as sure as one that was read right away."""
    found = zone((TD3[0], "L8989O2C36UTO7408122F1204159ZE184226B<<<<<10"))

    assert found.fields["document_number"].repaired
    assert not found.fields["birth_date"].repaired


def test_of_several_repairs_that_fit_none_is_made():
    """Two zeros weigh the same, and one of them was an O: the zone is not valid, and the number as it was read."""
    lines = compose_mrz("TD3", **{**ERIKSSON, "document_number": "YO1K5Y307"})
    misread = (lines[0], lines[1].replace("YO1K5Y307", "Y01K5Y307"))

    found = zone(misread)

    assert not found.valid
    assert not found.checks["document_number"]
    assert values(found)["document_number"] == "Y01K5Y307"


def test_what_is_printed_decides_between_repairs():
    """The same number stands on the page: then the zone is read."""
    lines = compose_mrz("TD3", **{**ERIKSSON, "document_number": "YO1K5Y307"})
    misread = (lines[0], lines[1].replace("YO1K5Y307", "Y01K5Y307"))

    found = zone(misread, printed_numbers={"YO1K5Y307"})

    assert found.valid
    assert values(found)["document_number"] == "YO1K5Y307"


def test_a_forged_digit_is_noticed():
    """No look-alike explains it, so nothing is mended."""
    found = zone((TD3[0], TD3[1].replace("740812", "750812")))

    assert not found.valid
    assert not found.checks["birth_date"]
    assert found.checks["expiry_date"]


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("TOTAL 12.50",),
        ("GRAND TOTAL 12.50", "THANK YOU FOR SHOPPING"),
        ("", ""),
        ("<" * 44, "<" * 44),
        ("A" * 44, "1" * 44),
        TD3[:1],
        (*TD3, TD3[0]),
    ],
)
def test_what_is_no_zone_is_none(lines):
    """Other print, a half zone, too many lines."""
    assert parse_zone(lines, TODAY) is None


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_composed_is_read_back(seed):
    """Any names, numbers and dates, in every format."""
    dice = Random(seed)
    fmt = dice.choice(["TD1", "TD2", "TD3"])
    length = 9 if fmt == "TD3" else dice.choice([7, 9, 11])
    wanted = {
        **ERIKSSON,
        "family_name": " ".join(dice.sample(["BERG", "VAN", "OCONNOR", "LI"], dice.randint(1, 2))),
        "given_name": " ".join(dice.sample(["ANNA", "KARL", "CLARA", "K"], dice.randint(1, 2))),
        "document_number": "".join(dice.choice("0123456789ABCXYZ") for _ in range(length)),
        "birth_date": date(1950 + dice.randrange(60), dice.randint(1, 12), dice.randint(1, 28)),
        "expiry_date": date(2020 + dice.randrange(20), dice.randint(1, 12), dice.randint(1, 28)),
        "issuing_country": dice.choice(["DEU", "FRA", "USA"]),
    }

    found = zone(compose_mrz(fmt, **wanted, optional_data=dice.choice(["", "1234"]) if length == 9 else ""))

    assert found.valid
    assert {name: value for name, value in values(found).items() if name != "optional_data"} == {
        name: value for name, value in wanted.items() if name != "document_code"
    }


def test_each_character_of_a_mended_line_knows_where_it_was_read():
    """So that a field can be shown in the photo."""
    found = zone(("P<UTOERIKSSON<<ANNA<MARIA<<<", "L898902C36UTO7408122F1204159ZE184226B<<10"))

    (place,) = found.fields["given_name"].places
    assert [found.origins[0][column] for column in range(place.start, place.end)] == list(range(15, 25))
    assert [found.origins[1][column] for column in (42, 43)] == [39, 40]


def test_weights_are_seven_three_one():
    """The example of part 3: 520727 has the check digit 3."""
    assert compute_check_digit("520727") == "3"
    assert compute_check_digit("AB2134<<<") == "5"
