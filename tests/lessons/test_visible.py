"""What a cell of visible tests shows in a notebook: cells are run as a kernel runs them, each under a name of its own."""

import importlib.util
import linecache
import sys

import pytest

from lessons.visible import NotYet, Result, Results, check

CLASS = '''
class Twice:
    """Doubles.

    Source: lesson 3, section 2.
    """

    def forward(self, x):
        {}
'''
TESTS = """
def test_four_gives_eight():
    y = Twice().forward(4)
    assert y == 8


def test_the_answer_is_a_number():
    assert answer > 1
"""


@pytest.fixture
def cell(capsys, monkeypatch):
    """Run a cell as a front end without HTML does; what it shows, and its error if it ends with one."""
    namespace = {"check": check}
    monkeypatch.setitem(sys.modules, "IPython.display", None)  # so that `from IPython.display import` fails as without IPython

    def run(source, call=True):
        name = f"<cell {len(linecache.cache)} of {id(namespace)}>"
        text = source + ("\ncheck(globals())\n" if call else "")
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        try:
            exec(compile(text, name, "exec"), namespace)
        except NotYet as error:
            return capsys.readouterr().out, error
        return capsys.readouterr().out, None

    return run


def test_right_work_passes_and_is_told_that_hidden_checks_remain(cell):
    cell(CLASS.format("return 2 * x") + "answer = 2", call=False)
    shown, error = cell(TESTS)
    assert error is None
    assert shown.startswith("All visible tests of this cell pass; hidden checks remain.")
    assert "passed           four gives eight" in shown


def test_a_wrong_value_is_shown_with_its_line_its_numbers_and_where_to_read(cell):
    cell(CLASS.format("return 3 * x") + "answer = 2", call=False)
    shown, error = cell(TESTS)
    lines = [line.strip() for line in shown.splitlines()]
    at = lines.index("differs          four gives eight")
    assert lines[at + 1 : at + 4] == ["assert y == 8", "y = 12", "Read again: lesson 3, section 2."]
    assert str(error).splitlines()[:3] == ["1 of 2 visible tests pass.", "differs: four gives eight", "assert y == 8"]


def test_the_error_is_a_few_lines_without_a_list_of_calls(cell):
    cell(CLASS.format("return 3 * x") + "answer = 2", call=False)
    _, error = cell(TESTS)
    assert error._render_traceback_() == str(error).splitlines()


def test_untouched_work_is_not_written_yet(cell):
    cell(CLASS.format("raise NotImplementedError()") + "answer = ...", call=False)
    shown, error = cell(TESTS)
    assert "Write Twice.forward in the cell above" in shown
    assert "Write answer in the cell above" in shown
    assert str(error).startswith("0 of 2 visible tests pass.")


def test_a_cell_above_that_did_not_run_is_named(cell):
    shown, _ = cell(TESTS)
    assert "Twice is not there yet: run the cell above." in shown
    assert "answer is not there yet: run the cell above." in shown


def test_an_error_in_the_students_code_is_shown_with_its_line(cell):
    cell(CLASS.format("return x.nothing") + "answer = 2", call=False)
    shown, _ = cell(TESTS)
    assert "AttributeError: 'int' object has no attribute 'nothing'" in shown
    assert "in Twice.forward: return x.nothing" in shown


def test_a_name_error_inside_the_students_code_is_an_error_of_it(cell):
    cell(CLASS.format("return torchh.x") + "answer = 2", call=False)
    shown, _ = cell(TESTS)
    assert "error            four gives eight" in shown and "torchh" in shown


def test_tests_of_other_cells_are_not_run_again(cell):
    cell("answer = 2", call=False)
    cell("def test_of_another_cell():\n    assert False\n", call=False)
    shown, _ = cell("def test_the_answer():\n    assert answer\n")
    assert "another" not in shown and "the answer" in shown


def test_a_message_of_torch_is_shown_instead_of_values(cell):
    cell("def test_close():\n    y = 1\n    raise AssertionError('Tensor-likes are not close!\\n\\nMismatched elements: 3 / 6')\n")
    shown, _ = cell("def test_close():\n    y = 1\n    raise AssertionError('Tensor-likes are not close!\\n\\nMismatched elements: 3 / 6')\n")
    assert "Tensor-likes are not close!" in shown and "Mismatched elements: 3 / 6" in shown and "y = 1" not in shown


def test_what_is_long_is_cut(cell):
    shown, _ = cell("def test_long():\n    y = 'x' * 10_000\n    assert y == 1\n")
    assert max(map(len, shown.splitlines())) < 400


def test_the_table_escapes_what_students_wrote():
    page = Results((Result("a < b", "error", ("<script>alert(1)</script>",)),))._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page and "a &lt; b" in page


def test_the_table_says_every_result_in_words():
    page = Results((Result("one", "passed"), Result("two", "not written yet")))._repr_html_()
    assert "1 of 2 visible tests pass." in page and ">passed<" in page and ">not written yet<" in page


@pytest.mark.skipif(importlib.util.find_spec("IPython") is None, reason="IPython is not installed")
def test_in_a_notebook_text_and_table_go_out_together():
    from IPython.core.formatters import DisplayFormatter

    data, _ = DisplayFormatter(active_types=["text/plain", "text/html"]).format(Results((Result("one", "passed"),)))
    assert set(data) == {"text/plain", "text/html"} and "passed" in data["text/plain"]
