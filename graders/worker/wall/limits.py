"""Limits of one process (setrlimit), and giving up every privilege."""

from __future__ import annotations

import math
import resource
import struct
from pathlib import Path

from graders.worker.wall import libc

FILE_BYTES = 16 << 20
OPEN_FILES = 64
THREADS = 256
BACKSTOP = 2  # the server ends a child whose time is spent; the kernel, which counts in coarse ticks, only one that got past it
CAPABILITIES_V3 = 0x20080522


def address_space() -> int:
    """Bytes of address space that this process uses; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def apply(cpu_seconds: float, address_bytes: int, threads: int) -> None:
    """Bound CPU time, file size and open files, and where they are not 0 memory and threads; write no core file."""
    bounds = [
        (resource.RLIMIT_CPU, math.ceil(BACKSTOP * cpu_seconds)),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ]
    if threads:
        bounds.append((resource.RLIMIT_NPROC, threads))
    if address_bytes:
        bounds.append((resource.RLIMIT_AS, address_bytes))
    for limit, wanted in bounds:
        _, hard = resource.getrlimit(limit)
        top = wanted + (limit == resource.RLIMIT_CPU)  # below it comes SIGXCPU; the top is for who ignores that
        top = top if hard == resource.RLIM_INFINITY else min(top, hard)
        resource.setrlimit(limit, (min(wanted, top), top))


def no_new_privileges() -> None:
    """No file that is executed can give more rights than this process has."""
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Give up every capability, those inside the own user namespace included."""
    libc.call("capset", struct.pack("=Ii", CAPABILITIES_V3, 0), bytes(24))
