"""What grading.toml says of lessons: their texts, and the questions that are answered in words. And how a notebook's cells are named.

    [lesson.NAME]                     NAME is the assignment and its notebook
    text = "lessons/NAME.md"          prose, with `<!-- exercise: PART -->` where each part belongs, `<!-- written: QUESTION -->` below a question
                                  and `<!-- cell: NAME`, lines of Python, `-->` for a cell of a notebook that files have no use for
    [lesson.NAME.written.QUESTION]    graded by a person: points, and answer, which is for whoever grades

Who writes notebooks and who grades them must agree on the names of cells; both take them from here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from graders.model import Check, Kit, KitError

CELL = re.compile(r"^<!-- cell: ([\w-]+)\n(.*?)\n-->$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^<!-- (exercise|written): ([\w-]+) -->$", re.MULTILINE)
NAME = re.compile(r"[A-Za-z0-9_-]{1,50}")  # what nbgrader takes for the name of a cell or an assignment
VISIBLE, CHECKS = "-visible", "-checks"


class Written(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A question answered in words. `answer` tells whoever grades what a good answer says."""

    points: float
    answer: str


class Lesson(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One lesson: the path of its text below the kit's folder, and its questions by name."""

    text: str
    written: Mapping[str, Written] = {}


class _Document(msgspec.Struct):
    lesson: Mapping[str, Lesson] = {}


def read_lessons(root: Path) -> Mapping[str, Lesson]:
    """The lessons of the kit in `root`, by name. Raises KitError where there is none, or where a table does not hold together."""
    file = root / "grading.toml"
    try:
        lessons = msgspec.toml.decode(file.read_bytes(), type=_Document).lesson
    except (OSError, msgspec.MsgspecError) as error:
        raise KitError(f"{file}: {error}") from None
    if not lessons:
        raise KitError(f"{file}: there is no lesson; write a table [lesson.NAME] with the path of its text, such as text = 'lessons/NAME.md'")
    for name, lesson in lessons.items():
        for word in (name, *lesson.written):
            if not NAME.fullmatch(word):
                raise KitError(f"{file}: [lesson.{name}] has the name {word!r}; take letters of a to z, digits, - and _")
    return lessons


def read_text(root: Path, lesson: Lesson, kit: Kit) -> str:
    """The lesson's text. Raises KitError where it is not there, and for a mark or a question that no part answers to."""
    file = root / lesson.text
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KitError(f"{file}: {error}; see [lesson] in grading.toml") from None
    marked = {kind: {name for other, name in MARK.findall(text) if other == kind} for kind in ("exercise", "written")}
    for part in marked["exercise"] - set(kit.reference.parts):
        raise KitError(f"{file}: a mark names the exercise '{part}', but solutions/{part}.py is not there; write it or mend the mark")
    for name in marked["written"] ^ set(lesson.written):
        raise KitError(f"the question '{name}' needs both a mark in {file} and a table [lesson.NAME.written.{name}] in grading.toml; one is missing")
    return text


def marked(kit: Kit, lesson: Lesson) -> tuple[str, ...]:
    """The parts with a mark in a lesson's text, in order. Raises KitError as `read_text` does."""
    return tuple(name for kind, name in MARK.findall(read_text(kit.root, lesson, kit)) if kind == "exercise")


def groups_at(kit: Kit, parts: tuple[str, ...]) -> Mapping[str, list[tuple[str, tuple[Check, ...]]]]:
    """For each marked part the groups of checks that can be graded once it is written: those that take it and none that comes later."""
    groups: dict[str, list[Check]] = {}
    for check in kit.checks:
        groups.setdefault(check.id.split(".")[0], []).append(check)
    found: dict[str, list[tuple[str, tuple[Check, ...]]]] = {part: [] for part in parts}
    for name, checks in groups.items():
        takes = {part for check in checks for part in check.takes}
        if takes <= set(parts):
            found[max(takes, key=parts.index)].append((name, tuple(checks)))
    return found


def points_of(checks: tuple[Check, ...]) -> float:
    """What some checks are worth together, free of the dust that adding leaves."""
    return round(sum(check.points for check in checks), 6)


def group_of(cell: str) -> str:
    """The group whose points the cell with this name holds; empty where it holds none."""
    return cell.removesuffix(CHECKS) if cell.endswith(CHECKS) else ""
