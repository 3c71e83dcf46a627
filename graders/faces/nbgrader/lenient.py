"""Reading what was handed in to nbgrader, whatever it is: a file goes in, a notebook comes out, with sentences on what was wrong.

nbgrader alone leaves a submission without any score where its file is no notebook or has another name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict

from graders.engine.lesson import read_lessons
from graders.engine.reading.collect import is_notebook
from graders.engine.reading.labels import printable
from graders.engine.reading.place import UnreadError, read_file
from graders.faces.nbgrader.desk import ROOT
from graders.model import KitError

BYTES = 20_000_000  # pictures in outputs take room; beyond this a file could fill the memory


class Lenient(NotebookExporter):
    """Writes notebooks as nbgrader does, and reads them without giving up."""

    def from_filename(self, filename: str, resources: Any = None, **rest: Any) -> tuple[str, Any]:
        """See nbconvert. Sentences about the reading are left in resources["graders"]."""
        path = Path(filename)
        notebook, notes = read(path)
        resources = ResourcesDict() if resources is None else resources
        resources["metadata"] = ResourcesDict(name=path.stem, path=str(path.parent))
        resources["graders"] = notes
        result: tuple[str, Any] = self.from_notebook_node(notebook, resources=resources, **rest)
        return result


def read(path: Path) -> tuple[Any, list[str]]:
    """The notebook at a path, or the only other one in its folder, or an empty one; and what there is to say."""
    notes = []
    if not path.exists():
        others = sorted(other for other in path.parent.glob("*.ipynb") if is_notebook(other.name))
        if len(others) != 1:
            return nbformat.v4.new_notebook(), [f"{path.name} was not handed in."]
        notes.append(f"{printable(others[0].name)} was taken for {path.name}.")
        path = others[0]
    try:
        return nbformat.reads(read_file(path, BYTES).decode(), as_version=4), notes
    except UnreadError as error:
        notes.append(f"{printable(path.name)} {error}.")
    except Exception:  # noqa: BLE001 - a file made to harm can draw any error from the libraries
        notes.append(f"{printable(path.name)} is not a notebook that can be read; save it again in Jupyter.")
    return nbformat.v4.new_notebook(), notes


def before(assignment: str, student: str, notebooks: list[str]) -> None:
    """The hook that nbgrader calls before a submission: have the lesson's notebook graded also where one of another name was handed in."""
    folder = Path(notebooks[0]).parent
    try:
        lessons = read_lessons(ROOT)
    except KitError:
        return
    expected = folder / f"{folder.name}.ipynb"
    if folder.name in lessons and str(expected) not in notebooks:
        notebooks.append(str(expected))
