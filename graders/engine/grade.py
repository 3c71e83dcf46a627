"""Grade one submission: run it behind the wall, judge the numbers, name the mistakes."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from graders.engine import clues, match
from graders.engine.fingerprint import fingerprint
from graders.engine.judge import judge, missing
from graders.engine.key import AnswerKey, Observations, Observes, checks_of
from graders.engine.plan import assemble, groups, is_rule, probes_of
from graders.engine.scene import scene
from graders.engine.withheld import without_words
from graders.model import Check, Kit, Outcome, Report, Submission, Verdict


class Observing(Observes, Protocol):
    """The handle on the worker: graders.engine.observer.Observer, or a test's stand-in."""

    @property
    def isolation(self) -> str:
        """Which isolation is in force."""


def grade(submission: Submission, kit: Kit, key: AnswerKey, observer: Observing) -> Report:
    """The report on one submission. A student's mistake is an outcome in it; only the kit's own faults raise (KitError)."""
    start = time.perf_counter()
    right = key.reference(observer)
    here = tuple(check for check in kit.checks if set(check.takes) <= set(submission.parts))
    seen, verdicts, noticed = _observed(submission, kit, here, right, key.seed, observer)
    for check in kit.checks:
        if check.id not in verdicts:
            verdicts[check.id] = missing(check, tuple(part for part in check.takes if part not in submission.parts))
    verdicts = _rules_of_stubs(verdicts)
    verdicts.update(_hinted(kit, verdicts, seen, key, observer))
    return Report(
        label=submission.label,
        verdicts=tuple(verdicts[check.id] for check in kit.checks),
        seed=key.seed,
        isolation=observer.isolation,
        kit_version=kit.version,
        graded=digests(submission),
        seconds=time.perf_counter() - start,
        notes=submission.notes,
        fingerprints={part: word for part in kit.parts if (word := fingerprint([verdicts[check.id] for check in checks_of(kit, part)], seen))},
        tampering=noticed,
    )


def digests(submission: Submission) -> dict[str, str]:
    """By part, the sha256 of the text that is graded."""
    return {name: hashlib.sha256(part.text.encode("utf-8", "surrogatepass")).hexdigest() for name, part in submission.parts.items()}


def _observed(
    submission: Submission, kit: Kit, here: tuple[Check, ...], right: Observations, seed: int, observer: Observing
) -> tuple[Observations, dict[str, Verdict], tuple[str, ...]]:
    """What each probe gives, the verdict on each check, and what was noticed.

    First all of them on the student's own parts, in one process: right work needs no more. Then, alone, each group that may have been hurt
    behind its back by another one's code in the same process (nothing runs before the first group), or by a part that it builds on: that one's
    place is taken by the reference's, and then the process may not speak in words.
    """
    first = observer.observe(submission.parts, probes_of(here), seed)
    seen, noticed = dict(first), list(first.values())
    verdicts = _judged(here, seen, right)

    def outcomes(checks: Iterable[Check]) -> set[Outcome]:
        return {verdicts[check.id].outcome for check in checks}

    for group in groups(kit, here):
        grounded = all(part in submission.parts and outcomes(checks_of(kit, part)) == {Outcome.PASSED} for part in group.foreign)
        alone = not group.foreign and group.checks[0] is here[0]
        if not (grounded and (alone or outcomes(group.checks) <= _SETTLED)):
            again = observer.observe(assemble(submission, kit.reference, group), group.probes, seed)
            seen.update(again)
            noticed += again.values()
            told = without_words(again, first, submission.parts, group.foreign) if group.foreign else again
            verdicts.update(_judged(group.checks, told, right))
    return seen, verdicts, tuple(dict.fromkeys(line for one in noticed for line in one.noticed))[: clues.MOST]


def _judged(checks: tuple[Check, ...], seen: Observations, right: Observations) -> dict[str, Verdict]:
    return {check.id: judge(check, seen.get(check.probe), right[check.probe]) for check in checks}


_SETTLED = {Outcome.PASSED, Outcome.UNFINISHED, Outcome.MISSING}  # no neighbour can have caused these


def _rules_of_stubs(verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """A rule about code that nobody has written yet is unfinished like the rest, not passed."""
    result = dict(verdicts)
    for rule in (verdict for verdict in verdicts.values() if is_rule(verdict.check.id)):
        group = [other for other in verdicts.values() if other.check.takes == rule.check.takes and not is_rule(other.check.id)]
        if group and all(other.outcome is Outcome.UNFINISHED for other in group):
            result[rule.check.id] = replace(rule, outcome=Outcome.UNFINISHED, message=group[0].message)
    return result


def _hinted(kit: Kit, verdicts: Mapping[str, Verdict], seen: Observations, key: AnswerKey, observer: Observing) -> dict[str, Verdict]:
    """The failed verdicts with the hint that explains them, if there is one. Rules are about text, and stand apart."""
    wrong = {check: verdict for check, verdict in verdicts.items() if verdict.outcome in (Outcome.FAILED, Outcome.CRASHED) and not is_rule(check)}
    parts = [part for part in kit.parts if any(verdict.check.takes == (part,) for verdict in wrong.values())]
    told = {part: [verdicts[check.id] for check in checks_of(kit, part) if not is_rule(check.id)] for part in parts}
    own = {part: [verdict for verdict in every if verdict.outcome is not Outcome.VOID] for part, every in told.items()}
    scenes = [scene(part, every, seen) for part, every in own.items() if all(verdict.check.probe in seen for verdict in every)]
    found = match.hints(scenes, key, observer)
    return {check: replace(wrong[check], hint=hint) for check, hint in found.items() if check in wrong}
