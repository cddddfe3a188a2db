"""One line for each event, as text or as JSON, with the ids of the request and the trace that it belongs to.

BentoML's lines, uvicorn's and the supervisor's go the same way as ours. Exceptions are told by their kind and the
places they went through, never by their message: it may quote what stood on a page.
"""

import json
import logging
import logging.config
import traceback
from types import TracebackType
from typing import Any, Literal

from pythonjsonlogger.core import BaseJsonFormatter

from docextract.observability import traces
from docextract.observability.origin import request_id

Format = Literal["text", "json"]
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class _Facts(BaseJsonFormatter):
    """What a line holds, whichever form it has."""

    def __init__(self, process: str) -> None:
        super().__init__(
            "%(levelname)s %(name)s %(message)s",
            rename_fields={"levelname": "level", "name": "logger", "exc_info": "exception"},
            static_fields={"process": process},
            timestamp="time",
        )

    def formatException(self, ei: _ExcInfo) -> str:  # the name is logging's
        """The frames and the kind, without the message."""
        kind, _, trace = ei
        return "".join([*traceback.format_tb(trace), kind.__name__ if kind else ""])

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """The time first, and no ids where there are none."""
        time = log_data.pop("time").isoformat(timespec="milliseconds")
        return {"time": time} | {name: value for name, value in log_data.items() if value is not None}


class JsonLines(_Facts):
    """For machines."""

    def jsonify_log_record(self, log_data: dict[str, Any]) -> str:
        """One object."""
        return json.dumps(log_data, ensure_ascii=False, default=str)


class TextLines(_Facts):
    """For people."""

    def jsonify_log_record(self, log_data: dict[str, Any]) -> str:
        """Time, level, process, message, then everything else by its name."""
        head = [str(log_data.pop(name)) for name in ("time", "level", "process", "logger", "message")]
        trace = log_data.pop("exception", "")
        return " ".join([*head, *(f"{name}={value}" for name, value in log_data.items())]) + (trace and f"\n{trace}")


_FORMATTERS: dict[Format, type[_Facts]] = {"text": TextLines, "json": JsonLines}


class _Ids(logging.Filter):
    """Adds the ids of the request at hand, where the line does not bring its own."""

    def filter(self, record: logging.LogRecord) -> bool:
        for name, value in (("request_id", request_id.get()), ("trace_id", traces.trace_id())):
            if getattr(record, name, None) is None:
                setattr(record, name, value)
        return True


def configure(process: str, form: Format) -> None:
    """Send every line of this process to standard error, in this form. process: what it is called in each line."""
    through = {"handlers": [], "propagate": True}
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"ids": {"()": _Ids}},
            "formatters": {"facts": {"()": _FORMATTERS[form], "process": process}},
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "stream": "ext://sys.stderr",
                    "formatter": "facts",
                    "filters": ["ids"],
                }
            },
            "root": {"handlers": ["stderr"], "level": "WARNING"},
            "loggers": {
                "docextract": {**through, "level": "INFO"},
                "bentoml": {**through, "level": "INFO"},
                "circus": {**through, "level": "WARNING"},
                "uvicorn.error": {**through, "level": "WARNING"},
                # What is wrong with strangers' files and forms is told to who sent them.
                "PIL": {**through, "level": "CRITICAL"},
                "python_multipart": {**through, "level": "CRITICAL"},
            },
        }
    )
    logging.captureWarnings(True)


def where(error: BaseException) -> str:
    """file:line of the innermost frame: enough to find the fault, and nothing of anyone's document."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
