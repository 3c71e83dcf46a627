"""A process that held a solution's part says nothing in words of its own: it could say what it read there.

In: what came from such a process, and what the same probes gave before without the solution. Out: the same with faults told by their kind,
place and the kit's own words. Numbers and outcomes pass, for points depend on them; a few bits a check are all that they can carry.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Mapping
from dataclasses import replace

from graders.model import Fault, Observation, Outcome, Part

KINDS = frozenset(name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException))
OURS = (Outcome.TIMED_OUT, Outcome.VOID)  # said on this side of the wall, always


def without_words(
    after: Mapping[str, Observation], before: Mapping[str, Observation], own: Mapping[str, Part], foreign: Collection[str]
) -> dict[str, Observation]:
    """`after`, where faults keep their words only if the run before, without the solution's parts (`foreign`), said the same."""
    return {probe: _guarded(one, before.get(probe), own, foreign) for probe, one in after.items()}


def _guarded(one: Observation, before: Observation | None, own: Mapping[str, Part], foreign: Collection[str]) -> Observation:
    fault = one.fault
    if fault is None or fault.outcome in OURS or (before and before.fault and before.fault.text == fault.text):
        return one
    kind = fault.text.partition(":")[0]
    stands = " and ".join(sorted(foreign))
    text = f"{kind if kind in KINDS else 'an error'}: its words are left out, for a right {stands} stood in for yours"
    known = fault.part in own and fault.part not in foreign and 0 < fault.line <= own[fault.part].text.count("\n") + 1
    return replace(one, fault=Fault(fault.outcome, text, fault.part if known else "", fault.line if known else 0))
