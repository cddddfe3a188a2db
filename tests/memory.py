"""Measurement of the peak memory of this process, for tests."""

import threading

import psutil


class PeakMemory:
    """The additional memory of this process inside a `with` block, in bytes: the maximum of a sample every 5 ms."""

    def __enter__(self) -> "PeakMemory":
        self._process = psutil.Process()
        self._before = self._process.memory_info().rss
        self.peak_bytes = 0
        self._finished = threading.Event()
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()
        return self

    def _sample(self) -> None:
        while not self._finished.wait(0.005):
            self.peak_bytes = max(self.peak_bytes, self._process.memory_info().rss - self._before)

    def __exit__(self, *_: object) -> None:
        self._finished.set()
        self._thread.join()
