"""System calls that Python has no name for. Each raises OSError with the call's name where the kernel refuses."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

LINUX = sys.platform == "linux"
LIBRARY = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 32, 0x1000, 0x4000, 0x40000
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 1, 36, 38, 22


def call(name: str, *arguments: object) -> int:
    """The result of libc's function `name`. Raises OSError where it is negative, or not there at all."""
    function = getattr(LIBRARY, name, None)
    if function is None:
        raise OSError(f"{name}: this system does not have it")
    result = int(function(*arguments))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def prctl(option: int, *values: object) -> None:
    """Set an attribute of this process."""
    call("prctl", option, *values, *(0,) * (4 - len(values)))


def die_with_parent() -> None:
    """Be killed when the process that forked this one ends."""
    prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount something new at `target`."""
    call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode())


def unmount(target: str) -> None:
    """Take the topmost mount at `target` away, at once for new users and later for those who still hold it."""
    call("umount2", target.encode(), MNT_DETACH)
