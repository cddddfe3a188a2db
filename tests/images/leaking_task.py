"""A task for the sandbox that keeps 1 MB for each byte of a file."""

from docextract.images.sandbox import serve_requests

_kept = []


def _task(data, options):
    _kept.append(b"x" * 1_000_000 * len(data))
    return {"files": len(_kept)}, ()


if __name__ == "__main__":
    serve_requests(_task)
