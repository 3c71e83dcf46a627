"""BEHIND THE WALL, theory of operation.

Processes, from the outside in:
- The engine: trusted, small, no torch. It holds one end of a socket, and for each job the reading end of a pipe.
- bubblewrap, where it is installed: shows the rest a read-only view of the interpreter, its libraries, the given parts, the probes and this
  folder. Nothing else of the kit is there, nor any home directory.
- The gate-keeper: the first Python process. It makes new user, pid, network, ipc, mount and uts namespaces, forks, and only waits.
- The server: first process of that pid namespace. It imports torch and the probes once, and forks a child a job. It never reads a job:
  children inherit its memory and could search it. It has no privilege outside its namespaces.
- The child: first process of a pid namespace of its own, so that all it starts dies with it. It raises the rest of the wall around itself
  (no new privileges, no capabilities, resource limits, landlock, seccomp), says READY, and only then reads the job and runs it.

What each channel carries:
- socket, engine to server: a command. J, a number of CPU seconds and one of megabytes, with two descriptors: the job (a file in memory that only the
  child reads) and the writing end of the pipe. K and zeros: kill the child, if there is one.
- socket, server to engine: one line of JSON when it is ready, then for each J an ending: the wait status, the CPU seconds, and whether
  these were all it had.
- pipe, child to engine: READY, then a frame a probe (graders.wire), with what was noticed of tampering so far in its head.
The end of the socket ends the server, and with it everything inside.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import signal
import socket
import struct
import time
from dataclasses import dataclass

from graders.worker import child, faults, pages, whole
from graders.worker.wall import leftovers, libc, scratch, stack

A_BATCH = 40  # after so many jobs, what saves some ms a job and costs some hundred once is worth its while; one submission has fewer
TICK = 0.01  # seconds; what is left of the time is not asked for more often
CPUCLOCK_SCHED = 2  # from linux/posix-timers.h: a process's clock is made of its number and the kind of clock
COMMAND = struct.Struct("<cHI")
ENDING = struct.Struct("<if?")
CORES = os.cpu_count() or 1


@dataclass(frozen=True)
class Server:
    """One end of the socket, the wall for its children, what they must find whole, and a descriptor, readable when a child ends."""

    engine: socket.socket
    wall: stack.Wall
    good: whole.Whole
    bell: int


def serve(engine: socket.socket, wall: stack.Wall, good: whole.Whole, regions: tuple[tuple[int, int], ...]) -> None:
    """Do one job after another until the engine closes the socket. After some jobs, gather these regions of memory on large pages."""
    server = Server(engine, wall, good, _bell())
    faults.absences()  # children inherit the answer
    with contextlib.suppress(ConnectionError):
        for number in itertools.count(1):
            if not _one_job(server):
                return
            if number == A_BATCH:
                pages.gather(regions)


def _bell() -> int:
    """A descriptor that gets a byte for each signal that a child has ended."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    if libc.LINUX:
        libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
    return read


def _one_job(server: Server) -> bool:
    """False at the end of the socket."""
    data, descriptors, _, _ = socket.recv_fds(server.engine, COMMAND.size, 2)
    if not data:
        return False
    command, cpu_seconds, memory_mb = COMMAND.unpack(data)
    if command != b"J":
        return True  # a K that came too late
    stack.before_fork(server.wall)
    pid = os.fork()
    if not pid:
        child.live(server.wall, server.good, descriptors[0], descriptors[1], cpu_seconds, memory_mb)
    for descriptor in descriptors:
        os.close(descriptor)
    ending = _watch(server, pid, cpu_seconds)
    leftovers.kill_all(server.wall.pids is None)
    if ending is not None:
        server.engine.sendall(ending)
    scratch.clear(server.wall.scratch)
    return ending is not None


def _watch(server: Server, pid: int, cpu_seconds: float) -> bytes | None:
    """Wait for the child's end, and bring it about where its time is spent; what to tell about it. None where the engine went away meanwhile."""
    engine_is_there, spent = True, False
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            break
        left = cpu_seconds - _used(pid)
        if left <= 0:
            spent = True
            os.kill(pid, signal.SIGKILL)
        ready, _, _ = select.select([server.bell] + [server.engine] * engine_is_there, [], [], None if spent else left / CORES + TICK)
        if server.bell in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(server.bell, 512)
        if server.engine in ready:
            engine_is_there = bool(server.engine.recv(COMMAND.size))
            os.kill(pid, signal.SIGKILL)
    return ENDING.pack(status, usage.ru_utime + usage.ru_stime, spent) if engine_is_there else None


def _used(pid: int) -> float:
    """Seconds of processor time that a child has used so far; 0 where the system does not tell, and only the child's own limit ends it.

    That limit alone would not do: the kernel counts it in ticks, which may be wrong by a third on a busy machine, and its signal SIGXCPU does not
    reach the first process of a pid namespace, so that a loop could not be told from a process that took too much memory.
    """
    try:
        return time.clock_gettime(~pid << 3 | CPUCLOCK_SCHED)
    except OSError:
        return 0.0
