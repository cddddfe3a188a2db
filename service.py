"""The entry point of BentoML: `bentoml serve service:DocumentService`, and what a Bento packs.

The services themselves are in docextract/serving/services.py.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))  # a Bento carries the package and does not install it

from docextract.serving.services import DocumentService, ExtractionRunner, QualityRunner

__all__ = ["DocumentService", "ExtractionRunner", "QualityRunner"]
