"""What in a class needs a human: where the grader failed, where the wall noticed something, and where code could not be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graders.engine.cohort.items import Who
from graders.model import Outcome, Report

WHY = {
    "void": "The grader itself failed on some check: no point is lost, but the check should be run again.",
    "tampering": "The wall noticed something in the code that has no place in an exercise; read the code.",
    "crashed": "The code stops with an error, perhaps for a slip that costs many points.",
    "timed out": "The code does not finish in time.",
    "missing": "A file, or a name in it, was not found; it may be there under another name.",
    "note": "Something about how the files were read.",
}


@dataclass(frozen=True)
class Concern:
    """Students with the same trouble, what it means, and for each what was said first."""

    name: str
    why: str
    who: Who
    said: tuple[str, ...]


def concerns(reports: Sequence[Report]) -> tuple[Concern, ...]:
    """Every kind of trouble that somebody has, the gravest first."""
    found: dict[str, dict[int, str]] = {name: {} for name in WHY}
    for place, report in enumerate(reports):
        for name, text in _troubles(report):
            found[name].setdefault(place, text)
    return tuple(Concern(name, WHY[name], tuple(said), tuple(said.values())) for name, said in found.items() if said)


def _troubles(report: Report) -> list[tuple[str, str]]:
    texts = [("tampering", text) for text in report.tampering] + [("note", text) for text in report.notes]
    for verdict in report.verdicts:
        if verdict.outcome in (Outcome.VOID, Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.MISSING):
            texts.append((verdict.outcome.value.replace("_", " "), f"{verdict.check.id}: {verdict.message}"))
    return texts
