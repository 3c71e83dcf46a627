"""What the wall is worth on this machine: every layer tried by doing, in a real child, what it forbids.

In: the kit's folder. Out: a finding for each layer, with the remedy where it is missing. Nothing is concluded from version numbers.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graders.engine import launch, layers, view
from graders.engine.attempt import Attempt, Budget, attempt
from graders.engine.endings import Cause
from graders.engine.plan import Round
from graders.engine.server import LostError, Server
from graders.model import KitError, Limits, Part

LIMITS = Limits(probe_seconds=2.0, memory_mb=256)
TRIALS = ("view", "namespaces", "landlock", "seccomp", "limits", "scratch")
WORKER = "in the kit's folder: python3 -m venv .venv; . .venv/bin/activate; python -m pip install -c constraints.txt -e '.[graders]'"
SYSTEM = "run the grader on Linux, where the kernel enforces this; a container will do"
BUG = "this should never happen: report it, with this output and the version of the kernel"


@dataclass(frozen=True)
class Finding:
    """One layer: whether it works here, what was tried and seen, and what to do if it does not."""

    name: str
    works: bool
    detail: str
    remedy: str = ""


def diagnose(root: Path | str) -> tuple[Finding, ...]:
    """Findings on the worker, on every layer, and on the clock that ends what does not end."""
    start = time.monotonic()
    try:
        server = launch.start(view.Content(view.machine() / "graders/worker/trials", None))
    except KitError as error:
        return (Finding("worker", False, str(error), WORKER),)
    started = Finding("worker", True, f"starts in {time.monotonic() - start:.1f} s, with torch {server.torch}")
    try:
        return (started, *_layers(server, Path(root).absolute()), _deadline(server))
    except LostError as error:
        return (Finding("worker", False, str(error), BUG),)
    finally:
        server.close()


def _layers(server: Server, root: Path) -> Iterator[Finding]:
    sources = {"paths": "\n".join(_private(root)), "memory_mb": str(LIMITS.memory_mb)}
    probes = tuple(f"wall.rule_{name}" for name in TRIALS)
    seen = dict(zip(probes, _run(server, probes, sources).came, strict=False))
    why = server.missing.get("identity", "")
    detail = f"students' code runs as root: {why}" if why else "students' code runs as an ordinary user"
    yield Finding("identity", not why, detail, layers.remedy("identity", server.missing))
    for name, probe in zip(TRIALS, probes, strict=True):
        observation = seen.get(probe)
        if observation is None or observation.fault is not None or observation.arrays["done"] is None:
            yield Finding(name, False, "the trial itself failed", BUG)
            continue
        yield _finding(name, bool(observation.arrays["done"]), _text(observation.arrays.get("said")), server.missing)


def _private(root: Path) -> Iterator[str]:
    """Paths that are there, and that nobody inside should see: the kit's answers, and the home directory but for a Python that lies in it."""
    with contextlib.suppress(OSError):
        for path in (root / "solutions", root / "grading.toml", root / "graders/engine", *sorted(Path.home().iterdir())[:50]):
            if path.exists() and not any(Path(needed).is_relative_to(path) or path.is_relative_to(needed) for needed in view.interpreter()):
                yield str(path)


def _finding(name: str, done: bool, said: str, missing: dict[str, str]) -> Finding:
    what = TRIED[name]
    if not done:
        return Finding(name, True, f"{what}: refused ({said})" if said else f"{what}: refused")
    by = "namespaces" if name == "scratch" else name  # the folder's limit is that of a mount
    if by in missing:
        return Finding(name, False, f"{what}: done, for {by} is missing ({missing[by]})", layers.remedy(by, missing))
    return Finding(name, False, f"{what}: done ({said})", SYSTEM if name == "limits" else BUG)


TRIED = {
    "view": "seeing the kit's answers and the home directory's files",
    "namespaces": "seeing other processes",
    "landlock": "reading a file that is in view, but not for children",
    "seccomp": "making a socket",
    "limits": "taking twice the memory that is allowed",
    "scratch": "writing 64 MB into the scratch folder",
}


def _deadline(server: Server) -> Finding:
    end = _run(server, ("wall.rule_deadline",), {})
    return Finding("deadline", end.cause is Cause.LATE, f"waiting for ever: ended after {end.seconds:.1f} s of {LIMITS.probe_seconds:g}", BUG)


def _run(server: Server, probes: tuple[str, ...], sources: dict[str, str]) -> Attempt:
    parts = {name: Part(name, text) for name, text in sources.items()}
    return attempt(server, (Round(parts, probes),), 0, LIMITS, Budget(LIMITS.job_seconds, LIMITS.cpu_seconds))


def _text(array: object) -> str:
    with contextlib.suppress(AttributeError):
        return bytes(array.tobytes()).decode(errors="replace")  # type: ignore[attr-defined] # an array of bytes, or None
    return ""
