"""Put the notebooks of a submission beside its Python files: which one counts for which part, and why."""

from __future__ import annotations

from graders.engine.reading.collect import Collected
from graders.engine.reading.labels import printable
from graders.engine.reading.notebook import Notebook, Owned, read_notebook
from graders.engine.reading.place import UnreadError

UNFINISHED = "NotImplementedError"


def add_notebooks(into: Collected, owned: Owned) -> None:
    """Add the parts of the notebook that defines most; of equals, that with the shortest name, for copies have longer ones.

    Then those of each other one that defines nothing that is there already: another lesson's notebook, and no copy.
    One that cannot be read is told in the notes.
    """
    readable: list[tuple[str, Notebook]] = []
    for name, data in into.notebooks.items():
        try:
            readable.append((printable(name), read_notebook(data, printable(name), owned)))
        except UnreadError as error:
            into.notes.append(f"{printable(name)} {error}.")
    chosen: dict[str, Notebook] = {}
    for file, notebook in sorted(readable, key=lambda pair: (-len(pair[1].texts), len(pair[0]))):
        if not chosen or (notebook.texts and not any(set(notebook.texts) & set(other.texts) for other in chosen.values())):
            chosen[file] = notebook
    if len(chosen) < len(readable):
        into.notes.append(f"Of {len(readable)} notebooks only {' and '.join(chosen)} {'was' if len(chosen) == 1 else 'were'} read.")
    for file, notebook in chosen.items():
        add_notebook(into, file, notebook)


def add_notebook(into: Collected, file: str, notebook: Notebook) -> None:
    """Add a notebook's parts. A Python file wins for its part, unless it alone is unfinished."""
    unfinished = {part for part, text in notebook.texts.items() if UNFINISHED in text}
    beside = [part for part in notebook.texts if part in into.texts and (part in unfinished or UNFINISHED not in into.texts[part])]
    used = [part for part in notebook.texts if part not in beside]
    if used:
        into.notes.append(f"{file} was read: {'; '.join(f'{part} from {notebook.places[part]}' for part in used)}.")
    elif not into.texts:
        into.notes.append(f"{file} defines nothing that an exercise asks for.")
    if used or not into.texts:
        into.notes += notebook.notes
    told = [part for part in beside if part not in unfinished]
    if told:
        into.notes.append(f"{file} also has {', '.join(told)}; the Python file{'s' if len(told) > 1 else ''} beside it counted.")
    into.texts.update({part: notebook.texts[part] for part in used})
