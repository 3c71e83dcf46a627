"""One child: give it a job, collect what it says until it is done or has to go, and see that it is gone."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Sequence
from dataclasses import dataclass

from graders.engine import starved
from graders.engine.endings import Cause
from graders.engine.intake import Intake
from graders.engine.plan import Round
from graders.engine.server import Ending, LostError, Server
from graders.model import Limits, Observation
from graders.wire import GateError, TooLargeError

PIECE = 1 << 18
READY = b"\1"
READY_SECONDS = 15.0
LEAVE_SECONDS = 2.0
GATHER_SECONDS = 0.004  # between two looks frames gather: waking for each of them would cost as much as judging it
FORGIVEN = 3  # jobs' times that a child may wait for a processor; a crowd of its own making is not the machine's fault for ever


@dataclass(frozen=True)
class Budget:
    """What is left for the job: wall time and CPU time."""

    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Attempt:
    """What one child gave: observations in the order of the probes, how it ended, how long it ran.

    `refused` says why bytes were refused that only tampering makes.
    """

    came: tuple[Observation, ...]
    cause: Cause
    ending: Ending
    seconds: float
    refused: str


def attempt(server: Server, rounds: Sequence[Round], seed: int, limits: Limits, budget: Budget) -> Attempt:
    """Run some rounds in one child, as many as it gets through.

    A student's parts are a single round: never in one process with anything but what their own job gives them.
    Raises LostError where the server, or the child before it read its job, failed.
    """
    intake = Intake([probe for each in rounds for probe in each.probes], tuple(rounds[0].parts), limits.frame_mb << 20)
    pipe = server.begin(_job(rounds, seed), budget.cpu_seconds, limits.memory_mb)
    try:
        _await_ready(server, pipe)
        clock = _Clock(server.process.pid, limits, budget.seconds)
        cause = _collect(server, pipe, intake, clock)
        seconds = time.monotonic() - clock.start
        if cause is Cause.CLOSED and server.wait_for_ending(LEAVE_SECONDS):
            cause = Cause.ENDED
        return Attempt(intake.observations(), cause, server.end_child(), seconds, intake.refused)
    finally:
        os.close(pipe)


def _job(rounds: Sequence[Round], seed: int) -> bytes:
    """The job as the child reads it. Each text is in it once, for the kit's own variants share most of theirs."""
    places: dict[str, int] = {}
    told = [
        {"parts": {name: places.setdefault(part.text, len(places)) for name, part in each.parts.items()}, "probes": each.probes} for each in rounds
    ]
    return json.dumps({"texts": list(places), "rounds": told, "seed": seed}).encode()


def _await_ready(server: Server, pipe: int) -> None:
    """Until here none of the student's code has run: what goes wrong is the kit's own fault."""
    ready, _, _ = select.select([pipe, server.socket.fileno()], [], [], READY_SECONDS)
    if pipe not in ready or os.read(pipe, 1) != READY:
        raise LostError("a child did not get ready")


class _Clock:
    """The time of one child, less what it spent waiting for a processor."""

    def __init__(self, pid: int, limits: Limits, seconds: float) -> None:
        self.pid, self.limits, self.seconds = pid, limits, seconds
        self.start = self.since = time.monotonic()
        self.waited = 0.0

    def left(self) -> tuple[float, Cause]:
        """Seconds until the child is late, and in which way. Where it seems late, its waiting is looked up and forgiven first."""
        found = self._left()
        if found[0] <= 0:
            waited = min(starved.waited(self.pid), FORGIVEN * self.limits.job_seconds)
            more, self.waited = max(waited - self.waited, 0.0), max(waited, self.waited)
            self.start, self.since = self.start + more, self.since + more
            found = self._left()
        return found

    def _left(self) -> tuple[float, Cause]:
        now = time.monotonic()
        late, spent = self.since + self.limits.probe_seconds - now, self.start + self.seconds - now
        return (late, Cause.LATE) if late < spent else (spent, Cause.BUDGET)

    def lap(self) -> None:
        """The next probe begins."""
        self.since = time.monotonic()


def _collect(server: Server, pipe: int, intake: Intake, clock: _Clock) -> Cause:
    """Read until there is a reason to stop. What the pipe already holds when a child ends is still read."""
    while True:
        left, late = clock.left()
        if left <= 0:
            return late
        ready, _, _ = select.select([pipe, server.socket.fileno()], [], [], left)
        if pipe in ready:
            data = os.read(pipe, PIECE)
            if not data:
                return Cause.CLOSED
            try:
                if intake.take(data, time.monotonic() - clock.since):
                    clock.lap()
            except GateError as error:
                refused = Cause.TOO_LARGE if isinstance(error, TooLargeError) else Cause.UNREADABLE
                return Cause.DONE if intake.complete else refused
            if intake.complete:
                return Cause.DONE
            time.sleep(GATHER_SECONDS)
        elif ready:
            return Cause.ENDED
