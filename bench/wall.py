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
from graders.engine.plan import probes_of  # noqa: E402

KINDS = ("auto", "basic")
JOBS = 80
TICK = 1000 / os.sysconf("SC_CLK_TCK")
TOYS = read_kit(ROOT / "tests/toykit")
REAL = read_kit(ROOT)


def main() -> None:
    once = statistics.median(cost(lambda: subprocess.run([sys.executable, "-c", "import torch"], check=True))[1] for _ in range(3))
    print(f"{'':46}     wall ms      CPU ms   CPU of `import torch`")
    show(
        "`import torch` in a new process", [cost(lambda: subprocess.run([sys.executable, "-c", "import torch"], check=True)) for _ in range(3)], once
    )
    for kind in KINDS:
        show(f"start and end of a server, {kind}", [cost(lambda kind=kind: Observer(TOYS, kind).close()) for _ in range(3)], once)
    probes = probes_of(REAL.checks)
    compare("empty job", TOYS, ("adder.rule_short",), once)
    compare(f"all {len(probes)} probes on the reference", REAL, probes, once)
    memory(probes)


def show(what: str, costs: list[tuple[float, float]], once: float) -> None:
    """A line of medians. The CPU time is the one to lean on where the machine does other things too."""
    wall, cpu = (statistics.median(column) for column in zip(*costs, strict=True))
    print(f"{what:46}{wall:12.1f}{cpu:12.1f}   {f'{cpu / once:.2f}' if cpu > once / 2 else f'1/{once / cpu:.0f}':>6}")


def cost(work: Callable[[], object]) -> tuple[float, float]:
    """Wall time, and CPU time of this process and of all it waited for, in ms."""
    start, before = time.perf_counter(), sum(os.times()[:4])
    work()
    return 1e3 * (time.perf_counter() - start), 1e3 * (sum(os.times()[:4]) - before)


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
            wall[kind].append(cost(lambda kind=kind: observers[kind].observe(kit.reference.parts, probes, 1))[0])
    for kind in KINDS:
        cpu = (cpu_ms(server_pid(observers[kind])) - before[kind]) / JOBS
        show(f"{what}, {observers[kind].isolation}", [(each, cpu) for each in wall[kind]], once)
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
