"""Reports read back from the JSON that a run wrote: a folder of files, or one file with a report a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from graders.model import Check, Hint, Outcome, Report, SubmissionError, Verdict


@dataclass(frozen=True)
class Record:
    """A report, and what else its JSON may hold: `tampering` tells what the wall noticed."""

    report: Report
    tampering: tuple[str, ...]


@dataclass(frozen=True)
class Results:
    """All records in the order of their labels, and a sentence for each file that holds none."""

    records: tuple[Record, ...]
    problems: tuple[str, ...]


class _Verdict(msgspec.Struct, frozen=True):
    check: str
    title: str
    outcome: Outcome
    possible: float
    message: str = ""
    hint: Hint | None = None
    picture: tuple[tuple[str, ...], ...] = ()


class _Report(msgspec.Struct, frozen=True):
    label: str
    seed: int
    isolation: str
    kit_version: str
    graded: dict[str, str]
    seconds: float
    verdicts: tuple[_Verdict, ...]
    notes: tuple[str, ...] = ()
    fingerprints: dict[str, str] = {}
    tampering: tuple[str, ...] = ()


def read_results(path: Path) -> Results:
    """All reports of a folder, or of one file. Of reports on the same label the last one counts.

    Raises SubmissionError where there is nothing to read.
    """
    records: dict[str, Record] = {}
    problems: list[str] = []
    for place, text in _texts(path):
        try:
            record = _record(msgspec.json.decode(text, type=_Report))
            records[record.report.label] = record
        except (msgspec.DecodeError, RecursionError) as error:
            problems.append(f"{place} is no report and was left out ({error}); grade that submission again")
    if not records:
        raise SubmissionError(f"{path} holds no report; name the folder that `grade --out` wrote, or a file that `grade --json` wrote")
    return Results(tuple(records[label] for label in sorted(records, key=order)), tuple(problems))


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


def _record(found: _Report) -> Record:
    verdicts = tuple(
        Verdict(Check(one.check, one.title, one.possible, (), ""), one.outcome, one.message, one.hint, one.picture) for one in found.verdicts
    )
    report = Report(found.label, verdicts, found.seed, found.isolation, found.kit_version, found.graded, found.seconds, found.notes)
    return Record(replace(report, fingerprints=found.fingerprints), found.tampering)
