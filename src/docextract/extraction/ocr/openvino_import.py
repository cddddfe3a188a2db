"""Imports OpenVINO without its telemetry, for every module that needs it.

OpenVINO's package imports its model converter, which writes a client id into the home directory and reports to Google
Analytics at every start. Without the package `openvino_telemetry`, the converter uses a stub that does nothing.
"""

import sys
from typing import Any


def import_openvino() -> Any:
    """Return the package `openvino`. In this process, `openvino_telemetry` can no longer be imported."""
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]  # Python's way to say that it is missing
    import openvino

    return openvino
