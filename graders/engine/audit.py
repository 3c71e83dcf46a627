"""How much do the checks miss? Mutants of a solution go down the same road as a student's work; whoever survives is looked at.

A survivor is shown equivalent where all that any probe sees of it is the reference's, under ten more seeds. Where a check fails it under one
of these, it is caught now and then. Any other survivor is a hole: something differs, and no check says so.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from graders.engine.compare import far
from graders.engine.key import Observations, Observes, checks_of, passes
from graders.engine.mutate import Mutant, mutants
from graders.engine.plan import Round, is_rule, probes_of
from graders.model import Array, Check, Kit, Outcome, Part

TRIALS = 10  # more seeds under which a survivor is looked at
EQUAL = 1e-5  # of the largest number; rounding in float32 stays a few times below


@dataclass(frozen=True)
class Survivor:
    """A mutant that no check noticed. `verdict` is equivalent, seldom or hole; `reason` says what was seen."""

    diff: str
    operators: tuple[str, ...]
    verdict: str
    reason: str


@dataclass(frozen=True)
class Audit:
    """The score of one part. `others` counts what other styles of test catch of the same mutants that are not equivalent."""

    part: str
    tried: int
    caught: int
    survivors: tuple[Survivor, ...]
    others: Mapping[str, int]

    @property
    def different(self) -> int:
        """Mutants that are not shown equivalent."""
        return self.tried - sum(survivor.verdict == "equivalent" for survivor in self.survivors)


@dataclass(frozen=True)
class Bench:
    """A kit, workers to run on, and a seed."""

    kit: Kit
    observers: Sequence[Observes]
    seed: int

    def run(self, part: str, texts: Sequence[str], probes: Sequence[str], seed: int) -> list[Observations]:
        """What each text gives in the place of the part, spread over the workers."""
        rounds = [Round({**self.kit.reference.parts, part: Part(part, text, "mistaken")}, tuple(probes)) for text in texts]
        size = -(-len(rounds) // len(self.observers)) or 1
        shares = [rounds[start : start + size] for start in range(0, len(rounds), size)]
        with ThreadPoolExecutor(len(self.observers)) as pool:
            done = pool.map(lambda observer, share: observer.observe_rounds(share, seed), self.observers, shares)
            return [seen for share in done for seen in share]


def audit(bench: Bench, part: str, wanted: int) -> Audit:
    """Try `wanted` mutants of one part, or as many as there are."""
    checks = checks_of(bench.kit, part)
    probes = probes_of(checks)
    solution = bench.kit.reference.parts[part].text
    every = mutants(solution, wanted, bench.seed)
    right, *seen = bench.run(part, [solution, *(mutant.text for mutant in every)], probes, bench.seed)
    alive = [mutant for mutant, one in zip(every, seen, strict=True) if _passes(checks, one, right)]
    void = sum(any(observation.fault and observation.fault.outcome is Outcome.VOID for observation in one.values()) for one in seen)
    survivors = _looked_at(bench, part, checks, alive)
    equivalent = {mutant for mutant, survivor in zip(alive, survivors, strict=True) if survivor.verdict == "equivalent"}
    others = _other_styles(bench, part, checks, [mutant for mutant in every if mutant not in equivalent])
    return Audit(part, len(every) - void, len(every) - void - len(alive), survivors, others)


def _passes(checks: Sequence[Check], seen: Observations, right: Observations) -> bool:
    return all(passes(check, seen[check.probe], right[check.probe]) for check in checks)


def _looked_at(bench: Bench, part: str, checks: Sequence[Check], alive: Sequence[Mutant]) -> tuple[Survivor, ...]:
    """Each survivor with its verdict, from runs under more seeds."""
    solution = bench.kit.reference.parts[part].text
    probes = probes_of(checks)
    found = dict.fromkeys(alive, ("equivalent", f"the same numbers in every probe under {TRIALS} more seeds"))
    for seed in range(bench.seed + 1, bench.seed + 1 + TRIALS) if alive else ():
        right, *seen = bench.run(part, [solution, *(mutant.text for mutant in alive)], probes, seed)
        for mutant, one in zip(alive, seen, strict=True):
            if not _passes(checks, one, right):
                found[mutant] = "seldom", f"caught under seed {seed}, not under {bench.seed}"
            elif found[mutant][0] == "equivalent":
                apart = _apart(one, right)
                found[mutant] = ("hole", apart) if apart else found[mutant]
    return tuple(Survivor(diff(solution, mutant.text), mutant.operators, *found[mutant]) for mutant in alive)


def _apart(seen: Observations, right: Observations) -> str:
    """Where an observation first parts from the reference's, by any measure; empty where nowhere."""
    for probe, expected in right.items():
        for name, array in expected.arrays.items():
            other = seen[probe].arrays.get(name)
            if not _equal(other, array):
                return f"{name} of the probe {probe} differs, within what its checks allow"
        if set(seen[probe].arrays) != set(expected.arrays):
            return f"the probe {probe} gives other arrays"
    return ""


def _equal(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return one is other
    size = float(abs(other.astype(float)).max(initial=0.0)) if other.size else 0.0
    return one.shape == other.shape and not far(one, other, EQUAL, EQUAL * size if size < float("inf") else 0.0).any()


def _other_styles(bench: Bench, part: str, checks: Sequence[Check], every: Sequence[Mutant]) -> Mapping[str, int]:
    """What others' tests would catch: one array of one check of values, once as it was stored, or under three seeds."""
    plain = [check for check in checks if check.compare == "values" and not is_rule(check.id)]
    solution = bench.kit.reference.parts[part].text
    one, other = (bench.run(part, [solution], [check.probe for check in plain], seed)[0] for seed in (bench.seed, bench.seed + 1))
    drawn = [check for check in plain if _apart({check.probe: one[check.probe]}, {check.probe: other[check.probe]})]
    if not plain:
        return {}
    snapshot = _caught(bench, part, plain[0], every, 1)
    return {"a snapshot of one output": snapshot, "allclose on three random inputs": _caught(bench, part, (drawn or plain)[0], every, 3)}


def _caught(bench: Bench, part: str, check: Check, every: Sequence[Mutant], seeds: int) -> int:
    """How many mutants differ in the check's first array, by the tolerance that people use."""
    solution = bench.kit.reference.parts[part].text
    caught: set[Mutant] = set()
    for seed in range(bench.seed, bench.seed + seeds):
        right, *seen = bench.run(part, [solution, *(mutant.text for mutant in every)], (check.probe,), seed)
        usual = replace(check, arrays=(check.arrays or tuple(right[check.probe].arrays))[:1], rtol=1e-4, atol=1e-5)
        caught |= {mutant for mutant, one in zip(every, seen, strict=True) if not _passes((usual,), one, right)}
    return len(caught)


def diff(one: str, other: str) -> str:
    """The lines that differ, with their signs."""
    lines = difflib.unified_diff(one.splitlines(), other.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))
