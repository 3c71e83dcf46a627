"""Turn an observation into a verdict: pure, on this side of the wall, from plain numbers only."""

from __future__ import annotations

from graders.engine import words
from graders.engine.compare import difference, split
from graders.engine.picture import path, table
from graders.model import Check, Fault, Observation, Outcome, Verdict


def judge(check: Check, seen: Observation | None, right: Observation) -> Verdict:
    """The verdict on one check, without a hint. An observation that never came is the kit's own failure: void."""
    if seen is None:
        return Verdict(check, Outcome.VOID, words.NO_OBSERVATION)
    if seen.fault is not None:
        return Verdict(check, seen.fault.outcome, words.fault(seen.fault))
    found = difference(check, seen, right)
    if found is None:
        return Verdict(check, Outcome.PASSED)
    message = words.difference(found, check) + words.others(found.array, *split(check, seen, right))
    return Verdict(check, Outcome.FAILED, message, picture=table(found, check) or path(seen))


def missing(check: Check, parts: tuple[str, ...]) -> Verdict:
    """The verdict where files that a check takes were not handed in."""
    return Verdict(check, Outcome.MISSING, words.fault(Fault(Outcome.MISSING, words.not_handed_in(parts))))
