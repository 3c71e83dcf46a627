"""The operators of mutation: where in a solution's text something could be written otherwise, and how. See graders/engine/mutate.py.

Each operator is a function of a source and one node of its tree. It gives pairs: the node to replace, and the text to put there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

KINDS = (
    ("mean", "sum", "amax", "median"),
    ("square", "abs", "exp"),
    ("sqrt", "rsqrt", "reciprocal"),
    ("ones", "zeros", "rand"),
    ("softmax", "sigmoid", "relu"),
    ("view", "reshape"),
    ("cos", "sin"),
    ("max", "min"),
    ("triu", "tril"),
)
OPERATORS: dict[type[ast.AST], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@"}
COMPARED: dict[type[ast.AST], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
NO_GRAD = "__import__('torch').no_grad()(lambda: {})()"
INSERTED = ("(-({}))", "(2 * ({}))", "(0.5 * ({}))", "(({}) + 1)", "(({}) + 0.001)", "(1.01 * ({}))")
Replacement = tuple[ast.AST, str]


@dataclass(frozen=True)
class Change:
    """Put `text` where the solution has the characters from `start` to `end`."""

    start: int
    end: int
    text: str
    operator: str


class Source:
    """A text, its tree, where each node stands in the text, and the names that the text uses."""

    def __init__(self, text: str) -> None:
        """Raises SyntaxError."""
        self.text, self.tree = text, ast.parse(text)
        self._raw = [line.encode() for line in text.splitlines(keepends=True)]
        nodes = tuple(ast.walk(self.tree))
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.names = sorted(stored | {node.arg for node in nodes if isinstance(node, ast.arg) and node.arg != "self"})
        self.attributes: dict[str, list[str]] = {}
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr not in self.attributes.get(node.value.id, ()):
                self.attributes.setdefault(node.value.id, []).append(node.attr)

    def span(self, node: Any) -> tuple[int, int]:
        """Where the node begins and ends, in characters."""
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)

    def _at(self, line: int, column: int) -> int:
        return len(b"".join(self._raw[: line - 1]).decode()) + len(self._raw[line - 1][:column].decode())

    def of(self, node: ast.AST) -> str:
        """The node's own text."""
        start, end = self.span(node)
        return self.text[start:end]


def changes(text: str) -> Iterator[Change]:
    """Every single change, in the order of the text's tree. Raises SyntaxError."""
    source = Source(text)
    for node in ast.walk(source.tree):
        for name, operator in ALL.items():
            for place, new in operator(source, node):
                start, end = source.span(place)
                yield Change(start, end, new, name)


def operators(source: Source, node: ast.AST) -> Iterator[Replacement]:
    """Exchange an operator or a comparison, drop a sign, keep one side."""
    if isinstance(node, ast.BinOp):
        left, right = source.of(node.left), source.of(node.right)
        yield from ((node, f"({left}) {sign} ({right})") for kind, sign in OPERATORS.items() if not isinstance(node.op, kind))
        yield from ((node, side) for side in (f"({left})", f"({right})"))
        yield node, f"({right}) {OPERATORS.get(type(node.op), '+')} ({left})"
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = source.of(node.left), source.of(node.comparators[0])
        yield from ((node, f"{left} {sign} {right}") for kind, sign in COMPARED.items() if not isinstance(node.ops[0], kind))
    elif isinstance(node, ast.UnaryOp):
        yield node, source.of(node.operand)


def constants(source: Source, node: ast.AST) -> Iterator[Replacement]:
    """Another number, truth or text."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        yield from ((node, text) for text in ("0", "1", "-2", "None"))
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield node, str(not value)
    elif isinstance(value, int | float):
        yield from ((node, repr(other)) for other in (0, 1, -value, 2 * value, value / 2, value + 1, 1.1 * value, value * 10))
    elif isinstance(value, str) and "\n" not in value and not value.endswith("."):
        yield from ((node, text) for text in ("''", repr(value + "s"), "None", "True"))


def arguments(source: Source, node: ast.AST) -> Iterator[Replacement]:
    """Drop an argument or a keyword, or swap two neighbours."""
    if not isinstance(node, ast.Call):
        return
    plain = [source.of(argument) for argument in node.args]
    named = [f"{keyword.arg}={source.of(keyword.value)}" for keyword in node.keywords if keyword.arg]
    called, every = source.of(node.func), plain + named
    for place in range(len(every)):
        yield node, f"{called}({', '.join(every[:place] + every[place + 1 :])})"
    for place in range(len(plain) - 1):
        yield node, f"{called}({', '.join([*plain[:place], plain[place + 1], plain[place], *plain[place + 2 :], *named])})"


def calls(source: Source, node: ast.AST) -> Iterator[Replacement]:
    """Put what a function is called on, or its first argument, in the place of the call; call another function of the same kind."""
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Attribute):
        yield node, source.of(node.func.value)
        start, end = source.span(node.func.value)
        rest = source.text[end : source.span(node)[1]]
        for kind in KINDS:
            if node.func.attr in kind:
                yield from ((node, source.text[start:end] + rest.replace(node.func.attr, other, 1)) for other in kind if other != node.func.attr)
    yield from ((node, source.of(argument)) for argument in node.args)


def gradients(source: Source, node: ast.AST) -> Iterator[Replacement]:
    """Cut the gradient: detach an expression, or compute it under no_grad."""
    if isinstance(node, ast.Call | ast.BinOp) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in source.names):
        yield node, f"({source.of(node)}).detach()"
    if isinstance(node, ast.Assign | ast.Return) and node.value:
        yield node.value, NO_GRAD.format(source.of(node.value))
        yield node.value, f"({source.of(node.value)}).data"


def names(source: Source, node: ast.AST) -> Iterator[Replacement]:
    """Another name in the place of a local one, or another attribute of the same thing."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in source.names:
        yield from ((node, other) for other in source.names if other != node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from ((node, f"{node.value.id}.{other}") for other in source.attributes[node.value.id] if other != node.attr)


def inserted(source: Source, node: ast.AST) -> Iterator[Replacement]:
    """A sign, a factor or an offset around an expression."""
    if isinstance(node, ast.BinOp | ast.Call) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in source.names):
        yield from ((node, text.format(source.of(node))) for text in INSERTED)


def statements(source: Source, node: ast.AST) -> Iterator[Replacement]:
    """Drop a statement, return early, or swap the names that it assigns."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr) and not _is_text(node):
        yield node, "pass"
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and len(node.targets[0].elts) == 2:
        one, other = map(source.of, node.targets[0].elts)
        yield node.targets[0], f"{other}, {one}"
    if isinstance(node, ast.Return):
        yield node, "pass"
        yield from ((node, f"return {name}") for name in source.names)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


ALL = {
    "operator": operators,
    "constant": constants,
    "argument": arguments,
    "call": calls,
    "gradient": gradients,
    "name": names,
    "insert": inserted,
    "statement": statements,
}
