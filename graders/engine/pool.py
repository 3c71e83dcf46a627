"""Where the work is done: any executor of concurrent.futures, seen as one function that takes a submission and promises a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graders.engine.grader import Grader
from graders.engine.launch import Beginning
from graders.engine.parcel import Parcel, grade_there, ready_there
from graders.model import Kit, Report, Submission


@dataclass(frozen=True)
class Pool:
    """`hand` gives a job out, `ahead` is how many may be out at once, `isolation` is the one in force where they run."""

    hand: Callable[[Submission], Future[Report]]
    ahead: int
    isolation: str


@contextmanager
def here(kit: Kit, seed: int, isolation: str, jobs: int, folder: Path | None = None, beginning: Beginning | None = None) -> Iterator[Pool]:
    """Threads of this process, each with a server of its own; one of these may be on its way already.

    Raises KitError where the kit cannot grade anything.
    Leaving early, by Ctrl-C say, ends the servers and what they run.
    """
    grader = Grader(kit, seed, isolation, folder)
    threads = ThreadPoolExecutor(jobs)
    try:
        yield Pool(lambda submission: threads.submit(grader.grade, submission), 2 * jobs, grader.ready(jobs, beginning))
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        grader.close()
        threads.shutdown()


def elsewhere(executor: Executor, parcel: Parcel, ahead: int) -> Pool:
    """Other processes, each with a warm grader of its own. Raises KitError where the first of them cannot grade anything."""
    return Pool(lambda submission: executor.submit(grade_there, parcel, submission), ahead, executor.submit(ready_there, parcel).result())
