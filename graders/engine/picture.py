"""The difference of two arrays of one shape in words: a common factor, a factor by row, coordinate or sample, an offset, a sign, or its size."""

from __future__ import annotations

import numpy as np

from graders.model import Array

CLOSE = 1e-3


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
