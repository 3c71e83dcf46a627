"""Files of tables into typed values. What an author got wrong becomes a KitError that quotes the line and says what may stand there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from graders.model import KitError

T = TypeVar("T")
POINTS = "a number, as in `name = 1`, or a table, as in `name = { points = 1, rtol = 1e-3 }`"
VALUE = 'a number, true, false, a text in "quotes", a list in [ ] or a table in { }'


def toml(file: Path) -> dict[str, Any]:
    """The tables of a file. Raises KitError where there is none, or where it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8")
        return tomllib.loads(text)
    except FileNotFoundError:
        raise KitError(f"{file}: not there; a kit needs it, so check the folder you gave") from None
    except tomllib.TOMLDecodeError as error:
        raise KitError(_unreadable(file, text, str(error))) from None
    except UnicodeDecodeError as error:
        raise KitError(f"{file}: {error}") from None


def typed(table: Any, kind: type[T], file: Path, where: str, line: type | None = None) -> T:
    """The table `where` of a file as this kind of value. `line` is what each line of its points may be, beside a number. Raises KitError."""
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        lines = table.get("points") if line and isinstance(table, dict) else None
        for name, value in lines.items() if isinstance(lines, Mapping) else ():
            said = _misfit(value, float | line)
            if said:
                raise KitError(f"{_place(file, f'{where}.points', name)}: {said}; a line of points is {POINTS}") from None
        raise KitError(f"{file}: [{where}] {error}") from None


def _misfit(value: Any, kind: Any) -> str:
    """What is wrong with one line of points, without the reader's names of types."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        said = str(error).replace("`float | object`", "a number or a table").replace("`float`", "a number").replace("`str`", "a text")
        return re.sub(r" - at `\$\.(\w+)`", r" for `\1`", said)
    return ""


def _place(file: Path, table: str, name: str) -> str:
    """File, number and words of the line that gives `name` in a table; the file and both names where it is written otherwise."""
    inside = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("["):
            inside = line.split("#")[0].strip()
        elif inside == f"[{table}]" and line.partition("=")[0].strip().strip("\"'") == name:
            return f"{file}:{number}: `{line.strip()}`"
    return f"{file}: [{table}] {name}"


def _unreadable(file: Path, text: str, error: str) -> str:
    """A line that is no TOML, quoted, and what may stand there."""
    found = re.search(r"(.*) \(at line (\d+), column (\d+)\)", error)
    if not found:
        return f"{file}: {error}"
    lines, number = text.splitlines(), int(found[2])
    before = "\n".join(lines[:number])
    tables = re.findall(r"^\[([^\]]+)\]", before, re.MULTILINE)
    expected = POINTS if tables and tables[-1].endswith(".points") else VALUE
    what = f"behind the = expected {expected}" if found[1] == "Invalid value" else found[1]
    return f"{file}:{number}: `{lines[number - 1].strip()}` cannot be read: {what}"
