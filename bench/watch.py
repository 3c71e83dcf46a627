"""From a save to the new verdict, beside a fresh `pytest exercises`: `python bench/watch.py [--rounds N]`. Lean on the ratios.

Wall seconds, medians of interleaved rounds in a folder that holds the solutions. The watch is the command itself in a pseudo-terminal:
its time runs from before the file is written to the last line of the verdict.
"""

from __future__ import annotations

import argparse
import os
import pty
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
LAST = b"hidden checks remain."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = handed_out(Path(name))
        pid, screen = watching(folder)
        read(screen)
        saves, freshes = [], []
        for number in range(rounds + 1):
            saves.append(timed(lambda number=number: save(folder, screen, number)))
            freshes.append(timed(lambda: fresh(folder)))
        os.kill(pid, signal.SIGINT)
        os.waitpid(pid, 0)
    warm, cold = statistics.median(saves[1:]), statistics.median(freshes[1:])  # the first round fills caches
    print(f"rounds {rounds}; wall seconds, medians")
    print(f"a fresh `pytest exercises`            {cold:7.3f}")
    print(f"--watch, from save to verdict         {warm:7.3f}   {cold / warm:.1f} times as fast")


def handed_out(folder: Path) -> Path:
    for name in ("exercises", "tiny_lm"):
        shutil.copytree(ROOT / name, folder / name)
    for file in (ROOT / "solutions").glob("[!_]*.py"):
        shutil.copy(file, folder / "exercises")
    return folder


def watching(folder: Path) -> tuple[int, int]:
    pid, screen = pty.fork()
    if not pid:
        os.chdir(folder)
        os.execv(sys.executable, [sys.executable, "-m", "exercises", "--watch"])
    return pid, screen


def read(screen: int) -> None:
    text = b""
    while LAST not in text:
        text += os.read(screen, 65536)


def save(folder: Path, screen: int, number: int) -> None:
    text = (ROOT / "solutions/rmsnorm.py").read_text(encoding="utf-8")
    (folder / "exercises/rmsnorm.py").write_text(f"{text}\n# {number}\n", encoding="utf-8")
    read(screen)


def fresh(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "pytest", "exercises", "-q"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
