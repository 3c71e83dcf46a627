"""Where the command line's words go: views and lines to stdout, sentences about trouble to stderr."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

from rich.console import Console, RenderableType
from rich.text import Text

from graders.faces.text import clean
from graders.model import KitError

SENTENCE = 1000


def careful() -> None:
    """A terminal that has no sign for a character shows its escape, instead of ending the run."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def show(view: RenderableType) -> None:
    """A view on stdout, as wide as the terminal, in colour where there is one. Plain text keeps its lines, however long."""
    Console(highlight=False).print(view, soft_wrap=isinstance(view, Text))


def tell(sentence: str) -> None:
    """One sentence on stderr."""
    print(clean(sentence, SENTENCE), file=sys.stderr)


def has_folder(file: Path) -> None:
    """Raises KitError where the folder of a file to be written is not there: that is a slip of the typist, and no wish for a new folder."""
    if not file.parent.exists():
        raise KitError(f"{file} cannot be written, for there is no folder {file.parent}; make it first, or name another place")


def save(file: Path, content: bytes) -> None:
    """Write a file whole or not at all, into a folder that is there. Raises KitError where that is not possible."""
    has_folder(file)
    part = file.with_name(f".{file.name}.part")
    try:
        part.write_bytes(content)
        part.replace(file)
    except OSError as error:
        raise KitError(f"{file} cannot be written ({error.strerror or error}); name another place") from None


def stop(sentence: str, code: int) -> NoReturn:
    """End the program with a sentence and an exit code."""
    tell(sentence)
    sys.exit(code)
