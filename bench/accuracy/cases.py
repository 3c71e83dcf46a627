"""Each case of the corpus graded: right kept, wrong caught, and what was named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bench.accuracy.scene import Bench, field, own, table
from graders.engine import match
from graders.engine.grade import grade
from graders.engine.plan import is_rule
from graders.model import Hint, Outcome, Part, Submission


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
            lost = {check for check in failed if not is_rule(check)}
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
