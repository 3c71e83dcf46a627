"""The commands that carry content and verdicts to other platforms. `add` hands them to the command line."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from graders.engine.cohort.records import read_results
from graders.engine.grade import grade
from graders.engine.key import AnswerKey
from graders.engine.kit import read_kit
from graders.engine.narrow import for_lessons
from graders.engine.observer import Observer
from graders.engine.roster import read_sheet
from graders.engine.submission import find_one
from graders.faces import canvas as canvas_
from graders.faces import classroom as classroom_
from graders.faces import junit as junit_
from graders.faces import moodle as moodle_
from graders.faces.options import HERE, KitFolder, Lessons
from graders.faces.output import has_folder, save, tell
from graders.model import KitError, SubmissionError
from graders.publish.gradescope import autograder
from graders.publish.release import release, write_release


def add(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("release")(release_)
    app.command("gradescope")(gradescope)
    app.command("classroom")(classroom)
    app.command("lms")(lms)
    app.command("junit")(junit)


def release_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or that of an earlier release.")],
    force: Annotated[bool, typer.Option("--force", help="Write into a folder with other files too; one with an answer is still refused.")] = False,
    kit: KitFolder = HERE,
) -> None:
    """Write what students receive: exercises, visible tests, given parts, lessons. No answer is in it."""
    files = release(kit)
    write_release(files, folder, kit, force)
    print(f"{len(files)} files written to {folder}")


def gradescope(
    file: Annotated[Path, typer.Argument(metavar="FILE.zip", help="The autograder to upload. It holds the answers: it is for Gradescope only.")],
    lesson: Lessons = None,
    kit: KitFolder = HERE,
) -> None:
    """Build the autograder for Gradescope, with the kit inside."""
    if file.suffix != ".zip":
        raise SubmissionError(f"{file} is no name that Gradescope takes; end it with .zip")
    content = autograder(kit, lesson or ())
    save(file, content)
    print(f"{file} is written, {len(content) >> 10} KiB; upload it under Configure Autograder")


def lms(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="The folder that `grade --out` wrote.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to import there.")],
    canvas: Annotated[Path | None, typer.Option(metavar="FILE", help="The gradebook as Canvas exports it.")] = None,
    moodle: Annotated[Path | None, typer.Option(metavar="FILE", help="Moodle's grading worksheet, or a list of participants.")] = None,
    assignment: Annotated[str, typer.Option(metavar="NAME", help="The assignment as it is called there.")] = "",
) -> None:
    """Put grades into a file that Canvas or Moodle imports. Exit code 1 if somebody's grade could not be placed."""
    roster = canvas or moodle
    if roster is None or (canvas and moodle):
        raise SubmissionError("name one roster: --canvas FILE or --moodle FILE")
    found = read_results(results)
    reports = found.reports
    text, filled = (canvas_ if canvas else moodle_).fill(read_sheet(roster), reports, assignment)
    save(out, text.encode("utf-8"))
    for sentence in (*found.problems, *filled.lost, *filled.notes):
        tell(sentence)
    print(f"{filled.placed} of {len(reports)} grades written to {out}")
    raise typer.Exit(1 if filled.lost or found.problems else 0)


def junit(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="The folder that `grade --out` wrote, or a file that `grade --json` wrote.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The XML file to write.")],
) -> None:
    """Write results as JUnit XML: a suite a student, a case a check. Exit code 1 if some file held no report."""
    found = read_results(results)
    save(out, junit_.render(found.reports).encode("utf-8"))
    for sentence in found.problems:
        tell(sentence)
    print(f"{len(found.reports)} reports written to {out}")
    raise typer.Exit(1 if found.problems else 0)


def classroom(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="One student's repository, as it was checked out.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the result as JSON.")] = None,
    lesson: Lessons = None,
    kit: KitFolder = HERE,
) -> None:
    """Grade one repository for GitHub Classroom: the step's output `result`, and the notice with the points.

    Exit code 0 whatever the score; 1 if the repository could not be read; 2 if the grader itself failed.
    """
    if out:
        has_folder(out)
    try:
        result, code = _classroom(path, kit, lesson or ())
        log = classroom_.log(result) + "\n"
    except (SubmissionError, KitError) as error:
        tell(str(error))
        result, code, log = classroom_.trouble(str(error)), 1 if isinstance(error, SubmissionError) else 2, ""
    if out:
        save(out, json.dumps(result, indent=1).encode() + b"\n")
    if output := os.environ.get("GITHUB_OUTPUT"):
        with Path(output).open("a", encoding="utf-8") as file:
            file.write(classroom_.step_output(result))
    print(log, end="")
    raise typer.Exit(code)


def _classroom(path: Path, kit: Path, lessons: Sequence[str]) -> tuple[classroom_.Result, int]:
    """The result for one repository, and the exit code."""
    content = for_lessons(read_kit(kit), lessons)
    submission = find_one(path, content, "name one repository, or use `python -m graders grade` for all")
    with Observer(content) as observer:
        report = grade(submission, content, AnswerKey(content, secrets.randbelow(2**31)), observer)
    return classroom_.render(report), 2 if report.needs_human else 0
