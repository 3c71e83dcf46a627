"""The commands that carry content and verdicts to other platforms. `add` hands them to the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graders.publish.release import release, write_release

HERE = Path(__file__).resolve().parents[2]
KitFolder = Annotated[Path, typer.Option("--kit", metavar="DIR", show_default=False, help="The kit's folder (default: this one).")]


def add(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("release")(release_)


def release_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or that of an earlier release.")],
    force: Annotated[bool, typer.Option("--force", help="Write into a folder with other files too. What holds an answer is refused all the same.")] = False,
    kit: KitFolder = HERE,
) -> None:
    """Write what students receive: exercises, visible tests, given parts, lessons. No answer is in it."""
    files = release(kit)
    write_release(files, folder, kit, force)
    print(f"{len(files)} files written to {folder}")
