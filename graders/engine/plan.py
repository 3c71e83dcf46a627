"""Which probes run together, and whose parts they get: the whole double-jeopardy rule.

A part under test is the student's; a part that it only builds on is a right one: the student's own where all its checks pass, else
the reference's. So a wrong norm cannot spoil the block, and the sandbox of a job never holds the reference of a part that it tests.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graders.model import Check, Kit, Part, Submission


@dataclass(frozen=True)
class Round:
    """One set of parts, and the probes to run over it."""

    parts: Mapping[str, Part]
    probes: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """The checks that take the same parts. `foreign` names the parts that these build on and that are not under test here."""

    checks: tuple[Check, ...]
    foreign: frozenset[str]

    @property
    def probes(self) -> tuple[str, ...]:
        """The probes of the checks, each once, in order."""
        return probes_of(self.checks)


def probes_of(checks: Iterable[Check]) -> tuple[str, ...]:
    """The probes of these checks, each once, in order."""
    return tuple(dict.fromkeys(check.probe for check in checks))


def is_rule(name: str) -> bool:
    """Whether the check or the probe of this name, such as `part.rule_x`, is about how code is written: its probe reads the text."""
    return ".rule_" in name


def groups(kit: Kit, checks: tuple[Check, ...]) -> tuple[Group, ...]:
    """The checks cut by the parts they take; those that build on fewer parts come first."""
    by_takes: dict[tuple[str, ...], list[Check]] = {}
    for check in checks:
        by_takes.setdefault(check.takes, []).append(check)
    cut = (Group(tuple(found), frozenset().union(*(kit.needs[part] for part in takes)) - set(takes)) for takes, found in by_takes.items())
    return tuple(sorted(cut, key=lambda group: len(group.foreign)))


def assemble(student: Submission, reference: Submission, group: Group) -> Mapping[str, Part]:
    """The parts for one group: the student's everywhere, except the foreign ones."""
    return {**student.parts, **{name: reference.parts[name] for name in group.foreign}}


def dependencies(reference: Submission) -> Mapping[str, frozenset[str]]:
    """For each part, all parts that its reference imports, directly or through others."""
    direct = {name: _imports(part.text) & set(reference.parts) for name, part in reference.parts.items()}
    reached: dict[str, frozenset[str]] = {}
    for name, siblings in direct.items():
        found, new = set[str](), set(siblings)
        while new:
            found |= new
            new = set().union(*(direct[other] for other in new)) - found
        reached[name] = frozenset(found - {name})
    return reached


def _imports(text: str) -> set[str]:
    """Names of sibling modules: `from .a import b`, `from . import a`, `from exercises.a import b`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.level == 1 or (node.module or "").split(".")[0] == "exercises"):
            module = (node.module or "").removeprefix("exercises").lstrip(".")
            names |= {module} if module else {alias.name for alias in node.names}
    return names
