"""What one more submission costs, side by side in one run: `python bench/speed.py [--rounds N]`. Lean on the ratios.

`PARTS=rmsnorm,attention,block,answers` in the environment leaves out the checks of all other parts, on both sides.

CPU seconds of this process and its children, medians of interleaved rounds: `import torch`, one pytest subprocess with the same checks
(bench/peer_checks.py), and the engine as it is used in a batch. Then the answer key, cold and kept, and one `grade` from cold.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from peer_checks import some  # noqa: E402 - it lies beside this file

from graders.engine.grade import grade  # noqa: E402 - the line above makes it importable from anywhere
from graders.engine.key import AnswerKey  # noqa: E402
from graders.engine.kit import read_kit  # noqa: E402
from graders.engine.observer import Observer  # noqa: E402
from graders.engine.submission import read_submission  # noqa: E402

KIT = some(read_kit(ROOT))
STUDENT = ROOT / "examples/submissions/right"
WRONG = ROOT / "examples/submissions/two-mistakes"
SHORT, MORE = 50, 60  # submissions: from the 40th job on a server is as it stays


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    imports, peers, ours, walls = [], [], [], []
    for _ in range(rounds):
        imports.append(cpu(import_torch))
        peers.append(cpu(peer))
        cost, wall = one_more()
        ours.append(cost)
        walls.append(wall)
    torch, peer_cpu, mine = (statistics.median(numbers) for numbers in (imports, peers, ours))
    print(f"checks {len(KIT.checks)}, probes {len({check.probe for check in KIT.checks})}, rounds {rounds}; CPU seconds, medians")
    print(f"import torch                                {torch:7.3f}")
    print(f"one pytest subprocess, same checks          {peer_cpu:7.3f}")
    print(f"one more submission in a batch              {mine:7.3f}   1/{torch / mine:.1f} and 1/{peer_cpu / mine:.1f} of these")
    print(f"  its wall time                             {statistics.median(walls):7.3f}")
    answer_key()
    from_cold()


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process and of its children that have ended."""
    before = used()
    work()
    return used() - before


def used() -> float:
    return sum(u.ru_utime + u.ru_stime for u in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))


def import_torch() -> None:
    subprocess.run([sys.executable, "-c", "import torch"], check=True)


def peer() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(ROOT / "bench/peer_checks.py")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT, env=dict(os.environ, SUBMISSION=str(STUDENT), PYTHONPATH=str(ROOT)))


def one_more() -> tuple[float, float]:
    """CPU and wall seconds of one submission more: a long batch less a short one, so that starting and ending the worker cancel out."""
    short, _ = batch(SHORT)
    long, wall = batch(SHORT + MORE)
    return (long - short) / MORE, wall


def batch(size: int) -> tuple[float, float]:
    before, walls = used(), []
    with Observer(KIT) as observer:
        key = AnswerKey(KIT, 7)
        for _ in range(size):
            start = time.perf_counter()
            report = grade(read_submission(STUDENT, KIT), KIT, key, observer)
            walls.append(time.perf_counter() - start)
            assert report.points == report.possible  # a cheap run that graded nothing would look fast
    return used() - before, statistics.median(walls)


def answer_key() -> None:
    with tempfile.TemporaryDirectory() as folder, Observer(KIT) as observer:
        for state in ("cold", "kept"):
            start = time.perf_counter()
            key = AnswerKey(KIT, 7, Path(folder))
            key.reference(observer)
            found = sum(len(key.singles(part, observer)) for part in KIT.parts)
            print(f"answer key, {state}: reference and {found} mistakes  {time.perf_counter() - start:6.2f} s wall")


def from_cold() -> None:
    with tempfile.TemporaryDirectory() as cache:
        for name, path in (("right", STUDENT), ("two mistakes", WRONG)):
            start = time.perf_counter()
            import_torch()
            middle = time.perf_counter()
            env = dict(os.environ, XDG_CACHE_HOME=cache, PYTHONPATH=str(ROOT))
            subprocess.run([sys.executable, "-m", "graders", "grade", str(path)], check=True, stdout=subprocess.DEVNULL, cwd=ROOT, env=env)
            end = time.perf_counter()
            print(f"one `grade` from cold, {name:12}          {end - middle:7.2f} s wall, import torch {middle - start:.2f} s")


if __name__ == "__main__":
    main()
