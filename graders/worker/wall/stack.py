"""The layers together: which of them work here, and the three moments at which they act.

Before torch is imported the server tries each layer in a process of its own and enters its namespaces; before a job it prepares the
next child's; in the child the rest is applied, in an order that each layer allows the next.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from graders.worker.wall import identity, landlock, libc, limits, namespaces, scratch, seccomp

IDENTITY, NAMESPACES, LANDLOCK, SECCOMP = "identity", "namespaces", "landlock", "seccomp"
HIGH = 16  # descriptors that a child still needs while it rearranges the low ones lie here or above


@dataclass(frozen=True)
class Wall:
    """What is in force in every child of this server. A descriptor or a program is None where its layer is missing."""

    missing: Mapping[str, str]
    pids: int | None
    rules: int | None
    program: bytes | None
    used: int
    threads: int
    scratch: scratch.Scratch


def leave_root(needed: Sequence[str]) -> dict[str, str]:
    """Stop being root, where this process is, and nobody could read the needed files too. Why not, where it stays root."""
    if not identity.is_root():
        return {}
    reason = _attempt(partial(_try_identity, needed))
    if reason:
        return {IDENTITY: reason}
    identity.become_nobody()
    return {}


def missing_layers(wanted: bool) -> dict[str, str]:
    """The layers that do not work here, each with the reason. `wanted` is False where nothing but limits is asked for."""
    trials = {NAMESPACES: _try_namespaces, LANDLOCK: _try_landlock, SECCOMP: _try_seccomp}
    reasons = {name: _attempt(trial) if wanted else "not asked for" for name, trial in trials.items()}
    return {name: why for name, why in reasons.items() if why}


def _attempt(trial: Callable[[], None]) -> str:
    """Do it in a forked process. An empty text where it works, else what the system said."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        _report(trial, write)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read(300)
    os.waitpid(pid, 0)
    return "" if said == b"works" else said.decode(errors="replace") or "the trial died"


def _report(trial: Callable[[], None], write: int) -> NoReturn:
    try:
        trial()
        os.write(write, b"works")
    except Exception as error:  # noqa: BLE001 - whatever the system says is the answer
        os.write(write, str(error).encode()[:300] or b"failed")
    finally:
        os._exit(0)


def _try_identity(needed: Sequence[str]) -> None:
    identity.become_nobody()
    identity.demand_readable(needed)


def _try_namespaces() -> None:
    namespaces.enter(keep_open=True)
    namespaces.renew(namespaces.own())
    scratch.renew(scratch.prepare(mounted=True))
    namespaces.hide_processes()


def _try_landlock() -> None:
    limits.no_new_privileges()
    landlock.apply(landlock.build(["/"], []))


def _try_seccomp() -> None:
    limits.no_new_privileges()
    seccomp.apply(seccomp.compile_filter(namespaces=True))


def enter(missing: Mapping[str, str]) -> int | None:
    """Move into the server's namespaces, where they work. Call before anything large is imported: one small process stays outside."""
    if NAMESPACES in missing:
        return None
    namespaces.enter()
    return namespaces.own()


def build(missing: Mapping[str, str], pids: int | None, readable: Sequence[str], room: scratch.Scratch) -> Wall:
    """Prepare what every child applies. Call when all is imported: the memory limit counts from what the server uses by then."""
    used = limits.address_space()
    rules = None if LANDLOCK in missing else fcntl.fcntl(landlock.build(readable, [str(room.ground)]), fcntl.F_DUPFD_CLOEXEC, HIGH)
    program = None if SECCOMP in missing else seccomp.compile_filter(namespaces=pids is not None)
    if pids is not None:
        namespaces.hide_processes()
    threads = limits.THREADS if pids is not None or os.geteuid() == identity.NOBODY else 0  # elsewhere all the user's processes would count
    return Wall(missing, pids, rules, program, used, threads, room)


def before_fork(wall: Wall) -> None:
    """In the server: an empty scratch folder, and a new pid namespace for the next child."""
    scratch.renew(wall.scratch)
    if wall.pids is not None:
        namespaces.renew(wall.pids)


def in_child(wall: Wall, cpu_seconds: float, memory_bytes: int) -> None:
    """In the child: everything that binds it for good, limits of CPU time and of memory beyond the server's own among it.

    Raises OSError where a layer that worked before does not now.
    """
    os.chdir(wall.scratch.room)
    limits.apply(cpu_seconds, wall.used + memory_bytes if wall.used else 0, wall.threads)
    if not libc.LINUX:
        return
    limits.no_new_privileges()
    if wall.pids is not None:
        limits.drop_capabilities()
    if wall.rules is not None:
        landlock.apply(wall.rules)
    if wall.program is not None:
        seccomp.apply(wall.program)
