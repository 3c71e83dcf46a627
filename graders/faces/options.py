"""The options that several commands take, and how each reads on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HERE = Path(__file__).resolve().parents[2]
WALLS = ("auto", "full", "basic")


def _known(wall: str) -> str:
    if wall not in WALLS:
        raise typer.BadParameter(f"{wall!r} is none of {', '.join(WALLS)}")
    return wall


KitFolder = Annotated[Path, typer.Option("--kit", metavar="DIR", show_default=False, help="The kit's folder (default: this one).")]
Lessons = Annotated[
    list[str] | None, typer.Option("--lesson", metavar="NAME", show_default=False, help="Only the checks of this lesson; may be said more than once.")
]
Seed = Annotated[int | None, typer.Option(min=0, metavar="N", help="Repeat the inputs of an earlier run: a report names its seed.")]
STRONG = "How strong the wall must be; auto takes the strongest that works here."
Wall = Annotated[str, typer.Option(metavar="|".join(WALLS), callback=_known, help=STRONG)]
