"""The model registry: which version of each model is served, and whether its files are the promoted ones.

    models/<name>/promoted.toml    version, loader, digest, date, earlier versions, scores; it is reviewed like code
    models/<name>/gate.toml        conditions that a candidate must meet
    models/<name>/weights/         the files of the promoted version, for git and for the Bento
    BentoML's model store          every version that was promoted or served here, as name:version-digest

A version is identified by the digests of its files. A service loads the files from the model store if they are intact
there, else from models/<name>/weights, so either may be read-only or missing.

`python -m docextract.registry list` shows the served versions; `--help` lists all commands. This package does not
import torch.
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
    "LOADERS", "EarlierVersion", "Ledger", "RegistryError", "Version", "candidate_version", "file_digests",
    "overall_digest", "promote", "promoted_version", "read_ledger", "record_served_version", "restore", "rollback",
    "start_first_working", "store_version", "stored_version",
]  # fmt: skip
