"""`python -m exercises`, as a student sees it: real runs in a folder that holds only what students receive."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from graders.engine.kit import read_kit
from graders.engine.submission import read_submission

pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")

ROOT = Path(__file__).parents[2]
DEADLINE = 120  # seconds for anything at all; this machine may be busy
DONE = r"(All visible tests pass; hidden checks remain\.|\d+ of \d+ visible tests pass.*; open exercises/\w+\.py next\.)\r?\n"


def run(folder, *words):
    """Exit code and text of `python -m exercises`."""
    command, wide = [sys.executable, "-m", "exercises", *words], {"COLUMNS": "120", **os.environ}
    done = subprocess.run(command, cwd=folder, env=wide, capture_output=True, text=True, check=False, timeout=DEADLINE)
    assert not done.stderr
    return done.returncode, done.stdout


def edit(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


class Terminal:
    """`python -m exercises --watch` in a terminal of its own."""

    def __init__(self, folder, *words):
        self.text = ""
        self.pid, self.screen = pty.fork()
        if not self.pid:
            os.chdir(folder)
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored where these tests run in the background, and then by all that they start
            os.execv(sys.executable, [sys.executable, "-m", "exercises", "--watch", *words])

    def read(self, pattern):
        """What is shown up to the first match, which is taken away."""
        end = time.monotonic() + DEADLINE
        while not (found := re.search(pattern, self.text)):
            ready, _, _ = select.select([self.screen], [], [], max(0, end - time.monotonic()))
            assert ready, self.text
            self.text += os.read(self.screen, 65536).decode()
        shown, self.text = self.text[: found.end()], self.text[found.end() :]
        return shown

    def interrupt(self):
        """Press Ctrl-C; exit code and the rest of the text."""
        os.write(self.screen, b"\x03")
        rest, end = self.text, time.monotonic() + DEADLINE
        try:
            while select.select([self.screen], [], [], max(0, end - time.monotonic()))[0] and (more := os.read(self.screen, 65536)):
                rest += more.decode()
            assert time.monotonic() < end, rest
        except OSError:  # how Linux says that the other end is closed
            pass
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.pid = 0
        return code, rest

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.screen)


@pytest.fixture
def terminal(request):
    """Opens terminals that are closed afterwards."""

    def opened(folder, *words):
        one = Terminal(folder, *words)
        request.addfinalizer(one.close)
        return one

    return opened


def test_on_stubs_the_path_shows_every_exercise_and_what_to_write_first(handed_out):
    code, text = run(handed_out)
    lines = text.splitlines()
    assert code == 1
    assert re.match(r"1  exercises/rmsnorm\.py +next +0 of \d+ +divide a vector", lines[0])
    assert [re.split(r"  +", line)[1:3] for line in lines[1:4]] == [[f"exercises/{name}.py", "not yet"] for name in ("attention", "block", "answers")]
    assert lines[-3] == "Open exercises/rmsnorm.py and write RMSNorm.__init__."
    assert re.fullmatch(r"0 of \d+ visible tests pass; open exercises/rmsnorm\.py next\.", lines[-1])


def test_with_everything_right_all_is_done_and_the_rest_is_said_plainly(solved):
    code, text = run(solved)
    assert code == 0
    assert text.count("  done  ") == len(list((solved / "exercises").glob("test_*.py")))
    assert text.endswith("All visible tests pass; hidden checks remain.\n")


def test_a_failure_shows_what_was_tried_and_fits_a_screen(solved):
    edit(solved / "exercises/rmsnorm.py", "return x * inverse_rms", "print('looked')\n        return 2 * x * inverse_rms")
    code, text = run(solved)
    assert code == 1
    assert "This does not hold yet: three and four keep their ratio and get a root mean square of one\nexercises/test_rmsnorm.py:" in text
    assert "Printed on the way:\nlooked\n" in text
    assert len(text.splitlines()) <= 24


def test_an_exercise_that_builds_on_a_broken_one_waits_for_it(solved):
    edit(solved / "exercises/attention.py", "self.heads = heads", "self.heads = (heads")
    _, text = run(solved)
    assert re.search(r"exercises/attention\.py +next", text)
    assert re.search(r"exercises/block\.py +waits for attention\.py", text)
    assert "exercises/attention.py, line" in text and "'(' was never closed" in text


def test_a_class_that_is_not_there_is_told_in_its_own_file(solved):
    edit(solved / "exercises/rmsnorm.py", "class RMSNorm", "class RmsNorm")
    _, text = run(solved)
    assert re.search(r"exercises/rmsnorm\.py +next", text)
    assert re.search(r"exercises/block\.py +cannot start", text)
    assert "cannot import name 'RMSNorm' from 'exercises.rmsnorm'" in text


def bare(tmp_path):
    """A Python that has nothing but the standard library."""
    venv.create(tmp_path / "bare", with_pip=False)
    return tmp_path / "bare/bin/python"


@pytest.mark.parametrize("module", ["exercises", "lessons.l15", "lessons.residual"])
def test_without_torch_the_lines_to_type_are_told(handed_out, tmp_path_factory, module):
    shutil.copytree(ROOT / "lessons", handed_out / "lessons", ignore=shutil.ignore_patterns("__pycache__"))
    python = bare(tmp_path_factory.mktemp("python"))
    done = subprocess.run([python, "-m", module], cwd=handed_out, capture_output=True, text=True, check=False, timeout=DEADLINE)
    typed = "    python3 -m venv .venv\n    . .venv/bin/activate\n    python -m pip install -r requirements.txt\n"
    assert done.returncode == 2
    assert done.stdout + done.stderr == f"torch is not installed for this Python. In the folder that holds exercises/, type:\n{typed}"


def test_a_file_that_is_gone_is_named_first_and_how_to_get_it_back(handed_out):
    (handed_out / "exercises/rmsnorm.py").unlink()
    code, text = run(handed_out)
    assert code == 1
    assert text.startswith("1  exercises/rmsnorm.py    missing\n")
    assert "\nexercises/rmsnorm.py is not there. Copy it again" in text
    assert text.endswith("; get exercises/rmsnorm.py back first.\n")


def test_at_80_columns_the_next_title_is_whole_and_no_word_is_cut(handed_out, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(handed_out)[1].split("\n\n")[0].splitlines()
    assert max(map(len, lines)) <= 80
    assert re.fullmatch(r"1 .* divide a vector by its own size", lines[0]) and lines[1].strip() == "before a branch reads it"
    assert re.search(r"let each position gather from \.\.\.$", lines[2])


def test_a_loop_without_end_is_stopped_and_its_line_named(solved):
    edit(solved / "exercises/rmsnorm.py", "mean_square = x", "while True:\n            pass\n        mean_square = x")
    line = (solved / "exercises/rmsnorm.py").read_text(encoding="utf-8").split("pass\n")[0].count("\n")
    code, text = run(solved, "--seconds", "5")
    assert code == 1
    assert re.fullmatch(rf"Stopped after 5 s at exercises/rmsnorm\.py, line ({line}|{line + 1}), in forward\. Does a loop there never end\?\n", text)


@pytest.mark.parametrize("words", [[], ["--no-fork"]])  # as on Linux; as on Windows and macOS, and without watchfiles
def test_a_save_gets_a_new_verdict_a_syntax_error_its_line_and_ctrl_c_a_clean_end(handed_out, terminal, words):
    file = handed_out / "exercises/rmsnorm.py"
    if words:
        (handed_out / "watchfiles.py").write_text("raise ImportError", encoding="utf-8")
    shown = terminal(handed_out, *words)
    first = shown.read(DONE)
    assert ("takes a new process" in first) == ("-m pip install watchfiles" in first) == bool(words)
    assert "0 of" in first
    right = (ROOT / "solutions/rmsnorm.py").read_text(encoding="utf-8")
    file.write_text(right, encoding="utf-8")
    verdict = shown.read(DONE)
    assert "-- Saved exercises/rmsnorm.py (" in verdict
    assert re.search(r"exercises/rmsnorm\.py +done", verdict)
    file.write_text(right.replace("self.eps = eps", "self.eps = (eps"), encoding="utf-8")
    broken = shown.read(DONE)
    line = right.split("self.eps = eps")[0].count("\n") + 1
    assert f"exercises/rmsnorm.py, line {line}: '(' was never closed\r\n" in broken
    assert "Traceback" not in broken and "_run.py" not in broken
    code, rest = shown.interrupt()
    assert code == 0
    assert rest.split() == ["^C", "Ended."]


def test_two_saves_of_one_size_within_a_second_are_both_read(solved, terminal):
    file = solved / "exercises/answers.py"
    shown = terminal(solved)
    assert "All visible tests pass" in shown.read(DONE)
    for old, new, verdict in (("35.355339", "99.355339", "open exercises/answers.py next"), ("99.355339", "35.355339", "All visible tests pass")):
        edit(file, old, new)
        assert verdict in shown.read(DONE)


def test_a_stopped_run_does_not_end_the_watch(solved, terminal):
    file = solved / "exercises/rmsnorm.py"
    shown = terminal(solved, "--seconds", "8")
    shown.read(DONE)
    edit(file, "mean_square = x", "while True: pass\n        mean_square = x")
    assert "Stopped after 8 s at exercises/rmsnorm.py, line" in shown.read("never end")
    edit(file, "while True: pass\n        mean_square = x", "mean_square = x")
    assert "All visible tests pass" in shown.read(DONE)


def test_the_commands_own_files_are_no_part_of_what_is_handed_in(solved):
    submission = read_submission(solved / "exercises", read_kit(ROOT))
    assert set(submission.parts) == {file.name[len("test_") : -len(".py")] for file in (ROOT / "exercises").glob("test_*.py")}
