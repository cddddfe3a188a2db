"""The generator of synthetic receipts.

sampling: values. page, rows, totals: the layout from top to bottom; they share writer and words.
"""

from training.synth.documents.generator import Generator
from training.synth.documents.receipt.page import typeset
from training.synth.documents.receipt.sampling import sample

GENERATOR = Generator(sample, typeset)
