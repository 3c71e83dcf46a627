"""Reports read back from the JSON that a run wrote: a folder of files, or one file with a report a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graders.engine import written
from graders.model import Report, SubmissionError


@dataclass(frozen=True)
class Results:
    """All reports in the order of their labels, and a sentence for each file that holds none."""

    reports: tuple[Report, ...]
    problems: tuple[str, ...]


def read_results(path: Path) -> Results:
    """All reports of a folder, or of one file. Of reports on the same label the last one counts.

    Raises SubmissionError where there is nothing to read.
    """
    reports: dict[str, Report] = {}
    problems: list[str] = []
    for place, text in _texts(path):
        try:
            report = written.read(text)
            reports[report.label] = report
        except ValueError as error:
            problems.append(f"{place} is no report and was left out ({error}); grade that submission again")
    if not reports:
        raise SubmissionError(f"{path} holds no report; name the folder that `grade --out` wrote, or a file that `grade --json` wrote")
    return Results(tuple(reports[label] for label in sorted(reports, key=order)), tuple(problems))


def order(label: str) -> tuple[str, str]:
    """What labels are sorted by: letters before their case."""
    return label.casefold(), label


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """Where a report should be, and its text."""
    try:
        if path.is_dir():
            files = sorted(file for file in path.glob("*.json") if not file.name.startswith("."))
            yield from ((str(file), file.read_text(encoding="utf-8", errors="replace")) for file in files)
        else:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            yield from ((f"{path}, line {number},", line) for number, line in enumerate(lines, 1) if line.strip())
    except OSError as error:
        raise SubmissionError(f"{path} cannot be read ({error.strerror or error}); check the path") from None
