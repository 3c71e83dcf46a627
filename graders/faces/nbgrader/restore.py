"""A sound notebook from what was handed in: nbgrader's own cells as its gradebook knows them, and of the student's cells the text alone.

A student's notebook can hold anything in its metadata: cells that claim points, a schema that stops the whole run. None of it is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import nbformat
from nbgrader.api import Gradebook

PUT_BACK = "*The next cell was not in the notebook that was handed in. It was put back for grading.*"
BUILD = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell, "raw": nbformat.v4.new_raw_cell}


@dataclass(frozen=True)
class Known:
    """A cell as the gradebook knows it: its kind, its text, its metadata."""

    kind: str
    text: str
    metadata: Mapping[str, Any]

    @property
    def scored(self) -> bool:
        """True where the gradebook waits for a score."""
        return bool(self.metadata["grade"] or self.metadata["task"])


def restore(notebook: Any, resources: Any) -> tuple[Any, Any]:
    """The first step with a submission. Where it lies, and how it was read, is left in the metadata for the step that grades."""
    about = resources["nbgrader"]
    with Gradebook(about["db_url"]) as gradebook:
        known = _known(gradebook.find_notebook(about["notebook"], about["assignment"]))
    cells = _with_missing(_taken(notebook, known), known)
    metadata = {"graders": {"folder": resources["metadata"]["path"], "notes": list(resources.get("graders", ()))}}
    return nbformat.v4.new_notebook(cells=[_built(cell, number) for number, cell in enumerate(cells)], metadata=metadata), resources


def _known(saved: Any) -> dict[str, Known]:
    """All cells of the assignment's notebook that have a name, in order."""
    points = {cell.name: cell.max_score for cell in (*saved.grade_cells, *saved.task_cells)}
    graded, solutions, tasks = ({cell.name for cell in cells} for cells in (saved.grade_cells, saved.solution_cells, saved.task_cells))
    known = {}
    for cell in saved.source_cells:
        name, task = cell.name, cell.name in tasks
        metadata: dict[str, Any] = {"grade": name in graded, "solution": name in solutions, "task": task, "locked": bool(cell.locked)}
        metadata |= {"schema_version": 3, "grade_id": name, "checksum": cell.checksum, "cell_type": cell.cell_type}
        known[name] = Known(cell.cell_type, cell.source, {**metadata, "points": points[name]} if name in points else metadata)
    return known


@dataclass(frozen=True)
class Taken:
    """A cell that goes on: its kind and text, and the name under which the gradebook knows it, if it does."""

    kind: str
    text: str
    name: str = ""
    metadata: Mapping[str, Any] | None = None


def _taken(notebook: Any, known: Mapping[str, Known]) -> list[Taken]:
    """The student's cells. Of several with one name the last keeps it, as nbgrader has it."""
    taken: list[Taken] = []
    seen: set[str] = set()
    cells = notebook.get("cells")
    for cell in reversed(cells if isinstance(cells, list) else []):
        kind, text = (cell.get("cell_type"), cell.get("source")) if isinstance(cell, dict) else (None, None)
        if not isinstance(kind, str) or kind not in BUILD or not isinstance(text, str):
            continue
        text = text.encode("utf-8", "replace").decode()  # half a surrogate pair could not be written
        name = _name(cell)
        if name in known and name not in seen:
            seen.add(name)
            taken.append(Taken(known[name].kind, text, name, known[name].metadata))
        else:
            taken.append(Taken(kind, text))
    return taken[::-1]


def _name(cell: Any) -> str:
    for key in ("metadata", "nbgrader"):
        cell = cell.get(key) if isinstance(cell, dict) else None
    name = cell.get("grade_id") if isinstance(cell, dict) else None
    return name if isinstance(name, str) else ""


def _with_missing(taken: Sequence[Taken], known: Mapping[str, Known]) -> list[Taken]:
    """The cells, and behind the one that came before it in the assignment each cell that waits for a score and is missing."""
    cells, place = list(taken), 0
    for name, cell in known.items():
        at = next((index for index, other in enumerate(cells) if other.name == name), None)
        if at is None and cell.scored:
            at = place + 1
            cells[place:place] = [Taken("markdown", PUT_BACK), Taken(cell.kind, cell.text, name, cell.metadata)]
        place = place if at is None else at + 1
    return cells


def _built(cell: Taken, number: int) -> Any:
    """The cell for nbformat. Its id is its name where it has one that fits."""
    fits = cell.name if 0 < len(cell.name) <= 64 else f"handed-in-{number}"
    metadata = {"nbgrader": dict(cell.metadata)} if cell.metadata else {}
    return BUILD[cell.kind](source=cell.text, metadata=metadata, id=fits)
