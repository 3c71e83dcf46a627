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
from graders.model import Check, Kit, KitError, Misconception, Observation, Part

Observations = Mapping[str, Observation]


class Observes(Protocol):
    """Whoever can run probes over parts: the Observer, or a test's stand-in."""

    def observe(self, parts: Mapping[str, Part], probes: Sequence[str], seed: int) -> Mapping[str, Observation]:
        """Run the probes and give what came out."""


@dataclass(frozen=True)
class Variant:
    """One or two known mistakes, what they give, and the checks they fail."""

    mistakes: tuple[Misconception, ...]
    seen: Observations
    fails: frozenset[str]


class AnswerKey:
    """Observations of the reference and of mistakes under one seed. Safe to share between threads."""

    def __init__(self, kit: Kit, seed: int, folder: Path | None = None) -> None:
        """`folder` is where observations are kept between runs (None: nowhere)."""
        self.kit, self.seed = kit, seed
        self._store = cache.Store(folder, f"{kit.version} {seed}") if folder else None
        self._seen: dict[str, Observations] = {}
        self._variants: dict[tuple[str, ...], Variant | None] = {}
        self._lock = threading.RLock()

    def reference(self, observer: Observes) -> Observations:
        """What the reference gives, for every probe. Raises KitError where the reference itself fails a probe."""
        probes = tuple(dict.fromkeys(check.probe for check in self.kit.checks))
        seen = self._observe("reference", self.kit.reference.parts, probes, observer)
        for probe, observation in seen.items():
            if observation.fault is not None:
                why = observation.fault.text
                raise KitError(f"the reference fails the probe {probe} ({why}); mend solutions/ or the probe, then run `python -m graders check`")
        return seen

    def singles(self, part: str, observer: Observes) -> tuple[Variant, ...]:
        """Every known mistake of one part."""
        found = (self.variant((mistake,), observer) for mistake in self.kit.misconceptions if mistake.part == part)
        return tuple(variant for variant in found if variant is not None)

    def variant(self, mistakes: tuple[Misconception, ...], observer: Observes) -> Variant | None:
        """What these mistakes of one part give together, or None where their edits exclude each other."""
        name = tuple(mistake.id for mistake in mistakes)
        part = mistakes[0].part
        with self._lock:
            if (part, *name) not in self._variants:
                self._variants[part, *name] = self._build(part, mistakes, observer)
            return self._variants[part, *name]

    def _build(self, part: str, mistakes: tuple[Misconception, ...], observer: Observes) -> Variant | None:
        edited = mistaken(self.kit, mistakes)
        if edited is None:
            return None
        own = checks_of(self.kit, part)
        probes = tuple(dict.fromkeys(check.probe for check in own))
        label = " ".join((part, *(mistake.id for mistake in mistakes)))
        seen = self._observe(label, {**self.kit.reference.parts, **edited}, probes, observer)
        right = self.reference(observer)
        fails = frozenset(check.id for check in own if not passes(check, seen[check.probe], right[check.probe]))
        return Variant(mistakes, seen, fails)

    def _observe(self, label: str, parts: Mapping[str, Part], probes: Sequence[str], observer: Observes) -> Observations:
        with self._lock:
            if label not in self._seen:
                kept = self._store.read(label) if self._store else None
                self._seen[label] = kept or observer.observe(parts, probes, self.seed)
                if self._store and not kept:
                    self._store.write(label, self._seen[label])
            return self._seen[label]


def checks_of(kit: Kit, part: str) -> tuple[Check, ...]:
    """The checks that take this part alone."""
    return tuple(check for check in kit.checks if check.takes == (part,))


def passes(check: Check, seen: Observation, right: Observation) -> bool:
    """Whether an observation passes a check."""
    return seen.fault is None and difference(check, seen, right) is None
