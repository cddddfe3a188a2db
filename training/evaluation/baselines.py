"""Baselines to compare with: a free OCR engine and rules written by hand, about what one engineer builds in a day.

Tesseract (Debian's, through its command) and RapidOCR (with its default models) read the page; the rules below take
the
fields from the text lines. The rules are given the document type and the order of dates, which our models must find.
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
from docextract.documents.values import Conventions, DateOrder, collapse_whitespace
from docextract.images.geometry import Page
from training.datasets import pictures

TESSERACT = ("tesseract", "--psm", "4")  # one column of text of various sizes, the mode that fits receipts
BASELINE_NAMES = {"tesseract": "Tesseract + rules", "rapidocr": "RapidOCR + rules"}

Fields = dict[str, str]


class LineReader(Protocol):
    """A reader: a page to its text lines, from top to bottom."""

    def __call__(self, page: Page) -> list[str]: ...


def tools_available() -> list[str]:
    """Names of the readers that are installed on this machine."""
    return [name for name in BASELINE_NAMES if name != "tesseract" or shutil.which(TESSERACT[0])]


def version(name: str) -> str:
    """Name, version and options of a reader."""
    if name == "rapidocr":
        return f"RapidOCR {importlib.metadata.version('rapidocr')}"
    output = subprocess.run([TESSERACT[0], "--version"], capture_output=True, text=True, check=True).stdout
    return f"Tesseract {output.split()[1]} {' '.join(TESSERACT[1:])}"


def load_readers() -> Mapping[str, LineReader]:
    """Every reader by name; RapidOCR loads its models with the first page."""
    return {"tesseract": _tesseract, "rapidocr": _RapidOcr()}


def _tesseract(page: Page) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "page.png")
        pictures.save(page, picture)
        output = subprocess.run(
            [TESSERACT[0], str(picture), "stdout", *TESSERACT[1:]],
            capture_output=True, text=True, check=True, env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        ).stdout  # fmt: skip
    return [collapse_whitespace(line) for line in output.splitlines() if line.strip()]


class _RapidOcr:
    """RapidOCR with its default settings; boxes of the same height are joined into one line."""

    def __init__(self) -> None:
        self._engine: Any = None

    def __call__(self, page: Page) -> list[str]:
        if self._engine is None:
            from rapidocr import RapidOCR

            # One thread: there are as many worker processes as cores, and waiting threads spin.
            threads = {"EngineConfig.onnxruntime.intra_op_num_threads": 1}
            self._engine = RapidOCR(params={"Global.log_level": "error", **threads})
        found = self._engine(np.ascontiguousarray(page[..., ::-1]))
        return join_rows(found.boxes, found.txts) if found.txts else []


def join_rows(boxes: Iterable[Any], texts: Iterable[str]) -> list[str]:
    """Text lines from top to bottom. Boxes [4, 2] whose centres differ by less than half a height form one line, from
    the left.
    """
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
    return [
        collapse_whitespace(" ".join(text for _, _, _, text in sorted(line, key=lambda one: one[1]))) for line in lines
    ]


def baseline_answer(kind_name: str, lines: Sequence[str]) -> dict[str, Any]:
    """The fields that the rules find, in the form of an answer of /extraction."""
    kind = document_types()[kind_name]
    conventions = Conventions(_date_order(lines))
    fields = {}
    for name, text in RULES.get(kind_name, _no_fields)(lines).items():
        value = _parsed(kind, name, text, conventions)
        if value is not None:
            fields[name] = {"value": value, "content": text}
    return {"documents": [{"type": kind_name, "fields": fields}]}


def _parsed(kind: DocumentType, name: str, text: str, conventions: Conventions) -> Any:
    parser = next(field.kind for field in kind.fields() if field.name == name)
    value = parser.parse(text, conventions)
    return None if value is None else parser.to_json(value, conventions)


def _date_order(lines: Sequence[str]) -> DateOrder:
    """Month first only if the page has dollar signs and no sign of another country."""
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
_NOT_A_NAME = re.compile(
    r"RECEIPT|INVOICE|TAX|WELCOME|THANK|\bTEL|DATE|CASH|\d{4,}|WWW|HTTP|COPY|BILL|RECHNUNG|FACTUR", re.I
)
_ADDRESS = re.compile(
    r"\bNO\.?\s?\d|\bLOT\b|JALAN|\bJLN|TAMAN|STREET|\bST\b|ROAD|\bRD\b|AVE|BLVD|STR\.|STRA[SẞßS]E|\bRUE\b|CALLE|\bVIA\b"
    r"|\b\d{5}\b|PERSIARAN|LORONG|SELANGOR|JOHOR|KUALA|\b[A-Z]{2} \d{5}\b",
    re.I,
)
_NOT_AN_ADDRESS = re.compile(
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
_NOT_A_TOTAL = re.compile(
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
_HEAD_LINES = 12  # lines from the top that may hold the name and the address


def _receipt(lines: Sequence[str]) -> Fields:
    found = _shared_fields(lines)
    return _found_only({
        "merchant_name": found["name"], "merchant_address": found["address"], "document_date": found["date"],
        "total": found["total"], "subtotal": found["subtotal"], "total_tax": found["tax"],
        "merchant_phone": _first_match(_PHONE, lines, 1), "merchant_tax_id": _first_match(_TAX_ID, lines, 1),
        "transaction_time": _first_match(_TIME, lines), "document_number": _first_match(_NUMBER, lines, 1),
        "change": _amount_at(_CHANGE, lines),
    })  # fmt: skip


def _invoice(lines: Sequence[str]) -> Fields:
    found = _shared_fields(lines)
    due = next((date for line in lines if _DUE.search(line) and (date := _first_match(_DATE, [line]))), None)
    return _found_only({
        "vendor_name": found["name"], "vendor_address": found["address"], "document_date": found["date"],
        "total": found["total"], "subtotal": found["subtotal"], "total_tax": found["tax"],
        "document_number": _first_match(_NUMBER, lines, 1), "due_date": due,
        "vendor_tax_id": _first_match(_TAX_ID, lines, 1), "iban": _first_match(_IBAN, lines),
    })  # fmt: skip


def _shared_fields(lines: Sequence[str]) -> dict[str, str | None]:
    """The fields that receipts and invoices have in common."""
    dated = [line for line in lines if re.search("DATE|DATUM|FECHA|DATA", line, re.I) and not _DUE.search(line)]
    return {
        "name": _name(lines),
        "address": _address(lines),
        "date": _first_match(_DATE, [*dated, *lines]),
        "total": _total(lines),
        "subtotal": _amount_at(_SUBTOTAL, lines),
        "tax": _amount_at(_TAX, [line for line in lines if not re.search("INCL|TOTAL|EXCL", line, re.I)]),
    }


def _name(lines: Sequence[str]) -> str | None:
    """The line that looks like a company (with the line above it if it is only a legal form), or may be a name."""
    head = [line for line in lines[:8] if sum(map(str.isalpha, line)) >= 3]
    for above, line in pairwise(["", *head]):
        match = _COMPANY.search(line)
        if match:
            return collapse_whitespace(f"{above} {line}") if match.start() == 0 else line
    return next((line for line in head if not _NOT_A_NAME.search(line)), None)


def _address(lines: Sequence[str]) -> str | None:
    """From the first line that looks like an address to the next other item, at most one line after the last."""
    head = [line for line in lines[:_HEAD_LINES] if not _COMPANY.search(line)]
    places = [at for at, line in enumerate(head) if _ADDRESS.search(line) and not _NOT_AN_ADDRESS.search(line)]
    if not places:
        return None
    end = next((at for at in range(places[0], len(head)) if _NOT_AN_ADDRESS.search(head[at])), places[-1] + 1)
    return " ".join(head[places[0] : min(end, places[-1] + 2)]) or None


def _total(lines: Sequence[str]) -> str | None:
    """The last amount on, or directly below, the last line that names the total; else the largest amount."""
    for words in _TOTALS:
        plain = [at for at, line in enumerate(lines) if words.search(line) and not _NOT_A_TOTAL.search(line)]
        for at in reversed(plain):
            amounts = _AMOUNT.findall(lines[at]) or _AMOUNT.findall(" ".join(lines[at + 1 : at + 2]))
            if amounts:
                return str(amounts[-1])
    amounts = [amount for line in lines for amount in _AMOUNT.findall(line)]
    return max(amounts, key=lambda amount: int(re.sub(r"\D", "", amount)), default=None)


def _amount_at(words: re.Pattern[str], lines: Sequence[str]) -> str | None:
    """The last amount on the first line that has these words and an amount."""
    found = (_AMOUNT.findall(line) for line in lines if words.search(line))
    return next((str(amounts[-1]) for amounts in found if amounts), None)


def _first_match(pattern: re.Pattern[str], lines: Iterable[str], group: int = 0) -> str | None:
    return next((match[group] for line in lines if (match := pattern.search(line))), None)


# --- identity documents: the machine-readable zone by position, and text behind English labels ------------------------

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
    return _found_only({**dict(_labelled_fields(lines)), **_zone_fields(zone)})


def _labelled_fields(lines: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """The text behind a label, or on the line below it."""
    for name, label in _LABELS.items():
        for at, line in enumerate(lines):
            match = re.search(label, line, re.I)
            if match:
                rest = line[match.end() :].strip(" :./-") or " ".join(lines[at + 1 : at + 2])
                yield name, (_first_match(_DATE, [rest]) if name.endswith("date") else rest)
                break


def _zone_fields(zone: Sequence[str]) -> Mapping[str, str | None]:
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
    names_found = {"family_name": family.replace("<", " ").strip(), "given_name": given.replace("<", " ").strip()}
    return {**plain, **dates, **names_found}


def _zone_date(digits: str, past: bool = False) -> str | None:
    if not digits.isdigit():
        return None
    year = 2000 + int(digits[:2])
    year -= 100 if past and year > date.today().year else 0
    return f"{year}-{digits[2:4]}-{digits[4:]}"


def _found_only(fields: Mapping[str, str | None]) -> Fields:
    return {name: text for name, text in fields.items() if text}


def _no_fields(lines: Sequence[str]) -> Fields:
    return {}


RULES: Mapping[str, Callable[[Sequence[str]], Fields]] = {
    "receipt": _receipt, "invoice": _invoice, "passport": _identity, "id_card": _identity, "driver_licence": _identity,
}  # fmt: skip
_IDENTITY_FIELDS = frozenset({*_LABELS, "nationality", "sex", "issuing_country"})
# The fields that the rules cover, by document type.
RULE_FIELDS: Mapping[str, frozenset[str]] = {
    "receipt": frozenset({
        "merchant_name", "merchant_address", "document_date", "total", "subtotal", "total_tax",
        "merchant_phone", "merchant_tax_id", "transaction_time", "document_number", "change",
    }),
    "invoice": frozenset({
        "vendor_name", "vendor_address", "document_date", "total", "subtotal", "total_tax", "document_number",
        "due_date", "vendor_tax_id", "iban",
    }),
    "passport": _IDENTITY_FIELDS, "id_card": _IDENTITY_FIELDS, "driver_licence": _IDENTITY_FIELDS,
}  # fmt: skip
