"""How an exception becomes one line of plain text, with the part and the line where it happened."""

import pytest

from graders.worker.faults import describe


def raised(text, part="adder"):
    try:
        exec(compile(text, f"exercises/{part}.py", "exec"), {})
    except BaseException as error:
        return describe(error)
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("text", "outcome", "sentence", "line"),
    [
        ("raise NotImplementedError('fill in')", "unfinished", "fill in", 1),
        ("\n\n1 / 0", "crashed", "ZeroDivisionError: division by zero", 3),
        ("{}['key']", "crashed", "KeyError: 'key'", 1),
        ("import nothing_like_it", "crashed", "ModuleNotFoundError: No module named 'nothing_like_it'", 1),
        ("def f():\n    raise ValueError('a\\n  b')\nf()", "crashed", "ValueError: a b", 2),
        ("raise SystemExit(3)", "crashed", "SystemExit: 3", 1),
        ("raise ValueError", "crashed", "ValueError", 1),
        ("open('/no/such/file')", "crashed", "FileNotFoundError: No such file or directory", 1),
        ("x = 10 ** 5000\nraise ValueError(x)", "crashed", "ValueError", 2),
    ],
)
def test_it_tells_what_and_where(text, outcome, sentence, line):
    assert raised(text) == {"outcome": outcome, "text": sentence, "part": "adder", "line": line}


def test_a_syntax_error_is_told_with_its_line():
    try:
        compile("x = 1\nif x\n", "exercises/mixer.py", "exec")
    except SyntaxError as error:
        said = describe(error)
    assert said == {"outcome": "crashed", "text": "SyntaxError: expected ':'", "part": "mixer", "line": 2}


def test_the_deepest_line_of_the_students_own_counts_not_the_librarys():
    said = raised("import json\n\njson.loads('{')")
    assert (said["part"], said["line"]) == ("adder", 3)


def test_a_text_is_cut():
    assert len(raised("raise ValueError('x' * 10_000)")["text"]) <= 320


@pytest.mark.parametrize("claim", ["void", "missing"])
@pytest.mark.parametrize("base", ["Exception", "AbsentError"])
def test_an_outcome_that_a_students_class_claims_is_not_believed(claim, base):
    said = raised(f"from graders.worker.load import AbsentError\nclass E({base}):\n    outcome = {claim!r}\nraise E('gone')")
    assert said == {"outcome": "crashed", "text": "E: gone", "part": "adder", "line": 4}


def test_what_the_kits_own_exceptions_say_is_missing_is_missing():
    assert raised("from graders.worker.load import AbsentError\nraise AbsentError('gone')")["outcome"] == "missing"
