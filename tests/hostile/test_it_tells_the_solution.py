"""Where a part is missing or wrong, the solution's stands in for it, in the student's own process. Nothing of it comes out in words."""

import re

import pytest

from graders.engine.grade import grade
from graders.engine.key import AnswerKey
from graders.engine.kit import read_kit
from graders.faces.json import render
from graders.model import Outcome, Part, Submission
from tests.conftest import TOYKIT

READ = {
    "linecache": "import linecache\nfrom . import adder\ntext = ' '.join(linecache.cache['exercises/adder.py'][2])\n",
    "inspect": "import inspect\nfrom . import adder\ntext = inspect.getsource(adder.add)\n",
    "gc": "import gc\nfrom . import adder\ntext = ' '.join(t for t in gc.get_objects() if type(t) is str and 'SOLUTION' in t)\n"
    "text = text or str([d for d in gc.get_objects() if type(d) is dict and 'adder' in d and 'SOLUTION' in str(d.get('adder'))][:1])\n",
}
TELL = {
    "an error": "raise ValueError(text)",
    "what is not written": "raise NotImplementedError(text)",
    "an error's own name": "raise type(text.replace(' ', '_')[:90], (Exception,), {})('')",
    "a type's name": "return type(text[:60], (), {})()",
}
MIXER = """
class Mixer:
    def __init__(self, share):
        self.share = share

    def mix(self, a, b):
        {}
"""


@pytest.fixture(scope="module")
def kit():
    return read_kit(TOYKIT)


@pytest.fixture(scope="module")
def report(kit, observer):
    key = AnswerKey(kit, 5)
    return lambda **texts: grade(Submission("s", {name: Part(name, text) for name, text in texts.items()}), kit, key, observer)


@pytest.mark.parametrize("adder", [None, "def add(a, b):\n    return a - b\n"], ids=["missing", "wrong"])
@pytest.mark.parametrize("tell", TELL)
@pytest.mark.parametrize("read", READ)
def test_its_text_is_in_no_report(report, adder, read, tell):
    found = report(mixer=READ[read] + MIXER.format(TELL[tell]), **({"adder": adder} if adder else {}))
    said = render(found)
    assert not re.search(r"a \+ b|a_\+_b|SOLUTION|Return a", said), said
    assert all(verdict.outcome is not Outcome.PASSED for verdict in found.verdicts if verdict.check.id.startswith("mixer."))


def test_an_honest_error_keeps_its_words_where_the_student_s_own_parts_give_it_too(report):
    found = report(adder="def add(a, b):\n    return a - b\n", mixer="from .adder import add\n" + MIXER.format("return add(a, self.part)"))
    [message] = {verdict.message for verdict in found.verdicts if verdict.check.id.startswith("mixer.")}
    assert message == "mixer.py, line 8: AttributeError: 'Mixer' object has no attribute 'part'"


def test_an_error_that_only_comes_beside_the_solution_tells_its_kind_and_its_line(report):
    found = report(mixer="from .adder import add\n" + MIXER.format("return add(a, self.part)"))
    [message] = {verdict.message for verdict in found.verdicts if verdict.check.id.startswith("mixer.")}
    assert message == "mixer.py, line 8: AttributeError: its words are left out, for a right adder stood in for yours"


def test_beside_a_right_part_of_the_student_s_own_the_solution_s_words_are_left_out_too(report):
    text = "import linecache\nfrom .adder import add\n" + MIXER.format("raise ValueError(linecache.cache['exercises/adder.py'][2][-2])")
    found = report(adder="def add(a, b):\n    c = b + a\n    return c\n", mixer=text)
    [message] = {verdict.message for verdict in found.verdicts if verdict.check.id.startswith("mixer.")}
    assert message == "mixer.py, line 9: ValueError: its words are left out, for a right adder stood in for yours"


FAKE = """
import sys, types, torch
fake = lambda parts, draw: {"y": torch.zeros(3)}
sys.modules["graders.probes.adder"] = types.SimpleNamespace(value=fake, zeros=fake)


def add(a, b):
    raise NotImplementedError("not yet")
"""


def test_probes_put_in_the_place_of_the_kit_s_own_are_not_asked_and_are_noticed(report):
    found = report(adder=FAKE)
    assert {verdict.outcome for verdict in found.verdicts if verdict.check.id.startswith("adder.")} == {Outcome.UNFINISHED}
    assert any("graders.probes.adder" in line for line in found.tampering)
