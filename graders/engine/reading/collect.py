"""Choose what counts in a place: the file of each part, the student's own helper files, the notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from graders.engine.reading.archive import SUFFIXES
from graders.engine.reading.labels import printable
from graders.engine.reading.place import LISTED, SUBMISSION_BYTES, Kind, Place, UnreadError
from graders.engine.reading.text import decode

NESTED = "exercises"
DEEPEST = 4
MOST_FOLDERS = 100  # looked into at each depth
IGNORED = {"__init__", "__main__", "_hints", "_run", "_say", "_told", "_visible", "conftest", "setup", NESTED}  # given in exercises/, or never a part
GIVEN = {"tiny_lm", "lessons", NESTED}
IGNORED_FOLDERS = {"__MACOSX", "__pycache__", "node_modules", "site-packages", "venv"}


@dataclass
class Collected:
    """Texts by the name of their file, notebooks as bytes, and what there is to say."""

    texts: dict[str, str] = field(default_factory=dict)
    notebooks: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    size: int = 0


def held_files(place: Place, parts: Sequence[str]) -> frozenset[str]:
    """The names of the files of the kit that the place holds, itself or in its `exercises/`, and of its notebooks."""
    return frozenset(name for inner in _levels(place) for name in _files(inner, parts))


def holds(place: Place, parts: Sequence[str]) -> int:
    """How many files of the kit the place holds; a notebook counts as one."""
    return len(held_files(place, parts))


def home(place: Place, parts: Sequence[str], notes: list[str]) -> Place:
    """The highest folder below `place` that holds something of the kit, else `place` itself."""
    level = [("", place)]
    for _ in range(DEEPEST):
        scores = [(holds(inner, parts), name, inner) for name, inner in level]
        found = [score for score in scores if score[0]]
        if found:
            best = max(found, key=lambda score: score[0])
            if len(found) > 1:
                notes.append(f"Several folders hold exercise files; only {printable(best[1])} was read.")
            return best[2]
        level = list(islice(_below(level), MOST_FOLDERS))
    return place


def collect(place: Place, parts: Sequence[str]) -> Collected:
    """Everything of one submission that counts. What was left out is in the notes."""
    into = Collected()
    chosen = home(place, parts, into.notes)
    levels = list(_levels(chosen, into.notes))
    for inner in levels:
        for part in parts:
            _take(inner, part, into)
    for inner in levels:
        names = list(inner.names().items())
        if len(names) > LISTED:
            into.notes.append(f"A folder holds more than {LISTED:,} files; only the exercise files in it were read.")
            continue
        _helpers(inner, names, into)
        _notebooks(inner, names, into)
        into.notes += [*_near(names, parts, into.texts), *_folders(inner, names, parts)]
        if into.texts or into.notebooks:
            into.notes += _archives(names)
    return into


def collect_file(place: Place, part: str) -> Collected:
    """The one file of a part, and nothing beside it."""
    into = Collected()
    _take(place, part, into)
    return into


def _levels(place: Place, notes: list[str] | None = None) -> Iterator[Place]:
    yield place
    if place.kind(NESTED) in (Kind.FOLDER, Kind.LINK):
        try:
            yield place.enter(NESTED)
        except UnreadError as error:
            if notes is not None:
                notes.append(f"The folder {NESTED} {error}.")


def _files(place: Place, parts: Sequence[str]) -> Iterator[str]:
    yield from (f"{part}.py" for part in parts if place.kind(f"{part}.py"))
    yield from (name for name in _listing(place) if is_notebook(name))


def _listing(place: Place) -> Mapping[str, Kind]:
    """Names and kinds; none where there are too many to look at, or where the folder may not be read."""
    try:
        names = place.names()
    except UnreadError:
        return {}
    return names if len(names) <= LISTED else {}


def _below(level: Iterable[tuple[str, Place]]) -> Iterator[tuple[str, Place]]:
    for name, place in level:
        for inner, kind in _listing(place).items():
            if kind is Kind.FOLDER and not inner.startswith(".") and inner not in IGNORED_FOLDERS:
                try:
                    yield f"{name}{inner}/", place.enter(inner)
                except UnreadError:
                    continue


def is_notebook(name: str) -> bool:
    """True for the name of a notebook that a student would have made."""
    return name.endswith(".ipynb") and not name.startswith(".")


def _helpers(place: Place, names: Sequence[tuple[str, Kind]], into: Collected) -> None:
    for name, kind in names:
        stem = name.removesuffix(".py")
        if kind is Kind.FILE and stem != name and stem.isidentifier() and stem not in IGNORED and not stem.startswith("test_"):
            _take(place, stem, into)


def _take(place: Place, stem: str, into: Collected) -> None:
    file = f"{stem}.py"
    if stem in into.texts or place.kind(file) is None:
        return
    try:
        data = place.read(file)
        if into.size + len(data) > SUBMISSION_BYTES:
            raise UnreadError("was not read: the submission is larger than 5 MB")
    except UnreadError as error:
        into.notes.append(f"{printable(file)} {error}.")
        return
    into.size += len(data)
    into.texts[stem], notes = decode(data, printable(file))
    into.notes += notes


def _notebooks(place: Place, names: Sequence[tuple[str, Kind]], into: Collected) -> None:
    for name, _ in names:
        if is_notebook(name) and name not in into.notebooks:
            try:
                into.notebooks[name] = place.read(name, SUBMISSION_BYTES)
            except UnreadError as error:
                into.notes.append(f"{printable(name)} {error}.")


def _near(names: Sequence[tuple[str, Kind]], parts: Sequence[str], texts: Mapping[str, str]) -> Iterator[str]:
    for name, _ in names:
        for part in parts:
            if part not in texts and name != f"{part}.py" and ".py" in name.lower() and name.lower().startswith(part):
                yield f"{printable(name)} was not taken for {part}.py; rename it."


def _folders(place: Place, names: Sequence[tuple[str, Kind]], parts: Sequence[str]) -> Iterator[str]:
    """The student's packages, and folders with exercise files: a copy, or somebody else's."""
    folders = [name for name, kind in names if kind is Kind.FOLDER and name[:1] != "." and name not in GIVEN | IGNORED_FOLDERS]
    for name in folders[:MOST_FOLDERS]:
        try:
            inside = place.enter(name)
            code = name.isidentifier() and any(inner.endswith(".py") for inner in _listing(inside))
        except UnreadError:
            continue
        if code or holds(inside, parts):
            yield f"The folder {printable(name)} was not read: only files beside the exercise files count."


def _archives(names: Sequence[tuple[str, Kind]]) -> Iterator[str]:
    packed = [printable(name) for name, kind in names if kind is Kind.FILE and name.lower().endswith(SUFFIXES)]
    if packed:
        more = f" and {len(packed) - 3} more archives" if len(packed) > 3 else ""
        yield f"{', '.join(packed[:3])}{more} beside the exercise files {'was' if len(packed) == 1 else 'were'} not read."
