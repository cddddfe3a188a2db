"""Which receipts are held out from training: those of rare merchants, never single pages of a merchant."""

import zlib
from collections import Counter
from collections.abc import Sequence

from training.datasets.page import LabelledPage

MAX_HELD_OUT_RECEIPTS = 3  # only merchants with at most this many receipts are held out


def held_out_keys(labels: Sequence[LabelledPage]) -> frozenset[str]:
    """Keys of the held-out pages, for early stopping and calibration: training has no other page of their merchants.

    Only rare merchants are held out: forty receipts of one chain say little about receipts of new merchants.
    """
    counts = Counter(merchant_key(label) for label in labels)
    held_out = {
        name for name, count in counts.items() if count <= MAX_HELD_OUT_RECEIPTS and zlib.crc32(name.encode()) % 3 == 0
    }
    return frozenset(label.key for label in labels if merchant_key(label) in held_out)


def merchant_key(label: LabelledPage) -> str:
    """Letters and digits of the merchant's name, in capitals; those of the page's own key if it has no merchant."""
    name = str(label.fields.get("merchant_name") or label.key).upper()
    return "".join(filter(str.isalnum, name))
