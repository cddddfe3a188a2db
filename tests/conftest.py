"""No test writes into the model store of whoever runs it."""

import tempfile

import pytest

_HOME = tempfile.TemporaryDirectory(prefix="docextract-tests-")


def pytest_configure(config: pytest.Config) -> None:
    """Before anything imports BentoML, which looks at its home once."""
    patch = pytest.MonkeyPatch()
    patch.setenv("BENTOML_HOME", _HOME.name)
    config.add_cleanup(patch.undo)
    config.add_cleanup(_HOME.cleanup)
