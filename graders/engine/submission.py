"""Find submissions and read each as text: a folder, an archive, a notebook, or a single file. Paths come in, Submissions go out.

Nothing of a submission is imported, run, or unpacked to disk on this side of the wall, and no link in it is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from graders.engine.reading.archive import ARCHIVE_BYTES, SUFFIXES, unpack
from graders.engine.reading.classes import HANDED_IN, Child, as_written, children, is_canvas
from graders.engine.reading.collect import Collected, collect, collect_file, holds
from graders.engine.reading.labels import distinct, label, printable
from graders.engine.reading.merge import add_notebook, add_notebooks
from graders.engine.reading.notebook import misnamed, owned_names, read_notebook
from graders.engine.reading.place import SUBMISSION_BYTES, Disk, Kind, Memory, UnreadError, kind_of, read_file
from graders.model import Kit, Part, Submission, SubmissionError

MOST_NOTES = 20


@dataclass(frozen=True)
class Found:
    """Where a submission is, and the label it has in this batch. Nothing of it has been read yet."""

    label: str
    path: Path
    also: tuple[Path, ...] = ()  # more files of the same student
    why: str = ""  # why it is not read


def find_submissions(paths: Iterable[Path | str], kit: Kit) -> tuple[Found, ...]:
    """One handle a submission, in the order of the paths, then of names. Labels are distinct.

    A path that cannot be read gives a handle too: reading it tells why.
    """
    given = [Path(path) for path in paths]
    places = [pair for path in given for pair in _split(path, tuple(kit.reference.parts))]
    places = [(name, child) for name, child in places if not child.why or child.path not in given]  # a stray that is named by itself is none
    labels = distinct([name for name, _ in places])
    return tuple(Found(name, child.path, child.also, child.why) for name, (_, child) in zip(labels, places, strict=True))


def find_one(path: Path | str, kit: Kit, otherwise: str) -> Submission:
    """The one submission at a path, read. A folder with exercise files of its own is one, whatever lies beside them.

    Raises SubmissionError, which ends with `otherwise` where there are more.
    """
    path, parts = Path(path), tuple(kit.reference.parts)
    if kind_of(path) is Kind.FOLDER:
        with ExitStack() as held:
            if holds(Disk.open(path, held), parts):
                return read_submission(path, kit)
    found = find_submissions([path], kit)
    if len(found) != 1:
        raise SubmissionError(f"{printable(str(path))} holds {len(found)} submissions; {otherwise}")
    return read_found(found[0], kit)


def read_found(found: Found, kit: Kit) -> Submission:
    """The submission of a handle. Raises SubmissionError where there is nothing to grade."""
    if found.why:
        raise SubmissionError(f"{printable(str(found.path))} {found.why}")
    if not found.also:
        return read_submission(found.path, kit, found.label)
    return _read(found.path, kit, found.label, lambda: _loose((found.path, *found.also), tuple(kit.reference.parts)))


def read_submission(path: Path | str, kit: Kit, name: str = "") -> Submission:
    """The submission at `path`, under the label `name` (else its own). Raises SubmissionError where there is nothing to grade."""
    path, parts = Path(path), tuple(kit.reference.parts)
    if path.suffix == ".ipynb" and kind_of(path) is Kind.FILE:
        return _read(path, kit, name, lambda: _notebook(path, kit))
    return _read(path, kit, name, lambda: _collect(path, parts))


def _read(path: Path, kit: Kit, name: str, collected: Callable[[], Collected]) -> Submission:
    try:
        found = collected()
        if found.notebooks:
            add_notebooks(found, owned_names(kit.reference))
        if any(stem not in kit.reference.parts for stem in found.texts):
            found.notes += misnamed(found.texts, owned_names(kit.reference))
        if not found.texts and not found.notes:
            like = f"{next(iter(kit.reference.parts))}.py"
            raise UnreadError(f"holds no notebook and no exercise file, such as {like}; check that these are the right files")
        if not found.notes and found.texts.keys().isdisjoint(kit.reference.parts):
            found.notes.append(f"No file here is named like an exercise file, such as {next(iter(kit.reference.parts))}.py.")
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
    if is_canvas(path) and kind_of(path) is Kind.FILE and as_written(path).removesuffix(".py") in parts:
        return _loose([path], parts)
    if path.stem not in parts:
        raise UnreadError(f"is not named like an exercise file; rename it to one of {', '.join(f'{part}.py' for part in parts)}")
    with ExitStack() as held:
        return collect_file(Disk.open(path.parent, held), path.stem)


def _unpacked(path: Path, parts: Sequence[str]) -> Collected:
    unpacked = unpack(read_file(path, ARCHIVE_BYTES))
    found = collect(unpacked.root, parts)
    found.notes[:0] = unpacked.notes
    return found


def _loose(paths: Sequence[Path], parts: Sequence[str]) -> Collected:
    """Files that one platform has packed with others', under the names that the student gave them."""
    inside = Memory()
    for path in paths:
        name = as_written(path)
        try:
            content: bytes | UnreadError = read_file(path, SUBMISSION_BYTES)
        except UnreadError as error:
            content = error
        inside.inside[path.name if name in inside.inside else name] = content
    return collect(inside, parts)


def _split(path: Path, parts: Sequence[str]) -> Iterator[tuple[str, Child]]:
    """Name and path of the submission itself, else of each of its children. A link is followed only where it is the path that was given."""
    name = _stem(path)
    if kind_of(path) is Kind.LINK and kind_of(path, follow=True):
        path = path.resolve()
    found = children(path, parts) if kind_of(path) is Kind.FOLDER else []
    yield from [(_stem(child.path), child) for child in found] or [(name, Child(path))]


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
