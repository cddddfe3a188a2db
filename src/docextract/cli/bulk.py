"""`docextract bulk` between the terminal and docextract.bulk: a bar while it works, one line at its end, a status."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from docextract.cli import output
from docextract.cli.running import Exit, Place, complain, progress
from docextract.client import ProblemError
from docextract.documents import DescriptionError
from docextract.registry import RegistryError
from docextract.settings import Settings

if TYPE_CHECKING:
    from docextract.bulk.output import Format, Tally
    from docextract.bulk.running import Plan

_NEEDED = ("ray", "pyarrow")


def run(
    input_url: str,
    output_url: str,
    form: "Format",
    options: Mapping[str, Any],
    place: Place,
    workers: int | None,
    batch: int | None,
) -> Exit:
    """Answer every file of the input that has no answer in the output yet."""
    if missing := [name for name in _NEEDED if find_spec(name) is None]:
        complain(f"bulk needs {' and '.join(missing)}: pip install 'docextract[bulk]'")
        return Exit.UNABLE
    from docextract.bulk import running
    from docextract.bulk.output import OtherRunError

    try:
        settings = Settings()
        models_dir = place.models or settings.models_folder
        device = place.device or settings.device
        plan = running.plan(input_url, output_url, form, options, settings, models_dir, device, batch)
        found = _counted(plan, workers)
    except (ProblemError, OtherRunError) as error:
        complain(output.reason(error) if isinstance(error, ProblemError) else str(error))
        return Exit.USAGE
    # ImportError: fsspec says what it needs for an address, s3fs and the like.
    except (RegistryError, DescriptionError, ValidationError, running.NoSuchDeviceError, ImportError, OSError) as error:
        complain(f"{error.strerror}: {error.filename}" if isinstance(error, OSError) and error.filename else str(error))
        return Exit.UNABLE
    if not found.files:
        complain(f"{input_url}: there is no picture and no PDF")
        return Exit.USAGE
    print(
        f"{found.files} files: {found.good} good, {found.review} to review, {found.failed} not answered; {output_url}"
    )
    return Exit.FAILED if found.failed else Exit.REVIEW if found.review else Exit.GOOD


def _counted(plan: "Plan", workers: int | None) -> "Tally":
    """All of the output, what was in it before included."""
    from docextract.bulk import running

    found = plan.finished.tally
    with progress() as bar:
        task = bar.add_task("answering", total=plan.files, completed=found.files)
        for done in running.work(plan, workers):
            found += done
            bar.advance(task, done.files)
    return found
