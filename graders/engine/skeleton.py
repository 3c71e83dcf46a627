"""The skeleton of a new exercise: five files of content, each saying what to write in it. `check` says what is still missing."""

from __future__ import annotations

import keyword
from pathlib import Path

from graders.engine.kit import MISCONCEPTIONS, PROBES
from graders.model import KitError

SOLUTION = '''"""Write here, in one line, what the exercise is about."""


def {name}(x):
    """Say what comes in and what comes out: students read this."""
    ### BEGIN SOLUTION
    raise NotImplementedError("write solutions/{name}.py")
    ### END SOLUTION
'''
VISIBLE = '''"""What students can see being tested."""

import torch

from exercises.{name} import {name}


def test_a_first_example():
    """Choose one whose numbers can be worked out by hand."""
    torch.testing.assert_close({name}(torch.zeros(2)), torch.zeros(2))
'''
PROBE = '''"""What is tried on {name}. A probe gives numbers and never judges: the solution says what is right."""


def value(parts, draw):
    """Compute it for two drawn vectors"""
    return {{"y": parts.{name}.{name}(draw(2, 4))}}
'''
MISTAKES = """# Known mistakes in {name}. Each is an edit of solutions/{name}.py; the hint says what the numbers show and where to look.
#
# [wrong_sign]
# swap = "a line of the solution"
# with = "the same line with the mistake"
# hint = "One or two sentences, no code."
"""
TABLE = """
[{name}]
rtol = 1e-4  # above the spread of right ways of computing, below the nearest mistake: measure both
atol = 1e-5
[{name}.points]
value = 1
"""


def write_skeleton(root: Path, name: str) -> tuple[Path, ...]:
    """Write the files of a new part and add its table to grading.toml; all paths. Raises KitError where the name is taken or is none."""
    if not name.isidentifier() or keyword.iskeyword(name) or name != name.lower():
        raise KitError(f"{name!r} is no name for a part; use small letters, digits and underscores, for files and imports bear it")
    files = {
        root / "solutions" / f"{name}.py": SOLUTION,
        root / "exercises" / f"test_{name}.py": VISIBLE,
        root / PROBES / f"{name}.py": PROBE,
        root / MISCONCEPTIONS / f"{name}.toml": MISTAKES,
    }
    table = root / "grading.toml"
    taken = [path for path in files if path.exists()]
    if taken or f"\n[{name}]" in table.read_text(encoding="utf-8"):
        raise KitError(f"{taken[0] if taken else table}: {name} is there already; choose another name or go on with what is there")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(name=name), encoding="utf-8", newline="\n")
    with table.open("a", encoding="utf-8") as end:
        end.write(TABLE.format(name=name))
    return (*files, table)
