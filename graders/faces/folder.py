"""The folder of --out, in the hands of one run: files are written whole or not at all, and a second run at the same time is turned away."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from graders.model import KitError

LOCK = ".lock"  # there only while a run lasts, or after one that was killed


@dataclass(frozen=True)
class Folder:
    """The folder; `held` gives it."""

    path: Path

    def read(self, name: str) -> str | None:
        """What the file holds, or None where there is none that can be read as text."""
        try:
            return (self.path / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def write(self, name: str, lines: Iterable[str]) -> None:
        """Write a file, at once or not at all. Raises KitError where that is not possible."""
        part = self.path / f".{name}.part"
        with _sentence(self.path / name):
            with part.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
            part.replace(self.path / name)

    def reports(self) -> list[str]:
        """The names of all reports that are there, of whatever run, the newest first."""
        with _sentence(self.path), os.scandir(self.path) as entries:
            found = [(entry.stat().st_mtime_ns, entry.name) for entry in entries if entry.name.endswith(".json")]
        return [name for _, name in sorted(found, reverse=True)]


@contextmanager
def held(path: Path) -> Iterator[Folder]:
    """The folder, made where needed, and nobody else's until this is left. Raises KitError where it is another run's, or cannot be written."""
    with _sentence(path):
        path.mkdir(parents=True, exist_ok=True)
        lock = _lock(path / LOCK)
    try:
        for left in path.glob(".*.part"):  # by a run that was killed in the middle of writing
            with suppress(OSError):
                left.unlink()
        yield Folder(path)
    finally:
        with suppress(OSError):
            (path / LOCK).unlink()
        os.close(lock)  # this unlocks it, as does the end of the process, whatever ends it


def _lock(file: Path) -> int:
    """A descriptor of the locked file."""
    import fcntl  # not on Windows, where nothing is graded but the other commands should start

    while True:
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), file.stat()):
                return lock
        except FileNotFoundError:
            pass  # between opening and locking, the run before removed it
        except OSError as error:
            os.close(lock)
            if not isinstance(error, BlockingIOError):
                raise
            raise KitError(f"another run is writing to {file.parent}; wait for its end, or name another folder with --out") from None
        os.close(lock)


@contextmanager
def _sentence(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise KitError(f"{file} cannot be written ({error.strerror or error}); name another folder with --out") from None
