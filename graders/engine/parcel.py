"""A kit in a form that travels: for executors whose workers are other processes, on this machine or on another one.

What goes out is the kit's own text, unpacked where the work is done; what comes back is a Report. Submissions travel as text.
"""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from graders.engine import cache
from graders.engine.grader import Grader
from graders.engine.kit import content_files, read_kit
from graders.engine.narrow import for_lessons, lesson_files
from graders.model import Kit, KitError, Report, Submission


@dataclass(frozen=True)
class Parcel:
    """A kit's content under one seed and one wish for isolation, narrowed to some lessons (none: to none). Two with the same version are the same."""

    version: str
    seed: int
    isolation: str
    lessons: tuple[str, ...] = ()
    files: tuple[tuple[str, bytes], ...] = field(compare=False, repr=False, default=())


def pack(kit: Kit, seed: int, isolation: str, lessons: Sequence[str] = ()) -> Parcel:
    """The parcel of a kit that lies on this machine, and was narrowed to these lessons."""
    every = (*content_files(kit.root), *lesson_files(kit.root, lessons))
    files = tuple((file.relative_to(kit.root).as_posix(), file.read_bytes()) for file in every)
    return Parcel(kit.version, seed, isolation, tuple(lessons), files)


def grade_there(parcel: Parcel, submission: Submission) -> Report:
    """The report on one submission, made in the process that this is called in."""
    return _grader(parcel).grade(submission)


def ready_there(parcel: Parcel) -> str:
    """The isolation in force in the process that this is called in. Raises KitError where it cannot grade."""
    return _grader(parcel).ready()


def forget() -> None:
    """End the servers that were kept warm in this process."""
    with _ONE_AT_A_TIME:
        _unpacked.cache_clear()


def _grader(parcel: Parcel) -> Grader:
    with _ONE_AT_A_TIME:
        return _unpacked(parcel)


# The one thing in the house that lives as long as its process: an executor promises to run functions somewhere, and nothing in
# between two of them, yet a server must stay warm from one to the next. A grader that falls out of the cache ends its servers.
_ONE_AT_A_TIME = threading.Lock()


@lru_cache(maxsize=2)
def _unpacked(parcel: Parcel) -> Grader:
    folder = tempfile.TemporaryDirectory(prefix="residual-kit-")
    for name, body in parcel.files:
        file = Path(folder.name, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
    kit = for_lessons(read_kit(folder.name), parcel.lessons)
    if kit.version != parcel.version:
        raise KitError(f"a worker has another release of this kit: {kit.version} there, {parcel.version} here; install the same one everywhere")
    grader = Grader(kit, parcel.seed, parcel.isolation, cache.default_folder())
    weakref.finalize(grader, folder.cleanup)
    return grader
