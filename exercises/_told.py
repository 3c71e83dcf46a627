"""What is said of visible tests: what a failed one got and expected and of all how many pass. Nothing to fill in here. Standard library only."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import sys
import textwrap
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
LONGEST = 160  # characters of a line of a failure
MOST_CALLS = 5  # the last calls of a failure; a call that calls itself makes hundreds
FEW, SHOWN = 12, 3  # numbers of a tensor that are all shown; places of a larger one
CLOSE = {"allclose": (1e-5, 1e-8), "assert_close": (1.3e-6, 1e-5), "equal": (0, 0)}  # rtol and atol where a test says none
TEST = re.compile(r"^def test_", re.MULTILINE)
BUILT_IN = re.compile(r"<built-in method (\w+) of \w+ object at 0x\w+>")
GRADIENT = re.compile(r",\s*(?:\\n\s*)?(?:grad_fn=<\w+>|requires_grad=True)")
BREAK = re.compile(r"\\n\s*")
NUMBERS = re.compile(r"tensor\((\[[^()]{60})[^()]*\)")
OBVIOUS = re.compile(r"E\s+(?:(?:AssertionError: )?assert False$|\+ {4,}|\+\s+\w+\s.* = \w+\(\)$)")  # and where the operands of operands are from


def told(report, excinfo):
    """Have a report say what was got and what was expected, in a few lines; what cannot be told so is only made shorter."""
    entries = report.reprtraceback.reprentries
    del entries[1:-MOST_CALLS]
    for entry in entries:
        entry.lines[:] = readable(entry.lines)
    calls = [call for call in excinfo.traceback if is_own(call.path)]
    if calls and Path(calls[-1].path).name.startswith("test_"):
        said = difference(str(calls[-1].statement), {**calls[-1].frame.f_globals, **calls[-1].frame.f_locals})
        if said:
            entries[-1].lines[:] = [*(line for line in entries[-1].lines if not line.startswith("E")), *(f"E   {shorter(line)}" for line in said)]


def difference(statement, names):
    """What a line of a test gets and what it expects, of the lines that compare; else nothing. It works the line out once more."""
    with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
        node = ast.parse(textwrap.dedent(statement)).body[0]
        about = f"{valued(node.msg, names)}: " if isinstance(node, ast.Assert) and node.msg else ""
        lines = claim(node.test if isinstance(node, ast.Assert) else node.value, names)
        return [about + lines[0], *lines[1:]] if lines else []
    return []


def claim(node, names):
    """The same for one claim; of several joined by `and` for the first that does not hold."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return claim(next(one for one in node.values if not holds(one, names)), names)
    if isinstance(node, ast.Compare) and not holds(node, names):
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
            return unequal(valued(node.left, names), valued(node.comparators[0], names))
        open_to = [one for one in (node.left, *node.comparators) if not isinstance(one, ast.Constant | ast.Tuple)]
        got = ", ".join(f"{ast.unparse(one)} = {inline(valued(one, names))}" for one in open_to if "=" not in ast.unparse(one))
        return [f"got {got}", f"expected {ast.unparse(node)}"]
    if not isinstance(node, ast.Call) or len(node.args) != 2:
        return []
    one, other = (valued(argument, names) for argument in node.args)
    called = ast.unparse(node.func).split(".")[-1]
    if called == "isinstance" and not isinstance(one, other):
        return [f"got {inline(one)}, a {type(one).__name__}", f"expected a {other.__name__}"]
    if called in CLOSE:
        within = dict(zip(("rtol", "atol"), CLOSE[called], strict=True)) | {word.arg: valued(word.value, names) for word in node.keywords}
        return unequal(one, other, within)
    return []


def holds(node, names):
    """Whether a claim is true; one that cannot be asked, such as whether a text is below 40, is not."""
    try:
        return valued(node, names)
    except TypeError:
        return False


def valued(node, names):
    """What an expression of a test stands for."""
    return eval(compile(ast.Expression(node), "a visible test", "eval"), names)  # noqa: S307 - a line that the test has just run


def unequal(one, other, within=None):
    """Lines about two values that should be the same: of dicts and lists about the first entry that is not."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return next([f"{key}: {line}" for line in unequal(one[key], other[key], within)] for key in one if one[key] != other[key])
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = (unequal(*pair, within) for pair in zip(one, other, strict=True))
        return next(([f"[{index}]: {line}" for line in lines] for index, lines in enumerate(pairs) if lines), [])
    shapes = [tuple(value.shape) if hasattr(value, "detach") else None for value in (one, other)]
    if shapes[0] != shapes[1]:
        return [f"got {kind(one)}", f"expected {kind(other)}"]
    if shapes[0] is None:
        return [f"got {inline(one)}", f"expected {inline(other)}"]
    return apart(one.detach(), other.detach(), within or {}, shapes[0])


def apart(one, other, within, shape):
    """Lines about two tensors of one shape: all their numbers where there are few, else how many differ and the first that do."""
    wrong = ~one.isclose(other.to(one.dtype), equal_nan=True, **within)
    count, size = int(wrong.sum()), one.numel()
    if not count:
        return []
    if size <= FEW:
        return [f"got {inline(one)}", f"expected {inline(other)}"]
    places = wrong.nonzero()[:SHOWN].tolist()
    rows = [f"at {place}: got {inline(one[tuple(place)])}, expected {inline(other[tuple(place)])}" for place in places]
    return [f"{count} of {size} numbers differ, in the shape {shape}", *rows]


def kind(value):
    """A tensor by its shape, anything else as it is."""
    return f"a tensor of shape {tuple(value.shape)}" if hasattr(value, "detach") else inline(value)


def inline(value):
    """A value in a few words: no device, no gradient, no address; a tensor of many numbers by its shape."""
    if not hasattr(value, "detach"):
        return re.sub(r" at 0x\w+|torch\.Size\((\[.*?\])\)", lambda found: f"({found[1][1:-1]})" if found[1] else "", repr(value))
    if not value.shape:
        return f"{value.item():.5g}"
    if value.numel() > FEW:
        return kind(value)
    nested = re.sub(r"\s+", " ", re.sub(r"-?[\d.]+(e[-+]?\d+)?|nan|inf", lambda found: f"{float(found[0]):.5g}", str(value.detach().tolist())))
    return f"{nested}, shape {tuple(value.shape)}"


def readable(lines):
    """The lines of a failure without what only pytest's and torch's authors read: addresses, where functions live, long lists of numbers."""
    plain = [shorter(line) for line in lines]
    kept = [line for line in plain if not OBVIOUS.match(line)]
    return kept[:-1] if kept and kept[-1].strip() == "E" else kept


def shorter(line):
    """One line, the same in fewer characters."""
    for pattern, words in ((BUILT_IN, r"\1"), (GRADIENT, ""), (BREAK, " "), (NUMBERS, r"tensor(\1 ...)")):
        line = pattern.sub(words, line)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."


def closing(passed, total, stuck, opens):
    """The last sentence. `stuck`: the test files that could not start; `opens`: the file that needs work first."""
    total += sum(len(TEST.findall((HERE / name).read_text(encoding="utf-8", errors="replace"))) for name in stuck if (HERE / name).exists())
    unread = f" and {len(stuck)} test file{'s' * (len(stuck) > 1)} could not start" if stuck else ""
    todo = f"open {short(opens)} next" if (HERE / Path(opens).name).exists() else f"get {short(opens)} back first"
    return f"{passed} of {total} visible tests pass{unread}; {todo}."


def missing(file):
    """What to do where an exercise's file is gone."""
    return f"{short(file)} is not there. Copy it again from what you were given (in git: git checkout -- {short(file)})."


def place(error):
    """Two lines: file, line and message; then the line itself."""
    if isinstance(error, SyntaxError):
        return f"{short(error.filename)}, line {error.lineno}: {error.msg}\n    {(error.text or '').strip()}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own(frame.filename)]
    where = f"{short(frames[-1].filename)}, line {frames[-1].lineno}: " if frames else ""
    message = re.sub(r" \([^()]*\)$", "", str(error)) if isinstance(error, ImportError) else error  # the place is said already
    return f"{where}{type(error).__name__}: {message}\n    {frames[-1].line if frames else ''}"


def is_own(file):
    """True for a file of this folder."""
    return Path(file or "").resolve().parent == HERE


def is_part(file):
    """Whether a file is one of the exercises, there or not."""
    return (HERE / f"test_{file.name}").exists()


def short(file):
    """A file of this folder as a student types it."""
    return f"{HERE.name}/{Path(file).name}"


def lacking(name):
    """What to type where a library is not there: in an environment of its own, for many a system's Python lets nothing be installed into it."""
    windows = sys.platform == "win32"
    make = [] if (HERE.parent / ".venv").exists() else ["py -m venv .venv" if windows else "python3 -m venv .venv"]
    enter = ".venv\\Scripts\\activate" if windows else ". .venv/bin/activate"
    lines = (*make, enter, "python -m pip install -r requirements.txt")
    return f"{name} is not installed for this Python. In the folder that holds {HERE.name}/, type:\n" + "\n".join(f"    {line}" for line in lines)
