"""Moodle: reports and a grading worksheet, or any list of participants, become a file that Moodle imports: grade and feedback, always both."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence

from graders.engine.roster import Filled, Sheet, changed, match, names, render
from graders.faces.text import OUTCOMES, by_group, clean, earned, guarded, number, possible
from graders.model import Outcome, Report, SubmissionError

IDENTIFIER, EMAIL, FULL = "identifier", "email address", "full name"
IDS = (IDENTIFIER, "id number", EMAIL, "username")
NAMES = (FULL, "first name", "last name", "surname")
GRADE, MOST, CHANGEABLE, FEEDBACK = "grade", "maximum grade", "grade can be changed", "feedback comments"


def fill(sheet: Sheet, reports: Sequence[Report], assignment: str = "") -> tuple[str, Filled]:
    """The text of the file, and what was done. Raises SubmissionError for a table that Moodle did not write.

    In a grading worksheet the cells for grade and feedback are filled; to any other table two columns are added for them.
    """
    at = {name.strip().casefold(): column for column, name in enumerate(sheet.header)}
    if not set(IDS) & set(at):
        raise SubmissionError(f"the roster is not from Moodle, or not in English: it has none of the columns {', '.join(IDS)}")
    more = () if {GRADE, FEEDBACK} <= set(at) else (assignment or "Grade", f"{assignment} feedback".strip().capitalize())
    grade, feedback = (len(sheet.header), len(sheet.header) + 1) if more else (at[GRADE], at[FEEDBACK])
    filled, people = Filled(), [_about(at, row) for row in sheet.rows]
    rows = match([report.label for report in reports], {row: _keys(about) for row, about in enumerate(people)}, filled)
    for report in reports:
        reason = _refusal(report, people[rows[report.label]]) if report.label in rows else ""
        if reason:
            filled.lost.append(f"{report.label} {reason}; its grade is not written")
        elif report.label in rows:
            filled.cells[rows[report.label], grade] = number(report.points)
            filled.cells[rows[report.label], feedback] = words(report)
            filled.placed += 1
    filled.notes += _notes(people, rows, reports)
    return render(changed(sheet, {at[name] for name in NAMES if name in at}, guarded), filled.cells, more), filled


def words(report: Report) -> str:
    """The feedback as Moodle shows it: each group's points, and what was wrong with the hint for it. What students wrote gives no markup."""
    return "<br>".join(html.escape(line, quote=False) for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield f"{number(report.points)} of {number(report.possible)} points"
    for group, verdicts in by_group(report.verdicts).items():
        yield f"{group}: {number(earned(verdicts))} of {number(possible(verdicts))}"
        hints: set[str] = set()
        for verdict in verdicts:
            if verdict.outcome is not Outcome.PASSED:
                hint = verdict.hint.text if verdict.hint and verdict.hint.text not in hints else ""
                hints.add(hint)
                said = f"{verdict.check.id.split('.')[-1]} {OUTCOMES[verdict.outcome]}: {clean(verdict.message)}".rstrip(": ")
                yield f"- {said}{f' Hint: {clean(hint)}' if hint else ''}"
    yield from (clean(note) for note in report.notes)


def _about(at: Mapping[str, int], row: Sequence[str]) -> dict[str, str]:
    return {name: row[column].strip() for name, column in at.items() if column < len(row)}


def _keys(about: Mapping[str, str]) -> tuple[str, ...]:
    first, last = about.get("first name", ""), about.get("last name", about.get("surname", ""))
    return (*(about.get(name, "") for name in IDS), about.get(EMAIL, "").partition("@")[0], about.get(FULL, ""), *names(first, last))


def _refusal(report: Report, about: Mapping[str, str]) -> str:
    if report.needs_human:
        return "needs a human, since the grader itself failed at some checks"
    return "has a grade that Moodle has locked" if about.get(CHANGEABLE, "").casefold() == "no" else ""


def _notes(people: Sequence[Mapping[str, str]], rows: Mapping[str, int], reports: Sequence[Report]) -> Iterator[str]:
    for row, about in enumerate(people):
        if row not in rows.values():
            name = about.get(FULL) or f"{about.get('first name', '')} {about.get('last name', about.get('surname', ''))}".strip()
            yield f"{name or about.get(EMAIL) or f'row {row + 2}'} has no result; the cells stay as they are"
    stated = next((about[MOST] for about in people if about.get(MOST)), "")
    most = max((report.possible for report in reports), default=0.0)
    if stated and stated.replace(",", ".") not in (number(most), f"{most:.1f}", f"{most:.2f}"):
        yield f"the assignment has a maximum grade of {stated} in Moodle and {number(most)} here; change it there, or Moodle refuses or rescales"
