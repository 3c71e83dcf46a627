"""The hidden part of a grade cell where nbgrader runs the notebook in a kernel: the engine reads the notebook's file and grades it as ever.

Once for a notebook; its other grade cells find the sheet already there. A student's code shares this kernel, so a hostile student can
change what it says: the written config, which runs no kernel, is for classes where that matters.
"""

from __future__ import annotations

import contextlib
import io
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from graders.engine.lesson import CHECKS
from graders.faces.nbgrader.desk import Sheet, grade_code
from graders.faces.nbgrader.shown import Shown, cell


class Points:
    """A number that is shown as it is. A plain float would be rounded where a notebook says `%precision`."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


def grade_cell(group: str, file: str, possible: float) -> Points:
    """Show how the checks of a group fare on the notebook `file` in the working folder; the points, 0 to `possible`, as the cell's result."""
    with contextlib.redirect_stderr(io.StringIO()):  # a cell that writes there gets no points from nbgrader
        shown = cell(f"{group}{CHECKS}", possible, _sheet(Path.cwd(), file))
    _display(shown)
    return Points(shown.points)


@lru_cache(maxsize=1)
def _sheet(folder: Path, file: str) -> Sheet:
    try:
        found = json.loads((folder / file).read_bytes())["cells"]
    except (OSError, ValueError, KeyError) as error:
        return Sheet(None, f"{file} cannot be read ({error}); save it beside the files it came with.")
    return grade_code([(one["cell_type"], "".join(one["source"])) for one in found], folder, file)


def _display(shown: Shown) -> None:
    bundle = {"text/plain": shown.text, "text/html": shown.html}
    try:
        from IPython.display import display
    except ImportError:
        print(shown.text)
    else:
        show: Any = display
        show(bundle, raw=True)
