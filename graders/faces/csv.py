"""Reports as one table of comma-separated values: a line a student, a column a group and a check. UTF-8, every text quoted."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from graders.faces.text import by_group, cell, earned
from graders.model import Outcome, Report

Row = list[str | float]


def lines(checks: Sequence[str], reports: Iterable[Report]) -> Iterator[str]:
    """The file's head, then a line a report. A void check leaves its cell empty: nobody knows what it would have been."""
    groups = list(dict.fromkeys(check.split(".")[0] for check in checks))
    yield _line(["label", "points", "possible", *groups, *checks, "needs_human", "seed", "isolation", "kit_version", "notes", "tampering"])
    for report in reports:
        yield _line(_row(report, groups, checks))


def _line(row: Row) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n").writerow(row)
    return out.getvalue()


def _row(report: Report, groups: Sequence[str], checks: Sequence[str]) -> Row:
    found = by_group(report.verdicts)
    points: dict[str, float] = {verdict.check.id: verdict.points for verdict in report.verdicts if verdict.outcome is not Outcome.VOID}
    return [
        cell(report.label),
        report.points,
        report.possible,
        *(earned(found[group]) if group in found else "" for group in groups),
        *(points.get(check, "") for check in checks),
        "yes" if report.needs_human else "no",
        report.seed,
        cell(report.isolation),
        cell(report.kit_version),
        cell(" ".join(report.notes)),
        cell("; ".join(report.tampering)),
    ]
