"""BEHIND THE WALL: describe an exception in one bounded line, whatever its class tries. Only plain text leaves."""

from __future__ import annotations

from typing import Any

from graders.worker.load import PACKAGE

LONGEST = 300


def describe(error: BaseException) -> dict[str, Any]:
    """Outcome, one-line text, and the student's file and line where it happened (the deepest frame in the student's code)."""
    part, line = _place(error)
    if isinstance(error, NotImplementedError):
        return {"outcome": "unfinished", "text": _text(error), "part": part, "line": line}
    if getattr(type(error), "outcome", "") == "missing":
        return {"outcome": "missing", "text": _text(error), "part": "", "line": 0}
    name = type.__getattribute__(type(error), "__name__")
    said = _text(error)
    return {"outcome": "crashed", "text": f"{name[:60]}: {said}" if said else name[:60], "part": part, "line": line}


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - an exception whose text cannot be had
        return ""
    return " ".join(text[: 4 * LONGEST].split())[:LONGEST] if type(text) is str else ""


def _place(error: BaseException) -> tuple[str, int]:
    if isinstance(error, SyntaxError) and str(error.filename).startswith(PACKAGE + "/"):
        return str(error.filename)[len(PACKAGE) + 1 : -3], int(error.lineno or 0)
    place, trace = ("", 0), error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(PACKAGE + "/"):
            place = (file[len(PACKAGE) + 1 : -3], trace.tb_lineno)
        trace = trace.tb_next
    return place
