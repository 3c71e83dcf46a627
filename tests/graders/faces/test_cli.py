"""The command line as its users meet it: real processes, what they print, and how they end."""

import csv
import io
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from graders.engine.doctor import Finding
from graders.faces import commands_kit
from tests.graders.faces.conftest import MIXER, ROOT, TOYKIT, environment, program

SUBTRACTS = "def add(a, b):\n    return a - b\n"
STUB = "def add(a, b):\n    raise NotImplementedError('Open adder.py and write add.')\n"
LOOP = "while True:\n    pass\n"


def one_sentence(text):
    """Trouble is told in one line that is no traceback."""
    return text.endswith("\n") and text.count("\n") == 1 and "Traceback" not in text


def test_one_student_sees_each_check_the_hint_and_the_seed(graders, submission):
    done = graders("grade", submission("ann", adder=SUBTRACTS, mixer=None), "--seed", 7)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "failed     value  Add two vectors" in done.stdout
    assert "Hint: Your sum is a difference: look at the sign." in done.stdout
    assert "mixer.py was not handed in." in done.stdout
    assert "3 of 8" in done.stdout
    assert "seed 7" in done.stdout


def test_a_class_comes_in_order_as_json_and_nothing_else(graders, submission):
    for name, adder in (("cy", SUBTRACTS), ("ann", STUB), ("bob", None)):
        folder = submission(name, adder=adder).parent
    done = graders("grade", folder, "/not/there", "--json", "--seed", 7, "--jobs", 2)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [report["label"] for report in reports] == ["ann", "bob", "cy"]
    assert [report["points"] for report in reports] == [3.0, 3.0, 6.0]
    assert {verdict["outcome"] for verdict in reports[0]["verdicts"] if verdict["check"].startswith("adder.")} == {"unfinished"}
    assert {report["seed"] for report in reports} == {7}
    assert done.returncode == 1
    assert one_sentence(done.stderr)
    assert "/not/there" in done.stderr


def test_results_are_written_as_one_file_a_report_and_one_table(graders, submission, tmp_path):
    submission("ann")
    folder = submission("=bob", adder=SUBTRACTS).parent
    done = graders("grade", folder, "--out", tmp_path / "results", "--seed", 7)
    assert done.returncode == 0
    assert sorted(file.name for file in (tmp_path / "results").iterdir()) == ["=bob.json", "ann.json", "grades.csv"]
    assert json.loads((tmp_path / "results/ann.json").read_text())["points"] == 8.0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "results/grades.csv").read_text())))
    assert [(row["label"], row["points"], row["adder.value"]) for row in rows] == [("'=bob", "6.0", "0.0"), ("ann", "8.0", "1.0")]
    assert "subtracts" in done.stdout
    assert str(tmp_path)[:20] in done.stdout


def test_a_seed_repeats_every_number(graders, submission):
    place = submission("ann", adder="def add(a, b):\n    return a + b + 1\n")
    first, second = (json.loads(graders("grade", place, "--json", "--seed", 3).stdout) for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("grade", "/not/there"), 1, "/not/there"),
        (("explain", TOYKIT / "solutions", "adder.valeu"), 2, "adder.value"),
        (("explain", TOYKIT / "solutions", "nothing"), 2, "adder, mixer, together"),
        (("explain", "/not/there", "adder.value"), 1, "/not/there"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_an_exit_code(graders, words, code, said):
    done = graders(*words)
    assert done.returncode == code
    assert done.stderr.count("Traceback") == 0
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(("command", "code"), [(("grade", TOYKIT / "solutions"), 2), (("check",), 1)])
def test_content_that_does_not_hold_is_our_fault_and_told_in_a_sentence(graders, tmp_path, command, code):
    (tmp_path / "grading.toml").write_text('[kit]\ntitle = "none"\n[adder.points]\nvalue = 1\n')
    done = graders(*command, kit=tmp_path)
    assert done.returncode == code
    assert one_sentence(done.stderr)
    assert "graders/probes/adder.py" in done.stderr


def test_a_folder_that_cannot_be_written_is_told_before_it_costs_an_hour(graders, submission, tmp_path):
    (tmp_path / "file").write_text("")
    done = graders("grade", submission("ann"), "--out", tmp_path / "file")
    assert done.returncode == 2
    assert one_sentence(done.stderr)
    assert "--out" in done.stderr


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="watches processes as only Linux can")
def test_ctrl_c_ends_at_once_and_keeps_what_is_finished(submission, tmp_path):
    folder = submission("ann").parent
    submission("bob", adder=LOOP, mixer=LOOP)
    command = [sys.executable, "-m", "graders", "grade", str(folder), "--json", "--out", str(tmp_path / "results"), "--kit", str(TOYKIT)]
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": _as_in_the_foreground}
    with subprocess.Popen(command, cwd=ROOT, text=True, env=environment(), **how) as process:
        assert json.loads(process.stdout.readline())["label"] == "ann"
        workers = [os.pidfd_open(int(worker)) for worker in _children(process.pid)]
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert one_sentence(said)
    assert "1 of 2" in said
    assert sorted(file.name for file in (tmp_path / "results").iterdir()) == ["ann.json", "grades.csv"]
    assert workers
    for worker in workers:
        assert select.select([worker], [], [], 10)[0], "a worker outlived the command"
        os.close(worker)


def _as_in_the_foreground():
    """Where these tests run in the background, Ctrl-C is ignored by all that they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _children(parent):
    """Processes started by this one, and by those."""
    found = []
    for thread in Path(f"/proc/{parent}/task").iterdir():
        for child in (thread / "children").read_text().split():
            found += [child, *_children(child)]
    return found


def test_explain_shows_all_that_defends_a_point(graders, submission):
    done = graders("explain", submission("ann", adder=SUBTRACTS), "adder.value", "--seed", 7)
    assert done.returncode == 0
    for words in (
        "adder.value of ann: failed, 0 of 1",
        "grading.toml:16: value = 1",
        "takes adder; compares values of all arrays; rtol 1e-05, atol 0",
        "# graders/probes/adder.py:4",
        '    return {"y": parts.adder.add(draw(3), draw(3))}',
        "--seed 7",
        "y [3] float32 =",
        "The values differ in y, 3 of 3 places.",
        "first at [0]: came out ",
        "subtracts (graders/misconceptions/adder.toml): Your sum is a difference: look at the sign.",
        "  - return a + b",
        "  + return a - b",
    ):
        assert words in done.stdout


def test_explain_tells_a_crash_with_its_line(graders, submission):
    done = graders("explain", submission("ann", adder="def add(a, b):\n    return a.nothing\n"), "adder::value")
    assert "crashed at adder.py:2: AttributeError" in done.stdout
    assert done.returncode == 0


def test_stubs_writes_what_the_solutions_give(graders, tmp_path):
    (tmp_path / "exercises").mkdir()
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions/mixer.py").write_text(MIXER)
    done = graders("stubs", kit=tmp_path)
    assert done.returncode == 0
    assert "raise NotImplementedError" in (tmp_path / "exercises/mixer.py").read_text()


def test_doctor_names_each_layer_and_what_they_amount_to(graders, monkeypatch):
    """A layer that full isolation can do without costs no exit code; one that it needs does."""
    for lost, code in (("view", 0), ("seccomp", 1)):
        found = tuple(Finding(name, name != lost, "tried: refused", "apt install it") for name in ("worker", "view", "seccomp"))
        monkeypatch.setattr(commands_kit, "diagnose", lambda root, found=found: found)
        done = graders("doctor")
        assert done.returncode == code
        assert f"missing  {lost:<11}tried: refused\n         to have it: apt install it\n" in done.stdout
        assert done.stdout.count("works    ") == 2
        assert f"Full isolation is {'in' if code == 0 else 'not in'} force." in done.stdout


def test_help_is_a_list_of_the_commands():
    done = program("-m", "graders", "--help")
    assert done.returncode == 0
    for command in ("grade", "check", "explain", "doctor", "stubs"):
        assert f" {command} " in done.stdout


def test_audit_lists_survivors_with_their_lines_and_ends_with_scores(graders):
    done = graders("audit", "adder", "--mutants", 40, "--jobs", 1)
    assert done.returncode == 0
    assert "  equivalent (operator): the same numbers in every probe under 10 more seeds\n    - return a + b\n    + return (b) + (a)\n" in done.stdout
    assert "100.0 %  all checks" in done.stdout and "a snapshot of one output" in done.stdout
    assert "Every survivor is equivalent." in done.stdout


def test_audit_of_a_part_that_is_not_there_names_those_that_are(graders):
    done = graders("audit", "nothing")
    assert done.returncode == 2
    assert "adder, mixer" in done.stderr


def test_students_with_the_same_numbers_and_no_name_for_them_are_a_group(graders, submission, tmp_path):
    submission("ann", adder="def add(a, b):\n    total = a\n    return total + 3 * b\n")
    submission("bob", adder="def add(a, b):\n    return a + 3 * b\n")
    submission("cy", adder=SUBTRACTS)
    folder = submission("eve", adder="def add(a, b):\n    return a + 4 * b\n").parent
    graders("grade", folder, "--out", tmp_path / "results", "--seed", 7)
    done = graders("unnamed", tmp_path / "results", "--submissions", folder)
    assert done.returncode == 0
    assert "1. adder: 2 students\n   ann, bob\n" in done.stdout
    assert "     |     return a + 3 * b\n" in done.stdout
    assert done.stdout.endswith("1 groups share a mistake without a name; 1 students are alone with one.\n")


def test_naming_a_group_that_is_not_there_writes_nothing(graders, submission, tmp_path):
    graders("grade", submission("ann"), "--out", tmp_path / "results", "--seed", 7)
    done = graders("unnamed", tmp_path / "results", "--name", 1, "thrice")
    assert done.returncode == 2
    assert "there is no group 1" in done.stderr


def test_grade_does_not_wait_for_what_only_other_commands_need():
    code = "import sys; from graders.faces.cli import commands; commands('grade'); print([name for name in sys.modules if 'graders.' in name])"
    loaded = program("-c", code).stdout
    assert "graders.engine.launch" in loaded
    assert "graders.engine.audit" not in loaded and "graders.publish" not in loaded and "graders.engine.match" not in loaded
