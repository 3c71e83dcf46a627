"""Put the server's memory on large pages, so that a fork copies hundreds of entries instead of fifty thousand.

A process that holds torch has some 200 MB of private memory. In pages of 4 kB a fork and its end take about 8 ms for the tables alone; in
pages of 2 MB about 1 ms. The kernel gathers pages in place (madvise with MADV_COLLAPSE, Linux 6.1 and later); elsewhere nothing changes.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from pathlib import Path

from graders.worker.wall import libc

LARGE = 2 << 20
MADV_COLLAPSE = 25


def gather(regions: tuple[tuple[int, int], ...]) -> None:
    """Gather every whole large page of these regions. One that cannot be gathered stays as it is."""
    for first, last in regions:
        for address in range(-(-first // LARGE) * LARGE, last // LARGE * LARGE, LARGE):
            with contextlib.suppress(OSError):
                libc.call("madvise", ctypes.c_void_p(address), ctypes.c_size_t(LARGE), MADV_COLLAPSE)


def private_regions() -> tuple[tuple[int, int], ...]:
    """First and last address of each region of this process that is its own and no file's. None where the system does not tell."""
    return tuple(_regions()) if libc.LINUX else ()


def _regions() -> Iterator[tuple[int, int]]:
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        span, rights, _, _, _, *name = line.split(maxsplit=5)
        if rights == "rw-p" and (not name or name[0] == "[heap]"):
            first, last = span.split("-")
            yield int(first, 16), int(last, 16)
