"""Log lines as text or JSON, one per event, with the ids of the current request and trace.

The lines of BentoML, uvicorn and the supervisor use the same format. An exception is logged by its type and its stack
frames, never by its message: the message may quote document content.
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

LogFormat = Literal["text", "json"]
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class _BaseFormatter(BaseJsonFormatter):
    """The content of a line, independent of its format."""

    def __init__(self, process: str) -> None:
        super().__init__(
            "%(levelname)s %(name)s %(message)s",
            rename_fields={"levelname": "level", "name": "logger", "exc_info": "exception"},
            static_fields={"process": process},
            timestamp="time",
        )

    def formatException(self, ei: _ExcInfo) -> str:  # the name is defined by logging
        """Return the stack frames and the exception's type, without its message."""
        kind, _, trace = ei
        return "".join([*traceback.format_tb(trace), kind.__name__ if kind else ""])

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Put the time first and leave out ids that are None."""
        time = log_data.pop("time").isoformat(timespec="milliseconds")
        return {"time": time} | {name: value for name, value in log_data.items() if value is not None}


class JsonFormatter(_BaseFormatter):
    """One JSON object per line, for log collectors."""

    def jsonify_log_record(self, log_data: dict[str, Any]) -> str:
        """Return the line."""
        return json.dumps(log_data, ensure_ascii=False, default=str)


class TextFormatter(_BaseFormatter):
    """Lines for people: time, level, process, logger and message, then everything else as name=value."""

    def jsonify_log_record(self, log_data: dict[str, Any]) -> str:
        """Return the line, and the stack frames of an exception below it."""
        head = [str(log_data.pop(name)) for name in ("time", "level", "process", "logger", "message")]
        trace = log_data.pop("exception", "")
        return " ".join([*head, *(f"{name}={value}" for name, value in log_data.items())]) + (trace and f"\n{trace}")


_FORMATTERS: dict[LogFormat, type[_BaseFormatter]] = {"text": TextFormatter, "json": JsonFormatter}


class _RequestIdFilter(logging.Filter):
    """Adds the ids of the current request to lines that do not have their own."""

    def filter(self, record: logging.LogRecord) -> bool:
        for name, value in (("request_id", request_id.get()), ("trace_id", traces.current_trace_id())):
            if getattr(record, name, None) is None:
                setattr(record, name, value)
        return True


def configure_logging(process: str, log_format: LogFormat) -> None:
    """Write every line of this process to standard error. process: its name in each line."""
    to_root = {"handlers": [], "propagate": True}
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"ids": {"()": _RequestIdFilter}},
            "formatters": {"facts": {"()": _FORMATTERS[log_format], "process": process}},
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
                "docextract": {**to_root, "level": "INFO"},
                "bentoml": {**to_root, "level": "INFO"},
                "circus": {**to_root, "level": "WARNING"},
                "uvicorn.error": {**to_root, "level": "WARNING"},
                # Faults of uploaded files and forms are reported to their senders, not in the log.
                "PIL": {**to_root, "level": "CRITICAL"},
                "python_multipart": {**to_root, "level": "CRITICAL"},
            },
        }
    )
    logging.captureWarnings(True)


def error_location(error: BaseException) -> str:
    """Return file:line of the innermost stack frame: enough to find the fault, and no document content."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
