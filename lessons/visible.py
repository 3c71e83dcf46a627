"""How visible tests speak in a notebook: `check(globals(), PART)` at the end of a cell runs the cell's tests and shows how they fare.

Text in any front end, a table where HTML is shown. Where a test does not pass the cell ends with an error of a few lines,
so that whatever runs the notebook sees a failure. Standard library alone, and IPython where it is there.
"""

from __future__ import annotations

import ast
import html
import linecache
import sys
import traceback
from dataclasses import dataclass
from types import FrameType, FunctionType
from typing import Any

LONGEST = 300
SHOWN = 4  # values beside a line that does not hold


@dataclass(frozen=True)
class Result:
    """One test: its sentence, `passed`, `not written yet`, `differs` or `error`, and lines that tell why."""

    sentence: str
    state: str
    lines: tuple[str, ...] = ()


class NotYet(Exception):  # noqa: N818 - not an error of anybody: some tests do not pass yet
    """Ends the cell with its lines alone, without a list of calls."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


def check(namespace: dict[str, Any], part: str = "") -> None:
    """Run the tests of the calling cell, show all results, and raise NotYet where one does not pass. `part` names what they are about."""
    cell = sys._getframe(1).f_code.co_filename  # each cell has a name of its own
    found = [test for name, test in namespace.items() if name.startswith("test_") and isinstance(test, FunctionType)]
    every = tuple(run(test, namespace) for test in found if test.__code__.co_filename == cell)
    results = Results(every, _hint(part, namespace) if {"differs", "error"} & {result.state for result in every} else "")
    try:
        from IPython.display import display
    except ImportError:
        print(results)
    else:
        display(results)
    left = [result for result in results.all if result.state != "passed"]
    if left:
        raise NotYet("\n".join((results.headline, f"{left[0].state}: {left[0].sentence}", *left[0].lines, *results.hints)))


def run(test: FunctionType, namespace: dict[str, Any]) -> Result:
    """What becomes of one test."""
    sentence = test.__name__.removeprefix("test_").replace("_", " ")
    blank = [name for name in test.__code__.co_names if namespace.get(name) is ...]
    if blank:
        return Result(sentence, "not written yet", (f"Write {blank[0]} in the cell above, and run that cell.",))
    try:
        test()
    except Exception as error:  # noqa: BLE001 - whatever the student's code raises is what the test has found
        return _failed(sentence, error, test, namespace)
    return Result(sentence, "passed")


def _hint(part: str, namespace: dict[str, Any]) -> str:
    """What the part behaves like, where the notebook lies in a release that can tell."""
    try:
        from exercises._hints import hint
    except ImportError:
        return ""
    return str(hint(part, namespace))


def _failed(sentence: str, error: Exception, test: FunctionType, namespace: dict[str, Any]) -> Result:
    frames = list(traceback.walk_tb(error.__traceback__))
    last, line = frames[-1]
    own = [(frame, number) for frame, number in frames if frame.f_code is test.__code__]
    if isinstance(error, NotImplementedError):
        return Result(sentence, "not written yet", (f"Write {last.f_code.co_qualname} in the cell above, and run that cell.",))
    if isinstance(error, NameError) and error.name in test.__code__.co_names:
        return Result(sentence, "not written yet", (f"{error.name} is not there yet: run the cell above.",))
    if isinstance(error, AssertionError):
        where = _line(*own[-1])
        said = [_short(part) for part in str(error).splitlines() if part.strip()][:SHOWN]
        return Result(sentence, "differs", (where, *(said or _values(where, own[-1][0])), *_source(test, namespace)))
    place = [f"in {last.f_code.co_qualname}: {_line(last, line)}"] if last.f_code is not test.__code__ else []
    return Result(sentence, "error", (_short(f"{type(error).__name__}: {error}"), *place, *_source(test, namespace)))


def _line(frame: FrameType, number: int) -> str:
    return _short(linecache.getline(frame.f_code.co_filename, number).strip()) or f"line {number}"


def _values(line: str, frame: FrameType) -> list[str]:
    """What the local names in a line stand for."""
    try:
        names = [node.id for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Name)]
    except SyntaxError:  # one line of several
        return []
    return [_short(f"{name} = {frame.f_locals[name]!r}") for name in dict.fromkeys(names) if name in frame.f_locals][:SHOWN]


def _source(test: FunctionType, namespace: dict[str, Any]) -> list[str]:
    """Where the lesson speaks of what is tested: the `Source:` line of a class that the test names."""
    texts = [str(namespace[name].__doc__) for name in test.__code__.co_names if isinstance(namespace.get(name), type)]
    return [f"Read again: {line.split('Source:')[1].strip()}" for text in texts for line in text.splitlines() if "Source:" in line][:1]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."


@dataclass(frozen=True)
class Results:
    """All results of a cell, as text and as a table, and what the part behaves like."""

    all: tuple[Result, ...]
    hint: str = ""

    @property
    def hints(self) -> tuple[str, ...]:
        """The hint, if there is one."""
        return (self.hint,) if self.hint else ()

    @property
    def headline(self) -> str:
        """How many pass."""
        passed = sum(result.state == "passed" for result in self.all)
        if passed == len(self.all):
            return "All visible tests of this cell pass; hidden checks remain."
        return f"{passed} of {len(self.all)} visible tests pass."

    def __repr__(self) -> str:
        lines = [self.headline]
        for result in self.all:
            lines += [f"  {result.state:<15}  {result.sentence}", *(f"{'':19}{line}" for line in result.lines)]
        return "\n".join((*lines, *self.hints))

    def _repr_html_(self) -> str:
        rows = "".join(_row(result) for result in self.all)
        head = f'<p><strong>{html.escape(self.headline)}</strong></p>'
        told = "".join(f"<p>{html.escape(hint)}</p>" for hint in self.hints)
        return f'{head}<table><tr><th scope="col">Test</th><th scope="col">Result</th></tr>{rows}</table>{told}'


def _row(result: Result) -> str:
    why = "".join(f"<br><code>{html.escape(line)}</code>" for line in result.lines)
    left = 'style="text-align:left;vertical-align:top;padding:0 1.5em 0.2em 0"'
    return f"<tr><td {left}>{html.escape(result.sentence)}{why}</td><td {left}>{html.escape(result.state)}</td></tr>"
