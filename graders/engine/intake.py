"""What comes out of a child: bytes from whoever wrote them, taken frame by frame, in the order that was asked for, or not at all.

A frame counts when it is the one expected next, is not too large, and says nothing but what the worker's own code can say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import msgspec

from graders import wire
from graders.engine import clues
from graders.engine.endings import FRAMES_A_JOB
from graders.model import Array, Fault, Observation, Outcome

LONGEST = 300
FOLDERS = re.compile(r"(?<![\w./])/(?:[^\s/'\":,()]+/)+")  # the folders of an absolute path; libraries tell where they lie


class Said(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A fault as the worker tells it. That the kit failed, or that all is well, is not the child's to say."""

    outcome: Literal["unfinished", "crashed", "missing"]
    text: str
    part: str = ""
    line: int = 0


class Head(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The header of a frame."""

    probe: str
    fault: Said | None = None
    noticed: clues.Clues = ()


class Intake:
    """Collects the observations of some probes, in order. A probe may be expected several times."""

    def __init__(self, probes: Sequence[str], parts: Sequence[str], frame_bytes: int) -> None:
        self.probes, self.parts, self.frame_bytes = tuple(probes), frozenset(parts), frame_bytes
        self.came: list[Observation] = []
        self.refused = ""  # why bytes were refused that only tampering can have made
        self._buffer = bytearray()
        self._taken = 0

    @property
    def complete(self) -> bool:
        """True when every probe has its observation."""
        return len(self.came) == len(self.probes)

    @property
    def expected(self) -> str:
        """The probe whose frame comes next."""
        return self.probes[len(self.came)]

    def take(self, data: bytes, seconds: float) -> int:
        """How many frames these bytes completed; `seconds` is what they took. Raises wire.GateError for any that does not count."""
        self._taken += len(data)
        if self._taken > FRAMES_A_JOB * self.frame_bytes:
            raise wire.TooLargeError("a job's frames are larger than allowed")
        self._buffer += data
        before = len(self.came)
        try:
            for body in wire.split(self._buffer, self.frame_bytes):
                self._accept(body)
        except wire.GateError as error:
            self.refused = "" if isinstance(error, wire.TooLargeError) else str(error)
            raise
        if self.complete and self._buffer:
            self.refused = "more came than was asked for"
        new = self.came[before:]
        self.came[before:] = [replace(one, seconds=seconds / len(new)) for one in new]
        return len(new)

    def observations(self) -> tuple[Observation, ...]:
        """All that came, in order. Where more came than was asked for, the last one tells."""
        if self.complete and self.refused:
            last = self.came[-1]
            self.came[-1] = replace(last, noticed=(*last.noticed, clues.unreadable(self.probes[-1], self.refused)))
        return tuple(self.came)

    def _accept(self, body: bytes) -> None:
        head, arrays = wire.unpack(body)
        if self.complete or head.get("probe") != self.expected:
            raise wire.GateError("a frame came that was not expected")
        self.came.append(observation(head, arrays, self.parts))


def observation(head: Mapping[str, Any], arrays: Mapping[str, Array | None], parts: frozenset[str]) -> Observation:
    """One frame as an observation. Raises wire.GateError for a header with anything in it that the worker would not write."""
    try:
        found = msgspec.convert(head, Head)
        noticed = tuple(clues.told(clue, parts) for clue in found.noticed)
    except (msgspec.ValidationError, KeyError) as error:
        raise wire.GateError("the header says something that it may not") from error
    said = found.fault
    if said is None:
        return Observation(arrays, noticed=noticed)
    known = said.part in parts and 0 <= said.line < 1 << 31
    fault = Fault(Outcome(said.outcome), clean(said.text), said.part if known else "", said.line if known else 0)
    return Observation({}, fault, noticed=noticed)


def clean(text: str) -> str:
    """One line of at most 300 characters that are all printable: no control character, no change of writing direction, no folder of this machine."""
    line = FOLDERS.sub("", " ".join(text[: 4 * LONGEST].split()))
    return "".join(sign if sign.isprintable() else "?" for sign in line)[:LONGEST]
