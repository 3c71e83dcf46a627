"""One short word for what was seen of a part, the same for all students whose failed checks have the same numbers.

Of each array it keeps the logarithm of its size and three projections, in steps of about one in a hundred. Right ways of computing one
thing differ by a few in ten million, so that in one pair of ten thousand a number falls on two sides of a step. Numbers depend on
the seed: only reports under one seed can be compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from graders.engine.key import Observations
from graders.engine.plan import is_rule
from graders.model import Array, Fault, Outcome, Verdict

WRONG = (Outcome.FAILED, Outcome.CRASHED)
STEPS = 100  # a unit of a projection, and of a natural logarithm


def fingerprint(verdicts: Sequence[Verdict], seen: Observations) -> str:
    """The fingerprint of one part's verdicts, rules aside; empty where nothing failed."""
    wrong = [verdict for verdict in verdicts if verdict.outcome in WRONG and not is_rule(verdict.check.id) and verdict.check.probe in seen]
    words = [word for verdict in wrong for word in _words(verdict, seen)]
    return hashlib.sha256("\n".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16] if words else ""


def _words(verdict: Verdict, seen: Observations) -> Iterator[str]:
    observation = seen[verdict.check.probe]
    yield f"{verdict.check.id} {verdict.outcome.value}"
    if observation.fault:
        yield _kind(observation.fault)
        return
    for name in verdict.check.arrays or sorted(observation.arrays):
        array = observation.arrays.get(name)
        yield f"{name} {'none' if array is None else ' '.join(map(str, _numbers(array)))}"


def _kind(fault: Fault) -> str:
    return fault.text.split(":", maxsplit=1)[0]


def _numbers(array: Array) -> Iterable[object]:
    """The shape, how many are not finite, the size, and how the array lies to three fixed directions."""
    values = array.astype(np.float64).ravel()
    finite = np.isfinite(values)
    values = np.where(finite, values, 0)
    size = float(np.sqrt(np.sum(values**2)))
    yield array.shape
    yield int(np.count_nonzero(~finite))
    if size < 1e-6:  # noise around zero has no direction
        return
    yield round(STEPS * float(np.log(size)))
    for turn in (1.0, 2.3, 3.7):
        yield round(STEPS * float(np.cos(turn * np.arange(1, values.size + 1)) @ values) / size)
