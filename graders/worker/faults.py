"""BEHIND THE WALL: describe an exception in one bounded line. Only plain text leaves, and none of the student's code runs for it.

An exception's class is the student's to write: its `__str__`, its metaclass, its `args`, even its name may loop, raise or end the process.
So everything is read through the slots of the built-in types, classes are compared by identity, for `==` and `in` ask a metaclass,
and a text of the student's own making is shown only where it is plain data.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from graders import wire
from graders.worker.load import PACKAGE

LONGEST = 300
_MRO = type.__dict__["__mro__"].__get__
_DICT = type.__dict__["__dict__"].__get__
_NAME = type.__dict__["__name__"].__get__
_ARGS = BaseException.__dict__["args"].__get__
trace = BaseException.__dict__["__traceback__"].__get__
_FILE = SyntaxError.__dict__["filename"].__get__
_LINE = SyntaxError.__dict__["lineno"].__get__
PLAIN = (str, int, float, bool, type(None))
SAFE = (BaseException, KeyError, ImportError)  # others print attributes too, and an attribute can be any object
_SYNTAX = (SyntaxError, IndentationError, TabError)


@functools.cache
def absences() -> tuple[type, ...]:
    """The kit's own exceptions that say that something is not there. Ask first before any of a student's code has run."""
    modules = [module for name, module in tuple(sys.modules.items()) if name.startswith("graders.")]
    classes = (one for module in modules for one in vars(module).values() if type(one) is type and issubclass(one, Exception))
    return tuple(one for one in classes if vars(one).get("outcome") == "missing")


def describe(error: BaseException) -> dict[str, Any]:
    """Outcome, one-line text, and the student's part and line where it happened (the deepest frame in the student's code)."""
    kind = type(error)
    part, line = place(error)
    text = _text(error)
    if issubclass(kind, NotImplementedError):
        return {"outcome": "unfinished", "text": text, "part": part, "line": line}
    if _among(kind, absences()):
        return {"outcome": "missing", "text": text, "part": "", "line": 0}
    if kind is wire.GateError:  # a sentence of its own about what was handed to it
        return {"outcome": "crashed", "text": text, "part": part, "line": line}
    name = _NAME(kind)
    name = name[:60] if type(name) is str else "exception"
    return {"outcome": "crashed", "text": f"{name}: {text}" if text else name, "part": part, "line": line}


def _text(error: BaseException) -> str:
    """What `str` would say, where that is no more than printing plain arguments; else the first plain text among the arguments."""
    arguments = _ARGS(error)
    plain = [value for value in arguments if _among(type(value), PLAIN)]
    if len(plain) == len(arguments) and _among(_speaker(type(error)), SAFE):
        try:
            said = str(error)
        except Exception:  # noqa: BLE001 - a text that cannot be made, such as an int too long to print
            return ""
    else:
        said = next((value for value in plain if type(value) is str), "")
    return " ".join(said[: 4 * LONGEST].split())[:LONGEST]


def _speaker(kind: type) -> type:
    """The class whose `__str__` an exception of this kind uses. A name that is no plain text may turn out to be any name."""
    bases: tuple[type, ...] = _MRO(kind)
    return next(base for base in bases for name in _DICT(base) if type(name) is not str or name == "__str__")


def _among(kind: type, kinds: Iterable[type]) -> bool:
    return any(kind is one for one in kinds)


def place(error: BaseException) -> tuple[str, int]:
    """The student's part and line where it happened; an empty name where none of their code has part in it."""
    if _among(type(error), _SYNTAX):
        part, line = _part(_FILE(error)), _LINE(error)
        if part:
            return part, line if type(line) is int else 0
    found: tuple[str, int] = ("", 0)
    step: TracebackType | None = trace(error)
    while step is not None:
        part = _part(step.tb_frame.f_code.co_filename)
        if part:
            found = (part, step.tb_lineno)
        step = step.tb_next
    return found


def _part(file: object) -> str:
    """The part that a file name stands for; empty where it is not a part's."""
    if type(file) is str and file.startswith(PACKAGE + "/"):
        return file.removeprefix(PACKAGE + "/").removesuffix(".py")
    return ""
