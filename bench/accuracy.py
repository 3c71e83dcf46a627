"""How often is the named mistake the right one, and how often is a name wrong? For docs/accuracy.md.

    python bench/accuracy.py CASES [--pairs 300] [--seed 7]

CASES holds right/<part>/*.py and wrong/<part>/*.py. The first line of each file names its mistake (`misconception: slug`), properties that
must be marked failed (`must_fail:`), and others that must not (`must_pass:`). Each file is graded with the solutions for the other parts.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from graders.engine import cache, match  # noqa: E402 - the line above makes it importable from anywhere
from graders.engine.grade import grade  # noqa: E402
from graders.engine.key import AnswerKey, Variant, checks_of, passes  # noqa: E402
from graders.engine.kit import mistaken, read_kit  # noqa: E402
from graders.engine.observer import Observer  # noqa: E402
from graders.model import Hint, Kit, Outcome, Part, Submission  # noqa: E402


@dataclass(frozen=True)
class Bench:
    """The kit, a worker, and answer keys under three seeds: the first is graded with, the others say which mistakes have the same numbers."""

    kit: Kit
    observer: Observer
    keys: tuple[AnswerKey, ...]

    def scene(self, part: str, parts: dict[str, Part], key: AnswerKey) -> match.Scene:
        """What is seen of a part with these texts, rules aside."""
        checks = tuple(check for check in checks_of(self.kit, part) if not check.id.split(".")[1].startswith("rule_"))
        seen = self.observer.observe({**self.kit.reference.parts, **parts}, tuple(dict.fromkeys(check.probe for check in checks)), key.seed)
        right = key.reference(self.observer)
        failed = frozenset(check.id for check in checks if not passes(check, seen[check.probe], right[check.probe]))
        return match.Scene(part, checks, failed, seen)

    def same_numbers(self, part: str, parts: dict[str, Part], names: tuple[str, ...]) -> bool:
        """Whether these mistakes explain all that these texts give under the other seeds too."""
        mistakes = tuple(mistake for name in names for mistake in self.kit.misconceptions if (mistake.part, mistake.id) == (part, name))
        return all(
            match.fully(self.scene(part, parts, key), variant)
            for key in self.keys[1:]
            for variant in key.variants(part, [mistakes], self.observer)
        )


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


def field(text: str, name: str) -> list[str]:
    """The words of one field of a case's first line."""
    found = re.search(rf"{name}: ([^;]*)", text.partition("\n")[0])
    return [word.strip() for word in found[1].split(",")] if found else []


def own(name: str, slug: str, file: Path) -> bool:
    """Whether a mistake's id is that of the case: its slug, or the file's own name."""
    return name.startswith(slug) or name == file.stem


def cases(bench: Bench, folder: Path) -> None:
    """Grade every case: right kept, wrong caught, and what was named."""
    print("== cases", flush=True)
    count: Counter[str] = Counter()
    for file in sorted(folder.glob("*/*/*.py")):
        part, text = file.parent.name, file.read_text(encoding="utf-8")
        texts = {name: other.text for name, other in bench.kit.reference.parts.items()} | {part: text}
        submission = Submission(file.stem, {name: Part(name, own_text) for name, own_text in texts.items()})
        report = grade(submission, bench.kit, bench.keys[0], bench.observer)
        failed = {verdict.check.id for verdict in report.verdicts if verdict.outcome is not Outcome.PASSED}
        count["other parts lost points"] += any(not check.startswith(f"{part}.") for check in failed)
        if "right" in file.parts:
            lost = {check for check in failed if ".rule_" not in check}
            count["right"] += 1
            count["right kept"] += not lost
            if lost:
                print(f"   right but lost {sorted(lost)}: {file}")
            continue
        count["wrong"] += 1
        count["wrong caught"] += any(f"{part}.{name}" in failed for name in field(text, "must_fail"))
        broken = [name for name in field(text, "must_pass") if f"{part}.{name}" in failed]
        count["must_pass broken"] += bool(broken)
        if broken:
            print(f"   must pass but failed {broken}: {file}")
        slug = field(text, "misconception")[0].replace("-", "_")
        known = any(own(mistake.id, slug, file) for mistake in bench.kit.misconceptions if mistake.part == part)
        hints = {verdict.hint for verdict in report.verdicts if verdict.hint}
        where = "in the catalogue" if known else "not in the catalogue"
        outcome = judged(bench, part, text, file, slug, hints)
        count[f"{where}: {outcome}"] += 1
        if outcome != "named":
            print(f"   {where}: {outcome} {[hint.misconceptions for hint in hints]} failed {len(failed)}: {part}/{file.stem} ({slug})", flush=True)
    table(count)


def judged(bench: Bench, part: str, text: str, file: Path, slug: str, hints: set[Hint]) -> str:
    """What was named: the case's own mistake, one with the same numbers, some part of it, nothing, or a wrong one."""
    if not hints:
        return "no name"
    [hint] = hints
    if any(own(name, slug, file) for name in hint.misconceptions):
        return "named"
    if match.OTHERS not in hint.text and bench.same_numbers(part, {part: Part(part, text)}, hint.misconceptions):
        return "named by the same numbers"
    return "wrong name"


def left_out(bench: Bench, folder: Path) -> None:
    """Take from the catalogue each mistake, and those with the same numbers; whatever is named then is wrong."""
    print("== left out", flush=True)
    count: Counter[str] = Counter()
    for mistake in bench.kit.misconceptions:
        parts = dict(mistaken(bench.kit, (mistake,)) or {})
        [whole] = bench.keys[0].variants(mistake.part, [(mistake,)], bench.observer)
        here = match.Scene(mistake.part, _checks(bench, mistake.part), frozenset(), whole.seen)
        here = replace(here, failed=here.fails(whole))
        count[_left(bench, here, parts, [mistake.id], mistake.id)] += 1
    for file in sorted(folder.glob("wrong/*/*.py")):
        part, text = file.parent.name, file.read_text(encoding="utf-8")
        slug = field(text, "misconception")[0].replace("-", "_")
        ids = [mistake.id for mistake in bench.kit.misconceptions if mistake.part == part and own(mistake.id, slug, file)]
        parts = {part: Part(part, text)}
        count["case: " + _left(bench, bench.scene(part, parts, bench.keys[0]), parts, ids, f"{part}/{file.stem}")] += 1
    table(count)


def _checks(bench: Bench, part: str) -> tuple:
    return tuple(check for check in checks_of(bench.kit, part) if ".rule_" not in check.id)


def _left(bench: Bench, here: match.Scene, parts: dict[str, Part], ids: list[str], label: str) -> str:
    """What is named when these are not known, nor those that prove to have the same numbers."""
    if not here.failed:
        return "only a rule fails"
    known = [variant for variant in bench.keys[0].singles(here.part, bench.observer) if variant.mistakes[0].id not in ids]
    while True:
        hints = match.explain(here, known, bench.keys[0], bench.observer)
        if not hints:
            return "no name"
        hint = next(iter(hints.values()))
        if match.OTHERS in hint.text or not bench.same_numbers(here.part, parts, hint.misconceptions):
            print(f"   wrong: {label} is called {hint.misconceptions} on {len(hints)} of {len(here.failed)} checks", flush=True)
            return "wrong name" + (" for a part" if match.OTHERS in hint.text else "")
        if len(hint.misconceptions) > 1:
            return "named as two mistakes with the same numbers"
        known = [variant for variant in known if variant.mistakes[0].id not in hint.misconceptions]


def pairs(bench: Bench, wanted: int, seed: int) -> None:
    """Two mistakes of one part at once: are both named."""
    print("== pairs", flush=True)
    count: Counter[str] = Counter()
    every = [pair for pair in combinations(bench.kit.misconceptions, 2) if pair[0].part == pair[1].part and mistaken(bench.kit, pair)]
    for pair in random.Random(seed).sample(every, wanted):
        part = pair[0].part
        [variant] = bench.keys[0].variants(part, [pair], bench.observer)
        start = time.perf_counter()
        outcome = _pair(bench, variant)
        count[outcome] += 1
        if outcome != "both named":
            print(f"   {outcome}: {part} {variant.name} {time.perf_counter() - start:.1f} s", flush=True)
    own_numbers = sum(number for outcome, number in count.items() if not outcome.startswith("not its own"))
    table(count)
    print(f"   both named: {count['both named']} of {own_numbers} = {count['both named'] / max(own_numbers, 1):.1%}")


def _pair(bench: Bench, variant: Variant) -> str:
    part = variant.mistakes[0].part
    here = match.Scene(part, _checks(bench, part), frozenset(), variant.seen)
    here = replace(here, failed=here.fails(variant))
    singles = bench.keys[0].singles(part, bench.observer)
    hints = match.explain(here, singles, bench.keys[0], bench.observer) if here.failed else {}
    if not hints:
        return "not its own: nothing fails" if not here.failed else "no name"
    hint = next(iter(hints.values()))
    names, right = set(hint.misconceptions), {mistake.id for mistake in variant.mistakes}
    if names == right:
        return "both named"
    if match.OTHERS in hint.text:
        return "one of them named" if names < right else "wrong name for a part"
    return f"not its own: {'a single one has' if len(names) == 1 else 'two others have'} the same numbers"


def table(count: Counter[str]) -> None:
    for name, number in sorted(count.items()):
        print(f"   {number:5} {name}")


if __name__ == "__main__":
    main()
