"""What a capable engineer has after a day without us: a free reader, and rules written by hand. To be compared with.

Tesseract (Debian's, by its command) and RapidOCR (as it comes) read the page; the rules below take the fields from the
lines. They are told the type of the document and the order of its dates, which our models have to find out.
"""

import importlib.metadata
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from docextract.documents import document_types
from docextract.documents.base import DocumentType
from docextract.documents.values import Conventions, DateOrder, squeeze
from docextract.images.geometry import Page
from training.datasets import pictures

TESSERACT = ("tesseract", "--psm", "4")  # one column of text of various sizes: of its modes the one for receipts
NAMES = {"tesseract": "Tesseract + rules", "rapidocr": "RapidOCR + rules"}

Fields = dict[str, str]


class Reads(Protocol):
    """A reader: a page in, lines of text from the top out."""

    def __call__(self, page: Page) -> list[str]: ...


def available() -> list[str]:
    """The readers that this machine has."""
    return [name for name in NAMES if name != "tesseract" or shutil.which(TESSERACT[0])]


def version(name: str) -> str:
    """What was asked, and how."""
    if name == "rapidocr":
        return f"RapidOCR {importlib.metadata.version('rapidocr')}"
    said = subprocess.run([TESSERACT[0], "--version"], capture_output=True, text=True, check=True).stdout
    return f"Tesseract {said.split()[1]} {' '.join(TESSERACT[1:])}"


def readers() -> Mapping[str, Reads]:
    """Ready to read."""
    return {"tesseract": _tesseract, "rapidocr": _Rapid()}


def _tesseract(page: Page) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "page.png")
        pictures.save(page, picture)
        said = subprocess.run(
            [TESSERACT[0], str(picture), "stdout", *TESSERACT[1:]],
            capture_output=True, text=True, check=True, env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        ).stdout  # fmt: skip
    return [squeeze(line) for line in said.splitlines() if line.strip()]


class _Rapid:
    """RapidOCR with its own settings, boxes of one height put into one line."""

    def __init__(self) -> None:
        self._engine: Any = None

    def __call__(self, page: Page) -> list[str]:
        if self._engine is None:
            from rapidocr import RapidOCR

            # One thread: there are as many of these readers as cores, and threads that wait for each other spin.
            threads = {"EngineConfig.onnxruntime.intra_op_num_threads": 1}
            self._engine = RapidOCR(params={"Global.log_level": "error", **threads})
        found = self._engine(np.ascontiguousarray(page[..., ::-1]))
        return rows(found.boxes, found.txts) if found.txts else []


def rows(boxes: Iterable[Any], texts: Iterable[str]) -> list[str]:
    """Boxes [4, 2] whose middles lie within half a height of each other, from the left, as lines from the top."""
    placed = sorted(
        ((float(np.mean(box[:, 1])), float(np.min(box[:, 0])), float(np.ptp(box[:, 1])), text)
         for box, text in ((np.asarray(box), text) for box, text in zip(boxes, texts, strict=True))),
    )  # fmt: skip
    lines: list[list[tuple[float, float, float, str]]] = []
    for one in placed:
        if lines and one[0] - lines[-1][0][0] < 0.5 * min(one[2], lines[-1][0][2]):
            lines[-1].append(one)
        else:
            lines.append([one])
    return [squeeze(" ".join(text for _, _, _, text in sorted(line, key=lambda one: one[1]))) for line in lines]


def answer(kind_name: str, lines: Sequence[str]) -> dict[str, Any]:
    """The rules' fields in the form of an answer of /extraction."""
    kind = document_types()[kind_name]
    conventions = Conventions(_order(lines))
    fields = {}
    for name, text in RULES.get(kind_name, _nothing)(lines).items():
        value = _parsed(kind, name, text, conventions)
        if value is not None:
            fields[name] = {"value": value, "content": text}
    return {"documents": [{"type": kind_name, "fields": fields}]}


def _parsed(kind: DocumentType, name: str, text: str, conventions: Conventions) -> Any:
    parser = next(field.kind for field in kind.fields() if field.name == name)
    value = parser.parse(text, conventions)
    return None if value is None else parser.wire(value, conventions)


def _order(lines: Sequence[str]) -> DateOrder:
    """The month first only where the page has dollars and no sign of being from elsewhere."""
    text = " ".join(lines).upper()
    return "MDY" if "$" in text and not re.search(r"\bRM\b|MYR|GST|SDN|ABN|A\$|C\$|NZ", text) else "DMY"


# --- rules ------------------------------------------------------------------------------------------------------------

_MONTH = r"(?:JAN|FEB|M[AÄ]R|APR|MA[YI]|JUN|JUL|AUG|SEP|O[CK]T|NOV|DE[CZ])[A-Z]*"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:20\d\d|\d\d(?!\d))"
_DATE = re.compile(
    rf"(?<![\d/.\-]){_DAY}(?P<sign>[/.\-] ?){_DAY}(?P=sign){_YEAR}"
    rf"|(?<!\d){_DAY}[/.\- ]{{0,2}}{_MONTH}[/.,'\- ]{{0,2}}{_YEAR}"
    rf"|(?<!\d)20\d\d(?P<iso>[/.\-])\d\d?(?P=iso)\d\d?|{_MONTH}\.? ?{_DAY},? ?20\d\d",
    re.I,
)
_TIME = re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\b", re.I)
_AMOUNT = re.compile(r"-?\d{1,3}(?:[,. ]\d{3})*[.,]\d\d(?!\d)|-?\d+[.,]\d\d(?!\d)")
_PHONE = re.compile(r"(?:TEL|PHONE|PH|FON|T)[A-Z]*\W*([+(]?\d[\d \-()/]{6,}\d)", re.I)
_COMPANY = re.compile(
    r"\bS[DO]N\.? ?BHD|\bLTD|\bINC\b|\bLLC|\bGMBH|\bENTERPRISE|\bTRADING|\bS\.?A\.?R?L?\b|\bPLC|\bCO\b", re.I
)
_NO_NAME = re.compile(
    r"RECEIPT|INVOICE|TAX|WELCOME|THANK|\bTEL|DATE|CASH|\d{4,}|WWW|HTTP|COPY|BILL|RECHNUNG|FACTUR", re.I
)
_PLACE = re.compile(
    r"\bNO\.?\s?\d|\bLOT\b|JALAN|\bJLN|TAMAN|STREET|\bST\b|ROAD|\bRD\b|AVE|BLVD|STR\.|STRA[SẞßS]E|\bRUE\b|CALLE|\bVIA\b"
    r"|\b\d{5}\b|PERSIARAN|LORONG|SELANGOR|JOHOR|KUALA|\b[A-Z]{2} \d{5}\b",
    re.I,
)
_NO_PLACE = re.compile(
    r"\bTEL|PHONE|\bFAX|GST|\bREG|COMPANY|\bVAT|EMAIL|@|WWW|INVOICE|RECEIPT|DATE|CASHIER|\bTAX|\bDOC|\d{3,}-?\d{4,}",
    re.I,
)
_TOTALS = (
    re.compile(
        r"GRAND ?TOTAL|TOTAL (?:AMOUNT )?(?:DUE|PAYABLE|INCL)|AMOUNT DUE|NETT? TOTAL|ROUNDED|TOTAL SALES? ?\(?INC"
        r"|BALANCE DUE|GESAMTBETRAG|ZU ZAHLEN|TOTAL TTC|TOTAL A PAGAR|TOTALE? DOCUMENTO",
        re.I,
    ),
    re.compile(r"\bTOTAL|\bSUMME|\bTOTALE|TOTAAL|BETRAG", re.I),
)
_NO_TOTAL = re.compile(
    r"SUB|QTY|ITEM|DISC|CHANGE|CASH|EXCL|POINTS|NET\b|^(?!.*(?:INC|WITH)).*(?:TAX|GST|VAT|MWST)", re.I
)
_SUBTOTAL = re.compile(r"SUB ?-?TOTAL|ZWISCHENSUMME|SOUS-TOTAL|SUBTOTALE|NETTO\b|TOTAL HT", re.I)
_TAX = re.compile(r"\bTAX\b|\bGST\b|\bVAT\b|MWST|\bTVA\b|\bIVA\b|\bBTW\b", re.I)
_CHANGE = re.compile(r"\bCHANGE|R[ÜU]CKGELD|\bCAMBIO|\bRENDU|WISSELGELD|\bRESTO\b|\bTROCO", re.I)
_NUMBER = re.compile(
    r"(?:RECEIPT|INVOICE|BILL|TRANS|RECHNUNGS?|FACTURE|FACTURA|FATTURA|DOC)[A-Z]*\W{0,3}"
    r"(?:NO|NR|N°|#|NUMBER|NUMMER)?\W{0,4}([A-Z0-9][A-Z0-9/\-]*\d[A-Z0-9/\-]*)",
    re.I,
)
_DUE = re.compile(r"\bDUE|F[ÄA]LLIG|ZAHLBAR|[ÉE]CH[ÉE]ANCE|VENCIMIENTO|SCADENZA|VERVAL", re.I)
_IBAN = re.compile(r"\b[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_TAX_ID = re.compile(
    r"(?:GST|VAT|TAX|UST|TVA|IVA|NIF|ABN)\W*(?:(?:REG|ID|NO|NR|N°|NUMBER|IDNR)\W*)*([A-Z]{0,3}\d[\dA-Z .\-]{6,}\d)",
    re.I,
)
_LAST_OF_HEAD = 12  # lines from the top in which name and address are looked for


def _receipt(lines: Sequence[str]) -> Fields:
    found = _paper(lines)
    return _known({
        "merchant_name": found["name"], "merchant_address": found["address"], "transaction_date": found["date"],
        "total": found["total"], "subtotal": found["subtotal"], "total_tax": found["tax"],
        "merchant_phone_number": _first(_PHONE, lines, 1), "merchant_tax_id": _first(_TAX_ID, lines, 1),
        "transaction_time": _first(_TIME, lines), "receipt_number": _first(_NUMBER, lines, 1),
        "change": _amount_at(_CHANGE, lines),
    })  # fmt: skip


def _invoice(lines: Sequence[str]) -> Fields:
    found = _paper(lines)
    due = next((date for line in lines if _DUE.search(line) and (date := _first(_DATE, [line]))), None)
    return _known({
        "vendor_name": found["name"], "vendor_address": found["address"], "invoice_date": found["date"],
        "invoice_total": found["total"], "subtotal": found["subtotal"], "total_tax": found["tax"],
        "invoice_id": _first(_NUMBER, lines, 1), "due_date": due, "vendor_tax_id": _first(_TAX_ID, lines, 1),
        "iban": _first(_IBAN, lines),
    })  # fmt: skip


def _paper(lines: Sequence[str]) -> dict[str, str | None]:
    """What receipts and invoices share."""
    dated = [line for line in lines if re.search("DATE|DATUM|FECHA|DATA", line, re.I) and not _DUE.search(line)]
    return {
        "name": _name(lines),
        "address": _address(lines),
        "date": _first(_DATE, [*dated, *lines]),
        "total": _total(lines),
        "subtotal": _amount_at(_SUBTOTAL, lines),
        "tax": _amount_at(_TAX, [line for line in lines if not re.search("INCL|TOTAL|EXCL", line, re.I)]),
    }


def _name(lines: Sequence[str]) -> str | None:
    """A line that looks like a company, with the one above where it is a legal form alone; else what may be a name."""
    head = [line for line in lines[:8] if sum(map(str.isalpha, line)) >= 3]
    for above, line in pairwise(["", *head]):
        match = _COMPANY.search(line)
        if match:
            return squeeze(f"{above} {line}") if match.start() == 0 else line
    return next((line for line in head if not _NO_NAME.search(line)), None)


def _address(lines: Sequence[str]) -> str | None:
    """From the first line with the look of a place to where something else begins, at most a line after the last."""
    head = [line for line in lines[:_LAST_OF_HEAD] if not _COMPANY.search(line)]
    places = [at for at, line in enumerate(head) if _PLACE.search(line) and not _NO_PLACE.search(line)]
    if not places:
        return None
    end = next((at for at in range(places[0], len(head)) if _NO_PLACE.search(head[at])), places[-1] + 1)
    return " ".join(head[places[0] : min(end, places[-1] + 2)]) or None


def _total(lines: Sequence[str]) -> str | None:
    """The last amount on, or right under, the last line that names the total; else the largest amount."""
    for words in _TOTALS:
        plain = [at for at, line in enumerate(lines) if words.search(line) and not _NO_TOTAL.search(line)]
        for at in reversed(plain):
            amounts = _AMOUNT.findall(lines[at]) or _AMOUNT.findall(" ".join(lines[at + 1 : at + 2]))
            if amounts:
                return str(amounts[-1])
    amounts = [amount for line in lines for amount in _AMOUNT.findall(line)]
    return max(amounts, key=lambda amount: int(re.sub(r"\D", "", amount)), default=None)


def _amount_at(words: re.Pattern[str], lines: Sequence[str]) -> str | None:
    """The last amount on the first line with these words that has one."""
    found = (_AMOUNT.findall(line) for line in lines if words.search(line))
    return next((str(amounts[-1]) for amounts in found if amounts), None)


def _first(pattern: re.Pattern[str], lines: Iterable[str], group: int = 0) -> str | None:
    return next((match[group] for line in lines if (match := pattern.search(line))), None)


# --- identity documents: the machine-readable zone by position, and what stands behind labels in English --------------

_LABELS = {
    "document_number": r"(?:PASSPORT|DOCUMENT|LICEN[CS]E|CARD)\W{0,2}(?:NO|NUMBER|N°)|^(?:4D|5)\.? ",
    "family_name": r"SURNAME|FAMILY NAME|LAST NAME|^1\.? ",
    "given_name": r"GIVEN NAMES?|FORENAMES?|FIRST NAME|^2\.? ",
    "birth_date": r"DATE OF BIRTH|BIRTH DATE|\bDOB\b|^3\.? ",
    "issue_date": r"DATE OF ISSUE|ISSUE DATE|\bISS\b|^4A\.? ",
    "expiry_date": r"DATE OF EXPIRY|EXPIRY|EXPIRATION|\bEXP\b|^4B\.? ",
}
_ZONE_LINE = re.compile(r"[A-Z0-9<]{28,46}")


def _identity(lines: Sequence[str]) -> Fields:
    squeezed = ["".join(line.split()).upper().replace("«", "<<") for line in lines]
    zone = [line for line in squeezed if line.count("<") >= 2 and _ZONE_LINE.fullmatch(line)]
    return _known({**dict(_labelled(lines)), **_zoned(zone)})


def _labelled(lines: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """What stands behind a label, or on the line below it."""
    for name, label in _LABELS.items():
        for at, line in enumerate(lines):
            match = re.search(label, line, re.I)
            if match:
                rest = line[match.end() :].strip(" :./-") or " ".join(lines[at + 1 : at + 2])
                yield name, (_first(_DATE, [rest]) if name.endswith("date") else rest)
                break


def _zoned(zone: Sequence[str]) -> Mapping[str, str | None]:
    if len(zone) >= 2 and zone[-2].startswith("P"):
        names, numbers = zone[-2][5:].ljust(39, "<"), zone[-1].ljust(44, "<")
        found = {"document_number": numbers[0:9], "nationality": numbers[10:13], "birth_date": numbers[13:19]}
        found |= {"sex": numbers[20], "expiry_date": numbers[21:27], "issuing_country": zone[-2][2:5]}
    elif len(zone) >= 3:
        first, numbers, names = (line.ljust(30, "<") for line in zone[-3:])
        found = {"document_number": first[5:14], "nationality": numbers[15:18], "birth_date": numbers[0:6]}
        found |= {"sex": numbers[7], "expiry_date": numbers[8:14], "issuing_country": first[2:5]}
    else:
        return {}
    family, _, given = names.partition("<<")
    plain: dict[str, str | None] = {name: text.replace("<", "") for name, text in found.items()}
    dates = {
        "birth_date": _zone_date(found["birth_date"], past=True), "expiry_date": _zone_date(found["expiry_date"]),
    }  # fmt: skip
    said = {"family_name": family.replace("<", " ").strip(), "given_name": given.replace("<", " ").strip()}
    return {**plain, **dates, **said}


def _zone_date(digits: str, past: bool = False) -> str | None:
    if not digits.isdigit():
        return None
    year = 2000 + int(digits[:2])
    year -= 100 if past and year > date.today().year else 0
    return f"{year}-{digits[2:4]}-{digits[4:]}"


def _known(fields: Mapping[str, str | None]) -> Fields:
    return {name: text for name, text in fields.items() if text}


def _nothing(lines: Sequence[str]) -> Fields:
    return {}


RULES: Mapping[str, Callable[[Sequence[str]], Fields]] = {
    "receipt": _receipt, "invoice": _invoice, "passport": _identity, "id_card": _identity, "driver_licence": _identity,
}  # fmt: skip
_HOLDER = frozenset({*_LABELS, "nationality", "sex", "issuing_country"})
# The fields that the rules try.
TRIED: Mapping[str, frozenset[str]] = {
    "receipt": frozenset({
        "merchant_name", "merchant_address", "transaction_date", "total", "subtotal", "total_tax",
        "merchant_phone_number", "merchant_tax_id", "transaction_time", "receipt_number", "change",
    }),
    "invoice": frozenset({
        "vendor_name", "vendor_address", "invoice_date", "invoice_total", "subtotal", "total_tax", "invoice_id",
        "due_date", "vendor_tax_id", "iban",
    }),
    "passport": _HOLDER, "id_card": _HOLDER, "driver_licence": _HOLDER,
}  # fmt: skip
