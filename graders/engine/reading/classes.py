"""A folder comes in; out go the submissions in it, where it holds a class, or nothing, where it is itself the work of one student.

A folder that holds exercise files of its own may still be a class with a stray file. Then the files of its sub-folders and
archives decide, and each stray is told.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from graders.engine.reading.archive import SUFFIXES
from graders.engine.reading.collect import GIVEN, IGNORED_FOLDERS, held_files, holds, home, is_notebook
from graders.engine.reading.place import Disk, Kind, Place, UnreadError, kind_of

COURSE = "submitted"  # nbgrader's folder: submitted/<student>/<assignment>/
HANDED_IN = (*SUFFIXES, ".ipynb", ".py", ".rar", ".7z", ".gz", ".bz2", ".xz")  # the last few only to say that they are not read
LOOSE = (".ipynb", ".py")
# Canvas packs all files into one folder: doeann_4321_98_norm.py, doejane_LATE_4322_99_norm-1.py (handed in again)
CANVAS = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d+)_\d+_(?P<file>.+)")
AGAIN = re.compile(r"-\d+(?=\.py$)")
# What a student calls a folder beside the own work. Such a folder is no other student.
COPIES = re.compile(
    r"(?:archive|attempts?|backups?|bak|code|cop(?:y|ies)|data|drafts?|final|first|last|lib|new|notes|old(?:er)?|original|previous|saved?|scratch"
    r"|second|solutions?|src|te?mp|tests?|tr(?:y|ies)|v|versions?|weeks?|work)"
)


@dataclass(frozen=True)
class Child:
    """One submission of a class: its path, further loose files of the same student, and why it is not graded, if so."""

    path: Path
    also: tuple[Path, ...] = ()
    why: str = ""


def children(path: Path, parts: Sequence[str]) -> list[Child]:
    """The submissions in a folder, in the order of names; none where the folder is itself one, or cannot be read."""
    with ExitStack() as held:
        try:
            place = Disk.open(path, held)
            own = held_files(place, parts)
            course = (path / COURSE).is_dir() and not (own and holds(place.enter(COURSE), parts))
            if own and not (course or _is_class(place, own, parts) or _is_flat(own)):
                return []
            inside = _together(_entries(path / COURSE if course else path))
        except (UnreadError, OSError):
            return []
    if own:
        return _with_strays(path, own, inside, course)
    return [] if all(child.path.suffix == ".py" and not is_canvas(child.path) for child in inside) else inside  # one who named no file as asked


def is_canvas(path: Path) -> bool:
    """Whether the file is named as Canvas names what it packs."""
    return path.suffix in LOOSE and CANVAS.fullmatch(path.name) is not None


def as_written(path: Path) -> str:
    """The name that the student gave the file, before Canvas packed it."""
    found = CANVAS.fullmatch(path.name)
    return AGAIN.sub("", found["file"]) if found else path.name


def _is_class(place: Place, own: frozenset[str], parts: Sequence[str]) -> bool:
    """Whether two or more sub-folders or archives are other students' work.

    One who keeps copies has as many files as each copy, or calls the copies so; a stray file is less than a submission, or alone.
    """
    names = place.names()
    files = len([name for name in own if not is_notebook(name)])
    packed = [name for name, kind in names.items() if kind is Kind.FILE and name.lower().endswith(SUFFIXES) and not _is_copy(name)]
    count = len(packed) if len(packed) > files else 0
    folders = (name for name, kind in names.items() if kind is Kind.FOLDER and _may_be_student(name))
    for name in folders:
        if count > 1:
            break
        count += _fullest(place, name, parts) > (files if files > 1 else 0)
    return count > 1


def _fullest(place: Place, name: str, parts: Sequence[str]) -> int:
    """How many exercise files a sub-folder holds, however deep."""
    try:
        return holds(home(place.enter(name), parts, []), parts)
    except UnreadError:
        return 0


def _is_flat(own: frozenset[str]) -> bool:
    """Whether loose notebooks are those of two or more students, by Canvas's names."""
    return len({_student(Path(name)) for name in own if is_canvas(Path(name))}) > 1


def _student(path: Path) -> str:
    found = CANVAS.fullmatch(path.name)
    return f"{found['name']}_{found['id']}" if found else path.name


def _may_be_student(name: str) -> bool:
    return not (name.startswith(".") or name in IGNORED_FOLDERS | GIVEN or _is_copy(name))


def _is_copy(name: str) -> bool:
    return any(map(COPIES.fullmatch, re.split(r"[\W\d_]+", name.lower())))


def _entries(path: Path) -> list[Path]:
    with os.scandir(path) as entries:
        return sorted(path / entry.name for entry in entries if _counts(entry))


def _counts(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name in IGNORED_FOLDERS:
        return False
    return entry.is_symlink() or entry.is_dir() or entry.name.lower().endswith(HANDED_IN)


def _together(paths: Sequence[Path]) -> list[Child]:
    """A child each; loose files that Canvas has packed for the same student are one."""
    found: dict[str, Child] = {}
    for path in paths:
        key = _student(path) if is_canvas(path) and kind_of(path) is Kind.FILE else f"/{path.name}"
        found[key] = replace(found[key], also=(*found[key].also, path)) if key in found else Child(path)
    return list(found.values())


def _with_strays(path: Path, own: frozenset[str], inside: Sequence[Child], course: bool) -> list[Child]:
    """The class, and each loose file that is nobody's, so that it is told."""
    loose = {path / name for name in own if not is_canvas(Path(name)) and kind_of(path / name) is not None}
    graded = [child for child in inside if child.path not in loose and not _is_given(child.path)]
    why = f"was not graded, for it lies beside {len(graded)} submissions; give it by itself if it is one too"
    if course:
        why = f"was not graded, for it lies outside of {COURSE}/; give it by itself if it is a submission"
    return sorted([*graded, *(Child(stray, (), why) for stray in loose)], key=lambda child: child.path)


def _is_given(path: Path) -> bool:
    return path.name in GIVEN and kind_of(path) is Kind.FOLDER
