"""The hidden checks as pytest items, in the processes that a user starts."""

from xml.etree import ElementTree

import pytest

from tests.graders.faces.conftest import ADDER, MIXER, ROOT, TOYKIT, program

WRONG = "def add(a, b):\n    return a - b\n"
STUB = "class Mixer:\n    def __init__(self, share):\n        raise NotImplementedError('Open mixer.py and write Mixer.')\n"
# Loaded into pytest with -p: the face then tells a report made by hand, and no worker starts.
BY_HAND = """
import contextlib
from graders.faces import pytest_items
from graders.engine.kit import read_kit
from graders.model import Hint, Outcome, Report, Verdict
from tests.graders.faces.reports import HOSTILE

def report(submission, kit, key, observer):
    kinds = [Outcome.VOID, Outcome.FAILED, *[Outcome.PASSED] * len(kit.checks)]
    verdicts = [Verdict(check, kind, HOSTILE, Hint(("known",), HOSTILE)) for check, kind in zip(kit.checks, kinds)]
    return Report(HOSTILE, tuple(verdicts), 7, "full", "1", {}, 0.0, (HOSTILE,))

pytest_items.Observer = lambda kit, isolation: contextlib.nullcontext()
pytest_items.grade = report
"""
# Likewise: tells at the end whether pytest's own process holds torch.
TORCH = "import sys\ndef pytest_unconfigure():\n    print('TORCH' if 'torch' in sys.modules else 'NO TORCH')\n"


@pytest.fixture
def checks(tmp_path):
    """Run `pytest graders` on the toy kit with these words; `plugin` is the text of one more plugin."""

    def run(*words, plugin="", place=ROOT):
        (tmp_path / "one_more.py").write_text(plugin)
        fixed = ("-m", "pytest", "graders", "--kit", TOYKIT, "-p", "one_more", "-p", "no:cacheprovider")
        return program(*fixed, *words, place=place, PYTHONPATH=str(tmp_path))

    return run


def test_each_check_is_an_item_and_tells_its_reason(checks, submission, tmp_path):
    place = submission("ann", adder=WRONG, mixer=STUB)
    done = checks("--submission", place, "--seed", 7, "-v", f"--junitxml={tmp_path / 'result.xml'}", plugin=TORCH)
    assert done.returncode == 1
    assert "adder::value FAILED" in done.stdout
    assert "adder::zeros PASSED" in done.stdout
    told = done.stdout.partition("_ adder.value _")[2].splitlines()[1:4]
    assert told[0].startswith("failed: y: 3 of 3 numbers are wrong")
    assert told[1:] == ["Tried: Add two vectors", "Hint: Your sum is a difference: look at the sign."]
    assert "unfinished: mixer.py, line 3: Open mixer.py and write Mixer." in done.stdout
    assert "Traceback" not in done.stdout
    assert "graders/engine" not in done.stdout
    assert "total                3 of 8" in done.stdout
    assert "seed 7" in done.stdout
    assert "NO TORCH" in done.stdout
    cases = {(case.get("classname"), case.get("name")): case for case in ElementTree.parse(tmp_path / "result.xml").iter("testcase")}
    assert len(cases) == 7
    assert cases["adder", "zeros"].find("failure") is None
    assert "3 of 3 numbers are wrong" in cases["adder", "value"].find("failure").get("message")
    assert {prop.get("name"): prop.get("value") for prop in cases["adder", "zeros"].iter("property")} == {"points": "1", "possible": "1"}


def test_right_work_is_green(checks):
    done = checks("--submission", TOYKIT / "solutions", "-q")
    assert done.returncode == 0
    assert "7 passed" in done.stdout
    assert "total                8 of 8" in done.stdout


def test_hostile_text_reaches_neither_the_terminal_nor_the_xml_and_void_is_an_error(checks, tmp_path):
    done = checks("--submission", TOYKIT / "solutions", f"--junitxml={tmp_path / 'result.xml'}", plugin=BY_HAND)
    assert done.returncode == 1
    assert "1 failed" in done.stdout
    assert "1 error" in done.stdout
    assert "a human must look" in done.stdout
    assert done.stdout.replace("\n", "").isprintable()
    assert not [line for line in done.stdout.splitlines() if line.lstrip().startswith("::")]
    assert "##[" not in done.stdout
    text = (tmp_path / "result.xml").read_text()
    assert text.replace("\n", "").isprintable()
    first, second, *_ = ElementTree.fromstring(text).iter("testcase")
    assert (first.find("error") is not None, first.find("failure")) == (True, None)
    assert (second.find("failure") is not None, second.find("error")) == (True, None)


@pytest.mark.parametrize("inside", [False, True], ids=["elsewhere", "in_the_working_folder"])
def test_a_hostile_conftest_or_configuration_is_never_loaded(checks, submission, tmp_path, inside):
    """The submission's path looks like a folder of tests to pytest, which knows no --submission before it has loaded graders/conftest.py."""
    mark = tmp_path / "loaded"
    place = submission("mallory")
    bomb = f"open({str(mark)!r}, 'w')\n"
    (place / "tests").mkdir()
    for file in ("conftest.py", "tests/conftest.py", "test_it.py", "evil.py", "__init__.py", "sitecustomize.py"):
        (place / file).write_text(bomb)
    (place / "pytest.ini").write_text("[pytest]\naddopts = -p evil\npythonpath = .\n")
    if inside:
        (tmp_path / "graders").symlink_to(ROOT / "graders")
    words = ("--submission", place if not inside else place.relative_to(tmp_path))
    done = checks(*words, "-q", place=ROOT if not inside else tmp_path)
    assert not mark.exists()
    assert "7 passed" in done.stdout


def test_a_path_that_is_not_there_is_one_sentence(checks):
    done = checks("--submission", "/not/there")
    assert done.returncode == 4
    assert [line for line in done.stderr.splitlines() if line] == ["ERROR: /not/there is not there, or may not be seen; check the path"]


def test_a_folder_of_several_submissions_is_told_how_to_go_on(checks, submission):
    submission("ann", adder=ADDER, mixer=MIXER)
    done = checks("--submission", submission("bob").parent)
    assert done.returncode == 4
    assert "2 submissions" in done.stderr
    assert "python -m graders grade" in done.stderr


def test_without_words_the_stubs_in_exercises_are_graded():
    """On the real kit: nothing is written yet, so every item fails plainly."""
    done = program("-m", "pytest", "graders", "-q", "-p", "no:cacheprovider", "--tb=no")
    assert done.returncode == 1
    assert "passed" not in done.stdout
    assert "total                0 of" in done.stdout


def test_other_tests_keep_their_conftest_beside_the_checks(checks, submission, tmp_path):
    """The guard that keeps strangers' conftest.py out lifts once the command line is read."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/conftest.py").write_text("import pytest\n@pytest.fixture\ndef five():\n    return 5\n")
    (tmp_path / "own/test_own.py").write_text("def test_five(five):\n    assert five == 5\n")
    done = checks(tmp_path / "own", "--submission", submission("ann"), "-q")
    assert "8 passed" in done.stdout
