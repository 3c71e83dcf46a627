"""What all three measurements share: the kit with its answer keys, the first line of a case, and a table of counts."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from graders.engine.key import AnswerKey, checks_of, passes
from graders.engine.observer import Observer
from graders.engine.plan import is_rule, probes_of
from graders.engine.scene import Scene, fully
from graders.model import Check, Kit, Part


@dataclass(frozen=True)
class Bench:
    """The kit, a worker, and answer keys under three seeds: the first is graded with, the others say which mistakes have the same numbers."""

    kit: Kit
    observer: Observer
    keys: tuple[AnswerKey, ...]

    def checks(self, part: str) -> tuple[Check, ...]:
        """The checks of a part, rules aside."""
        return tuple(check for check in checks_of(self.kit, part) if not is_rule(check.id))

    def scene(self, part: str, parts: dict[str, Part], key: AnswerKey) -> Scene:
        """What is seen of a part with these texts."""
        checks = self.checks(part)
        seen = self.observer.observe({**self.kit.reference.parts, **parts}, probes_of(checks), key.seed)
        right = key.reference(self.observer)
        failed = frozenset(check.id for check in checks if not passes(check, seen[check.probe], right[check.probe]))
        return Scene(part, checks, failed, seen)

    def same_numbers(self, part: str, parts: dict[str, Part], names: tuple[str, ...]) -> bool:
        """Whether these mistakes explain all that these texts give under the other seeds too."""
        mistakes = tuple(mistake for name in names for mistake in self.kit.misconceptions if (mistake.part, mistake.id) == (part, name))
        return all(
            fully(self.scene(part, parts, key), variant)
            for key in self.keys[1:]
            for variant in key.variants(part, [mistakes], self.observer)
        )


def field(text: str, name: str) -> list[str]:
    """The words of one field of a case's first line."""
    found = re.search(rf"{name}: ([^;]*)", text.partition("\n")[0])
    return [word.strip() for word in found[1].split(",")] if found else []


def own(name: str, slug: str, file: Path) -> bool:
    """Whether a mistake's id is that of the case: its slug, or the file's own name."""
    return name.startswith(slug) or name == file.stem


def table(count: Counter[str]) -> None:
    for name, number in sorted(count.items()):
        print(f"   {number:5} {name}")
