"""The `docextract bulk` command: a progress bar while it runs, one line at the end, and the exit status."""

from collections.abc import Mapping
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from docextract.cli import output
from docextract.cli.running import ExitStatus, ModelLocation, make_progress, print_error
from docextract.client import ProblemError
from docextract.documents import DescriptionError
from docextract.registry import RegistryError
from docextract.settings import Settings

if TYPE_CHECKING:
    from docextract.bulk.output import FileCounts, Format
    from docextract.bulk.running import BulkPlan

_REQUIRED_PACKAGES = ("ray", "pyarrow")


def run(
    input_url: str,
    output_url: str,
    file_format: "Format",
    options: Mapping[str, Any],
    location: ModelLocation,
    workers: int | None,
    batch: int | None,
) -> ExitStatus:
    """Process every file of the input that has no answer in the output yet."""
    if missing := [name for name in _REQUIRED_PACKAGES if find_spec(name) is None]:
        print_error(f"bulk needs {' and '.join(missing)}: pip install 'docextract[bulk]'")
        return ExitStatus.UNABLE
    from docextract.bulk import running
    from docextract.bulk.output import OtherRunError

    try:
        settings = Settings()
        models_dir = location.models or settings.models_folder
        device = location.device or settings.device
        plan = running.make_plan(input_url, output_url, file_format, options, settings, models_dir, device, batch)
        with closing(plan):
            counts = _run_with_progress(plan, workers)
    except (ProblemError, OtherRunError) as error:
        print_error(output.error_text(error) if isinstance(error, ProblemError) else str(error))
        return ExitStatus.USAGE
    # ImportError: fsspec names the package that a URL needs, such as s3fs.
    except (RegistryError, DescriptionError, ValidationError, running.GpuNotFoundError, ImportError, OSError) as error:
        print_error(
            f"{error.strerror}: {error.filename}" if isinstance(error, OSError) and error.filename else str(error)
        )
        return ExitStatus.UNABLE
    if not counts.files:
        print_error(f"{input_url}: no picture or PDF found")
        return ExitStatus.USAGE
    reasons = " (`code` and `detail` of their rows say why)" if counts.failed else ""
    print(
        f"{counts.files} files: {counts.good} good, {counts.review} to review, {counts.failed} failed{reasons};"
        f" answers in {output_url}"
    )
    return ExitStatus.FAILED if counts.failed else ExitStatus.REVIEW if counts.review else ExitStatus.GOOD


def _run_with_progress(plan: "BulkPlan", workers: int | None) -> "FileCounts":
    """Run the plan and return the counts of the whole output, including earlier runs."""
    from docextract.bulk import running

    counts = plan.finished.counts
    with make_progress() as bar:
        task = bar.add_task("processing", total=plan.files, completed=counts.files)
        for part_counts in running.run_plan(plan, workers):
            counts += part_counts
            bar.advance(task, part_counts.files)
    return counts
