"""The answer key: what the reference and every known mistake give on this run's inputs, in this machine's torch.

Made on first need, part by part, and kept: a right submission never pays for a mistake. On disk it is cached by content.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from graders.engine import cache
from graders.engine.compare import difference
from graders.engine.kit import mistaken
from graders.engine.plan import probes_of
from graders.model import Check, Kit, KitError, Misconception, Observation, Outcome, Part

Observations = Mapping[str, Observation]


class Observes(Protocol):
    """Whoever can run probes over parts: the Observer, or a test's stand-in."""

    def observe(self, parts: Mapping[str, Part], probes: Sequence[str], seed: int) -> Mapping[str, Observation]:
        """Run the probes and give what came out."""

    def observe_variants(self, variants: Sequence[Mapping[str, Part]], probes: Sequence[str], seed: int) -> Sequence[Mapping[str, Observation]]:
        """Run the same probes over each of the kit's own variants."""


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
        """What each set of mistakes of this part gives in some of its probes (none named: in all), whatever is not yet known run now.

        Sets whose edits exclude each other are left out, and so is what the worker failed on: the next who needs it has it run again.
        """
        own = [check for check in checks_of(self.kit, part) if not probes or check.probe in probes]
        probes = probes_of(own)
        right = self.reference(observer)
        with self._lock:
            known = {probe: self._recalled(part, probe) for probe in probes}
            texts = {mistakes: self._texts(mistakes) for mistakes in wanted if any(_name(mistakes) not in known[probe] for probe in probes)}
            new = {mistakes: parts for mistakes, parts in texts.items() if parts is not None}
            if new:
                for mistakes, seen in zip(new, observer.observe_variants(list(new.values()), probes, self.seed), strict=True):
                    if not _void(seen):
                        for probe in probes:
                            known[probe][_name(mistakes)] = seen[probe]
                self._remember(part, probes, any(len(mistakes) == 1 for mistakes in new))
        found = {mistakes: {probe: known[probe][_name(mistakes)] for probe in probes if _name(mistakes) in known[probe]} for mistakes in wanted}
        return tuple(_judged(mistakes, seen, own, right) for mistakes, seen in found.items() if len(seen) == len(probes))

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

    def _remember(self, part: str, probes: Sequence[str], singles: bool) -> None:
        """Write what is known to the store: single mistakes, and pairs of which one probe was run. Pairs run whole are few and never the same."""
        if self._store and (singles or len(probes) == 1):
            for probe in probes:
                self._store.write(f"{part} {probe}", {name: {probe: seen} for name, seen in self._known[part, probe].items()})


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
