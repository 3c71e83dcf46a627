"""The commands for who writes exercises: what the checks miss, and which mistakes have no name yet. `add` hands them to the command line."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from graders.engine.audit import Bench
from graders.engine.audit import audit as run_audit
from graders.engine.kit import read_kit
from graders.engine.observer import Observer
from graders.faces import audit as audit_face
from graders.faces.output import show
from graders.faces.progress import working
from graders.model import KitError

HERE = Path(__file__).resolve().parents[2]
KitFolder = Annotated[Path, typer.Option("--kit", metavar="DIR", show_default=False, help="The kit's folder (default: this one).")]
SEED = 2357


def add(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("audit")(audit)


def audit(
    parts: Annotated[list[str] | None, typer.Argument(metavar="[PART...]", show_default=False, help="Parts to audit (default: all).")] = None,
    mutants: Annotated[int, typer.Option(min=1, metavar="N", help="How many mutants of each part to try.")] = 300,
    jobs: Annotated[int, typer.Option(min=1, max=16, metavar="N", help="How many workers to use.")] = 2,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The seed for the inputs and for which mutants are drawn.")] = SEED,
    kit: KitFolder = HERE,
) -> None:
    """Change the solutions in small ways and list what no check notices. Exit code 0 if all of that is equivalent, else 1."""
    content = read_kit(kit)
    wrong = [part for part in parts or () if part not in content.parts]
    if wrong:
        raise KitError(f"no check takes the part {wrong[0]!r}; the parts are {', '.join(content.parts)}")
    holes = 0
    with ExitStack() as held:
        observers = [held.enter_context(Observer(content, isolation="auto")) for _ in range(jobs)]
        for part in parts or content.parts:
            with working(f"mutants of {part}"):
                found = run_audit(Bench(content, observers, seed), part, mutants)
            show(audit_face.render(found))
            holes += sum(survivor.verdict != "equivalent" for survivor in found.survivors)
    show(Text(f"{holes} mutants are missed, at least now and then." if holes else "Every survivor is equivalent.", "bold"))
    raise typer.Exit(1 if holes else 0)
