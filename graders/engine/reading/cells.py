"""From the bytes of a notebook to its code cells as plain Python: magics become comments, broken cells are left out."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graders.engine.reading.place import UnreadError
from graders.engine.reading.text import plain_newlines

CODE = 100_000  # characters in all cells together; a tree of syntax takes a hundred times the room of its text
PARSED = 500_000  # characters; each magic costs one more look at its cell
MAGIC = re.compile(r"[%!?]|[\w.\[\]*]+\?{1,2}\s*$|[\w\s,.\[\]]+=\s*[%!]")
PYTHON_INSIDE = re.compile(r"%%(?:time|timeit|capture|prun)\b|%%writefile\s.*\.py\s*$")


@dataclass(frozen=True)
class Cell:
    """One code cell: its place among the code cells, counted from 1, its text, and its tree."""

    number: int
    text: str
    tree: ast.Module


def read_cells(data: bytes, file: str, notes: list[str]) -> Iterator[Cell]:
    """The code cells that are Python; what is left out goes to the notes. Raises UnreadError where the bytes are no such notebook."""
    sources = _sources(data)
    if sum(map(len, sources)) > CODE:
        raise UnreadError(f"holds more than {CODE:,} characters of code and was not read")
    left = PARSED
    for number, source in enumerate(sources, start=1):
        text, tree = _without_cell_magic(plain_newlines(source)), None
        while tree is None:
            try:
                tree = parse(text)
            except SyntaxError as error:
                line = min(error.lineno or 1, text.count("\n") + 1)
                quiet = _without_magic(text, line)
                left -= len(text)
                if quiet == text or left < 0:
                    notes.append(f"{file}: code cell {number} was left out, for its line {line} is not Python.")
                    break
                text = quiet
        else:
            yield Cell(number, text, tree)


def parse(text: str) -> ast.Module:
    """The tree of a text that may be made to harm. Raises SyntaxError for all that has none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a student's odd escape is no news for the terminal
            return ast.parse(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(f"no tree can be built: {type(error).__name__}") from None


def _sources(data: bytes) -> list[str]:
    """The text of each code cell. Cells of another form are passed over."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError, MemoryError):
        raise UnreadError("is not a notebook that can be read; save it again in Jupyter") from None
    cells = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(cells, list):
        raise UnreadError("is not a notebook of format 4; save it again in a current Jupyter")
    return [_joined(cell.get("source")) for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]


def _joined(source: Any) -> str:
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def _without_cell_magic(text: str) -> str:
    """A cell that begins with %%: its first line becomes a comment, and so do all the others where they are not Python."""
    body = text.lstrip()
    if not body.startswith("%%"):
        return text
    first, _, rest = body.partition("\n")
    python = PYTHON_INSIDE.match(first[:200])
    blank = "\n" * text[: len(text) - len(body)].count("\n")
    return f"{blank}# {first}\n" + (rest if python else "".join(f"# {line}\n" for line in rest.split("\n")))


def _without_magic(text: str, number: int) -> str:
    """The text with the magic on that line, and its continuation, turned into `pass`; the same text where the line is no magic."""
    lines = text.split("\n")
    at = number - 1
    body = lines[at].lstrip()
    if not MAGIC.match(body):
        return text
    lines[at] = f"{lines[at][: len(lines[at]) - len(body)]}pass  # {body}"
    while lines[at].endswith("\\") and at + 1 < len(lines):
        at += 1
        lines[at] = f"# {lines[at]}"
    return "\n".join(lines)
