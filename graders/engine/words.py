"""Every sentence about what was seen. They tell sizes, places and patterns, and never a right output unless the check reveals it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graders.engine.compare import Difference
from graders.engine.picture import picture
from graders.model import Array, Check, Fault, Outcome

NO_OBSERVATION = "The grader's own worker gave no result for this check. It costs no point; please tell the instructor."
MOST_NAMES = 8


def fault(found: Fault) -> str:
    """What went wrong instead of a result."""
    where = f"{found.part}.py, line {found.line}: " if found.part and found.line else ""
    if found.outcome is Outcome.UNFINISHED:
        return f"{where}{found.text}" if found.text else f"{where}not written yet."
    return f"{where}{found.text}"


def not_handed_in(parts: tuple[str, ...]) -> str:
    """Files that are not there."""
    return f"{' and '.join(f'{part}.py' for part in parts)} {'was' if len(parts) == 1 else 'were'} not handed in."


def difference(found: Difference, check: Check) -> str:
    """Where and how an array parts from what it should be."""
    name = found.array
    if found.kind == "absent":
        return f"{name}: nothing came out (None) where numbers were expected."
    if found.kind == "extra":
        return f"{name}: a value came out where none was expected."
    if found.kind in ("shape", "value") and _is_answer(found.right):
        return f"{name}: the answer is wrong."
    if found.kind == "shape":
        return f"{name}: the shape is {_shape(found.seen)}, expected {_shape(found.right)}{_axes(found.right, check.axes)}."
    if found.kind == "nonfinite":
        return f"{name}: {_some(found)} not finite (nan or inf), first at {_place(found.at, check.axes)}."
    if found.kind in ("unchanged", "changed"):
        return _runs(found, check)
    return _values(found, check)


def others(first: str, wrong: Sequence[str], right: Sequence[str]) -> str:
    """Which other arrays are wrong too and which are right: where one parameter is wrong, it matters that the rest is not."""
    rest = [name for name in wrong if name != first]
    if len(wrong) + len(right) > MOST_NAMES + 1 or len(wrong) + len(right) < 2:
        return ""
    text = f" Wrong too: {', '.join(rest)}." if rest else ""
    return text + (f" Right: {', '.join(right)}." if right else "")


def _runs(found: Difference, check: Check) -> str:
    run, *place = found.at
    where = f" at {_place(tuple(place), check.axes[:-1])}" if place else ""  # the last axis is compared as a whole
    what = f"when {check.runs.format(run)}" if check.runs else f"in run {run + 2}"
    places = f" ({found.count} places in all)" if found.count > 1 else ""
    if found.kind == "unchanged":
        return f"{found.array}: {what}, the output moved{where}, where it must stay as in the first run{places}."
    return f"{found.array}: {what}, the output did not move{where}, where it must react{places}."


def _values(found: Difference, check: Check) -> str:
    assert found.seen is not None and found.right is not None  # noqa: S101 - a value difference always carries both
    text = f"{found.array}: {_some(found)} wrong" + (f", first at {_place(found.at, check.axes)}" if found.at else "")
    text += f"; {picture(found.seen, found.right)}."
    if check.reveal and found.right.size <= 8:
        text += f" Got {_numbers(found.seen)}, expected {_numbers(found.right)}."
    return text


def _is_answer(right: Array | None) -> bool:
    """True for yes or no, and for a text, which comes as its bytes: a difference in numbers or in shape says nothing of either."""
    return right is not None and ((right.dtype == np.bool_ and right.size == 1) or (right.dtype == np.uint8 and right.ndim == 1))


def _some(found: Difference) -> str:
    return "the number is" if found.size == 1 else f"{found.count} of {found.size} numbers are"


def _place(at: tuple[int, ...], axes: tuple[str, ...] = ()) -> str:
    """A place by its axes' names, counted from 0; in brackets where the axes are others."""
    if at and len(axes) == len(at):
        return ", ".join(f"{axis} {number}" for axis, number in zip(axes, at, strict=True))
    return f"[{', '.join(map(str, at))}]"


def _axes(array: Array | None, axes: tuple[str, ...]) -> str:
    return f" ({', '.join(axes)})" if array is not None and axes and len(axes) == array.ndim else ""


def _shape(array: Array | None) -> str:
    return "none" if array is None else f"[{', '.join(map(str, array.shape))}]"


def _numbers(array: Array) -> str:
    return f"[{', '.join(f'{float(number):.4f}' for number in array.ravel())}]"
