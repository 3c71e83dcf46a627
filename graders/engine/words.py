"""Every sentence about what was seen. They tell sizes, places and patterns, and never a right output unless the check reveals it."""

from __future__ import annotations

import numpy as np

from graders.engine.compare import Difference
from graders.model import Array, Fault, Outcome

NO_OBSERVATION = "The grader's own worker gave no result for this check. It costs no point; please tell the instructor."


def fault(found: Fault) -> str:
    """What went wrong instead of a result."""
    where = f"{found.part}.py, line {found.line}: " if found.part and found.line else ""
    if found.outcome is Outcome.UNFINISHED:
        return f"{where}{found.text}" if found.text else f"{where}not written yet."
    return f"{where}{found.text}"


def not_handed_in(parts: tuple[str, ...]) -> str:
    """Files that are not there."""
    return f"{' and '.join(f'{part}.py' for part in parts)} {'was' if len(parts) == 1 else 'were'} not handed in."


def difference(found: Difference, reveal: bool = False) -> str:
    """Where and how an array parts from what it should be."""
    name = found.array
    if found.kind == "absent":
        return f"{name}: nothing came out (None) where numbers were expected."
    if found.kind == "extra":
        return f"{name}: a value came out where none was expected."
    if found.kind == "shape":
        return f"{name}: the shape is {_shape(found.seen)}, expected {_shape(found.right)}."
    if found.kind == "nonfinite":
        return f"{name}: {_some(found)} not finite (nan or inf), first at {_place(found.at)}."
    if found.kind in ("unchanged", "changed"):
        return _runs(found)
    return _values(found, reveal)


def _runs(found: Difference) -> str:
    run, place = found.at[0] + 1, _place(found.at[1:])
    if found.kind == "unchanged":
        return f"{found.array}: in run {run} the numbers moved at {place}, where they must stay as they were in the first run."
    return f"{found.array}: in run {run} the numbers did not move at {place}, where they must react."


def _values(found: Difference, reveal: bool) -> str:
    assert found.seen is not None and found.right is not None  # noqa: S101 - a value difference always carries both
    text = f"{found.array}: {_some(found)} wrong" + (f", first at {_place(found.at)}" if found.at else "")
    text += f"; {picture(found.seen, found.right)}."
    if reveal and found.right.size <= 8:
        text += f" Got {_numbers(found.seen)}, expected {_numbers(found.right)}."
    return text


def picture(seen: Array, right: Array) -> str:
    """The difference of two arrays of one shape in words: a common factor, a common offset, a sign, or its size."""
    a, b = seen.astype(np.float64), right.astype(np.float64)
    if not np.isfinite(a).all():
        return f"{np.count_nonzero(~np.isfinite(a))} of them are not finite"
    if not np.isfinite(b).all():
        return "they are finite where infinity or nan is right"
    if not np.any(a) and np.any(b):
        return "all of them are zero"
    used = np.abs(b) > 1e-6 * max(float(np.abs(b).max(initial=0.0)), 1e-30)
    if used.any() and not np.any(a[~used]):
        ratio = a[used] / b[used]
        common = float(np.median(ratio))
        if np.allclose(ratio, common, rtol=1e-3, atol=0) and used.sum() > 1:
            return "the sign is turned everywhere" if np.isclose(common, -1, rtol=1e-3) else f"every number is {common:.4g} times the right one"
        if a.ndim > 1 and used.all() and np.allclose(a / b, (a / b)[..., :1], rtol=1e-3, atol=0):
            return "each row is off by a factor of its own"
    offset = a - b
    if a.size > 1 and np.allclose(offset, np.median(offset), rtol=1e-3, atol=0):
        return f"every number is off by the same amount, {float(np.median(offset)):+.4g}"
    return f"the largest error is {float(np.abs(offset).max(initial=0.0)):.3g}"


def _some(found: Difference) -> str:
    return "the number is" if found.size == 1 else f"{found.count} of {found.size} numbers are"


def _place(at: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, at))}]"


def _shape(array: Array | None) -> str:
    return "none" if array is None else f"[{', '.join(map(str, array.shape))}]"


def _numbers(array: Array) -> str:
    return f"[{', '.join(f'{float(number):.4f}' for number in array.ravel())}]"
