"""What probe writers share about sources: whether a class does its own work or hands it to the library.

In: the text of one part. Out: a count. Nothing is run; names are followed as far as plain reading can follow them. What a name is
only when the code runs, calls.py sees.
"""

import ast
from collections.abc import Collection, Iterator

from graders.probes.shared import NoSuchRoleError

DOORS = {"importlib", "__import__", "sys"}  # roads to the library's modules that need no import line of their own
OPENERS = {"getattr", "vars", "import_module", "__import__"}  # functions that give a module, or what is in one
BY_NAME = {"get", "pop", "__getitem__", "__getattribute__", "__getattr__"}  # methods that give what is in one
TAKERS = {"attrgetter", "methodcaller", "itemgetter"}  # functions that make such a function


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
    reached = _reached(name, defined)
    return sum(_is_use(node, modules, things - defined.keys(), library) or _is_heir_of_its_name(node, things) for node in reached)


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
    for target, value in (pair for node in nodes for pair in _bound(node)):
        opened = not isinstance(value, ast.Call) or _called(value) in OPENERS
        if isinstance(target, ast.Name) and opened and _root(value) in modules:
            modules.add(target.id)
    return modules, things


def _definitions(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """What each name is in this text: functions, classes, whatever is bound to it or to its attributes. Left out: what runs as a program only."""
    found: dict[str, list[ast.AST]] = {}
    for node in _outside_main(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.setdefault(node.name, []).append(node)
        for target, value in _bound(node):
            if (root := _root(target)) not in ("", "self", "cls"):
                found.setdefault(root, []).append(value)
    return found


def _bound(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What this one node binds, each with what it becomes: by `=`, `:=`, `for` or `with`; a loop's name becomes each of the things."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value:
        yield node.target, node.value
    elif isinstance(node, ast.For | ast.comprehension):
        yield from _pairs(node.target, node.iter)
    elif isinstance(node, ast.withitem) and node.optional_vars:
        yield from _pairs(node.optional_vars, node.context_expr)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Name by name where both sides are lists of one length; else each name may be all of the value."""
    if not isinstance(target, ast.Tuple | ast.List):
        yield (target.value if isinstance(target, ast.Starred) else target), value
        return
    values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    if len(values) != len(target.elts) or any(isinstance(part, ast.Starred) for part in (*target.elts, *values)):
        values = [value] * len(target.elts)
    for one, its in zip(target.elts, values, strict=True):
        yield from _pairs(one, its)


def _outside_main(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes outside functions and classes that run when the text is imported."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if isinstance(node, ast.If) and _is_main(node.test):
            for line in node.orelse:
                yield from (line, *_outside_main(line))
        elif not isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from _outside_main(node)


def _is_main(test: ast.expr) -> bool:
    """True for `__name__ == "__main__"`."""
    equal = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
    return equal and _text(test) == "__main__" and "__name__" in {part.id for part in ast.walk(test) if isinstance(part, ast.Name)}


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
    """True where this one node names a thing of the library: `nn.X`, an imported X, `getattr(nn, "X")`, `vars(nn)["X"]`."""
    if isinstance(node, ast.Attribute):
        return node.attr in library and _root(node) in modules
    if isinstance(node, ast.Name):
        return node.id in things
    if isinstance(node, ast.Call):
        return any(_text(key) in library and _root(owner) in modules for owner, key in _looked_up(node))
    return isinstance(node, ast.Subscript) and _text(node.slice) in library and _root(node.value) in modules


def _is_heir_of_its_name(node: ast.AST, things: set[str]) -> bool:
    """True for `class X(X)` where X is imported from the library, as `X` alone it would be taken for the class of this text."""
    return isinstance(node, ast.ClassDef) and node.name in things and any(isinstance(base, ast.Name) and base.id == node.name for base in node.bases)


def _looked_up(call: ast.Call) -> Iterator[tuple[ast.expr, ast.expr]]:
    """In what a call looks a name up, and the name: getattr(nn, "X"), vars(nn).get("X"), attrgetter("X")(nn)."""
    if _called(call) == "getattr" and len(call.args) > 1:
        yield call.args[0], call.args[1]
    elif _called(call) in BY_NAME and isinstance(call.func, ast.Attribute):
        yield from ((call.func.value, key) for key in call.args)
        yield from ((call.args[0], key) for key in call.args[1:])  # object.__getattribute__(nn, "X")
    elif isinstance(call.func, ast.Call) and _called(call.func) in TAKERS:
        yield from ((owner, key) for owner in call.args for key in call.func.args)


def _called(call: ast.Call) -> str:
    """The last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""


def _root(node: ast.AST) -> str:
    """`torch` for torch.nn.functional.rms_norm, `nn` for vars(nn)["X"] and getattr(nn, "X"); empty where no name stands first."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Call):
            node = node.args[0] if isinstance(node.func, ast.Name) and node.func.id in ("vars", "getattr") and node.args else node.func
        else:
            node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _text(node: ast.AST) -> str:
    """All text in an expression, from left to right: RMSNorm for "RMS" + "Norm", f"RMS{'Norm'}" and "".join(["RMS", "Norm"])."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(map(_text, ast.iter_child_nodes(node)))
