"""A place is one folder, on disk or inside an archive: names and their kinds go out, and bytes up to a limit.

No link is ever followed, nothing but a plain file is ever opened, and no listing is longer than LISTED.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Protocol

FILE_BYTES = 1_000_000  # of one Python file
SUBMISSION_BYTES = 5_000_000  # of all files of a submission, and of one notebook, whose pictures take room
LISTED = 2000


class Kind(Enum):
    """What a name stands for. The value is how a note calls it."""

    FILE = "a file"
    FOLDER = "a folder"
    LINK = "a link"
    OTHER = "not a plain file"


class UnreadError(Exception):
    """A file was not read. The text ends the sentence that begins with its name."""


class Place(Protocol):
    """One folder."""

    def kind(self, name: str) -> Kind | None:
        """What the name stands for, or None where it is not there."""

    def names(self) -> Mapping[str, Kind]:
        """Names and kinds in the order of names, LISTED + 1 of them at most."""

    def read(self, name: str, limit: int = FILE_BYTES) -> bytes:
        """The bytes of a file. Raises UnreadError for anything else, and for more than `limit` bytes."""

    def enter(self, name: str) -> Place:
        """The folder of that name. Raises UnreadError where it is none or may not be opened."""


@dataclass(frozen=True)
class Disk:
    """A folder on disk, held by its descriptor, so that no path is looked up twice."""

    descriptor: int
    held: ExitStack

    @classmethod
    def open(cls, path: Path | str, held: ExitStack, above: int | None = None) -> Disk:
        """The folder at `path`; `held` closes it later. Below another folder a link is refused. Raises UnreadError."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if above is None else os.O_NOFOLLOW)
        try:
            descriptor = os.open(path, flags, dir_fd=above)
        except OSError as error:
            raise UnreadError(reason(error)) from None
        held.callback(os.close, descriptor)
        return cls(descriptor, held)

    def kind(self, name: str) -> Kind | None:
        """See Place."""
        return kind_of(name, above=self.descriptor)

    def names(self) -> Mapping[str, Kind]:
        """See Place."""
        try:
            with os.scandir(self.descriptor) as entries:
                found = {entry.name: _entry_kind(entry) for entry in islice(entries, LISTED + 1)}
        except OSError as error:
            raise UnreadError(reason(error)) from None
        return {name: found[name] for name in sorted(found)}

    def read(self, name: str, limit: int = FILE_BYTES) -> bytes:
        """See Place."""
        kind = self.kind(name)
        if kind is not Kind.FILE:
            raise UnreadError(f"is {kind.value if kind else 'not there'} and was not read")
        return read_file(name, limit, self.descriptor)

    def enter(self, name: str) -> Disk:
        """See Place."""
        return Disk.open(name, self.held, above=self.descriptor)


@dataclass(frozen=True)
class Memory:
    """A folder unpacked in memory."""

    inside: dict[str, bytes | UnreadError | Memory] = field(default_factory=dict)

    def kind(self, name: str) -> Kind | None:
        """See Place."""
        if name not in self.inside:
            return None
        return Kind.FOLDER if isinstance(self.inside[name], Memory) else Kind.FILE

    def names(self) -> Mapping[str, Kind]:
        """See Place."""
        return {name: Kind.FOLDER if isinstance(self.inside[name], Memory) else Kind.FILE for name in sorted(self.inside)}

    def read(self, name: str, limit: int = FILE_BYTES) -> bytes:
        """See Place."""
        found = self.inside.get(name)
        if isinstance(found, bytes):
            return whole(found, limit)
        raise found if isinstance(found, UnreadError) else UnreadError("is not a file and was not read")

    def enter(self, name: str) -> Memory:
        """See Place."""
        found = self.inside.get(name)
        if not isinstance(found, Memory):
            raise UnreadError("is not a folder")
        return found


def read_file(path: Path | str, limit: int, above: int | None = None) -> bytes:
    """The bytes of a plain file that is no link. Opening never waits, as a FIFO's would. Raises UnreadError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=above)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UnreadError("is not a plain file and was not read")
            return whole(file.read(limit + 1), limit)
    except OSError as error:
        raise UnreadError(reason(error)) from None


def kind_of(path: Path | str, follow: bool = False, above: int | None = None) -> Kind | None:
    """What is at a path, or None where nothing can be seen there."""
    try:
        return _kind(os.stat(path, dir_fd=above, follow_symlinks=follow).st_mode)
    except (OSError, ValueError):  # the second: a NUL in the path
        return None


def whole(data: bytes, limit: int) -> bytes:
    """The data, where it is short enough. Raises UnreadError."""
    if len(data) > limit:
        raise UnreadError(f"is larger than {limit // 1_000_000} MB and was not read")
    return data


def reason(error: OSError) -> str:
    """The end of a sentence about what the system refused."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return "may not be read: its permissions forbid it"
    if error.errno == errno.ENOENT:
        return "is not there"
    if error.errno in (errno.ENOTDIR, errno.ELOOP):  # the second is what O_NOFOLLOW says of a link, the first what O_DIRECTORY says
        return "is a link, or not what its name says, and was not read"
    return f"could not be read ({(error.strerror or 'unknown reason').lower()})"


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.OTHER


def _entry_kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return Kind.LINK
    if entry.is_dir(follow_symlinks=False):
        return Kind.FOLDER
    return Kind.FILE if entry.is_file(follow_symlinks=False) else Kind.OTHER
