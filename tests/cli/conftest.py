"""The command on small models promoted in a folder, in this process, and the same behind a server."""

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
from tests.cli import models as plain
from tests.http.conftest import jpeg


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory):
    """Both models, promoted as anyone's are."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "weights").mkdir()
    (folder / "weights" / "config.json").write_text("{}")
    for name, loader in (("quality", "Assessor"), ("extraction", "Extractor")):
        promote(
            name, folder / "weights", "1.2.3", folder / "models",
            day=date(2026, 1, 1), loader=f"{plain.__name__}:{loader}", document_types=["receipt"],
        )  # fmt: skip
    return folder / "models"


@pytest.fixture
def docextract(models_dir, monkeypatch):
    """Run the command; stdout, stderr and exit_code come back."""
    monkeypatch.setenv("DOCEXTRACT_MODELS_DIR", str(models_dir))
    monkeypatch.setenv("DOCEXTRACT_DEVICE", "cpu")
    runner = CliRunner()
    return lambda *arguments, **more: runner.invoke(app, [str(one) for one in arguments], **more)


@pytest.fixture(scope="session")
def server(models_dir):
    """The address of a service on the same models."""
    models = local.LocalModels(models_dir)
    application = create_app(models, Settings(), models.served)
    with serving(ErrorContractMiddleware(application, paths(application), 25_000_000)) as address:
        yield address


@contextmanager
def serving(application):
    """Serve an ASGI application over a real socket."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = uvicorn.Server(uvicorn.Config(application, log_level="error", lifespan="off"))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not running.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        running.should_exit = True
        thread.join(10)


@pytest.fixture
def photos(tmp_path):
    """Two photos, one of them too dark, in a folder."""
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "good.jpg").write_bytes(jpeg(230))
    (folder / "poor.jpg").write_bytes(jpeg(40))
    return folder
