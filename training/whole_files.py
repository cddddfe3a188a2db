"""Files that are complete if they exist, although a run may be killed while it writes them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield another path of the same suffix, to be written; it is renamed to `path` when all has been written.

    After an exception it is removed. If `path` is a symbolic link, the file that it leads to is written.
    """
    path = path.resolve()
    unfinished = path.with_name(f"{path.stem}.part{path.suffix}")
    try:
        yield unfinished
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
