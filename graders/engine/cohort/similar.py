"""Students whose code is the same after renaming and reformatting. What the stub holds does not count."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graders.engine.cohort.items import Who
from graders.engine.cohort.normal import size, units
from graders.model import Submission

CAUTION = (
    "The same code is no proof of copying: a short exercise has few right answers, and a lesson, a book or an assistant may have given"
    " several students the same one. Different code is no proof of own work either. Read both files, and talk with the students."
)


@dataclass(frozen=True)
class Alike:
    """Students with the same code in a part. `size` counts names, numbers and operations beyond the stub: the more, the rarer by chance.

    `solution` says whether the solution's code is the same too, which makes it less remarkable.
    """

    part: str
    who: Who
    size: int
    solution: bool


def alike(submissions: Sequence[Submission | None], stubs: Mapping[str, str], solutions: Mapping[str, str]) -> tuple[Alike, ...]:
    """Groups of two or more, those with most code first. A part without anything of the student's own is in none."""
    found: list[Alike] = []
    for part, stub in stubs.items():
        given = frozenset(units(stub) or ())
        groups: dict[str, tuple[int, list[int]]] = {}
        for place, submission in enumerate(submissions):
            own = _own(submission.parts[part].text, given) if submission and part in submission.parts else ()
            if own:
                groups.setdefault(_digest(own), (size(own), []))[1].append(place)
        answer = _digest(_own(solutions[part], given)) if part in solutions else ""
        found += [Alike(part, tuple(who), much, key == answer) for key, (much, who) in groups.items() if len(who) > 1]
    return tuple(sorted(found, key=lambda group: (group.solution, -group.size, -len(group.who))))


def _own(text: str, given: frozenset[str]) -> tuple[str, ...]:
    """What is not in the stub. The order of functions does not count."""
    return tuple(sorted(form for form in units(text) or () if form not in given))


def _digest(forms: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(forms).encode("utf-8", "surrogatepass")).hexdigest()
