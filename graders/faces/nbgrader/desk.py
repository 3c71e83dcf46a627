"""Where notebooks are graded one after the other: kit, answer key and a warm worker, opened once in a process and closed with it."""

from __future__ import annotations

import atexit
import functools
import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graders.engine import cache
from graders.engine.grade import grade
from graders.engine.key import AnswerKey
from graders.engine.kit import MISCONCEPTIONS, PROBES, read_kit
from graders.engine.lesson import read_lessons
from graders.engine.narrow import for_lessons
from graders.engine.observer import Observer
from graders.engine.submission import read_beside
from graders.model import Kit, KitError, Part, Report, SubmissionError, Verdict

ROOT = Path(__file__).resolve().parents[3]
PLACE = re.compile(r"(?P<part>\w+)\.py, line (?P<line>\d+): ")
CELL = re.compile(r"# code cell \d+")
CONTENT = (Path(), Path("solutions"), Path("tiny_lm"), Path("lessons"), PROBES, MISCONCEPTIONS)
KINDS = (".py", ".toml", ".md")


@dataclass(frozen=True)
class Sheet:
    """What came of one notebook: a report, or the reason why there is none. `ours`: the kit itself failed."""

    report: Report | None
    reason: str = ""
    ours: bool = False


@dataclass(frozen=True)
class Desk:
    """All that grading needs, and the state of the content it was opened with."""

    kit: Kit
    key: AnswerKey
    observer: Observer
    content: tuple[int, ...]


# nbgrader makes its steps anew for each notebook, so what stays warm between them has no other place to live.
_open: dict[tuple[Path, str], Desk] = {}


def grade_code(cells: Sequence[tuple[str, str]], folder: Path, file: str, notes: Iterable[str] = (), root: Path = ROOT) -> Sheet:
    """The sheet of a notebook given as kinds and texts of its cells, with the Python files that lie beside it in `folder`. Never raises.

    `file` is the notebook's name. Where that is a lesson's, the checks of other lessons are not run.
    """
    data = json.dumps({"cells": [{"cell_type": kind, "source": source} for kind, source in cells]}).encode()
    try:
        desk = _desk(root, Path(file).stem)
        submission = read_beside(folder, data, file, desk.kit, tuple(notes))
        report = grade(submission, desk.kit, desk.key, desk.observer)
        return Sheet(replace(report, verdicts=tuple(in_cells(verdict, submission.parts) for verdict in report.verdicts)))
    except SubmissionError as error:
        return Sheet(None, str(error))
    except KitError as error:
        return Sheet(None, f"The grader itself failed: {error}", ours=True)
    except Exception as error:  # noqa: BLE001 - a bug of ours is no verdict on anybody, and must not stop the other submissions
        return Sheet(None, f"The grader itself failed ({type(error).__name__}: {error}).", ours=True)


def in_cells(verdict: Verdict, parts: Mapping[str, Part]) -> Verdict:
    """The verdict with a place in a part as a place in the notebook: a student sees cells there, not the file that they were gathered into."""
    found = PLACE.match(verdict.message)
    if not found or found["part"] not in parts:
        return verdict
    lines = parts[found["part"]].text.split("\n")[: int(found["line"])]
    cell = next((line.removeprefix("# ") for line in reversed(lines) if CELL.fullmatch(line)), "")
    where = f"{cell}, at {lines[-1].strip()[:60]!r}: "
    return replace(verdict, message=where + verdict.message[found.end() :]) if cell else verdict


@functools.lru_cache(maxsize=8)
def _lessons(root: Path, content: tuple[int, ...]) -> Iterable[str]:
    """The lessons' names, while the content's times are these."""
    try:
        return tuple(read_lessons(root))
    except KitError:
        return ()  # whatever is wrong with the content is told when the kit is read


def _desk(root: Path, name: str) -> Desk:
    """The open desk for a notebook's name, or a new one where there is none or the content has changed since. Raises KitError."""
    content = tuple(file.stat().st_mtime_ns for folder in CONTENT for file in sorted((root / folder).glob("*")) if file.suffix in KINDS)
    lesson = name if name in _lessons(root, content) else ""
    desk = _open.get((root, lesson))
    if desk is None or desk.content != content:
        if desk is not None:
            desk.observer.close()
        kit = for_lessons(read_kit(root), [lesson] if lesson else [])
        observer = Observer(kit)
        atexit.register(observer.close)
        _open[root, lesson] = desk = Desk(kit, AnswerKey(kit, secrets.randbelow(2**31), cache.default_folder()), observer, content)
    return desk
