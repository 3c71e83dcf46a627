"""The mistakes of a class: those with a name, and groups of students who made the same one that has no name yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.engine.cohort.items import Who
from graders.model import Outcome, Report, Verdict

WRONG = (Outcome.FAILED, Outcome.CRASHED)


@dataclass(frozen=True)
class Mistake:
    """A known mistake: who made it, which checks it cost and whom, and what students were told.

    Of several hints it is the shortest: one for this mistake alone is shorter than one for it and another.
    """

    name: str
    part: str
    who: Who
    checks: Mapping[str, Who]
    hint: str


@dataclass(frozen=True)
class Nameless:
    """Students whose code fails in the same way, for no known mistake. `checks` with the message of each."""

    part: str
    who: Who
    checks: Mapping[str, str]


def mistakes(reports: Sequence[Report]) -> tuple[Mistake, ...]:
    """Every known mistake that somebody made, the most frequent first. Where two explain what was seen, both count."""
    checks: dict[tuple[str, str], dict[str, list[int]]] = {}
    hints: dict[tuple[str, str], set[str]] = {}
    for place, report in enumerate(reports):
        for verdict in report.verdicts:
            names, told = (verdict.hint.misconceptions, verdict.hint.text) if verdict.hint else ((), "")
            for name in names:
                key = (part_of(verdict), name)
                checks.setdefault(key, {}).setdefault(verdict.check.id, []).append(place)
                hints.setdefault(key, set()).add(told)
    found = [
        Mistake(name, part, tuple(sorted({place for who in lost.values() for place in who})), _most(lost), min(hints[part, name], key=len))
        for (part, name), lost in checks.items()
    ]
    return tuple(sorted(found, key=lambda mistake: -len(mistake.who)))


def nameless(reports: Sequence[Report]) -> tuple[tuple[Nameless, ...], Who]:
    """Groups of two or more who share a mistake without a name, the largest first; and those who are alone with one.

    The same means: the same fingerprint of a part where the report has one, else the same checks with the same messages.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    shown: dict[tuple[object, ...], Nameless] = {}
    for place, report in enumerate(reports):
        for part, wrong in _unexplained(report).items():
            alike = (report.fingerprints[part],) if part in report.fingerprints else ((one.check.id, one.outcome, one.message) for one in wrong)
            key = (part, *alike)
            groups.setdefault(key, []).append(place)
            shown.setdefault(key, Nameless(part, (), {one.check.id: one.message for one in wrong}))
    shared = [Nameless(one.part, tuple(groups[key]), one.checks) for key, one in shown.items() if len(groups[key]) > 1]
    alone = sorted({who[0] for who in groups.values() if len(who) == 1})
    return tuple(sorted(shared, key=lambda group: -len(group.who))), tuple(alone)


def part_of(verdict: Verdict) -> str:
    """The table of grading.toml that a check comes from."""
    return verdict.check.id.split(".")[0]


def _unexplained(report: Report) -> dict[str, list[Verdict]]:
    """By part, what is wrong for no known reason. A rule about code says itself what is wrong."""
    found: dict[str, list[Verdict]] = {}
    for verdict in report.verdicts:
        if verdict.outcome in WRONG and not verdict.hint and ".rule_" not in verdict.check.id:
            found.setdefault(part_of(verdict), []).append(verdict)
    return found


def _most(checks: Mapping[str, Sequence[int]]) -> dict[str, Who]:
    return {check: tuple(who) for check, who in sorted(checks.items(), key=lambda pair: -len(pair[1]))}

