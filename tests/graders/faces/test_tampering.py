"""Signs of tampering: an instructor sees them wherever a report is theirs to read, and a student nowhere."""

import csv
import io
import json
from dataclasses import replace

import pytest

from graders.engine import written
from graders.engine.cohort.overview import overview
from graders.engine.roster import read_sheet
from graders.faces import canvas, classroom, cohort, explain, gradescope, html, junit, moodle, terminal
from graders.faces import csv as table
from graders.faces import json as face
from graders.faces.nbgrader import shown
from graders.faces.nbgrader.desk import Sheet
from tests.graders.faces.conftest import program
from tests.graders.faces.reports import HOSTILE, mixed
from tests.graders.faces.test_explain import evidence as by_hand
from tests.graders.faces.test_explain import observation
from tests.graders.faces.test_lms import CANVAS, WORKSHEET
from tests.graders.faces.test_terminal import shown as on_screen

SIGN = "replaced what is not its own: torch.allclose"
FOUND = replace(mixed("jdoe"), tampering=(SIGN, HOSTILE))
PATCH = "import builtins\nbuiltins.abs = lambda x: 0\ndef add(a, b):\n    return a + b\n"


INSTRUCTORS = {
    "one student": lambda tmp: on_screen(terminal.detail(FOUND)),
    "the table of a class": lambda tmp: on_screen(terminal.overview([terminal.summary(FOUND)] * 2, 2)),
    "json": lambda tmp: face.render(FOUND),
    "csv": lambda tmp: "".join(table.lines(["norm.faint"], [FOUND])),
    "the page of a class": lambda tmp: html.class_page(overview([FOUND]), "A lesson"),
    "a class in a terminal": lambda tmp: on_screen(cohort.render(overview([FOUND]))),
}
STUDENTS = {
    "feedback": lambda tmp: html.feedback_page(FOUND, "A lesson"),
    "gradescope": lambda tmp: json.dumps(gradescope.render(FOUND)),
    "classroom": lambda tmp: json.dumps(classroom.render(FOUND)) + classroom.log(classroom.render(FOUND)),
    "junit": lambda tmp: junit.render([FOUND]),
    "canvas": lambda tmp: _filled(canvas, CANVAS, "jdoe", "Lesson 15", tmp),
    "moodle": lambda tmp: _filled(moodle, WORKSHEET, "Jane Doe", "", tmp),
    "a cell of nbgrader": lambda tmp: "".join((cell := shown.cell("norm", 4.0, Sheet(FOUND))).text + cell.html),
}


def _filled(lms, text, label, assignment, tmp_path):
    (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
    filled, told = lms.fill(read_sheet(tmp_path / "roster.csv"), [replace(FOUND, label=label, verdicts=FOUND.verdicts[:3])], assignment)
    assert told.placed == 1
    return filled


@pytest.mark.parametrize("name", INSTRUCTORS)
def test_the_instructor_is_told(name, tmp_path):
    assert SIGN in " ".join(INSTRUCTORS[name](tmp_path).split())


@pytest.mark.parametrize("name", STUDENTS)
def test_the_student_is_not(name, tmp_path):
    text = STUDENTS[name](tmp_path)
    assert text
    assert "torch.allclose" not in text
    assert "noticed" not in text


def test_whoever_asks_for_the_argument_is_told():
    found = replace(FOUND, tampering=(SIGN,))
    evidence = replace(by_hand(observation(1), observation(1)), report=found)
    assert f"What was noticed\n  {SIGN}\n" in explain.render(evidence).plain


def test_it_comes_back_from_a_file():
    assert written.read(face.render(replace(FOUND, tampering=(SIGN,)))).tampering == (SIGN,)


def test_a_report_written_before_there_was_such_a_thing_has_none():
    document = face.document(FOUND)
    del document["tampering"]
    assert written.read(json.dumps(document)).tampering == ()


def test_in_a_real_batch_it_costs_nothing_and_is_the_tamperers_alone(graders, submission, tmp_path):
    submission("honest")
    folder = submission("patches", adder=PATCH).parent
    done = graders("grade", folder, "--out", tmp_path / "results", "--seed", 7, "--jobs", 1)
    assert done.returncode == 0
    found = {name: json.loads((tmp_path / f"results/{name}.json").read_text()) for name in ("honest", "patches")}
    assert found["patches"]["tampering"] == ["replaced what is not its own: builtins.abs"]
    assert found["honest"]["tampering"] == []
    assert found["patches"]["points"] == found["honest"]["points"] == 8.0
    rows = csv.DictReader(io.StringIO((tmp_path / "results/grades.csv").read_text()))
    assert [row["tampering"] for row in rows] == ["", "replaced what is not its own: builtins.abs"]
    assert "noticed: replaced what is not its own: builtins.abs" in " ".join(done.stdout.split())


def test_pytest_items_keep_it_to_themselves(submission, tmp_path):
    place = submission("patches", adder=PATCH)
    words = ("graders", "--kit", "tests/toykit", "-p", "no:cacheprovider", "--submission", place)
    done = program("-m", "pytest", *words, f"--junitxml={tmp_path / 'x.xml'}")
    assert done.returncode == 0
    assert "abs" not in done.stdout + (tmp_path / "x.xml").read_text().replace(str(tmp_path), "")
