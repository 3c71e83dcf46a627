"""Find submissions and read each as text: a folder, or one of its files. Paths come in, Submissions go out.

Nothing of a submission is imported, run, or unpacked to disk on this side of the wall.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from graders.engine.reading.collect import IGNORED_FOLDERS, Collected, collect, collect_file, holds
from graders.engine.reading.labels import distinct, label, printable
from graders.engine.reading.place import Disk, Kind, Unread
from graders.model import Kit, Part, Submission, SubmissionError


@dataclass(frozen=True)
class Found:
    """Where a submission is, and the label it has in this batch. Nothing of it has been read yet."""

    label: str
    path: Path


def find_submissions(paths: Iterable[Path | str], kit: Kit) -> tuple[Found, ...]:
    """One handle a submission, in the order of the paths, then of names. A path that cannot be read gives a handle too: reading it tells why."""
    places = [place for path in paths for place in _split(Path(path), tuple(kit.reference.parts))]
    return tuple(Found(name, place) for name, place in zip(distinct([_stem(place) for place in places]), places, strict=True))


def read_submission(path: Path | str, kit: Kit, name: str = "") -> Submission:
    """The submission at `path`, under the label `name` (else its own). Raises SubmissionError where there is nothing to grade."""
    path, parts = Path(path), tuple(kit.reference.parts)
    try:
        found = _collect(path, parts)
    except Unread as error:
        raise SubmissionError(f"{printable(str(path))} {error}; check the path, or ask for the files again") from None
    if not found.texts and not found.notes:
        files = ", ".join(f"{part}.py" for part in parts)
        raise SubmissionError(f"{printable(str(path))} holds no exercise file and no notebook; expected one of {files}")
    return Submission(name or label(_stem(path)), {stem: Part(stem, text) for stem, text in found.texts.items()}, tuple(found.notes))


def _collect(path: Path, parts: Sequence[str]) -> Collected:
    with ExitStack() as held:
        if path.is_dir():
            return collect(Disk.open(path, held), parts)
        if path.suffix == ".py" and path.stem in parts:
            return collect_file(Disk.open(path.parent, held), path.stem)
    raise Unread("is neither a folder nor a file that can be read")


def _split(path: Path, parts: Sequence[str]) -> Iterator[Path]:
    """The path itself where it is one submission, else its children."""
    with ExitStack() as held:
        try:
            place = Disk.open(path, held)
            children = [] if holds(place, parts) else [path / name for name, kind in place.names().items() if _counts(name, kind)]
        except Unread:
            children = []
    yield from children or [path]


def _counts(name: str, kind: Kind) -> bool:
    return kind is Kind.FOLDER and not name.startswith(".") and name not in IGNORED_FOLDERS


def _stem(path: Path) -> str:
    """The folder's name or the file's stem."""
    name = path.name if path.name not in ("", "..") else path.resolve().name
    return name if path.is_dir() else name.removesuffix(".py")
