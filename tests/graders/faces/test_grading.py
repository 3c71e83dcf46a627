"""Batches with --out, as their users meet them: what a second run grades again, what it tells, and whom it turns away."""

import csv
import json
import shutil
import signal
import subprocess
import sys
import time

import pytest

from graders.faces import folder, grading
from graders.model import KitError
from tests.graders.faces.conftest import ADDER, ROOT, TOYKIT, environment

SUBTRACTS = "def add(a, b):\n    return a - b\n"


def reports(out):
    """The reports in a folder of results, without the time that each took."""
    return {file.name: {**json.loads(file.read_text()), "seconds": 0} for file in out.glob("*.json")}


def written(out):
    """When each report was written, and as which file."""
    return {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in out.glob("*.json")}


@pytest.fixture
def classroom(submission):
    """Three students: one right, one wrong, one without mixer.py."""
    submission("ann")
    submission("bob", adder=SUBTRACTS)
    return submission("cy", mixer=None).parent


def test_the_same_command_again_grades_nothing_and_says_so(graders, classroom, tmp_path):
    out = tmp_path / "results"
    first = graders("grade", classroom, "--out", out)
    before, table = written(out), (out / "grades.csv").read_text()
    again = graders("grade", classroom, "--out", out)
    assert (first.returncode, again.returncode) == (0, 0)
    assert written(out) == before
    assert (out / "grades.csv").read_text() == table
    assert "3 of 3 still held and were not graded again." in " ".join(again.stdout.split())
    assert again.stdout.splitlines()[:5] == first.stdout.splitlines()[:5]


def test_what_is_missing_damaged_or_changed_is_graded_again_under_the_same_seed_and_nothing_else(graders, classroom, submission, tmp_path):
    out = tmp_path / "results"
    for name in ("dan", "eve"):
        submission(name)
    graders("grade", classroom, "--out", out)
    before, whole = written(out), reports(out)
    (out / "ann.json").unlink()
    (out / "bob.json").write_text((out / "bob.json").read_text()[:-40])
    (classroom / "cy/mixer.py").write_text((TOYKIT / "solutions/mixer.py").read_text())
    (out / "eve.json").write_bytes(b"\xff\0[[[")
    done = graders("grade", classroom, "--out", out)
    assert [name for name, when in written(out).items() if when == before.get(name)] == ["dan.json"]
    assert reports(out)["ann.json"] == whole["ann.json"]
    assert reports(out)["bob.json"] == whole["bob.json"]
    assert reports(out)["eve.json"] == whole["eve.json"]
    assert done.stdout.splitlines()[0] == "cy gained mixer.half, mixer.ends, together.chain: the submission changed (mixer.py)"
    assert len({one["seed"] for one in reports(out).values()}) == 1


def test_another_seed_grades_all_again_and_is_the_one_from_then_on(graders, classroom, tmp_path):
    out = tmp_path / "results"
    for words in (("--seed", 5), ("--seed", 6), ()):
        graders("grade", classroom, "--out", out, *words)
    assert {one["seed"] for one in reports(out).values()} == {6}


def test_new_content_grades_all_again_and_tells_who_won_and_lost(graders, classroom, tmp_path):
    kit, out = tmp_path / "kit", tmp_path / "results"
    shutil.copytree(TOYKIT, kit)
    graders("grade", classroom, "--out", out, kit=kit)
    before = written(out)
    text = (kit / "grading.toml").read_text()
    (kit / "grading.toml").write_text(text.replace("value = 1\n", "value = { points = 1, rtol = 1e9 }\n").replace("zeros = 1\n", ""))
    done = graders("grade", classroom, "--out", out, kit=kit)
    told = [line for line in done.stdout.splitlines() if "the kit's content or code changed" in line]
    assert [line.split(":")[0] for line in told] == [
        "ann lost adder.zeros",
        "bob gained adder.value and lost adder.zeros",
        "cy lost adder.zeros",
    ]
    assert not set(before.items()) & set(written(out).items())


def test_with_json_the_changes_go_where_they_disturb_nobody(graders, classroom, tmp_path):
    graders("grade", classroom, "--out", tmp_path / "results")
    (classroom / "ann/adder.py").write_text(SUBTRACTS)
    done = graders("grade", classroom, "--out", tmp_path / "results", "--json")
    assert [json.loads(line)["label"] for line in done.stdout.splitlines()] == ["ann", "bob", "cy"]
    assert done.stderr.startswith("ann lost adder.value")


def test_a_report_in_which_the_grader_itself_failed_is_made_again(graders, classroom, tmp_path):
    out = tmp_path / "results"
    graders("grade", classroom, "--out", out)
    document = json.loads((out / "ann.json").read_text())
    document["verdicts"][0] |= {"outcome": "void", "points": 0.0, "possible": 0.0}
    (out / "ann.json").write_text(json.dumps(document))
    done = graders("grade", classroom, "--out", out)
    assert done.returncode == 0
    assert "ann gained adder.value: the grader itself had failed" in done.stdout
    assert json.loads((out / "ann.json").read_text())["verdicts"][0]["outcome"] == "passed"


def test_results_among_the_submissions_are_none_and_other_reports_are_left_alone(graders, classroom):
    out = classroom / "results"
    assert graders("grade", classroom, "--out", out).returncode == 0
    shutil.rmtree(classroom / "bob")
    again = graders("grade", classroom, "--out", out)
    assert again.returncode == 0
    assert "1 more report there" in " ".join(again.stdout.split())
    assert sorted(reports(out)) == ["ann.json", "bob.json", "cy.json"]
    assert [row["label"] for row in csv.DictReader((out / "grades.csv").open())] == ["ann", "cy"]


ODD = ("=1+1", "-rf", "two words", "quote'\"s", "naïve 名前", "line\nbreak", "\t", ".hidden", "grades.csv", "a.json", "x" * 250, "a\\b", "[bold]")


@pytest.mark.parametrize("name", ODD)
def test_a_label_with_odd_signs_is_a_file_and_is_found_again(graders, submission, tmp_path, name):
    out = tmp_path / "results"
    folder = submission(name).parent
    if name.startswith("."):
        folder = folder / name  # a hidden folder is graded where it is named
    graders("grade", folder, "--out", out)
    [file] = out.glob("*.json")
    before = written(out)
    graders("grade", folder, "--out", out)
    assert written(out) == before
    assert json.loads(file.read_text())["points"] == 8.0


def test_a_second_run_on_a_folder_is_turned_away_and_disturbs_nothing(graders, classroom, tmp_path):
    out = tmp_path / "results"
    graders("grade", classroom, "--out", out)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    with folder.held(out):
        (out / ".ann.json.part").write_text("half a rep")
        done = graders("grade", classroom, "--out", out, "--seed", 1)
        assert (out / ".ann.json.part").read_text() == "half a rep"
    assert done.returncode == 2
    assert done.stderr == f"another run is writing to {out}; wait for its end, or name another folder with --out\n"
    assert done.stdout == ""
    (out / ".ann.json.part").unlink()
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


def test_a_lock_that_a_killed_run_left_is_nobodys(tmp_path):
    (tmp_path / ".lock").touch()
    with folder.held(tmp_path), pytest.raises(KitError), folder.held(tmp_path):
        pass
    with folder.held(tmp_path):
        assert (tmp_path / ".lock").exists()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_becomes_unwritable_ends_the_batch_in_a_sentence(graders, classroom, tmp_path):
    out = tmp_path / "results"
    (out / ".bob.json.part").mkdir(parents=True)
    done = graders("grade", classroom, "--out", out)
    assert done.returncode == 2
    assert done.stderr == f"{out / 'bob.json'} cannot be written (Is a directory); name another folder with --out\n"
    (out / ".bob.json.part").rmdir()
    assert graders("grade", classroom, "--out", out).returncode == 0
    assert sorted(reports(out)) == ["ann.json", "bob.json", "cy.json"]


def test_of_many_students_the_terminal_shows_the_average(graders, classroom, monkeypatch):
    monkeypatch.setattr(grading, "MANY", 2)
    words = graders("grade", classroom).stdout.split()
    assert words[words.index("average") :][:10] == ["average", "of", "3", "3.6667", "2", "0.3333", "6", "of", "8", "3"]
    assert "ann" not in words


@pytest.mark.skipif(sys.platform == "win32", reason="needs a signal that Windows does not send")
def test_after_kill_9_the_same_command_ends_with_what_an_unbroken_run_gives(graders, classroom, submission, tmp_path):
    for number in range(6):
        submission(f"eve-{number}", adder=ADDER if number % 2 else SUBTRACTS)
    out, unbroken = tmp_path / "results", tmp_path / "unbroken"
    command = [sys.executable, "-m", "graders", "grade", str(classroom), "--out", str(out), "--kit", str(TOYKIT)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()) as process:
        _wait_for_a_report(out)
        process.send_signal(signal.SIGKILL)
    left = written(out)
    assert 0 < len(left) < 9
    (out / f".{next(iter(left))}.part").write_text('{"label": ')
    done = graders("grade", classroom, "--out", out)
    assert done.returncode == 0
    assert f"{len(left)} of 9 still held" in " ".join(done.stdout.split())
    assert {name: when for name, when in written(out).items() if name in left} == left
    [seed] = {one["seed"] for one in reports(out).values()}
    graders("grade", classroom, "--out", unbroken, "--seed", seed)
    assert reports(out) == reports(unbroken)
    assert (out / "grades.csv").read_text() == (unbroken / "grades.csv").read_text()
    assert {file.name for file in out.iterdir()} == {file.name for file in unbroken.iterdir()}


def _wait_for_a_report(out, seconds=60):
    end = time.monotonic() + seconds
    while not list(out.glob("*.json")):
        assert time.monotonic() < end, "no report ever came"
        time.sleep(0.002)
