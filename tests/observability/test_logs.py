import json
import logging
import subprocess
import sys

import pytest

from docextract.observability import origin
from docextract.observability.logs import JsonFormatter, TextFormatter


def record(message: str, error: Exception | None = None, **facts) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    made = logging.LogRecord("docextract.x", logging.INFO, __file__, 1, message, None, info)
    vars(made).update(facts)
    return made


def raised(message: str) -> ValueError:
    try:
        raise ValueError(message)
    except ValueError as error:
        return error


def test_json_line_has_every_fact_by_name():
    """Log collectors can filter and count by them."""
    line = json.loads(JsonFormatter("front").format(record("answered", status=200, request_id="R1", trace_id=None)))

    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "INFO", "logger": "docextract.x", "message": "answered", "process": "front", "status": 200,
        "request_id": "R1",
    }  # fmt: skip


def test_text_line_has_the_same_facts():
    """For people who read the log directly."""
    line = TextFormatter("front").format(record("answered", status=200, request_id="R1", trace_id=None))

    assert line.endswith(" INFO front docextract.x answered status=200 request_id=R1")


@pytest.mark.parametrize("form", [JsonFormatter, TextFormatter])
def test_exception_is_logged_with_type_and_frames(form):
    """Without its message, which may quote a document."""
    line = form("front").format(record("failed", raised("cannot parse SECRET-NAME")))

    assert "ValueError" in line
    assert "in raised" in line
    assert "SECRET-NAME" not in line


CONFIGURED = """
import logging, warnings
logging.basicConfig()
logging.getLogger("bentoml").addHandler(logging.StreamHandler())
from docextract.observability import logs, origin
logs.configure_logging("front", "json")
origin.request_id.set("R1")
logging.getLogger("docextract.http").info("ours")
logging.getLogger("bentoml.serve").info("theirs")
logging.getLogger("elsewhere").info("chatter")
warnings.warn("beware")
"""


def test_lines_of_other_libraries_are_logged_once_in_the_same_format():
    """BentoML's handlers are replaced, warnings become lines, and every line has the request id."""
    done = subprocess.run([sys.executable, "-c", CONFIGURED], capture_output=True, text=True, check=True)

    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["message"].partition("beware")[0][:6] for line in lines] == ["ours", "theirs", "<strin"]
    assert {line["request_id"] for line in lines} == {"R1"}
    assert done.stdout == ""
    assert origin.request_id.get() is None
