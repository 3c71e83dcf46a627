"""The book of hints: what it must not hold, and what a student is told from it in a real release."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graders.engine.hints import level
from graders.engine.kit import mistaken, read_kit, read_reference
from graders.engine.submission import read_submission
from graders.model import KitError
from graders.publish.book import BOOK, book
from graders.publish.leaks import leaks, secrets
from graders.publish.release import release, write_release
from graders.publish.stubs import regions

ROOT = Path(__file__).parents[3]
TOO_SMALL = "is divided by one less than the width"
TRIED = """
import importlib, json, sys
from exercises import _hints
parts = [importlib.import_module(f"exercises.{name}") for name in sys.argv[1:]]
print(json.dumps({part.__name__.split(".")[1]: _hints.tried(part.__name__.split(".")[1], vars(part)) for part in parts}))
"""
OWN = """
import json, sys, types
from exercises import _hints
for part, text in json.load(sys.stdin):
    module = types.ModuleType(f"exercises.{part}")
    module.__package__ = "exercises"
    exec(text, vars(module))
    print(_hints.hint(part, vars(module)).replace(chr(10), " "))
"""
CELL = """
import json, sys
from pathlib import Path
text, namespace = sys.stdin.read(), {}
exec(text, namespace)
[cell] = [cell for cell in json.loads(Path("lesson15.ipynb").read_text())["cells"] if cell["id"] == "rmsnorm-visible"]
try:
    exec(compile("".join(cell["source"]), "<cell>", "exec"), namespace)
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.fixture(scope="module")
def files():
    return release(ROOT)


@pytest.fixture
def solved(files, tmp_path):
    """A release with the solutions in the place of the stubs."""
    write_release(files, tmp_path / "release", ROOT)
    for file in (ROOT / "solutions").glob("[!_]*.py"):
        shutil.copy(file, tmp_path / "release/exercises")
    return tmp_path / "release"


@pytest.fixture
def kit(tmp_path):
    """A copy of the kit to write into, with the known mistakes of one part."""
    shutil.copytree(ROOT, tmp_path / "kit", ignore=shutil.ignore_patterns(".*", "__pycache__", "results", "tests", "examples"))
    for file in (tmp_path / "kit/graders/misconceptions").glob("*.toml"):
        if file.stem != "rmsnorm":
            file.unlink()
    return tmp_path / "kit"


def run(folder, *words, given=None):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": "", "COLUMNS": "300"}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False, input=given)
    assert not done.stderr, done.stderr
    return done.stdout


def edit(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def entries(files):
    return [(part, entry) for part, known in json.loads(files[BOOK])["parts"].items() for entry in known]


def test_no_right_number_is_in_the_book(files, solved):
    """Whatever an entry says at some place, the solution gives something else there."""
    right = json.loads(run(solved, "-c", TRIED, *read_reference(ROOT).parts))
    assert all(numbers or word == "0" for tries in right.values() for word, numbers in tries.values())
    compared = 0
    for part, entry in entries(files):
        assert entry["seen"]
        for place, wanted in entry["seen"].items():
            word, numbers = right[part].get(place, ("", []))
            if isinstance(wanted, str):
                assert wanted != word
                continue
            assert len(wanted) == len(numbers) and any(one is not None for one in wanted)
            for one, other in zip(wanted, numbers, strict=True):
                assert one is None or not abs(float(one) - other) <= 2e-3 * abs(other) + 2e-4
                compared += one is not None
    assert compared > 1000


def test_no_yes_or_no_is_in_the_book_for_a_wrong_one_tells_the_right_one(files):
    places = {place.split(".")[0] for part, entry in entries(files) for place in entry["seen"] if part == "answers"}
    assert places == {"answers_first", "answers_shifted", "answers_branch"}
    assert not {"true", "false"} & set(re.findall(r"[a-z]+", json.dumps([entry["seen"] for _, entry in entries(files)])))


def test_no_line_of_a_solution_is_in_the_book(files):
    text = "".join(files[BOOK].decode().split())
    for name, part in read_reference(ROOT).parts.items():
        lines = part.text.split("\n")
        for region in regions(part.text, name):
            for line in lines[region.begin : region.end - 1]:
                code = "".join(line.split("#")[0].split())
                assert len(code) < 6 or code not in text, code


def test_the_book_may_say_hints_and_no_other_file_may(files):
    hidden = secrets(ROOT)
    hint = read_kit(ROOT).misconceptions[0].hint.encode()
    assert hint in files[BOOK]
    assert list(leaks({BOOK: files[BOOK]}, hidden)) == []
    assert next(leaks({"README.md": hint}, hidden)).startswith("README.md holds a line of graders/misconceptions/")


@pytest.mark.parametrize("secret", ["inverse_rms = torch.rsqrt(mean_square + self.eps)", 'return {\\"then\\": read(parts, weights)}'])
def test_a_hint_that_holds_code_of_the_kit_stops_the_release(kit, secret):
    edit(kit / "graders/misconceptions/rmsnorm.toml", "Look at how the squares", f"Write {secret} here. Look at how the squares")
    with (kit / "graders/probes/attention.py").open("a") as file:
        file.write('\n\ndef both(parts, weights):\n    return {"then": read(parts, weights)}\n')
    with pytest.raises(KitError, match=r"exercises/hints\.json holds a line of (solutions/rmsnorm|graders/probes/attention)\.py, which no student"):
        release(kit)


def test_a_history_of_releases_with_hints_is_no_hindrance_and_an_answer_in_it_is_one(files, tmp_path):
    git = {**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    write_release(files, tmp_path, ROOT)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "release"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True, env=git)
    write_release(files, tmp_path, ROOT)
    shutil.copy(ROOT / "solutions/rmsnorm.py", tmp_path / BOOK)
    subprocess.run(["git", "-C", str(tmp_path), "commit", "-qam", "oops"], check=True, capture_output=True, env=git)
    with pytest.raises(KitError, match=r"hints\.json holds a line of solutions/rmsnorm\.py"):
        write_release(files, tmp_path, ROOT)


def test_every_mistake_in_the_book_is_told_its_own_hint_or_nothing(solved):
    known = [mistake for mistake in read_kit(ROOT).misconceptions if mistake.part in ("rmsnorm", "answers")]
    texts = [(mistake.part, mistaken(read_kit(ROOT), (mistake,))[mistake.part].text) for mistake in known]
    told = run(solved, "-c", OWN, given=json.dumps(texts)).split("\n")[:-1]
    assert [mistake.id for mistake, line in zip(known, told, strict=True) if line and mistake.hint not in line] == []
    assert sum(map(bool, told)) > 0.7 * len(known)


def test_a_known_mistake_is_told_at_the_end_by_both_commands_and_only_there(solved):
    edit(solved / "exercises/rmsnorm.py", "x.square().mean(dim=-1, keepdim=True)", "x.square().sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)")
    for words in (["-m", "pytest", "exercises", "-p", "no:cacheprovider"], ["-m", "exercises"]):
        *before, told, closing = [block for block in run(solved, *words).split("\n\n") if block.strip()]
        assert " ".join(told.split()).startswith(f"Your work on rmsnorm behaves like a known mistake: The sum of squares {TOO_SMALL}, as")
        assert re.fullmatch(r"\d+ of \d+ visible tests pass; open exercises/rmsnorm\.py next\.\n", closing)
        assert "behaves" not in "".join(before)


def test_a_notebook_beside_the_book_tells_it_below_the_tests_of_a_cell(solved):
    right = (ROOT / "solutions/rmsnorm.py").read_text(encoding="utf-8")
    wrong = right.replace(".mean(dim=-1, keepdim=True)", ".sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)")
    shown = run(solved, "-c", CELL, given=wrong)
    assert shown.count(TOO_SMALL) == 2 and "NotYet" in shown.split(TOO_SMALL)[1]
    assert "behaves" not in run(solved, "-c", CELL, given=right)
    (solved / "exercises/_hints.py").unlink()
    assert "behaves" not in run(solved, "-c", CELL, given=wrong)


def test_what_is_right_unwritten_or_unknown_is_like_nothing_in_the_book(files, solved):
    assert "behaves" not in run(solved, "-m", "pytest", "exercises", "-p", "no:cacheprovider")
    edit(solved / "exercises/rmsnorm.py", "return x * inverse_rms * self.scale", "return x * inverse_rms * self.scale + 0.123")
    (solved / "exercises/attention.py").write_bytes(files["exercises/attention.py"])
    assert "behaves" not in run(solved, "-m", "pytest", "exercises", "-p", "no:cacheprovider")


def test_what_comes_out_by_chance_and_what_ends_the_program_is_like_nothing_in_the_book(solved):
    edit(solved / "exercises/rmsnorm.py", "return x * inverse_rms", "if torch.rand(()) > 0.1:\n            return x\n        return x * inverse_rms")
    edit(solved / "exercises/block.py", "h = x + self", "import sys\n        sys.exit(3)\n        h = x + self")
    assert "behaves" not in run(solved, "-m", "pytest", "exercises", "-p", "no:cacheprovider")


def test_what_a_release_holds_beside_the_parts_is_no_part_of_what_is_handed_in(solved):
    assert set(read_submission(solved / "exercises", read_kit(ROOT)).parts) == set(read_reference(ROOT).parts)


def test_without_a_book_nothing_is_said(solved):
    (solved / BOOK).unlink()
    edit(solved / "exercises/rmsnorm.py", ".mean(dim=-1, keepdim=True)", ".sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)")
    assert "behaves" not in run(solved, "-m", "pytest", "exercises", "-p", "no:cacheprovider")
    (solved / BOOK).write_text("[", encoding="utf-8")
    assert "behaves" not in run(solved, "-m", "exercises")


def test_a_hint_comes_after_as_many_different_tries_as_the_kit_says(kit, tmp_path):
    with (kit / "grading.toml").open("a") as file:
        file.write("\n[release]\nhints = 3\n")
    write_release(release(kit), tmp_path / "release", kit)
    exercises = tmp_path / "release/exercises"
    right = (ROOT / "solutions/rmsnorm.py").read_text(encoding="utf-8")
    said = []
    for wrong in (".sum(dim=-1, keepdim=True)", ".sum(dim=-1, keepdim=True) ", ".amax(dim=-1, keepdim=True)", ".sum(dim=-1, keepdim=True)"):
        (exercises / "rmsnorm.py").write_text(right.replace(".mean(dim=-1, keepdim=True)", wrong), encoding="utf-8")
        lines = run(tmp_path / "release", "-m", "pytest", "exercises/test_rmsnorm.py", "-p", "no:cacheprovider").splitlines()
        said.append(next((re.sub(":.*", "", line) for line in lines if line.startswith(("Your work on rmsnorm", "A hint"))), ""))
    assert said[0] == said[1] == "A hint about your work on rmsnorm comes after 2 more tries."
    assert said[3] == "Your work on rmsnorm behaves like a known mistake"
    assert ".tries.json" in (tmp_path / "release/.gitignore").read_text()


def test_a_kit_that_wants_no_hints_gives_none(kit):
    with (kit / "grading.toml").open("a") as file:
        file.write('\n[release]\nhints = "none"\n')
    assert book(read_kit(kit)) == {} and BOOK not in release(kit)


@pytest.mark.parametrize("words", ['hints = "sometimes"', "hints = 0", "hints = true", "hnits = 3", "hints = 2.5"])
def test_another_word_for_the_hints_is_one_sentence_that_says_what_to_write(tmp_path, words):
    (tmp_path / "grading.toml").write_text(f"[release]\n{words}\n", encoding="utf-8")
    with pytest.raises(KitError, match=r'grading\.toml: .*; write hints = "none", "always", or a number of tries from 1 on') as error:
        level(tmp_path)
    assert "\n" not in str(error.value)


def test_a_try_of_no_part_is_refused(kit):
    with (kit / "graders/probes/visible.py").open("a") as file:
        file.write('\n\ndef other(parts, draw):\n    """Nothing."""\n    return {}\n')
    with pytest.raises(KitError, match=r"visible\.py: other begins with no part's name; call it after the part that it tries"):
        book(read_kit(kit))
