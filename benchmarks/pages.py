"""The templates of the pages that benchmarks write."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def page_template(name: str) -> Template:
    """Return a template of this folder. A value that it needs and is not given raises UndefinedError."""
    return _ENVIRONMENT.get_template(name)
