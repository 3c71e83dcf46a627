"""Whose numbers are these? Find the known mistake, or the two at once, that explains what was seen of a part.

A mistake explains a part when every check that failed has the mistake's numbers, and every check that passed has them too and passes for it.
Where nothing explains it all, a single mistake may still explain some of the failed checks: `_partly` says when that counts.
No hint is better than a wrong one, so nothing less counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

import numpy as np

from graders.engine.compare import same
from graders.engine.key import AnswerKey, Observations, Observes, Variant
from graders.engine.plan import probes_of
from graders.model import Array, Check, Hint, Misconception, Outcome, Verdict

ALL = 1000
# How the search widens: probes that failed and probes that passed, which are run of every single mistake, and pairs of which one probe is run.
STAGES = ((1, 0, 0), (4, 2, 60), (ALL, ALL, 500))
PIECE = 30  # single mistakes that are run at a time
MOST_PAIRS = 24  # pairs of which every probe is run: those whose one probe gave what was seen
TELLING = 3  # probes whose numbers must be a mistake's own before it is named for some of the failed checks alone
OTHERS = "The other checks of this part that failed have another reason, which is not known."


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


def hints(part: str, verdicts: Sequence[Verdict], seen: Observations, key: AnswerKey, observer: Observes) -> Mapping[str, Hint]:
    """The hint for each check of one part that a known mistake explains, by the check's id. Empty where nothing is known."""
    if not any(verdict.outcome in (Outcome.FAILED, Outcome.CRASHED) for verdict in verdicts):
        return {}
    return explain(scene(part, verdicts, seen), key.alone(part), key, observer)


def scene(part: str, verdicts: Sequence[Verdict], seen: Observations) -> Scene:
    """What was seen, as `explain` takes it."""
    failed = frozenset(verdict.check.id for verdict in verdicts if verdict.outcome is not Outcome.PASSED)
    return Scene(part, tuple(verdict.check for verdict in verdicts), failed, seen)


def explain(here: Scene, known: Sequence[tuple[Misconception, ...]], key: AnswerKey, observer: Observes) -> Mapping[str, Hint]:
    """The hints, where these single mistakes are known.

    One probe is run of each at first, then a few, then all, and whole only what these leave possible: single ones before pairs.
    """
    if not here.failed:
        return {}
    for failing, passing, pairs in STAGES:
        narrow = _narrowed(here, failing, passing)
        for variant in chain(_alone(here, narrow, known, key, observer), _pairs(here, narrow, known, pairs, key, observer)):
            if fully(here, variant):
                return dict.fromkeys(here.failed, _hint(variant))
    partly = [variant for variant in key.variants(here.part, known, observer) if _partly(here, variant)]
    if partly:
        best = max(partly, key=lambda variant: len(here.fails(variant)))
        return dict.fromkeys(here.fails(best), _hint(best, OTHERS))
    return {}


def _alone(here: Scene, narrow: Scene, known: Sequence[tuple[Misconception, ...]], key: AnswerKey, observer: Observes) -> Iterator[Variant]:
    """The single mistakes that give what was seen as far as the narrow scene shows it. Piece by piece, for the right one may be in the first."""
    for start in range(0, len(known), PIECE):
        few = key.variants(here.part, known[start : start + PIECE], observer, narrow.probes)
        yield from key.variants(here.part, [variant.mistakes for variant in few if fully(narrow, variant)], observer)


def _narrowed(here: Scene, failed: int, passed: int) -> Scene:
    """The scene as the quickest of its probes show it: some that failed, those with numbers first, and some that passed."""
    checks = {probe: [check for check in here.checks if check.probe == probe] for probe in here.probes}

    def order(probe: str) -> tuple[bool, float]:
        telling = any(check.id in here.failed and check.compare == "values" for check in checks[probe]) and not here.seen[probe].fault
        return not telling, here.seen[probe].seconds

    failing = [probe for probe in here.probes if any(check.id in here.failed for check in checks[probe])]
    passing = [probe for probe in here.probes if probe not in failing]
    chosen = {*sorted(failing, key=order)[:failed], *sorted(passing, key=order)[:passed]}
    narrow = replace(here, checks=tuple(check for check in here.checks if check.probe in chosen))
    return replace(narrow, failed=here.failed & narrow.ids)


def _hint(variant: Variant, *more: str) -> Hint:
    return Hint(tuple(mistake.id for mistake in variant.mistakes), " ".join([*(mistake.hint for mistake in variant.mistakes), *more]))


def fully(here: Scene, variant: Variant) -> bool:
    """Whether the variant explains all that was seen."""
    return here.fails(variant) == here.failed and all(here.alike(check, variant) for check in here.checks)


def _partly(here: Scene, variant: Variant) -> bool:
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


def _pairs(
    here: Scene, narrow: Scene, known: Sequence[tuple[Misconception, ...]], most: int, key: AnswerKey, observer: Observes
) -> Iterator[Variant]:
    """Pairs worth running whole: of the most promising ones, those that give what was seen in one telling probe."""
    if not most:
        return
    singles = key.variants(here.part, known, observer, narrow.probes)
    alike = np.array([[narrow.alike(check, variant) for check in narrow.checks] for variant in singles]).reshape(len(singles), len(narrow.checks))
    wanted = [(*singles[one].mistakes, *singles[other].mistakes) for one, other in _promising(narrow, singles, alike)[:most]]
    check = _telling(narrow, alike)
    glances = key.variants(here.part, wanted, observer, (check.probe,))
    found = [variant.mistakes for variant in glances if same(check, here.seen[check.probe], variant.seen[check.probe])]
    yield from key.variants(here.part, found[:MOST_PAIRS], observer)


def _promising(here: Scene, singles: Sequence[Variant], alike: Array) -> list[tuple[int, int]]:
    """The pairs in order of how many checks speak against them, as far as two mistakes leave each other alone.

    A check that one of them fails should have its numbers, one that both fail should have failed, and any other should have passed.
    """
    fails = np.array([[check.id in variant.fails for check in here.checks] for variant in singles]).reshape(alike.shape)
    failed = np.array([check.id in here.failed for check in here.checks])
    pairs = [(one, other) for one, other in combinations(range(len(singles)), 2) if fails[one].any() and fails[other].any()]
    if not pairs:
        return []
    one, other = np.array(pairs).T
    first, second = fails[one], fails[other]
    against = np.where(first & second, ~failed, np.where(first, ~alike[one], np.where(second, ~alike[other], failed)))
    return [pairs[place] for place in np.argsort(against.sum(axis=1), kind="stable")]


def _telling(here: Scene, alike: Array) -> Check:
    """The failed check to look at first: one with numbers, that few single mistakes give, and of these the quickest."""
    failed = [place for place, check in enumerate(here.checks) if check.id in here.failed]

    def order(place: int) -> tuple[bool, int, float]:
        check = here.checks[place]
        seen = here.seen[check.probe]
        return check.compare != "values" or seen.fault is not None, int(alike[:, place].sum()), seen.seconds

    return here.checks[min(failed, key=order)]
