"""Real documents with their values, whatever form they come in: each becomes a LabelledPage."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class LabelledPage:
    """One image and what is known to stand on it.

    fields: a name that is missing is not known; None says that the field is not on the page.
    """

    image: Path
    type: str
    fields: Mapping[str, Any]
    tags: tuple[str, ...] = ()
    currency: str | None = None
    key: str = field(default="", compare=False)  # short name for reports and caches
