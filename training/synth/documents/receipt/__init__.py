"""Synthetic receipts.

sampling: the values. page, rows, sums: the layout from top to bottom; they share printer and words.
"""

from training.synth.documents.generator import Generator
from training.synth.documents.receipt.page import typeset
from training.synth.documents.receipt.sampling import sample

GENERATOR = Generator(sample, typeset)
