"""The commands and their options. What is slow is imported when a command runs; `--help` waits for nothing."""

import sys
import traceback
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

_OUTPUT, _WHERE = "Output", "Where the models are"  # panels of the help
_EXIT_STATUS = (
    "Exit status: 0, every file is answered and good; 1, answered, but a photo was not accepted or a document needs "
    "review; 2, the command cannot be understood; 3, a file could not be answered, standard error says why; 4, nothing "
    "can be asked: no server, no access, no models."
)

app = typer.Typer(
    name="docextract",
    help="Photos of documents in; a verdict on each photo and typed fields out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
keys_app = typer.Typer(help="API keys of a service.", no_args_is_help=True)
app.add_typer(keys_app, name="keys")


def _types(incomplete: str) -> list[str]:
    """For shell completion."""
    from docextract.documents import document_types

    return [name for name in ("auto", *document_types()) if name.startswith(incomplete)]


Files = Annotated[
    list[Path],
    typer.Argument(
        allow_dash=True,
        metavar="FILE",
        help="Pictures and PDFs, folders of them, patterns such as 'scans/**/*.jpg', or - for standard input.",
        show_default=False,
    ),
]
DocumentType = Annotated[
    str | None,
    typer.Option(
        "--document-type", "-t", help="What it is, where you know.", autocompletion=_types, show_default="auto"
    ),
]
Strictness = Annotated[
    Literal["normal", "relaxed", "strict"] | None,
    typer.Option(help="How good a photo has to be.", show_default="normal"),
]
Severity = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CRITERION:SEVERITY",
        help="What failing a criterion means: error, warning or off, as in glare:error,rotated:off.",
    ),
]
Enforcing = Annotated[
    Literal["warn", "off", "enforce"] | None,
    typer.Option("--validation", help="enforce: poor photos are refused.", show_default="warn"),
]
Included = Annotated[
    list[str] | None,
    typer.Option("--include", help="More in the JSON: polygons, quality, crop, raw; separated by commas."),
]
MinConfidence = Annotated[
    float | None,
    typer.Option("--min-confidence", min=0, max=1, help="Fields under it need review.", show_default="0"),
]
Language = Annotated[str | None, typer.Option(help="Of the guidance: de, fr, …", show_default="en")]
ExternalId = Annotated[str | None, typer.Option(help="Your own name for this, echoed in JSON.")]
AsJson = Annotated[
    bool, typer.Option("--json", rich_help_panel=_OUTPUT, help="One JSON object a line: the answer and its `file`.")
]
AsCsv = Annotated[
    bool,
    typer.Option("--csv", rich_help_panel=_OUTPUT, help="A row for each document or, when validating, for each image."),
]
Server = Annotated[
    str | None,
    typer.Option(
        envvar="DOCEXTRACT_SERVER",
        rich_help_panel=_WHERE,
        help="Ask the service at this address; without, models run right here.",
    ),
]
ApiKey = Annotated[
    str | None,
    typer.Option(
        envvar="DOCEXTRACT_API_KEY",
        rich_help_panel=_WHERE,
        help="For the server. Better set in the environment.",
        show_default=False,
    ),
]
Models = Annotated[
    Path | None,
    typer.Option(
        envvar="DOCEXTRACT_MODELS_DIR", rich_help_panel=_WHERE, help="The folder of promoted models, to run right here."
    ),
]
Device = Annotated[
    Literal["auto", "cpu", "cuda"] | None,
    typer.Option(rich_help_panel=_WHERE, help="Of models that run right here.", show_default="auto"),
]
Concurrency = Annotated[
    int | None, typer.Option(min=1, rich_help_panel=_WHERE, help="Files asked about at once.", show_default="8, here 2")
]


@app.callback()
def _docextract(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=lambda asked: _say_version(asked), help="Say which version this is."
        ),
    ] = False,
) -> None: ...


@app.command(epilog=_EXIT_STATUS)
def extract(
    files: Files,
    document_type: DocumentType = None,
    strictness: Strictness = None,
    severity: Severity = None,
    validation: Enforcing = None,
    group: Annotated[
        Literal["separate", "single"] | None,
        typer.Option(help="single: all files are pages or sides of one document.", show_default="separate"),
    ] = None,
    include: Included = None,
    min_confidence: MinConfidence = None,
    external_id: ExternalId = None,
    language: Language = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    server: Server = None,
    api_key: ApiKey = None,
    models: Models = None,
    device: Device = None,
    concurrency: Concurrency = None,
) -> None:
    """Read the data in photos of documents.

    docextract extract receipt.jpg

    docextract extract scans/ 'more/*.pdf' --csv > receipts.csv
    """
    options = _given(
        document_type=document_type, strictness=strictness, severity=_severities(severity), validation=validation,
        group=group, include=include, min_confidence=min_confidence, external_id=external_id, language=language,
    )  # fmt: skip
    _run("extraction", files, options, _place(server, api_key, models, device), concurrency, as_json, as_csv)


@app.command(epilog=_EXIT_STATUS)
def validate(
    files: Files,
    document_type: DocumentType = None,
    strictness: Strictness = None,
    severity: Severity = None,
    external_id: ExternalId = None,
    language: Language = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    server: Server = None,
    api_key: ApiKey = None,
    models: Models = None,
    device: Device = None,
    concurrency: Concurrency = None,
) -> None:
    """Tell whether photos are good enough to extract from, and what to do where they are not.

    docextract validate receipt.jpg

    docextract validate --strictness strict --json - < receipt.jpg
    """
    options = _given(
        document_type=document_type, strictness=strictness, severity=_severities(severity), external_id=external_id,
        language=language,
    )  # fmt: skip
    _run("validation", files, options, _place(server, api_key, models, device), concurrency, as_json, as_csv)


@app.command(epilog=_EXIT_STATUS)
def bulk(
    input_url: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="A folder, a pattern or a file: on this machine, s3://bucket/folder, or whatever else fsspec opens.",
        ),
    ],
    output_url: Annotated[
        str, typer.Argument(metavar="OUTPUT", help="A folder for the answers; the same again goes on where it stopped.")
    ],
    form: Annotated[
        Literal["parquet", "jsonl"], typer.Option("--format", rich_help_panel=_OUTPUT, help="Of the parts in OUTPUT.")
    ] = "parquet",
    document_type: DocumentType = None,
    strictness: Strictness = None,
    severity: Severity = None,
    validation: Enforcing = None,
    group: Annotated[
        Literal["separate", "single"] | None,
        typer.Option(help="single: all pages of a file are one document.", show_default="separate"),
    ] = None,
    include: Included = None,
    min_confidence: MinConfidence = None,
    models: Models = None,
    device: Device = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, rich_help_panel=_WHERE, help="Processes that answer.", show_default="one a GPU or, without, a core"
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(min=1, rich_help_panel=_WHERE, help="Files answered together.", show_default="8 on a GPU, else 1"),
    ] = None,
) -> None:
    """Read the data in a great many files, on all cores or GPUs, and go on after a crash.

    docextract bulk scans/ answers/

    docextract bulk s3://bucket/scans s3://bucket/answers --format jsonl
    """
    options = _given(
        document_type=document_type, strictness=strictness, severity=_severities(severity), validation=validation,
        group=group, include=include, min_confidence=min_confidence,
    )  # fmt: skip
    from docextract.cli import bulk

    place = _place(None, None, models, device)
    raise typer.Exit(bulk.run(input_url, output_url, form, options, place, workers, batch))


@app.command()
def types(
    as_json: Annotated[
        bool, typer.Option("--json", rich_help_panel=_OUTPUT, help="As the service describes them, one a line.")
    ] = False,
    server: Server = None,
    api_key: ApiKey = None,
    models: Models = None,
) -> None:
    """List what can be read."""
    from docextract.cli import running

    raise typer.Exit(running.list_types(_place(server, api_key, models, None), as_json))


@keys_app.command("new")
def new_key(name: Annotated[str, typer.Argument(help="Whose key it is: phone-app, scanner-2.")]) -> None:
    """Make a key. Standard output gets the line that makes it known, standard error the key itself, this once.

    docextract keys new phone-app >> keys.toml
    """
    from docextract import keys

    key = keys.generate_key()
    try:
        typer.echo(keys.key_line(name, key))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    typer.echo(f"The key of {name}, which is not kept anywhere and not shown again:\n{key}", err=True)


def _run(
    operation: Literal["validation", "extraction"],
    files: list[Path],
    options: dict[str, Any],
    place: Any,
    concurrency: int | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    if as_json and as_csv:
        raise typer.BadParameter("--json and --csv exclude each other")
    from docextract.cli import output, running

    writer = output.JsonLines() if as_json else output.Csv() if as_csv else output.Tables()
    raise typer.Exit(running.run(operation, list(map(str, files)), options, place, concurrency, writer))


def _place(server: str | None, api_key: str | None, models: Path | None, device: Any) -> Any:
    from docextract.cli import running

    return running.Place(server, api_key, models, device or "auto")


def _given(**options: Any) -> dict[str, Any]:
    """Only what was said: all else has the service's own default."""
    return {name: value for name, value in options.items() if value is not None}


def _severities(given: list[str] | None) -> dict[str, str] | None:
    """Each by its criterion; whether there is such a criterion is for the service to say."""
    if given is None:
        return None
    pairs = [pair.partition(":") for text in given for pair in text.split(",")]
    return {name.strip(): severity.strip() for name, _, severity in pairs}


def _say_version(asked: bool) -> None:
    if asked:
        try:
            typer.echo(f"docextract {version('docextract')}")
        except PackageNotFoundError:  # run from a source tree
            typer.echo("docextract, not installed")
        raise typer.Exit


def main() -> None:
    """The command. Python's own exit status for a fault of ours would mean "needs review"."""
    try:
        app()
    except Exception:
        traceback.print_exc()
        sys.exit(4)
