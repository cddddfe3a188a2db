"""models/ as a ledger: which version of each model is served, and whether its files are those that were promoted.

    models/<name>/promoted.toml    version, loader, digest, date, what was served before, scores: reviewed like code
    models/<name>/gate.toml        what a candidate must reach and may not lose
    models/<name>/weights/         the files of the promoted version, for git and for the Bento
    BentoML's model store          every version that was promoted or served here, under name:version-digest

A version is known by the digests of its files. A service loads them from the model store where they are whole
there, else from models/<name>/weights; so either may be read-only or missing.

`python -m docextract.registry list` shows what is served; `--help` the rest. No torch here.
"""

from docextract.registry.ledger import (
    EarlierVersion,
    Ledger,
    promote,
    promoted_version,
    read_ledger,
    record_served_version,
    restore,
    rollback,
    start_first_working,
    store_version,
    stored_version,
)
from docextract.registry.version import LOADERS, RegistryError, Version, candidate_version, file_digests, overall_digest

__all__ = [
    "LOADERS",
    "EarlierVersion",
    "Ledger",
    "RegistryError",
    "Version",
    "candidate_version",
    "file_digests",
    "start_first_working",
    "store_version",
    "stored_version",
    "overall_digest",
    "promote",
    "promoted_version",
    "read_ledger",
    "record_served_version",
    "restore",
    "rollback",
]
