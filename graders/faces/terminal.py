"""Reports in a terminal: one student in detail, or a class in a table. Every outcome is said in words; colour only repeats it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from graders.faces.text import OUTCOMES, by_group, clean, earned, noticed, number, possible, title
from graders.model import Outcome, Report, Verdict

WIDEST = 110  # longer lines are hard to read
MARKS = {Outcome.PASSED: ("✓", "green"), Outcome.FAILED: ("✗", "red"), Outcome.VOID: ("?", "magenta"), Outcome.UNFINISHED: ("·", "yellow")}
READ = re.compile(r"^(.+\.ipynb was read): .*", re.DOTALL)
OTHER = ("!", "red")  # crashed, timed out, missing


def detail(report: Report) -> RenderableType:
    """All about one student: by group, each check with its outcome and points, what was seen, and the hint."""
    rows: list[RenderableType] = [Text(clean(report.label), "bold"), *(Text(clean(note), "yellow") for note in (*report.notes, *noticed(report)))]
    for group, verdicts in by_group(report.verdicts).items():
        rows += [Text(), _line(group, "", verdicts, "bold"), _checks(verdicts)]
    rows += [Text(), _line("total", _tally(report), report.verdicts, "bold"), Text(f"{_run(report)}, {report.seconds:.2f} s", "dim")]
    return Constrain(Group(*rows), WIDEST)


@dataclass(frozen=True)
class Row:
    """What the table of a class says of one student, so that the report itself need not be kept. Groups: points earned and possible."""

    label: str
    groups: Mapping[str, tuple[float, float]]
    points: float
    possible: float
    remarks: tuple[str, ...]
    run: str


def summary(report: Report) -> Row:
    """A student's row: points by group and in total; known mistakes, other outcomes than right and wrong, notes, the first sign of tampering."""
    named = dict.fromkeys(name for verdict in report.verdicts if verdict.hint for name in verdict.hint.misconceptions)
    counts = Counter(verdict.outcome for verdict in report.verdicts)
    odd = [f"{count} {OUTCOMES[outcome]}" for outcome, count in counts.items() if outcome not in (Outcome.PASSED, Outcome.FAILED)]
    human = "needs a human: the grader itself failed here" if report.needs_human else ""
    groups = {group: (earned(verdicts), possible(verdicts)) for group, verdicts in by_group(report.verdicts).items()}
    remarks = tuple(filter(None, (human, ", ".join((*named, *odd)), *map(_short, report.notes), *noticed(report)[:1])))
    return Row(report.label, groups, report.points, report.possible, remarks, _run(report))


def _short(note: str) -> str:
    """A note for a narrow column: that a notebook was read, without its cells, which the report has."""
    return READ.sub(r"\1.", note)


def added(total: Row | None, one: Row) -> Row:
    """The sums over some students, with one more. All were graded by the same checks."""
    if total is None:
        return one
    groups = {name: (total.groups[name][0] + got, total.groups[name][1] + most) for name, (got, most) in one.groups.items()}
    return Row("", groups, total.points + one.points, total.possible + one.possible, (), one.run)


def average(total: Row, count: int) -> Row:
    """One row in place of many, from the sums over them."""
    groups = {name: (got / count, most / count) for name, (got, most) in total.groups.items()}
    return Row(f"average of {count}", groups, total.points / count, total.possible / count, (), total.run)


def overview(rows: Sequence[Row], count: int) -> RenderableType:
    """A class of so many: a row a student, and what is worth a look under the label."""
    names = dict.fromkeys(group for row in rows for group in row.groups)
    most = {group: max(row.groups.get(group, (0.0, 0.0))[1] for row in rows) for group in names}
    table = Table(box=None, expand=True, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("student", ratio=1, overflow="fold")
    for group in names:
        table.add_column(Text(f"{group}\nof {number(most[group])}", justify="right"), justify="right", no_wrap=True)
    table.add_column(Text("total", justify="right"), justify="right", no_wrap=True)
    for row in rows:
        cells = [number(row.groups[group][0]) if group in row.groups else "-" for group in names]
        table.add_row(_student(row), *cells, Text(f"{number(row.points)} of {number(row.possible)}", "bold"))
    return Constrain(Group(table, Text(f"\n{count} graded; {rows[0].run}", "dim")), WIDEST)


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


def _student(row: Row) -> RenderableType:
    """The label, and below it the remarks."""
    return Group(Text(clean(row.label)), *(Padding(Text(clean(line), "dim"), (0, 0, 0, 2)) for line in row.remarks))


def _tally(report: Report) -> str:
    """For example `12 passed, 3 failed`, in the order of Outcome."""
    counts = Counter(verdict.outcome for verdict in report.verdicts)
    return ", ".join(f"{counts[outcome]} {OUTCOMES[outcome]}" for outcome in Outcome if counts[outcome])


def _run(report: Report) -> str:
    """How the run can be repeated: one batch has one seed."""
    return f"seed {report.seed}, isolation {clean(report.isolation)}, kit {clean(report.kit_version)}"
