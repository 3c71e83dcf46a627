"""Whose numbers are these? Find the known mistake, or the two at once, that explains what was seen of a part.

A mistake explains a part when every check that failed has the mistake's numbers, and every check that passed has them too and passes for it.
Where nothing explains it all, a single mistake may still explain some of the failed checks: `_partly` says when that counts.
No hint is better than a wrong one, so nothing less counts.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from graders.engine.compare import same
from graders.engine.key import AnswerKey, Observations, Observes, Question, Variant
from graders.engine.plan import probes_of
from graders.model import Array, Check, Hint, Misconception, Observation, Outcome, Verdict

ALL = 1000
ENOUGH = 100  # numbers in a probe
# How the search widens: probes that failed and probes that passed, which are run of every single mistake, and pairs of which one probe is run.
STAGES = ((1, 0, 0), (4, 2, 60), (ALL, ALL, 500))
PIECE = 40  # single mistakes that are run at a time, for the right one may be among the first
MOST_PAIRS = 24  # pairs of which every probe is run: those whose one probe gave what was seen
TELLING = 3  # probes whose numbers must be a mistake's own before it is named for some of the failed checks alone
OTHERS = "The other checks of this part that failed have another reason, which is not known."

# A search asks a question, is sent the answer, and so on until it knows.
Candidates = Generator[Question, tuple[Variant, ...], tuple[Variant, ...]]
Search = Generator[Question, tuple[Variant, ...], Mapping[str, Hint]]


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


def hints(scenes: Sequence[Scene], key: AnswerKey, observer: Observes) -> Mapping[str, Hint]:
    """The hint for each check that a known mistake of its part explains, by the check's id."""
    return together([explain(here, key.alone(here.part)) for here in scenes], key, observer)


def together(searches: Sequence[Search], key: AnswerKey, observer: Observes) -> Mapping[str, Hint]:
    """What all searches find. What they ask at the same time is run together, for to start a process takes as long as many a mistake."""
    found: dict[str, Hint] = {}
    asking: list[tuple[Search, tuple[Variant, ...] | None]] = [(search, None) for search in searches]
    while asking:
        going = []
        for search, answer in asking:
            try:
                going.append((search, next(search) if answer is None else search.send(answer)))
            except StopIteration as end:
                found |= end.value
        answers = key.answers([question for _, question in going], observer)
        asking = [(search, answer) for (search, _), answer in zip(going, answers, strict=True)]
    return found


def scene(part: str, verdicts: Sequence[Verdict], seen: Observations) -> Scene:
    """What was seen, as `explain` takes it."""
    failed = frozenset(verdict.check.id for verdict in verdicts if verdict.outcome is not Outcome.PASSED)
    return Scene(part, tuple(verdict.check for verdict in verdicts), failed, seen)


def explain(here: Scene, known: Sequence[tuple[Misconception, ...]]) -> Search:
    """Search for the hints, where these single mistakes are known.

    One probe is run of each at first, then a few, then all, and whole only what these leave possible: single ones before pairs.
    """
    if not here.failed:
        return {}
    for failing, passing, pairs in STAGES:
        narrow = _narrowed(here, failing, passing)
        pieces = (known[start : start + PIECE] for start in range(0, len(known), PIECE))
        for candidates in (*(_alone(here, narrow, piece) for piece in pieces), _pairs(here, narrow, known, pairs)):
            for variant in (yield from candidates):
                if fully(here, variant):
                    return dict.fromkeys(here.failed, _hint(variant))
    whole = yield Question(here.part, tuple(known))
    partly = [variant for variant in whole if _partly(here, variant)]
    if partly:
        best = max(partly, key=lambda variant: len(here.fails(variant)))
        return dict.fromkeys(here.fails(best), _hint(best, OTHERS))
    return {}


def _alone(here: Scene, narrow: Scene, known: Sequence[tuple[Misconception, ...]]) -> Candidates:
    """The single mistakes that give what was seen as far as the narrow scene shows it."""
    few = yield Question(here.part, tuple(known), narrow.probes)
    return (yield from _whole(here, [variant.mistakes for variant in few if fully(narrow, variant)]))


def _whole(here: Scene, wanted: Sequence[tuple[Misconception, ...]]) -> Candidates:
    return (yield Question(here.part, tuple(wanted))) if wanted else ()


def _narrowed(here: Scene, failed: int, passed: int) -> Scene:
    """The scene as a few of its probes show it: some that failed, those with numbers first, and some that passed."""
    checks = {probe: [check for check in here.checks if check.probe == probe] for probe in here.probes}

    def order(probe: str) -> tuple[bool, bool, int]:
        telling = any(check.id in here.failed and check.compare == "values" for check in checks[probe]) and not here.seen[probe].fault
        return not telling, *_off_enough(here.seen[probe])

    failing = [probe for probe in here.probes if any(check.id in here.failed for check in checks[probe])]
    passing = [probe for probe in here.probes if probe not in failing]
    chosen = {*sorted(failing, key=order)[:failed], *sorted(passing, key=order)[:passed]}
    narrow = replace(here, checks=tuple(check for check in here.checks if check.probe in chosen))
    return replace(narrow, failed=here.failed & narrow.ids)


def _off_enough(seen: Observation) -> tuple[bool, int]:
    """How far a probe is from having just enough numbers: with fewer, mistakes look alike; with more, it takes longer."""
    numbers = sum(array.size for array in seen.arrays.values() if array is not None)
    return numbers < ENOUGH, abs(numbers - ENOUGH)


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


def _pairs(here: Scene, narrow: Scene, known: Sequence[tuple[Misconception, ...]], most: int) -> Candidates:
    """Pairs worth running whole: of the most promising ones, those that give what was seen in one telling probe."""
    if not most:
        return ()
    singles = yield Question(here.part, tuple(known), narrow.probes)
    alike = np.array([[narrow.alike(check, variant) for check in narrow.checks] for variant in singles]).reshape(len(singles), len(narrow.checks))
    wanted = [(*singles[one].mistakes, *singles[other].mistakes) for one, other in _promising(narrow, singles, alike)[:most]]
    check = _telling(narrow, alike)
    glances = yield Question(here.part, tuple(wanted), (check.probe,))
    found = [variant.mistakes for variant in glances if same(check, here.seen[check.probe], variant.seen[check.probe])]
    return (yield from _whole(here, found[:MOST_PAIRS]))


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
    """The failed check to look at first: one with numbers, that few single mistakes give, and of these one with enough of them."""
    failed = [place for place, check in enumerate(here.checks) if check.id in here.failed]

    def order(place: int) -> tuple[bool, int, bool, int]:
        check = here.checks[place]
        seen = here.seen[check.probe]
        return check.compare != "values" or seen.fault is not None, int(alike[:, place].sum()), *_off_enough(seen)

    return here.checks[min(failed, key=order)]
