"""The normal form of a file's code: what is left when formatting, comments, docstrings, annotations and the choice of names are taken away."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from graders.engine.reading.cells import parse

LONGEST = 100_000  # characters; longer files are not compared
BUILTINS = frozenset(dir(builtins))


def units(text: str) -> tuple[str, ...] | None:
    """The normal form of each function, method and other statement, in order. None where the text is no Python, or too long.

    Names are numbered in the order in which a unit first uses them. Names that are imported stand as what they were imported from;
    attributes keep their names unless the file itself sets them.
    """
    try:
        tree = parse(text) if len(text) <= LONGEST else None
        if tree is None:
            return None
        imported, own = _imported(tree), {one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)}
        return tuple(_normal(node, _Names(imported, own)) for node in _pieces(tree.body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def size(forms: tuple[str, ...]) -> int:
    """How much code this is: operations, calls, names and constants, counted."""
    return sum(form.count("(") for form in forms)


def _pieces(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements without imports; a class in its members."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _pieces(node.body)
        elif not isinstance(node, ast.Import | ast.ImportFrom | ast.Pass) and not _is_text(node):
            yield node


def _normal(node: ast.stmt, names: _Names) -> str:
    fresh = ast.parse(ast.unparse(node))  # a copy to change
    return ast.dump(names.visit(fresh), annotate_fields=False)


def _imported(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            found.update({alias.asname or alias.name: start + alias.name for alias in node.names})
    return found


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class _Names(ast.NodeTransformer):
    """Puts numbers in place of names, and drops what does nothing."""

    def __init__(self, imported: dict[str, str], own: set[str]) -> None:
        self.imported, self.own, self.known = imported, own, dict[str, str]()

    def _name(self, name: str) -> str:
        if name in self.imported:
            return self.imported[name]
        return name if name in BUILTINS else self.known.setdefault(name, f"n{len(self.known)}")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._name(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._name(node.arg))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        value = self.visit(node.value)
        return ast.Attribute(value, self._name(f".{node.attr}") if node.attr in self.own else node.attr, node.ctx)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        return self.visit(ast.Assign([node.target], node.value)) if node.value else None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if _is_text(node) else self.generic_visit(node)

    def visit_Pass(self, node: ast.Pass) -> None:
        """Nothing is left of it."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        if not node.name.startswith("__"):
            node.name = self._name(node.name)
        return self.generic_visit(node)
