"""Grade many submissions wherever a pool runs them: results come as they end, nothing of them is kept, and none can stop the others."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace

from graders.engine.pool import Pool
from graders.engine.submission import Found, read_found
from graders.model import Kit, KitError, Report, Submission, SubmissionError

TRIES = 2
Result = Report | SubmissionError | KitError


@dataclass(frozen=True)
class Done:
    """What became of one submission: the `index`-th of those found. `kept` where an earlier report still holds."""

    index: int
    label: str
    result: Result
    kept: bool = False


@dataclass(frozen=True)
class _Job:
    index: int
    submission: Submission
    tries: int = 1


def run(found: Sequence[Found], kit: Kit, pool: Pool, kept: Callable[[Submission], Report | None]) -> Generator[Done]:
    """One Done for each submission, in the order in which they end. `kept` gives an earlier report that still holds, if there is one.

    A job that fails for no reason of its own is tried once more. Raises KitError where the pool does no more jobs.
    """
    out: dict[Future[Report], _Job] = {}
    for index, place in enumerate(found):
        try:
            submission = read_found(place, kit)
            earlier = kept(submission)
        except SubmissionError as error:
            yield Done(index, place.label, error)
        except Exception as error:  # noqa: BLE001 - a bug of ours in reading one submission is no reason to lose the others
            yield Done(index, place.label, _ours(place.label, error))
        else:
            if earlier is not None:
                yield Done(index, place.label, earlier, kept=True)
                continue
            while len(out) >= pool.ahead:
                yield from _ended(out, pool)
            _hand(_Job(index, submission), out, pool)
    while out:
        yield from _ended(out, pool)


def _ended(out: dict[Future[Report], _Job], pool: Pool) -> Iterator[Done]:
    """Wait for some of the jobs that are out."""
    for future in wait(out, return_when=FIRST_COMPLETED).done:
        job = out.pop(future)
        if future.cancelled():
            raise KitError("whoever ran the jobs, a cluster perhaps, does so no more; run the same command again")
        error = future.exception()
        if error is None:
            yield Done(job.index, job.submission.label, future.result())
        elif job.tries < TRIES:
            _hand(replace(job, tries=job.tries + 1), out, pool)
        else:
            yield Done(job.index, job.submission.label, _ours(job.submission.label, error))


def _hand(job: _Job, out: dict[Future[Report], _Job], pool: Pool) -> None:
    try:
        out[pool.hand(job.submission)] = job
    except Exception as error:
        raise KitError(f"no more jobs can be given out ({type(error).__name__}: {error}); run the same command again") from error


def _ours(label: str, error: BaseException) -> KitError:
    """What to tell of a submission that was not graded through no fault of its own."""
    why = str(error) if isinstance(error, KitError) else f"the grader itself failed, {type(error).__name__}: {error}"
    return KitError(f"{label} was not graded ({why}); run the same command again, and report it if it fails again")
