"""How long a worker's child has waited for a processor: on a busy machine that is not the student's time."""

from __future__ import annotations

from pathlib import Path

DEEPEST = 8  # processes from the engine's child down to the one that runs the student's code


def waited(pid: int) -> float:
    """Seconds that the innermost descendant of a process has been ready to run without running. 0 where the system does not tell."""
    try:
        for _ in range(DEEPEST):
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
            if not children:
                break
            pid = int(children[-1])
        return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
