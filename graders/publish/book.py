"""The book of hints in a release: a kit goes in; what each known mistake gives in the tries of probes/visible.py comes out, with its hint.

No right number is in it: an entry holds a number of a mistake only where it is far from the solution's, and a gap everywhere else. An
entry for the solution would be nothing but gaps, so there is none. Mistakes with the same wrong numbers share an entry, which has no hint
where there would be too many. Yes and no are never tried: a wrong one would tell the right one.
exercises/_hints.py, which a release holds too, compares.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from graders.engine.cache import Kept, Store, default_folder
from graders.engine.compare import far
from graders.engine.hints import level
from graders.engine.kit import PROBES, mistaken, probe_titles
from graders.engine.observer import Observer
from graders.engine.plan import Round
from graders.model import Array, Fault, Kit, KitError, Observation, Outcome

BOOK, TRIES = "exercises/hints.json", "exercises/_visible.py"  # in a release
SOURCE = "visible"  # the file of probes with the tries
SEEDS = (0, 1)  # what a mistake leaves to chance is different under each
RTOL, ATOL = 1e-2, 1e-3  # ten times what exercises/_hints.py calls near
MOST = 2  # hints of one entry
Seen = dict[str, list[float | str | None] | str]  # by try and tensor


def book(kit: Kit) -> dict[str, bytes]:
    """The files of the book by their paths in a release. None where the kit wants no hints, or has no tries. Raises KitError."""
    wanted, sources = level(kit.root), tries(kit.root)
    if wanted == "none" or not sources:
        return {}
    by_part = _by_part(kit, sources[0])
    store = Store(default_folder(), f"{kit.version} book of hints {SEEDS}")
    seen = store.read(BOOK)
    if seen is None:
        seen = _observe(kit, by_part)
        store.write(BOOK, seen)
    parts = {part: list(_entries(kit, part, seen)) for part in by_part}
    text = json.dumps({"after": 0 if wanted == "always" else wanted, "parts": parts}, ensure_ascii=False, separators=(",", ":"))
    return {BOOK: text.replace('{"seen"', '\n{"seen"').encode() + b"\n", TRIES: sources[0].read_bytes()}


def tries(root: Path) -> tuple[Path, ...]:
    """The kit's file of tries, if it has one."""
    file = root / PROBES / f"{SOURCE}.py"
    return (file,) if file.is_file() else ()


def _by_part(kit: Kit, source: Path) -> Mapping[str, tuple[str, ...]]:
    """For each part the tries whose name begins with its own. Raises KitError for a try of no part."""
    found: dict[str, tuple[str, ...]] = dict.fromkeys(kit.reference.parts, ())
    for name in probe_titles(source):
        part = max((part for part in found if name.startswith(f"{part}_")), key=len, default="")
        if not part:
            raise KitError(f"{source}: {name} begins with no part's name; call it after the part that it tries, such as {next(iter(found))}_{name}")
        found[part] += (f"{SOURCE}.{name}",)
    return {part: probes for part, probes in found.items() if probes}


def _observe(kit: Kit, by_part: Mapping[str, tuple[str, ...]]) -> Kept:
    """What the solution of each part, and each known mistake, gives: under `PART SEED` and `PART MISTAKE SEED`."""
    found: dict[str, Mapping[str, Observation]] = {}
    with Observer(kit) as observer:
        for part, probes in by_part.items():
            texts = {f"{part} {mistake.id}": mistaken(kit, (mistake,)) or {} for mistake in kit.misconceptions if mistake.part == part}
            rounds = [Round({**kit.reference.parts, **edited}, probes) for edited in ({}, *texts.values())]
            for seed in SEEDS:
                names = [f"{name} {seed}" for name in (part, *texts)]
                found |= zip(names, observer.observe_rounds(rounds, seed), strict=True)
    return found


def _entries(kit: Kit, part: str, seen: Kept) -> Iterator[Mapping[str, object]]:
    """What the book says of one part."""
    right = seen[f"{part} {SEEDS[0]}"]
    for probe, one in right.items():
        if one.fault:
            raise KitError(f"{PROBES / SOURCE}.py: the solution fails {probe} ({one.fault.text}); mend the try, or solutions/{part}.py")
    hints: dict[str, list[str]] = {}
    for mistake in kit.misconceptions:
        if mistake.part == part and (wrong := _wrong([seen[f"{part} {mistake.id} {seed}"] for seed in SEEDS], right)):
            told = hints.setdefault(json.dumps(wrong), [])
            told += [mistake.hint] if mistake.hint not in told else []
    for text, told in hints.items():
        yield {"seen": json.loads(text), "hints": told if len(told) <= MOST else []}  # one without a hint keeps others from being told


def _wrong(runs: Sequence[Mapping[str, Observation]], right: Mapping[str, Observation]) -> Seen:
    """What is wrong in each try, and the same in all runs; nothing of what is right."""
    found: Seen = {}
    for probe, one in right.items():
        seen, name = [run[probe] for run in runs], probe.partition(".")[2]
        if any(run.fault for run in seen):
            entries: Seen = {name: _error([run.fault for run in seen])}
        else:
            entries = {f"{name}.{key}": _entry([run.arrays[key] for run in seen], array) for key, array in one.arrays.items()}
        found |= {place: entry for place, entry in entries.items() if entry}
    return found


def _error(faults: Sequence[Fault | None]) -> str:
    """The name of the error that all runs end with; nothing where they end otherwise."""
    names = {fault.text.partition(":")[0] if fault and fault.outcome is Outcome.CRASHED else "" for fault in faults}
    return names.pop() if len(names) == 1 else ""


def _entry(seen: Sequence[Array | None], right: Array | None) -> list[float | str | None] | str:
    """The wrong numbers of one tensor, with gaps; its shape where that is wrong; nothing where it is right or up to chance."""
    shapes = {None if array is None else array.shape for array in seen}
    if right is None or len(shapes) > 1:
        return ""
    first, *others = seen
    if first is None:
        return "None"
    if first.shape != right.shape:  # which of its numbers are right ones in another place nobody can tell
        return " ".join(map(str, first.shape))
    wrong = far(first.ravel(), right.ravel(), RTOL, ATOL)
    for other in others:
        wrong &= other is not None and ~far(other.ravel(), first.ravel(), RTOL / 100, ATOL / 100)
    return [_number(value) if bad else None for value, bad in zip(first.ravel(), wrong, strict=True)] if wrong.any() else ""


def _number(value: float) -> float | str:
    """Five digits, or a word for what JSON has no number for."""
    short = float(f"{value:.5g}")
    return short if math.isfinite(short) else str(short)
