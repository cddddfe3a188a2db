"""How much memory something takes while it is done, at its worst."""

import threading

import psutil


class Watched:
    """How much more memory this process held at any time than in the beginning, looked at every few milliseconds."""

    def __enter__(self) -> "Watched":
        self._process = psutil.Process()
        self._before = self._process.memory_info().rss
        self.most_bytes = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def _look(self) -> None:
        while not self._over.wait(0.005):
            self.most_bytes = max(self.most_bytes, self._process.memory_info().rss - self._before)

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
