"""Cut what students open from the solutions: text in, text out.

In: the text of solutions/<part>.py, its regions between the two markers. Out: the text of exercises/<part>.py.
A region inside a function becomes one NotImplementedError that says what to open; `name = value` at module level becomes `name = ...`.
Regenerate the committed stubs with `python -m graders stubs`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.engine.kit import read_reference
from graders.model import KitError

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"


@dataclass(frozen=True)
class Region:
    """Line numbers of a region's two markers, counted from 1."""

    begin: int
    end: int


def cut(text: str, part: str) -> str:
    """The stub of one solution.

    Raises KitError where markers do not pair up, where no region is marked, or where a region holds what cannot be cut.
    """
    tree = _parse(text, f"solutions/{part}.py")
    lines = text.split("\n")
    found = regions(text, part)
    for region in reversed(found):  # from the end, so that earlier line numbers stay right
        lines[region.begin - 1 : region.end] = _replacement(tree, lines[region.begin - 1], region, part)
    stub = "\n".join(lines)
    _parse(stub, f"exercises/{part}.py")
    return stub


def regions(text: str, part: str) -> tuple[Region, ...]:
    """The marked regions of a solution, in order. Raises KitError for markers that do not pair up, and where there is none."""
    found: list[Region] = []
    begin = 0
    for number, line in _markers(text, part):
        if line == BEGIN and begin:
            raise KitError(f"{_place(part, number)}: a region begins inside the one of line {begin}; end that one first")
        if line == END and not begin:
            raise KitError(f"{_place(part, number)}: a region ends that never began; write '{BEGIN}' above it")
        if line == END:
            found.append(Region(begin, number))
        begin = number if line == BEGIN else 0
    if begin:
        raise KitError(f"{_place(part, begin)}: a region begins and never ends; write '{END}' below it")
    if not found:
        raise KitError(f"solutions/{part}.py: no region is marked, so students would receive all of it; write '{BEGIN}' and '{END}'")
    return tuple(found)


def write_stubs(root: Path) -> tuple[Path, ...]:
    """Write exercises/<part>.py for every solution of the kit in `root`; the paths written. Raises KitError as `cut` does."""
    stubs = {name: cut(part.text, name) for name, part in read_reference(root).parts.items()}
    paths = []
    (root / "exercises").mkdir(exist_ok=True)
    for name, stub in stubs.items():
        path = root / "exercises" / f"{name}.py"
        path.write_text(stub, encoding="utf-8", newline="\n")
        paths.append(path)
    return tuple(paths)


def _markers(text: str, part: str) -> Iterator[tuple[int, str]]:
    """Every line that holds a marker. One that is nearly a marker is refused: passed over, it would publish an answer."""
    for number, line in enumerate(text.split("\n"), 1):
        plain = line.strip()
        if plain in (BEGIN, END):
            yield number, plain
        elif "BEGIN SOLUTION" in plain.upper() or "END SOLUTION" in plain.upper():
            raise KitError(f"{_place(part, number)}: {plain!r} is nearly a marker; write exactly '{BEGIN}' or '{END}' on a line of its own")


def _replacement(tree: ast.Module, marker: str, region: Region, part: str) -> list[str]:
    """The lines that stand for a region in the stub."""
    inside = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and region.begin < node.lineno < region.end]
    if not inside:
        raise KitError(f"{_place(part, region.begin)}: the region is empty; put the answer between its markers")
    if any((node.end_lineno or 0) > region.end for node in inside):
        raise KitError(f"{_place(part, region.end)}: the region ends in the middle of a statement; put the marker after it")
    indent = marker[: len(marker) - len(marker.lstrip())]
    function = _function(tree, inside)
    if function:
        return [f'{indent}raise NotImplementedError("Open exercises/{part}.py and write {function}.")']
    return [f"{indent}{_name(node, part)} = ..." for node in inside]


def _function(tree: ast.Module, inside: Sequence[ast.stmt]) -> str:
    """The dotted name of the function whose body holds all these statements, classes first; empty at module level."""
    first, last = min(node.lineno for node in inside), max(node.end_lineno or 0 for node in inside)
    definitions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]  # from the outside in
    around = [node for node in definitions if node.body[0].lineno <= first and last <= (node.end_lineno or 0)]
    return ".".join(node.name for node in around) if any(isinstance(node, ast.FunctionDef) for node in around) else ""


def _name(node: ast.stmt, part: str) -> str:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    raise KitError(f"{_place(part, node.lineno)}: outside a function a region may only hold lines like 'name = value'; move the markers")


def _parse(text: str, file: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise KitError(f"{file}:{error.lineno}: {error.msg}; the solution and its stub must both be Python") from None


def _place(part: str, line: int) -> str:
    return f"solutions/{part}.py:{line}"
