"""Start a server: with bubblewrap's view around it where that works, without it elsewhere."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import IO, Any

from graders.engine import view
from graders.engine.server import ANSWER_SECONDS, LostError, Server, read_line
from graders.model import KitError, Limits

START_SECONDS = 120.0
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "USER": "student",
    "LOGNAME": "student",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",  # else each thread reserves 64 MB of the address space that is counted
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # half of what a fork has to copy lies on large pages then, from the first day
    "CUDA_VISIBLE_DEVICES": "",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",  # macOS would end a forked child
}


def start(content: view.Content, limits: Limits, layers: bool = True) -> Server:
    """A server for a kit's content; `layers` is False where nothing but limits is wanted. Raises KitError where it does not come up."""
    if os.name != "posix":
        raise KitError("grading needs Linux or macOS; on Windows use WSL or a container (the students' own tests run everywhere)")
    reason = "bubblewrap is not installed" if layers else "not asked for"
    for wrapped in view.bubblewrap(content) if layers else ():
        try:
            return _start(_settings(content.inside, limits, layers), wrapped)
        except LostError as lost:
            reason = str(lost)
    try:
        server = _start(_settings(content, limits, layers), ())
    except LostError as lost:
        raise KitError(f"the grader's worker does not start: {lost}; run `python -m graders doctor` to see what is wrong") from None
    return replace(server, missing={"view": reason, **server.missing})


def _start(settings: Mapping[str, Any], wrapped: tuple[str, ...]) -> Server:
    ours, theirs = socket.socketpair()
    told, tell = os.pipe()
    with tempfile.TemporaryFile() as errors:
        with theirs:
            process = _run({**settings, "socket": theirs.fileno()}, wrapped, tell, errors)
        os.close(tell)
        inside = _inside(told) if wrapped else None
        os.close(told)
        server = Server(process, ours, inside, {}, "", "")
        try:
            hello = json.loads(read_line(ours, time.monotonic() + START_SECONDS))
        except (LostError, ValueError) as error:
            server.kill()
            raise LostError(_last_words(errors) or str(error)) from error
    return replace(server, missing=hello["missing"], torch=hello["torch"], scratch=hello["scratch"])


def _run(settings: Mapping[str, Any], wrapped: tuple[str, ...], tell: int, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the process. bubblewrap writes on `tell` which process is the first inside."""
    before = [*wrapped[:-1], "--info-fd", str(tell), "--"] if wrapped else []
    return subprocess.Popen(  # noqa: S603 - our own command
        [*before, sys.executable, "-s", "-P", "-m", "graders.worker", json.dumps(settings)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=_environment(bool(wrapped)),
        cwd="/",
        pass_fds=(settings["socket"], tell) if wrapped else (settings["socket"],),
        start_new_session=True,  # the engine's terminal and its Ctrl-C are not the worker's
    )


def _settings(content: view.Content, limits: Limits, layers: bool) -> dict[str, Any]:
    """What the worker is told. The folders are those of bubblewrap's view where it will be inside one."""
    given = [str(content.given)] if content.given else []
    return {
        "layers": layers,
        "probes": str(content.probes),
        "tiny_lm": given[0] if given else "",
        "readable": [*view.interpreter(), *view.SYSTEM, *view.DATA, *given],
        "memory_mb": limits.memory_mb,
    }


def _environment(wrapped: bool) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return {**ENVIRONMENT, **kept, "PYTHONPATH": str(view.KIT if wrapped else view.machine())}


def _inside(told: int) -> int | None:
    """A descriptor of the first process inside bubblewrap: with it, everything in there can be ended."""
    text, deadline = b"", time.monotonic() + ANSWER_SECONDS
    while select.select([told], [], [], max(0.0, deadline - time.monotonic()))[0]:
        piece = os.read(told, 4096)
        if not piece:
            break
        text += piece
    try:
        return os.pidfd_open(json.loads(text)["child-pid"])
    except (ValueError, KeyError, OSError):
        return None


def _last_words(errors: IO[Any]) -> str:
    errors.seek(0)
    lines = errors.read()[-4000:].decode(errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else ""
