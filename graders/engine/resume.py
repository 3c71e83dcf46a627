"""Earlier reports: whether one still holds for a submission as it is now, and what a new one changes and why."""

from __future__ import annotations

from dataclasses import dataclass

from graders.engine import layers
from graders.engine.grade import digests
from graders.engine.narrow import lessons_of
from graders.model import Kit, Report, Submission


def holds(earlier: Report, submission: Submission, kit: Kit, seed: int, isolation: str) -> bool:
    """Whether grading again would give the same report.

    Not where files, notes about them, content or seed differ, where the wall was weaker, or where the kit itself had failed.
    """
    return (
        not earlier.needs_human
        and (earlier.label, earlier.seed, earlier.kit_version) == (_text(submission.label), seed, kit.version)
        and earlier.graded == {_text(name): digest for name, digest in digests(submission).items()}
        and earlier.notes == tuple(map(_text, submission.notes))
        and layers.lost(earlier.isolation) <= layers.lost(isolation)
    )


@dataclass(frozen=True)
class Change:
    """The checks that a student gained and lost between two reports, and what differs otherwise: one or more reasons, or none."""

    gained: tuple[str, ...]
    lost: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Scope:
    """Two reports for other lessons (none named: the whole kit): how many checks only the earlier one ran, and only the new one."""

    before: tuple[str, ...]
    now: tuple[str, ...]
    not_run: int
    new: int


def scope(earlier: Report, now: Report) -> Scope | None:
    """What two reports do not both grade, or None where they are for the same lessons."""
    lessons, later = lessons_of(earlier.kit_version), lessons_of(now.kit_version)
    if lessons == later:
        return None
    before, after = _points(earlier), _points(now)
    return Scope(lessons, later, len(before.keys() - after.keys()), len(after.keys() - before.keys()))


def comparable(earlier: Report, now: Report) -> tuple[dict[str, float], dict[str, float]]:
    """Points by check, before and now. Of reports for other lessons only the checks of both: what was not run is neither won nor lost."""
    before, after = _points(earlier), _points(now)
    if scope(earlier, now) is None:
        return before, after
    return {check: before[check] for check in before if check in after}, {check: after[check] for check in after if check in before}


def change(earlier: Report, now: Report) -> Change | None:
    """What a new report changes, or None where every check earns what it did."""
    before, after = comparable(earlier, now)
    every = dict.fromkeys((*after, *before))
    gained = tuple(check for check in every if after.get(check, 0.0) > before.get(check, 0.0))
    lost = tuple(check for check in every if after.get(check, 0.0) < before.get(check, 0.0))
    return Change(gained, lost, tuple(_reasons(earlier, now))) if gained or lost else None


def _points(report: Report) -> dict[str, float]:
    return {verdict.check.id: verdict.points for verdict in report.verdicts}


def _reasons(earlier: Report, now: Report) -> list[str]:
    files = [f"{part}.py" for part in dict.fromkeys((*now.graded, *earlier.graded)) if now.graded.get(part) != earlier.graded.get(part)]
    reasons = [f"the submission changed ({', '.join(files)})"] if files else []
    if earlier.kit_version != now.kit_version:
        reasons.append(f"the kit's content or code changed (from {earlier.kit_version} to {now.kit_version})")
    if earlier.seed != now.seed:
        reasons.append(f"the inputs changed (from seed {earlier.seed} to {now.seed})")
    if earlier.isolation != now.isolation:
        reasons.append(f"the isolation changed (from {earlier.isolation} to {now.isolation})")
    if earlier.needs_human:
        reasons.append("the grader itself had failed")
    if now.needs_human:
        reasons.append("the grader itself failed")
    return reasons


def _text(text: str) -> str:
    """As a report's file holds it: half a surrogate pair is not text that every reader of JSON takes."""
    return text.encode("utf-8", "replace").decode()
