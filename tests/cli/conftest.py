"""Fixtures: the command on small promoted models in this process, and a server with the same models."""

import socket
import threading
import time
from contextlib import contextmanager
from datetime import date

import pytest
import uvicorn
from typer.testing import CliRunner

from docextract.cli.app import app
from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.registry import promote
from docextract.serving import local
from docextract.settings import Settings
from tests.cli import models as stub_models
from tests.client.conftest import clock
from tests.http.conftest import jpeg

__all__ = ["clock"]  # a fixture


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory):
    """A folder with both models, promoted like real ones."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "weights").mkdir()
    (folder / "weights" / "config.json").write_text("{}")
    for name, loader in (("quality", "Assessor"), ("extraction", "Extractor")):
        promote(
            name, folder / "weights", "1.2.3", folder / "models",
            day=date(2026, 1, 1), loader=f"{stub_models.__name__}:{loader}", document_types=["receipt"],
        )  # fmt: skip
    return folder / "models"


@pytest.fixture
def docextract(models_dir, monkeypatch):
    """Run the command; the result has stdout, stderr and exit_code."""
    monkeypatch.setenv("DOCEXTRACT_MODELS_DIR", str(models_dir))
    monkeypatch.setenv("DOCEXTRACT_DEVICE", "cpu")
    runner = CliRunner()
    return lambda *arguments, **options: runner.invoke(app, [str(one) for one in arguments], **options)


@pytest.fixture(scope="session")
def server(models_dir):
    """Address of a service with the same models."""
    models = local.LocalModels(models_dir)
    asgi_app = create_app(models, Settings(), models.served)
    with serve_asgi(ErrorContractMiddleware(asgi_app, paths(asgi_app), 25_000_000)) as address:
        yield address


@contextmanager
def serve_asgi(asgi_app):
    """Serve an ASGI application over a real socket."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(asgi_app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def photos(tmp_path):
    """Two photos, one of them too dark, in a folder."""
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "good.jpg").write_bytes(jpeg(230))
    (folder / "poor.jpg").write_bytes(jpeg(40))
    return folder
