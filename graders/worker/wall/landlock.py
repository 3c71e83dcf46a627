"""Landlock: below some folders a process may read, in one it may write, and everything else on disk is closed to it.

It also closes TCP (from ABI 4) and signals and abstract sockets to the outside (from ABI 6). See landlock(7).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from pathlib import Path

from graders.worker.wall import libc

CREATE, ADD, RESTRICT = 444, 445, 446  # the same system call numbers on every architecture
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = 1, 2, 4, 8, 16, 32
MAKE_DIR, MAKE_REG, MAKE_SYM, REFER, TRUNCATE = 0x80, 0x100, 0x1000, 0x2000, 0x4000
READ = READ_FILE | READ_DIR
USE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SYM | REFER | TRUNCATE
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
HANDLED = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}  # all rights on files that an ABI knows
NET_ABI, SCOPE_ABI = 4, 6


def abi() -> int:
    """The version of landlock in this kernel. Raises OSError where there is none."""
    return libc.call("syscall", CREATE, None, 0, 1)


def build(readable: Iterable[str], writable: Iterable[str]) -> int:
    """A descriptor of the rules, to be applied in each child. Paths that are not there are left out."""
    version = abi()
    handled = HANDLED[min(version, max(HANDLED))]
    fields = [handled] + [3] * (version >= NET_ABI) + [3] * (version >= SCOPE_ABI)
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    rules = libc.call("syscall", CREATE, attributes, len(attributes), 0)
    for path in readable:
        _allow(rules, path, READ & handled)
    for path in writable:
        _allow(rules, path, USE & handled)
    _allow(rules, os.devnull, (READ_FILE | WRITE_FILE | TRUNCATE) & handled)
    return rules


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not Path(path).is_dir():
        rights &= OF_A_FILE
    try:
        libc.call("syscall", ADD, rules, 1, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def apply(rules: int) -> None:
    """Put this process, and all it will start, under the rules for good. Needs no_new_privs."""
    libc.call("syscall", RESTRICT, rules, 0)
