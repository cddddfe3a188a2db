"""Which party a name and an address belong to."""

from dataclasses import replace

import numpy as np
import pytest

from docextract.documents import document_types
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.parties.roles import decide_parties


def decoded(page):
    return {name: one.value for name, one in decode_fields(decide_parties(page)).items()}


def test_all_lines_of_an_address_belong_to_one_party(line, invoice):
    """The network gave the second line to the vendor."""
    page = invoice(
        (line("Kunden AG", 0, 0), {"customer_name": 0.9}),
        (line("Pappelallee 15", 0, 30), {"customer_address": 0.75, "vendor_address": 0.2}),
        (line("12345 Leipzig", 0, 60), {"customer_address": 0.2, "vendor_address": 0.75}),
    )

    assert decoded(page) == {"customer_name": "Kunden AG", "customer_address": "Pappelallee 15 12345 Leipzig"}


def test_two_companies_are_seldom_the_same_party(line, invoice):
    """The surer customer is the customer, the other one the vendor."""
    page = invoice(
        (line("Lieferant GmbH", 0, 0), {"customer_name": 0.6, "vendor_name": 0.4}),
        (line("Bahnweg 99, 99199 Hausen", 0, 30), {"customer_address": 0.6, "vendor_address": 0.4}),
        (line("Kunden AG", 0, 200), {"customer_name": 0.95, "vendor_name": 0.05}),
        (line("Seeweg 88, 40235 Dorf", 0, 230), {"customer_address": 0.95, "vendor_address": 0.05}),
    )

    found = decoded(page)

    assert (found["vendor_name"], found["vendor_address"]) == ("Lieferant GmbH", "Bahnweg 99, 99199 Hausen")
    assert (found["customer_name"], found["customer_address"]) == ("Kunden AG", "Seeweg 88, 40235 Dorf")


def test_what_is_printed_twice_is_one_party(line, invoice):
    """The clear footer decides about the unclear head."""
    page = invoice(
        (line("Lieferant GmbH", 0, 0), {"customer_name": 0.55, "vendor_name": 0.45}),
        (line("Lieferant GmbH", 0, 900), {"vendor_name": 0.98}),
    )

    assert decoded(page) == {"vendor_name": "Lieferant GmbH"}


def test_the_address_below_a_senders_line_is_another_one(line, invoice):
    """Behind a postal code the next address begins: the small line above the window is the vendor's."""
    page = invoice(
        (line("Moulin SA, 4 rue Haute, 84340 Malaucene", 0, 0), {"vendor_address": 0.98}),
        (line("5 rue Basse", 0, 30), {"customer_address": 0.98}),
        (line("69001 Lyon", 0, 60), {"customer_address": 0.98}),
    )

    assert decoded(page)["customer_address"] == "5 rue Basse 69001 Lyon"


def test_the_probability_of_a_name_stays(line, invoice):
    """It is only divided anew: nothing becomes a name that was none."""
    before = invoice(
        (line("Kunden AG", 0, 0), {"customer_name": 0.5, "vendor_name": 0.3}),
        (line("Total", 0, 90), {"total": 0.6}),
    )

    after = decide_parties(before)

    assert after.labels.sum(axis=1) == pytest.approx(np.ones(len(before.pieces)), abs=1e-5)
    assert after.labels[:, 0] == pytest.approx(before.labels[:, 0])
    assert after.labels[-1] == pytest.approx(before.labels[-1])


def test_a_type_with_one_party_stays(line, invoice):
    """Receipts have a merchant alone."""
    page = invoice((line("Mart", 0, 0), {"vendor_name": 0.5, "customer_name": 0.5}))
    before = replace(page, document_type=document_types()["receipt"])

    assert decide_parties(before) is before


def test_a_page_full_of_names_is_decided(line, invoice):
    """A list of a hundred companies: only some blocks are decided together, so that it takes no time."""
    lines = [
        (line(f"Company {number}", 0, 100 * number), {"vendor_name": 0.5, "customer_name": 0.4})
        for number in range(100)
    ]

    page = invoice(*lines)

    assert np.isfinite(decide_parties(page).labels).all()


def two_companies(line, first, second):
    """Pieces and probabilities of two companies, below a line each; the network takes both for the vendor."""
    return [
        (line(first, 0, 0), {}),
        (line("Kunden AG", 0, 30), {"vendor_name": 0.7, "customer_name": 0.3}),
        (line("Seeweg 88, 40235 Dorf", 0, 60), {"vendor_address": 0.7, "customer_address": 0.3}),
        (line(second, 500, 0), {}),
        (line("Lieferant GmbH", 500, 30), {"vendor_name": 0.8, "customer_name": 0.2}),
        (line("Bahnweg 99, 99199 Hausen", 500, 60), {"vendor_address": 0.8, "customer_address": 0.2}),
    ]


@pytest.mark.parametrize(
    ("customer", "vendor"),
    [
        ("Käufer/Leistungsempfänger:", "Verkäufer:"),
        ("Bill To", "From"),
        ("Nabywca", "Sprzedawca"),
        ("CLIENT", "Fournisseur"),
        ("Zahlbar durch", "Konto / Zahlbar an"),
        ("ΣΤΟΙΧΕΙΑ ΠΕΛΑΤΗ", "Προμηθευτής"),
    ],
)
def test_a_heading_names_the_party_below_it(line, invoice, customer, vendor):
    """Also in two columns, and against what the network finds more likely."""
    found = decoded(invoice(*two_companies(line, customer, vendor)))
    swapped = decoded(invoice(*two_companies(line, vendor, customer)))

    assert (found["vendor_name"], found["customer_name"]) == ("Lieferant GmbH", "Kunden AG")
    assert (swapped["vendor_name"], swapped["customer_name"]) == ("Kunden AG", "Lieferant GmbH")
    assert swapped["vendor_address"] == "Seeweg 88, 40235 Dorf"


def test_headings_count_more_than_a_network_that_is_sure_of_the_other_party(line, invoice):
    """It knows little of some languages, and takes the first name for the customer."""
    seller, buyer = {"customer_name": 0.97}, {"vendor_name": 0.97}
    page = invoice(
        (line("Eladó:", 0, 0), {}), (line("Műhely Kft.", 0, 30), seller),
        (line("Vevő:", 500, 0), {}), (line("Bolt Bt.", 500, 30), buyer),
        (line("Összesen 228 800", 0, 300), {"vendor_address": 0.97}),
    )  # fmt: skip

    found = decoded(page)

    assert (found["vendor_name"], found["customer_name"]) == ("Műhely Kft.", "Bolt Bt.")


def test_a_heading_counts_only_near_a_name_and_as_a_line_of_its_own(line, invoice):
    """A column of a table may be called "Customer", and "from" is a word of sentences."""
    far = invoice(
        (line("Customer", 0, 0), {}),
        (line("Kunden AG", 0, 600), {"vendor_name": 0.9, "customer_name": 0.05}),
    )
    sentence = invoice(
        (line("Goods are shipped from", 0, 0), {}),
        (line("Kunden AG", 0, 30), {"customer_name": 0.9, "vendor_name": 0.05}),
    )

    assert decoded(far) == {"vendor_name": "Kunden AG"}
    assert decoded(sentence) == {"customer_name": "Kunden AG"}


def test_below_the_heading_of_another_party_is_no_vendor(line, invoice):
    """A bank or a carrier is neither."""
    page = invoice(
        (line("Zahlungsempfänger", 0, 0), {}),
        (line("Factoring GmbH", 0, 30), {"vendor_name": 0.9}),
        (line("Lieferant GmbH", 0, 500), {"vendor_name": 0.6}),
    )

    assert decoded(page)["vendor_name"] == "Lieferant GmbH"


def test_who_is_to_be_paid_is_the_vendor_where_no_other_is_printed(line, invoice):
    """Some invoices name the vendor only below "Remit to"."""
    page = invoice((line("Remit payment to", 0, 0), {}), (line("Lieferant GmbH", 0, 30), {"vendor_name": 0.9}))

    assert decoded(page)["vendor_name"] == "Lieferant GmbH"


@pytest.mark.parametrize(
    ("above", "name"),
    [
        ("Sr. Alfonso Avila", "Sr. Alfonso Avila"),
        ("Bill to", None),
        ("Ref. 12 345", None),
        ("Bank account: none", None),
    ],
)
def test_words_above_an_address_are_the_name_of_a_party_without_one(line, invoice, above, name):
    """Where the network takes no print for its name; headings, labels and numbers are none."""
    address = (line("Rua de flora 12, 2740-034 Colores", 0, 30), {"customer_address": 0.9})
    page = invoice((line(above, 0, 0), {}), address)
    named = invoice((line(above, 0, 0), {}), address, (line("Moulin SA", 0, 500), {"customer_name": 0.9}))

    assert decoded(page).get("customer_name") == name
    assert decoded(named)["customer_name"] == "Moulin SA"


@pytest.mark.parametrize(
    ("above", "name"),
    [
        (("Gasthof Hirsch", 0.4, "Haus am See", 0.05), "Gasthof Hirsch"),  # the upper one is rather a name
        (("Gasthof Hirsch", 0.1, "Haus am See", 0.4), "Haus am See"),
        (("Quality since ever", 0.25, "Berg Handel", 0.48), "Berg Handel"),
        (("Gasthof Hirsch", 0.4, "Haus 29", 0.0), None),  # a line with a number ends the block
        (("Gasthof Hirsch", 0.4, "Rechnung an", 0.0), None),
    ],
)
def test_a_doubtful_name_directly_above_the_address_of_a_recipient_is_its_name(line, invoice, above, name):
    """Unless the network is sure of a name elsewhere."""
    upper, first, lower, second = above
    block = (
        (line(upper, 0, 0), {"customer_name": first}),
        (line(lower, 0, 30), {"customer_name": second}),
        (line("Hauptplatz 9", 0, 60), {"customer_address": 0.98}),
        (line("4240 Freistadt", 0, 90), {"customer_address": 0.98}),
    )

    assert decoded(invoice(*block)).get("customer_name") == name
    for share, expected in ((0.55, name or "Jo Wirt"), (0.9, "Jo Wirt")):
        assert (
            decoded(invoice(*block, (line("Jo Wirt", 0, 900), {"customer_name": share})))["customer_name"] == expected
        )


@pytest.mark.parametrize(
    ("above", "share", "street", "name"),
    [
        ("Friskolen Aaen", 0.2, "Skovvej 8", "Friskolen Aaen"),
        ("Ms Ada Moor", 0.0, "Apt 12 Quay House", "Ms Ada Moor"),
        ("Tax Invoice", 0.0, "Studio 54", "Studio 54"),
        ("Bill to", 0.2, "Studio 54", "Studio 54"),
        ("Fine Foods", 0.2, "3M Deutschland GmbH", "3M Deutschland GmbH"),
        ("Friskolen Aaen", 0.2, "Skovvej Skole", "Skovvej Skole"),
    ],
)
def test_a_street_below_a_possible_name_is_no_name_of_a_recipient(line, invoice, above, share, street, name):
    """The network takes it for one; what is below a heading is the name, whatever its form."""
    page = invoice(
        (line(above, 0, 0), {"customer_name": share}),
        (line(street, 0, 30), {"customer_name": 0.9}),
        (line("5762 Vester Skerninge", 0, 60), {"customer_address": 0.95}),
    )

    found = decoded(page)

    assert found["customer_name"].endswith(name)
    assert found["customer_address"].startswith(street) == (name != street)


@pytest.mark.parametrize(("party", "street"), [("customer", "Hauptstr. 5"), ("vendor", None)])
def test_a_number_in_a_name_is_no_street(line, invoice, party, street):
    """Below is a street already; above the name of a vendor may be its logo."""
    page = invoice(
        (line("Fine Dining", 0, 0), {f"{party}_name": 0.2}),
        (line("Studio 54", 0, 30), {f"{party}_name": 0.9}),
        *([(line(street, 0, 60), {f"{party}_address": 0.95})] if street else []),
        (line("5762 Vester Skerninge", 0, 90 if street else 60), {f"{party}_address": 0.95}),
    )

    assert decoded(page)[f"{party}_name"].endswith("Studio 54")
    assert decoded(page)[f"{party}_address"].endswith("5762 Vester Skerninge")
    assert "Studio" not in decoded(page)[f"{party}_address"]


def test_a_tax_number_belongs_to_the_party_above_it(line, invoice):
    """Below the name and address under a heading; one of a fiscal representative is neither's."""

    def party(heading, name, top, number):
        return [
            (line(heading, 0, top), {}),
            (line(name, 0, top + 30), {"vendor_name": 0.5, "customer_name": 0.5}),
            (line("Seeweg 88, 40235 Dorf", 0, top + 60), {"vendor_address": 0.5, "customer_address": 0.5}),
            (line(number, 0, top + 120), {"vendor_tax_id": 0.9}),
        ]

    buyer, agent = (
        party("Bill to", "Kunden AG", 0, "DE136695976"),
        party("Tax representative", "Makler AG", 300, "DE811193231"),
    )

    assert decoded(invoice(*buyer)).get("customer_tax_id") == "DE136695976"
    assert "vendor_tax_id" not in decoded(invoice(*buyer))
    assert not {"vendor_tax_id", "customer_tax_id"} & decoded(invoice(*agent)).keys()


def test_an_address_apart_from_a_name_below_a_heading_belongs_to_it(line, invoice):
    """A label and its value may be between."""
    page = invoice(
        (line("Buyer:", 0, 0), {}),
        (line("Kunden AG", 0, 30), {"vendor_name": 0.9, "customer_name": 0.1}),
        (line("Trade name: 787", 0, 60), {}),
        (line("Seeweg 88, 40235 Dorf", 0, 100), {"vendor_address": 0.9, "customer_address": 0.1}),
    )

    assert decoded(page) == {"customer_name": "Kunden AG", "customer_address": "Seeweg 88, 40235 Dorf"}


def test_a_heading_without_a_party_on_the_page_is_no_error(line, invoice):
    page = invoice((line("Verkäufer", 0, 0), {}), (line("siehe Seite 2", 0, 60), {}))

    assert decoded(page) == {}


@pytest.mark.parametrize(
    ("label", "left", "number"), [("Nummer:", 0, "471102"), ("Invoice no.", 0, "4711"), ("Nummer:", 400, "4711")]
)
def test_a_number_below_the_heading_of_a_party_is_the_partys(line, invoice, label, left, number):
    """Unless its label says that it is the invoice's, or it stands elsewhere than the party's name."""
    page = invoice(
        (line("Rechnung 471102", 0, 0), {"document_number": 0.6}),
        (line("Verkäufer", 0, 60), {}),
        (line(f"{label} 4711", left, 90), {"document_number": 0.9}),
        (line("Lieferant GmbH", 0, 120), {"vendor_name": 0.9}),
    )

    assert decoded(page)["document_number"].endswith(number)


def slip(line, service, payer="ERIN T MCALLISTER", payer_heading="", payee="CEDAR WATER DISTRICT"):
    """A bill with the service address and a payment slip, whose parties the network exchanges."""
    vendor, customer = {"vendor_name": 0.97}, {"customer_name": 0.97}
    at_vendor, at_customer = {"vendor_address": 0.97}, {"customer_address": 0.97}
    return [
        (line("Cedar Water District", 0, 0), vendor), (line("PO Box 4418, Cedar, OR 97110", 0, 30), at_vendor),
        (line(service, 0, 200), {}), (line("Please detach and return with payment", 0, 800), {}),
        (line(payer_heading or "-", 0, 870), {}),
        (line(payer, 0, 900), vendor), (line(payee, 600, 900), customer),
        (line("418 ALDER CT", 0, 930), at_vendor), (line("PO BOX 4418", 600, 930), at_customer),
        (line("CEDAR OR 97110-2214", 0, 960), at_vendor), (line("CEDAR OR 97110-4418", 600, 960), at_customer),
    ]  # fmt: skip


@pytest.mark.parametrize("service", ["Service address: 418 Alder Ct", "FOR SERVICE AT: 418 ALDER CT, CEDAR OR 97110"])
def test_the_service_address_is_the_customers(line, invoice, service):
    """On payment slips, however sure the network is of the opposite."""
    found = decoded(invoice(*slip(line, service)))

    assert found["customer_name"] == "ERIN T MCALLISTER"
    assert found["customer_address"] == "418 ALDER CT CEDAR OR 97110-2214"
    assert found["vendor_name"].upper() == "CEDAR WATER DISTRICT"
    assert "4418" in found["vendor_address"]


@pytest.mark.parametrize(
    ("service", "payer_heading"),
    [
        ("Office address: 418 Alder Ct", ""),
        ("Service address: 9 Elm St", ""),
        ("Service address: 418 Alder Ct", "From"),
        ("Leveradres: 418 Alder Ct", ""),
    ],
    ids=["another address", "another place", "a heading", "where goods are delivered"],
)
def test_without_a_service_address_the_network_decides(line, invoice, service, payer_heading):
    """And where the party has a heading of its own."""
    found = decoded(invoice(*slip(line, service, payer_heading=payer_heading)))

    assert found["customer_name"] == "CEDAR WATER DISTRICT"


@pytest.mark.parametrize("contact", ["vendor_phone", "vendor_email"])
def test_the_service_address_is_the_customers_beside_a_contact(line, invoice, contact):
    """Of the vendor, which is printed below the customer on the slip."""
    text = "Questions? Call (503) 555-0118" if contact == "vendor_phone" else "help@cedarwater.example"
    lines = [*slip(line, "Service address: 418 Alder Ct"), (line(text, 0, 990), {contact: 0.97})]

    found = decoded(invoice(*lines))

    assert found["customer_name"] == "ERIN T MCALLISTER"
    assert found["vendor_name"].upper() == "CEDAR WATER DISTRICT"


@pytest.mark.parametrize("heading", ["Bill to", ""])
def test_the_vendor_may_have_the_service_address(line, invoice, heading):
    """A workshop prints its own; the customer has a heading, or the workshop its telephone below its address."""
    vendor, customer = {"vendor_name": 0.97}, {"customer_name": 0.97}
    page = invoice(
        (line("Riverside Auto Care", 0, 0), vendor),
        (line("14 MILL ROAD, CEDAR OR 97110", 0, 30), {"vendor_address": 0.97}),
        (line("(503) 555-0118", 0, 60), {} if heading else {"vendor_phone": 0.97}),
        (line("Service location: 14 Mill Road, Cedar OR 97110", 0, 200), {}),
        (line(heading or "-", 0, 370), {}), (line("Dana Whitfield", 0, 400), customer),
        (line("9 ELM ST, CEDAR OR 97110", 0, 430), {"customer_address": 0.97}),
    )  # fmt: skip

    found = decoded(page)

    assert (found["vendor_name"], found["vendor_address"]) == ("Riverside Auto Care", "14 MILL ROAD, CEDAR OR 97110")
    assert (found["customer_name"], found["customer_address"]) == ("Dana Whitfield", "9 ELM ST, CEDAR OR 97110")


def test_branches_of_the_customer_are_no_vendors(line, invoice):
    """The bill for a shop goes to its head office, which has another address."""
    lines = slip(line, "Service address: 418 Alder Ct", payer="FIELDS STORE 12", payee="FIELDS STORES INC")

    found = decoded(invoice(*lines))

    assert found["vendor_name"] == "Cedar Water District"


@pytest.mark.parametrize(
    ("heading", "lines", "address"),
    [
        ("Ship To", ["Boiler room", "781 N 52nd St", "Mesa, AZ 85205"], "781 N 52nd St Mesa, AZ 85205"),
        ("Lieferadresse", ["Werkstraße 9", "70563 Stuttgart"], "Werkstraße 9 70563 Stuttgart"),
        ("Delivered by", ["781 N 52nd St", "Mesa, AZ 85205"], None),
        ("Ship To", ["781 N 52nd St", "Invoice date:", "Mesa, AZ 85205"], None),
        ("Ship To", ["781 N 52nd St", "Order 4711"], None),
        ("Ship To", ["PO Box 12", "Mesa, AZ 85205"], "PO Box 12 Mesa, AZ 85205"),
        ("Ship To", ["Order 12345"], None),
        ("Ship To", ["Customer no. 10234 85205"], None),
    ],
    ids=["American", "German", "no heading", "a label between", "no postal code", "a post box", "an order", "a number"],
)
def test_below_the_name_under_a_heading_is_the_address(line, invoice, heading, lines, address):
    """Which the network may not know at all."""
    page = invoice(
        (line(heading, 0, 0), {}), (line("Palo Verde Apartments", 0, 30), {"ship_to_name": 0.9}),
        *((line(text, 0, 60 + 30 * row), {}) for row, text in enumerate(lines)),
        (line("Saguaro Property", 500, 30), {"customer_name": 0.9}),
        (line("2210 W Road, Phoenix, AZ 85015", 500, 60), {"customer_address": 0.9}),
    )  # fmt: skip

    assert decoded(page).get("ship_to_address") == address
