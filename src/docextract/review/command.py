"""Runs the review of one folder: loads the models, answers the documents in the background, and serves the page."""

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from docextract.review.folder import ReviewedFolder
from docextract.review.proposals import Proposals
from docextract.review.server import create_review_app
from docextract.serving import local
from docextract.serving.local import LocalModels
from docextract.settings import Settings


def run_review(
    folder: Path, models: LocalModels, settings: Settings, port: int, browser: bool, announce: Callable[[str], None]
) -> None:
    """Serve until the program is stopped. port: 0 for any free one. announce: gets the address of the page.

    Raises FolderInUseError, DescriptionError for a document type in the folder that is invalid, and OSError for a port
    that is in use.
    """
    reviewed = ReviewedFolder(folder)
    stopped = threading.Event()
    try:
        with (
            socket.create_server(("127.0.0.1", port)) as listener,
            local.client(models, settings) as client,
        ):
            proposals = Proposals(reviewed, client, models, settings)
            token = secrets.token_urlsafe(24)
            config = uvicorn.Config(create_review_app(reviewed, proposals, token), log_level="error", lifespan="off")
            address = f"http://127.0.0.1:{listener.getsockname()[1]}/?token={token}"
            announce(address)
            if browser:
                webbrowser.open(address)
            answering = threading.Thread(target=proposals.answer_all, args=(stopped,), daemon=True)
            answering.start()
            try:
                uvicorn.Server(config).run(sockets=[listener])
            finally:
                stopped.set()
                answering.join()
    finally:
        reviewed.close()
