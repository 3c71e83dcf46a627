"""How often does a release's book of hints say the right thing? For docs/accuracy.md.

    python -m bench.hints CASES

CASES as for bench.accuracy. Each file is put into a release that is solved otherwise, and the visible tests run as `python -m exercises`
runs them. A hint is right where it is that of the case's own mistake, or the one that the hidden checks find.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bench.accuracy.scene import field, own
from graders.engine.grade import grade
from graders.engine.key import AnswerKey
from graders.engine.kit import read_kit
from graders.engine.observer import Observer
from graders.model import Kit, Part, Submission
from graders.publish.release import release, write_release

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 20.0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", type=Path)
    cases = parser.parse_args().cases
    kit, count = read_kit(ROOT), Counter[str]()
    with tempfile.TemporaryDirectory() as name, Observer(kit) as observer:
        key = AnswerKey(kit, 7)
        write_release(release(ROOT), Path(name), ROOT)
        for part in kit.reference.parts:
            shutil.copy(ROOT / f"solutions/{part}.py", Path(name, "exercises"))
        for file, records in seen(Path(name) / "exercises", sorted(cases.glob("*/*/*.py"))):
            right = named(kit, file) | found(kit, file, key, observer)
            outcome = told(records, right) if isinstance(records, list) else "stopped for time, and the place is named"
            count[f"{file.parts[-3]}: {outcome}"] += 1
            print(f"{file.parent.name}/{file.stem}: {outcome}")
    for outcome, number in sorted(count.items()):
        print(f"{number:5}  {outcome}")


def seen(exercises: Path, files: list[Path]) -> Iterator[tuple[Path, list[dict[str, str]] | str]]:
    """Each case, and the records of a run with it in its place."""
    spec = importlib.util.spec_from_file_location("released_run", exercises / "_run.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with closing(module.Runner(SECONDS)) as runner:
        for file in files:
            shutil.copy(file, exercises / f"{file.parent.name}.py")
            yield file, runner.run()
            runner.ready()
            shutil.copy(ROOT / f"solutions/{file.parent.name}.py", exercises)


def named(kit: Kit, file: Path) -> set[str]:
    """The hints of the mistakes that a case says it makes."""
    slug = field(file.read_text(encoding="utf-8"), "misconception")
    return {one.hint for one in kit.misconceptions if one.part == file.parent.name and slug and own(one.id, slug[0].replace("-", "_"), file)}


def found(kit: Kit, file: Path, key: AnswerKey, observer: Observer) -> set[str]:
    """The hints that the hidden checks find."""
    texts = {name: part.text for name, part in kit.reference.parts.items()} | {file.parent.name: file.read_text(encoding="utf-8")}
    report = grade(Submission(file.stem, {name: Part(name, text) for name, text in texts.items()}), kit, key, observer)
    return {verdict.hint.text for verdict in report.verdicts if verdict.hint}


def told(records: list[dict[str, str]], right: set[str]) -> str:
    """What became of one case."""
    hints = {record["hint"] for record in records if record["hint"]}
    if all(record["state"] == "passed" for record in records):
        return "all visible tests pass"
    if not hints:
        return "a visible test fails, no hint"
    good = any(text in hint for text in right for hint in hints)
    return f"a visible test fails, {'the right hint' if good else f'another hint: {hints}'}"


if __name__ == "__main__":
    main()
