"""Who may import whom: the wall is real only while these hold."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOUSE = {"tiny_lm", "solutions", "exercises", "lessons", "graders"}
STDLIB = set(sys.stdlib_module_names)

SHARED = ("shared", "roles", "projections", "blocks", "spare", "sources", "calls", "stacks")  # what probe writers share

# folder -> what it may import from the house, and from outside (None: anything)
RULES = {
    "tiny_lm": ({"tiny_lm"}, {"torch"}),
    "solutions": ({"tiny_lm", "solutions"}, {"torch"}),
    "exercises": ({"tiny_lm", "exercises"}, {"torch", "pytest", "watchfiles"}),
    "lessons": ({"tiny_lm", "exercises", "lessons"}, {"torch", "numpy", "matplotlib", "sklearn", "rich", "IPython"}),
    "graders/probes": ({"tiny_lm", *(f"graders.probes.{name}" for name in SHARED)}, {"torch"}),
    "graders/worker": ({"graders.wire", "graders.model", "graders.worker"}, {"torch", "numpy", "pyseccomp"}),
    "graders/engine": ({"graders", "graders.model", "graders.wire", "graders.engine"}, {"numpy", "msgspec", "distributed"}),
    "graders/publish": ({"graders.model", "graders.engine", "graders.publish"}, {"nbformat", "jupytext"}),
}


def imports(file):
    """Every module that a file imports anywhere in it, relative ones spelled out."""
    package = ".".join(file.relative_to(ROOT).with_suffix("").parts[:-1])
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "graders":
            yield from (f"graders.{alias.name}" if alias.name in ("wire", "model") else "graders" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield f"{package}.{node.module or ''}".rstrip(".") if node.level else str(node.module)


def inside(module, allowed):
    return any(module == name or module.startswith(name + ".") for name in allowed)


@pytest.mark.parametrize("folder", RULES)
def test_a_folder_imports_only_what_it_may(folder):
    house, outside = RULES[folder]
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    for file in files:
        for module in imports(file):
            top = module.split(".")[0]
            if top in HOUSE:
                assert module in house or inside(module, house - {"graders"}), f"{file.relative_to(ROOT)} imports {module}"
            elif top not in STDLIB and top != "__future__":
                assert top in outside, f"{file.relative_to(ROOT)} imports {module}"


def test_nothing_imports_the_worker_but_the_worker():
    for file in sorted((ROOT / "graders").rglob("*.py")):
        if "worker" not in file.parts:
            assert not [module for module in imports(file) if module.startswith("graders.worker")], file


def test_no_face_imports_another_face():
    shared = ("text", "options", "__init__", "__pycache__")
    faces = {f"graders.faces.{file.stem}" for file in (ROOT / "graders/faces").glob("*") if file.stem not in shared}
    for file in sorted((ROOT / "graders/faces").rglob("*.py")):
        own = f"graders.faces.{file.relative_to(ROOT / 'graders/faces').parts[0].removesuffix('.py')}"
        others = {module for module in imports(file) for face in faces - {own} if inside(module, {face})}
        command = file.stem in ("cli", "grading") or file.stem.startswith("commands_")  # the command line's own files hand reports to all of them
        assert command or not others, file


def test_the_gate_and_the_types_need_only_numpy():
    for name in ("wire", "model"):
        tops = {module.split(".")[0] for module in imports(ROOT / f"graders/{name}.py")}
        assert tops - STDLIB - {"__future__"} <= {"numpy", "graders"}


def test_no_machine_file_names_an_exercise():
    names = [file.stem for file in (ROOT / "solutions").glob("*.py") if file.stem != "__init__"]
    classes = ["RMSNorm", "CausalSelfAttention", "TransformerBlock"]
    for folder in ("worker", "engine", "faces", "publish"):
        for file in sorted((ROOT / "graders" / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant):  # a variable may be called `block`; a text that says so is a name
                    assert node.value not in names + classes, f"{file.relative_to(ROOT)} names {node.value}"


def test_files_and_functions_keep_to_the_house_sizes():
    lengths = []
    for folder in ("graders", "tiny_lm", "solutions", "lessons"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            assert text.count("\n") <= 200, f"{file.relative_to(ROOT)} is over 200 lines"
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    size = node.end_lineno - node.lineno + 1
                    assert size <= 40, f"{file.relative_to(ROOT)}:{node.lineno} {node.name} has {size} lines"
                    lengths.append(size)
    lengths.sort()
    assert lengths[len(lengths) // 2] <= 8
    assert lengths[int(len(lengths) * 0.9)] <= 25
