"""Synthetic invoices.

sampling: the values, by the countries in markets. page: the layout; head, table, sums and foot are its parts from top
to bottom, and share desk, parties and words.
"""

from training.synth.documents.generator import Generator
from training.synth.documents.invoice.page import typeset
from training.synth.documents.invoice.sampling import sample

GENERATOR = Generator(sample, typeset)
