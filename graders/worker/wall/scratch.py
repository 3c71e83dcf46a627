"""One empty folder for each job, the only place where it can write.

With namespaces it is a tmpfs of its own with a limit on bytes and on files, gone with the job. Without, a folder that is emptied after the job.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from graders.worker.wall import libc

SHARED = "/dev/shm"  # noqa: S108 - the one folder that every Linux has for this; covered, so that the machine's own is out of reach
SIZE = "size=32m,nr_inodes=4096,mode=700"
FLAGS = libc.MS_NOSUID | libc.MS_NODEV | libc.MS_NOEXEC


@dataclass(frozen=True)
class Scratch:
    """`ground` holds nothing but `room`, the folder that a job may use."""

    ground: Path
    mounted: bool

    @property
    def room(self) -> Path:
        """Where a job may write."""
        return self.ground / "room"


def prepare(mounted: bool) -> Scratch:
    """The ground for all jobs of this server: mounted over SHARED, or a new temporary folder."""
    if not mounted:
        return Scratch(Path(tempfile.mkdtemp(prefix="scratch-")), mounted)
    scratch = Scratch(Path(SHARED), mounted)
    libc.mount("none", SHARED, "tmpfs", FLAGS, "size=64k,nr_inodes=8,mode=755")
    scratch.room.mkdir()
    libc.mount("none", SHARED, "", FLAGS | libc.MS_REMOUNT | libc.MS_BIND | libc.MS_RDONLY)  # a file beside the room would outlive its job
    return scratch


def renew(scratch: Scratch) -> None:
    """Make the room empty for the next job."""
    if scratch.mounted:
        libc.mount("none", str(scratch.room), "tmpfs", FLAGS, SIZE)
    else:
        scratch.room.mkdir(mode=0o700)


def clear(scratch: Scratch) -> None:
    """Take away all that a job left."""
    if scratch.mounted:
        libc.unmount(str(scratch.room))
        return
    shutil.rmtree(scratch.room, ignore_errors=True)
    if scratch.room.exists():  # too deep for Python, or closed by its modes: out of the way at least
        scratch.room.rename(tempfile.mkdtemp(prefix="left-", dir=scratch.ground))


def leave(scratch: Scratch) -> None:
    """Remove the ground itself when the server ends. A mount ends with its namespace."""
    if not scratch.mounted:
        shutil.rmtree(scratch.ground, ignore_errors=True)
