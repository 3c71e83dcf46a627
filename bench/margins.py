"""For each check: how far its tolerance stands from right work and from the nearest mistake. For docs/accuracy.md.

    python bench/margins.py CASES [--seeds 5]

CASES/right/<part>/*.py are other right ways. For each check the deviation of a work is the factor by which rtol and atol would have to grow,
or could shrink, until the check just passes. Above 1 it fails. The margin to right work is 1 / its largest deviation, that to mistakes the
smallest deviation of a catalogue entry that fails the check: entries that differ in more than shape, and by more than rounding.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from graders.engine import cache  # noqa: E402 - the line above makes it importable from anywhere
from graders.engine.compare import difference  # noqa: E402
from graders.engine.key import AnswerKey, checks_of  # noqa: E402
from graders.engine.kit import read_kit  # noqa: E402
from graders.engine.observer import Observer  # noqa: E402
from graders.engine.plan import Round, is_rule, probes_of  # noqa: E402
from graders.model import Check, Observation, Part  # noqa: E402

SMALL, LARGE = 1e-4, 1e6  # beyond these a deviation is as good as none, or as all


def deviation(check: Check, seen: Observation, right: Observation) -> float | None:
    """By what factor the tolerance would have to be multiplied for the check to just pass; None where no tolerance would do."""

    def passed(factor: float) -> bool:
        return difference(replace(check, rtol=check.rtol * factor, atol=check.atol * factor), seen, right) is None

    if seen.fault or not passed(LARGE):
        return None
    low, high = SMALL, LARGE
    if passed(low):
        return 0.0
    while high / low > 1.02:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    kit = read_kit(ROOT)
    worst: dict[str, tuple[float, str]] = {}
    nearest: dict[str, tuple[float, str]] = {}
    with Observer(kit) as observer:
        for seed in range(options.seeds):
            key = AnswerKey(kit, 100 + seed, cache.default_folder())
            right = key.reference(observer)
            for part in kit.parts:
                measured = [check for check in checks_of(kit, part) if check.compare in ("values", "unchanged") and not is_rule(check.id)]
                checks = [check for check in measured if check.rtol or check.atol]
                files = sorted((options.cases / "right" / part).glob("*.py"))
                parts = [{**kit.reference.parts, part: Part(part, file.read_text(encoding="utf-8"))} for file in files]
                styles = observer.observe_rounds([Round(one, probes_of(checks)) for one in parts], key.seed)
                for check in checks:
                    for file, seen in zip(files, styles, strict=True):
                        far = deviation(check, seen[check.probe], right[check.probe])
                        worst[check.id] = max(worst.get(check.id, (0.0, "none")), (far or 0.0, file.stem))
                    for variant in key.singles(part, observer) if seed == 0 else ():
                        far = deviation(check, variant.seen[check.probe], right[check.probe])
                        if far and far > 1:
                            nearest[check.id] = min(nearest.get(check.id, (LARGE, "none")), (far, variant.name))
    for check in kit.checks:
        if check.id in worst:
            (spread, style), (near, mistake) = worst[check.id], nearest.get(check.id, (LARGE, "none"))
            margin = 1 / spread if spread else LARGE
            narrow = "  NARROW" if min(margin, near) < 3 else ""
            print(f"{check.id:28} right {margin:10.3g} ({style})   mistakes {near:10.3g} ({mistake}){narrow}")


if __name__ == "__main__":
    main()
