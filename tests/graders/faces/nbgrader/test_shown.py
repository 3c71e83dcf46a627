"""The words and the number of one grade cell."""

import re
from dataclasses import replace

import pytest

from graders.faces.nbgrader.desk import Sheet, in_cells
from graders.faces.nbgrader.shown import cell
from graders.model import Hint, Outcome, Part
from tests.graders.faces.reports import hostile, report, verdict


def sheet(*verdicts, **more):
    return Sheet(report(*verdicts, **more))


def test_points_and_what_needs_work_come_first():
    right, wrong = verdict("adder.sum"), verdict("adder.order", Outcome.FAILED, message="y: 1 of 2 numbers are wrong.")
    shown = cell("adder-checks", right.check.points + wrong.check.points, sheet(right, wrong))
    assert shown.points == right.check.points and not shown.needs_human
    lines = shown.text.splitlines()
    assert "1 of 2 checks passed" in lines[0]
    assert shown.text.index("failed") < shown.text.index("passed  ")
    assert "y: 1 of 2 numbers are wrong." in shown.text and "y: 1 of 2 numbers are wrong." in shown.html


def test_checks_of_other_groups_stay_out():
    shown = cell("adder-checks", 1, sheet(verdict("adder.sum"), verdict("mixer.blend", Outcome.FAILED, message="elsewhere")))
    assert "elsewhere" not in shown.text


def test_a_message_and_a_hint_are_told_once_in_a_cell():
    hint = Hint(("slip",), "Look at the sign.")
    wrong = [replace(verdict(f"adder.c{number}", Outcome.FAILED, message="The same."), hint=hint) for number in range(3)]
    shown = cell("adder-checks", 3, sheet(*wrong))
    assert shown.text.count("The same.") == shown.html.count("The same.") == 1
    assert shown.text.count("Hint: Look at the sign.") == 1


def test_a_check_that_students_never_see_counts_and_is_not_shown():
    secret = verdict("adder.order", Outcome.FAILED, message="secret words")
    secret = replace(secret, check=replace(secret.check, visibility="hidden"))
    shown = cell("adder-checks", 2, sheet(verdict("adder.sum"), secret))
    assert shown.points == 1 and "1 of the checks are not shown here." in shown.text
    assert "secret words" not in shown.text + shown.html


def test_a_void_check_asks_for_a_person():
    shown = cell("adder-checks", 2, sheet(verdict("adder.sum"), verdict("adder.order", Outcome.VOID)))
    assert shown.needs_human and shown.points == 1 and "a person must look" in shown.text


def test_visible_tests_hold_no_points_and_still_a_number():
    shown = cell("adder-visible", 0, sheet(verdict("adder.sum")))
    assert shown.points == 0 and not shown.needs_human and shown.text


def test_a_cell_that_no_checks_belong_to_asks_for_a_person():
    for name in ("another-checks", "another"):
        shown = cell(name, 5, sheet(verdict("adder.sum")))
        assert shown.points == 0 and shown.needs_human


def test_points_that_have_changed_since_ask_for_a_person_and_stay_within_the_cell():
    shown = cell("adder-checks", 0.5, sheet(verdict("adder.sum")))
    assert shown.points == 0.5 and shown.needs_human and "write the course again" in shown.text


@pytest.mark.parametrize("ours", [True, False])
def test_no_report_is_no_points_with_the_reason(ours):
    shown = cell("adder-checks", 3, Sheet(None, "The file is empty.", ours))
    assert (shown.points, shown.text, shown.needs_human) == (0, "The file is empty.", ours)


def test_what_a_student_s_code_said_is_text_in_the_table():
    found = hostile()
    for group in {one.check.id.split(".")[0] for one in found.verdicts}:
        page = cell(f"{group}-checks", 100, Sheet(found)).html
        assert set(re.findall(r"</?([a-z]+)", page)) <= {"p", "table", "thead", "tbody", "tr", "th", "td", "span", "br", "em"}
        assert "\x1b" not in page


def test_a_place_in_a_file_becomes_a_place_in_the_notebook():
    part = Part("adder", "import torch\n\n# code cell 3\ndef add(a, b):\n    return a - c\n")
    wrong = verdict("adder.sum", Outcome.CRASHED, message="adder.py, line 5: NameError: name 'c' is not defined")
    assert in_cells(wrong, {"adder": part}).message == "code cell 3, at 'return a - c': NameError: name 'c' is not defined"


def test_a_place_in_a_file_beside_the_notebook_stays():
    wrong = verdict("adder.sum", Outcome.CRASHED, message="adder.py, line 1: NameError")
    assert in_cells(wrong, {"adder": Part("adder", "return a - c\n")}) == wrong
    assert in_cells(wrong, {}) == wrong
