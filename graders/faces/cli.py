"""Grade the exercises of a lesson, and look after the kit that does it."""

# Arguments in, the engine's work, a face's words out. Exit codes: 0 done, 1 what was given does not hold, 2 our fault, 130 interrupted.

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from graders.engine.launch import begin
from graders.engine.layers import wanted
from graders.engine.view import content
from graders.faces.options import HERE, WALLS, KitFolder, Lessons, Seed, Wall
from graders.faces.output import careful, stop
from graders.model import KitError, SubmissionError


def grade(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Folders, archives or notebooks, or folders of these.")],
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write DIR/<label>.json, and DIR/grades.csv for all.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one report a line, and nothing else.")] = False,
    seed: Seed = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, metavar="N", help="How many submissions to grade at once.")] = 1,
    cluster: Annotated[str, typer.Option(metavar="ADDRESS", show_default=False, help="Grade on the Dask cluster with this scheduler.")] = "",
    isolation: Wall = WALLS[0],
    lesson: Lessons = None,
    kit: KitFolder = HERE,
) -> None:
    """Grade submissions. Exit code 0 whatever the scores; 1 if a submission could not be read; 2 if the grader itself failed.

    With --out, the same command again grades only what is missing or changed, and tells who gained or lost which check.
    """
    with nullcontext() if cluster else begin(content(kit), wanted(isolation)) as beginning:
        from graders.faces import grading  # only now: its imports, and reading the kit, take a third of the time that torch takes over there

        raise typer.Exit(grading.grade(grading.Wish(paths, kit, out, as_json, seed, jobs, isolation, cluster, lesson or ()), beginning))


def commands(first: str) -> typer.Typer:
    """The command line, where this is its first word. What only the other commands need takes a tenth of a second to load: `grade` does without."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True, help=__doc__)
    app.command("grade")(grade)
    app.callback()(lambda: None)  # with a single command, its name would not be asked for
    if first != "grade":
        from graders.faces import commands_author, commands_kit, commands_notebook, commands_publish, commands_report

        for others in (commands_report, commands_kit, commands_author, commands_notebook, commands_publish):
            others.add(app)
    return app


def main() -> None:
    """Run the command line. Whatever goes wrong is one sentence on stderr and an exit code."""
    careful()
    try:
        commands("".join(sys.argv[1:2]))(prog_name="python -m graders")
    except SubmissionError as error:
        stop(str(error), 1)
    except KitError as error:
        stop(str(error), 2)
    except Exception as error:  # noqa: BLE001 - a bug of ours is told in one sentence too, and is no verdict on anybody
        stop(f"The grader itself failed ({type(error).__name__}: {error}); please report it.", 2)
