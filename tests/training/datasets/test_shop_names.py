"""Synthetic receipts may have names of real shops."""

from random import Random

import pytest

from training.datasets.shop_names import ShopNames


def test_names_are_read_without_those_that_fit_on_no_line(tmp_path):
    """One name on each line of merchants.txt."""
    (tmp_path / "merchants.txt").write_text("100 Montaditos\n\n't Zusje\n" + "x" * 60 + "\n", encoding="utf-8")

    assert ShopNames.read(tmp_path, 1.0).names == ("100 Montaditos", "'t Zusje")
    assert ShopNames.read(None, 0.0).names == ()


def test_wanted_names_need_a_folder():
    """A run of hours does not go on without them in silence."""
    with pytest.raises(ValueError, match="--words"):
        ShopNames.read(None, 0.6)


def test_a_name_keeps_the_case_of_the_one_it_replaces():
    """Tills print in capitals or not, whatever the name."""
    names = ShopNames(("Green Field",), share=1.0)

    assert names.draw("MARTIN COFFEE", Random(1)) == "GREEN FIELD"
    assert names.draw("Martin Coffee", Random(1)) == "Green Field"


def test_only_the_stated_share_is_replaced():
    """Without names, nothing is."""
    half = ShopNames(("Green Field",), share=0.5)
    drawn = [half.draw("Martin", rng) for rng in [Random(1)] for _ in range(200)]

    assert 60 < drawn.count("Green Field") < 140
    assert ShopNames(share=1.0).draw("Martin", Random(1)) == "Martin"
