"""The autograder as Gradescope runs it: unpacked into a scratch folder that stands for /autograder, its script run as a process."""

import json
import os
import shutil
import subprocess
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from bench.gradescope import BESIDE, lay_out, run
from graders.engine.kit import read_kit
from graders.model import KitError
from graders.publish.gradescope import autograder
from graders.publish.leaks import leaks, secrets

ROOT = Path(__file__).parents[3]
TOYKIT = ROOT / "tests/toykit"
RIGHT = {file.name: file.read_text() for file in (TOYKIT / "solutions").glob("*.py")}
VISIBILITIES = {"visible", "after_due_date", "after_published", "hidden"}
NO_NAMESPACES = ("unshare", "--user", "--map-root-user", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh")
STATED = '[kit]\ntitle = "Toys"\nvisibility = "after_due_date"'


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """The toy kit's autograder, with each kind of visibility in its grading.toml."""
    kit = tmp_path_factory.mktemp("kit") / "toys"
    shutil.copytree(TOYKIT, kit)
    text = (kit / "grading.toml").read_text()
    text = text.replace('[kit]\ntitle = "Toys"', STATED).replace("zeros = 1", 'zeros = { points = 1, visibility = "hidden" }')
    (kit / "grading.toml").write_text(text.replace("[mixer]\n", '[mixer]\nvisibility = "visible"\n'))
    return autograder(kit)


@pytest.fixture
def grading(packed, tmp_path):
    """Grade a submission: the content of results.json, and what was printed."""

    def graded(texts, told=lambda folder: None, before=(), **more):
        folder = lay_out(tmp_path, packed, texts)
        told(folder)
        done, _ = run(folder, before, **more)
        assert done.returncode == 0
        return valid(json.loads((folder / "results/results.json").read_text())), done.stdout

    return graded


def valid(document):
    """Stops at anything that Gradescope would not take, or that would show students more than it should."""
    assert set(document) <= {"score", "output", "output_format", "stdout_visibility", "execution_time", "tests", "extra_data"}
    assert isinstance(document["tests"], list)
    assert document["tests"] or isinstance(document["score"], float)
    assert isinstance(document["execution_time"], float)
    assert document["stdout_visibility"] == "hidden"
    for test in document["tests"]:
        assert set(test) - {"status"} == {"number", "name", "score", "max_score", "output", "output_format", "tags", "visibility"}
        assert 0 <= test["score"] <= test["max_score"]
        assert test.get("status", "passed") in ("passed", "failed")
        assert test["visibility"] in VISIBILITIES
        assert test["output_format"] == "text"
        assert all(isinstance(word, str) for word in (test["number"], test["name"], test["output"], *test["tags"]))
    return document


def scores(document):
    return {test["name"].split(":")[0]: test["score"] for test in document["tests"]}


def test_a_right_submission_has_all_points_and_each_check_the_visibility_that_was_set(grading):
    def told(folder):
        (folder / "submission_metadata.json").write_text('{"id": 123, "assignment": {"total_points": "10.0"}}')

    document, said = grading(RIGHT, told)
    assert sum(scores(document).values()) == 8
    assert {test["name"].split(":")[0]: test["visibility"] for test in document["tests"]} == {
        "adder.value": "after_due_date",
        "adder.zeros": "hidden",
        "adder.shape": "after_due_date",
        "adder.rule_short": "after_due_date",
        "mixer.half": "visible",
        "mixer.ends": "visible",
        "together.chain": "after_due_date",
    }
    assert [test["number"] for test in document["tests"]] == ["1.1", "1.2", "1.3", "1.4", "2.1", "2.2", "3.1"]
    assert {test["status"] for test in document["tests"]} == {"passed"}
    assert document["extra_data"]["isolation"]
    assert "The kit gives 8 points, the assignment 10.0." in said
    assert f"isolation {document['extra_data']['isolation']}" in said


def test_mistakes_cost_their_own_points_and_are_named(grading):
    """A known mistake, and a loop that ends by its own limit long before the whole run's."""
    document, _ = grading({"adder.py": "def add(a, b):\n    return a - b\n", "mixer.py": "while True:\n    pass\n"})
    outputs = {test["name"].split(":")[0]: test["output"] for test in document["tests"]}
    assert scores(document)["adder.shape"] == 1
    assert "Hint: Your sum is a difference: look at the sign." in outputs["adder.value"]
    assert outputs["mixer.half"].startswith("Timed out.")


def test_a_broken_note_about_the_submission_and_a_hostile_name_change_nothing(grading):
    def told(folder):
        (folder / "submission_metadata.json").write_text("[" * 100_000)
        (folder / "submission/\x1b[2J::error::x.py").write_text("")

    document, said = grading(RIGHT, told)
    assert sum(scores(document).values()) == 8
    assert "\x1b" not in json.dumps(document["output"]) + said


def test_without_user_namespaces_the_wall_falls_back_and_the_report_says_so(grading, tmp_path):
    """As in most containers. What is left still closes the answers: the attempt to read them crashes, and the rest is graded."""
    reads = f"ANSWER = open({str(tmp_path / 'source/kit/grading.toml')!r}).read()\n"
    document, said = grading({**RIGHT, "mixer.py": reads + RIGHT["mixer.py"]}, before=NO_NAMESPACES)
    assert document["extra_data"]["isolation"].startswith("partial: without")
    assert "namespaces" in document["extra_data"]["isolation"]
    assert f"isolation {document['extra_data']['isolation']}" in said
    assert scores(document)["adder.value"] == 1
    assert scores(document)["mixer.half"] == 0


def test_nothing_to_grade_is_told_to_the_student(grading):
    document, _ = grading({"essay.txt": "words"})
    assert document["score"] == 0
    assert "holds no notebook and no exercise file, such as adder.py" in document["output"]


def test_a_kit_that_cannot_grade_is_told_to_the_instructor_and_says_nothing_about_the_work(grading):
    document, said = grading(RIGHT, lambda folder: (folder / "source/kit/grading.toml").write_text("["))
    assert document["score"] == 0
    assert "This says nothing about your work: please tell your instructor" in document["output"]
    assert "KitError" in said
    assert "grading.toml" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("python", "words"),
    [("exec sleep 60", "took more time or memory"), ("kill -9 $$", "took more time or memory"), ("exit 3", "did not finish"), ("kill -9 $PPID", "")],
)
def test_however_the_grader_ends_there_is_a_valid_result(grading, tmp_path, python, words):
    """Out of time, out of memory, broken; in the end even without the process that counts the time."""
    stand_in = tmp_path / "python"
    stand_in.write_text(f"#!/bin/bash\n{python}\n")
    stand_in.chmod(0o755)
    document, _ = grading(RIGHT, AUTOGRADER_PYTHON=str(stand_in), AUTOGRADER_SECONDS="1")
    assert document["score"] == 0
    assert words in document["output"]


def test_results_are_valid_before_anything_is_tried(packed, tmp_path):
    """Killed at once, as a container is that has no memory left."""
    folder = lay_out(tmp_path, packed, RIGHT)
    (folder / "python").write_text(f"#!/bin/bash\ncp {folder}/results/results.json {folder}/seen.json\n")
    (folder / "python").chmod(0o755)
    run(folder, AUTOGRADER_PYTHON=str(folder / "python"))
    assert "did not finish" in valid(json.loads((folder / "seen.json").read_text()))["output"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="as root, like Gradescope")
def test_answers_and_results_are_closed_for_every_other_user(packed, tmp_path):
    """Students' code runs as nobody: what it needs is open, what it must not see is not, with no other layer of the wall."""
    folder = lay_out(tmp_path, packed, RIGHT)
    (folder / "python").write_text("#!/bin/bash\n")
    run(folder, AUTOGRADER_PYTHON=str(folder / "python"))
    mode = {path: (folder / path).stat().st_mode & 0o077 for path in ("results", "submission", "source/kit/solutions", "source/kit/grading.toml")}
    assert set(mode.values()) == {0}
    assert (folder / "source/machine/graders/engine").stat().st_mode & 0o077 == 0
    for path in ("machine/graders/__init__.py", "machine/graders/worker/child.py", "kit/graders/probes/adder.py"):
        assert (folder / "source" / path).stat().st_mode & 0o004


def test_the_real_kit_fits_a_small_container_and_shows_no_secret(tmp_path):
    """The smallest container of Gradescope has 768 MiB. The student's code takes all it is given while the checks run."""
    texts = {file.name: file.read_text() for file in (ROOT / "examples/submissions/two-mistakes").glob("*.py")}
    folder = lay_out(tmp_path, autograder(ROOT), {**texts, "block.py": texts["block.py"] + BESIDE})
    done, peak = run(folder)
    document = valid(json.loads((folder / "results/results.json").read_text()))
    assert scores(document)["attention.value"] == 0
    assert 20 < sum(test["score"] for name, test in zip(scores(document), document["tests"], strict=True) if not name.startswith("block.")) < 42
    assert 200 < peak < 768, done.stdout
    hidden = [secret for secret in secrets(ROOT) if not secret.source.startswith("graders/misconceptions/")]
    assert list(leaks({"results.json": json.dumps(document).encode()}, hidden)) == []


def test_the_zip_is_the_same_each_time_and_holds_what_grading_needs_and_no_more():
    content = autograder(ROOT)
    assert content == autograder(ROOT)
    with zipfile.ZipFile(BytesIO(content)) as archive:
        names = archive.namelist()
        modes = {name: archive.getinfo(name).external_attr >> 16 for name in names}
        assert "torch==" in archive.read("requirements.txt").decode()
    assert modes["setup.sh"] == modes["run_autograder"] == 0o755
    assert {name.split("/")[1] for name in names if name.startswith("kit/")} == {"grading.toml", "graders", "solutions", "tiny_lm"}
    assert {name.split("/")[0] for name in names} == {"kit", "machine", "requirements.txt", "setup.sh", "run_autograder"}
    assert not [name for name in names if "publish" in name or "__pycache__" in name]


@pytest.mark.parametrize("name", ["setup.sh", "run_autograder"])
def test_the_scripts_are_bash_with_unix_line_ends(name):
    file = ROOT / "graders/publish/container" / name
    assert subprocess.run(["bash", "-n", file], check=False).returncode == 0
    assert b"\r" not in file.read_bytes()


def test_an_image_whose_python_is_too_old_is_told_in_one_sentence(packed, tmp_path):
    """setup.sh with an apt that finds nothing newer and a Python that does not fit."""
    folder = lay_out(tmp_path, packed, RIGHT)
    for name, code in (("apt-get", 0), ("python3", 1)):
        (folder / name).write_text(f"#!/bin/bash\nexit {code}\n")
        (folder / name).chmod(0o755)
    environment = {"PATH": str(folder), "AUTOGRADER": str(folder)}
    done = subprocess.run(["/bin/bash", folder / "source/setup.sh"], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stdout == "This image has no Python of 3.11 or newer; choose a newer Ubuntu in the assignment's autograder settings.\n"


def test_a_visibility_that_gradescope_does_not_know_stops_the_kit(tmp_path):
    shutil.copytree(TOYKIT, tmp_path / "toys")
    file = tmp_path / "toys/grading.toml"
    file.write_text(file.read_text().replace("zeros = 1", 'zeros = { points = 1, visibility = "never" }'))
    with pytest.raises(KitError, match="never"):
        read_kit(tmp_path / "toys")
