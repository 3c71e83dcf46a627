"""Does right work keep every point, whatever the inputs? Many seeds, every right style: `python bench/seeds.py CASES [--seeds 1000] [--jobs 2]`.

CASES holds right/<part>/*.py. Each file stands in for one part of the solutions, and all checks that take the part are judged; rules about
how code is written aside. Under one seed all files of a part run in one process, one after the other. Exits with 1 where a point was lost.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from rich.progress import track  # noqa: E402 - the lines above make the kit importable from anywhere

from graders.engine.compare import difference  # noqa: E402
from graders.engine.kit import read_kit  # noqa: E402
from graders.engine.observer import Observer  # noqa: E402
from graders.engine.plan import Round, is_rule, probes_of  # noqa: E402
from graders.model import Kit, Part  # noqa: E402

A_PIECE = 25  # seeds for one worker


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    files = sorted(options.cases.glob("right/*/*.py"))
    starts = range(0, options.seeds, A_PIECE)
    lost: Counter[str] = Counter()
    judged = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        work = [pool.submit(some, files, range(start, min(start + A_PIECE, options.seeds))) for start in starts]
        for done in track(as_completed(work), "seeds", total=len(work)):
            count, found = done.result()
            judged += count
            lost.update(found)
    print(f"{len(files)} right files and the solutions, {options.seeds} seeds, {judged} checks judged, {lost.total()} failed")
    for name, count in lost.most_common():
        print(f"   {count:5} times {name}")
    return 1 if lost or not judged else 0


def some(files: list[Path], seeds: range) -> tuple[int, Counter[str]]:
    """How many checks were judged under these seeds, and how often which file failed which."""
    kit = read_kit(ROOT)
    judged, lost = 0, Counter[str]()
    with Observer(kit) as observer:
        for seed in seeds:
            for part in kit.parts:
                for name, wrong in results(kit, part, files, observer, seed):
                    judged += 1
                    lost[name] += wrong
    return judged, +lost


def results(kit: Kit, part: str, files: list[Path], observer: Observer, seed: int) -> Iterator[tuple[str, bool]]:
    """Each file of this part with each check of the part, and whether it fails."""
    checks = [check for check in kit.checks if part in check.takes and not is_rule(check.id)]
    probes = probes_of(checks)
    own = [file for file in files if file.parent.name == part]
    right = kit.reference.parts
    variants = [right, *({**right, part: Part(part, file.read_text(encoding="utf-8"))} for file in own)]
    reference, *seen = observer.observe_rounds([Round(parts, probes) for parts in variants], seed)
    for check in checks:
        yield f"solutions {check.id}", reference[check.probe].fault is not None
        for file, one in zip(own, seen, strict=True):
            yield f"{part}/{file.stem} {check.id}", bool(one[check.probe].fault or difference(check, one[check.probe], reference[check.probe]))


if __name__ == "__main__":
    sys.exit(main())
