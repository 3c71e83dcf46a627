"""How the kit and the machine are: one line a promise, one line a layer of the wall, and under it what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from graders.faces.text import clean

if TYPE_CHECKING:
    from graders.engine.doctor import Finding

MOST = 12  # problems of one promise that are shown


def promise(title: str, problems: Sequence[str], seconds: float) -> RenderableType:
    """One promise: kept, or broken with its problems below."""
    text = Text("broken " if problems else "kept   ", "red" if problems else "green")
    text.append(title, "not bold default").append(f"  {seconds:.1f} s", "dim")
    lines = [clean(problem) for problem in problems[:MOST]]
    if len(problems) > MOST:
        lines.append(f"and {len(problems) - MOST} more")
    for line in lines:
        text.append(f"\n       - {line}", "default")
    return text


def diagnosis(findings: Iterable[Finding]) -> RenderableType:
    """Every layer with its state in words, and the remedy where one is needed."""
    text = Text()
    for finding in findings:
        text.append("works    " if finding.works else "missing  ", "green" if finding.works else "red")
        text.append(f"{clean(finding.name)}: {clean(finding.detail)}\n", "default")
        if finding.remedy and not finding.works:
            text.append(f"         remedy: {clean(finding.remedy)}\n", "default")
    return text
