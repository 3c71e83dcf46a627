"""The autograder for Gradescope in a scratch folder: how much memory all its processes take together. `python bench/gradescope.py`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from graders.publish.gradescope import autograder  # noqa: E402 - the line above makes it importable from anywhere

BESIDE = """
import threading, time
def _take():
    kept = []
    while True:
        try:
            kept.append(bytearray(b'x' * (1 << 20)))
        except MemoryError:
            time.sleep(1)
threading.Thread(target=_take, daemon=True).start()
time.sleep(1)
"""  # takes all it is given, and holds it while the checks run


def main() -> None:
    for name in ("right", "two-mistakes", "loop"):
        texts = {file.name: file.read_text() for file in (ROOT / "examples/submissions" / name).glob("*.py")}
        report(name, texts)
    right = {file.name: file.read_text() for file in (ROOT / "solutions").glob("[!_]*.py")}
    report("greedy", {name: text + BESIDE for name, text in right.items()})


def report(name: str, texts: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = lay_out(Path(scratch), autograder(ROOT), texts)
        start = time.perf_counter()
        _, peak = run(folder)
        print(f"{name:14} peak of all processes {peak:6.0f} MiB   {time.perf_counter() - start:6.1f} s")


def lay_out(folder: Path, content: bytes, texts: dict[str, str]) -> Path:
    """/autograder as Gradescope has it when a submission comes."""
    folder.chmod(0o755)
    for name in ("source", "submission", "results"):
        (folder / name).mkdir()
    (folder / "autograder.zip").write_bytes(content)
    with zipfile.ZipFile(folder / "autograder.zip") as archive:
        archive.extractall(folder / "source")
    (folder / "run_autograder").write_bytes((folder / "source/run_autograder").read_bytes())
    (folder / "run_autograder").chmod(0o755)
    for name, text in texts.items():
        (folder / "submission" / name).write_text(text)
    return folder


def run(folder: Path, before: tuple[str, ...] = (), **more: str) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run the script to its end. What it printed, and the peak of the memory of all its processes in MiB, shared pages counted once.

    `before` is a command to put in front, such as one that takes something away.
    """
    environment = {**os.environ, "AUTOGRADER": str(folder), "AUTOGRADER_PYTHON": sys.executable, **more}
    command = [*before, str(folder / "run_autograder")]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        peak = [0.0]
        watch = threading.Thread(target=_watch, args=(process, peak))
        watch.start()
        said, _ = process.communicate(timeout=600)
        watch.join()
    return subprocess.CompletedProcess(process.args, process.returncode, said), peak[0]


def _watch(process: subprocess.Popen[str], peak: list[float]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(map(_mib, _family(process.pid))))
        time.sleep(0.02)


def _family(pid: int) -> list[int]:
    try:
        children = [int(word) for task in Path(f"/proc/{pid}/task").iterdir() for word in (task / "children").read_text().split()]
    except OSError:
        return []
    return [pid, *(one for child in children for one in _family(child))]


def _mib(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    main()
