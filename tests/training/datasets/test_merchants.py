"""Held-out merchants."""

from pathlib import Path

from training.datasets import LabelledPage
from training.datasets.merchants import held_out_keys


def receipt(key, merchant):
    return LabelledPage(Path(f"{key}.jpg"), "receipt", {"merchant_name": merchant, "total": "9.00"}, (), "MYR", key)


def test_a_merchant_is_either_trained_on_or_held_out():
    """Confidences are fitted on merchants that the network was not trained on."""
    labels = [receipt(f"{at:03}", f"MERCHANT {at // 2} SDN BHD") for at in range(120)]

    held_out = held_out_keys(labels)

    names = {
        side: {label.fields["merchant_name"] for label in labels if (label.key in held_out) == side}
        for side in (True, False)
    }
    assert names[True]
    assert names[False]
    assert not names[True] & names[False]


def test_chains_are_not_held_out():
    """Forty receipts of one shop say little about receipts of new merchants."""
    assert not held_out_keys([receipt(str(at), "CHAIN SDN BHD") for at in range(40)])
