"""`python -m lessons.l15` as a reader runs it, and the text that goes with it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(folder, *words):
    """Exit code, output and errors of the lesson."""
    done = subprocess.run([sys.executable, "-m", "lessons.l15", *words], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def rows(text):
    """Labels and values of what was printed."""
    return dict(re.split(r" {2,}", line.strip(), maxsplit=1) for line in text.splitlines() if re.match(r" {3}\S.*\S {2,}\S", line))


def release(folder, *filled):
    """What students receive, with the solutions of some parts in the place of their stubs."""
    for name in ("exercises", "tiny_lm", "lessons"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for part in filled:
        shutil.copy(ROOT / "solutions" / f"{part}.py", folder / "exercises")
    return folder


@pytest.fixture(scope="module")
def whole():
    return run(ROOT, "--from", "solutions")


def test_the_whole_lesson_shows_its_numbers(whole):
    code, text, errors = whole
    shown = rows(text)
    assert (code, errors) == (0, "")
    assert shown["next layer, without a direct path"] == "[0, 0]"
    assert shown["next layer, with y = x + F(x)"] == "[3, 4]"
    assert shown["y = x + F(x)"] == "[9, 12]"
    assert (shown["dy/dx for F(x) = 2x"], shown["dy/dx for F(x) = -x"]) == ("3", "0")
    assert (shown["their mean"], shown["RMS"], shown["[3, 4] / RMS"]) == ("12.5", "3.535534", "[0.848528, 1.131371]")
    assert shown["RMSNorm of [3, 4]"] == "[0.848528, 1.131370]"
    assert shown["RMSNorm of [30, 40]"] == "[0.848528, 1.131371]"
    assert shown["RMSNorm of [0, 0]"] == "[0, 0]"
    assert (shown["trainable numbers at width 2"], shown["trainable numbers at width 64"]) == ("2", "64")
    assert shown["input and output"] == "[1, 3, 64] -> [1, 3, 64]"
    assert shown["every entry of it is finite"] == "yes"


def test_a_change_at_the_third_position_moves_the_third_and_the_fourth_only(whole):
    moves = [value.split()[1] for label, value in rows(whole[1]).items() if label.endswith("moves by at most")]
    assert moves == ["stays", "stays", "changes", "changes"]


def test_the_columns_line_up(whole):
    starts = {len(line) - len(line[3:].split("  ", 1)[1].lstrip()) for line in whole[1].splitlines() if line.startswith("   ")}
    assert len(starts) == 1


def test_no_answer_to_a_check_question_is_shown(whole):
    told = whole[1] + (ROOT / "lessons" / "l15.md").read_text(encoding="utf-8")
    assert not [number for number in ("35.35", "13.509", "0.9623", "1.0363") if number in told]


def test_it_stops_kindly_at_the_first_stub(tmp_path):
    code, text, errors = run(release(tmp_path))
    assert (code, errors) == (1, "")
    last = text.splitlines()[-1]
    assert last == "The lesson works as far as section 4; open exercises/rmsnorm.py next and write RMSNorm.__init__."


def test_it_goes_as_far_as_a_half_filled_folder_reaches(tmp_path):
    code, text, errors = run(release(tmp_path, "rmsnorm", "attention"))
    assert (code, errors) == (1, "")
    assert rows(text)["RMSNorm of [0, 0]"] == "[0, 0]"
    assert text.splitlines()[-1] == "The lesson works as far as section 6; open exercises/block.py next and write TransformerBlock.__init__."


@pytest.mark.parametrize(
    ("new", "place", "second"),
    [
        ("x * self.scal", "exercises/rmsnorm.py, line {}: AttributeError: 'RMSNorm' object has no attribute 'scal'", "    return x * self.scal"),
        ("x * self.scale)", "exercises/rmsnorm.py, line {}: unmatched ')'", "    return x * self.scale)"),
        ("None", "exercises/rmsnorm.py does not give what the lesson needs.", "    AttributeError: 'NoneType' object has no attribute 'detach'"),
    ],
)
def test_what_goes_wrong_in_a_students_class_is_shown_as_a_place_not_as_a_stack(tmp_path, new, place, second):
    file = release(tmp_path, "rmsnorm") / "exercises" / "rmsnorm.py"
    lines = file.read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.strip().startswith("return x *"))
    lines[at] = f"        return {new}"
    file.write_text("\n".join(lines), encoding="utf-8")
    code, shown, errors = run(tmp_path)
    assert (code, errors) == (1, "")
    assert shown.splitlines()[-3:] == ["The lesson works as far as section 4, but section 5 stopped:", place.format(at + 1), second]


def test_a_stub_without_its_sentence_still_says_where_to_go(tmp_path):
    file = release(tmp_path) / "exercises" / "rmsnorm.py"
    file.write_text(re.sub(r"NotImplementedError\(.*\)", "NotImplementedError", file.read_text(encoding="utf-8")), encoding="utf-8")
    assert run(tmp_path)[1].endswith("open exercises/rmsnorm.py next and write __init__.\n")


def test_another_folder_than_the_two_gets_one_sentence():
    assert run(ROOT, "--from", "answers") == (2, "", "--from takes exercises or solutions, not 'answers'.\n")


def test_a_release_has_no_solutions_and_says_so_in_one_sentence(tmp_path):
    code, text, errors = run(release(tmp_path), "--from", "solutions")
    assert (code, text) == (2, "")
    assert errors == "There is no folder solutions here; leave --from away to run the lesson with your own classes.\n"


def test_the_text_marks_a_place_for_every_exercise():
    text = (ROOT / "lessons" / "l15.md").read_text(encoding="utf-8")
    assert re.findall(r"^<!-- exercise: (\w+) -->$", text, re.MULTILINE) == ["rmsnorm", "attention", "block", "answers"]


def test_the_text_and_the_runner_have_the_same_sections():
    headings = re.findall(r"^## (\d+\. .+)$", (ROOT / "lessons" / "l15.md").read_text(encoding="utf-8"), re.MULTILINE)
    shown = re.findall(r'Section\("(.+?)"', (ROOT / "lessons" / "l15.py").read_text(encoding="utf-8"))
    assert [heading.split(". ", 1)[1] for heading in headings[: len(shown)]] == shown


def test_the_text_holds_no_line_of_a_solution():
    lines = {line.strip() for line in (ROOT / "lessons" / "l15.md").read_text(encoding="utf-8").splitlines()}
    for file in (ROOT / "solutions").glob("[!_]*.py"):
        regions = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", file.read_text(encoding="utf-8"), re.DOTALL)
        assert not lines & {line.split("#")[0].strip() for line in "".join(regions).splitlines() if line.strip()}
