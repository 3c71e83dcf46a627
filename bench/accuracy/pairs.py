"""Two mistakes of one part at once: are both named."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import replace
from itertools import combinations

from bench.accuracy.scene import Bench, table
from graders.engine import match
from graders.engine.key import Variant
from graders.engine.kit import mistaken
from graders.engine.scene import Scene


def pairs(bench: Bench, wanted: int, seed: int) -> None:
    """Two mistakes of one part at once: are both named."""
    print("== pairs", flush=True)
    count: Counter[str] = Counter()
    every = [pair for pair in combinations(bench.kit.misconceptions, 2) if pair[0].part == pair[1].part and mistaken(bench.kit, pair)]
    for pair in random.Random(seed).sample(every, wanted):
        part = pair[0].part
        [variant] = bench.keys[0].variants(part, [pair], bench.observer)
        start = time.perf_counter()
        outcome = _pair(bench, variant)
        count[outcome] += 1
        if outcome != "both named":
            print(f"   {outcome}: {part} {variant.name} {time.perf_counter() - start:.1f} s", flush=True)
    own_numbers = sum(number for outcome, number in count.items() if not outcome.startswith("not its own"))
    table(count)
    print(f"   both named: {count['both named']} of {own_numbers} = {count['both named'] / max(own_numbers, 1):.1%}")


def _pair(bench: Bench, variant: Variant) -> str:
    part = variant.mistakes[0].part
    here = Scene(part, bench.checks(part), frozenset(), variant.seen)
    here = replace(here, failed=here.fails(variant))
    hints = match.hints([here], bench.keys[0], bench.observer)
    if not hints:
        return "not its own: nothing fails" if not here.failed else "no name"
    hint = next(iter(hints.values()))
    names, right = set(hint.misconceptions), {mistake.id for mistake in variant.mistakes}
    if names == right:
        return "both named"
    if match.OTHERS in hint.text:
        return "one of them named" if names < right else "wrong name for a part"
    return f"not its own: {'a single one has' if len(names) == 1 else 'two others have'} the same numbers"
