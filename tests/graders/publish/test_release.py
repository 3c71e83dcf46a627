"""What students receive: real files in a real folder, searched, run, solved."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graders.engine.kit import read_reference
from graders.model import KitError
from graders.publish.leaks import leaks, secrets
from graders.publish.release import RECORD, release, write_release

ROOT = Path(__file__).parents[3]
GIT = {**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


@pytest.fixture(scope="module")
def files():
    return release(ROOT)


@pytest.fixture
def released(files, tmp_path):
    write_release(files, tmp_path / "release", ROOT)
    return tmp_path / "release"


def run(folder, *words):
    """A Python of its own, in the folder, that finds nothing of the kit."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)


def written(folder):
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def git(folder, *words):
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, env=GIT)


def test_a_release_holds_nothing_but_the_allowed_files(released):
    tops = {path.split("/")[0] for path in written(released)}
    tops -= {path for path in tops if path.endswith(".ipynb")}
    known = {"exercises", "tiny_lm", "lessons", "README.md", "requirements.txt", "pyproject.toml", ".gitignore", ".gitattributes", ".github", RECORD}
    assert known <= tops
    assert all(top.startswith("requirements") for top in tops - known)
    kinds = {"py", "md", "txt", "toml", "yml", "json", "ipynb", "png", "svg", "gitignore", "gitattributes"}
    assert {path.rsplit(".", 1)[-1] for path in written(released)} <= kinds


def test_no_file_of_a_release_holds_a_line_of_an_answer_a_probe_a_hint_or_the_points(released):
    hidden = secrets(ROOT)
    sources = {secret.source for secret in hidden}
    for part in read_reference(ROOT).parts:
        assert f"solutions/{part}.py" in sources
    assert "grading.toml" in sources
    assert any(source.startswith("graders/misconceptions/") for source in sources)
    assert any(source.startswith("graders/probes/") for source in sources)
    assert list(leaks(written(released), hidden)) == []


def test_every_answer_is_found_where_it_is_hidden_in_other_white_space():
    hidden = secrets(ROOT)
    for name, part in read_reference(ROOT).parts.items():
        pressed = part.text.replace("\n", "\r\n").replace("    ", "\t")
        assert list(leaks({"a": pressed.encode()}, hidden)) == [f"a holds a line of solutions/{name}.py"]


def test_exercises_are_cut_anew_whatever_the_kit_holds_there(tmp_path):
    kit = tmp_path / "kit"
    shutil.copytree(ROOT, kit, ignore=shutil.ignore_patterns(".*", "__pycache__", "results", "tests", "examples"))
    for file in (kit / "solutions").glob("[!_]*.py"):
        shutil.copy(file, kit / "exercises" / file.name)
    shutil.copy(kit / "solutions/answers.py", kit / "exercises/notes.py")
    (kit / "lessons/draft.txt").write_text("q1_rms_scaled")
    assert release(kit) == release(ROOT)


def test_a_kit_whose_given_files_hold_an_answer_is_not_released(tmp_path):
    kit = tmp_path / "kit"
    shutil.copytree(ROOT, kit, ignore=shutil.ignore_patterns(".*", "__pycache__", "results", "tests", "examples"))
    shutil.copy(kit / "solutions/rmsnorm.py", kit / "lessons/spoiler.py")
    with pytest.raises(KitError, match=r"lessons/spoiler\.py holds a line of solutions/rmsnorm\.py, which no student may receive; "):
        release(kit)


def test_a_release_runs_alone_and_turns_green_with_the_solutions(released):
    untouched = run(released, "-m", "pytest", "-p", "no:cacheprovider")
    assert untouched.returncode == 1
    assert "0 of " in untouched.stdout.splitlines()[-1]
    for file in (ROOT / "solutions").glob("[!_]*.py"):
        shutil.copy(file, released / "exercises" / file.name)
    solved = run(released, "-m", "pytest", "-p", "no:cacheprovider")
    assert solved.returncode == 0, solved.stdout
    lesson = run(released, "-m", "lessons.l15")
    assert lesson.returncode == 0, lesson.stderr


def test_an_earlier_release_is_brought_up_to_date(files, released):
    (released / "exercises/rmsnorm.py").write_text("old")
    (released / "notes.txt").write_text("mine")
    less = {path: content for path, content in files.items() if path != "README.md"}
    write_release(less, released, ROOT)
    assert (released / "exercises/rmsnorm.py").read_bytes() == files["exercises/rmsnorm.py"]
    assert not (released / "README.md").exists()
    assert (released / "notes.txt").read_text() == "mine"


def test_a_folder_with_other_files_is_left_alone_unless_forced(files, tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(KitError, match=r"neither empty nor an earlier release \(thesis\.tex is in it\); .*--force"):
        write_release(files, tmp_path, ROOT)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]
    write_release(files, tmp_path, ROOT, force=True)
    assert (tmp_path / "exercises/rmsnorm.py").exists()


@pytest.mark.parametrize("force", [False, True])
def test_an_answer_that_lies_in_the_folder_is_refused_even_with_force(files, released, force):
    shutil.copy(ROOT / "solutions/answers.py", released / "my_notes.txt")
    with pytest.raises(KitError, match=r"my_notes\.txt holds a line of solutions/answers\.py, so students would receive it"):
        write_release(files, released, ROOT, force)


@pytest.mark.parametrize("path", ["solutions/rmsnorm.py", "exercises/rmsnorm.py"])
def test_an_answer_in_the_git_history_is_refused(files, released, path):
    """An answer that was committed and removed again would still be in every clone."""
    git(released, "init", "-q")
    (released / "solutions").mkdir()
    shutil.copy(ROOT / "solutions/rmsnorm.py", released / path)
    git(released, "add", "-A")
    git(released, "commit", "-qm", "oops")
    shutil.rmtree(released / "solutions")
    shutil.copy(ROOT / "exercises/rmsnorm.py", released / "exercises/rmsnorm.py")
    git(released, "add", "-A")
    git(released, "commit", "-qm", "gone")
    with pytest.raises(KitError, match=r"git history holds .*solutions/rmsnorm\.py, so students would receive it; release into a new folder"):
        write_release(files, released, ROOT)


def test_a_history_of_releases_alone_is_no_hindrance(files, released):
    git(released, "init", "-q")
    git(released, "add", "-A")
    git(released, "commit", "-qm", "release")
    write_release(files, released, ROOT)


def test_a_link_in_an_earlier_release_is_not_written_through(files, released, tmp_path):
    (tmp_path / "outside").write_text("mine")
    (released / "README.md").unlink()
    (released / "README.md").symlink_to(tmp_path / "outside")
    write_release(files, released, ROOT)
    assert (tmp_path / "outside").read_text() == "mine"
    assert (released / "README.md").read_bytes() == files["README.md"]


def test_the_command_says_what_it_wrote_and_refuses_in_one_sentence(tmp_path):
    done = run(ROOT, "-m", "graders", "release", str(tmp_path / "new"))
    assert done.returncode == 0
    assert done.stdout.endswith(f" files written to {tmp_path / 'new'}\n")
    (tmp_path / "file").write_text("")
    refused = run(ROOT, "-m", "graders", "release", str(tmp_path / "file"))
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "Traceback" not in refused.stderr


def test_a_release_can_say_where_a_student_is(released):
    done = run(released, "-m", "exercises")
    assert done.returncode == 1 and not done.stderr
    assert "visible tests pass; open exercises/" in done.stdout.splitlines()[-1]
