"""Tests of the reliability page."""

from collections import Counter

from benchmarks import reliability
from benchmarks.overload import DisconnectResult, LoadPhase, OverloadRequest, OverloadResult, SlowClientResult
from benchmarks.reliability import FAULTS, FaultResult
from benchmarks.verifying_clients import RequestCounts

ENVIRONMENT = {
    "date": "2026-01-31", "commit": "abc", "machine": "x86_64", "processor": "a processor", "cores": 2,
    "memory_gb": 8.0, "load_average": 3.25, "busy": True,
}  # fmt: skip


def phase(name, *answers):
    return LoadPhase(name, 20.0, [OverloadRequest(0.0, *one) for one in answers])


def test_page_shows_lost_requests_and_skipped_faults(tmp_path):
    """The page shows a broken connection, an exit status, a skipped fault and the latency of refusals."""
    counts = [
        RequestCounts("raw HTTP", Counter(correct=90, cut_off=2), Counter(ReadError=2), 1.5),
        RequestCounts("docextract.client", Counter(correct=91), Counter(), 1.25),
    ]
    fault_results = [
        ("SIGTERM", FaultResult("SIGTERM", counts, None, 0.25, None, [(2.5, 0)])),
        ("a full disk", None),
    ]
    flood = phase("during", (9.0, 200, False), (0.02, 503, True), (0.03, 503, True), (60.0, 504, False))
    baseline = phase("before", (1.0, 200, False))
    slow = SlowClientResult(
        baseline, baseline, Counter({"HTTP/1.1 408 Request Timeout": 64}), 20.5, Counter(closed=64), 15.0
    )
    overload_result = OverloadResult(
        1.25, (baseline, flood, baseline), baseline, None, slow, DisconnectResult(32, 9.0, 4.0)
    )

    reliability.write(tmp_path / "page.md", fault_results, overload_result, ENVIRONMENT)

    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| SIGTERM | raw HTTP | 92 | 90 | 0 | 0 | 0 | 2 | 1.5 | – | 0.2, – |" in page
    assert "SIGTERM, raw HTTP: 2× ReadError." in page
    assert "SIGTERM: the service ended after 2.5 s with exit status 0." in page
    assert "| a full disk | *not run" in page
    assert "| `/extraction`, during | 4 | 1 | 9000 | 9000 | 2 | 25 | 30 | 1× 504 |" in page
    assert "64× HTTP/1.1 408 Request Timeout; the last after 20 s" in page
    assert "The machine was busy" in page


def test_fault_names_are_unique():
    """`--only` selects faults by name."""
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
