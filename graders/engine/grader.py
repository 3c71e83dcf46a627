"""All that one process needs to grade one submission after another: the answer key, and observers that stay warm between them."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from queue import Empty, SimpleQueue

from graders.engine.grade import grade
from graders.engine.key import AnswerKey
from graders.engine.launch import Beginning
from graders.engine.observer import Observer
from graders.model import Kit, Report, Submission


class Grader:
    """Grades from any number of threads at once; each gets an observer of its own. Close it, or drop it: then its servers end."""

    def __init__(self, kit: Kit, seed: int, isolation: str = "auto", folder: Path | None = None) -> None:
        """Nothing is started yet. `folder` is where the answer key is kept between runs (None: nowhere)."""
        self.key = AnswerKey(kit, seed, folder)
        self._kit, self._asked = kit, isolation
        self._opened: list[Observer] = []
        self._free: SimpleQueue[Observer] = SimpleQueue()
        self.close = weakref.finalize(self, _close, self._opened)

    def ready(self, seats: int = 1, beginning: Beginning | None = None) -> str:
        """Have so many observers, started side by side, and run the reference. The isolation in force. Raises KitError where that fails.

        The first takes the server that is on its way, if one is.
        """
        with ThreadPoolExecutor(seats) as starting:
            for observer in starting.map(self._new, [beginning, *repeat(None, seats)][: max(seats - len(self._opened), 0)]):
                self._free.put(observer)
        with self._borrowed() as observer:
            self.key.reference(observer)
            return observer.isolation

    def grade(self, submission: Submission) -> Report:
        """The report on one submission. Raises KitError for the kit's own faults only."""
        with self._borrowed() as observer:
            return grade(submission, self._kit, self.key, observer)

    @contextmanager
    def _borrowed(self) -> Iterator[Observer]:
        """An observer that nobody else uses meanwhile."""
        try:
            observer = self._free.get_nowait()
        except Empty:
            observer = self._new()
        try:
            yield observer
        finally:
            self._free.put(observer)

    def _new(self, beginning: Beginning | None = None) -> Observer:
        observer = Observer(self._kit, self._asked, beginning)
        self._opened.append(observer)
        return observer


def _close(observers: list[Observer]) -> None:
    for observer in observers:
        observer.close()
