"""The versions of the models that all processes of one run of the service load.

The supervisor chooses them when it starts and at each reload, and passes them to the processes that it starts. Each
process would otherwise read the ledger by itself: a runner that is restarted after a promotion without a reload would
load the new version, while the front still has the document types and the description of the old one.
"""

import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path

from docextract.registry import Version, start_first_working

_VARIABLE = "_DOCEXTRACT_VERSIONS"  # JSON: tags by model; set in the processes that the supervisor starts

log = logging.getLogger("docextract.serving")


def choose_versions(names: Sequence[str], models_dir: Path) -> dict[str, str]:
    """Return environment variables that name the versions to load now.

    If no version of a model is intact, return none: a reload then starts those of before again, and at the first start
    each process chooses by itself and logs why it fails.
    """
    try:
        tags = {name: start_first_working(name, models_dir, Version.verified)[0].tag for name in names}
    except Exception as error:  # of any kind: it would end the supervisor
        log.error("no versions chosen error=%s", error)
        return {}
    return {_VARIABLE: json.dumps(tags)}


def chosen_tag(name: str) -> str | None:
    """Return the tag that the supervisor has chosen for this process; None without a supervisor."""
    tag: str | None = json.loads(os.environ.get(_VARIABLE, "{}")).get(name)
    return tag
