"""Mistakes that the catalogue does not know, made by taking them out of it: whatever is named then is wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from bench.accuracy.scene import Bench, field, own, table
from graders.engine import match
from graders.engine.kit import mistaken
from graders.engine.scene import Scene
from graders.model import Part


def left_out(bench: Bench, folder: Path) -> None:
    """Take from the catalogue each mistake, and those with the same numbers; whatever is named then is wrong."""
    print("== left out", flush=True)
    count: Counter[str] = Counter()
    for mistake in bench.kit.misconceptions:
        parts = dict(mistaken(bench.kit, (mistake,)) or {})
        [whole] = bench.keys[0].variants(mistake.part, [(mistake,)], bench.observer)
        here = Scene(mistake.part, bench.checks(mistake.part), frozenset(), whole.seen)
        here = replace(here, failed=here.fails(whole))
        count[_left(bench, here, parts, [mistake.id], mistake.id)] += 1
    for file in sorted(folder.glob("wrong/*/*.py")):
        part, text = file.parent.name, file.read_text(encoding="utf-8")
        slug = field(text, "misconception")[0].replace("-", "_")
        ids = [mistake.id for mistake in bench.kit.misconceptions if mistake.part == part and own(mistake.id, slug, file)]
        parts = {part: Part(part, text)}
        count["case: " + _left(bench, bench.scene(part, parts, bench.keys[0]), parts, ids, f"{part}/{file.stem}")] += 1
    table(count)


def _left(bench: Bench, here: Scene, parts: dict[str, Part], ids: list[str], label: str) -> str:
    """What is named when these are not known, nor those that prove to have the same numbers."""
    if not here.failed:
        return "only a rule fails"
    known = [mistakes for mistakes in bench.keys[0].alone(here.part) if mistakes[0].id not in ids]
    while True:
        hints = match.together([match.explain(here, known)], bench.keys[0], bench.observer)
        if not hints:
            return "no name"
        hint = next(iter(hints.values()))
        if match.OTHERS in hint.text or not bench.same_numbers(here.part, parts, hint.misconceptions):
            print(f"   wrong: {label} is called {hint.misconceptions} on {len(hints)} of {len(here.failed)} checks", flush=True)
            return "wrong name" + (" for a part" if match.OTHERS in hint.text else "")
        if len(hint.misconceptions) > 1:
            return "named as two mistakes with the same numbers"
        known = [mistakes for mistakes in known if mistakes[0].id not in hint.misconceptions]
