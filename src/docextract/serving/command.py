"""Starts BentoML with the services of this package, as `docextract serve` and `make serve` do."""

import os
import sys

SERVICE = "docextract.serving.services:DocumentService"


def run_service(host: str, port: int) -> None:
    """Replace this process by one that serves. host: the address to listen on."""
    os.environ.setdefault("BENTOML_DO_NOT_TRACK", "True")
    command = [sys.executable, "-m", "bentoml", "serve", SERVICE, "--host", host, "--port", str(port)]
    os.execv(sys.executable, command)
