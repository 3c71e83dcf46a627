"""The same code after renaming and reformatting, without what the stub holds."""

import time

import pytest

from graders.engine.cohort.normal import units
from graders.engine.cohort.similar import alike
from graders.model import Part, Submission

STUB = '''
import torch
from torch import nn

class Norm(nn.Module):
    """Norm."""
    def __init__(self, width):
        """Keep the scale."""
        super().__init__()
        raise NotImplementedError("write this")
    def forward(self, x):
        raise NotImplementedError("write this")
'''
ANN = '''
import torch
from torch import nn
class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
    def forward(self, x):
        size = x.square().mean(-1, keepdim=True)  # of each vector
        return x / size.sqrt() * self.scale
'''
BOB = '''
import torch as t, torch.nn as N
class Norm(N.Module):
    """All my own."""
    def forward(self, vectors: t.Tensor) -> t.Tensor:
        """Divide."""
        mean_of_squares: t.Tensor = (vectors.square()
                                     .mean(-1, keepdim=True))
        pass
        return ((vectors / mean_of_squares.sqrt()) * self.weight)
    def __init__(self, d):
        super().__init__()
        self.weight = N.Parameter(t.ones(d))
'''


def groups(*texts, solution=""):
    submissions = [Submission("", {"norm": Part("norm", text)}) if text is not None else None for text in texts]
    return [(group.who, group.solution) for group in alike(submissions, {"norm": STUB}, {"norm": solution})]


def test_new_names_order_comments_and_line_breaks_change_nothing():
    assert groups(ANN, BOB) == [((0, 1), False)]


OTHERWISE = [("mean(-1", "mean(-2"), ("x / size", "x * size"), ("sqrt()", "rsqrt()"), ("ones(width)", "ones(width, 1)")]


@pytest.mark.parametrize(("this", "other"), OTHERWISE)
def test_another_number_operation_or_call_is_other_code(this, other):
    assert groups(ANN, ANN.replace(this, other)) == []


def test_swapped_roles_of_names_are_other_code():
    assert groups("def f(a, b):\n    return a - b\n", "def f(a, b):\n    return b - a\n") == []


def test_untouched_stubs_are_nobodys_code():
    assert groups(STUB, STUB, STUB + "# mine\n") == []


def test_only_what_was_written_counts():
    half = ANN.replace("self.scale = nn.Parameter(torch.ones(width))", 'raise NotImplementedError("write this")')
    assert groups(half, half.replace("size", "mean_square")) == [((0, 1), False)]


def test_code_that_is_the_solution_too_is_marked_as_such():
    assert groups(ANN, BOB, solution=ANN) == [((0, 1), True)]


def test_what_is_no_python_and_who_sent_nothing_is_in_no_group():
    assert groups("def f(:", "def f(:", None, None, "", "") == []


@pytest.mark.parametrize("text", ["(" * 5000, "-" * 60_000 + "1", "x = " + "1 + " * 30_000 + "1", "\x00", "x = '\ud800'", "y" * 200_000])
def test_a_text_made_to_harm_gives_nothing(text):
    assert not units(text) or len(units(text)) == 1


def test_a_text_of_very_many_statements_takes_time_in_proportion():
    def seconds(text):
        start = time.process_time()
        assert units(text)
        return time.process_time() - start

    assert seconds("x=1\n" * 20_000) < 40 * seconds("x=1\n" * 1_000) + 1
