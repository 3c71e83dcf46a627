"""Groups of students who made the same mistake, for which there is no name: who, which checks, and the shortest code."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from graders.engine.cohort.mistakes import Nameless
from graders.faces.text import clean
from graders.model import Part

LINES = 60


def render(number: int, group: Nameless, labels: Sequence[str], code: Part | None) -> Text:
    """One group, numbered from 1."""
    text = Text(f"{number}. {clean(group.part)}: {len(labels)} students\n", "bold")
    text.append(f"   {clean(', '.join(labels))}\n", "not bold default")
    for check, message in group.checks.items():
        text.append(f"   {check}: {clean(message)}\n", "not bold default")
    lines = code.text.splitlines() if code else []
    for line in lines[:LINES]:
        indent = len(line) - len(line.lstrip())
        text.append(f"     | {' ' * indent}{clean(line)}\n", "not bold dim")
    if len(lines) > LINES:
        text.append(f"     | and {len(lines) - LINES} more lines\n", "not bold dim")
    return text
