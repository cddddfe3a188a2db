"""The `docextract review` command: prints the address of the page, and serves it until it is stopped."""

from pathlib import Path

from pydantic import ValidationError

from docextract.cli.running import ExitStatus, ModelLocation, print_error
from docextract.documents import DescriptionError
from docextract.registry import RegistryError
from docextract.settings import Settings


def run(folder: Path, location: ModelLocation, port: int, browser: bool) -> ExitStatus:
    """Review the documents of a folder."""
    from docextract.review.command import run_review
    from docextract.review.folder import FolderInUseError, list_documents
    from docextract.serving.local import LocalModels

    if not folder.is_dir():
        print_error(f"{folder} is not a folder")
        return ExitStatus.USAGE
    if not list_documents(folder):
        print_error(f"{folder}: no picture or PDF found")
        return ExitStatus.USAGE
    try:
        settings = Settings()
        models = LocalModels(location.models or settings.models_folder, location.device or settings.device)
        run_review(folder, models, settings, port, browser, lambda address: print(address, flush=True))
    except KeyboardInterrupt:  # Ctrl+C ends the review
        return ExitStatus.GOOD
    except (RegistryError, DescriptionError, FolderInUseError, ValidationError, OSError) as error:
        print_error(str(error))
        return ExitStatus.UNABLE
    return ExitStatus.GOOD
