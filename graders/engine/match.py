"""Whose numbers are these? Search for the known mistake, or the two at once, that explains what was seen of a part.

A search asks questions of the answer key, from cheap ones to dear ones, and never runs anything itself.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from itertools import combinations

import numpy as np

from graders.engine.compare import same
from graders.engine.key import AnswerKey, Observes, Question, Variant
from graders.engine.scene import Scene, fully, narrowed, off_enough, partly
from graders.model import Array, Check, Hint, Misconception

ALL = 1000
# How the search widens: probes that failed and probes that passed, which are run of every single mistake, and pairs of which one probe is run.
STAGES = ((1, 0, 0), (4, 2, 60), (ALL, ALL, 500))
PIECE = 40  # single mistakes that are run at a time, for the right one may be among the first
MOST_PAIRS = 24  # pairs of which every probe is run: those whose one probe gave what was seen
OTHERS = "The other checks of this part that failed have another reason, which is not known."

# A search asks a question, is sent the answer, and so on until it knows.
Candidates = Generator[Question, tuple[Variant, ...], tuple[Variant, ...]]
Search = Generator[Question, tuple[Variant, ...], Mapping[str, Hint]]


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


def explain(here: Scene, known: Sequence[tuple[Misconception, ...]]) -> Search:
    """Search for the hints, where these single mistakes are known.

    One probe is run of each at first, then a few, then all, and whole only what these leave possible: single ones before pairs.
    """
    if not here.failed:
        return {}
    for failing, passing, pairs in STAGES:
        narrow = narrowed(here, failing, passing)
        pieces = (known[start : start + PIECE] for start in range(0, len(known), PIECE))
        for candidates in (*(_alone(here, narrow, piece) for piece in pieces), _pairs(here, narrow, known, pairs)):
            for variant in (yield from candidates):
                if fully(here, variant):
                    return dict.fromkeys(here.failed, _hint(variant))
    whole = yield Question(here.part, tuple(known))
    some = [variant for variant in whole if partly(here, variant)]
    if some:
        best = max(some, key=lambda variant: len(here.fails(variant)))
        return dict.fromkeys(here.fails(best), _hint(best, OTHERS))
    return {}


def _alone(here: Scene, narrow: Scene, known: Sequence[tuple[Misconception, ...]]) -> Candidates:
    """The single mistakes that give what was seen as far as the narrow scene shows it."""
    few = yield Question(here.part, tuple(known), narrow.probes)
    return (yield from _whole(here, [variant.mistakes for variant in few if fully(narrow, variant)]))


def _whole(here: Scene, wanted: Sequence[tuple[Misconception, ...]]) -> Candidates:
    return (yield Question(here.part, tuple(wanted))) if wanted else ()


def _hint(variant: Variant, *more: str) -> Hint:
    return Hint(tuple(mistake.id for mistake in variant.mistakes), " ".join([*(mistake.hint for mistake in variant.mistakes), *more]))


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
        return check.compare != "values" or seen.fault is not None, int(alike[:, place].sum()), *off_enough(seen)

    return here.checks[min(failed, key=order)]
