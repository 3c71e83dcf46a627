"""Two runs over a class, compared: who gained and lost what, and what differs between the runs that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graders.engine.cohort.items import Who
from graders.engine.resume import Change, Scope, change, comparable, scope
from graders.model import Report


@dataclass(frozen=True)
class Changed:
    """One student's change: a place in the new run, points before and now by the checks of both, and the checks gained and lost with the reasons."""

    place: int
    before: float
    now: float
    change: Change


@dataclass(frozen=True)
class Comparison:
    """All changes, the largest first; places of students who are new, labels of those who are gone, and how many stayed the same.

    `scope` tells where the runs are for other lessons.
    """

    changes: tuple[Changed, ...]
    new: Who
    gone: tuple[str, ...]
    same: int
    scope: Scope | None = None


def compare(earlier: Sequence[Report], now: Sequence[Report]) -> Comparison:
    """The new run against an earlier one. Students are matched by label."""
    old = {report.label: report for report in earlier}
    both = [(place, old[report.label], report) for place, report in enumerate(now) if report.label in old]
    moved = [(place, comparable(before, after), change(before, after)) for place, before, after in both]
    found = [Changed(place, sum(was.values()), sum(is_.values()), one) for place, (was, is_), one in moved if one]
    labels = {report.label for report in now}
    return Comparison(
        tuple(sorted(found, key=lambda one: -abs(one.now - one.before))),
        tuple(place for place, report in enumerate(now) if report.label not in old),
        tuple(report.label for report in earlier if report.label not in labels),
        len(both) - len(found),
        next(filter(None, (scope(before, after) for _, before, after in both)), None),
    )

