"""Rosters: a table of students that a platform wrote goes in, and goes out again with nothing changed but the cells that were filled in.

Every cell is text, from the first byte to the last: an id keeps its zeros. Which row is whose is decided by ids, then by names.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from graders.model import SubmissionError

MOST_BYTES = 64 << 20
# How the two platforms name what they pack up: `doejane_LATE_4321_98765_file` and `Jane Doe_4321_assignsubmission_file`.
CANVAS = re.compile(r"[^_]+_(?:LATE_)?(\d+)_\d+(?:_|$)")
MOODLE = re.compile(r"(.+?)_(\d+)_assignsubmission(?:_|$)")


@dataclass(frozen=True)
class Sheet:
    """The first row, the other rows, and how the file was written."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    delimiter: str = ","
    mark: str = ""


@dataclass
class Filled:
    """Cells to change, by row and column; whose grades were placed; and a sentence for each thing that a person must know."""

    cells: dict[tuple[int, int], str] = field(default_factory=dict)
    placed: int = 0
    lost: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_sheet(path: Path) -> Sheet:
    """The table in a file. Raises SubmissionError where there is none."""
    try:
        data = path.read_bytes()[:MOST_BYTES]
        text = data.decode("utf-8")
    except OSError as error:
        raise SubmissionError(f"{path} cannot be read ({error.strerror or error}); name the file that the platform wrote") from None
    except UnicodeDecodeError:
        raise SubmissionError(f"{path} is not UTF-8; export it again, or save it as CSV UTF-8") from None
    mark, text = text[: text.startswith("\ufeff")], text.removeprefix("\ufeff")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise SubmissionError(f"{path} is no table of students; export it from the platform as CSV")
    width = len(rows[0])
    return Sheet(rows[0], tuple((*row, *[""] * (width - len(row))) for row in rows[1:]), delimiter, mark)


def render(sheet: Sheet, cells: Mapping[tuple[int, int], str], more: Sequence[str] = ()) -> str:
    """The text of the file with these cells changed, and with `more` columns at its end. Everything is quoted."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=sheet.delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow([*sheet.header, *more])
    for number, row in enumerate(sheet.rows):
        writer.writerow([cells.get((number, column), old) for column, old in enumerate((*row, *[""] * len(more)))])
    return sheet.mark + out.getvalue()


def match(labels: Iterable[str], people: Mapping[int, Sequence[str]], filled: Filled) -> dict[str, int]:
    """The row of each label. `people` has, for each row, the ids and names it is known by.

    A label that fits no row or several, and two labels that fit the same row, are told in `filled` and have none.
    """
    known = Counter((key, row) for row, keys in people.items() for key in {folded(key) for key in keys if key.strip()})
    rows: dict[str, list[int]] = {}
    for key, row in known:
        rows.setdefault(key, []).append(row)
    found: dict[str, int] = {}
    for label in labels:
        fits = next((fit for form in forms(label) if (fit := rows.get(folded(form)))), [])
        if len(fits) == 1:
            found[label] = fits[0]
        else:
            filled.lost.append(f"{label} fits {f'{len(fits)} students of' if fits else 'nobody in'} the roster; its grade is not written")
    return dict(_alone(found, filled))


def forms(label: str) -> Iterator[str]:
    """What a label may mean: itself, or the id or the name in a file name that a platform made."""
    yield label
    if found := CANVAS.match(label):
        yield found[1]
    if found := MOODLE.match(label):
        yield f"Participant {found[2]}"
        yield found[1]


def folded(text: str) -> str:
    """Texts that differ in case, in spaces or in how an accent is written are the same."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def names(first: str, last: str) -> tuple[str, ...]:
    """How a folder may be named after a person."""
    orders = ((first, last), (last, first)) if first or last else ()
    return tuple(f"{a}{between}{b}".strip() for a, b in orders for between in (" ", ", ", "_", "-", ".", ""))


def changed(sheet: Sheet, columns: Collection[int], change: Callable[[str], str]) -> Sheet:
    """The sheet with every cell of these columns changed."""
    rows = (tuple(change(text) if column in columns else text for column, text in enumerate(row)) for row in sheet.rows)
    return replace(sheet, rows=tuple(rows))


def _alone(found: Mapping[str, int], filled: Filled) -> Iterator[tuple[str, int]]:
    counts = Counter(found.values())
    for label, row in found.items():
        if counts[row] == 1:
            yield label, row
        else:
            filled.lost.append(f"{label} is not the only submission of one student; its grade is not written")
