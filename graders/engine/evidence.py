"""Gather all that defends one point: what the content says, what was tried, what came out, and where it parts from what is right."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from graders.engine.compare import Difference, difference
from graders.engine.grade import Observing, grade
from graders.engine.key import AnswerKey
from graders.engine.kit import PROBES
from graders.engine.plan import assemble, groups
from graders.model import Check, Kit, KitError, Misconception, Observation, Report, Submission, Verdict


@dataclass(frozen=True)
class Evidence:
    """`line` and `source` are texts with their place in front; `seen` is None where nothing could be tried."""

    report: Report
    verdict: Verdict
    line: str
    source: str
    seen: Observation | None
    right: Observation
    difference: Difference | None
    mistakes: tuple[Misconception, ...]


def gather(submission: Submission, kit: Kit, name: str, key: AnswerKey, observer: Observing) -> Evidence:
    """The evidence for the check called `name`. Raises KitError where there is no such check."""
    check = find_check(kit, name)
    report = grade(submission, kit, key, observer)
    verdict = next(verdict for verdict in report.verdicts if verdict.check.id == check.id)
    [group] = groups(kit, (check,))
    right = key.reference(observer)[check.probe]
    there = set(check.takes) <= set(submission.parts)
    seen = observer.observe(assemble(submission, kit.reference, group), group.probes, key.seed).get(check.probe) if there else None
    found = difference(check, seen, right) if seen and not seen.fault else None
    names = verdict.hint.misconceptions if verdict.hint else ()
    mistakes = tuple(mistake for mistake in kit.misconceptions if mistake.id in names and mistake.part in check.takes)
    return Evidence(report, verdict, points_line(kit.root, check), probe_source(kit.root, check), seen, right, found, mistakes)


def find_check(kit: Kit, name: str) -> Check:
    """The check with this id; `group::name`, as pytest writes it, will do. Raises KitError with the ids that are near."""
    name = name.replace("::", ".")
    for check in kit.checks:
        if check.id == name:
            return check
    alike = [check.id for check in kit.checks if check.id.split(".")[-1] == name]
    if alike:
        raise KitError(f"grading.toml has no check {name!r}; did you mean {', '.join(alike)}?")
    near = [check.id for check in kit.checks if check.id.split(".")[0] == name.split(".")[0]]
    groups = dict.fromkeys(check.id.split(".")[0] for check in kit.checks)
    raise KitError(f"grading.toml has no check {name!r}; " + (f"there are {', '.join(near)}" if near else f"its groups are {', '.join(groups)}"))


def points_line(root: Path, check: Check) -> str:
    """The check's line in grading.toml with its number. Empty where it is written in a form that is not one line."""
    group, name = check.id.split(".")
    table = ""
    for number, line in enumerate((root / "grading.toml").read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("["):
            table = line.strip()
        elif table == f"[{group}.points]" and line.partition("=")[0].strip().strip("\"'") == name:
            return f"grading.toml:{number}: {line.strip()}"
    return ""


def probe_source(root: Path, check: Check) -> str:
    """The probe's text, and that of the functions of its own file that it calls, each with its place in front."""
    group, name = check.probe.split(".")
    file = PROBES / f"{group}.py"
    text = (root / file).read_text(encoding="utf-8")
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    calls = [node.func.id for node in ast.walk(functions[name]) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    found = [functions[called] for called in dict.fromkeys((name, *calls)) if called in functions]
    return "\n\n".join(f"# {file.as_posix()}:{node.lineno}\n{ast.get_source_segment(text, node)}" for node in found)
