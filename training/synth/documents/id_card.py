"""Synthetic identity cards."""

from random import Random

from docextract.documents.id_card import IdCard
from training.synth.documents.generator import Generator
from training.synth.documents.identity import cards, sampling


def sample(rng: Random) -> IdCard:
    """Return the values of one side of an identity card of an invented holder."""
    return IdCard(**sampling.id_card(rng))


GENERATOR = Generator(sample, cards.typeset)
