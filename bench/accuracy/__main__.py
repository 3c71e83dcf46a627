"""How often is the named mistake the right one, and how often is a name wrong? For docs/accuracy.md.

    python -m bench.accuracy CASES [--pairs 300] [--seed 7] [--only cases,left-out,pairs]

CASES holds right/<part>/*.py and wrong/<part>/*.py. The first line of each file names its mistake (`misconception: slug`), properties that
must be marked failed (`must_fail:`), and others that must not (`must_pass:`). Each file is graded with the solutions for the other parts.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from bench.accuracy.cases import cases
from bench.accuracy.left_out import left_out
from bench.accuracy.pairs import pairs
from bench.accuracy.scene import Bench
from graders.engine import cache
from graders.engine.key import AnswerKey
from graders.engine.kit import read_kit
from graders.engine.observer import Observer

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", type=Path)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="cases,left-out,pairs")
    options = parser.parse_args()
    kit = read_kit(ROOT)
    with Observer(kit) as observer:
        keys = tuple(AnswerKey(kit, options.seed + step, cache.default_folder()) for step in range(3))
        bench = Bench(kit, observer, keys)
        steps = {
            "cases": lambda: cases(bench, options.cases),
            "left-out": lambda: left_out(bench, options.cases),
            "pairs": lambda: pairs(bench, options.pairs, options.seed),
        }
        for name in options.only.split(","):
            start = time.perf_counter()
            steps[name]()
            print(f"   {time.perf_counter() - start:.0f} s\n", flush=True)


if __name__ == "__main__":
    main()
