"""The page on faults is written whole."""

from collections import Counter

from benchmarks import reliability
from benchmarks.verifying_clients import Tally
from benchmarks.overload import Answered, Gone, Overload, Phase, Slow
from benchmarks.reliability import FAULTS, Suffered

ABOUT = {
    "date": "2026-01-31", "commit": "abc", "machine": "x86_64", "processor": "a processor", "cores": 2,
    "memory_gb": 8.0, "load_average": 3.25, "busy": True,
}  # fmt: skip


def phase(name, *answers):
    return Phase(name, 20.0, [Answered(0.0, *one) for one in answers])


def test_what_was_lost_and_what_was_not_run_is_said(tmp_path):
    """A cut request, an exit status, a fault that the machine does not allow, a refusal's time."""
    tallies = [
        Tally("raw HTTP", Counter(right=90, cut=2), Counter(ReadError=2), 1.5),
        Tally("docextract.client", Counter(right=91), Counter(), 1.25),
    ]
    suffered = [
        ("SIGTERM", Suffered("SIGTERM", tallies, None, 0.25, None, [(2.5, 0)])),
        ("a full disk", None),
    ]
    flood = phase("during", (9.0, 200, False), (0.02, 503, True), (0.03, 503, True), (60.0, 504, False))
    calm = phase("before", (1.0, 200, False))
    slow = Slow(calm, calm, Counter({"HTTP/1.1 408 Request Timeout": 64}), 20.5, Counter(closed=64), 15.0)
    found = Overload(1.25, (calm, flood, calm), calm, None, slow, Gone(32, 9.0, 4.0))

    reliability.write(tmp_path / "page.md", suffered, found, ABOUT)

    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| SIGTERM | raw HTTP | 92 | 90 | 0 | 0 | 0 | 2 | 1.5 | – | 0.2, – |" in page
    assert "SIGTERM, raw HTTP: 2× ReadError." in page
    assert "SIGTERM: the service ended after 2.5 s with exit status 0." in page
    assert "| a full disk | *not run" in page
    assert "| `/extraction`, during | 4 | 1 | 9000 | 9000 | 2 | 25 | 30 | 1× 504 |" in page
    assert "64× HTTP/1.1 408 Request Timeout; the last after 20 s" in page
    assert "The machine was busy" in page


def test_every_fault_has_a_name_of_its_own():
    """`--only` finds it."""
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
