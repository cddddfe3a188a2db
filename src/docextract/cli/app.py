"""The commands and their options. Slow modules are imported when a command runs, so that `--help` is fast."""

import errno
import sys
import traceback
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

_OUTPUT, _MODELS_PANEL = "Output", "Models"  # panels of the help
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_EXIT_STATUS = (
    "Exit status: 0: all files were processed without problems; 1: a photo was not accepted, or a document needs "
    "review; 2: the command line is invalid; 3: a file could not be processed, {reasons}; 4: the command cannot run: "
    "no server, no access, or no models."
)

app = typer.Typer(
    name="docextract",
    help="Check photos of documents, and extract typed fields from them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
keys_app = typer.Typer(help="Manage API keys of a service.", no_args_is_help=True)
app.add_typer(keys_app, name="keys")


def _complete_types(incomplete: str) -> list[str]:
    """Complete document types in the shell."""
    from docextract.documents import document_types

    return [name for name in ("auto", *document_types()) if name.startswith(incomplete)]


Files = Annotated[
    list[Path],
    typer.Argument(
        allow_dash=True,
        metavar="FILE",
        help="Pictures and PDFs, folders, patterns such as 'scans/**/*.jpg', or - for standard input.",
        show_default=False,
    ),
]
DocumentTypeOption = Annotated[
    str | None,
    typer.Option(
        "--document-type", "-t", help="Document type, if known.", autocompletion=_complete_types, show_default="auto"
    ),
]
StrictnessOption = Annotated[
    Literal["normal", "relaxed", "strict"] | None, typer.Option(help="Required photo quality.", show_default="normal")
]
SeverityOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CRITERION:SEVERITY",
        help="Severity of a failed criterion: error, warning or off. Example: glare:error,rotated:off.",
    ),
]
ValidationMode = Annotated[
    Literal["warn", "off", "enforce"] | None,
    typer.Option(
        "--validation",
        help="Photo check. enforce: refuse photos by their score and by how surely they are read.",
        show_default="warn",
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        help="Additional parts of the JSON: polygons, crops, lines, verdict, legibility; separated by commas.",
    ),
]
IncludeInVerdict = Annotated[
    list[str] | None, typer.Option("--include", help="Additional parts of the JSON: legibility.")
]
MinConfidence = Annotated[
    float | None,
    typer.Option(
        "--min-confidence",
        min=0,
        max=1,
        help="Fields below this confidence need review.",
        show_default="of the model, by DOCEXTRACT_TARGET_ERROR",
    ),
]
LanguageOption = Annotated[str | None, typer.Option(help="Language of the guidance: de, fr, ...", show_default="en")]
ExternalId = Annotated[str | None, typer.Option(help="Your own ID of the request; repeated in the JSON.")]
AsJson = Annotated[
    bool,
    typer.Option("--json", rich_help_panel=_OUTPUT, help="Print one JSON object per line: the answer and its `file`."),
]
AsCsv = Annotated[
    bool,
    typer.Option(
        "--csv", rich_help_panel=_OUTPUT, help="Print one row for each document or, with validate, for each image."
    ),
]
Server = Annotated[
    str | None,
    typer.Option(
        envvar="DOCEXTRACT_SERVER",
        rich_help_panel=_MODELS_PANEL,
        help="Address of a service. By default the models run in this process.",
    ),
]
ApiKeyOption = Annotated[
    str | None,
    typer.Option(
        envvar="DOCEXTRACT_API_KEY",
        rich_help_panel=_MODELS_PANEL,
        help="API key of the server. Set it in the environment rather than here.",
        show_default=False,
    ),
]
PagesOption = Annotated[
    str | None, typer.Option(metavar="1-3,5", help="Pages to read of each file.", show_default="all")
]
ModelsOption = Annotated[
    Path | None,
    typer.Option(
        envvar="DOCEXTRACT_MODELS_DIR",
        rich_help_panel=_MODELS_PANEL,
        help="Folder of promoted models, to run in this process.",
    ),
]
DeviceOption = Annotated[
    Literal["auto", "cpu", "cuda"] | None,
    typer.Option(
        rich_help_panel=_MODELS_PANEL,
        help="Device of models that run in this process.",
        show_default="DOCEXTRACT_DEVICE, or auto",
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        min=1, rich_help_panel=_MODELS_PANEL, help="Files in progress at once.", show_default="8 with --server, else 2"
    ),
]


@app.callback()
def _docextract(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=lambda requested: _print_version(requested), help="Print the version."
        ),
    ] = False,
) -> None: ...


@app.command(epilog=_EXIT_STATUS.format(reasons="standard error says why"))
def extract(
    files: Files,
    document_type: DocumentTypeOption = None,
    strictness: StrictnessOption = None,
    severity: SeverityOption = None,
    validation: ValidationMode = None,
    group: Annotated[
        Literal["file", "page", "request", "auto"] | None,
        typer.Option(
            help="What one document is: each file, each page, all files together, or found in each file.",
            show_default="file",
        ),
    ] = None,
    pages: PagesOption = None,
    include: Include = None,
    min_confidence: MinConfidence = None,
    external_id: ExternalId = None,
    language: LanguageOption = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    server: Server = None,
    api_key: ApiKeyOption = None,
    models: ModelsOption = None,
    device: DeviceOption = None,
    concurrency: Concurrency = None,
) -> None:
    """Extract data from photos, scans and PDFs of documents.

    docextract extract receipt.jpg

    docextract extract scans/ 'more/*.pdf' --csv > receipts.csv
    """
    options = _without_none(
        document_type=document_type, strictness=strictness, severity=_parse_severities(severity), validation=validation,
        group=group, pages=pages, include=include, min_confidence=min_confidence, external_id=external_id,
        language=language,
    )  # fmt: skip
    _run_operation(
        "extraction", files, options, _model_location(server, api_key, models, device), concurrency, as_json, as_csv
    )


@app.command(epilog=_EXIT_STATUS.format(reasons="standard error says why"))
def validate(
    files: Files,
    document_type: DocumentTypeOption = None,
    strictness: StrictnessOption = None,
    severity: SeverityOption = None,
    pages: PagesOption = None,
    include: IncludeInVerdict = None,
    external_id: ExternalId = None,
    language: LanguageOption = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    server: Server = None,
    api_key: ApiKeyOption = None,
    models: ModelsOption = None,
    device: DeviceOption = None,
    concurrency: Concurrency = None,
) -> None:
    """Check whether photos are good enough for extraction, and say how to improve them.

    docextract validate receipt.jpg

    docextract validate --strictness strict --json - < receipt.jpg
    """
    options = _without_none(
        document_type=document_type, strictness=strictness, severity=_parse_severities(severity),
        pages=pages, include=include, external_id=external_id, language=language,
    )  # fmt: skip
    _run_operation(
        "validation", files, options, _model_location(server, api_key, models, device), concurrency, as_json, as_csv
    )


@app.command(epilog=_EXIT_STATUS.format(reasons="its row in OUTPUT says why"))
def bulk(
    input_url: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="A folder, a pattern or a file: a local path, s3://bucket/folder, or any other fsspec URL.",
        ),
    ],
    output_url: Annotated[
        str, typer.Argument(metavar="OUTPUT", help="Folder for the answers. Run the same command again to resume.")
    ],
    file_format: Annotated[
        Literal["parquet", "jsonl"], typer.Option("--format", rich_help_panel=_OUTPUT, help="File format in OUTPUT.")
    ] = "parquet",
    document_type: DocumentTypeOption = None,
    strictness: StrictnessOption = None,
    severity: SeverityOption = None,
    validation: ValidationMode = None,
    group: Annotated[
        Literal["file", "page", "auto"] | None,
        typer.Option(help="What one document is: each file, each page, or found in each file.", show_default="file"),
    ] = None,
    pages: PagesOption = None,
    include: Include = None,
    min_confidence: MinConfidence = None,
    models: ModelsOption = None,
    device: DeviceOption = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            rich_help_panel=_MODELS_PANEL,
            help="Number of worker processes.",
            show_default="one per GPU, else one per core",
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            min=1, rich_help_panel=_MODELS_PANEL, help="Files processed together.", show_default="8 on a GPU, else 1"
        ),
    ] = None,
) -> None:
    """Extract data from very many files, on all cores or GPUs; can be resumed after a crash.

    docextract bulk scans/ answers/

    docextract bulk s3://bucket/scans s3://bucket/answers --format jsonl
    """
    options = _without_none(
        document_type=document_type, strictness=strictness, severity=_parse_severities(severity), validation=validation,
        group=group, pages=pages, include=include, min_confidence=min_confidence,
    )  # fmt: skip
    from docextract.cli import bulk

    location = _model_location(None, None, models, device)
    raise typer.Exit(bulk.run(input_url, output_url, file_format, options, location, workers, batch))


@app.command()
def review(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of pictures and PDFs.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free port.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    models: ModelsOption = None,
    device: DeviceOption = None,
) -> None:
    """Correct what is extracted from the documents of a folder, in a page on this machine only.

    What is corrected becomes FOLDER/labels.jsonl, from which models are retrained.
    """
    from docextract.cli import review as review_command

    raise typer.Exit(review_command.run(folder, _model_location(None, None, models, device), port, browser))


Labelled = Annotated[
    list[Path],
    typer.Argument(metavar="FOLDER", help="Labelled documents, for example of `docextract review`.", exists=True),
]


@app.command()
def teach(
    data: Labelled,
    out: Annotated[Path, typer.Option(help="Folder of the run; the same command resumes it.")] = Path("runs/retrain"),
    models: ModelsOption = None,
    synthetic: Annotated[
        int, typer.Option(min=0, help="Synthetic documents of each type in the comparison; the gate needs some.")
    ] = 40,
) -> None:
    """Retrain the extraction model on your documents, and compare it with the served one on some held out.

    Fewer than ten are all trained on, and nothing is measured. Needs a clone of docextract.
    """
    from docextract.cli import teaching

    raise typer.Exit(teaching.run(data, out, *_models_option(models), "--synthetic", str(synthetic)))


@app.command()
def calibrate(
    data: Labelled,
    out: Annotated[Path, typer.Option(help="Folder of the run.")] = Path("runs/calibrate"),
    models: ModelsOption = None,
    synthetic: Annotated[
        int, typer.Option(min=0, help="Synthetic documents of each type in the comparison; the gate needs some.")
    ] = 40,
) -> None:
    """Fit the confidences of the served model to your documents, without training. Needs a clone of docextract."""
    from docextract.cli import teaching

    options = ("--only-confidences", "--synthetic", str(synthetic))
    raise typer.Exit(teaching.run(data, out, *_models_option(models), *options))


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 3000,
) -> None:
    """Serve the API and the page at /demo. Settings are environment variables, DOCEXTRACT_…."""
    from docextract.serving.command import run_service

    run_service(host, port)


@app.command()
def types(
    as_json: Annotated[
        bool,
        typer.Option("--json", rich_help_panel=_OUTPUT, help="Print the service's JSON descriptions, one per line."),
    ] = False,
    server: Server = None,
    api_key: ApiKeyOption = None,
    models: ModelsOption = None,
) -> None:
    """List the document types."""
    from docextract.cli import running

    raise typer.Exit(running.list_types(_model_location(server, api_key, models, None), as_json))


@keys_app.command("new")
def new_key(
    name: Annotated[str, typer.Argument(help="Name of the client that uses the key: phone-app, scanner-2.")],
) -> None:
    """Create an API key. The line for the key file goes to standard output, the key itself to standard error.

    docextract keys new phone-app >> keys.toml
    """
    from docextract import keys

    key = keys.generate_key()
    try:
        typer.echo(keys.key_line(name, key))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    typer.echo(f"The key of {name}. It is not stored and not shown again:\n{key}", err=True)


def _run_operation(
    operation: Literal["validation", "extraction"],
    files: list[Path],
    options: dict[str, Any],
    location: Any,
    concurrency: int | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    if as_json and as_csv:
        raise typer.BadParameter("--json and --csv cannot be used together")
    from docextract.cli import output, running

    writer = output.JsonLinesWriter() if as_json else output.CsvWriter() if as_csv else output.TableWriter()
    raise typer.Exit(running.run_operation(operation, list(map(str, files)), options, location, concurrency, writer))


def _model_location(server: str | None, api_key: str | None, models: Path | None, device: Any) -> Any:
    from docextract.cli import running

    return running.ModelLocation(server, api_key, models, device)


def _models_option(models: Path | None) -> list[str]:
    return [] if models is None else ["--models", str(models)]


def _without_none(**options: Any) -> dict[str, Any]:
    """Keep only options that were given: the service's defaults apply to all others."""
    return {name: value for name, value in options.items() if value is not None}


def _parse_severities(texts: list[str] | None) -> dict[str, str] | None:
    """Parse severities by criterion; the service checks whether the criteria exist."""
    if texts is None:
        return None
    pairs = [pair.partition(":") for text in texts for pair in text.split(",")]
    return {name.strip(): severity.strip() for name, _, severity in pairs}


def _print_version(requested: bool) -> None:
    if requested:
        try:
            typer.echo(f"docextract {version('docextract')}")
        except PackageNotFoundError:  # run from a source tree
            typer.echo("docextract, not installed")
        raise typer.Exit


def main() -> None:
    """Run the command. An unexpected exception exits with 4, because Python's own status 1 means "needs review"."""
    try:
        app()
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _DISK_FULL:
            print(f"docextract: the output cannot be written: {error.strerror}", file=sys.stderr)
        else:
            traceback.print_exc()
        sys.exit(4)
