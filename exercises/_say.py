"""From the records of a run to what is read: the path through the exercises, and the first thing that needs work. Standard library only."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from pathlib import Path

from . import _told
from ._told import short

HERE = Path(__file__).resolve().parent
MOST = 14  # lines of one failure: with the path they fit a small screen
NUMBER = re.compile(r'""".*exercise (\d+)', re.IGNORECASE)
NUMBER_AND_TITLE = re.compile(r'"""Exercise (\d+): (.*?)\.?(?:"""|$|\. )', re.MULTILINE)


def screen(records):
    """The lines to print. Words say what is done; no colour, so nothing is lost on paper or read aloud."""
    if isinstance(records, str):
        return [records]
    if not records:
        return ["The visible tests did not start. `pytest exercises` says why."]
    todo = first(records)
    rows = [row(part, records, todo) for part in parts()]
    return [*table(rows), "", *(need(todo) if todo else []), closing(records, todo)]


def parts():
    """The files to write, in the order of the exercises."""
    files = [test.with_name(test.name.removeprefix("test_")) for test in HERE.glob("test_*.py")]
    return sorted(files, key=lambda file: (about(file)[0], file.name))


def about(file):
    """Number and title of an exercise: the first line of its tests says the number, its own first line both."""
    own = NUMBER_AND_TITLE.search(head(file))
    found = NUMBER.search(head(file.with_name(f"test_{file.name}"))) or own
    return int(found[1]) if found else sys.maxsize, own[2] if own else ""


def head(file):
    """How a file begins; nothing where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")[:300]
    except OSError:
        return ""


def first(records):
    """The record to show: the first that did not pass, of the first file that needs work; None where all passed."""
    left = [record for record in records if record["state"] != "passed"]
    return min(left, key=lambda record: about(HERE / record["opens"])[0], default=None)


def row(part, records, todo):
    """Number, file, state, count and title of one exercise."""
    own = [record for record in records if record["test"] == f"test_{part.name}"]
    passed = sum(record["state"] == "passed" for record in own)
    unread = [record["opens"] for record in own if record["state"] == "unread"]
    count = "" if unread else f"{passed} of {len(own)}"
    number, title = about(part)
    return ("" if number == sys.maxsize else str(number), short(part.name), state(part, own, unread, todo), count, title)


def state(part, own, unread, todo):
    """One or two words."""
    if not part.exists():
        return "missing"
    if todo and todo["opens"] == part.name:
        return "next"
    if unread:
        return "cannot start" if part.name in unread else f"waits for {unread[0]}"
    if all(record["state"] == "passed" for record in own):
        return "done"
    return "not yet" if any(record["state"] == "unfinished" for record in own) else "to mend"


def table(rows):
    """Columns as wide as the terminal; a title that does not fit loses its last words, but that of the next exercise goes on below."""
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    room = max(20, shutil.get_terminal_size().columns - sum(widths) - 8)
    for row in rows:
        titles = textwrap.wrap(row[4], room) if row[2] == "next" else [textwrap.shorten(row[4], room, placeholder=" ...")]
        start = "  ".join(text.ljust(width) for text, width in zip(row[:4], widths, strict=True))
        yield f"{start}  {''.join(titles[:1])}".rstrip()
        yield from (f"{'':{len(start)}}  {title}" for title in titles[1:])


def need(record):
    """What to write, or what was tried and what came out."""
    lines = record["text"].splitlines()
    if record["state"] == "unfinished":
        return [lines[-1], ""]
    said = record["name"].removeprefix("test_").replace("_", " ")
    head = [f"This does not hold yet: {said}"] if said else []
    cut = [*lines[: MOST - 4], "...", *lines[-3:]] if len(lines) > MOST else lines
    printed = record["printed"].strip().splitlines()
    told = ["", *textwrap.wrap(record["hint"], min(100, shutil.get_terminal_size().columns), break_on_hyphens=False)] if record["hint"] else []
    return [*head, *cut, *(["Printed on the way:", *printed[-5:]] if printed else []), *told, ""]


def closing(records, todo):
    """The same sentence that `pytest exercises` ends with."""
    if not todo:
        return "All visible tests pass; hidden checks remain."
    tests = [record for record in records if record["state"] != "unread"]
    stuck = [record["test"] for record in records if record["state"] == "unread"]
    return _told.closing(sum(record["state"] == "passed" for record in tests), len(tests), stuck, todo["opens"])
