"""What the wall costs, measured side by side in one run: `python bench/wall.py`. Lean on the ratios; the rest is this machine on this day."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from graders.engine.kit import read_kit  # noqa: E402 - the line above makes it importable from anywhere
from graders.engine.observer import Observer  # noqa: E402

KINDS = ("auto", "basic")
JOBS = 80
TICK = 1000 / os.sysconf("SC_CLK_TCK")
TOYS = read_kit(ROOT / "tests/toykit")
REAL = read_kit(ROOT)


def main() -> None:
    once = statistics.median(seconds(lambda: subprocess.run([sys.executable, "-c", "import torch"], check=True)) for _ in range(3))
    print(f"`import torch` in a new process                {1e3 * once:8.1f} ms")
    for kind in KINDS:
        start = statistics.median(seconds(lambda kind=kind: Observer(TOYS, kind).close()) for _ in range(3))
        print(f"start and end of a server, {kind:6}              {1e3 * start:8.1f} ms   {start / once:6.2f} x import torch")
    probes = tuple(dict.fromkeys(check.probe for check in REAL.checks))
    compare("empty job", TOYS, ("adder.rule_short",), once)
    compare(f"all {len(probes)} probes on the reference", REAL, probes, once)
    memory(probes)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(what: str, kit, probes: tuple[str, ...], once: float) -> None:
    """The same job with and without isolation, in turns, so that what else the machine does hits both."""
    observers = {kind: Observer(kit, kind) for kind in KINDS}
    wall: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for _ in range(10):
        for observer in observers.values():
            observer.observe(kit.reference.parts, probes, 1)
    before = {kind: cpu_ms(server_pid(observers[kind])) for kind in KINDS}
    for _ in range(JOBS):
        for kind in KINDS:
            wall[kind].append(seconds(lambda kind=kind: observers[kind].observe(kit.reference.parts, probes, 1)))
    for kind in KINDS:
        middle, cpu = statistics.median(wall[kind]), (cpu_ms(server_pid(observers[kind])) - before[kind]) / JOBS
        name = f"{what}, {observers[kind].isolation}"
        print(f"{name:46} {1e3 * middle:8.1f} ms   1/{once / middle:.0f} of import torch; CPU {cpu:.1f} ms, best {1e3 * min(wall[kind]):.1f} ms")
        observers[kind].close()


def memory(probes: tuple[str, ...]) -> None:
    """The server's resident memory, and what a child adds to it after all probes have run."""
    with Observer(REAL) as observer:
        for _ in range(10):
            observer.observe(REAL.reference.parts, probes, 1)
        server, most = server_pid(observer), 0
        job = threading.Thread(target=lambda: [observer.observe(REAL.reference.parts, probes, 1) for _ in range(5)])
        job.start()
        while job.is_alive():
            most = max([most, *(private(child) for child in children(server))])
        print(f"resident: server {kb(server, 'Rss') / 1024:.0f} MB, a child's own at most {most / 1024:.0f} MB", end="")
        print(f", engine {kb(os.getpid(), 'Rss') / 1024:.0f} MB")


def server_pid(observer: Observer) -> int:
    """The innermost process: bubblewrap and the gate-keeper lie around it."""
    pid = observer._server.process.pid
    while children(pid):
        pid = children(pid)[0]
    return pid


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu_ms(pid: int) -> float:
    """CPU time of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[11:15]) * TICK


def kb(pid: int, *names: str) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.split(":")[0] in names)


def private(pid: int) -> int:
    try:
        return kb(pid, "Private_Dirty", "Private_Clean")
    except OSError:
        return 0  # it has just ended


if __name__ == "__main__":
    main()
