"""`--lesson NAME`: a class that has one lesson of several is graded for that one, on every road."""

import json
import shutil

import pytest

from bench.gradescope import lay_out, run
from tests.graders.faces.conftest import ADDER, MIXER, TOYKIT, program

SUBTRACTS = "def add(a, b):\n    return a - b\n"


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    """The toy kit with a lesson for each of its parts; `together` takes both."""
    folder = shutil.copytree(TOYKIT, tmp_path_factory.mktemp("kit") / "toys")
    (folder / "lessons").mkdir()
    for name, part in (("sums", "adder"), ("mixes", "mixer")):
        (folder / f"lessons/{name}.md").write_text(f"# {name}\n\n<!-- exercise: {part} -->\n")
    with (folder / "grading.toml").open("a") as file:
        file.write('\n[lesson.sums]\ntext = "lessons/sums.md"\n[lesson.mixes]\ntext = "lessons/mixes.md"\n')
    return folder


@pytest.fixture
def graders(kit):
    """Run `python -m graders` on this kit."""

    def run(*words, code=0):
        done = program("-m", "graders", *words, "--kit", kit)
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


def groups(report):
    return {verdict["check"].split(".")[0] for verdict in report["verdicts"]}


def test_a_class_with_one_lesson_loses_nothing_for_the_other(graders, submission):
    report = json.loads(graders("grade", submission("ann", adder=SUBTRACTS, mixer=None), "--lesson", "sums", "--json"))
    assert (report["points"], report["possible"], groups(report)) == (3.0, 4.0, {"adder"})
    assert "look at the sign" in json.dumps(report["verdicts"])
    assert report["kit_version"].endswith(".sums")


def test_all_lessons_together_are_the_whole_kit_with_what_joins_them(graders, submission):
    report = json.loads(graders("grade", submission("ann"), "--lesson", "mixes", "--lesson", "sums", "--json"))
    assert (report["points"], report["possible"], groups(report)) == (8.0, 8.0, {"adder", "mixer", "together"})


def test_the_other_lesson_is_told_once_and_is_no_loss(graders, submission, tmp_path):
    """By `grade` into the same folder, there and back, and by `report --against`."""
    submission("ann")
    folder = submission("bob", adder=SUBTRACTS).parent
    graders("grade", folder, "--out", tmp_path / "whole")
    shutil.copytree(tmp_path / "whole", tmp_path / "one")
    (folder / "bob/adder.py").write_text(ADDER)
    out = graders("grade", folder, "--out", tmp_path / "one", "--lesson", "sums")
    assert out.count("only sums is graded now; 3 checks were not run") == 1
    assert [line.partition(":")[0] for line in out.splitlines() if "lost" in line or "gained" in line] == ["bob gained adder.value"]
    out = " ".join(graders("report", tmp_path / "one", "--against", tmp_path / "whole").split())
    assert "1 changed, 1 the same, 0 new, 0 gone only sums is graded now; 3 checks were not run" in out
    assert "bob 3 to 4 gained adder.value" in out
    out = graders("grade", folder, "--out", tmp_path / "one")
    assert out.count("only sums was graded before; 3 checks were not run then") == 1
    assert not [line for line in out.splitlines() if "lost" in line or "gained" in line]


def test_what_an_exercise_builds_on_is_right_though_its_own_lesson_is_not_graded(graders, submission):
    """The mixer calls the student's wrong add; nobody checks add here, so a right one stands below."""
    assert "return add(" in MIXER
    report = json.loads(graders("grade", submission("ann", adder=SUBTRACTS), "--lesson", "mixes", "--json"))
    assert (report["points"], report["possible"]) == (3.0, 3.0)


def test_a_mistake_is_one_though_an_ungraded_one_below_makes_up_for_it(graders, submission):
    place = submission("ann", adder=SUBTRACTS, mixer=MIXER.replace("(1 - self.share) * b", "(self.share - 1) * b"))
    one, whole = (json.loads(graders("grade", place, "--json", *words)) for words in (("--lesson", "mixes"), ()))
    assert "failed" in {verdict["outcome"] for verdict in one["verdicts"]}
    mixer = [(verdict["check"], verdict["outcome"]) for verdict in whole["verdicts"] if verdict["check"].startswith("mixer.")]
    assert [(verdict["check"], verdict["outcome"]) for verdict in one["verdicts"]] == mixer


@pytest.mark.parametrize("command", [("grade", "."), ("explain", ".", "adder.value"), ("classroom", "."), ("gradescope", "a.zip")])
def test_a_lesson_that_is_not_there_is_told_with_those_that_are(kit, submission, tmp_path, command):
    done = program("-m", "graders", *command, "--lesson", "mixers", "--kit", kit, place=submission("ann"), PYTHONPATH=str(TOYKIT.parents[1]))
    assert done.returncode == 2
    assert "there is no lesson 'mixers'; the lessons are sums, mixes" in done.stderr
    assert "Traceback" not in done.stderr and not list(submission("bob").parent.rglob("*.zip"))


def test_a_report_on_the_whole_kit_does_not_hold_for_one_lesson_nor_the_other_way_round(graders, submission, tmp_path):
    place, out = submission("ann"), tmp_path / "results"

    def possible(*words):
        said = graders("grade", place, "--out", out, *words)
        return json.loads((out / "ann.json").read_text())["possible"], "still held" in said

    assert [possible(), possible("--lesson", "sums"), possible("--lesson", "sums"), possible()] == [(8, False), (4, False), (4, True), (8, False)]


def test_explain_knows_the_checks_of_the_lesson_alone(graders, submission, kit):
    place = submission("ann", adder=SUBTRACTS)
    assert "subtracts" in graders("explain", place, "adder.value", "--lesson", "sums")
    done = program("-m", "graders", "explain", place, "mixer.half", "--lesson", "sums", "--kit", kit)
    assert done.returncode == 2 and "adder" in done.stderr


def test_pytest_has_an_item_for_each_check_of_the_lesson(kit, submission):
    words = ("-m", "pytest", "graders", "-p", "no:cacheprovider", "--kit", kit, "--submission", submission("ann", mixer=None))
    done = program(*words, "--lesson", "sums")
    assert done.returncode == 0 and "4 passed" in done.stdout
    done = program(*words, "--lesson", "mixers")
    assert done.returncode == 4 and "the lessons are sums, mixes" in done.stderr


def test_classroom_and_gradescope_give_the_points_of_the_lesson(graders, submission, tmp_path):
    graders("classroom", submission("ann", mixer=None), "--lesson", "sums", "--out", tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text())["max_score"] == 4
    graders("gradescope", tmp_path / "sums.zip", "--lesson", "sums")
    (tmp_path / "autograder").mkdir()
    folder = lay_out(tmp_path / "autograder", (tmp_path / "sums.zip").read_bytes(), {"adder.py": ADDER})
    run(folder)
    document = json.loads((folder / "results/results.json").read_text())
    assert [(test["name"].split(":")[0].split(".")[0], test["score"]) for test in document["tests"]] == [("adder", 1.0)] * 4
    assert document["extra_data"]["kit_version"].endswith(".sums")
