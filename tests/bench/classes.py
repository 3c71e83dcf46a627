"""Classes that nobody attended: reports as a run writes them, for pages and tables of any size. `python -m tests.bench.classes DIR [STUDENTS]`"""

import random
import sys
from pathlib import Path

from graders.engine.kit import read_kit
from graders.faces import json
from graders.model import Hint, Outcome, Report, Verdict

ROOT = Path(__file__).parents[2]
FIRST = ("Ada", "Bo", "Chidi", "Dušan", "Eun-ji", "Fatima", "Gül", "Håkon", "Ines", "Jürgen", "Kofi", "Léa", "Mei", "Noor", "Olu", "Priya")
LAST = ("Abara", "Bjork", "Castro", "Diallo", "Eriksen", "Farouk", "Greco", "Haddad", "Ito", "Jansen", "Kaya", "Lind", "Moreau", "Novak", "Okafor")
OTHER = {
    Outcome.UNFINISHED: "Open the file and write what is missing.",
    Outcome.CRASHED: "line 24: AttributeError: 'tuple' object has no attribute 'shape'",
    Outcome.TIMED_OUT: "did not finish within 5 s",
    Outcome.MISSING: "the class was not found",
}


def a_class(students, seed=1, kit=None):
    """So many reports on the checks of the kit: most parts are right, some hold a known mistake, one without a name, or none can be judged."""
    kit, chance = kit or read_kit(ROOT), random.Random(seed)
    return [_report(f"{chance.choice(FIRST)} {chance.choice(LAST)} {number:04}", kit, chance) for number in range(1, students + 1)]


def _report(label, kit, chance):
    verdicts = [verdict for part in kit.parts for verdict in _part(part, kit, chance)]
    graded = {part: f"{chance.getrandbits(64):064x}" for part in kit.parts}
    notes = ("notes.txt was not read.",) if chance.random() < 0.02 else ()
    return Report(label, tuple(verdicts), 7, "full", kit.version, graded, chance.lognormvariate(-1.5, 0.8), notes)


def _part(part, kit, chance):
    checks = [check for check in kit.checks if check.takes == (part,)]
    known = [mistake for mistake in kit.misconceptions if mistake.part == part]
    fate = chance.random()
    if fate < 0.55:
        return [Verdict(check, Outcome.PASSED) for check in checks]
    if fate < 0.7:
        outcome = chance.choices(list(OTHER), (8, 4, 1, 2))[0]
        return [Verdict(check, outcome, OTHER[outcome]) for check in checks]
    number = int(chance.expovariate(0.25)) if known and fate < 0.9 else -1 - int(chance.expovariate(0.5))
    mistake = known[number % len(known)] if number >= 0 else None
    lost = random.Random(f"{part} {number}").sample(checks, max(1, len(checks) // 3))
    hint = Hint((mistake.id,), mistake.hint) if mistake else None
    message = f"y: {20 + abs(number)} of 640 numbers are wrong, first at [0, 0, 0]."
    return [Verdict(check, Outcome.FAILED, message, hint) if check in lost else Verdict(check, Outcome.PASSED) for check in checks]


def write(reports, folder):
    """The folder as `grade --out` fills it."""
    folder.mkdir(parents=True, exist_ok=True)
    for report in reports:
        (folder / f"{report.label}.json").write_text(json.render(report) + "\n", encoding="utf-8")
    return folder


if __name__ == "__main__":
    write(a_class(int(sys.argv[2]) if len(sys.argv) > 2 else 1000), Path(sys.argv[1]))
