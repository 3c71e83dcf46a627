"""A kit narrowed to some of its lessons, for a class that has no others. A Kit and the names of lessons go in, a Kit comes out.

Checks, points and known mistakes of the other lessons are gone. The reference stays whole, for a part may build on another lesson's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from graders.engine.lesson import marked, read_lessons
from graders.model import Check, Kit, KitError

LESSONS = "lessons.txt"  # in a kit that was packed for some lessons: their names, one a line


def packed_for(root: Path) -> tuple[str, ...]:
    """The lessons that the kit in `root` was packed for; none where it was packed for all, or lies where its author keeps it."""
    file = root / LESSONS
    return tuple(file.read_text(encoding="utf-8").split()) if file.exists() else ()


def for_lessons(kit: Kit, names: Sequence[str]) -> Kit:
    """The kit with the checks whose parts all have a mark in the texts of these lessons; the kit as it is where no lesson is named.

    Its version is another one, so neither reports nor answer keys of the two are taken for each other's.
    Raises KitError for a name that no lesson has, and for lessons without a check.
    """
    if not names:
        return kit
    lessons = read_lessons(kit.root)
    unknown = next((name for name in names if name not in lessons), None)
    if unknown is not None:
        raise KitError(f"there is no lesson {unknown!r}; the lessons are {', '.join(lessons)}")
    parts = {part for name in names for part in marked(kit, lessons[name])}
    checks = tuple(check for check in kit.checks if parts.issuperset(check.takes))
    if not checks:
        raise KitError(f"no check belongs to {', '.join(names)}: its text has no mark of a part with points; see [lesson] in grading.toml")
    mistakes = tuple(mistake for mistake in kit.misconceptions if mistake.part in parts)
    return replace(kit, checks=checks, misconceptions=mistakes, version=_version(kit.version, checks, [name for name in lessons if name in names]))


def for_parts(kit: Kit, parts: Sequence[str]) -> Kit:
    """The kit with the checks that are about these parts, and their known mistakes; the kit as it is where no part is named.

    A check that takes several parts is about the last of them. Raises KitError for a part that no check takes.
    """
    unknown = next((name for name in parts if name not in kit.parts), None)
    if unknown is not None:
        raise KitError(f"there is no part {unknown!r} in grading.toml; the parts are {', '.join(kit.parts)}")
    if not parts:
        return kit
    checks = tuple(check for check in kit.checks if check.takes[-1] in parts)
    return replace(kit, checks=checks, misconceptions=tuple(mistake for mistake in kit.misconceptions if mistake.part in parts))


def lesson_files(root: Path, names: Iterable[str]) -> list[Path]:
    """The texts that narrowing to these lessons reads, for a kit that is taken elsewhere. Raises KitError as `read_lessons` does."""
    return [root / lesson.text for name, lesson in read_lessons(root).items() if name in names] if names else []


def lessons_of(version: str) -> tuple[str, ...]:
    """The lessons that a kit of this version was narrowed to; none where it is whole."""
    return tuple(version.partition("+")[2].split(".")[1:])


def _version(whole: str, checks: Iterable[Check], names: Iterable[str]) -> str:
    """The whole kit's version with another digest, and the lessons' names behind it."""
    digest = hashlib.sha256("\n".join((whole, *(check.id for check in checks))).encode()).hexdigest()[:8]
    return ".".join((f"{whole.partition('+')[0]}+{digest}", *names))
