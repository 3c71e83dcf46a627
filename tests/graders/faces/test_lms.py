"""Grades for Canvas and Moodle: rosters as the platforms write them, and files that go back there."""

import csv
import io
from dataclasses import replace

import pytest

from graders.engine.roster import read_sheet
from graders.faces import canvas, json, moodle
from graders.model import Outcome, SubmissionError
from tests.graders.faces.conftest import ROOT, program
from tests.graders.faces.reports import EPS, HOSTILE, mixed, report, verdict

CANVAS = """\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Essay (7),Lesson 15 (1234),Current Score
,,,,,Manual Posting,,(read only)
    Points Possible,,,,,10,3,(read only)
"Doe, Jane",4321,007001,jdoe,"A, B",9.50,,80.00
"O'Neil, Zoë",4322,007002,zoneil@x.org,A,,2,
"=cmd|' /C calc'!A0, Eve",4323,007003,+eve@x.org,A,-1,,
"Student, Test",9,,,A,,,
"""
WORKSHEET = """Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (grade),Feedback comments
Participant 11,Jane Doe,00017,Jane.Doe@x.org,Submitted,,3.00,Yes,-,
Participant 12,Zoë O'Neil,00018,zoe@x.org,Submitted,2.00,3.00,Yes,"Monday, 1 June",old words
Participant 13,-Eve,00019,+eve@x.org,Submitted for grading - 2 days late,,3.00,No,-,
"""
PARTICIPANTS = "First name;Last name;ID number;Email address\nJane;Doe;00017;jane.doe@x.org\nZoë;O'Neil;00018;zoe@x.org\n"


@pytest.fixture
def sheet(tmp_path):
    def read(text):
        (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
        return read_sheet(tmp_path / "roster.csv")

    return read


def graded(label, points=1.5):
    """A report with so many of three points."""
    return report(verdict("norm.a", points=points), verdict("norm.b", Outcome.FAILED, "y: wrong <b>", EPS, points=3 - points), label=label)


def rows(text, delimiter=","):
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff")), delimiter=delimiter))


def test_canvas_gets_its_own_table_back_with_the_assignments_cells_filled(sheet):
    text, filled = canvas.fill(sheet(CANVAS), [graded("jdoe"), graded("007002", 3)], "Lesson 15")
    before, after = rows(CANVAS), rows(text)
    assert [row[6] for row in after] == ["Lesson 15 (1234)", "", "3", "1.5", "3", "", ""]
    untouched = [0, 1, 2, 3, 4, 5, 7]
    assert [[row[column] for column in untouched[1:]] for row in after] == [[row[column] for column in untouched[1:]] for row in before]
    assert text.startswith('\ufeff"Student","ID"')
    assert '"007001"' in text
    assert filled.placed == 2
    assert filled.lost == []
    assert filled.notes == ["=cmd|' /C calc'!A0, Eve has no result; the cell stays as it is"]


def test_no_cell_for_people_starts_a_formula_and_no_id_is_touched(sheet):
    after = rows(canvas.fill(sheet(CANVAS), [graded("4323")], "Lesson 15")[0])
    assert after[5][0] == "'=cmd|' /C calc'!A0, Eve"
    assert after[5][3] == "+eve@x.org"
    worksheet = rows(moodle.fill(sheet(WORKSHEET), [])[0])
    assert worksheet[3][1] == "'-Eve"
    assert worksheet[3][3] == "+eve@x.org"


PACKED = ("doejane_4321_98765_answers", "doejane_LATE_4321_98765_answers")


@pytest.mark.parametrize("label", ["jdoe", "JDOE", "4321", "007001", *PACKED, "Jane Doe", "doe_jane"])
def test_a_folder_may_be_named_after_an_id_a_login_a_name_or_as_canvas_packs_it(sheet, label):
    text, filled = canvas.fill(sheet(CANVAS), [graded(label)], "Lesson 15 (1234)")
    assert rows(text)[3][6] == "1.5"
    assert filled.placed == 1


def test_who_is_missing_on_either_side_is_told_and_nobody_else_gets_the_grade(sheet):
    text, filled = canvas.fill(sheet(CANVAS), [graded("stranger"), graded("jdoe"), graded("Jane Doe"), graded("zoneil")], "Lesson 15")
    assert [row[6] for row in rows(text)[3:]] == ["", "1.5", "", ""]
    assert filled.lost == [
        "stranger fits nobody in the roster; its grade is not written",
        "jdoe is not the only submission of one student; its grade is not written",
        "Jane Doe is not the only submission of one student; its grade is not written",
    ]
    assert [note.split(" has ")[0] for note in filled.notes] == ["Doe, Jane", "=cmd|' /C calc'!A0, Eve"]


def test_a_name_that_two_students_share_decides_nothing(sheet):
    twins = CANVAS + '"Doe, Jane",4399,007099,jdoe2,A,,,\n'
    text, filled = canvas.fill(sheet(twins), [graded("Jane Doe")], "Lesson 15")
    assert filled.lost == ["Jane Doe fits 2 students of the roster; its grade is not written"]
    assert {row[6] for row in rows(text)[3:]} == {"", "2"}


def test_what_the_grader_could_not_decide_is_left_to_a_person(sheet):
    void = replace(mixed("jdoe"), verdicts=(verdict("norm.a", Outcome.VOID),))
    text, filled = canvas.fill(sheet(CANVAS), [void], "Lesson 15")
    assert rows(text)[3][6] == ""
    assert "jdoe needs a human" in filled.lost[0]


def test_an_assignment_that_is_not_there_or_not_named_is_told_with_those_that_are(sheet):
    for name in ("", "Lesson 16", "Current Score"):
        with pytest.raises(SubmissionError, match=r"assignments are: Essay \(7\); Lesson 15 \(1234\)"):
            canvas.fill(sheet(CANVAS), [], name)


def test_points_that_differ_between_the_two_sides_are_told(sheet):
    assert "worth 10 points in Canvas and 3 here" in canvas.fill(sheet(CANVAS), [graded("jdoe")], "Essay")[1].notes[-1]
    four = report(verdict("norm.a", points=4.0), label="00017")
    assert "maximum grade of 3.00 in Moodle and 4 here" in moodle.fill(sheet(WORKSHEET), [four])[1].notes[-1]


def test_moodles_worksheet_gets_grade_and_feedback_both_and_keeps_the_rest(sheet):
    text, filled = moodle.fill(sheet(WORKSHEET), [graded("Jane Doe_11_assignsubmission_file"), graded("+eve@x.org")])
    before, after = rows(WORKSHEET), rows(text)
    assert after[0] == before[0]
    assert after[1][5] == "1.5"
    assert after[1][9] == f"1.5 of 3 points<br>norm: 1.5 of 3<br>- b failed: y: wrong &lt;b&gt; Hint: {EPS.text}"
    assert after[2] == before[2]
    assert [cells[:5] + cells[6:9] for cells in after[1:2]] == [cells[:5] + cells[6:9] for cells in before[1:2]]
    assert filled.lost == ["+eve@x.org has a grade that Moodle has locked; its grade is not written"]
    assert after[3][5] == after[3][9] == ""


def test_any_other_table_of_moodles_gets_two_columns_more(sheet):
    text, filled = moodle.fill(sheet(PARTICIPANTS), [graded("jane.doe@x.org")], "Lesson 15")
    after = rows(text, ";")
    assert after[0] == ["First name", "Last name", "ID number", "Email address", "Lesson 15", "Lesson 15 feedback"]
    assert after[1][:5] == ["Jane", "Doe", "00017", "jane.doe@x.org", "1.5"]
    assert after[1][5].startswith("1.5 of 3 points")
    assert after[2][4:] == ["", ""]
    assert filled.placed == 1


def test_what_a_student_wrote_gives_no_markup_no_formula_and_no_line_of_its_own(sheet):
    hostile = report(verdict("norm.faint", Outcome.CRASHED, HOSTILE), label="00017", notes=(HOSTILE,))
    text, _ = moodle.fill(sheet(WORKSHEET), [hostile])
    assert len(text.splitlines()) == 4
    feedback = rows(text)[1][9]
    assert "<b>" not in feedback
    assert "\x1b" not in text
    assert feedback[0] not in "=+-@"


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "no table"), (b"\xff\xfe", "is not UTF-8"), (None, "cannot be read"), (b"a,b\n1,2\n", "not from Canvas"), (b"a;b", "no table")],
)
def test_a_roster_that_is_none_is_one_sentence(tmp_path, content, said):
    if content is not None:
        (tmp_path / "roster.csv").write_bytes(content)
    with pytest.raises(SubmissionError, match=said):
        canvas.fill(read_sheet(tmp_path / "roster.csv"), [])
    with pytest.raises(SubmissionError):
        moodle.fill(read_sheet(tmp_path / "roster.csv"), [])


def test_the_command_writes_the_file_tells_who_is_missing_and_ends_with_1_then(tmp_path):
    (tmp_path / "results").mkdir()
    for label in ("jdoe", "stranger"):
        (tmp_path / f"results/{label}.json").write_text(json.render(graded(label)))
    (tmp_path / "canvas.csv").write_text(CANVAS, encoding="utf-8")
    words = ("-m", "graders", "lms", tmp_path / "results", "--assignment", "Lesson 15", "--out", tmp_path / "grades.csv")
    done = program(*words, "--canvas", tmp_path / "canvas.csv")
    assert done.returncode == 1
    assert done.stdout == f"1 of 2 grades written to {tmp_path / 'grades.csv'}\n"
    assert "stranger fits nobody in the roster" in done.stderr
    assert rows((tmp_path / "grades.csv").read_text(encoding="utf-8"))[3][6] == "1.5"
    refused = program(*words, place=ROOT)
    assert refused.returncode == 1
    assert refused.stderr == "name one roster: --canvas FILE or --moodle FILE\n"
