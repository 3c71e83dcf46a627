"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

HERE = Path(__file__).resolve().parents[3]


class Isolation(StrEnum):
    """How strong the wall must be."""

    AUTO = "auto"
    FULL = "full"
    BASIC = "basic"


KitFolder = Annotated[Path, typer.Option("--kit", metavar="DIR", show_default=False, help="The kit's folder (default: this one).")]
Seed = Annotated[int | None, typer.Option(min=0, metavar="N", help="Repeat the inputs of an earlier run: a report names its seed.")]
Wall = Annotated[Isolation, typer.Option(help="How strong the wall must be; auto takes the strongest that works here.")]
