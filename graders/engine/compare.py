"""Compare two observations of one probe as a check asks: plain numbers against plain numbers, no torch.

In: what came from the student, what came from the reference. Out: None where they agree, else a Difference.
NaN equals NaN and infinity equals infinity where values are compared; no rule broadcasts: shapes must match.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graders.model import Array, Check, Fault, Observation


@dataclass(frozen=True)
class Difference:
    """Where an array first parts from what it should be. `kind` says in which way; `at` is the index of the first place."""

    array: str
    kind: str
    at: tuple[int, ...] = ()
    count: int = 0
    size: int = 0
    seen: Array | None = None
    right: Array | None = None


def difference(check: Check, seen: Observation, right: Observation) -> Difference | None:
    """The first difference that matters to this check."""
    for name in check.arrays or right.arrays:
        found = _array(check, name, seen.arrays.get(name), right.arrays.get(name))
        if found is not None:
            return found
    if not check.arrays and check.compare == "values":
        for name in seen.arrays:
            if name not in right.arrays:
                return Difference(name, "extra")
    return None


def split(check: Check, seen: Observation, right: Observation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the arrays that are wrong by this check's measure, and of those that are right."""
    names = check.arrays or tuple(right.arrays)
    wrong = tuple(name for name in names if _array(check, name, seen.arrays.get(name), right.arrays.get(name)) is not None)
    return wrong, tuple(name for name in names if name not in wrong)


def same(check: Check, one: Observation, other: Observation) -> bool:
    """True where two observations hold the same numbers, or the same fault: whether a mistake explains what was seen."""
    if one.fault or other.fault:
        return bool(one.fault and other.fault and one.fault.outcome is other.fault.outcome and _kind(one.fault) == _kind(other.fault))
    names = check.arrays or tuple(other.arrays)
    return all(_alike(check, one.arrays.get(name), other.arrays.get(name)) for name in names)


def _kind(fault: Fault) -> str:
    """The exception's class, which two runs of one mistake share whatever their texts say of sizes."""
    return fault.text.split(":")[0]


def _alike(check: Check, one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return one is other
    # A check without a tolerance of its own still meets rounding when two runs of floats are compared.
    return one.shape == other.shape and not far(one, other, max(check.rtol, 1e-4), max(check.atol, 1e-6)).any()


def far(seen: Array, right: Array, rtol: float, atol: float) -> Array:
    """Where two arrays differ by more than atol + rtol * |right|. Shapes match, or `right` is one run for all of `seen`."""
    a, b = seen.astype(np.float64), right.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(a - b)
        close = distance <= atol + rtol * np.abs(b)
    if close.all() and np.isfinite(distance.max(initial=0.0)):
        return np.asarray(~close)  # the common case: nothing odd, nothing far
    close &= np.isfinite(a) & np.isfinite(b)
    close |= (a == b) | (np.isnan(a) & np.isnan(b))  # an infinity equals its own kind only
    return np.asarray(~close)


def _array(check: Check, name: str, seen: Array | None, right: Array | None) -> Difference | None:
    if right is None:
        return None if seen is None else Difference(name, "extra")
    if seen is None:
        return None if check.compare == "finite" else Difference(name, "absent")
    if seen.shape == right.shape and seen.dtype == right.dtype and seen.tobytes() == right.tobytes():
        return None  # bit for bit the same: right in every way
    if check.compare in ("values", "shapes") and seen.shape != right.shape:
        return Difference(name, "shape", seen=seen, right=right)
    if check.compare == "shapes":
        return None
    if check.compare == "values":
        return _first(name, "value", far(seen, right, check.rtol, check.atol), seen, right)
    if check.compare == "finite":
        return _finite(name, seen, right)
    return _runs(check, name, seen, right)


def _finite(name: str, seen: Array, right: Array) -> Difference | None:
    wrong = ~np.isfinite(seen.astype(np.float64))
    if seen.shape == right.shape:
        wrong &= np.isfinite(right.astype(np.float64))
    return _first(name, "nonfinite", wrong, seen, right)


def _runs(check: Check, name: str, seen: Array, right: Array) -> Difference | None:
    """Compare each later run with the first one, position by position; the last axis may have another width."""
    if seen.ndim != right.ndim or seen.shape[:-1] != right.shape[:-1]:
        return Difference(name, "shape", seen=seen, right=right)
    broken = _finite(name, seen, right)
    if broken is not None:
        return broken
    moved = far(seen[1:], seen[:1], check.rtol, check.atol).any(axis=-1)
    should = far(right[1:], right[:1], check.rtol, check.atol).any(axis=-1)
    wrong = np.asarray(moved & ~should if check.compare == "unchanged" else ~moved & should)
    return _first(name, check.compare, wrong, seen, right)


def _first(name: str, kind: str, wrong: Array, seen: Array, right: Array) -> Difference | None:
    count = int(np.count_nonzero(wrong))
    if not count:
        return None
    at = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape)) if wrong.ndim else ()
    return Difference(name, kind, at, count, int(wrong.size), seen, right)
