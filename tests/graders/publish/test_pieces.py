import pytest

from graders.model import KitError
from graders.publish.pieces import Piece, cleared, headline, pieces, visible, with_blanks

SOLUTION = '''"""Exercise 7: add things.

More words.
"""

import torch

from tiny_lm.rope import apply_rope
from .other import Thing
from exercises.another import (
    One,
    Two,
)

SIZE = 3


class Adder:
    """Adds."""

    def forward(self, x):
        ### BEGIN SOLUTION
        return x + SIZE
        ### END SOLUTION


# How many?
### BEGIN SOLUTION
answer = 5
### END SOLUTION


def helper(x):
    return x


def branch(x):
    ### BEGIN SOLUTION
    return helper(-x)
    ### END SOLUTION
'''


def test_each_class_function_and_answer_has_a_piece_of_its_own():
    assert [piece.name for piece in pieces(SOLUTION, "adder")] == ["Adder", "answer", "branch"]


def test_a_piece_ends_with_the_last_marker_of_its_class():
    adder = pieces(SOLUTION, "adder")[0].text
    assert adder.startswith("import torch\n\nfrom tiny_lm.rope import apply_rope\n")
    assert adder.endswith("        return x + SIZE\n        ### END SOLUTION")


def test_imports_of_sibling_parts_and_the_docstring_go():
    adder = pieces(SOLUTION, "adder")[0].text
    assert not any(word in adder for word in ("Thing", "One", "Two", "Exercise 7"))


def test_what_stands_between_two_pieces_goes_with_the_later_one():
    _, answer, branch = pieces(SOLUTION, "adder")
    assert answer.text.startswith("# How many?")
    assert branch.text.startswith("def helper")


def test_pieces_together_run_like_the_file():
    names = {}
    exec("\n".join(piece.text for piece in pieces(SOLUTION.replace("from tiny_lm.rope import apply_rope\n", ""), "adder")), names)
    assert names["Adder"]().forward(1) == 4 and names["answer"] == 5 and names["branch"](2) == -2


def test_an_answer_has_a_line_to_fill_in_and_a_function_has_none():
    _, answer, branch = pieces(SOLUTION, "adder")
    assert with_blanks(answer, "adder") == "# How many?\nanswer = ...\n### BEGIN SOLUTION\nanswer = 5\n### END SOLUTION"
    assert with_blanks(branch, "adder") == branch.text


def test_a_student_receives_a_stub_in_a_function_and_the_blank_line_outside():
    adder, answer, _ = pieces(SOLUTION, "adder")
    assert cleared(with_blanks(answer, "adder")) == "# How many?\nanswer = ..."
    assert cleared(adder.text).endswith("    def forward(self, x):\n        # YOUR CODE HERE\n        raise NotImplementedError()")


def test_the_headline_is_the_first_line_of_the_docstring():
    assert headline(SOLUTION) == "Exercise 7: add things."
    assert not headline("x = 1")


def test_markers_that_do_not_pair_up_stop_with_a_sentence():
    with pytest.raises(KitError, match=r"solutions/adder\.py"):
        pieces("### BEGIN SOLUTION\nx = 1\n", "adder")


def test_names_read_through_the_part_are_read_directly_in_a_cell():
    text = 'import torch\n\nfrom exercises import adder\n\n\ndef test_é():\n    assert "é" and adder.answer == adder.branch(adder.other.answer)\n'
    assert visible(text) == 'import torch\n\n\ndef test_é():\n    assert "é" and answer == branch(other.answer)'


def test_other_imports_of_visible_tests_stay():
    text = '"""Tests."""\n\nimport torch\n\nfrom exercises.adder import Adder\nfrom tiny_lm.model import ModelConfig\n\n\ndef test_a():\n    Adder\n'
    assert visible(text) == "import torch\n\nfrom tiny_lm.model import ModelConfig\n\n\ndef test_a():\n    Adder"


def test_a_piece_is_a_name_and_a_text():
    assert pieces("### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n", "p") == (Piece("x", "### BEGIN SOLUTION\nx = 1\n### END SOLUTION"),)
