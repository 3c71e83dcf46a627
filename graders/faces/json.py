"""A report as JSON, and back: one line of ASCII. Texts stay as they are; escapes keep them harmless in a log."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from graders.model import Check, Hint, Outcome, Report, Verdict


def render(report: Report) -> str:
    """One line of JSON, without a newline at its end."""
    text = json.dumps(document(report), ensure_ascii=True, allow_nan=False)
    return text.replace("##", "#\\u0023")  # an order such as ##[group] works anywhere in a line of a log


def document(report: Report) -> dict[str, Any]:
    """The same as plain dicts and lists. `needs_human` is there only where it is true."""
    found = {
        "label": _unicode(report.label),
        "points": float(report.points),
        "possible": float(report.possible),
        "seed": report.seed,
        "isolation": report.isolation,
        "kit_version": report.kit_version,
        "graded": {_unicode(name): digest for name, digest in report.graded.items()},
        "seconds": round(report.seconds, 4),
        "notes": [_unicode(note) for note in report.notes],
        "fingerprints": {_unicode(part): word for part, word in report.fingerprints.items()},
        "verdicts": [_verdict(verdict) for verdict in report.verdicts],
    }
    return {**found, "needs_human": True} if report.needs_human else found


def _verdict(verdict: Verdict) -> dict[str, Any]:
    found = {
        "check": verdict.check.id,
        "title": verdict.check.title,
        "outcome": verdict.outcome.value,
        "points": float(verdict.points),
        "possible": float(verdict.possible),
        "message": _unicode(verdict.message),
        "hint": _hint(verdict.hint),
    }
    return {**found, "picture": verdict.picture} if verdict.picture else found


def _hint(hint: Hint | None) -> dict[str, Any] | None:
    return {"misconceptions": list(hint.misconceptions), "text": hint.text} if hint else None


def _unicode(text: str) -> str:
    """Half a surrogate pair, as file names can hold, is not text that every reader of JSON takes."""
    return text.encode("utf-8", "replace").decode()


class _Verdict(msgspec.Struct, frozen=True):
    check: str
    title: str
    outcome: Outcome
    possible: float
    message: str
    hint: Hint | None
    picture: tuple[tuple[str, ...], ...] = ()


class _Report(msgspec.Struct, frozen=True):
    label: str
    seed: int
    isolation: str
    kit_version: str
    graded: dict[str, str]
    seconds: float
    notes: tuple[str, ...]
    verdicts: tuple[_Verdict, ...]


def parse(text: str) -> Report | None:
    """The report that `render` wrote, or None for a text that is not whole. Of its checks it knows what a report shows: id, title, points."""
    try:
        found = msgspec.json.decode(text, type=_Report)
    except (msgspec.DecodeError, RecursionError):
        return None
    verdicts = tuple(
        Verdict(Check(one.check, one.title, one.possible, (), one.check), one.outcome, one.message, one.hint, one.picture) for one in found.verdicts
    )
    return Report(found.label, verdicts, found.seed, found.isolation, found.kit_version, found.graded, found.seconds, found.notes)
