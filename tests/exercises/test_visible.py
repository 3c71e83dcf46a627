"""What a student sees of `pytest exercises`: real runs in a folder that holds only what students receive."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOLVED = "All visible tests pass; hidden checks remain."


def release(folder):
    """A folder with the stubs, the given parts and the lessons, nothing else."""
    for name in ("exercises", "tiny_lm", "lessons"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "exercises"


def solved(folder):
    """The same with the solutions in the place of the stubs."""
    exercises = release(folder)
    for file in (ROOT / "solutions").glob("[!_]*.py"):
        shutil.copy(file, exercises)
    return exercises


def edit(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def run(folder, *words):
    """Exit code and lines of a pytest of its own."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.rstrip().splitlines()


@pytest.fixture(scope="module")
def on_stubs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stubs")
    release(folder)
    return run(folder, "exercises")


@pytest.fixture(scope="module")
def on_solutions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("solved")
    edit(solved(folder) / "rmsnorm.py", "class RMSNorm", "import warnings\n\nwarnings.warn('noise')\n\n\nclass RMSNorm")
    return run(folder, "exercises")


def test_every_untouched_stub_is_one_line_that_says_what_to_open(on_stubs):
    code, lines = on_stubs
    count = int(re.search(r"collected (\d+) items", "\n".join(lines))[1])
    told = lines[next(i for i, line in enumerate(lines) if "not written yet" in line) + 1 :][:count]
    assert code == 1
    assert all(re.fullmatch(r"test_\S+ +Open exercises/\w+\.py and write [\w.]+\.", line) for line in told)
    assert f"{count} unfinished in" in lines[-2]


def test_on_stubs_the_last_sentence_sends_to_the_first_exercise(on_stubs):
    assert re.fullmatch(r"0 of \d+ visible tests pass; open exercises/rmsnorm\.py next\.", on_stubs[1][-1])


def test_stubs_show_no_traceback(on_stubs):
    assert not [line for line in on_stubs[1] if line.startswith("E ") or "Error" in line or "FAILURES" in line]


def test_tests_run_in_the_order_of_the_lesson(on_stubs):
    files = list(dict.fromkeys(re.findall(r"^exercises/test_(\w+)\.py", "\n".join(on_stubs[1]), re.MULTILINE)))
    assert files[:4] == ["rmsnorm", "attention", "block", "answers"]


def test_with_the_solutions_all_is_green_and_warnings_do_not_clutter(on_solutions):
    code, lines = on_solutions
    assert code == 0
    assert lines[-1] == SOLVED
    assert "warning" not in "\n".join(lines)


def test_a_syntax_error_is_two_lines_and_stops_nothing_else(tmp_path):
    exercises = solved(tmp_path)
    edit(exercises / "attention.py", "self.out_proj(merge_heads(context))", "self.out_proj(merge_heads(context)")
    before = (exercises / "attention.py").read_text(encoding="utf-8").split("return self.out_proj")[0]
    code, lines = run(tmp_path, "exercises")
    at = next(i for i, line in enumerate(lines) if "ERROR collecting exercises/test_attention.py" in line)
    assert code == 1
    assert lines[at + 1] == f"exercises/attention.py, line {before.count(chr(10)) + 1}: '(' was never closed"
    assert lines[at + 2].startswith("    return self.out_proj(")
    assert lines[at + 3].startswith(("=", "_"))
    assert "exercises/test_rmsnorm.py ..." in "\n".join(lines)
    passed, total = re.match(r"(\d+) of (\d+) visible tests pass and 2 test files could not start;", lines[-1]).groups()
    assert lines[-1].endswith("; open exercises/attention.py next.")
    stuck = sum((exercises / name).read_text(encoding="utf-8").count("\ndef test_") for name in ("test_attention.py", "test_block.py"))
    assert int(total) == int(passed) + stuck


def test_a_name_that_is_not_there_is_told_without_a_stack(tmp_path):
    edit(solved(tmp_path) / "rmsnorm.py", "class RMSNorm", "class RmsNorm")
    _, lines = run(tmp_path, "exercises/test_rmsnorm.py")
    assert [line for line in lines if "cannot import name 'RMSNorm' from 'exercises.rmsnorm'" in line]
    assert not [line for line in lines if "importlib" in line or "site-packages" in line]
    assert lines[-1].endswith("1 test file could not start; open exercises/rmsnorm.py next.")


def test_wrong_values_and_crashes_show_the_students_lines_only(tmp_path):
    exercises = solved(tmp_path)
    edit(exercises / "rmsnorm.py", "x * inverse_rms", "2 * x * inverse_rms")
    edit(exercises / "attention.py", "merge_heads(context)", "merge_heads(contxt)")
    code, lines = run(tmp_path, "exercises")
    text = "\n".join(lines)
    assert code == 1
    assert re.search(r"^exercises/test_rmsnorm\.py:\d+: in test_\w+$", text, re.MULTILINE)
    assert re.search(r"^exercises/attention\.py:\d+: in forward$", text, re.MULTILINE)
    assert "E   NameError: name 'contxt' is not defined" in text
    assert "site-packages" not in text
    assert re.fullmatch(r"\d+ of \d+ visible tests pass; open exercises/rmsnorm\.py next\.", lines[-1])


def test_a_failure_shows_numbers_without_addresses_and_long_lists(tmp_path):
    exercises = solved(tmp_path)
    edit(exercises / "rmsnorm.py", "self.scale = nn.Parameter(torch.ones(width))", "self.register_buffer('scale', 0.5 * torch.ones(width))")
    _, lines = run(tmp_path, "exercises")
    text = "\n".join(lines)
    assert "E   got [0.42426, 0.56569], shape (2,)\nE   expected [0.84853, 1.1314], shape (2,)\n" in text
    assert "E   got a tensor of shape (64,), a Tensor\nE   expected a Parameter\n" in text
    assert not re.search(r"0x[0-9a-f]{6}|grad_fn=|built-in|where False|\\n", text)
    assert max(map(len, lines)) <= 170


def test_wrong_attention_is_told_by_place_or_by_shape(tmp_path):
    file = solved(tmp_path) / "attention.py"
    edit(file, "causal=True", "causal=False")
    _, lines = run(tmp_path, "exercises/test_attention.py")
    text = "\n".join(lines)
    assert re.search(r"E   \d+ of 128 numbers differ, in the shape \(1, 2, 64\)\nE   at \[0, 0, 0\]: got -?[\d.]+, expected -?[\d.]+\n", text)
    edit(file, "merge_heads(context))", "merge_heads(context))[:, 1:]")
    _, lines = run(tmp_path, "exercises/test_attention.py")
    text = "\n".join(lines)
    assert "E   got (2, 4, 12)\nE   expected (2, 5, 12)\n" in text
    assert "E   got a tensor of shape (3, 0, 8)\nE   expected a tensor of shape (3, 1, 8)\n" in text


def test_an_answer_of_another_kind_is_told_as_it_is(tmp_path):
    edit(solved(tmp_path) / "answers.py", "35.355339", "'much'")
    _, lines = run(tmp_path, "exercises/test_answers.py")
    assert "E   got answers.q1_rms_scaled = 'much'\nE   expected 30 < answers.q1_rms_scaled < 40" in "\n".join(lines)


def test_a_file_that_is_gone_comes_first_with_how_to_get_it_back_and_the_total_stays(tmp_path):
    exercises = release(tmp_path)
    total = re.search(r"0 of (\d+) ", run(tmp_path, "exercises")[1][-1])[1]
    (exercises / "rmsnorm.py").unlink()
    code, lines = run(tmp_path, "exercises")
    assert code == 1
    assert "exercises/rmsnorm.py is not there. Copy it again from what you were given (in git: git checkout -- exercises/rmsnorm.py)." in lines
    assert lines[-1].startswith(f"0 of {total} visible tests pass and ")
    assert lines[-1].endswith("; get exercises/rmsnorm.py back first.")


def test_started_inside_the_folder_and_for_a_few_tests_only(tmp_path):
    code, lines = run(solved(tmp_path), "test_rmsnorm.py")
    assert code == 0
    assert re.fullmatch(r"The visible tests you chose pass \(\d+\)\.", lines[-1])


def test_with_the_kits_own_settings_the_stubs_read_the_same(tmp_path, on_stubs):
    release(tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    code, lines = run(tmp_path, "exercises")
    assert code == 1
    assert lines[-1] == on_stubs[1][-1]
