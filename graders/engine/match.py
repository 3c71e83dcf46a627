"""Whose numbers are these? Find the known mistake, or the two at once, that explains all that was seen of a part.

A mistake explains a part when every failed check has the mistake's numbers and every passed check passes for the mistake too.
No hint is better than a wrong one, so nothing less counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

from graders.engine.compare import same
from graders.engine.key import AnswerKey, Observations, Observes, Variant
from graders.model import Check, Hint, Outcome, Verdict

MOST_PAIRS = 24  # pairs tried for one part; the most promising first


def hint(part: str, verdicts: tuple[Verdict, ...], seen: Observations, key: AnswerKey, observer: Observes) -> Hint | None:
    """The hint for the failed checks of one part, or None where nothing known explains them all."""
    failed = frozenset(verdict.check.id for verdict in verdicts if verdict.outcome is not Outcome.PASSED)
    if not any(verdict.outcome in (Outcome.FAILED, Outcome.CRASHED) for verdict in verdicts):
        return None
    checks = tuple(verdict.check for verdict in verdicts)
    singles = key.singles(part, observer)
    for variant in chain(singles, _pairs(singles, failed, checks, seen, key, observer)):  # pairs run only where no single one fits
        if variant.fails == failed == _explained(variant, checks, seen):
            return Hint(tuple(mistake.id for mistake in variant.mistakes), " ".join(mistake.hint for mistake in variant.mistakes))
    return None


def _explained(variant: Variant, checks: tuple[Check, ...], seen: Observations) -> frozenset[str]:
    """Checks that the variant fails with the very numbers that were seen."""
    return frozenset(check.id for check in checks if check.id in variant.fails and same(check, seen[check.probe], variant.seen[check.probe]))


def _pairs(
    singles: tuple[Variant, ...], failed: frozenset[str], checks: tuple[Check, ...], seen: Observations, key: AnswerKey, observer: Observes
) -> Iterator[Variant]:
    """Pairs worth running: each alone fails only checks that failed here, together they fail them all; best matching first."""
    fitting = [variant for variant in singles if variant.fails and variant.fails <= failed]
    alone = {variant.mistakes[0].id: _explained(variant, checks, seen) for variant in fitting}
    pairs = [pair for pair in combinations(fitting, 2) if pair[0].fails | pair[1].fails == failed]
    pairs.sort(key=lambda pair: -len(alone[pair[0].mistakes[0].id] | alone[pair[1].mistakes[0].id]))
    if pairs:
        yield from key.variants(pairs[0][0].mistakes[0].part, [(*one.mistakes, *other.mistakes) for one, other in pairs[:MOST_PAIRS]], observer)
