"""Grade many submissions: some observers at once, results in the order of the submissions, no submission able to stop the others."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue
from threading import Event

from graders.engine.grade import grade
from graders.engine.key import AnswerKey
from graders.engine.observer import Observer
from graders.engine.submission import Found, read_submission
from graders.model import Kit, KitError, Report, SubmissionError

Result = Report | SubmissionError | KitError


def grade_batch(found: Sequence[Found], kit: Kit, key: AnswerKey, isolation: str, jobs: int, done: Callable[[Report], None]) -> Generator[Result]:
    """One result a submission. `done` is called with each report as soon as it is there, in any order and from any thread.

    Raises KitError where the kit itself cannot grade anything. Leaving early, by Ctrl-C say, ends the observers and what they run.
    """
    stopped = Event()
    with ExitStack() as held:
        pool = held.enter_context(ThreadPoolExecutor(jobs))

        def opened(_: int) -> Observer:
            observer = Observer(kit, isolation=isolation)
            held.callback(observer.close)
            return observer

        free: SimpleQueue[Observer] = SimpleQueue()
        for observer in pool.map(opened, range(jobs)):
            free.put(observer)
        key.reference(observer)
        held.callback(stopped.set)  # first of all when this is left: what a closing observer still gives is no result

        def one(place: Found) -> Result:
            observer = free.get()
            try:
                report = grade(read_submission(place.path, kit, place.label), kit, key, observer)
                if not stopped.is_set():
                    done(report)
            except (SubmissionError, KitError) as error:
                return error
            finally:
                free.put(observer)
            return report

        yield from pool.map(one, found)
