"""Which probes run together, and whose parts they get: the whole double-jeopardy rule.

A part under test is the student's; a part that it only builds on is the reference's. So a wrong norm cannot spoil the block,
and the sandbox of a job never holds the reference of a part that it tests.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from graders.model import Check, Kit, Part, Submission


@dataclass(frozen=True)
class Job:
    """Checks that share one set of parts. `foreign` names the parts that come from the reference."""

    checks: tuple[Check, ...]
    foreign: frozenset[str]

    @property
    def probes(self) -> tuple[str, ...]:
        """The probes of the checks, each once, in order."""
        return tuple(dict.fromkeys(check.probe for check in self.checks))

    @property
    def groups(self) -> tuple[Job, ...]:
        """The same work cut by the parts taken, for running one group alone."""
        takes = dict.fromkeys(check.takes for check in self.checks)
        return tuple(Job(tuple(check for check in self.checks if check.takes == those), self.foreign) for those in takes)


def jobs(kit: Kit, checks: tuple[Check, ...]) -> tuple[Job, ...]:
    """As few jobs as the rule allows: checks whose parts build on the same foreign parts go together."""
    by_foreign: dict[frozenset[str], list[Check]] = {}
    for check in checks:
        foreign = frozenset().union(*(kit.needs[part] for part in check.takes)) - set(check.takes)
        by_foreign.setdefault(foreign, []).append(check)
    return tuple(Job(tuple(found), foreign) for foreign, found in by_foreign.items())


def assemble(student: Submission, reference: Submission, job: Job) -> Mapping[str, Part]:
    """The parts of one job: the student's everywhere, except the foreign ones."""
    return {**student.parts, **{name: reference.parts[name] for name in job.foreign}}


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
