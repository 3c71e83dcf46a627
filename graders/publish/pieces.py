"""From a file to the cells that hold it: text in, text out.

A solution is cut behind each class, function or answer that a student writes, so that each has a cell of its own. Imports of sibling
parts go: in a notebook all parts share one namespace. So do the imports of the part in a file of visible tests.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from graders.publish.stubs import BEGIN, END, Region, regions

PACKAGE = "exercises"
STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")  # as nbgrader writes it


@dataclass(frozen=True)
class Piece:
    """One cell's worth of a solution: the name it defines first, and its text with the markers."""

    name: str
    text: str


def headline(text: str) -> str:
    """The first line of a file's docstring, or nothing."""
    return (ast.get_docstring(ast.parse(text)) or "").split("\n")[0]


def pieces(text: str, part: str) -> tuple[Piece, ...]:
    """The pieces of one solution, in order. Raises KitError for markers that do not hold together."""
    found = regions(text, part)
    lines = text.split("\n")
    for number in _unwanted(ast.parse(text)):
        lines[number - 1] = ""
    ends = dict(_ends(ast.parse(text), found))
    cut, before = [], 0
    for end, name in ends.items():
        cut.append(Piece(name, _tidy(lines[before : None if end == max(ends) else end])))
        before = end
    return tuple(cut)


def _ends(tree: ast.Module, found: tuple[Region, ...]) -> Iterator[tuple[int, str]]:
    """The last line of each piece, and the piece's name."""
    for node in tree.body:
        first, last = node.lineno, node.end_lineno or node.lineno
        around = [region for region in found if first <= region.begin <= last]
        inside = [region for region in found if region.begin < first < region.end]
        if around and isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield max(last, *(region.end for region in around)), node.name
        elif inside and _targets(node):
            yield inside[0].end, _targets(node)[0].id


def _unwanted(tree: ast.Module) -> Iterator[int]:
    """Line numbers of the docstring and of imports from sibling parts."""
    for index, node in enumerate(tree.body):
        docstring = index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if docstring or _from_siblings(node):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _from_siblings(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.level > 0 or (node.module or "").split(".")[0] == PACKAGE)


def with_blanks(piece: Piece, part: str) -> str:
    """The piece's text, where an answer outside a function has a line to fill in, `name = ...`, that stays when its region is cleared."""
    lines = piece.text.split("\n")
    tree = ast.parse(piece.text)
    for region in reversed(regions(piece.text, part)):
        inside = [node for node in tree.body if region.begin < node.lineno < region.end]
        lines[region.begin - 1 : region.begin - 1] = [f"{target.id} = ..." for node in inside for target in _targets(node)]
    return "\n".join(lines)


def _targets(node: ast.stmt) -> list[ast.Name]:
    return [target for target in node.targets if isinstance(target, ast.Name)] if isinstance(node, ast.Assign) else []


def cleared(text: str) -> str:
    """The text as a student receives it: nbgrader's stub for each region in a function; outside one the line to fill in is enough."""
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() == BEGIN and indent:
            lines += [indent + word for word in STUB]
        inside = line.strip() == BEGIN or (inside and line.strip() != END)
        if not inside and line.strip() != END:
            lines.append(line)
    return "\n".join(lines)


def visible(text: str) -> str:
    """A file of visible tests as a cell: `part.name` becomes `name`, and what was imported from the part is there already."""
    tree = ast.parse(text)
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == PACKAGE]
    modules = {alias.asname or alias.name for node in imports for alias in node.names}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules]
    lines = text.split("\n")
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        line = lines[node.lineno - 1].encode()  # columns count bytes
        lines[node.lineno - 1] = (line[: node.col_offset] + node.attr.encode() + line[node.end_col_offset :]).decode()
    for number in _unwanted(tree):
        lines[number - 1] = ""
    return _tidy(lines)


def _tidy(lines: list[str]) -> str:
    """The lines without blank ones at both ends, with two of them in a row at most, and one before an import."""
    kept: list[str] = []
    for line in lines:
        if line.startswith(("import ", "from ")) and kept[-2:] == ["", ""]:
            kept.pop()
        if line.strip() or kept[-2:] != ["", ""]:
            kept.append(line.rstrip())
    return "\n".join(kept).strip("\n")
