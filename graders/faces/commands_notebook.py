"""The command that writes an nbgrader course. `add` hands it to the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graders.faces.options import HERE, KitFolder
from graders.publish.course import course, outdated, write_course


def add(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("notebook")(notebook)


def notebook(
    folder: Annotated[Path, typer.Argument(metavar="COURSE", help="The course's folder, new or written before.")],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 if a file there is out of date.")] = False,
    kit: KitFolder = HERE,
) -> None:
    """Write an nbgrader course: a notebook a lesson, what it imports, and the config that grades by this engine."""
    files = course(kit)
    changed = outdated(files, folder) if check else write_course(files, folder)
    for path in changed:
        print(f"{'out of date' if check else 'written'}: {folder / path}")
    print(f"{len(files) - len(changed)} of {len(files)} files {'are' if check else 'were'} as they should be.")
    raise typer.Exit(1 if check and changed else 0)
