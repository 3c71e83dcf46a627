"""Put the notebooks of a submission beside its Python files: which one counts for which part, and why."""

from __future__ import annotations

from graders.engine.reading.collect import Collected
from graders.engine.reading.labels import printable
from graders.engine.reading.notebook import Notebook, Owned, read_notebook
from graders.engine.reading.place import UnreadError

UNFINISHED = "NotImplementedError"


def add_notebooks(into: Collected, owned: Owned) -> None:
    """Add the parts of the notebook that defines most. A Python file wins for its part, unless it alone is unfinished."""
    readable = [(file, notebook) for file, data in into.notebooks.items() if (notebook := _read(file, data, owned, into.notes))]
    if not readable:
        return
    file, best = max(readable, key=lambda pair: len(pair[1].texts))
    if len(readable) > 1:
        into.notes.append(f"Of {len(readable)} notebooks only {printable(file)} was read.")
    into.notes += best.notes
    beside = [part for part, text in best.texts.items() if part in into.texts and (UNFINISHED in text or UNFINISHED not in into.texts[part])]
    told = [part for part in beside if UNFINISHED not in best.texts[part]]
    if told:
        into.notes.append(f"{printable(file)} also has {', '.join(told)}; the Python file{'s' if len(told) > 1 else ''} beside it counted.")
    into.texts.update({part: text for part, text in best.texts.items() if part not in beside})


def _read(file: str, data: bytes, owned: Owned, notes: list[str]) -> Notebook | None:
    try:
        return read_notebook(data, printable(file), owned)
    except UnreadError as error:
        notes.append(f"{printable(file)} {error}.")
        return None
