"""The values of an invented holder, for HTML templates of passports, identity cards and driving licences.

In meta.json of such a template, `country` is the issuer's alpha-3 code, and `zone` the format of the machine-readable
zone (TD1, TD2, TD3), if it has one. A value that an issuer does not have is None.
"""

from collections.abc import Callable, Mapping
from datetime import date
from random import Random
from typing import Any

from docextract.documents.id_card import IdCard
from docextract.documents.identity import DriverLicence, Identity
from docextract.documents.passport import Passport
from training.synth.documents.identity.issuers import issuers
from training.synth.documents.identity.sampling import draw_document
from training.synth.documents.identity.text_layout import envelope_lines
from training.synth.documents.identity.writer import IdentityWriter

RECORDS: Mapping[str, type[Identity]] = {"passport": Passport, "id_card": IdCard, "driver_licence": DriverLicence}
_TEXTS = (
    "document_number", "family_name", "given_name", "birth_place", "sex", "nationality", "administrative_number",
    "issuing_authority",
)  # fmt: skip
_DATES = ("birth_date", "issue_date", "expiry_date")


def card_values(meta: Mapping[str, Any], write_date: Callable[[date], str], rng: Random) -> dict[str, Any]:
    """Return every variable that a template of a card may use, by name.

    Raises KeyError for a type that is no card, and for a country that data/issuers.toml does not have.
    """
    kind = meta["type"]
    draft = draw_document(issuers()[meta["country"]], kind, meta.get("zone"), rng)
    record = RECORDS[kind].model_validate({**draft.values, "mrz": draft.mrz})
    writer = IdentityWriter(record, kind, rng)
    texts = {name: writer.value(name)[0][0] if writer.has(name) else None for name in _TEXTS}
    privileges = record.driving_privileges if isinstance(record, DriverLicence) else ()
    return {
        **texts,
        **{name: write_date(getattr(record, name)) for name in _DATES},
        "address_lines": envelope_lines(record.resident_address or "", writer.style.towns),
        "state": writer.state,
        "headings": writer.headings(),
        "categories": [one.vehicle_category_code for one in privileges],
        "restrictions": next((one.restrictions for one in privileges if one.restrictions), None),
        "mrz": record.mrz,
        **_body(rng),
    }


def _body(rng: Random) -> dict[str, str]:
    """What cards say of their holders that is no field."""
    feet, inches = rng.randint(4, 6), rng.randint(0, 11)
    return {
        "height_imperial": rng.choice((f"{feet}'-{inches:02}\"", f"{feet}-{inches:02}", f"{feet}'{inches:02}\"")),
        "height_cm": str(rng.randint(150, 199)),
        "weight_lb": str(rng.randint(95, 260)),
        "eyes": rng.choice(("BRN", "BRO", "BLU", "GRN", "HAZ", "GRY", "BLK")),
        "hair": rng.choice(("BRN", "BRO", "BLK", "BLN", "GRY", "RED", "BLD")),
        "discriminator": f"{rng.randrange(10**10):010}{rng.choice(('', 'NNNAN/ANFD/25', ' 0101', 'ABC12'))}",
    }
