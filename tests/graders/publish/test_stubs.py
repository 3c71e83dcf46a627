"""From a solution's text to what a student opens."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graders.engine.kit import read_reference
from graders.model import KitError
from graders.publish.stubs import cut, write_stubs

ROOT = Path(__file__).parents[3]
SOLUTION = '''"""Exercise 1: an invented one."""

import math

import torch

### BEGIN SOLUTION
first = 1
second = math.tau
### END SOLUTION


class Shape:
    """Keeps this sentence."""

    def area(self, side):  # and this comment
        """And this one."""
        ### BEGIN SOLUTION
        for _ in range(2):
            side = side * 1
        return torch.square(side)
        ### END SOLUTION


def ends(x):
    ### BEGIN SOLUTION
    def helper():
        return x

    return helper()
    ### END SOLUTION
'''
STUB = '''"""Exercise 1: an invented one."""

import math

import torch

first = ...
second = ...


class Shape:
    """Keeps this sentence."""

    def area(self, side):  # and this comment
        """And this one."""
        raise NotImplementedError("Open exercises/shape.py and write Shape.area.")


def ends(x):
    raise NotImplementedError("Open exercises/shape.py and write ends.")
'''


@pytest.mark.parametrize("part", sorted(read_reference(ROOT).parts))
def test_the_committed_stub_is_what_cutting_the_solution_gives(part):
    """If this fails, run `python -m graders stubs`, and look at what changed before you commit it."""
    solution = read_reference(ROOT).parts[part].text
    assert (ROOT / "exercises" / f"{part}.py").read_text(encoding="utf-8") == cut(solution, part)


def test_a_region_becomes_one_sentence_or_one_blank_a_name_and_the_rest_stays():
    assert cut(SOLUTION, "shape") == STUB


def test_no_line_of_an_answer_survives():
    for part in read_reference(ROOT).parts.values():
        stub = cut(part.text, part.name).splitlines()
        secret = part.text.split("### BEGIN SOLUTION")[1:]
        for line in "".join(region.split("### END SOLUTION")[0] for region in secret).splitlines():
            assert not line.strip() or line not in stub


def test_regions_in_one_class_each_name_their_own_method():
    raised = [node for node in ast.walk(ast.parse(cut(read_reference(ROOT).parts["rmsnorm"].text, "rmsnorm"))) if isinstance(node, ast.Raise)]
    assert [ast.unparse(node).split(" write ")[1] for node in raised] == ["RMSNorm.__init__.')", "RMSNorm.forward.')"]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("x = 1\n### BEGIN SOLUTION\ny = 1\n", 2, "never ends"),
        ("x = 1\n### END SOLUTION\n", 2, "never began"),
        ("### BEGIN SOLUTION\ny = 1\n### BEGIN SOLUTION\nz = 1\n### END SOLUTION\n### END SOLUTION\n", 3, "inside the one of line 1"),
        ("### BEGIN SOLUTION\n# nothing\n### END SOLUTION\n", 1, "empty"),
        ("### BEGIN SOLUTION\nimport os\n### END SOLUTION\n", 2, "name = value"),
        ("### BEGIN SOLUTION\na = b = 1\n### END SOLUTION\n", 2, "name = value"),
        ("### BEGIN SOLUTION\ndef f():\n    return 1\n### END SOLUTION\n", 2, "name = value"),
        ("##  BEGIN SOLUTION\nx = 1\n### END SOLUTION\n", 1, "nearly a marker"),
        ("### BEGIN SOLUTION\nx = 1\n### end solution\n", 3, "nearly a marker"),
        ("### BEGIN SOLUTION\nx = = 1\n### END SOLUTION\n", 2, "must both be Python"),
        ("def f(a):\n    ### BEGIN SOLUTION\n    if a:\n        a = 1\n    ### END SOLUTION\n    else:\n        a = 2\n", 5, "middle of a statement"),
    ],
)
def test_an_authors_slip_stops_with_file_and_line(text, line, reason):
    with pytest.raises(KitError, match=reason) as raised:
        cut(text, "slip")
    assert str(raised.value).startswith(f"solutions/slip.py:{line}: ")


def test_a_region_that_takes_half_a_block_with_it_is_named_by_the_stub_it_would_give():
    with pytest.raises(KitError, match=r"exercises/slip\.py:\d: .*must both be Python"):
        cut("try:\n    ### BEGIN SOLUTION\n    a = 1\nexcept OSError:\n    a = 2\n    ### END SOLUTION\n", "slip")


def test_a_solution_without_a_region_is_never_handed_out():
    with pytest.raises(KitError, match=r"solutions/open\.py: no region is marked"):
        cut("answer = 42\n", "open")


def test_writing_gives_the_same_bytes_for_any_checkout(tmp_path):
    """A checkout with Windows line ends gives the same stub."""
    for folder in ("solutions", "exercises"):
        (tmp_path / folder).mkdir()
    (tmp_path / "solutions" / "shape.py").write_bytes(SOLUTION.replace("\n", "\r\n").encode())
    assert write_stubs(tmp_path) == (tmp_path / "exercises" / "shape.py",)
    assert (tmp_path / "exercises" / "shape.py").read_bytes() == STUB.encode()


def test_nothing_is_written_where_one_solution_cannot_be_cut(tmp_path):
    (tmp_path / "solutions").mkdir()
    (tmp_path / "exercises").mkdir()
    (tmp_path / "solutions" / "good.py").write_text(SOLUTION, encoding="utf-8")
    (tmp_path / "solutions" / "worse.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(KitError):
        write_stubs(tmp_path)
    assert not list((tmp_path / "exercises").iterdir())


def test_the_command_writes_stubs_and_tells_an_author_what_to_mend(tmp_path):
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    command = [sys.executable, "-m", "graders", "stubs", "--kit", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "rmsnorm.py" in done.stdout
    (tmp_path / "solutions" / "rmsnorm.py").write_text("### BEGIN SOLUTION\n", encoding="utf-8")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "solutions/rmsnorm.py:1: a region begins and never ends; write '### END SOLUTION' below it\n"
