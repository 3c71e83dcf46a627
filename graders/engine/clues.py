"""What the instructor is told of code that does what honest code does not. It costs no point; every such sentence is here.

What a child says of itself comes from the process that may have been tampered with: a hint, and its absence proves nothing. What is seen from
this side (bytes that are no frame, a process that ended itself) is certain.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec

from graders.engine.endings import Cause
from graders.engine.server import Ending

MOST = 20  # lines of a report
SAID = {
    "process": "tried to start a process ({})",
    "socket": "tried to use a socket ({})",
    "signal": "tried to send a signal ({})",
    "limit": "tried to change its own limits ({})",
    "memory": "reached past Python into memory or machine code ({})",
    "file": "tried to open, list or change what is none of its business ({})",
    "import": "tried to import the grader's own side ({})",
    "hook": "put a hook into the interpreter ({})",
    "frame": "looked at the calls above its own ({})",
    "objects": "asked what refers to what in its process, as one also does to find lost memory ({})",
    "code": "replaced the code of a function that is not its own ({})",
    "patched": "replaced what is not its own: {}",
    "hooks": "left a hook that every module of torch runs ({})",
}
NO_CLUE = (1, 71)  # exit codes that honest code can cause: a library that gives up, and the worker without memory
SHUT = 72  # the worker's own: what results leave on was closed
INTRUDED = 73  # the worker's own: it ended by what the student's code raised in the midst of it
CLOSED = "closed the way on which results leave"


class Clue(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a child tells of its own process: one of the kinds above, a short name, and the student's line."""

    kind: str
    name: Annotated[str, msgspec.Meta(max_length=60)]
    part: Annotated[str, msgspec.Meta(max_length=60)] = ""
    line: Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)] = 0


Clues = Annotated[tuple[Clue, ...], msgspec.Meta(max_length=32)]


def told(clue: Clue, parts: Iterable[str]) -> str:
    """A clue as one printable line. Raises KeyError for a kind that is not known."""
    where = f"{clue.part}.py, line {clue.line}: " if clue.part in parts and clue.line else ""
    return where + SAID[clue.kind].format("".join(sign if sign.isprintable() else "?" for sign in clue.name))


def unreadable(probe: str, why: str) -> str:
    """Bytes came out that no frame of the worker is made of."""
    return f"sent what counts for nothing, at the probe {probe}: {why}"


def ending(cause: Cause, ended: Ending) -> tuple[str, ...]:
    """What the end of a child gives away before its work was done. Crashes, and limits that were reached, give nothing away."""
    if cause is Cause.CLOSED or (cause is Cause.ENDED and ended.code == SHUT):
        return (CLOSED,)
    if cause is Cause.ENDED and ended.code == INTRUDED:
        return ("ended the worker by code of its own that ran inside it: a tracer, a handler of signals, a function put in another's place",)
    if cause is Cause.ENDED and ended.code >= 0 and ended.code not in NO_CLUE:
        return (f"ended its own process with the exit code {ended.code}",)
    return ()
