"""What GitHub Classroom is told: the result, the step's output, the notice, and the instructor's workflow that uses them."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graders.faces import classroom
from tests.graders.faces.conftest import ROOT, TOYKIT, environment, program
from tests.graders.faces.reports import hostile, mixed, report, verdict

FIELDS = {"name", "status", "message", "test_code", "filename", "line_no", "duration", "score"}
WORKFLOW = ROOT / "examples/classroom/grade.yml"


def test_a_result_has_every_field_for_every_check_and_no_source():
    result = classroom.render(mixed())
    assert (result["version"], result["status"], result["max_score"]) == (1, "error", 9.0)
    assert all(set(test) == FIELDS for test in result["tests"])
    assert {test["test_code"] + test["filename"] for test in result["tests"]} == {""}
    assert [test["status"] for test in result["tests"]] == ["pass", "fail", "fail", *["error"] * 6]
    assert [test["score"] for test in result["tests"]] == [2.0, *[0.0] * 8]
    assert result["tests"][1]["message"].endswith("Hint: Add eps to the mean square, before the square root.")


def test_the_status_is_pass_only_where_all_checks_pass():
    assert classroom.render(report(verdict("norm.a")))["status"] == "pass"
    assert classroom.render(report(verdict("norm.a"), mixed().verdicts[1]))["status"] == "fail"


def test_where_nothing_could_be_graded_there_are_tests_all_the_same():
    result = classroom.trouble("the repository holds no exercise file")
    assert result["status"] == "error"
    assert [test["score"] for test in result["tests"]] == [0.0]


def test_no_text_of_a_students_begins_a_line_or_gives_an_order():
    result = classroom.render(hostile())
    name, _, payload = classroom.step_output(result).partition("=")
    assert name == "result"
    assert payload.count("\n") == 1
    assert json.loads(base64.b64decode(payload)) == result
    lines = classroom.log(result).splitlines()
    assert [line for line in lines if line.startswith("::")] == lines[-2:]
    assert "::error" not in classroom.log(result)
    assert "##[" not in classroom.log(result)


def test_the_notice_names_the_points_as_the_dashboard_reads_them():
    assert classroom.log(classroom.render(mixed())).splitlines()[-2:] == [
        "::notice title=Autograding complete::Points 2/9",
        '::notice title=Autograding report::{"totalPoints": 2.0, "maxPoints": 9.0}',
    ]


@pytest.fixture
def step(tmp_path):
    """Run the step of the instructor's workflow as the runner does, with the toy kit in place of the real one."""
    yaml = pytest.importorskip("yaml", reason="reads the workflow")
    command = next(step for step in yaml.safe_load(WORKFLOW.read_text())["jobs"]["grade"]["steps"] if step.get("id") == "hidden")["run"]
    (tmp_path / "kit").mkdir()
    words = {"GITHUB_OUTPUT": str(tmp_path / "output"), "PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def run():
        told = ["bash", "-e", "-c", f"{command} --kit {TOYKIT}"]
        done = subprocess.run(told, cwd=tmp_path / "kit", env=environment(**words), capture_output=True, text=True, check=False)
        output = (tmp_path / "output").read_text()
        assert output.startswith("result=")
        return done, json.loads(base64.b64decode(output.removeprefix("result=")))

    return run


def test_nothing_in_a_repository_but_the_parts_counts(step, tmp_path):
    """Files that would turn pytest, Python or GitHub to the student's side lie there unread, and the output is the grader's own."""
    exercises = tmp_path / "submission/exercises"
    exercises.mkdir(parents=True)
    (exercises / "adder.py").write_text("print('::error::owned')\ndef add(a, b):\n    return a - b\n")
    (exercises / "mixer.py").write_text((TOYKIT / "solutions/mixer.py").read_text())
    for name in ("conftest.py", "sitecustomize.py", "grading.toml", "result.json", ".github/grade.yml", "graders/__init__.py", "tiny_lm/__init__.py"):
        (tmp_path / "submission" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "submission" / name).write_text("raise SystemExit('taken along')\n")
    done, result = step()
    assert done.returncode == 0, done.stderr
    assert result["max_score"] == 8.0
    assert sum(test["score"] for test in result["tests"]) == 6.0
    assert json.loads((tmp_path / "result.json").read_text()) == result
    assert "owned" not in done.stdout + done.stderr
    assert done.stdout.splitlines()[-2] == "::notice title=Autograding complete::Points 6/8"


def test_an_empty_repository_is_an_error_with_a_result(step, tmp_path):
    (tmp_path / "submission").mkdir()
    done, result = step()
    assert done.returncode == 1
    assert result["status"] == "error"
    assert "holds no notebook and no exercise file" in result["tests"][0]["message"]


def test_the_command_is_in_the_help():
    done = program("-m", "graders", "--help")
    assert all(f" {command} " in done.stdout for command in ("release", "gradescope", "classroom", "lms", "junit"))


def test_a_repository_that_is_not_there_is_told_in_one_line_and_gets_no_points(tmp_path):
    output = tmp_path / "output"
    words = [sys.executable, "-m", "graders", "classroom", tmp_path / "nope", "--kit", TOYKIT]
    done = subprocess.run(words, cwd=ROOT, env=environment(GITHUB_OUTPUT=str(output)), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "nope is not there" in done.stderr
    assert json.loads(base64.b64decode(output.read_text().removeprefix("result=")))["status"] == "error"
