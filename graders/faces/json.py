"""A report as JSON, for the instructor: one line of ASCII. Texts stay as they are; escapes keep them harmless in a log."""

from __future__ import annotations

import json
from typing import Any

from graders.model import Hint, Report, Verdict


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
        "tampering": [_unicode(line) for line in report.tampering],
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
