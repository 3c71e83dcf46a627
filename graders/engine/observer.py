"""THIS SIDE of the wall, theory of operation.

An Observer owns one server process (graders/worker/serve.py tells what lies behind it) and uses it from one thread at a time; several
Observers may work side by side. It never imports torch and never runs a student's code.

For each job the server forks a child, and the child is asked for its probes in order: rules first, to read texts before they run. A probe
that crashes, hangs, floods or sends what cannot be read costs only itself: it is marked, its child is killed, and the rest go on in a fresh
child. So that one part's fault takes nothing from another's, the group (the word before the dot) that just failed goes to the end of the line.
Bounds: each probe is tried once; after two hangs in a group the rest of that group is not tried; a job has one wall clock and one CPU budget
over all its children. Only what comes before the deadline counts.

If the server itself dies or does not answer, it is replaced and the job's remaining probes are tried once more; after that they are void:
the kit's own fault, which costs nothing and asks for a human.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from types import TracebackType

from graders.engine import clues, endings, launch, layers, view
from graders.engine.attempt import Attempt, Budget, attempt
from graders.engine.endings import Cause
from graders.engine.plan import Round, is_rule
from graders.engine.server import LostError, Server
from graders.model import Fault, Kit, KitError, Observation, Outcome, Part

HANGS_A_GROUP = 2
PROBES_A_CHILD = 400  # of the kit's own variants, all rounds together


class Observer:
    """Runs probes over parts behind the wall. Use it in a with statement, or close it."""

    def __init__(self, kit: Kit, isolation: str = "auto", beginning: launch.Beginning | None = None) -> None:
        """Start the worker, or take the one that is on its way already.

        Raises KitError where it does not start, or where `full` isolation is asked for and not to be had.
        """
        self._kit, self._layers, self._closed = kit, layers.wanted(isolation), False
        self._server: Server | None = beginning.server() if beginning else self._started()
        self.isolation = layers.describe(self._server.missing)
        self.torch = self._server.torch
        if isolation == "full":
            try:
                layers.demand_full(self._server.missing)
            except KitError:
                self.close()
                raise

    def observe(self, parts: Mapping[str, Part], probes: Sequence[str], seed: int) -> dict[str, Observation]:
        """What each probe gives on these parts. Every probe has an entry, in the order asked for; nothing a part does raises."""
        job = _Job(self._kit, parts, probes, seed)
        retried = False
        while job.waiting:
            try:
                job.advance(self._running())
            except (LostError, KitError):
                self._drop()
                if retried:
                    job.give_up()
                retried = True
        return {probe: job.seen[probe] for probe in probes}

    def observe_rounds(self, rounds: Sequence[Round], seed: int) -> list[dict[str, Observation]]:
        """What `observe` gives for each round of the kit's own variants, many to a child. Not for students' parts.

        One that does not let its child finish is run again alone, and the others go on without it.
        """
        seen: list[dict[str, Observation]] = []
        while len(seen) < len(rounds):
            some = _childful(rounds[len(seen) :])
            came = self._together(some, seed)
            seen += came
            if len(came) < len(some):
                alone = some[len(came)]
                seen.append(self.observe(alone.parts, alone.probes, seed))
        return seen

    def _together(self, rounds: Sequence[Round], seed: int) -> list[dict[str, Observation]]:
        """The observations of those first rounds that one child finished."""
        limits = self._kit.limits
        try:
            done = attempt(self._running(), rounds, seed, limits, Budget(limits.job_seconds, limits.cpu_seconds))
        except (LostError, KitError):
            self._drop()
            return []
        came, whole = iter(done.came), list(accumulate(len(each.probes) for each in rounds))
        return [{probe: next(came) for probe in each.probes} for each, end in zip(rounds, whole, strict=True) if end <= len(done.came)]

    def close(self) -> None:
        """End the server, and with it everything it started. Called from another thread, it ends a running `observe` early."""
        self._closed = True
        if self._server is not None:
            self._server.close()
            self._server = None

    def _running(self) -> Server:
        if self._closed:
            raise KitError("the observer is closed; open another one")
        if self._server is None:
            self._server = self._started()
        return self._server

    def _started(self) -> Server:
        return launch.start(view.content(self._kit.root), self._layers)

    def _drop(self) -> None:
        if self._server is not None:
            self._server.kill()
            self._server = None

    def __enter__(self) -> Observer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class _Job:
    """Some probes on the same parts, and how far they have come."""

    def __init__(self, kit: Kit, parts: Mapping[str, Part], probes: Sequence[str], seed: int) -> None:
        self.limits, self.parts, self.seed = kit.limits, parts, seed
        self.waiting = sorted(dict.fromkeys(probes), key=lambda probe: not is_rule(probe))
        self.seen: dict[str, Observation] = {}
        self.hangs: Counter[str] = Counter()
        self.seconds, self.cpu_seconds = kit.limits.job_seconds, kit.limits.cpu_seconds

    def advance(self, running: Server) -> None:
        """Let one child do what it can, and settle the probe it failed on, if it did. Raises LostError."""
        done = attempt(running, (Round(self.parts, tuple(self.waiting)),), self.seed, self.limits, Budget(self.seconds, self.cpu_seconds))
        self.seconds -= done.seconds
        self.cpu_seconds -= done.ending.cpu_seconds
        self.seen.update(zip(self.waiting, done.came, strict=False))
        self.waiting = self.waiting[len(done.came) :]
        if done.cause is not Cause.DONE:
            self._settle(done)
        if self.seconds <= 0 or self.cpu_seconds <= 0:
            self._mark_all(self.waiting, endings.not_tried_for_budget(self.limits))

    def _settle(self, done: Attempt) -> None:
        probe = self.waiting[0]
        fault = endings.fault(done.cause, done.ending, self.limits)
        noticed = (clues.unreadable(probe, done.refused),) if done.refused else clues.ending(done.cause, done.ending)
        self.seen[probe] = Observation(fault=fault, seconds=done.seconds, noticed=noticed)
        group = probe.split(".")[0]
        rest = [other for other in self.waiting[1:] if other.split(".")[0] == group and not is_rule(other)]
        self.waiting = [other for other in self.waiting[1:] if other not in rest] + rest
        self.hangs[group] += fault.outcome is Outcome.TIMED_OUT
        if self.hangs[group] >= HANGS_A_GROUP:
            self._mark_all(rest, endings.not_tried_for_time(group))

    def give_up(self) -> None:
        """Mark what is left as the kit's own fault."""
        self._mark_all(self.waiting, endings.kit_failed())

    def _mark_all(self, probes: Sequence[str], fault: Fault) -> None:
        self.seen.update({probe: Observation(fault=fault) for probe in probes})
        self.waiting = [probe for probe in self.waiting if probe not in self.seen]


def _childful(rounds: Sequence[Round]) -> Sequence[Round]:
    """As many of the first rounds as one child runs."""
    ends = accumulate(len(each.probes) for each in rounds)
    return rounds[: max(sum(end <= PROBES_A_CHILD for end in ends), 1)]
