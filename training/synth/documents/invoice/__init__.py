"""The generator of synthetic invoices.

sampling: values, by the countries in markets. page: the layout; header, details, table, totals and footer are its parts
from top to bottom, and share writer, parties and words.
"""

from training.synth.documents.generator import Generator
from training.synth.documents.invoice.page import typeset
from training.synth.documents.invoice.sampling import sample

GENERATOR = Generator(sample, typeset)
