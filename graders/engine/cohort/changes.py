"""Two runs over a class, compared: who gained and lost what, and what differs between the runs that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graders.engine.cohort.items import Who
from graders.model import Report


@dataclass(frozen=True)
class Change:
    """One student's change: a place in the new run, points before, checks gained and lost, and reasons (none: nothing known differs)."""

    place: int
    before: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """All changes, the largest first; places of students who are new, labels of those who are gone, and how many stayed the same."""

    changes: tuple[Change, ...]
    new: Who
    gone: tuple[str, ...]
    same: int


def compare(earlier: Sequence[Report], now: Sequence[Report]) -> Comparison:
    """The new run against an earlier one. Students are matched by label."""
    old = {report.label: report for report in earlier}
    both = [(place, old[report.label], report) for place, report in enumerate(now) if report.label in old]
    found = [change for change in (_change(place, before, after) for place, before, after in both) if change]
    labels = {report.label for report in now}
    return Comparison(
        tuple(sorted(found, key=lambda change: -abs(now[change.place].points - change.before))),
        tuple(place for place, report in enumerate(now) if report.label not in old),
        tuple(report.label for report in earlier if report.label not in labels),
        len(both) - len(found),
    )


def _change(place: int, earlier: Report, now: Report) -> Change | None:
    before, after = ({verdict.check.id: verdict.points for verdict in report.verdicts} for report in (earlier, now))
    every = dict.fromkeys((*after, *before))
    gained = tuple(check for check in every if after.get(check, 0.0) > before.get(check, 0.0))
    lost = tuple(check for check in every if after.get(check, 0.0) < before.get(check, 0.0))
    return Change(place, earlier.points, gained, lost, tuple(_reasons(earlier, now))) if gained or lost else None


def _reasons(earlier: Report, now: Report) -> list[str]:
    files = [f"{part}.py" for part in dict.fromkeys((*now.graded, *earlier.graded)) if now.graded.get(part) != earlier.graded.get(part)]
    reasons = [f"the submission changed ({', '.join(files)})"] if files else []
    if earlier.kit_version != now.kit_version:
        reasons.append(f"the content changed (from {earlier.kit_version} to {now.kit_version})")
    if earlier.seed != now.seed:
        reasons.append(f"the inputs changed (from seed {earlier.seed} to {now.seed})")
    if earlier.isolation != now.isolation:
        reasons.append(f"the isolation changed (from {earlier.isolation} to {now.isolation})")
    failed = [when for when, report in (("earlier", earlier), ("now", now)) if report.needs_human]
    return reasons + ([f"the grader itself had failed ({' and '.join(failed)})"] if failed else [])
