"""Mutants are small, different from each other, and Python."""

import ast

import pytest

from graders.engine.audit import diff
from graders.engine.mutate import apply, mutants
from graders.engine.operators import changes

TEXT = '''"""A part."""
import torch


def scaled(x, y, by=2.0):
    """Scale."""
    a, b = x.mean(dim=-1), y * by
    return torch.sqrt(a + b, out=None)
'''


@pytest.mark.parametrize(
    ("operator", "line"),
    [
        ("operator", "return torch.sqrt((a) - (b), out=None)"),
        ("constant", "def scaled(x, y, by=4.0):"),
        ("constant", "a, b = x.mean(dim=0), y * by"),
        ("argument", "a, b = x.mean(), y * by"),
        ("call", "a, b = x, y * by"),
        ("call", "a, b = x.sum(dim=-1), y * by"),
        ("call", "return torch.rsqrt(a + b, out=None)"),
        ("gradient", "return torch.sqrt((a + b).detach(), out=None)"),
        ("gradient", "return __import__('torch').no_grad()(lambda: torch.sqrt(a + b, out=None))()"),
        ("name", "a, b = x.mean(dim=-1), x * by"),
        ("insert", "return (-(torch.sqrt(a + b, out=None)))"),
        ("statement", "b, a = x.mean(dim=-1), y * by"),
    ],
)
def test_each_operator_makes_its_change(operator, line):
    found = {(change.operator, diff(TEXT, str(apply(TEXT, (change,)))).rpartition("\n")[2][1:].strip()) for change in changes(TEXT)}
    assert (operator, line) in found


def test_every_mutant_is_python_and_none_is_the_same_as_another_or_the_solution():
    texts = [mutant.text for mutant in mutants(TEXT, 400)]
    assert len(texts) == 400
    assert len({ast.dump(ast.parse(text)) for text in [TEXT, *texts][:150]}) == 150


def test_pairs_of_changes_fill_up_what_single_ones_cannot_give():
    single = [mutant for mutant in mutants(TEXT, 400) if len(mutant.operators) == 1]
    assert {len(mutant.operators) for mutant in mutants(TEXT, 400)} == {1, 2}
    assert all(len(mutant.operators) == 1 for mutant in mutants(TEXT, len(single)))


def test_docstrings_and_imports_stay_as_they_are():
    for mutant in mutants(TEXT, 300):
        assert '"""Scale."""' in mutant.text and "import torch\n" in mutant.text


def test_characters_of_several_bytes_do_not_move_a_change():
    text = "def f(x):\n    return 'é' + x\n"
    assert "def f(x):\n    return x\n" in [mutant.text for mutant in mutants(text, 50)]


def test_the_same_seed_draws_the_same_mutants():
    assert mutants(TEXT, 20, 1) == mutants(TEXT, 20, 1) != mutants(TEXT, 20, 2)
