"""The students' own workflow: its script is run as GitHub's runner runs it, in a folder that stands for the student's repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graders.publish.release import WORKFLOW, release, write_release

ROOT = Path(__file__).parents[3]
yaml = pytest.importorskip("yaml", reason="reads the workflow")
FILES = release(ROOT)
LOUD = """import os
for file in range(1, 40):
    try:
        os.write(file, b'\\n::error::owned\\n')
    except OSError:
        pass
os._exit(0)
"""


@pytest.fixture
def repository(tmp_path):
    """A student's repository in which everything is solved."""
    folder = tmp_path / "repository"
    write_release(FILES, folder, ROOT)
    for file in (ROOT / "solutions").glob("[!_]*.py"):
        shutil.copy(file, folder / "exercises" / file.name)
    return folder


def workflow():
    return yaml.safe_load(FILES[WORKFLOW])


def push(repository):
    """Run the last step's script with bash, where `python` is this one and sudo is not to be had."""
    tools = Path(sys.executable).parent
    step = workflow()["jobs"]["visible"]["steps"][-1]
    environment = {**os.environ, **step["env"], "PATH": f"{tools}:/usr/bin:/bin", "GITHUB_OUTPUT": "/tmp/secret", "OMP_NUM_THREADS": "1"}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, timeout=300, check=False)


def test_the_workflow_may_read_and_nothing_else_and_knows_every_given_file():
    document = workflow()
    assert document["permissions"] == {"contents": "read"}
    assert document["jobs"]["visible"]["steps"][0]["with"] == {"persist-credentials": False}
    step = document["jobs"]["visible"]["steps"][-1]
    listed = {line.split("  ")[1] for line in step["env"]["DIGESTS"].splitlines()} | set(step["env"]["PARTS"].split())
    assert listed == {path for path in FILES if path.split("/")[0] in ("exercises", "tiny_lm", "lessons")}


def test_solved_is_green_whatever_else_the_student_added(repository):
    """Files beside the given ones are not taken along, and the code sees none of the runner's variables."""
    (repository / "conftest.py").write_text("raise SystemExit('taken along')")
    (repository / "exercises/torch.py").write_text("raise SystemExit('taken along')")
    part = repository / "exercises/rmsnorm.py"
    part.write_text(part.read_text() + "\nimport os\nassert not {'GITHUB_OUTPUT', 'DIGESTS', 'word'} & set(os.environ)\n")
    done = push(repository)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All visible tests pass" in done.stdout


@pytest.mark.parametrize("path", ["exercises/test_block.py", "exercises/conftest.py", "tiny_lm/attention.py"])
def test_a_given_file_that_was_changed_turns_it_red_before_anything_runs(repository, path):
    (repository / path).write_text("")
    done = push(repository)
    assert done.returncode == 1
    assert path in done.stdout
    assert "are not as they were given" in done.stdout
    assert "collected" not in done.stdout


def test_code_that_ends_the_run_early_does_not_turn_it_green_and_gives_no_orders(repository):
    """What it prints past pytest lies between the two words, where the runner obeys nothing."""
    (repository / "exercises/rmsnorm.py").write_text(LOUD)
    done = push(repository)
    assert done.returncode == 1
    assert "The tests were ended before they were finished." in done.stdout
    said = done.stdout.splitlines()
    word = re.search(r"^::stop-commands::(\w{40})$", done.stdout, re.MULTILINE)[1]
    start, end = said.index(f"::stop-commands::{word}"), said.index(f"::{word}::")
    orders = [number for number, line in enumerate(said) if line == "::error::owned"]
    assert orders
    assert all(start < number < end for number in orders)
