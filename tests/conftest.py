"""No test writes into the model store of whoever runs it, and none draws other dice than the last time.

Synthetic documents are printed in the typefaces of the locked packages, whatever `make fonts` has fetched.

`make fuzz` draws new ones, many more of them: --hypothesis-profile=fuzz.
"""

import tempfile

import pytest
from hypothesis import HealthCheck, settings

_HOME = tempfile.TemporaryDirectory(prefix="docextract-tests-")

_ANYHOW = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
settings.register_profile("few", max_examples=10, derandomize=True, **_ANYHOW)
settings.register_profile("fuzz", max_examples=2_000, **_ANYHOW)
settings.load_profile("few")


def pytest_configure(config: pytest.Config) -> None:
    """Before anything imports BentoML, which looks at its home once."""
    patch = pytest.MonkeyPatch()
    patch.setenv("BENTOML_HOME", _HOME.name)
    patch.setenv("DOCEXTRACT_TYPEFACES", "packaged")
    config.add_cleanup(patch.undo)
    config.add_cleanup(_HOME.cleanup)
