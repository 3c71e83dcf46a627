"""BEHIND THE WALL: describe an exception in one bounded line. Only plain text leaves, and none of the student's code runs for it.

An exception's class is the student's to write: its `__str__`, its metaclass, its `args`, even its name may loop, raise or end the process.
So everything is read through the slots of the built-in types, and a text of the student's own making is shown only where it is plain data.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from graders.worker.load import PACKAGE

LONGEST = 300
_MRO = type.__dict__["__mro__"].__get__
_DICT = type.__dict__["__dict__"].__get__
_NAME = type.__dict__["__name__"].__get__
_ARGS = BaseException.__dict__["args"].__get__
_TRACE = BaseException.__dict__["__traceback__"].__get__
_FILE = SyntaxError.__dict__["filename"].__get__
_LINE = SyntaxError.__dict__["lineno"].__get__
PLAIN = (str, int, float, bool, type(None))
SAFE = (BaseException, KeyError, ImportError)  # others print attributes too, and an attribute can be any object


def describe(error: BaseException) -> dict[str, Any]:
    """Outcome, one-line text, and the student's part and line where it happened (the deepest frame in the student's code)."""
    kind = type(error)
    part, line = _place(error)
    text = _text(error)
    if issubclass(kind, NotImplementedError):
        return {"outcome": "unfinished", "text": text, "part": part, "line": line}
    if _DICT(kind).get("outcome") == "missing":
        return {"outcome": "missing", "text": text, "part": "", "line": 0}
    name = _NAME(kind)
    name = name[:60] if type(name) is str else "exception"
    return {"outcome": "crashed", "text": f"{name}: {text}" if text else name, "part": part, "line": line}


def _text(error: BaseException) -> str:
    """What `str` would say, where that is no more than printing plain arguments; else the first plain text among the arguments."""
    arguments = _ARGS(error)
    plain = [value for value in arguments if type(value) in PLAIN]
    if len(plain) == len(arguments) and _speaker(type(error)) in SAFE:
        try:
            said = str(error)
        except Exception:  # noqa: BLE001 - a text that cannot be made, such as an int too long to print
            return ""
    else:
        said = next((value for value in plain if type(value) is str), "")
    return " ".join(said[: 4 * LONGEST].split())[:LONGEST]


def _speaker(kind: type) -> type:
    """The class whose `__str__` an exception of this kind uses."""
    bases: tuple[type, ...] = _MRO(kind)
    return next(base for base in bases if "__str__" in _DICT(base))


def _place(error: BaseException) -> tuple[str, int]:
    if type(error) in (SyntaxError, IndentationError, TabError):
        part, line = _part(_FILE(error)), _LINE(error)
        if part:
            return part, line if type(line) is int else 0
    place: tuple[str, int] = ("", 0)
    trace: TracebackType | None = _TRACE(error)
    while trace is not None:
        part = _part(trace.tb_frame.f_code.co_filename)
        if part:
            place = (part, trace.tb_lineno)
        trace = trace.tb_next
    return place


def _part(file: object) -> str:
    """The part that a file name stands for; empty where it is not a part's."""
    if type(file) is str and file.startswith(PACKAGE + "/"):
        return file.removeprefix(PACKAGE + "/").removesuffix(".py")
    return ""
