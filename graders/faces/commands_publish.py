"""The commands that carry content and verdicts to other platforms. `add` hands them to the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graders.publish.gradescope import autograder, write_autograder
from graders.publish.release import release, write_release

HERE = Path(__file__).resolve().parents[2]
KitFolder = Annotated[Path, typer.Option("--kit", metavar="DIR", show_default=False, help="The kit's folder (default: this one).")]


def add(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("release")(release_)
    app.command("gradescope")(gradescope)


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
    kit: KitFolder = HERE,
) -> None:
    """Build the autograder for Gradescope, with the kit inside."""
    content = autograder(kit)
    write_autograder(content, file)
    print(f"{file} is written, {len(content) >> 10} KiB; upload it under Configure Autograder")
