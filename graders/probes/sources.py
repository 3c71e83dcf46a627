"""What probe writers share about sources: whether a class does its own work or hands it to the library.

In: the text of one part. Out: a count. Nothing is run; names are followed as far as plain reading can follow them.
"""

import ast
from collections.abc import Collection, Iterator

from graders.probes.shared import NoSuchRoleError

DOORS = {"importlib", "__import__", "sys"}  # roads to the library's modules that need no import line of their own
GETTERS = {"getattr", "attrgetter", "methodcaller", "__getattribute__", "get"}


def library_uses(text: str, file: str, name: str, library: Collection[str]) -> int:
    """How often the class `name`, or what it builds on in the same text, names one of the library's things in `library`.

    Raises NotImplementedError for a class that is still a stub, NoSuchRoleError where there is none, SyntaxError for text that is not Python.
    """
    tree = ast.parse(text, file)
    modules, things = _imported(list(ast.walk(tree)), library)
    defined = _definitions(tree)
    if name not in defined and name not in things:
        raise NoSuchRoleError(f"{name} not found in {file}")
    if any(isinstance(line, ast.Raise) for line in _first_lines(defined.get(name, []))):
        raise NotImplementedError(f"{name} is not written yet.")
    if name not in defined:
        return 1
    return sum(_is_use(node, modules, things - defined.keys(), library) for node in _reached(name, defined))


def _imported(nodes: list[ast.AST], library: Collection[str]) -> tuple[set[str], set[str]]:
    """Names that stand for torch or one of its modules, and names that stand for one of the library's things."""
    modules, things = set(DOORS), set[str]()
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {alias.asname or "torch" for alias in node.names if alias.name.split(".")[0] == "torch"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            things |= {alias.asname or alias.name for alias in node.names if alias.name in library}
            modules |= {alias.asname or alias.name for alias in node.names}
            if any(alias.name == "*" for alias in node.names):
                things, modules = things | set(library), modules | {"nn", "functional"}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute | ast.Name) and _root(node.value) in modules:
            modules |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return modules, things


def _definitions(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """What each name is in this text: functions, classes, assignments, and assignments to its attributes. Left out: `if __name__ == ...`."""
    found: dict[str, list[ast.AST]] = {}
    for node in _outside_main(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if _root(target) not in ("", "self", "cls"):
                    found.setdefault(_root(target), []).append(node.value)
    return found


def _outside_main(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and "__name__" in {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}):
            yield node
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield from _outside_main(node)


def _first_lines(classes: list[ast.AST]) -> Iterator[ast.stmt]:
    """The lines of a class's methods that run whenever the method is called."""
    for node in classes:
        for method in node.body if isinstance(node, ast.ClassDef) else ():
            yield from method.body if isinstance(method, ast.FunctionDef) else ()


def _reached(name: str, defined: dict[str, list[ast.AST]]) -> list[ast.AST]:
    """All that a name is made of, and what is named in it, and so on. A name that is a local variable there leads nowhere."""
    reached: list[ast.AST] = []
    left, seen = [name], {name}
    while left:
        for definition in defined.get(left.pop(), []):
            inside = list(ast.walk(definition))
            reached += inside
            names = [node for node in inside if isinstance(node, ast.Name)]
            local = {node.id for node in names if isinstance(node.ctx, ast.Store)} | {node.arg for node in inside if isinstance(node, ast.arg)}
            new = {node.id for node in names} - local - seen
            left, seen = [*left, *new], seen | new
    return reached


def _is_use(node: ast.AST, modules: set[str], things: set[str], library: Collection[str]) -> bool:
    """True where this one node names a thing of the library: `nn.X`, an imported X, `getattr(nn, "X")`, `vars(nn)["X"]`, `class X(X)`."""
    if isinstance(node, ast.Attribute):
        return node.attr in library and _root(node) in modules
    if isinstance(node, ast.Name):
        return node.id in things
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else _root(node.func)
        return called in GETTERS and any(_text(argument) in library for argument in node.args)
    if isinstance(node, ast.Subscript):
        return _text(node.slice) in library
    return isinstance(node, ast.ClassDef) and any(isinstance(base, ast.Name) and base.id == node.name for base in node.bases)


def _root(node: ast.AST) -> str:
    """`torch` for torch.nn.functional.rms_norm, `vars` for vars(nn)["X"]; empty where no name stands first."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _text(node: ast.AST) -> str:
    """The text of a string constant, or of a sum of them."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left) + _text(node.right)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
