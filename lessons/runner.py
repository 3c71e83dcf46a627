"""Run a lesson in the terminal, with numbers from the student's own classes.

In: a lesson's sections, and the folder whose classes they use. Out: text, and an exit code:
0 the lesson is whole, 1 it stopped at a class that is not written or not right yet, 2 it was asked for what is not there.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import io
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDERS = ("exercises", "solutions")
Rows = Iterator[tuple[str, str]]  # what is shown, and what came out


class Parts:
    """The files of one folder: `parts.rmsnorm.RMSNorm`. Each is imported when it is first asked for."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __getattr__(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.folder}.{name}")


@dataclass(frozen=True)
class Section:
    """A heading, the function that yields its rows, and the part whose class it runs (empty: none)."""

    title: str
    rows: Callable[[Any], Rows]
    part: str = ""


def main(title: str, sections: Sequence[Section], ending: str, words: Sequence[str] | None = None) -> int:
    """Run a lesson with the words of the command line. Returns the exit code."""
    parser = argparse.ArgumentParser(description=f"{title} The lesson's numbers, from your own classes.")
    parser.add_argument("--from", dest="folder", default="exercises", metavar="FOLDER", help="exercises (as it is without this) or solutions")
    folder = parser.parse_args(words).folder
    refusal = refuse(folder)
    if refusal:
        print(refusal, file=sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a student's message may hold letters that this terminal lacks
    print(f"{title}\nwith the classes in {folder}/")
    return run(sections, folder, ending)


def refuse(folder: str) -> str:
    """One sentence where the folder cannot be used, else nothing."""
    if folder not in FOLDERS:
        return f"--from takes {' or '.join(FOLDERS)}, not {folder!r}."
    if importlib.util.find_spec(folder) is None:
        return f"There is no folder {folder} here; leave --from away to run the lesson with your own classes."
    return ""


def run(sections: Sequence[Section], folder: str, ending: str) -> int:
    """Print the sections in order, up to the first that cannot be shown. Returns the exit code."""
    for number, section in enumerate(sections, 1):
        print(f"\n{number}. {section.title}")
        try:
            for label, value in section.rows(Parts(folder)):
                print(f"   {label:<36}{value}")
        except Exception as error:  # noqa: BLE001 - whatever a student's class raises is shown as a place and a message
            print("\n" + stopped(error, number, section.part, folder))
            return 1
    if ending:
        print("\n" + ending)
    return 0


def stopped(error: Exception, number: int, part: str, folder: str) -> str:
    """What works so far, and what to do next."""
    so_far = f"The lesson works as far as section {number - 1}" if number > 1 else "Nothing works yet"
    place = last_place(error, folder)
    if isinstance(error, NotImplementedError) and place is not None and place == last_frame(error):
        return f"{so_far}; open {unwritten(error, folder, place)}."
    return f"{so_far}, but section {number} stopped:\n{crash(error, part, folder, place)}"


def unwritten(error: NotImplementedError, folder: str, place: traceback.FrameSummary) -> str:
    """`exercises/rmsnorm.py next and write RMSNorm.forward`, from the sentence that every stub holds."""
    told = re.fullmatch(r"Open (\S+) and write (.+)\.", str(error))
    file, name = told.groups() if told else (f"{folder}/{Path(place.filename).name}", place.name)
    return f"{file} next and write {name}"


def crash(error: Exception, part: str, folder: str, place: traceback.FrameSummary | None) -> str:
    """Two lines: file, line and message; then the line itself."""
    if isinstance(error, SyntaxError):
        return f"{folder}/{Path(error.filename or '').name}, line {error.lineno}: {error.msg}\n    {(error.text or '').strip()}"
    message = f"{type(error).__name__}: {error}"
    if place is None:
        return f"{folder}/{part}.py does not give what the lesson needs.\n    {message}"
    return f"{folder}/{Path(place.filename).name}, line {place.lineno}: {message}\n    {place.line}"


def last_place(error: Exception, folder: str) -> traceback.FrameSummary | None:
    """The deepest frame of an error that lies in one of the folder's files."""
    home = [Path(path).resolve() for path in importlib.import_module(folder).__path__]
    inside = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).resolve().parent in home]
    return inside[-1] if inside else None


def last_frame(error: Exception) -> traceback.FrameSummary:
    """The frame that raised."""
    return traceback.extract_tb(error.__traceback__)[-1]
