"""The commands for who writes exercises: what the checks miss, and which mistakes have no name yet. `add` hands them to the command line."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from graders.engine.audit import Bench
from graders.engine.audit import audit as run_audit
from graders.engine.cohort.mistakes import nameless
from graders.engine.cohort.records import read_results
from graders.engine.kit import read_kit
from graders.engine.observer import Observer
from graders.engine.skeleton import write_skeleton
from graders.engine.submission import find_submissions, read_found
from graders.engine.unnamed import shortest, start_entry
from graders.faces import audit as audit_face
from graders.faces import unnamed as unnamed_face
from graders.faces.options import HERE, KitFolder
from graders.faces.output import show
from graders.faces.progress import Sign
from graders.model import Kit, KitError, Part

SEED = 2357


def add(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("new")(new)
    app.command("audit")(audit)
    app.command("unnamed")(unnamed)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new part's name, as its files and imports bear it.")],
    kit: KitFolder = HERE,
) -> None:
    """Write the skeletons of a new exercise: solution, visible test, probes, mistakes, points. docs/authoring.md goes on from there."""
    paths = write_skeleton(kit, name)
    print(f"written: {', '.join(path.relative_to(kit).as_posix() for path in paths)}; fill them in and run `python -m graders check`")


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
            with Sign().beside(f"mutants of {part}"):
                found = run_audit(Bench(content, observers, seed), part, mutants)
            show(audit_face.render(found))
            holes += sum(survivor.verdict != "equivalent" for survivor in found.survivors)
    show(Text(f"{holes} mutants are missed, at least now and then." if holes else "Every survivor is equivalent.", "bold"))
    raise typer.Exit(1 if holes else 0)


def unnamed(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="The folder that `grade --out` wrote, or a file that `grade --json` wrote.")],
    submissions: Annotated[list[Path] | None, typer.Option(metavar="DIR", help="What was graded: show each group's shortest code.")] = None,
    name: Annotated[tuple[int, str] | None, typer.Option(metavar="GROUP SLUG", help="Start the catalogue's entry for a group.")] = None,
    kit: KitFolder = HERE,
) -> None:
    """List students who fail with the same numbers as each other, for no mistake that has a name. For the instructor."""
    content = read_kit(kit)
    reports = read_results(results).reports
    groups, alone = nameless(reports)
    groups = tuple(group for group in groups if group.part in content.parts)  # a check of several parts has no catalogue of its own
    handed_in = _handed_in(submissions or [], content)
    members = [[reports[place].label for place in group.who] for group in groups]
    codes = [shortest(group.part, [handed_in[label] for label in some if label in handed_in]) for group, some in zip(groups, members, strict=True)]
    if name is None:
        for number, (group, some, code) in enumerate(zip(groups, members, codes, strict=True), 1):
            show(unnamed_face.render(number, group, some, code))
        show(Text(f"{len(groups)} groups share a mistake without a name; {len(alone)} students are alone with one."))
        return
    number, slug = name
    if not 1 <= number <= len(groups):
        raise KitError(f"there is no group {number}; there are {len(groups)}")
    file = start_entry(content, groups[number - 1].part, slug, codes[number - 1])
    show(Text(f"{file}: [{slug}] is begun; write its hint, then run `python -m graders check`."))


def _handed_in(paths: list[Path], kit: Kit) -> Mapping[str, Mapping[str, Part]]:
    return {found.label: read_found(found, kit).parts for found in find_submissions(paths, kit)} if paths else {}
