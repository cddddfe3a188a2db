"""Test settings: a temporary BentoML home, and the same random examples in every run.

Synthetic documents are printed in the typefaces of the locked packages, whatever `make fonts` has fetched.

`make fuzz` uses new examples, and many more: --hypothesis-profile=fuzz.
"""

import tempfile

import pytest
from hypothesis import HealthCheck, settings

from docextract import documents

_HOME = tempfile.TemporaryDirectory(prefix="docextract-tests-")

_COMMON = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
settings.register_profile("few", max_examples=10, derandomize=True, **_COMMON)
settings.register_profile("fuzz", max_examples=2_000, **_COMMON)
settings.load_profile("few")


def pytest_configure(config: pytest.Config) -> None:
    """Set the home of BentoML before it is imported: it reads the variable once."""
    patch = pytest.MonkeyPatch()
    patch.setenv("BENTOML_HOME", _HOME.name)
    patch.setenv("DOCEXTRACT_TYPEFACES", "packaged")
    config.add_cleanup(patch.undo)
    config.add_cleanup(_HOME.cleanup)


@pytest.fixture(autouse=True)
def _registered_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """Document types that a test registers exist in that test only."""
    monkeypatch.setattr(documents, "_registered", {})


@pytest.hookimpl(tryfirst=True)  # before `-m` deselects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that start server processes or a browser as slow, too."""
    for item in items:
        if item.get_closest_marker("processes") or "browser" in item.path.parts:
            item.add_marker("slow")
