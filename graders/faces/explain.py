"""All that defends one point, for the instructor's terminal. It shows right outputs, so it is not for students."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from rich.text import Text

from graders.engine.compare import Difference
from graders.engine.evidence import Evidence
from graders.faces.text import OUTCOMES, clean, number, title
from graders.model import Array, Check, Observation

KINDS = {
    "value": "The values differ",
    "shape": "The shapes differ",
    "absent": "Nothing came out where numbers are right",
    "extra": "Something came out where nothing is right",
    "nonfinite": "Not finite where the reference is",
    "unchanged": "Moved against the first run where the reference does not",
    "changed": "Did not move against the first run where the reference does",
}


def render(evidence: Evidence) -> Text:
    """Sections in the order of an argument: the verdict, the contract, what was tried, both results, the difference, the mistake."""
    report, check = evidence.report, evidence.verdict.check
    sections = (
        (_head(evidence), filter(None, [title(check), clean(evidence.verdict.message)])),
        ("The line of points", [evidence.line or f"{check.id} = {number(check.points)}", _contract(check)]),
        ("What was tried", [*evidence.source.splitlines(), "", f"seed {report.seed}; the same inputs again: --seed {report.seed}"]),
        ("What came out", _observation(evidence.seen, check.arrays)),
        ("What the reference gave", _observation(evidence.right, check.arrays)),
        ("Where they part", _parting(evidence.difference) if evidence.seen and not evidence.seen.fault else []),
        ("The mistake that gives the same numbers", _mistakes(evidence)),
        ("What was noticed", map(clean, report.tampering)),
        ("How it ran", [f"isolation {clean(report.isolation)}, kit {clean(report.kit_version)}"]),
    )
    text = Text()
    for heading, lines in sections:
        body = "".join(f"  {line}".rstrip() + "\n" for line in lines)
        text.append(f"{heading}\n" if body else "", "bold").append(f"{body}\n" if body else "")
    return text


def _head(evidence: Evidence) -> str:
    verdict = evidence.verdict
    outcome = f"{OUTCOMES[verdict.outcome]}, {number(verdict.points)} of {number(verdict.possible)}"
    return f"{verdict.check.id} of {clean(evidence.report.label)}: {outcome}"


def _contract(check: Check) -> str:
    arrays = ", ".join(check.arrays) or "all arrays"
    measure = f"compares {check.compare} of {arrays}; rtol {check.rtol:g}, atol {check.atol:g}"
    return f"{number(check.points)} points; takes {', '.join(check.takes)}; {measure}"


def _observation(seen: Observation | None, arrays: tuple[str, ...]) -> Iterable[str]:
    """The arrays that count, or why there are none."""
    if seen is None:
        return ["nothing: a part is missing, or the grader's own worker gave no result"]
    if seen.fault:
        place = f" at {clean(seen.fault.part)}.py:{seen.fault.line}" if seen.fault.line else ""
        return [f"{OUTCOMES[seen.fault.outcome]}{place}: {clean(seen.fault.text)}"]
    shown = {name: array for name, array in seen.arrays.items() if not arrays or name in arrays}
    return [line for name, array in shown.items() for line in _array(name, array)] or ["none of the arrays that count"]


def _array(name: str, array: Array | None) -> Iterable[str]:
    if array is None:
        return [f"{clean(name)} = None"]
    text = np.array2string(array, precision=6, threshold=24, edgeitems=3, max_line_width=90, suppress_small=False)
    return f"{clean(name)} {list(array.shape)} {array.dtype} =\n{text}".splitlines()


def _parting(found: Difference | None) -> Iterable[str]:
    if found is None:
        yield "nowhere, by this check's measure"
        return
    count = f", {found.count} of {found.size} places" if found.size else ""
    yield f"{KINDS.get(found.kind, found.kind)} in {clean(found.array)}{count}."
    if found.seen is None or found.right is None:
        return
    if found.kind == "shape":
        yield f"came out {list(found.seen.shape)}, right is {list(found.right.shape)}"
    elif found.kind in ("unchanged", "changed"):
        run, *place = found.at
        yield f"first at run {run + 1}, position {list(place)}"
        yield f"first run  {_short(found.seen[0][tuple(place)])}; right {_short(found.right[0][tuple(place)])}"
        yield f"run {run + 1:<6} {_short(found.seen[run + 1][tuple(place)])}; right {_short(found.right[run + 1][tuple(place)])}"
    else:
        yield f"first at {list(found.at)}: came out {_short(found.seen[found.at])}, right is {_place(found.right, found.at)}"


def _place(right: Array, at: tuple[int, ...]) -> str:
    """The right number at a place, if the reference's array has that place: a check of finiteness allows other shapes."""
    fits = len(at) == right.ndim and all(i < n for i, n in zip(at, right.shape, strict=True))
    return _short(right[at]) if fits else f"of shape {list(right.shape)}"


def _short(value: Array) -> str:
    return " ".join(np.array2string(np.asarray(value), precision=6, threshold=8, edgeitems=3).split())


def _mistakes(evidence: Evidence) -> Iterable[str]:
    for mistake in evidence.mistakes:
        yield f"{mistake.id} (graders/misconceptions/{mistake.part}.toml): {mistake.hint}"
        for edit in mistake.edits:
            yield f"  - {edit.swap}"
            yield f"  + {edit.with_}"
