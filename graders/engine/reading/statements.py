"""The top-level statements of a notebook's cells: which names each one makes, and which it needs, now or later."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from graders.engine.reading.cells import Cell

COMPREHENSIONS = {"listcomp", "setcomp", "dictcomp", "genexpr"}


class Sort(Enum):
    """What a statement is good for."""

    FUTURE = "from __future__ import"
    STAR = "from somewhere import *"
    IMPORT = "import"
    DEFINITION = "a class, a function, an assignment, or a choice between such"
    OTHER = "a loop, a call, an output"


@dataclass(frozen=True)
class Statement:
    """One statement. `changes` are names whose object it alters: `A.forward = f`, `n += 1`. `module` is where it imports from."""

    cell: int
    text: str
    sort: Sort
    makes: frozenset[str]
    changes: frozenset[str]
    now: frozenset[str]
    later: frozenset[str]
    module: str = ""


def statements(cell: Cell) -> Iterator[Statement]:
    """The statements of one cell, in order. Raises SyntaxError for what Python would refuse only after parsing."""
    lines = cell.text.encode("utf-8", "surrogatepass").split(b"\n")
    for node in cell.tree.body:
        text = _source(lines, node)
        makes, now, later = _names(text)
        changes = frozenset(_changed(node))
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        yield Statement(cell.number, text, _sort(node), makes - changes, changes, now, later, module)


def _source(lines: list[bytes], node: ast.stmt) -> str:
    """The text of a statement, decorators included. Columns count bytes."""
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
    last = node.end_lineno or node.lineno
    taken = lines[first - 1 : last]
    taken[-1] = taken[-1][: node.end_col_offset]
    if first == node.lineno:
        taken[0] = taken[0][node.col_offset :]
    return b"\n".join(taken).decode("utf-8", "surrogatepass")


def _sort(node: ast.stmt) -> Sort:
    match node:
        case ast.ImportFrom(module="__future__"):
            return Sort.FUTURE
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            return Sort.STAR
        case ast.Import() | ast.ImportFrom():
            return Sort.IMPORT
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            return Sort.DEFINITION
        case ast.If() | ast.Try() if all(_sort(inner) is not Sort.OTHER or isinstance(inner, ast.Pass) for inner in _inside(node)):
            return Sort.DEFINITION
    return Sort.OTHER


def _inside(node: ast.If | ast.Try) -> list[ast.stmt]:
    """The statements of all branches; a chain of `elif` is too rare among definitions to be followed."""
    if isinstance(node, ast.If):
        return node.body + [inner for inner in node.orelse if not isinstance(inner, ast.If)]
    return node.body + node.orelse + node.finalbody + [inner for handler in node.handlers for inner in handler.body]


def _changed(node: ast.stmt) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    for target in targets:
        inner: ast.expr = target
        while isinstance(inner, ast.Attribute | ast.Subscript):
            inner = inner.value
        if isinstance(inner, ast.Name) and (inner is not target or isinstance(node, ast.AugAssign)):
            yield inner.id


def _names(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Names that a statement makes, needs while it runs, and needs when its functions are called."""
    module = symtable.symtable(text, "cell", "exec")
    makes = frozenset(symbol.get_name() for symbol in module.get_symbols() if symbol.is_assigned() or symbol.is_imported())
    now, later = set[str](), set[str]()
    waiting = [(module, now)]
    while waiting:
        table, into = waiting.pop()
        if table.get_type() == "function" and table.get_name() not in COMPREHENSIONS:
            into = later
        free = table.get_type() != "function"
        into.update(symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced() and (free or symbol.is_global()))
        waiting += [(inner, into) for inner in table.get_children()]
    return makes, frozenset(now), frozenset(later)
