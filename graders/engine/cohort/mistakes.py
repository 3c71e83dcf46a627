"""The mistakes of a class: those with a name, and groups of students who made the same one that has no name yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from graders.engine.cohort.items import Who
from graders.engine.plan import is_rule
from graders.model import Outcome, Report, Verdict

WRONG = (Outcome.FAILED, Outcome.CRASHED)


@dataclass(frozen=True)
class Mistake:
    """A known mistake: who made it, which checks it cost and whom, and its own hint.

    `combined` are those in whom it was only seen together with another: what it cost them, the other cost them too.
    Where the mistake's own hint is not known, it is the shortest that was told: one for it alone is shorter than one for it and another.
    """

    name: str
    part: str
    who: Who
    checks: Mapping[str, Who]
    hint: str
    combined: Who = ()


@dataclass(frozen=True)
class Nameless:
    """Students whose code fails in the same way, for no known mistake. `checks` with the message of each."""

    part: str
    who: Who
    checks: Mapping[str, str]


def mistakes(reports: Sequence[Report], own: Mapping[str, str] = MappingProxyType({})) -> tuple[Mistake, ...]:
    """Every known mistake that somebody made, the most frequent first. Where two explain what was seen, both count.

    `own` gives the hints of mistakes by their names.
    """
    checks: dict[tuple[str, str], dict[str, list[int]]] = {}
    hints: dict[tuple[str, str], set[str]] = {}
    alone: dict[tuple[str, str], set[int]] = {}
    for place, report in enumerate(reports):
        for verdict in report.verdicts:
            names, told = (verdict.hint.misconceptions, verdict.hint.text) if verdict.hint else ((), "")
            for name in names:
                key = (part_of(verdict), name)
                checks.setdefault(key, {}).setdefault(verdict.check.id, []).append(place)
                hints.setdefault(key, set()).add(told)
                alone.setdefault(key, set()).update([place] if len(names) == 1 else [])
    found = []
    for key, lost in checks.items():
        who = tuple(sorted({place for places in lost.values() for place in places}))
        combined = tuple(place for place in who if place not in alone[key])
        found.append(Mistake(key[1], key[0], who, _most(lost), own.get(key[1]) or min(hints[key], key=len), combined))
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
        if verdict.outcome in WRONG and not verdict.hint and not is_rule(verdict.check.id):
            found.setdefault(part_of(verdict), []).append(verdict)
    return found


def _most(checks: Mapping[str, Sequence[int]]) -> dict[str, Who]:
    return {check: tuple(who) for check, who in sorted(checks.items(), key=lambda pair: -len(pair[1]))}

