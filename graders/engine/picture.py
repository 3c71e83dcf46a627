"""The difference of two arrays of one shape in words: a common factor, a factor by row, coordinate or sample, an offset, a sign, or its size."""

from __future__ import annotations

import numpy as np

from graders.engine.compare import Difference, far
from graders.model import Array, Check, Observation

CLOSE = 1e-3
WIDEST, TALLEST = 12, 12  # of a table that is read at a glance
MOVED, STAYED = "moved", "stayed"
MUST_STAY, MUST_MOVE = "moved, must stay", "stayed, must move"  # what is wrong, by what is asked


def picture(seen: Array, right: Array) -> str:
    """The first pattern that fits, from the simplest on. No right number is told."""
    a, b = seen.astype(np.float64), right.astype(np.float64)
    if not np.isfinite(a).all():
        return f"{np.count_nonzero(~np.isfinite(a))} of them are not finite"
    if not np.isfinite(b).all():
        return "they are finite where infinity or nan is right"
    if not np.any(a) and np.any(b):
        return "all of them are zero"
    return _factor(a, b) or _offset(a, b) or f"the largest error is {float(np.abs(a - b).max(initial=0.0)):.3g}"


def _factor(a: Array, b: Array) -> str:
    used = np.abs(b) > 1e-6 * max(float(np.abs(b).max(initial=0.0)), 1e-30)
    if used.sum() < 2 or np.any(a[~used]):
        return ""
    ratio = a[used] / b[used]
    common = float(np.median(ratio))
    if np.allclose(ratio, common, rtol=CLOSE, atol=0):
        return "the sign is turned everywhere" if np.isclose(common, -1, rtol=CLOSE) else f"every number is {common:.4g} times the right one"
    if np.allclose(np.abs(ratio), 1, rtol=CLOSE, atol=0):
        return f"the sign is turned in {np.count_nonzero(ratio < 0)} of them, and the sizes are right"
    return _factors(a / b) if used.all() else ""


def _factors(ratio: Array) -> str:
    """Along which axes the ratio to the right numbers is the same."""
    if ratio.ndim > 2 and _same(ratio, tuple(range(1, ratio.ndim))):
        return "each sample is off by a factor of its own, the same for all its rows"
    if ratio.ndim > 1 and _same(ratio, (-1,)):
        return "each row is off by a factor of its own"
    if ratio.ndim > 1 and _same(ratio, tuple(range(ratio.ndim - 1))):
        return "each coordinate is off by a factor of its own, the same in all rows"
    return ""


def _same(ratio: Array, axes: tuple[int, ...]) -> bool:
    one = np.median(ratio, axis=axes, keepdims=True)
    return any(ratio.shape[axis] > 1 for axis in axes) and bool(np.allclose(ratio, one, rtol=CLOSE, atol=0))


def _offset(a: Array, b: Array) -> str:
    offset = a - b
    if a.size > 1 and np.allclose(offset, np.median(offset), rtol=CLOSE, atol=0):
        return f"every number is off by the same amount, {float(np.median(offset)):+.4g}"
    return ""


def table(found: Difference, check: Check) -> tuple[tuple[str, ...], ...]:
    """Which outputs moved in which run, position by position, and where that is wrong; nothing where it is no table of some size.

    Only the student's own outputs and the places of what is wrong are in it. A position of several texts moved where it did in one of them.
    """
    if found.kind not in ("unchanged", "changed") or found.seen is None or found.right is None or found.seen.ndim < 3:
        return ()
    moved = far(found.seen[1:], found.seen[:1], check.rtol, check.atol).any(axis=-1)  # [R - 1, ..., P]
    should = far(found.right[1:], found.right[:1], check.rtol, check.atol).any(axis=-1)
    wrong = moved & ~should if found.kind == "unchanged" else ~moved & should
    between = tuple(range(1, moved.ndim - 1))
    moved, wrong = np.any(moved, axis=between), np.any(wrong, axis=between)  # [R - 1, P]
    if not (2 <= moved.shape[0] <= TALLEST and 2 <= moved.shape[1] <= WIDEST):
        return ()
    axis = check.axes[-2] if len(check.axes) == found.seen.ndim - 1 else "position"
    odd = MUST_STAY if found.kind == "unchanged" else MUST_MOVE
    words = np.where(wrong, odd, np.where(moved, MOVED, STAYED))
    rows = [check.runs.format(run) if check.runs else f"run {run + 2}" for run in range(len(words))]
    heads = ("", *(f"{axis} {place}" for place in range(words.shape[1])))
    return heads, *((row, *map(str, cells)) for row, cells in zip(rows, words, strict=True))


def path(seen: Observation) -> tuple[tuple[str, ...], ...]:
    """How large a gradient is on its way, from the input to the output: the student's own numbers, where a probe gives a `path` [depths + 1]."""
    sizes = seen.arrays.get("path")
    if sizes is None or sizes.ndim != 1 or len(sizes) < 2:
        return ()
    last = len(sizes) - 1
    places = range(0, last + 1, -(-last // TALLEST))
    rows = [(f"after {place} blocks" if place else "at the input", f"{float(sizes[place]):.1e}") for place in sorted({*places, last})]
    return ("", "size of the gradient"), *rows
