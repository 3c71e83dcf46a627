"""BEHIND THE WALL: what one forked child does. It raises the wall around itself, says so, reads its job, and writes a frame a probe.

The byte READY comes before any of the student's code runs: a child that ends without it is the kit's fault, one that ends after it is not.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
from functools import partial
from typing import Any, NoReturn

from graders.worker import whole
from graders.worker.faults import place
from graders.worker.load import Parts
from graders.worker.run import run_probe
from graders.worker.wall import libc, stack
from graders.worker.watch import Watch

READY = b"\1"
JOB, OUT = 3, 4  # the only descriptors of a child beside 0, 1 and 2, which lead to /dev/null
EVERY = 4096  # no descriptor of the server is as high
NOT_READY, BROKEN, SHUT, INTRUDED = 70, 71, 72, 73  # exit codes, for a person who looks


def live(wall: stack.Wall, good: whole.Whole, job: int, out: int, cpu_seconds: float, memory_mb: int) -> NoReturn:
    """Be the child: never returns."""
    code = NOT_READY
    try:
        _arrange(job, out)
        stack.in_child(wall, cpu_seconds, memory_mb << 20)
        os.closerange(OUT + 1, EVERY)
        watch = Watch()
        _write(READY)
        code = BROKEN
        _work(_read_job(), watch, good)
        code = 0
    except _ShutError:
        code = SHUT
    except BaseException as error:  # noqa: BLE001 - whoever raised it, the process ends
        if code == BROKEN and place(error)[0]:  # the student's own lines ran in the midst of the worker's
            code = INTRUDED
    finally:
        os._exit(code)


def _arrange(job: int, out: int) -> None:
    """Leave the server's life behind: its signals, its session, its descriptors."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    if libc.LINUX:
        libc.die_with_parent()
    job, out = (fcntl.fcntl(number, fcntl.F_DUPFD, stack.HIGH) for number in (job, out))  # clear of the numbers that are written over below
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.dup2(job, JOB)
    os.dup2(out, OUT)


def _read_job() -> dict[str, Any]:
    with os.fdopen(JOB, "rb") as file:
        job: dict[str, Any] = json.loads(file.read())
    return job


class _ShutError(Exception):
    """What leads to the engine was closed in here."""


def _work(job: dict[str, Any], watch: Watch, good: whole.Whole) -> None:
    """Run the rounds, each some probes over a set of texts. A student's job has one; only the kit's own variants come several to a job."""
    me = os.getpid()
    watch.start()
    for each in job["rounds"]:
        texts = {name: job["texts"][place] for name, place in each["parts"].items()}
        parts, probes = Parts(texts, job["seed"]), each["probes"]
        for probe in probes:
            frame = run_probe(parts, texts, probe, job["seed"], partial(_noticed, watch, good, probe == probes[-1]))
            if os.getpid() != me:
                return  # a copy that the student's code forked: one voice is enough
            _write(frame)


def _noticed(watch: Watch, good: whole.Whole, last: bool) -> dict[str, Any]:
    """All clues so far, for the head of a frame; nothing where there are none. Whatever goes wrong here costs no result."""
    if last:
        with contextlib.suppress(Exception):
            for kind, name in whole.broken(good):
                watch.note(kind, name)
    return {"noticed": watch.clues} if watch.clues else {}


def _write(data: bytes) -> None:
    try:
        while data:
            data = data[os.write(OUT, data) :]
    except OSError as error:
        raise _ShutError from error
