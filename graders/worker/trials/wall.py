"""The doctor's trials: probes that do what the wall forbids, in a child like any other, and say how far they came.

Each gives `done` (whether the forbidden thing was done) and `said` (what the system answered). They stand where a kit's probes would.
"""

import os
import socket
import threading
from collections.abc import Callable, Mapping

Result = dict[str, bool | str]
PIECE = 4 << 20


def _try(action: Callable[[], object]) -> Result:
    try:
        said = action()
    except (OSError, MemoryError, RuntimeError) as error:
        return {"done": False, "said": f"{type(error).__name__}: {error}"}
    return {"done": True, "said": str(said)}


def rule_view(sources: Mapping[str, str]) -> Result:
    """See that the kit's answers and what lies in the home directory exist."""
    seen = [path for path in sources["paths"].splitlines() if os.path.lexists(path)]
    return {"done": bool(seen), "said": ", ".join(seen)}


def rule_namespaces(sources: Mapping[str, str]) -> Result:
    """See other processes."""
    return {"done": os.getpid() != 1, "said": f"its own number is {os.getpid()}"}


def rule_landlock(sources: Mapping[str, str]) -> Result:
    """Read a file that is there, but not among those to be read: this one."""
    return _try(lambda: len(open(__file__, "rb").read()))  # noqa: PTH123 - the plainest way is the trial


def rule_seccomp(sources: Mapping[str, str]) -> Result:
    """Make a socket."""
    return _try(socket.socket)


def rule_limits(sources: Mapping[str, str]) -> Result:
    """Take twice the memory that is allowed."""
    return _try(lambda: len(bytearray(int(sources["memory_mb"]) << 21)))


def rule_scratch(sources: Mapping[str, str]) -> Result:
    """Fill the scratch folder with 64 MB, file by file."""
    return _try(lambda: sum(_write(f"file{number}") for number in range(16)))


def _write(name: str) -> int:
    with open(name, "wb") as file:  # noqa: PTH123 - as a student would
        return file.write(bytes(PIECE))


def rule_deadline(sources: Mapping[str, str]) -> Result:
    """Never end."""
    threading.Event().wait()
    return {"done": True, "said": "waited for ever"}
