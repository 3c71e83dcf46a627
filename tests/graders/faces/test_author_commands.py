"""`new` and `unnamed --name` as an author meets them: real processes on a copy of the toy kit."""

import shutil
import subprocess
import tomllib
import venv
from pathlib import Path

import pytest

from tests.graders.faces.conftest import TOYKIT, program

ROOT = Path(__file__).parents[3]
SKELETON = ("solutions/swiglu.py", "exercises/test_swiglu.py", "graders/probes/swiglu.py", "graders/misconceptions/swiglu.toml", "grading.toml")
SOLUTION = '''"""Exercise 3: double."""


def swiglu(x):
    """Give twice x."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
'''


@pytest.fixture
def kit(tmp_path):
    return shutil.copytree(TOYKIT, tmp_path / "toys")


@pytest.fixture
def graders(kit):
    """Run `python -m graders` on this kit: exit code, output and errors."""

    def run(*words):
        done = program("-m", "graders", *words, "--kit", kit, COLUMNS="300")
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    return run


def contents(folder):
    return {file.relative_to(folder).as_posix(): file.read_text() for file in folder.rglob("*.*") if file.suffix in (".py", ".toml")}


def test_new_writes_five_skeletons_and_says_which(graders, kit):
    before = contents(kit)
    code, out, err = graders("new", "swiglu")
    assert (code, err) == (0, "")
    assert out.startswith(f"written: {', '.join(SKELETON)}; fill them in and run `python -m graders check`")
    assert {name for name, text in contents(kit).items() if before.get(name) != text} == set(SKELETON)


def test_check_then_says_file_by_file_what_comes_next(graders, kit):
    graders("new", "swiglu")
    code, out, err = graders("check", "--seeds", 1)
    assert (code, err) == (1, "")
    assert "the reference fails the probe swiglu.value (write solutions/swiglu.py); mend solutions/ or the probe, then run" in out
    (kit / "solutions/swiglu.py").write_text(SOLUTION)
    code, out, err = graders("check", "--seeds", 1)
    assert (code, err) == (1, "")
    assert "exercises/swiglu.py" in out and "python -m graders stubs" in out
    graders("stubs")
    assert "exercises/swiglu.py" not in graders("check", "--seeds", 1)[1]
    (kit / "graders/probes/swiglu.py").unlink()
    code, _, err = graders("check", "--seeds", 1)
    assert code == 1
    assert "graders/probes/swiglu.py: not there, but grading.toml has points for it; write it or remove the table" in err


def test_a_broken_early_promise_ends_the_check_and_says_so(graders):
    code, out, _ = graders("check", "--seeds", 1)
    assert code == 1
    assert "run `python -m graders stubs`" in out
    assert out.splitlines()[-1] == "not run 6 more promises: mend what is broken above, then check again"


def test_one_part_is_checked_alone(graders, kit):
    (kit / "exercises").mkdir()
    graders("stubs")
    (kit / "exercises/test_adder.py").write_text("from exercises.adder import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n")
    code, out, _ = graders("check", "adder", "--seeds", 1)
    assert code == 1
    assert "adder.zeros: no known mistake fails it" in out and "mixer." not in out and "not run" not in out
    code, out, err = graders("check", "addr")
    assert (code, out, err) == (1, "", "there is no part 'addr' in grading.toml; the parts are adder, mixer\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("value = one", "cannot be read: behind the = expected a number, as in `name = 1`, or a table, as in `name = { points = 1, rtol = 1e-3 }`"),
        ('value = "1"', "Expected a number or a table, got a text; a line of points is a number, as in `name = 1`, or a table"),
        ("value = { point = 1 }", "Object contains unknown field `point`; a line of points is a number"),
    ],
)
def test_a_wrong_line_of_points_is_quoted_with_what_may_stand_there(graders, kit, line, said):
    file = kit / "grading.toml"
    file.write_text(file.read_text().replace("value = 1\n", f"{line}\n", 1))
    number = file.read_text().splitlines().index(line) + 1
    code, _, err = graders("check")
    assert code == 1
    assert f"grading.toml:{number}: `{line}`" in err and said in err


def test_a_bare_name_of_a_check_is_answered_with_those_it_may_mean(graders, kit):
    file = kit / "grading.toml"
    file.write_text(file.read_text().replace("half = 1", "half = 1\nvalue = { points = 1, probe = 'half', title = 'Half' }"))
    code, _, err = graders("explain", kit / "solutions", "value")
    assert (code, err) == (2, "grading.toml has no check 'value'; did you mean adder.value, mixer.value?\n")


def test_an_unknown_wall_is_told_in_plain_words(graders, kit):
    code, _, err = graders("grade", kit / "solutions", "--isolation", "strong")
    assert code == 2
    assert "Value error" not in err and "'strong' is none of auto, full, basic" in err


def test_without_the_graders_libraries_the_lines_to_type_are_told(tmp_path):
    venv.create(tmp_path / "bare", with_pip=False)
    done = subprocess.run([tmp_path / "bare/bin/python", "-m", "graders", "doctor"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "typer is not installed for this Python." in done.stderr and "\n    . .venv/bin/activate\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_new_overwrites_nothing(graders, kit):
    graders("new", "swiglu")
    (kit / "solutions/swiglu.py").write_text(SOLUTION)
    before = contents(kit)
    code, out, err = graders("new", "swiglu")
    assert (code, out) == (2, "")
    assert err.endswith("solutions/swiglu.py: swiglu is there already; choose another name or go on with what is there\n")
    assert contents(kit) == before


def test_a_group_that_is_named_becomes_an_entry_that_asks_for_its_hint_and_then_names_the_students(graders, kit, submission, tmp_path):
    submission("ann", adder="def add(a, b):\n    total = a\n    return total + 3 * b\n")
    folder = submission("bob", adder="def add(a, b):\n    return a + 3 * b\n").parent
    results = tmp_path / "results"
    graders("grade", folder, "--out", results, "--seed", 7)
    code, out, err = graders("unnamed", results, "--submissions", folder, "--name", 1, "thrice")
    file = kit / "graders/misconceptions/adder.toml"
    assert (code, out, err) == (0, f"{file}: [thrice] is begun; write its hint, then run `python -m graders check`.\n", "")
    entry = tomllib.loads(file.read_text())["thrice"]
    assert entry == {"swap": "return a + b", "with": "return a + 3 * b", "hint": ""}
    code, _, err = graders("check", "--seeds", 1)
    assert code == 1 and "[thrice] has no hint; say in one or two sentences" in err
    file.write_text(file.read_text().replace('hint = ""', 'hint = "The second counts thrice."'))
    code, out, _ = graders("grade", folder, "--out", results)
    assert code == 0 and out.count("thrice") == 2
    assert graders("unnamed", results)[1] == "0 groups share a mistake without a name; 0 students are alone with one.\n"
