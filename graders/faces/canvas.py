"""Canvas: reports and the gradebook's own export become a file that the gradebook imports. Only the assignment's cells are new."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from graders.engine.roster import Filled, Sheet, changed, match, names, render
from graders.faces.text import clean, guarded, number
from graders.model import Report, SubmissionError

IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")
ABOUT = ("Student", *IDS, "Root Account", "Section")
NUMBER = re.compile(r"\s*\(\d+\)$")  # behind an assignment's name
POINTS, READ_ONLY = "Points Possible", "(read only)"
NOBODY = "Student, Test"  # Canvas's own test student


def fill(sheet: Sheet, reports: Sequence[Report], assignment: str = "") -> tuple[str, Filled]:
    """The text of the file, and what was done. Raises SubmissionError for a table that is not Canvas's or has no such assignment."""
    column, filled = _column(sheet, assignment), Filled()
    students = {row: cells for row, cells in enumerate(sheet.rows) if not _is_about(sheet, cells)}
    rows = match([report.label for report in reports], {row: _keys(sheet, cells) for row, cells in students.items()}, filled)
    for report in reports:
        if report.label not in rows:
            continue
        if report.needs_human:
            filled.lost.append(f"{report.label} needs a human, since the grader itself failed at some checks; its grade is not written")
            continue
        filled.cells[rows[report.label], column] = number(report.points)
        filled.placed += 1
    filled.notes += _notes(sheet, students, set(rows.values()))
    filled.notes += _points(sheet, column, max((report.possible for report in reports), default=0.0))
    return render(changed(sheet, {sheet.header.index("Student")}, guarded), filled.cells), filled


def _column(sheet: Sheet, assignment: str) -> int:
    """The assignment's column: the one that is named, else the only one there is."""
    if "Student" not in sheet.header or not set(IDS) & set(sheet.header):
        raise SubmissionError("the roster is not from Canvas: it has no columns Student and ID; export it in the gradebook")
    read_only = {column for cells in sheet.rows if _is_about(sheet, cells) for column, text in enumerate(cells) if READ_ONLY in text}
    free = {column: name for column, name in enumerate(sheet.header) if name not in ABOUT and column not in read_only}
    found = [column for column, name in free.items() if not assignment or assignment in (name, NUMBER.sub("", name))]
    if len(found) != 1:
        there = "; ".join(clean(name) for name in free.values()) or "none"
        asked = f"'{assignment}' names {len(found)} of them" if assignment else "name one with --assignment"
        raise SubmissionError(f"{asked}; the roster's assignments are: {there}")
    return found[0]


def _is_about(sheet: Sheet, cells: Sequence[str]) -> bool:
    """True for the rows between the header and the students, such as `Points Possible`: they belong to nobody."""
    about = dict(zip(sheet.header, cells, strict=False))
    return about["Student"].strip() in ("", POINTS) or not any(about.get(name, "").strip() for name in IDS)


def _keys(sheet: Sheet, cells: Sequence[str]) -> tuple[str, ...]:
    about = dict(zip(sheet.header, cells, strict=False))
    last, _, first = (word.strip() for word in about["Student"].partition(","))
    login = about.get("SIS Login ID", "").partition("@")[0]
    return (*(about.get(name, "") for name in IDS), login, about["Student"], *names(first, last))


def _notes(sheet: Sheet, students: Mapping[int, Sequence[str]], placed: Collection[int]) -> Iterator[str]:
    """Who has no result."""
    place = sheet.header.index("Student")
    for row, cells in students.items():
        if row not in placed and cells[place] != NOBODY:
            yield f"{cells[place]} has no result; the cell stays as it is"


def _points(sheet: Sheet, column: int, possible: float) -> Iterator[str]:
    """Whether the points of both sides agree."""
    place = sheet.header.index("Student")
    stated = next((cells[column].strip() for cells in sheet.rows if cells[place].strip() == POINTS), "")
    if stated and stated not in (number(possible), f"{possible:.1f}", f"{possible:.2f}"):
        yield f"the assignment is worth {stated} points in Canvas and {number(possible)} here; change it there, or the grades look wrong"
