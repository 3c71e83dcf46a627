"""Gradescope: a report becomes results.json; and the run inside its container, `python -m graders.faces.gradescope FOLDER`.

The container may have half a processor and less than 1 GiB. So one submission is graded in one process with one worker, students' code gets
less memory, and the waiting times grow as the share of a processor shrinks; the limits in seconds of processor time stay as they are.
What is printed here is for instructors only: results.json tells Gradescope to hide it from students.
"""

from __future__ import annotations

import json
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from graders.engine.grade import grade
from graders.engine.key import AnswerKey
from graders.engine.kit import read_kit
from graders.engine.narrow import for_lessons, packed_for
from graders.engine.observer import Observer
from graders.engine.submission import read_submission
from graders.faces.text import LONGEST, OUTCOMES, by_group, clean, number, title
from graders.model import Kit, Limits, Outcome, Report, SubmissionError, Verdict

Document = dict[str, Any]
MEMORY_MB = 256  # for students' code, beside what the grader itself takes
SLOWEST = 4.0  # times longer is waited at most
LOOK_SECONDS = 0.4
OURS = "The grader itself failed at some checks. They count nothing; please tell your instructor."


def render(report: Report, seconds: float = 0.0) -> Document:
    """The content of results.json for a report."""
    return {
        **_frame(seconds, " ".join(filter(None, (*report.notes, OURS if report.needs_human else "")))),
        "tests": [
            _test(f"{place}.{row}", verdict)
            for place, verdicts in enumerate(by_group(report.verdicts).values(), 1)
            for row, verdict in enumerate(verdicts, 1)
        ],
        "extra_data": {"seed": report.seed, "isolation": report.isolation, "kit_version": report.kit_version, "needs_human": report.needs_human},
    }


def trouble(sentence: str, seconds: float = 0.0) -> Document:
    """The content of results.json where there is nothing to grade."""
    return {**_frame(seconds, sentence), "score": 0.0, "tests": []}


def _frame(seconds: float, words: str) -> Document:
    return {"output": clean(words, 4 * LONGEST), "output_format": "text", "stdout_visibility": "hidden", "execution_time": round(seconds, 3)}


def _test(place: str, verdict: Verdict) -> Document:
    """One check. A void one has no status, and its points are 0 of 0."""
    passed = "passed" if verdict.outcome is Outcome.PASSED else "failed"
    return {
        "number": place,
        "name": f"{verdict.check.id}: {title(verdict.check)}",
        "score": verdict.points,
        "max_score": verdict.possible,
        **({} if verdict.outcome is Outcome.VOID else {"status": passed}),
        "output": "\n".join(_words(verdict)),
        "output_format": "text",
        "tags": [verdict.check.id.split(".")[0]],
        "visibility": verdict.check.visibility,
    }


def _words(verdict: Verdict) -> Iterator[str]:
    if verdict.outcome not in (Outcome.PASSED, Outcome.FAILED):
        yield f"{OUTCOMES[verdict.outcome].capitalize()}."
    if verdict.message:
        yield clean(verdict.message)
    if verdict.hint:
        yield f"Hint: {clean(verdict.hint.text)}"


def run(folder: Path) -> Document:
    """Grade what lies in `folder`/submission with the kit in `folder`/source/kit. Raises KitError where the kit cannot grade."""
    start, about = time.monotonic(), metadata(folder)
    root = folder / "source/kit"
    kit = fitted(for_lessons(read_kit(root), packed_for(root)), processor_share())
    print(f"The kit gives {number(sum(check.points for check in kit.checks))} points, the assignment {_total(about)}.")
    try:
        submission = read_submission(folder / "submission", kit, f"submission {about.get('id', '')}".strip())
    except SubmissionError as error:
        return trouble(str(error), time.monotonic() - start)
    with Observer(kit) as observer:
        report = grade(submission, kit, AnswerKey(kit, secrets.randbelow(2**31), None), observer)
    print(f"{number(report.points)} of {number(report.possible)}; seed {report.seed}, isolation {clean(report.isolation)}, kit {report.kit_version}")
    return render(report, time.monotonic() - start)


def metadata(folder: Path) -> Document:
    """What Gradescope tells about the submission; nothing where the file is not there or not as it should be."""
    try:
        found = json.loads((folder / "submission_metadata.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _total(about: Document) -> str:
    assignment = about.get("assignment")
    points = assignment.get("total_points") if isinstance(assignment, dict) else None
    return clean(str(points), 40) if points is not None else "says nothing of points"


def fitted(kit: Kit, share: float) -> Kit:
    """The kit with limits for a small container that gives this share of a processor."""
    times = min(max(1.0, 1 / max(share, 1e-3)), SLOWEST)
    limits: Limits = kit.limits
    return replace(
        kit,
        limits=replace(
            limits,
            probe_seconds=round(limits.probe_seconds * times, 1),
            job_seconds=round(limits.job_seconds * times, 1),
            memory_mb=min(limits.memory_mb, MEMORY_MB),
        ),
    )


def processor_share(seconds: float = LOOK_SECONDS) -> float:
    """How much of a processor this process gets, from working hard for a moment."""
    start, used = time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        pass
    return (time.process_time() - used) / (time.perf_counter() - start)


def main(words: Sequence[str]) -> int:
    """Write `words[0]`/results/results.json, whole. Where the grader fails, the one that is there stays, and the reason is printed."""
    folder = Path(words[0])
    try:
        text = json.dumps(run(folder), allow_nan=False)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no verdict; the instructor reads why
        print(f"The grader itself failed: {type(error).__name__}: {clean(str(error), 4 * LONGEST)}")
        return 2
    part = folder / "results/results.part"
    part.write_text(text, encoding="utf-8")
    part.replace(folder / "results/results.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
