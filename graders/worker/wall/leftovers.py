"""Processes that a job left behind. In a pid namespace of its own there are none; elsewhere they come to the server, which ends them."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

ROUNDS = 200


def kill_all(possible: bool) -> None:
    """Kill and reap every child of this process, and theirs as they come, for a bounded number of rounds. Only the job's can be there."""
    for _ in range(ROUNDS if possible else 0):
        found = _children()
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in found:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        if not found:
            return


def _children() -> list[int]:
    """Their numbers, where the system lists them (Linux)."""
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []
