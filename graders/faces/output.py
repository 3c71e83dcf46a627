"""Where the command line's words go: views and lines to stdout, sentences about trouble to stderr, files whole or not at all."""

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


def stop(sentence: str, code: int) -> NoReturn:
    """End the program with a sentence and an exit code."""
    tell(sentence)
    sys.exit(code)


def write(folder: Path, name: str, text: str) -> None:
    """Write a file into the folder, which is made where needed. Raises KitError where that is not possible."""
    part = folder / f".{name}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(folder / name)
    except OSError as error:
        raise KitError(f"{folder / name} cannot be written ({error.strerror or error}); name another folder with --out") from None
