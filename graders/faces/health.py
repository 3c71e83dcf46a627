"""How the kit and the machine are: one line a promise, one line a layer of the wall, and what to do about those that are not well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from graders.engine.doctor import Finding
from graders.faces.text import clean

MOST = 12  # problems of one promise that are shown


def promise(title: str, problems: Sequence[str], seconds: float) -> Text:
    """One promise: kept, or broken with its problems below."""
    text = Text("broken " if problems else "kept   ", "red" if problems else "green")
    text.append(title, "not bold default").append(f"  {seconds:.1f} s", "dim")
    lines = [clean(problem) for problem in problems[:MOST]]
    if len(problems) > MOST:
        lines.append(f"and {len(problems) - MOST} more")
    for line in lines:
        text.append(f"\n       - {line}", "default")
    return text


def not_run(titles: Sequence[str]) -> Text:
    """That the rest was not looked at, and what to do."""
    return Text(f"not run {len(titles)} more promises: mend what is broken above, then check again", "yellow")


def diagnosis(findings: Iterable[Finding], full: bool) -> Text:
    """Every layer with its state in words, the remedy where one is needed, and what they amount to."""
    text = Text()
    for finding in findings:
        text.append("works    " if finding.works else "missing  ", "green" if finding.works else "red")
        text.append(f"{finding.name:<11}{clean(finding.detail)}\n", "default")
        if finding.remedy and not finding.works:
            text.append(f"         to have it: {clean(finding.remedy)}\n", "default")
    return text.append(f"Full isolation {'is' if full else 'is not'} in force.", "bold")
