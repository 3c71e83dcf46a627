"""Weave a lesson's notebook from its text, the solutions, the visible tests and the points: a Kit goes in, a notebook comes out.

The same content gives the same bytes. Cells are named after what they hold, so that a name stays while other parts of a lesson change.
A notebook for nbgrader holds the solutions between its markers and a cell of hidden checks for each group of points; the student's own
copy has neither. What a line of the text says for files alone, `... <!-- notebook: other words -->` at its end replaces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graders.engine.lesson import CELL, CHECKS, MARK, VISIBLE, Lesson, groups_at, marked, points_of, read_text
from graders.model import Check, Kit, KitError
from graders.publish.pieces import cleared, headline, pieces, visible, with_blanks

Cell = dict[str, Any]
OTHERWISE = re.compile(r"^.*<!-- notebook: ?(.*?) ?-->\n", re.MULTILINE)
KERNEL = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"},
}
START = """Fill in the cells that say `YOUR CODE HERE` or `...`, and run the cell of visible tests below each.
The folders `tiny_lm` and `lessons` that came with this notebook must stay beside it.
Where a notebook travels alone, as in Colab, install them first: `%pip install` with the address or the archive that your instructor names."""
SHOWN = "from lessons.visible import check  # shows how the tests of its cell fare"
HIDDEN = """# Checks of {group}, {points} points together. They run when the notebook is graded.
### BEGIN HIDDEN TESTS
import sys
beside, sys.path = sys.path, [folder for folder in sys.path if folder]  # no file beside this notebook stands for the grader
from graders.faces.nbgrader.kernel import grade_cell
sys.path = beside
grade_cell("{group}", "{lesson}.ipynb", {points})
### END HIDDEN TESTS"""


@dataclass(frozen=True)
class Loom:
    """What a notebook is woven from. `own`: for the student alone, with neither solutions nor hidden checks."""

    kit: Kit
    name: str
    lesson: Lesson
    own: bool = False


def weave(loom: Loom) -> str:
    """The notebook as the text of its file. Raises KitError where the content does not hold together."""
    text = OTHERWISE.sub(lambda found: found[1] + "\n" * bool(found[1]), read_text(loom.kit.root, loom.lesson, loom.kit))
    first, *rest = MARK.split(text)  # prose, then a mark's kind, its name and the prose below it, again and again
    cells = [*_prose(loom, first)]
    for kind, name, prose in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        cells += [*(_exercise(loom, name) if kind == "exercise" else _written(loom, name)), *_prose(loom, prose)]
    cells.insert(1, _text("how-to", START))
    notebook = {"cells": _distinct(cells), "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _prose(loom: Loom, text: str) -> Iterator[Cell]:
    """A cell for each section, and the cells of code that stand between them, which are the student's to change."""
    first, *rest = CELL.split(text)
    yield from _sections(first)
    for name, code, below in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        yield {**_code(loom, name, code), "metadata": {}}
        yield from _sections(below)


def _sections(text: str) -> Iterator[Cell]:
    for section in re.split(r"^(?=#{1,3} )", text, flags=re.MULTILINE):
        if section.strip():
            title = section.strip().split("\n")[0].lstrip("# ")
            yield _text(re.sub(r"[^a-z0-9]+", "-", title.casefold())[:48].strip("-") or "text", section.strip())


def _exercise(loom: Loom, part: str) -> Iterator[Cell]:
    """All that belongs at the mark of a part: what to write, its visible tests, its points."""
    solution = loom.kit.reference.parts[part].text
    yield _text(f"{part}-task", f"### {headline(solution)}")
    for piece in pieces(solution, part):
        code = with_blanks(piece, part)
        yield _code(loom, f"{part}-{piece.name}", cleared(code) if loom.own else code, solution=True)
    tests = loom.kit.root / "exercises" / f"test_{part}.py"
    if not tests.is_file():
        raise KitError(f"{tests}: not there; a notebook needs a visible test beside each part, so write one")
    yield _code(loom, f"{part}{VISIBLE}", _visible(tests.read_text(encoding="utf-8")), grade=True, points=0)
    if not loom.own:
        yield from (_hidden(loom, group, checks) for group, checks in groups_at(loom.kit, marked(loom.kit, loom.lesson))[part])


def _written(loom: Loom, name: str) -> Iterator[Cell]:
    """Where a question is answered in words. The instructor's cell holds what a good answer says; nbgrader clears it."""
    written = loom.lesson.written[name]
    answer = "*Your answer here.*" if loom.own else written.answer.strip()
    yield {**_text(name, answer), "metadata": _meta(loom, name, grade=True, solution=True, points=written.points)}


def _visible(text: str) -> str:
    """The tests, and the call that runs and shows them."""
    cell = visible(text)
    before, _, after = cell.partition("\n\n\n")
    return f"{before}\n\n{SHOWN}\n\n\n{after}\n\n\ncheck(globals())"


def _hidden(loom: Loom, group: str, checks: tuple[Check, ...]) -> Cell:
    points = points_of(checks)
    source = HIDDEN.format(group=group, points=f"{points:g}", lesson=loom.name)
    return _code(loom, f"{group}{CHECKS}", source, grade=True, points=points)


def _meta(loom: Loom, name: str, grade: bool = False, solution: bool = False, points: float | None = None) -> Mapping[str, Any]:
    """What nbgrader wants to know of a cell, schema 3; none in the student's own copy."""
    if loom.own:
        return {}
    found = {"grade": grade, "grade_id": name, "locked": grade and not solution, "schema_version": 3, "solution": solution, "task": False}
    return {"nbgrader": found if points is None else {**found, "points": points}}


def _text(name: str, source: str) -> Cell:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": _lines(source)}


def _code(loom: Loom, name: str, source: str, **about: Any) -> Cell:
    cell = {"cell_type": "code", "execution_count": None, "id": name, "outputs": [], "source": _lines(source)}
    return {**cell, "metadata": _meta(loom, name, **about)}


def _lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def _distinct(cells: Iterable[Cell]) -> list[Cell]:
    """The cells, none with the id of an earlier one. Raises KitError where nbgrader could not tell two apart."""
    seen: set[str] = set()
    found = []
    for cell in cells:
        name, number = cell["id"], 1
        while cell["id"] in seen:
            if cell["metadata"]:
                raise KitError(f"two cells of a notebook would be named '{name}'; rename the part, the group or the question")
            number += 1
            cell = {**cell, "id": f"{name}-{number}"}  # noqa: PLW2901 - the same cell under another name
        seen.add(cell["id"])
        found.append(cell)
    return found
