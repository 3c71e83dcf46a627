"""How a child can end before it has answered everything, and what a student reads about it. Every such sentence is here."""

from __future__ import annotations

import signal
from enum import Enum, auto

from graders.engine.server import Ending
from graders.model import Fault, Limits, Outcome

FRAMES_A_JOB = 4  # all frames of a job together may be this many times as large as one


class Cause(Enum):
    """Why no more frames are awaited from a child."""

    DONE = auto()
    ENDED = auto()
    CLOSED = auto()
    LATE = auto()
    BUDGET = auto()
    UNREADABLE = auto()
    TOO_LARGE = auto()


def fault(cause: Cause, ending: Ending, limits: Limits) -> Fault:
    """What the probe that was running is told."""
    if cause is Cause.LATE:
        return Fault(Outcome.TIMED_OUT, f"did not finish within {limits.probe_seconds:g} s")
    if cause is Cause.BUDGET:
        return Fault(Outcome.TIMED_OUT, f"did not finish: all checks together have {limits.job_seconds:g} s")
    if cause is Cause.UNREADABLE:
        return Fault(Outcome.CRASHED, "what came out could not be read")
    if cause is Cause.TOO_LARGE:
        most = limits.frame_mb
        return Fault(Outcome.CRASHED, f"what came out is too large: a check may give {most:g} MB, all together {FRAMES_A_JOB * most:g} MB")
    if cause is Cause.CLOSED:
        return Fault(Outcome.CRASHED, "your code closed the way on which results leave")
    return _ended(ending, limits)


def _ended(ending: Ending, limits: Limits) -> Fault:
    if ending.code >= 0:
        return Fault(Outcome.CRASHED, f"your code ended the process (exit code {ending.code})")
    number = -ending.code
    if ending.spent or number == signal.SIGXCPU:
        return Fault(Outcome.TIMED_OUT, f"used more than {limits.cpu_seconds:g} s of processor time")
    known: dict[int, str] = {signal.SIGKILL: "out of memory?", signal.SIGSEGV: "an access to memory that is not there; endless recursion?"}
    reason = known.get(number) or _name(number)
    return Fault(Outcome.CRASHED, f"the process was stopped by signal {number} ({reason})")


def _name(number: int) -> str:
    try:
        return (signal.strsignal(number) or "unknown").lower()
    except ValueError:
        return "unknown"


def not_tried_for_time(group: str) -> Fault:
    """For a probe of a group in which several others did not finish."""
    return Fault(Outcome.TIMED_OUT, f"not tried, because other checks of {group} did not finish")


def not_tried_for_budget(limits: Limits) -> Fault:
    """For a probe that no time was left for."""
    return Fault(Outcome.TIMED_OUT, f"not tried: all checks together have {limits.job_seconds:g} s, and earlier ones used them up")


def kit_failed() -> Fault:
    """For every probe that the kit itself could not run. Costs no point."""
    return Fault(Outcome.VOID, "the grader's own worker failed")
