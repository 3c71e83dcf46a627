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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

from graders.engine import view
from graders.engine.server import ANSWER_SECONDS, LostError, Server, read_line
from graders.model import KitError

START_SECONDS = 120.0
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "USER": "student",
    "LOGNAME": "student",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",  # else each thread reserves 64 MB of the address space that is counted
    "CUDA_VISIBLE_DEVICES": "",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",  # macOS would end a forked child
}


def start(content: view.Content, layers: bool = True) -> Server:
    """A server for a kit's content; `layers` is False where nothing but limits is wanted. Raises KitError where it does not come up."""
    with begin(content, layers) as beginning:
        return beginning.server()


def begin(content: view.Content, layers: bool = True) -> Beginning:
    """Start a server without waiting for it: it takes its second to import torch, in which others have something to do too."""
    if os.name != "posix":
        raise KitError("grading needs Linux or macOS; on Windows use WSL or a container (the students' own tests run everywhere)")
    wrapped = view.bubblewrap(content) if layers else ()
    ways = [(_settings(content.inside, layers), words) for words in wrapped] + [(_settings(content, layers), ())]
    return Beginning(ways, "bubblewrap is not installed" if layers else "not asked for")


class Beginning:
    """A server on its way. Leaving its context ends it, unless somebody has taken it by then."""

    def __init__(self, ways: Sequence[tuple[Mapping[str, Any], tuple[str, ...]]], no_view: str) -> None:
        """Begin on the first of these ways: settings, and the words that show the server its view. `no_view` says why the last has none."""
        self._ways, self._no_view, self._taken = list(ways), no_view, False
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed as the context ends
        self._server = _start(*self._ways[0], self._errors)

    def server(self) -> Server:
        """Wait until it is ready, and take it; where one way does not lead there, the next is tried. Raises KitError where none does."""
        try:
            hello = json.loads(read_line(self._server.socket, time.monotonic() + START_SECONDS))
        except (LostError, ValueError) as error:
            self._server.kill()
            reason = _last_words(self._errors) or str(error)
            self._ways.pop(0)
            if not self._ways:
                raise KitError(f"the grader's worker does not start: {reason}; run `python -m graders doctor` to see what is wrong") from None
            self._no_view, self._server = reason, _start(*self._ways[0], self._errors)
            return self.server()
        self._taken = True
        no_view = {} if self._ways[0][1] else {"view": self._no_view}
        return replace(self._server, missing={**no_view, **hello["missing"]}, torch=hello["torch"], scratch=hello["scratch"])

    def __enter__(self) -> Beginning:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._taken:
            self._server.kill()
        self._errors.close()


def _start(settings: Mapping[str, Any], wrapped: tuple[str, ...], errors: IO[bytes]) -> Server:
    """A server that has not said yet that it is ready."""
    ours, theirs = socket.socketpair()
    told, tell = os.pipe()
    with theirs:
        process = _run({**settings, "socket": theirs.fileno()}, wrapped, tell, errors)
    os.close(tell)
    inside = _inside(told) if wrapped else None
    os.close(told)
    return Server(process, ours, inside, {}, "", "")


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


def _settings(content: view.Content, layers: bool) -> dict[str, Any]:
    """What the worker is told. The folders are those of bubblewrap's view where it will be inside one."""
    given = [str(content.given)] if content.given else []
    return {
        "layers": layers,
        "probes": str(content.probes),
        "tiny_lm": given[0] if given else "",
        "readable": [*view.interpreter(), *view.SYSTEM, *view.DATA, *given],
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
