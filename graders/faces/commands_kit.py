"""The commands that look after the kit: its content, this machine, its stubs. `add` hands them to the command line."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from graders.engine import layers, promises
from graders.engine.doctor import diagnose
from graders.engine.kit import read_kit
from graders.engine.narrow import for_parts
from graders.engine.observer import Observer
from graders.faces import health
from graders.faces.options import HERE, WALLS, KitFolder, Wall
from graders.faces.output import show, stop
from graders.faces.progress import Sign
from graders.model import KitError
from graders.publish.stubs import cut, write_stubs


def add(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("check")(check)
    app.command("doctor")(doctor)
    app.command("stubs")(stubs)


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


def doctor(kit: KitFolder = HERE) -> None:
    """Say which isolation this machine gives, what is missing, and how to get it. Exit code 0 if it is the full one, else 1."""
    findings = diagnose(kit)
    lost = [finding.name for finding in findings if not finding.works]
    full = not set(lost) - {kind.name for kind in layers.KINDS if kind.name not in layers.NEEDED}
    show(health.diagnosis(findings, full))
    raise typer.Exit(0 if full else 1)


def stubs(kit: KitFolder = HERE) -> None:
    """Cut the students' files in exercises/ from solutions/ again."""
    paths = write_stubs(kit)
    print(f"{len(paths)} stubs written: {', '.join(path.name for path in paths)}")
