"""Find submissions and read each as text: a folder, an archive, a notebook, or a single file. Paths come in, Submissions go out.

Nothing of a submission is imported, run, or unpacked to disk on this side of the wall, and no link in it is followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from graders.engine.reading.archive import ARCHIVE_BYTES, SUFFIXES, unpack
from graders.engine.reading.collect import IGNORED_FOLDERS, Collected, collect, collect_file, holds
from graders.engine.reading.labels import distinct, label, printable
from graders.engine.reading.merge import add_notebook, add_notebooks
from graders.engine.reading.notebook import owned_names, read_notebook
from graders.engine.reading.place import SUBMISSION_BYTES, Disk, Kind, UnreadError, kind_of, read_file
from graders.model import Kit, Part, Submission, SubmissionError

COURSE = "submitted"  # nbgrader's folder: submitted/<student>/<assignment>/
HANDED_IN = (*SUFFIXES, ".ipynb", ".py", ".rar", ".7z", ".gz", ".bz2", ".xz")  # the last few only to say that they are not read
MOST_NOTES = 20


@dataclass(frozen=True)
class Found:
    """Where a submission is, and the label it has in this batch. Nothing of it has been read yet."""

    label: str
    path: Path


def find_submissions(paths: Iterable[Path | str], kit: Kit) -> tuple[Found, ...]:
    """One handle a submission, in the order of the paths, then of names. Labels are distinct.

    A path that cannot be read gives a handle too: reading it tells why.
    """
    places = [pair for path in paths for pair in _split(Path(path), tuple(kit.reference.parts))]
    labels = distinct([name for name, _ in places])
    return tuple(Found(name, path) for name, (_, path) in zip(labels, places, strict=True))


def read_submission(path: Path | str, kit: Kit, name: str = "") -> Submission:
    """The submission at `path`, under the label `name` (else its own). Raises SubmissionError where there is nothing to grade."""
    path = Path(path)
    try:
        found = _notebook(path, kit) if path.suffix == ".ipynb" and kind_of(path) is Kind.FILE else _collect(path, tuple(kit.reference.parts))
        if found.notebooks:
            add_notebooks(found, owned_names(kit.reference))
        if not found.texts and not found.notes:
            like = f"{next(iter(kit.reference.parts))}.py"
            raise UnreadError(f"holds no notebook and no exercise file, such as {like}; check that these are the right files")
    except UnreadError as error:
        why = str(error) if ";" in str(error) else f"{error}; check it, or ask for the files again"
        raise SubmissionError(f"{printable(str(path))} {why}") from None
    return Submission(name or label(_stem(path)), {stem: Part(stem, text) for stem, text in found.texts.items()}, _few(found.notes))


def read_beside(folder: Path | str, notebook: bytes, file: str, kit: Kit, notes: Sequence[str] = ()) -> Submission:
    """A notebook that is at hand, called `file`, with the Python files that lie in `folder`; other notebooks there do not count.

    Raises SubmissionError where there is nothing to grade. `notes` are sentences that come before those of the reading.
    """
    parts = tuple(kit.reference.parts)
    try:
        with ExitStack() as held:
            found = collect(Disk.open(folder, held), parts)
        found.notes[:0] = notes
        found.notebooks.clear()
        add_notebook(found, printable(file), read_notebook(notebook, printable(file), owned_names(kit.reference)))
    except UnreadError as error:
        raise SubmissionError(f"{printable(file)} {error}") from None
    found.notes[:] = [note for note in found.notes if not note.startswith(f"{printable(file)} was read: ")]  # nobody doubts that it was
    return Submission(label(_stem(Path(folder))), {stem: Part(stem, text) for stem, text in found.texts.items()}, _few(found.notes))


def _notebook(path: Path, kit: Kit) -> Collected:
    file, found = printable(path.name), Collected()
    add_notebook(found, file, read_notebook(read_file(path, SUBMISSION_BYTES), file, owned_names(kit.reference)))
    return found


def _collect(path: Path, parts: Sequence[str]) -> Collected:
    kind = kind_of(path)
    if kind is Kind.LINK:
        raise UnreadError("is a link and was not read; give the path that it leads to")
    if kind is None:
        raise UnreadError("is not there, or may not be seen; check the path")
    if kind is Kind.FOLDER:
        with ExitStack() as held:
            place = Disk.open(path, held)
            found = collect(place, parts)
            packed = [] if found.texts or found.notebooks else [name for name in place.names() if name.endswith(SUFFIXES)]
            return _unpacked(path / packed[0], parts) if packed else found
    if path.suffix != ".py":
        return _unpacked(path, parts)
    if path.stem not in parts:
        raise UnreadError(f"is not named like an exercise file; rename it to one of {', '.join(f'{part}.py' for part in parts)}")
    with ExitStack() as held:
        return collect_file(Disk.open(path.parent, held), path.stem)


def _unpacked(path: Path, parts: Sequence[str]) -> Collected:
    unpacked = unpack(read_file(path, ARCHIVE_BYTES))
    found = collect(unpacked.root, parts)
    found.notes[:0] = unpacked.notes
    return found


def _split(path: Path, parts: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Name and path of the submission itself, else of each of its children. A link is followed only where it is the path that was given."""
    name = _stem(path)
    if kind_of(path) is Kind.LINK and kind_of(path, follow=True):
        path = path.resolve()
    children = _children(path, parts) if kind_of(path) is Kind.FOLDER else []
    yield from [(_stem(child), child) for child in children] or [(name, path)]


def _children(path: Path, parts: Sequence[str]) -> list[Path]:
    """The submissions in a folder, in the order of names; none where the folder is itself one, or cannot be read."""
    with ExitStack() as held:
        try:
            if holds(Disk.open(path, held), parts):
                return []
            if (path / COURSE).is_dir():
                path = path / COURSE
            with os.scandir(path) as entries:
                return sorted(path / entry.name for entry in entries if _counts(entry))
        except (UnreadError, OSError):
            return []


def _counts(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name in IGNORED_FOLDERS:
        return False
    return entry.is_symlink() or entry.is_dir() or entry.name.lower().endswith(HANDED_IN)


def _stem(path: Path) -> str:
    """The folder's name or the file's stem."""
    name = path.name if path.name not in ("", "..") else path.resolve().name
    suffix = next((end for end in HANDED_IN if name.lower().endswith(end)), "")
    return name[: len(name) - len(suffix)] if suffix and kind_of(path, follow=True) is not Kind.FOLDER else name


def _few(notes: Sequence[str]) -> tuple[str, ...]:
    """Each note once, and not too many of them."""
    once = list(dict.fromkeys(notes))
    more = [f"{len(once) - MOST_NOTES} more notes of this kind were left out."] if len(once) > MOST_NOTES else []
    return (*once[:MOST_NOTES], *more)
