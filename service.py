"""The entry point of BentoML, for `bentoml serve service:DocumentService` and for building a Bento.

The services are defined in docextract/serving/services.py.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))  # a Bento contains the package but does not install it

from docextract.serving.services import DocumentService, ExtractionRunner, QualityRunner

__all__ = ["DocumentService", "ExtractionRunner", "QualityRunner"]
