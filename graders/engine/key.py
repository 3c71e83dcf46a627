"""The answer key: what the reference and every known mistake give on this run's inputs, in this machine's torch.

Made on first need, part by part, and kept: a right submission never pays for a mistake. On disk it is cached by content.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from graders.engine import cache
from graders.engine.compare import difference
from graders.engine.kit import mistaken
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
    """One or two known mistakes, what they give, and the checks they fail."""

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
        self._known: dict[tuple[str, str], Variant] = {}  # by part and name
        self._glanced: dict[str, dict[tuple[Misconception, ...], Observation]] = {}  # by probe
        self._lock = threading.RLock()

    def reference(self, observer: Observes) -> Observations:
        """What the reference gives, for every probe. Raises KitError where the reference itself fails a probe."""
        with self._lock:
            if self._reference is None:
                probes = tuple(dict.fromkeys(check.probe for check in self.kit.checks))
                parts = self.kit.reference.parts
                seen = self._kept("reference", lambda: {"": observer.observe(parts, probes, self.seed)})[""]
                _demand_right(seen)
                self._reference = seen
            return self._reference

    def singles(self, part: str, observer: Observes) -> tuple[Variant, ...]:
        """Every known mistake of one part."""
        return self.variants(part, self.alone(part), observer)

    def alone(self, part: str) -> list[tuple[Misconception, ...]]:
        """Each known mistake of one part, as a set of its own."""
        return [(mistake,) for mistake in self.kit.misconceptions if mistake.part == part]

    def variants(self, part: str, wanted: Sequence[tuple[Misconception, ...]], observer: Observes) -> tuple[Variant, ...]:
        """What each set of mistakes of this part gives. Sets whose edits exclude each other are left out."""
        with self._lock:
            new = [mistakes for mistakes in wanted if (part, _name(mistakes)) not in self._known]
            for variant in self._build(part, new, observer):
                if not _void(variant.seen):  # else the worker failed, and the next who needs it has it run again
                    self._known[part, variant.name] = variant
            found = [self._known.get((part, _name(mistakes))) for mistakes in wanted]
        return tuple(variant for variant in found if variant is not None)

    def glances(
        self, part: str, wanted: Sequence[tuple[Misconception, ...]], probe: str, observer: Observes
    ) -> Mapping[tuple[Misconception, ...], Observation]:
        """What each set of mistakes of this part gives in one probe alone: quick, for choosing which sets to run whole."""
        with self._lock:
            known = self._glanced.setdefault(probe, {})
            texts = {mistakes: self._texts(mistakes) for mistakes in wanted if mistakes not in known}
            new = {mistakes: parts for mistakes, parts in texts.items() if parts is not None}
            seen = observer.observe_variants(list(new.values()), (probe,), self.seed) if new else ()
            known.update({mistakes: one[probe] for mistakes, one in zip(new, seen, strict=True) if not _void(one)})
            return {mistakes: known[mistakes] for mistakes in wanted if mistakes in known}

    def _texts(self, mistakes: tuple[Misconception, ...]) -> Mapping[str, Part] | None:
        """The reference's parts with these mistakes, or None where their edits exclude each other."""
        parts = mistaken(self.kit, mistakes)
        return None if parts is None else {**self.kit.reference.parts, **parts}

    def _build(self, part: str, wanted: Sequence[tuple[Misconception, ...]], observer: Observes) -> Iterator[Variant]:
        edited = {_name(mistakes): self._texts(mistakes) for mistakes in wanted}
        texts = {name: parts for name, parts in edited.items() if parts is not None}
        if not texts:
            return
        own = checks_of(self.kit, part)
        probes = tuple(dict.fromkeys(check.probe for check in own))
        right = self.reference(observer)
        label = f"{part} {' '.join(texts)}"
        seen = self._kept(label, lambda: dict(zip(texts, observer.observe_variants(list(texts.values()), probes, self.seed), strict=True)))
        for mistakes in wanted:
            if _name(mistakes) in seen:
                one = seen[_name(mistakes)]
                yield Variant(mistakes, one, frozenset(check.id for check in own if not passes(check, one[check.probe], right[check.probe])))

    def _kept(self, label: str, make: Callable[[], Mapping[str, Observations]]) -> Mapping[str, Observations]:
        """Observations by name: from the store, or made now and stored."""
        kept = self._store.read(label) if self._store else None
        if kept is None:
            kept = make()
            if self._store:
                self._store.write(label, kept)
        return kept


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
