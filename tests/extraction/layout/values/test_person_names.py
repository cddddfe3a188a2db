"""Whole names on one line of a card."""

from dataclasses import replace

import pytest

from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.pieces import join_pieces, split_into_pieces
from docextract.extraction.layout.places import PrintedLines
from docextract.extraction.layout.values.person_names import (
    family_and_given,
    is_notice,
    without_last_suffix,
    without_relative,
    without_title,
)
from tests.extraction.layout.conftest import value_of


@pytest.mark.parametrize(
    ("text", "family", "given"),
    [
        ("CHRIS SMITH", "SMITH", "CHRIS"),
        ("MARK PAUL ST. JOHN", "ST. JOHN", "MARK PAUL"),
        ("Anna van der Berg", "van der Berg", "Anna"),
        ("HALL-COX, HARRY LEE", "HALL-COX", "HARRY LEE"),
        ("Mary Hall-Cox", "Hall-Cox", "Mary"),
        ("CHRIS SMITH JR.", "SMITH", "CHRIS"),
        ("MARK ST. JOHN III", "ST. JOHN", "MARK"),
        ("Ana Q DE LUCA", "DE LUCA", "Ana Q"),
        ("Mary Jane O'NEIL", "O'NEIL", "Mary Jane"),
    ],
)
def test_a_family_name_is_the_last_word_or_in_front_of_a_comma(line, text, family, given):
    _, page = split_into_pieces([line(text)])

    parts = family_and_given(tuple(range(len(page.pieces))), page.pieces)

    assert parts is not None
    assert [join_pieces([page.pieces[index] for index in part]) for part in parts] == [family, given]


@pytest.mark.parametrize(
    ("text", "names"), [("MISS ANNA", "ANNA"), ("Dr. Paul Lee", "Paul Lee"), ("MS", "MS"), ("DREW", "DREW")]
)
def test_a_courtesy_title_is_no_given_name(line, text, names):
    _, page = split_into_pieces([line(text)])

    span = without_title(tuple(range(len(page.pieces))), page.pieces)

    assert join_pieces([page.pieces[index] for index in span]) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("JUAN CARLOS JR", "JUAN CARLOS"),
        ("MICHAEL M, JR.", "MICHAEL M"),
        ("LIAM R.", "LIAM R."),
        ("MICHAEL, JAMES", "MICHAEL, JAMES"),
        ("JR", "JR"),
    ],
)
def test_a_suffix_behind_given_names_is_no_part_of_them(line, text, names):
    """American licences print it behind the given names, too; an initial keeps its point."""
    _, page = split_into_pieces([line(text)])

    span = without_last_suffix(tuple(range(len(page.pieces))), page.pieces)

    assert join_pieces([page.pieces[index] for index in span]) == names


def test_the_suffix_of_a_given_name_is_left_out(line, card):
    assert value_of(card((line("JUAN CARLOS JR"), {"given_name": 0.9})), "given_name") == "JUAN CARLOS"


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["S/O Sonu Jain"], ""),
        (["s / o"], ""),
        (["ANIL KUMAR S/O RAM KUMAR"], "ANIL KUMAR"),
        (["ANIL KUMAR", "W/0 RAM KUMAR"], "ANIL KUMAR"),
        (["van der Berg", "e/v Jansen"], "van der Berg"),
        (["Soo Jain"], "Soo Jain"),
        (["C/D", "O"], "C/D O"),
    ],
)
def test_relatives_of_the_holder_are_told_by_what_is_printed_in_front_of_them(line, lines, name):
    """The holder's own name stays."""
    _, page = split_into_pieces([line(text, 0, 30 * at) for at, text in enumerate(lines)])

    span = without_relative(tuple(range(len(page.pieces))), page.pieces, PrintedLines(page.pieces))

    assert join_pieces([page.pieces[index] for index in span]) == name


def test_the_mark_of_a_relative_may_be_in_front_of_what_was_found(line):
    """The network takes the name alone."""
    _, page = split_into_pieces([line("S/O Sonu Jain", 0, 0)])

    assert without_relative((3, 4), page.pieces, PrintedLines(page.pieces)) == ()


@pytest.mark.parametrize(
    ("text", "is_one"), [("VETERAN", True), ("Organ Donor", True), ("DONOR MARY", False), ("ANNA", False)]
)
def test_notices_are_nobodys_name(line, text, is_one):
    """Only where they stand alone."""
    _, page = split_into_pieces([line(text, 0, 0)])

    assert is_notice(tuple(range(len(page.pieces))), page.pieces) == is_one


@pytest.mark.parametrize("lines", [["SMITH"], ["SMITH,"], ["CHRIS", "SMITH"]])
def test_one_word_and_two_lines_are_no_whole_name(line, lines):
    _, page = split_into_pieces([line(text, 0, 30 * at) for at, text in enumerate(lines)])

    assert family_and_given(tuple(range(len(page.pieces))), page.pieces) is None


def names_on(card, *lines):
    found = decode_fields(card(*lines))
    return tuple(found[name].value if name in found else None for name in ("family_name", "given_name"))


@pytest.mark.parametrize("field", ["family_name", "given_name"])
def test_an_american_name_on_one_line_is_divided(line, card, field):
    """Whichever of both fields the network takes it for."""
    lines = [(line("USA", 0, 0), {"issuing_country": 0.9}), (line("CHRIS SMITH", 0, 40), {field: 0.9})]

    assert names_on(card, *lines) == ("SMITH", "CHRIS")


@pytest.mark.parametrize(
    ("country", "text", "other", "expected"),
    [
        ("INDONESIA", "BUDI SANTOSO", None, (None, "BUDI SANTOSO")),
        ("USA", "2 TEST TESTER", None, (None, "2 TEST TESTER")),
        ("USA", "TEST TESTER", "BARROL", ("BARROL", "TEST TESTER")),
    ],
    ids=["names of other countries", "the element of given names", "a family name beside"],
)
def test_other_names_stay_whole(line, card, country, text, other, expected):
    lines = [(line(country, 0, 0), {"issuing_country": 0.9}), (line(text, 0, 40), {"given_name": 0.9})]
    if other:
        lines.append((line(other, 0, 80), {"family_name": 0.9}))

    assert names_on(card, *lines) == expected


@pytest.mark.parametrize(
    ("between", "given"),
    [("CONNOR JAMES", "CONNOR JAMES"), ("VETERAN", None), ("D 99", None)],
    ids=["words", "notice", "digits"],
)
def test_a_line_between_name_and_address_is_the_given_name(line, card, between, given):
    """Where the network finds none: American cards print the three below each other, without labels."""
    lines = [
        (line("SAMPLE", 0, 0), {"family_name": 0.9}),
        (line(between, 0, 30), {}),
        (line("123 NORTH MAIN STREET", 0, 60), {"resident_address": 0.9}),
    ]

    assert names_on(card, *lines) == ("SAMPLE", given)
    assert names_on(card, lines[0], lines[1], (line("4/11/2030", 0, 60), {})) == ("SAMPLE", None)


@pytest.mark.parametrize(
    ("country", "above", "field", "expected"),
    [
        ("USA", "SAMPLE", "family_name", ("SAMPLE", "CONNOR")),
        ("USA", "SAMPLE", "given_name", ("SAMPLE", "CONNOR")),
        ("USA", "4a ISS", "family_name", ("CONNOR", None)),
        ("USA", "Height", "family_name", ("CONNOR", None)),
        ("USA", "VETERAN", "family_name", ("CONNOR", None)),
        ("USA", "TEXAS SENIOR CITIZEN ID", "family_name", ("CONNOR", None)),
        ("INDONESIA", "JAKARTA", "given_name", (None, "CONNOR")),
    ],
)
def test_the_name_above_an_address_has_the_family_name_above_it(line, card, country, above, field, expected):
    """Whatever the network takes the lower one for; where holders have both names."""
    lines = [
        (line(country, 0, 0), {"issuing_country": 0.9}),
        (line(above, 0, 100), {}),
        (line("CONNOR", 0, 130), {field: 0.9}),
        (line("123 NORTH MAIN STREET", 0, 160), {"resident_address": 0.9}),
    ]

    assert names_on(card, *lines) == expected


@pytest.mark.parametrize(
    ("country", "upper", "lower", "expected"),
    [
        ("USA", ("SAMPLE", "given_name"), ("CONNOR", "family_name"), ("SAMPLE", "CONNOR")),
        ("USA", ("SAMPLE", "given_name"), ("2 CONNOR LEE", "family_name"), ("SAMPLE", "CONNOR LEE")),
        ("CAN", ("SINGH,", "family_name"), ("Gurpreet Kaur", "family_name"), ("SINGH", "Gurpreet Kaur")),
        ("AUS", ("Charlotte", "family_name"), ("VAN DYK", "given_name"), ("VAN DYK", "Charlotte")),
        ("AUS", ("CHARLOTTE", "given_name"), ("VAN DYK", "family_name"), ("VAN DYK", "CHARLOTTE")),
        ("IDN", ("SITI", "given_name"), ("RAHAYU", "family_name"), ("RAHAYU", "SITI")),
    ],
    ids=["mistaken", "numbered", "one line twice", "capitals", "two in capitals", "other country"],
)
def test_two_lines_above_an_address_are_told_apart(line, card, country, upper, lower, expected):
    """Without the numbers in front of them the network takes one name for the other."""
    lines = [(line(country, 0, 0), {"issuing_country": 0.9})]
    lines += [(line(text, 0, 100 + 30 * at), {field: 0.9}) for at, (text, field) in enumerate((upper, lower))]
    lines.append((line("123 NORTH MAIN STREET", 0, 160), {"resident_address": 0.9}))

    assert names_on(card, *lines) == expected


def test_labels_tell_the_lines_above_an_address_apart(line, card):
    lines = [
        (line("USA", 0, 0), {"issuing_country": 0.9}),
        (line("FN", 0, 100), {}),
        (line("SAMPLE", 60, 100), {"given_name": 0.9}),
        (line("LN", 0, 130), {}),
        (line("CONNOR", 60, 130), {"family_name": 0.9}),
        (line("123 NORTH MAIN STREET", 60, 160), {"resident_address": 0.9}),
    ]

    assert names_on(card, *lines) == ("CONNOR", "SAMPLE")


def test_a_divided_lower_line_is_the_given_names(line, card):
    """If the line above it may be a name."""

    def names(share):
        page = card(
            (line("USA", 0, 0), {"issuing_country": 0.9}),
            (line("OLD COYOTE", 0, 100), {"given_name": share}),
            (line("SHAWNA LYNN", 0, 130), {"given_name": 0.9}),
            (line("615 NORTH MAIN STREET", 0, 160), {"resident_address": 0.9}),
        )
        lynn = next(at for at, piece in enumerate(page.pieces) if piece.text == "LYNN")
        page.labels[lynn] = 0
        page.labels[lynn, begin_label(page.numbers["family_name"])] = 0.9
        found = decode_fields(page)
        return found["family_name"].value, found["given_name"].value

    assert names(0.3) == ("OLD COYOTE", "SHAWNA LYNN")
    assert names(0.0) == ("LYNN", "SHAWNA")


def test_a_suffix_is_no_part_of_the_family_name(line, card):
    lines = [(line("O'CONNOR JR", 0, 0), {"family_name": 0.9}), (line("SIOBHAN", 0, 100), {"given_name": 0.9})]

    assert names_on(card, *lines) == ("O'CONNOR", "SIOBHAN")


def test_what_is_behind_a_long_number_is_no_name(line, card):
    """Brazilian licences print who issued the holder's identity card: "SSP SP"."""
    page = card(
        (line("SILVA SANTOS", 0, 0), {"family_name": 0.8}), (line("34567890-1 SSP SP", 0, 60), {"family_name": 0.9})
    )
    number = next(at for at, piece in enumerate(page.pieces) if piece.text.startswith("345"))
    page.labels[number] = 0

    assert value_of(page, "family_name") == "SILVA SANTOS"


def test_the_only_name_of_a_card_may_be_behind_its_number(line, card):
    page = card((line("1234567 MUSTERMANN", 0, 0), {"family_name": 0.9}))
    page.labels[0] = 0

    assert value_of(page, "family_name") == "MUSTERMANN"


@pytest.mark.parametrize(
    ("country", "label", "given"),
    [("USA", "Middle", "JEAN HENRI"), ("PHILIPPINES", "Middle Name", "JEAN"), ("USA", "Height", "JEAN")],
)
def test_a_middle_name_beside_the_first_name_is_a_given_name(line, card, country, label, given):
    """Behind it; where it is no family name."""
    lines = [
        (line(country, 0, 0), {"issuing_country": 0.9}),
        (line("Last Name", 0, 60), {}),
        (line("LA FONTAINE", 0, 90), {"family_name": 0.9}),
        (line("First Name", 0, 130), {}),
        (line(label, 300, 130), {}),
        (line("JEAN", 0, 160), {"given_name": 0.9}),
        (line("HENRI", 300, 160), {"given_name": 0.3, "family_name": 0.4}),
    ]

    assert names_on(card, *lines) == ("LA FONTAINE", given)


def test_one_label_of_first_and_middle_names_has_one_value(line, card):
    lines = [(line("First, Middle Name", 0, 0), {}), (line("WASSILIE PAUL", 0, 30), {"given_name": 0.9})]

    assert names_on(card, *lines) == (None, "WASSILIE PAUL")


@pytest.mark.parametrize(
    ("country", "upper", "lower", "expected"),
    [
        ("MEX", 0.95, "DE LA TORRE", "HERNÁNDEZ DE LA TORRE"),
        ("MEX", 0.5, "DE LA TORRE", "DE LA TORRE"),
        ("NLD", 0.95, "DE LA TORRE", "DE LA TORRE"),
    ],
    ids=["two family names", "an unsure one", "where people have one"],
)
def test_the_family_names_of_both_parents_are_on_two_lines(line, id_card, country, upper, lower, expected):
    """Below one label, which the first of them would have as its value."""
    page = id_card(
        (line(country, 0, 0), {"issuing_country": 0.9}),
        (line("NOMBRE", 0, 100), {}),
        (line("HERNÁNDEZ", 0, 125), {"family_name": upper}),
        (line(lower, 0, 150), {"family_name": 0.98}),
        (line("MARÍA", 0, 175), {"given_name": 0.98}),
    )
    for at, piece in enumerate(page.pieces):
        if piece.text == "DE":  # begins a name
            page.labels[at, begin_label(page.numbers["family_name"])] = 0.98

    assert names_on(lambda: page) == (expected, "MARÍA")


@pytest.mark.parametrize(
    ("country", "upper", "lower", "probability", "expected"),
    [
        ("PRT", "CARRILHO", "DE ALBUQUERQUE", 0.6, "CARRILHO DE ALBUQUERQUE"),
        ("PRT", "CARRILHO", "DE ALBUQUERQUE", 0.4, "CARRILHO"),
        ("PRT", "CARRILHO", "ALBUQUERQUE", 0.6, "CARRILHO"),
        ("KOR", "KIM", "DA EUN", 0.6, "KIM"),
    ],
)
def test_a_family_name_goes_on_below_with_a_particle(line, id_card, country, upper, lower, probability, expected):
    page = id_card(
        (line(country, 0, 0), {"issuing_country": 0.9}),
        (line(upper, 0, 125), {"family_name": 0.98}),
        (line(lower, 0, 150), {"family_name": probability}),
        (line("MARIA", 0, 175), {"given_name": 0.98}),
    )
    for at, piece in enumerate(page.pieces):
        if piece.line == 2 and piece.start == 0:  # the network begins another name
            page.labels[at, begin_label(page.numbers["family_name"])] = probability
            page.labels[at, inside_label(page.numbers["family_name"])] = 0.0

    assert names_on(lambda: page) == (expected, "MARIA")


def test_a_label_is_no_part_of_a_name(line, id_card):
    """The network may take a label in a language that it does not know for the second line of a name."""
    page = id_card(
        (line("Apelyido/Last Name", 0, 100), {}),
        (line("DELOS REYES", 0, 125), {"family_name": 0.98}),
        (line("Mga Pangalan/Given Names", 0, 150), {}),
        (line("MARK", 0, 175), {"given_name": 0.98}),
    )
    for at, piece in enumerate(page.pieces):
        if piece.text in ("Mga", "Pangalan"):  # continue a name
            page.labels[at, inside_label(page.numbers["family_name"])] = 0.98

    assert names_on(lambda: page) == ("DELOS REYES", "MARK")


@pytest.mark.parametrize(("name", "expected"), [("GARCIA LOPEZ", "GARCIA LOPEZ"), ("GARCIA", "GARCIA GARCIA")])
def test_a_family_name_of_two_words_is_not_that_of_both_parents(line, id_card, name, expected):
    """It is printed again; one of one word may be the name of both."""
    page = id_card(
        (line("ESP", 0, 0), {"issuing_country": 0.9}),
        (line(name, 0, 125), {"family_name": 0.98}),
        (line(name, 0, 150), {"family_name": 0.98}),
        (line("MARIA", 0, 175), {"given_name": 0.98}),
    )

    assert names_on(lambda: page) == (expected, "MARIA")


def test_the_second_family_name_may_have_its_own_label(line, id_card):
    """Whatever the network takes it for; and beside the labels others stand."""
    page = id_card(
        (line("PERÚ", 0, 0), {"issuing_country": 0.9}),
        (line("Primer Apellido", 0, 100), {}),
        (line("Fecha Inscripción", 400, 100), {}),
        (line("QUISPE", 0, 125), {"family_name": 0.9}),
        (line("Segundo Apellido", 0, 150), {}),
        (line("Fecha Emisión", 400, 150), {}),
        (line("HUAMÁN", 0, 175), {"nationality": 0.8}),
        (line("Pre Nombres", 0, 200), {}),
        (line("ROSA", 0, 225), {"given_name": 0.9}),
    )

    assert names_on(lambda: page) == ("QUISPE HUAMÁN", "ROSA")


@pytest.mark.parametrize(
    ("country", "above", "given"),
    [
        ("AUS", "Charlotte Rose", "Charlotte Rose"),
        ("AUS", "CHARLOTTE ROSE", None),
        ("AUS", "Card Number", None),
        ("IDN", "Charlotte Rose", None),
    ],
)
def test_given_names_in_small_letters_may_be_above_the_family_name(line, card, country, above, given):
    lines = [
        (line(country, 0, 0), {"issuing_country": 0.9}),
        (line(above, 0, 100), {"given_name": 0.3}),
        (line("VAN DYK", 0, 130), {"family_name": 0.9}),
    ]
    found = decode_fields(card(*lines))
    is_given = "given_name" in found and found["given_name"].support >= 0.5

    assert found["family_name"].value == "VAN DYK"
    assert (found["given_name"].value if is_given else None) == given


@pytest.mark.parametrize("country", ["INDIA", "KENYA"])
def test_the_only_name_of_a_card_is_divided_but_stays_doubtful(line, id_card, country):
    """Where the given names are mostly printed first; some holders have no family name."""
    name = line("ANANYA DAS", 0, 60)
    found = decode_fields(id_card((line(country, 0, 0), {"issuing_country": 0.9}), (name, {"family_name": 0.99})))

    assert (found["family_name"].value, found["given_name"].value) == ("DAS", "ANANYA")
    assert found["family_name"].probability == found["given_name"].probability == 0.6


def test_a_name_behind_its_label_and_on_a_passport_stays_whole(line, id_card, passport):
    country, name = (line("INDIA", 0, 0), {"issuing_country": 0.9}), (line("ANANYA DAS", 0, 90), {"given_name": 0.9})

    assert names_on(id_card, country, (line("Given Names", 0, 65), {}), name) == (None, "ANANYA DAS")
    assert names_on(passport, country, name) == (None, "ANANYA DAS")


def test_several_words_that_are_the_only_name_are_doubtful(line, id_card):
    """They may be the whole name."""
    country = (line("MALAYSIA", 0, 0), {"issuing_country": 0.9})
    found = decode_fields(id_card(country, (line("MOHD FAIZAL BIN RAHMAN", 0, 60), {"family_name": 0.99})))

    assert (found["family_name"].value, found["family_name"].probability) == ("MOHD FAIZAL BIN RAHMAN", 0.6)


def test_a_text_with_a_number_is_no_name(line, card):
    lines = [(line("FLAT 10", 0, 0), {"given_name": 0.9}), (line("2 JANE", 0, 60), {"given_name": 0.6})]

    assert names_on(card, *lines) == (None, "2 JANE")
    assert names_on(card, lines[0]) == (None, None)


@pytest.mark.parametrize(
    ("text", "found", "name"),
    [
        ("LA FONTAINE", "FONTAINE", "LA FONTAINE"),
        ("1 DE LA CRUZ", "CRUZ", "DE LA CRUZ"),
        ("JEAN LA FONTAINE", "FONTAINE", "FONTAINE"),
        ("Mary St John", "John", "John"),
    ],
)
def test_particles_at_the_beginning_of_a_line_belong_to_the_family_name(line, card, text, found, name):
    """Behind other words they may be given names, or those of a street."""
    page = card((line(text, 0, 0), {"family_name": 0.9}))
    for at, piece in enumerate(page.pieces):
        if piece.text != found:
            page.labels[at] = 0

    assert value_of(page, "family_name") == name


def test_what_belongs_to_the_address_is_no_name(line, card):
    lines = [
        (line("ISABELLA MAY HARRINGTON", 0, 0), {"given_name": 0.9}),
        (line("14 WATTLE GROVE", 0, 30), {}),
        (line("MOUNT BARKER SA 5251", 0, 60), {}),
    ]
    page = card(*lines)
    grove = next(at for at, piece in enumerate(page.pieces) if piece.text == "GROVE")
    page.labels[grove, begin_label(page.numbers["given_name"]) + 1] = 0.9

    assert names_on(lambda: page) == ("HARRINGTON", "ISABELLA MAY")


@pytest.mark.parametrize("missing", ["family_name", "given_name"])
def test_a_network_may_know_one_of_the_names_only(line, card, missing):
    """As one that was trained on types of its own."""
    label, name = {"given_name": ("Segundo apellido", "LOPEZ"), "family_name": ("Middle name", "EVA")}[missing]
    own = "family_name" if missing == "given_name" else "given_name"
    page = card((line("GARCIA", 0, 0), {own: 0.9}), (line(label, 0, 100), {}), (line(name, 0, 125), {}))
    names = [f"other_{name}" if name == missing else name for name in page.names]

    assert value_of(replace(page, names=names), own) is not None


def test_a_name_is_divided_only_if_the_type_has_both_names(line, described_page):
    toml = '[fields]\nissuing_country = "string"\nfamily_name = "string"\n'
    names = [(line("USA", 0, 0), {"issuing_country": 0.95}), (line("CHRIS SMITH", 0, 60), {"family_name": 0.95})]
    page = described_page(toml, *names)

    assert {name: one.value for name, one in decode_fields(page).items()} == {
        "issuing_country": "USA",
        "family_name": "CHRIS SMITH",
    }


def test_a_given_name_that_resembles_a_particle_is_no_part_of_the_family_name(line, card):
    page = card((line("DELLA SMITH"), {"family_name": 0.9}))
    page.labels[0] = 0
    page.labels[0, begin_label(page.numbers["given_name"])] = 0.9

    assert (value_of(page, "family_name"), value_of(page, "given_name")) == ("SMITH", "DELLA")


@pytest.mark.parametrize(
    ("below", "fields", "given"),
    [
        ("AMIRA SALMA", {"family_name": 0.6, "given_name": 0.35}, "AMIRA SALMA"),
        ("AMIRA SALMA", {"family_name": 0.4, "given_name": 0.2}, None),
        ("FERREIRA", {"family_name": 0.95}, None),
        ("STRASSE 12", {"family_name": 0.6, "given_name": 0.35}, None),
    ],
)
def test_given_names_stand_below_the_family_name_under_one_label(line, id_card, below, fields, given):
    """What the network takes for the family name may be the whole name: both stay doubtful."""
    page = id_card(
        (line("DEUTSCHLAND", 0, 0), {"issuing_country": 0.95}),
        (line("NAME / NAME", 0, 60), {}),
        (line("BEN ROMDHANE", 0, 88), {"family_name": 0.95}),
        (line(below, 0, 114), fields),
    )
    found = decode_fields(page)

    assert (found["given_name"].value if "given_name" in found else None) == given
    if given:
        assert max(found[name].probability for name in ("family_name", "given_name")) <= 0.6


@pytest.mark.parametrize(
    ("upper", "lower", "shares", "whole"),
    [
        ("MUHAMMAD HAZIQ BIN", "ABDUL RAHMAN", (0.5, 0.95), "MUHAMMAD HAZIQ BIN ABDUL RAHMAN"),
        ("NUR AISYAH BINTI", "YUSOF", (0.95, 0.3), "NUR AISYAH BINTI YUSOF"),
        ("NUR AISYAH", "YUSOF", (0.3, 0.95), "YUSOF"),
        ("NUR AISYAH BINTI", "NO 12", (0.95, 0.0), "NUR AISYAH BINTI"),
        ("NUR AISYAH BINTI", "AGAMA", (0.95, 0.3), "NUR AISYAH BINTI"),
        ("NUR AISYAH BINTI", "ALAMAT", (0.95, 0.0), "NUR AISYAH BINTI"),
    ],
)
def test_a_name_with_that_of_the_father_is_whole(line, id_card, upper, lower, shares, whole):
    texts = zip((upper, lower), shares, strict=True)
    page = id_card(*((line(text, 0, 26 * at), {"family_name": share}) for at, (text, share) in enumerate(texts)))
    found = decode_fields(page)["family_name"]

    assert found.value == whole
    assert found.probability <= 0.6 or " " not in whole


@pytest.mark.parametrize(("last", "names"), [(0.24, (None, "TRAN THI HUONG")), (0.0, ("HUONG", "TRAN THI"))])
def test_two_names_share_no_word(line, id_card, last, names):
    """The network is not sure whether the last word on a line belongs to one of them."""
    page = id_card((line("TRAN THI HUONG", 0, 0), {"given_name": 0.95}))
    given, family = (page.numbers[name] for name in ("given_name", "family_name"))
    page.labels[2, [inside_label(given), begin_label(family)]] = (last, 0.7)

    assert tuple(value_of(page, name) for name in ("family_name", "given_name")) == names


def test_a_number_alone_is_no_name(line, card):
    """The network takes the postal code of an Australian address for one, and is surer of it."""
    page = card((line("GIULIANA PRETE", 0, 0), {"family_name": 0.8}), (line("5210", 0, 100), {"family_name": 0.85}))
    page.labels[0] = 0

    assert value_of(page, "family_name") == "PRETE"


def test_a_particle_between_the_names_is_of_the_family_name(line, card):
    page = card((line("GIULIANA DEL PRETE", 0, 0), {"given_name": 0.9}))
    given, family = (page.numbers[name] for name in ("given_name", "family_name"))
    page.labels[1:] = 0
    page.labels[1, [inside_label(given), inside_label(family)]] = (0.7, 0.26)
    page.labels[2, inside_label(family)] = 0.97

    assert [value_of(page, name) for name in ("family_name", "given_name")] == ["DEL PRETE", "GIULIANA"]


def test_a_particle_behind_the_family_name_is_of_the_given_names(line, id_card):
    """Where the family name is first; the network is not sure of which it is."""
    page = id_card((line("NGUYEN VAN HUNG", 0, 0), {"family_name": 0.9}))
    family, given = (page.numbers[name] for name in ("family_name", "given_name"))
    page.labels[1:] = 0
    page.labels[1, [inside_label(family), begin_label(given)]] = (0.35, 0.6)
    page.labels[2, inside_label(given)] = 0.9

    assert [value_of(page, name) for name in ("family_name", "given_name")] == ["NGUYEN", "VAN HUNG"]


@pytest.mark.parametrize("field", ["family_name", "given_name"])
def test_a_name_is_as_likely_as_the_part_of_its_word_that_was_found(line, id_card, field):
    page = id_card((line("L'Aquila-Paganica", 0, 0), {field: 0.9}))
    page.labels[:-1] = 0
    found = decode_fields(page)[field]

    assert found.value == "L'Aquila-Paganica"
    assert found.probability == pytest.approx(0.9)
