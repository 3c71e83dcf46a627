"""Own user, pid, network, ipc, mount and uts namespaces for the server, and a new pid namespace for every child.

The server must be a member of a pid namespace that its own user namespace owns; else a later setns back into it is refused.
"""

from __future__ import annotations

import contextlib
import os
import struct
from pathlib import Path

from graders.worker.wall import libc
from graders.worker.wall.identity import NOBODY

ALL = libc.CLONE_NEWUSER | libc.CLONE_NEWPID | libc.CLONE_NEWNET | libc.CLONE_NEWIPC | libc.CLONE_NEWNS | libc.CLONE_NEWUTS
MOUNT_SETATTR, AT_RECURSIVE, MOUNT_ATTR_RDONLY = 442, 0x8000, 1


def enter(keep_open: bool = False) -> None:
    """Return in a new process, the first of its pid namespace. The calling process waits for it and ends as it ends.

    It also closes all descriptors but the first three: the engine's end of a socket must see the inner process go away, not this one.
    """
    _unshare()
    pid = os.fork()
    if pid:
        if not keep_open:
            os.closerange(3, 256)
        _, status = os.waitpid(pid, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    libc.die_with_parent()


def _unshare() -> None:
    uid, gid = os.getuid(), os.getgid()
    libc.call("unshare", ALL)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{NOBODY} {uid} 1"), ("gid_map", f"{NOBODY} {gid} 1")):
        Path("/proc/self", name).write_text(text, encoding="ascii")
    libc.mount("", "/", "", libc.MS_REC | libc.MS_PRIVATE)
    libc.call("sethostname", b"wall", 4)
    _read_only()


def _read_only() -> None:
    """Make every mount of this mount namespace read-only (mount_setattr; kernels before 5.12 have landlock's word alone)."""
    attributes = struct.pack("4Q", MOUNT_ATTR_RDONLY, 0, 0, 0)
    with contextlib.suppress(OSError):
        libc.call("syscall", MOUNT_SETATTR, -1, b"/", AT_RECURSIVE, attributes, len(attributes))


def own() -> int:
    """A descriptor of the pid namespace this process lives in."""
    return os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)


def renew(home: int) -> None:
    """Let the next fork be the first process of a new pid namespace, a child of `home`. All it starts will die with it."""
    libc.call("setns", home, libc.CLONE_NEWPID)
    libc.call("unshare", libc.CLONE_NEWPID)


def hide_processes() -> None:
    """Cover /proc with nothing."""
    libc.mount("none", "/proc", "tmpfs", libc.MS_RDONLY | libc.MS_NOSUID | libc.MS_NODEV | libc.MS_NOEXEC, "size=4k,mode=555")
