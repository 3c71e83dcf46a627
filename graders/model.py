"""The core types: frozen data that every folder of the machine shares. Nothing here does work."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from numpy.typing import NDArray

Array = NDArray[Any]
# `unchanged`, `changed`: along the first axis, which lists repeated runs, what does so in the reference must do so here.
Compare = Literal["values", "shapes", "finite", "unchanged", "changed"]


class KitError(Exception):
    """The kit's own content or set-up is wrong: the text names the file, the thing, and the next step."""


class SubmissionError(Exception):
    """A submission cannot be read at all: the text names the path, the reason, and the next step."""


class Outcome(StrEnum):
    """What became of one check. Only VOID is the kit's own fault, and it costs no point."""

    PASSED = "passed"
    FAILED = "failed"
    UNFINISHED = "unfinished"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    MISSING = "missing"
    VOID = "void"


@dataclass(frozen=True)
class Part:
    """One source file as text."""

    name: str
    text: str
    origin: Literal["student", "reference", "mistaken"] = "student"


@dataclass(frozen=True)
class Submission:
    """Some parts under one label. `notes` are sentences about how the files were read, for the report."""

    label: str
    parts: Mapping[str, Part]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """One line of points: what its probe gives (several may read one), which arrays of it count (none: all), and what about them must be right."""

    id: str
    title: str
    points: float
    takes: tuple[str, ...]
    probe: str
    arrays: tuple[str, ...] = ()  # those of the observation that count; empty: all
    compare: Compare = "values"  # values: within rtol and atol; shapes; finite: wherever the reference is
    rtol: float = 0.0
    atol: float = 0.0
    reveal: bool = False
    visibility: Literal["visible", "after_due_date", "after_published", "hidden"] = "visible"  # on platforms that can wait
    axes: tuple[str, ...] = ()  # of an output, for messages
    runs: str = ""  # what was done in the later runs, for messages; {} stands for the run's number from 0


@dataclass(frozen=True)
class Edit:
    """Replace `swap`, which must occur in the reference, by `with_`."""

    swap: str
    with_: str


@dataclass(frozen=True)
class Misconception:
    """A known mistake: edits to the reference's text of one part, and the hint it earns."""

    id: str
    part: str
    edits: tuple[Edit, ...]
    hint: str


@dataclass(frozen=True)
class Limits:
    """What a submission may use. Seconds are wall time unless the name says CPU."""

    probe_seconds: float = 5.0
    job_seconds: float = 20.0
    cpu_seconds: float = 15.0
    memory_mb: int = 2048
    frame_mb: int = 8


@dataclass(frozen=True)
class Kit:
    """All the content, read once. `needs` names, for each part, the parts that its reference builds on."""

    root: Path
    title: str
    checks: tuple[Check, ...]
    reference: Submission
    misconceptions: tuple[Misconception, ...]
    limits: Limits
    version: str
    needs: Mapping[str, frozenset[str]]

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts that some check takes, in the order of grading.toml."""
        return tuple(dict.fromkeys(name for check in self.checks for name in check.takes))


@dataclass(frozen=True)
class Fault:
    """Why a probe gave no arrays: an outcome, a sentence, and the student's line where it happened (0: unknown)."""

    outcome: Outcome
    text: str
    part: str = ""
    line: int = 0


@dataclass(frozen=True)
class Observation:
    """All that ever comes through the gate for one probe: named arrays (None: the value was None), or a fault."""

    arrays: Mapping[str, Array | None] = field(default_factory=dict)
    fault: Fault | None = None
    seconds: float = 0.0
    noticed: tuple[str, ...] = ()  # signs of tampering, for the instructor


@dataclass(frozen=True)
class Hint:
    """The known mistakes that explain what was seen, and what to tell the student."""

    misconceptions: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Verdict:
    """What one check says of one submission."""

    check: Check
    outcome: Outcome
    message: str = ""
    hint: Hint | None = None
    picture: tuple[tuple[str, ...], ...] = ()  # a table in words: the heads of its columns, then for each row its head and its cells

    @property
    def points(self) -> float:
        """Points earned."""
        return self.check.points if self.outcome is Outcome.PASSED else 0.0

    @property
    def possible(self) -> float:
        """Points that could be earned: none where the check is void."""
        return 0.0 if self.outcome is Outcome.VOID else self.check.points


@dataclass(frozen=True)
class Report:
    """The only thing a face receives."""

    label: str
    verdicts: tuple[Verdict, ...]
    seed: int
    isolation: str
    kit_version: str
    graded: Mapping[str, str]
    seconds: float
    notes: tuple[str, ...] = ()
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    tampering: tuple[str, ...] = ()  # what was noticed, a line each; for the instructor, never shown to the student

    @property
    def points(self) -> float:
        """Points earned over all checks."""
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def possible(self) -> float:
        """Points possible over all checks that are not void."""
        return sum(verdict.possible for verdict in self.verdicts)

    @property
    def needs_human(self) -> bool:
        """True where the kit itself could not decide a check."""
        return any(verdict.outcome is Outcome.VOID for verdict in self.verdicts)
