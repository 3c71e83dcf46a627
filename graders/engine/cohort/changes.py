"""Two runs over a class, compared: who gained and lost what, and what differs between the runs that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graders.engine.cohort.items import Who
from graders.engine.resume import Change, change
from graders.model import Report


@dataclass(frozen=True)
class Changed:
    """One student's change: a place in the new run, points before, and the checks gained and lost with the reasons."""

    place: int
    before: float
    change: Change


@dataclass(frozen=True)
class Comparison:
    """All changes, the largest first; places of students who are new, labels of those who are gone, and how many stayed the same."""

    changes: tuple[Changed, ...]
    new: Who
    gone: tuple[str, ...]
    same: int


def compare(earlier: Sequence[Report], now: Sequence[Report]) -> Comparison:
    """The new run against an earlier one. Students are matched by label."""
    old = {report.label: report for report in earlier}
    both = [(place, old[report.label], report) for place, report in enumerate(now) if report.label in old]
    moved = [(place, before.points, change(before, after)) for place, before, after in both]
    found = [Changed(place, points, one) for place, points, one in moved if one]
    labels = {report.label for report in now}
    return Comparison(
        tuple(sorted(found, key=lambda one: -abs(now[one.place].points - one.before))),
        tuple(place for place, report in enumerate(now) if report.label not in old),
        tuple(report.label for report in earlier if report.label not in labels),
        len(both) - len(found),
    )

