"""Reports in a terminal: one student in detail, or a class in a table. Every outcome is said in words; colour only repeats it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from graders.faces.text import OUTCOMES, by_group, clean, earned, number, possible, title
from graders.model import Outcome, Report, Verdict

WIDEST = 110  # longer lines are hard to read
MARKS = {Outcome.PASSED: ("✓", "green"), Outcome.FAILED: ("✗", "red"), Outcome.VOID: ("?", "magenta"), Outcome.UNFINISHED: ("·", "yellow")}
OTHER = ("!", "red")  # crashed, timed out, missing


def detail(report: Report) -> RenderableType:
    """All about one student: by group, each check with its outcome and points, what was seen, and the hint."""
    rows: list[RenderableType] = [Text(clean(report.label), "bold"), *(Text(clean(note), "yellow") for note in report.notes)]
    for group, verdicts in by_group(report.verdicts).items():
        rows += [Text(), _line(group, "", verdicts, "bold"), _checks(verdicts)]
    rows += [Text(), _line("total", _tally(report), report.verdicts, "bold"), Text(f"{_run(report)}, {report.seconds:.2f} s", "dim")]
    return Constrain(Group(*rows), WIDEST)


def overview(reports: Sequence[Report]) -> RenderableType:
    """A class: a row a student, points by group and in total, and what is worth a look under the label."""
    groups = {group: max(possible(by_group(report.verdicts).get(group, ())) for report in reports) for group in _groups(reports)}
    table = Table(box=None, expand=True, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("student", ratio=1, overflow="fold")
    for group, most in groups.items():
        table.add_column(Text(f"{group}\nof {number(most)}", justify="right"), justify="right", no_wrap=True)
    table.add_column(Text("total", justify="right"), justify="right", no_wrap=True)
    for report in reports:
        found = by_group(report.verdicts)
        cells = [number(earned(found[group])) if group in found else "-" for group in groups]
        table.add_row(_student(report), *cells, Text(f"{number(report.points)} of {number(report.possible)}", "bold"))
    return Constrain(Group(table, Text(f"\n{len(reports)} graded; {_run(reports[0])}", "dim")), WIDEST)


def _groups(reports: Sequence[Report]) -> Sequence[str]:
    return tuple(dict.fromkeys(group for report in reports for group in by_group(report.verdicts)))


def _line(left: str, middle: str, verdicts: Sequence[Verdict], style: str) -> Table:
    """A group's or the report's own line, its points at the right edge."""
    grid = Table.grid(expand=True, padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(Text(left, style), Text(middle), Text(f"{number(earned(verdicts))} of {number(possible(verdicts))}", style))
    return grid


def _checks(verdicts: Sequence[Verdict]) -> Table:
    grid = Table.grid(expand=True, padding=(0, 1, 0, 0))
    grid.add_column(width=14, no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    grid.add_column(justify="right", no_wrap=True)
    said: set[str] = set()
    for verdict in verdicts:
        mark, colour = MARKS.get(verdict.outcome, OTHER)
        points = "void" if verdict.outcome is Outcome.VOID else f"{number(verdict.points)} of {number(verdict.possible)}"
        grid.add_row(Text(f"  {mark} {OUTCOMES[verdict.outcome]}", colour), _check(verdict, said), Text(points))
    return grid


def _check(verdict: Verdict, said: set[str]) -> Text:
    """Name and title, and what there is to say. A passed check keeps to one line."""
    name, passed = verdict.check.id.split(".")[-1], verdict.outcome is Outcome.PASSED
    text = Text(no_wrap=passed, overflow="ellipsis" if passed else "fold")
    text.append(name, "" if passed else "bold").append(f"  {title(verdict.check)}", "dim" if passed else "")
    for line, style in _reasons(verdict, said):
        text.append(f"\n{line}", style)
    return text


def _reasons(verdict: Verdict, said: set[str]) -> Iterator[tuple[str, str]]:
    """Message and hint. A hint is told once in a group, and so is what stopped the code; what was wrong is told of each check."""
    hint = f"Hint: {clean(verdict.hint.text)}" if verdict.hint else ""
    for line, style in ((clean(verdict.message), ""), (hint, "cyan")):
        again = line in said and not (verdict.outcome is Outcome.FAILED and line != hint)
        if line and not again:
            said.add(line)
            yield line, style


def _student(report: Report) -> RenderableType:
    """The label, and below it the known mistakes, the outcomes other than right and wrong, and notes about the files."""
    named = dict.fromkeys(name for verdict in report.verdicts if verdict.hint for name in verdict.hint.misconceptions)
    counts = Counter(verdict.outcome for verdict in report.verdicts)
    odd = [f"{count} {OUTCOMES[outcome]}" for outcome, count in counts.items() if outcome not in (Outcome.PASSED, Outcome.FAILED)]
    human = "needs a human: the grader itself failed here" if report.needs_human else ""
    lines = filter(None, (human, ", ".join((*named, *odd)), *report.notes))
    return Group(Text(clean(report.label)), *(Padding(Text(clean(line), "dim"), (0, 0, 0, 2)) for line in lines))


def _tally(report: Report) -> str:
    """For example `12 passed, 3 failed`, in the order of Outcome."""
    counts = Counter(verdict.outcome for verdict in report.verdicts)
    return ", ".join(f"{counts[outcome]} {OUTCOMES[outcome]}" for outcome in Outcome if counts[outcome])


def _run(report: Report) -> str:
    """How the run can be repeated: one batch has one seed."""
    return f"seed {report.seed}, isolation {clean(report.isolation)}, kit {clean(report.kit_version)}"
