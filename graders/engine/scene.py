"""What was seen of one part, and whether a known mistake explains it.

A mistake explains a part when every check that failed has the mistake's numbers, and every check that passed has them too and passes for it.
Where nothing explains it all, a single mistake may still explain some of the failed checks: `partly` says when that counts.
No hint is better than a wrong one, so nothing less counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graders.engine.compare import same
from graders.engine.key import Observations, Variant
from graders.engine.plan import probes_of
from graders.model import Check, Observation, Outcome, Verdict

ENOUGH = 100  # numbers in a probe
TELLING = 3  # probes whose numbers must be a mistake's own before it is named for some of the failed checks alone


@dataclass(frozen=True)
class Scene:
    """What was seen of one part: its checks with verdicts, the ids of those that failed, and the observations."""

    part: str
    checks: tuple[Check, ...]
    failed: frozenset[str]
    seen: Observations

    @property
    def probes(self) -> tuple[str, ...]:
        """The probes that these checks read, each once."""
        return probes_of(self.checks)

    @property
    def ids(self) -> frozenset[str]:
        """The checks' ids."""
        return frozenset(check.id for check in self.checks)

    def fails(self, variant: Variant) -> frozenset[str]:
        """Those of these checks that the variant fails."""
        return variant.fails & self.ids

    def alike(self, check: Check, variant: Variant) -> bool:
        """Whether the variant gives what was seen, as far as this check reads it."""
        return same(check, self.seen[check.probe], variant.seen[check.probe])


def scene(part: str, verdicts: Sequence[Verdict], seen: Observations) -> Scene:
    """What was seen, as `explain` takes it."""
    failed = frozenset(verdict.check.id for verdict in verdicts if verdict.outcome is not Outcome.PASSED)
    return Scene(part, tuple(verdict.check for verdict in verdicts), failed, seen)


def fully(here: Scene, variant: Variant) -> bool:
    """Whether the variant explains all that was seen."""
    return here.fails(variant) == here.failed and all(here.alike(check, variant) for check in here.checks)


def partly(here: Scene, variant: Variant) -> bool:
    """True where the mistake's own checks all failed with its numbers, and every check that passed has its numbers too.

    What they have in common must be numbers of several probes: another mistake of the same family may well agree with it in one or two,
    and that two mistakes end in the same exception says little.
    """
    fails = here.fails(variant)
    if not fails or not fails < here.failed:
        return False
    bound = [check for check in here.checks if check.id in fails or check.id not in here.failed]
    telling = {check.probe for check in bound if check.id in fails and check.compare == "values" and not here.seen[check.probe].fault}
    return len(telling) >= TELLING and all(here.alike(check, variant) for check in bound)


def narrowed(here: Scene, failed: int, passed: int) -> Scene:
    """The scene as a few of its probes show it: some that failed, those with numbers first, and some that passed."""
    checks = {probe: [check for check in here.checks if check.probe == probe] for probe in here.probes}

    def order(probe: str) -> tuple[bool, bool, int]:
        telling = any(check.id in here.failed and check.compare == "values" for check in checks[probe]) and not here.seen[probe].fault
        return not telling, *off_enough(here.seen[probe])

    failing = [probe for probe in here.probes if any(check.id in here.failed for check in checks[probe])]
    passing = [probe for probe in here.probes if probe not in failing]
    chosen = {*sorted(failing, key=order)[:failed], *sorted(passing, key=order)[:passed]}
    narrow = replace(here, checks=tuple(check for check in here.checks if check.probe in chosen))
    return replace(narrow, failed=here.failed & narrow.ids)


def off_enough(seen: Observation) -> tuple[bool, int]:
    """How far a probe is from having just enough numbers: with fewer, mistakes look alike; with more, it takes longer."""
    numbers = sum(array.size for array in seen.arrays.values() if array is not None)
    return numbers < ENOUGH, abs(numbers - ENOUGH)
