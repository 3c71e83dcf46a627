"""The answer key: what the reference and every known mistake give on this run's inputs, in this machine's torch.

Made on first need, part by part, and kept: a right submission never pays for a mistake. On disk it is cached by content.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from graders.engine import cache
from graders.engine.compare import difference
from graders.engine.kit import mistaken
from graders.engine.plan import Round, probes_of
from graders.model import Check, Kit, KitError, Misconception, Observation, Outcome, Part

Observations = Mapping[str, Observation]


class Observes(Protocol):
    """Whoever can run probes over parts: the Observer, or a test's stand-in."""

    def observe(self, parts: Mapping[str, Part], probes: Sequence[str], seed: int) -> Mapping[str, Observation]:
        """Run the probes and give what came out."""

    def observe_rounds(self, rounds: Sequence[Round], seed: int) -> Sequence[Mapping[str, Observation]]:
        """Run rounds of the kit's own variants."""


@dataclass(frozen=True)
class Question:
    """What do these sets of mistakes of one part give in these probes? None named: in all that only this part is judged by."""

    part: str
    wanted: tuple[tuple[Misconception, ...], ...]
    probes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Variant:
    """One or two known mistakes, what they give in some probes, and which of the checks that read these they fail."""

    mistakes: tuple[Misconception, ...]
    seen: Observations
    fails: frozenset[str]

    @property
    def name(self) -> str:
        """The mistakes' names, joined."""
        return _name(self.mistakes)


class AnswerKey:
    """Observations of the reference and of mistakes under one seed. Safe to share between threads."""

    def __init__(self, kit: Kit, seed: int, folder: Path | None = None) -> None:
        """`folder` is where observations are kept between runs (None: nowhere)."""
        self.kit, self.seed = kit, seed
        self._store = cache.Store(folder, f"{kit.version} {seed}") if folder else None
        self._reference: Observations | None = None
        self._known: dict[tuple[str, str], dict[str, Observation]] = {}  # by part and probe, then by the mistakes' names
        self._lock = threading.RLock()

    def reference(self, observer: Observes) -> Observations:
        """What the reference gives, for every probe. Raises KitError where the reference itself fails a probe."""
        with self._lock:
            if self._reference is None:
                kept = self._store.read("reference") if self._store else None
                probes = probes_of(self.kit.checks)
                seen = kept[""] if kept else observer.observe(self.kit.reference.parts, probes, self.seed)
                _demand_right(seen)
                if self._store and not kept:
                    self._store.write("reference", {"": seen})
                self._reference = seen
            return self._reference

    def singles(self, part: str, observer: Observes) -> tuple[Variant, ...]:
        """Every known mistake of one part."""
        return self.variants(part, self.alone(part), observer)

    def alone(self, part: str) -> list[tuple[Misconception, ...]]:
        """Each known mistake of one part, as a set of its own."""
        return [(mistake,) for mistake in self.kit.misconceptions if mistake.part == part]

    def variants(
        self, part: str, wanted: Sequence[tuple[Misconception, ...]], observer: Observes, probes: Sequence[str] = ()
    ) -> tuple[Variant, ...]:
        """The answer to one question."""
        return self.answers([Question(part, tuple(wanted), tuple(probes))], observer)[0]

    def answers(self, questions: Sequence[Question], observer: Observes) -> list[tuple[Variant, ...]]:
        """What the sets of mistakes of each question give, whatever is not yet known run now, for all questions together.

        Sets whose edits exclude each other are left out, and so is what the worker failed on: the next who needs it has it run again.
        """
        right = self.reference(observer)
        with self._lock:
            new = [(question, mistakes, each) for question in questions for mistakes, each in self._rounds(question)]
            for (question, mistakes, each), seen in zip(new, observer.observe_rounds([each for _, _, each in new], self.seed), strict=True):
                if not _void(seen):
                    for probe in each.probes:
                        self._recalled(question.part, probe)[_name(mistakes)] = seen[probe]
            for question in {question: None for question, _, _ in new}:
                self._remember(question)
            return [tuple(self._found(question, right)) for question in questions]

    def _found(self, question: Question, right: Observations) -> Iterator[Variant]:
        checks = self._asked(question)
        known = {probe: self._recalled(question.part, probe) for probe in probes_of(checks)}
        for mistakes in question.wanted:
            name = _name(mistakes)
            if all(name in one for one in known.values()):
                yield _judged(mistakes, {probe: one[name] for probe, one in known.items()}, checks, right)

    def _asked(self, question: Question) -> list[Check]:
        return [check for check in checks_of(self.kit, question.part) if not question.probes or check.probe in question.probes]

    def _rounds(self, question: Question) -> Iterator[tuple[tuple[Misconception, ...], Round]]:
        """What has to be run to answer a question."""
        probes = probes_of(self._asked(question))
        for mistakes in question.wanted:
            if any(_name(mistakes) not in self._recalled(question.part, probe) for probe in probes):
                parts = self._texts(mistakes)
                if parts is not None:
                    yield mistakes, Round(parts, probes)

    def _texts(self, mistakes: tuple[Misconception, ...]) -> Mapping[str, Part] | None:
        """The reference's parts with these mistakes, or None where their edits exclude each other."""
        parts = mistaken(self.kit, mistakes)
        return None if parts is None else {**self.kit.reference.parts, **parts}

    def _recalled(self, part: str, probe: str) -> dict[str, Observation]:
        """What is known of one probe, from the store at first."""
        if (part, probe) not in self._known:
            kept = self._store.read(f"{part} {probe}") if self._store else None
            self._known[part, probe] = {name: seen[probe] for name, seen in (kept or {}).items()}
        return self._known[part, probe]

    def _remember(self, question: Question) -> None:
        """Write what is known to the store: single mistakes, and pairs of which one probe was run. Pairs run whole are few and never the same."""
        probes = probes_of(self._asked(question))
        if self._store and (len(probes) == 1 or any(len(mistakes) == 1 for mistakes in question.wanted)):
            for probe in probes:
                self._store.write(f"{question.part} {probe}", {name: {probe: seen} for name, seen in self._known[question.part, probe].items()})


def _judged(mistakes: tuple[Misconception, ...], seen: Observations, checks: Sequence[Check], right: Observations) -> Variant:
    return Variant(mistakes, seen, frozenset(check.id for check in checks if not passes(check, seen[check.probe], right[check.probe])))


def _void(seen: Observations) -> bool:
    return any(one.fault is not None and one.fault.outcome is Outcome.VOID for one in seen.values())


def _name(mistakes: tuple[Misconception, ...]) -> str:
    return "+".join(mistake.id for mistake in mistakes)


def _demand_right(seen: Observations) -> None:
    for probe, observation in seen.items():
        if observation.fault is not None:
            why = observation.fault.text
            raise KitError(f"the reference fails the probe {probe} ({why}); mend solutions/ or the probe, then run `python -m graders check`")


def checks_of(kit: Kit, part: str) -> tuple[Check, ...]:
    """The checks that take this part alone."""
    return tuple(check for check in kit.checks if check.takes == (part,))


def passes(check: Check, seen: Observation, right: Observation) -> bool:
    """Whether an observation passes a check."""
    return seen.fault is None and difference(check, seen, right) is None
