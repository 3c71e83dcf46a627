"""A whole class, some of it hostile, from outside: `python bench/batch.py --count 2000 --jobs 2 --kills 20 [--kit tests/toykit]`.

Three runs of the command: all of them; all but the hostile ones; all of them again, killed at random moments and resumed.
It prints whether the grades are equal, how the engine's memory went, and how long the halves took.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from graders.engine.kit import mistaken, read_kit  # noqa: E402 - the line above makes it importable from anywhere

EVERY = 20  # each so-manieth is hostile
HOSTILE = (
    "import os\nos._exit(0)\n",
    "raise BaseException('no')\n",
    "def f():\n    f()\nf()\n",
    "x = bytearray(1 << 34)\n",
    "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n",
    "import os\nfor n in range(3, 64):\n    try:\n        os.write(n, b'{}' * 5000)\n    except OSError:\n        pass\n",
    "import os\nos.closerange(0, 64)\n",
    "import torch\ntorch.equal = torch.allclose = lambda *a, **k: True\ntorch.Tensor.__add__ = lambda a, b: a\n",
    "import time\nend = time.time() + 2\nwhile time.time() < end:\n    pass\n",
    "print('spam' * 1000000)\n",
    "import socket\nsocket.create_connection(('127.0.0.1', 22), 1)\n",
    "import os\nfor n in range(100):\n    os.fork()\n",
    "open('/etc/passwd').read()\nopen('/tmp/left', 'w').write('x')\n",
    "while True:\n    pass\n",
)


@dataclass(frozen=True)
class Sample:
    """A running command at one moment: seconds since its start, reports written, resident memory in MB."""

    seconds: float
    reports: int
    megabytes: float


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    for name, kind, value in (("--count", int, 200), ("--jobs", int, 2), ("--kills", int, 5), ("--kit", Path, ROOT), ("--seed", int, 7)):
        ask.add_argument(name, type=kind, default=value)
    wish = ask.parse_args()
    with tempfile.TemporaryDirectory() as place:
        whole, clean = write_class(Path(place), wish.kit, wish.count)
        print(f"{wish.count} submissions, {wish.count // EVERY} of them hostile, --jobs {wish.jobs}, kit {read_kit(wish.kit).title}")
        everything, alone, broken = (Path(place, name) for name in ("everything", "alone", "broken"))
        measured(whole, everything, wish)
        run(clean, alone, wish).wait()
        compare("the others beside hostile ones and without them", everything, alone, {file.name for file in alone.glob("*.json")})
        if wish.kills:
            killed(whole, broken, wish)
            compare(f"after {wish.kills} kills and in one go", everything, broken, {file.name for file in everything.glob("*.json")})


def write_class(place: Path, kit_folder: Path, count: int) -> tuple[Path, Path]:
    """A folder with all, and one with links to those that are not hostile. Right work and every known mistake, in turn."""
    kit = read_kit(kit_folder)
    variants = [{}, *(mistaken(kit, (mistake,)) for mistake in kit.misconceptions)]
    first = kit.parts[0]
    for number in range(count):
        name = f"s{number:06}"
        texts = {part: one.text for part, one in kit.reference.parts.items()}
        texts |= {part: one.text for part, one in variants[number % len(variants)].items()}
        if hostile := number % EVERY == EVERY - 1:
            texts[first] = HOSTILE[number // EVERY % len(HOSTILE)] + texts[first]
        for folder in ("whole", "clean")[: 1 if hostile else 2]:
            (place / folder / name).mkdir(parents=True)
            for part, text in texts.items():
                (place / folder / name / f"{part}.py").write_text(text)
    return place / "whole", place / "clean"


def run(submissions: Path, out: Path, wish: argparse.Namespace) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "graders", "grade", str(submissions), "--out", str(out), "--jobs", str(wish.jobs)]
    command += ["--seed", str(wish.seed), "--kit", str(wish.kit)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measured(submissions: Path, out: Path, wish: argparse.Namespace) -> None:
    """Run to the end and print memory and time by halves."""
    start, samples = time.monotonic(), []
    process = run(submissions, out, wish)
    while process.poll() is None:
        pages = Path(f"/proc/{process.pid}/statm").read_text().split()
        samples.append(Sample(time.monotonic() - start, reports(out), int(pages[1]) * 4096 / 2**20 if len(pages) > 1 else 0))
        time.sleep(0.1)
    seconds = time.monotonic() - start
    begun = next(sample for sample in samples if sample.reports)
    half = next(sample for sample in samples if sample.reports >= wish.count / 2)
    full = next((sample for sample in samples if sample.reports >= wish.count), samples[-1])
    most = [max(one.megabytes for one in samples if (one.seconds < half.seconds) == early) for early in (True, False)]
    print(f"whole run {seconds:.1f} s, exit code {process.returncode}; first report after {begun.seconds:.1f} s")
    print(f"first half {half.seconds - begun.seconds:.1f} s, second half {full.seconds - half.seconds:.1f} s")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (used.ru_utime + used.ru_stime) / wish.count
    print(f"a submission: {1e3 * (full.seconds - begun.seconds) / wish.count:.0f} ms by the clock, {1e3 * cpu:.0f} ms of CPU, starts included")
    print(f"engine's memory: at most {most[0]:.1f} MB in the first half, {most[1]:.1f} MB in the second")


def killed(submissions: Path, out: Path, wish: argparse.Namespace) -> None:
    """Start, and kill after a random number of reports and a random part of a second more; at last let it end."""
    draw = random.Random(wish.seed)
    for _ in range(wish.kills):
        enough = reports(out) + draw.uniform(0, 2 * wish.count / wish.kills)
        process = run(submissions, out, wish)
        while process.poll() is None and reports(out) < enough:
            time.sleep(0.02)
        time.sleep(draw.uniform(0, 0.3))
        process.kill()
        print(f"killed with {reports(out)} reports there" if process.wait() == -9 else "ended before it was killed")
    run(submissions, out, wish).wait()


def reports(out: Path) -> int:
    return sum(1 for _ in out.glob("*.json"))


def compare(what: str, one: Path, other: Path, names: set[str]) -> None:
    """Say how many reports differ in anything but the time they took."""
    differing = [name for name in sorted(names) if said(one / name) != said(other / name)]
    print(f"{what}: {len(names)} reports, {len(differing)} differ {' '.join(differing[:5])}")


def said(file: Path) -> dict[str, object]:
    return {**json.loads(file.read_text()), "seconds": 0} if file.exists() else {}


if __name__ == "__main__":
    main()
