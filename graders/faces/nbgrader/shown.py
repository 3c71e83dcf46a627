"""The words and the number of one grade cell, from a sheet: plain text and a table, both free of whatever a student's code might have said."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graders.engine.lesson import group_of
from graders.faces.nbgrader.desk import Sheet
from graders.faces.text import OUTCOMES, by_group, clean, earned, number
from graders.model import Outcome, Report, Verdict

NO_TESTS = "The visible tests are for the student and carry no points; they are not run here."
NO_GROUP = "No checks of the kit belong to this cell; a person must grade it."
OTHER_POINTS = "The checks are worth {now} points now, but this cell {then}: write the course again, or grade this cell by hand."
LEFT = "text-align:left;vertical-align:top;padding:0 1.5em 0.2em 0"
VOID = "The grader could not decide every check: a person must look."


@dataclass(frozen=True)
class Shown:
    """What a grade cell receives. `points` lies between 0 and the cell's own points."""

    points: float
    lines: tuple[str, ...]
    verdicts: tuple[Verdict, ...] = ()
    run: str = ""
    needs_human: bool = False

    @property
    def text(self) -> str:
        """For any front end."""
        rows = (line for verdict, reasons in _reasons(self.verdicts) for line in _as_text(verdict, reasons))
        return "\n".join(filter(None, (*self.lines, *rows, self.run)))

    @property
    def html(self) -> str:
        """The same as a table. Colour repeats what a word says."""
        head = "".join(f"<p>{html.escape(line)}</p>" for line in self.lines)
        rows = "".join(_as_row(verdict, reasons) for verdict, reasons in _reasons(self.verdicts))
        names = "".join(f'<th scope="col" style="{LEFT}">{name}</th>' for name in ("Result", "Points", "What was tried"))
        table = f"<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
        return head + table + (f"<p>{html.escape(self.run)}</p>" if self.run else "")


def cell(name: str, possible: float, sheet: Sheet) -> Shown:
    """What belongs into the grade cell `name` that is worth `possible` points."""
    group = group_of(name)
    if not possible:
        return Shown(0.0, (NO_TESTS,))
    if sheet.report is None:
        return Shown(0.0, (clean(sheet.reason, 1000),), needs_human=sheet.ours)
    verdicts = by_group(sheet.report.verdicts).get(group)
    if not verdicts:
        return Shown(0.0, (NO_GROUP,), needs_human=True)
    return _graded(verdicts, possible, sheet.report)


def _graded(verdicts: list[Verdict], possible: float, report: Report) -> Shown:
    points, now = round(earned(verdicts), 6), round(sum(verdict.check.points for verdict in verdicts), 6)
    passed = sum(verdict.outcome is Outcome.PASSED for verdict in verdicts)
    lines = [f"{number(points)} of {number(now)} points: {passed} of {len(verdicts)} checks passed."]
    void = any(verdict.outcome is Outcome.VOID for verdict in verdicts)
    if void:
        lines.append(VOID)
    if now != possible:
        lines.append(OTHER_POINTS.format(now=number(now), then=f"was written for {number(possible)}"))
    lines += [clean(note) for note in report.notes]
    run = f"seed {report.seed}, isolation {clean(report.isolation)}, kit {clean(report.kit_version)}"
    told = [verdict for verdict in verdicts if verdict.check.visibility != "hidden"]
    if len(told) < len(verdicts):
        lines.append(f"{len(verdicts) - len(told)} of the checks are not shown here.")
    order = sorted(told, key=lambda verdict: verdict.outcome is Outcome.PASSED)  # what needs work comes first
    return Shown(min(points, possible), tuple(lines), tuple(order), run, void or now != possible)


def _reasons(verdicts: Iterable[Verdict]) -> Iterator[tuple[Verdict, tuple[str, ...]]]:
    """Each verdict with its message and hint, each told once in a cell."""
    said: set[str] = set()
    for verdict in verdicts:
        lines = dict.fromkeys(filter(None, (clean(verdict.message), f"Hint: {clean(verdict.hint.text)}" if verdict.hint else "")))
        yield verdict, tuple(line for line in lines if line not in said)
        said |= lines.keys()


def _score(verdict: Verdict) -> str:
    return "void" if verdict.outcome is Outcome.VOID else f"{number(verdict.points)} of {number(verdict.possible)}"


def _as_text(verdict: Verdict, reasons: Iterable[str]) -> Iterator[str]:
    yield f"  {OUTCOMES[verdict.outcome]:<10}  {_score(verdict):>10}  {clean(verdict.check.title)}"
    yield from (f"{'':26}{line}" for line in reasons)


def _as_row(verdict: Verdict, reasons: Iterable[str]) -> str:
    colour = "#1a6b2f" if verdict.outcome is Outcome.PASSED else "#a01f1f"
    why = "".join(f"<br><em>{html.escape(line)}</em>" for line in reasons)
    cells = (f'<span style="color:{colour}">{OUTCOMES[verdict.outcome]}</span>', _score(verdict), html.escape(clean(verdict.check.title)) + why)
    styles = (f"{LEFT};white-space:nowrap", f"{LEFT};white-space:nowrap", LEFT)
    return "<tr>" + "".join(f'<td style="{style}">{text}</td>' for style, text in zip(styles, cells, strict=True)) + "</tr>"
