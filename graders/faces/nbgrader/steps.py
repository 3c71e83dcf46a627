"""The two steps of nbgrader's second turn that are ours: `grade` in place of running the notebook, and `flag` once scores are saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook

from graders.faces.nbgrader.desk import grade_code
from graders.faces.nbgrader.shown import Shown, cell


def grade(notebook: Any, resources: Any) -> tuple[Any, Any]:
    """Write words and exactly one plain number into each grade cell of code. Manual cells stay as they are."""
    about = notebook.metadata.pop("graders", {"folder": resources["metadata"]["path"], "notes": ()})
    file = f"{resources['nbgrader']['notebook']}.ipynb"
    sheet = grade_code([(one.cell_type, one.source) for one in notebook.cells], Path(about["folder"]), file, about["notes"])
    for number, one in enumerate(one for one in notebook.cells if one.cell_type == "code"):
        one.outputs, one.execution_count = [], None
        if utils.is_grade(one) and not utils.is_solution(one):
            own = one.metadata.nbgrader
            one.execution_count = number + 1
            one.outputs = outputs(cell(own["grade_id"], float(own["points"]), sheet), number + 1)
    return notebook, resources


def outputs(shown: Shown, number: int) -> list[Any]:
    """The words to look at, then the number that nbgrader takes for the score."""
    words = {"text/plain": shown.text, "text/html": shown.html}
    score = {"text/plain": repr(float(shown.points))}
    mark = {"graders": {"needs_human": True}} if shown.needs_human else {}
    return [
        nbformat.v4.new_output("display_data", data=words),
        nbformat.v4.new_output("execute_result", data=score, execution_count=number, metadata=mark),
    ]


def flag(notebook: Any, resources: Any) -> tuple[Any, Any]:
    """Mark the cells that a person must grade. Their automatic score stands until somebody does."""
    about = resources["nbgrader"]
    names = [one.metadata.nbgrader["grade_id"] for one in notebook.cells if _marked(one)]
    if names:
        with Gradebook(about["db_url"]) as gradebook:
            for name in names:
                gradebook.find_grade(name, about["notebook"], about["assignment"], about["student"]).needs_manual_grade = True
            gradebook.db.commit()
    return notebook, resources


def _marked(one: Any) -> bool:
    return any("graders" in output.get("metadata", {}) for output in one.get("outputs", ()))
