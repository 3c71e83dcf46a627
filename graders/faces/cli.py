"""Grade the exercises of a lesson, and look after the kit that does it."""

# Arguments in, the engine's work, a face's words out. Exit codes: 0 done, 1 what was given does not hold, 2 our fault, 130 interrupted.

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Annotated

import typer

from graders.engine import cache, layers, promises
from graders.engine.doctor import diagnose
from graders.engine.evidence import gather
from graders.engine.key import AnswerKey
from graders.engine.kit import read_kit
from graders.engine.narrow import for_lessons, for_parts
from graders.engine.observer import Observer
from graders.engine.submission import find_one
from graders.faces import commands_author, commands_notebook, commands_publish, commands_report, explain, grading, health
from graders.faces.commands_publish import Lessons
from graders.faces.output import careful, show, stop
from graders.faces.progress import Sign
from graders.model import Kit, KitError, SubmissionError
from graders.publish.stubs import cut, write_stubs

HERE = Path(__file__).resolve().parents[2]
WALLS = ("auto", "full", "basic")
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True, help=__doc__)


def _known(wall: str) -> str:
    if wall not in WALLS:
        raise typer.BadParameter(f"{wall!r} is none of {', '.join(WALLS)}")
    return wall


KitFolder = Annotated[Path, typer.Option("--kit", metavar="DIR", show_default=False, help="The kit's folder (default: this one).")]
Seed = Annotated[int | None, typer.Option(min=0, metavar="N", help="Repeat the inputs of an earlier run: a report names its seed.")]
STRONG = "How strong the wall must be; auto takes the strongest that works here."
Wall = Annotated[str, typer.Option(metavar="|".join(WALLS), callback=_known, help=STRONG)]


@app.command("grade")
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
    raise typer.Exit(grading.grade(grading.Wish(paths, kit, out, as_json, seed, jobs, isolation, cluster, lesson or ())))


@app.command("explain")
def explain_(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="One submission.")],
    check: Annotated[str, typer.Argument(metavar="CHECK", help="The check as in a report, such as part.name.")],
    seed: Seed = None,
    isolation: Wall = WALLS[0],
    lesson: Lessons = None,
    kit: KitFolder = HERE,
) -> None:
    """Show all that defends one point. For the instructor: it shows right outputs."""
    content = for_lessons(read_kit(kit), lesson or ())
    submission = find_one(path, content, "name one of them")
    with Observer(content, isolation=isolation) as observer:
        show(explain.render(gather(submission, content, check, _key(content, seed), observer)))


@app.command("check")
def check(
    parts: Annotated[list[str] | None, typer.Argument(metavar="[PART]...", show_default=False, help="Only what is about these parts.")] = None,
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="How many seeds the solutions must survive.")] = 20,
    isolation: Wall = WALLS[0],
    kit: KitFolder = HERE,
) -> None:
    """Check the promises of the content. Exit code 0 if all hold, else 1. Where an early one is broken, the long ones are not run."""
    try:
        content = for_parts(read_kit(kit), parts or ())
    except KitError as error:
        stop(str(error), 1)  # content that cannot be read is a broken promise too
    sign = Sign()
    with Observer(content, isolation=isolation) as observer:
        broken = _broken(promises.Scene(content, cut, observer, seeds, sign.note), sign)
    raise typer.Exit(1 if broken else 0)


def _broken(scene: promises.Scene, sign: Sign) -> int:
    """How many promises are broken, of those that were run; each is shown as it is done."""
    broken, useless = 0, False
    for index, promise in enumerate(promises.PROMISES):
        if useless and not promise.early:
            show(health.not_run([later.title for later in promises.PROMISES[index:]]))
            break
        start, unread = time.perf_counter(), False
        try:
            with sign.beside(promise.title):
                problems = tuple(promise.problems(scene))
        except KitError as error:  # content that is not finished would only say the same of every other promise
            problems, unread = (str(error),), True
        show(health.promise(promise.title, problems, time.perf_counter() - start))
        broken += bool(problems)
        useless |= bool(problems) and promise.early
        if unread:
            show(health.not_run([later.title for later in promises.PROMISES[index + 1 :]]))
            break
    return broken


@app.command("doctor")
def doctor(kit: KitFolder = HERE) -> None:
    """Say which isolation this machine gives, what is missing, and how to get it. Exit code 0 if it is the full one, else 1."""
    findings = diagnose(kit)
    lost = [finding.name for finding in findings if not finding.works]
    full = not set(lost) - {kind.name for kind in layers.KINDS if kind.name not in layers.NEEDED}
    show(health.diagnosis(findings, full))
    raise typer.Exit(0 if full else 1)


@app.command("stubs")
def stubs(kit: KitFolder = HERE) -> None:
    """Cut the students' files in exercises/ from solutions/ again."""
    paths = write_stubs(kit)
    print(f"{len(paths)} stubs written: {', '.join(path.name for path in paths)}")


commands_author.add(app)
commands_notebook.add(app)
commands_publish.add(app)
commands_report.add(app)


def main() -> None:
    """Run the command line. Whatever goes wrong is one sentence on stderr and an exit code."""
    careful()
    try:
        app(prog_name="python -m graders")
    except SubmissionError as error:
        stop(str(error), 1)
    except KitError as error:
        stop(str(error), 2)
    except Exception as error:  # noqa: BLE001 - a bug of ours is told in one sentence too, and is no verdict on anybody
        stop(f"The grader itself failed ({type(error).__name__}: {error}); please report it.", 2)


def _key(kit: Kit, seed: int | None) -> AnswerKey:
    """The answer key under this seed, or under a new one."""
    return AnswerKey(kit, secrets.randbelow(2**31) if seed is None else seed, cache.default_folder())
