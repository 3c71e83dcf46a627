"""A promise that cannot be broken promises nothing: each is broken here on a copy of the toy kit, and must say file, thing and next step."""

import shutil
from dataclasses import replace

import pytest

from graders.engine import promises
from graders.engine.kit import read_kit
from graders.engine.promises import PROMISES, Scene
from graders.engine.visible import visible_problems
from graders.model import Edit, Misconception
from graders.publish.stubs import cut, write_stubs
from tests.conftest import TOYKIT

TEST = "from exercises.adder import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


@pytest.fixture
def root(tmp_path):
    """A copy of the toy kit with stubs and a visible test."""
    shutil.copytree(TOYKIT, tmp_path / "kit")
    (tmp_path / "kit/exercises").mkdir()
    write_stubs(tmp_path / "kit")
    (tmp_path / "kit/exercises/test_adder.py").write_text(TEST)
    return tmp_path / "kit"


@pytest.fixture
def scene(root, observer):
    return Scene(read_kit(root), cut, observer, seeds=2)


class Unsteady:
    """A worker whose numbers are new in every run."""

    def __init__(self, observer):
        self.observer, self.isolation, self.run = observer, "none", 0

    def observe(self, *job):
        self.run += 1
        return {probe: self._shifted(one) for probe, one in self.observer.observe(*job).items()}

    def observe_rounds(self, rounds, seed):
        return [self.observe(each.parts, each.probes, seed) for each in rounds]

    def _shifted(self, one):
        return replace(one, arrays={name: array + self.run for name, array in one.arrays.items()})


def test_a_sound_kit_breaks_only_what_the_next_test_says(scene):
    broken = [promise.title for promise in PROMISES if list(promise.problems(scene))]
    assert broken == ["every check is failed by some known mistake"]


def test_a_check_that_nothing_fails_is_named(scene):
    assert list(promises.checks_can_fail(scene)) == [
        f"{check}: no known mistake fails it; add one to graders/misconceptions/{check.split('.')[0]}.toml, or remove the check"
        for check in ("adder.zeros", "adder.shape", "adder.rule_short", "mixer.half")
    ]


def test_a_probe_without_a_check_is_named_but_a_helper_is_not(root, observer):
    with (root / "graders/probes/adder.py").open("a") as file:
        file.write('\n\ndef spare(parts, draw):\n    """Nothing"""\n    return {}\n\n\ndef helper(parts, x):\n    return x\n')
    [problem] = promises.probes_are_used(Scene(read_kit(root), cut, observer))
    assert problem.startswith("graders/probes/adder.py: no check reads the probe 'spare'; add a line to [adder.points]")


def test_a_solution_that_loses_a_point_is_named_with_its_seed(scene, observer):
    unsteady = replace(scene, observer=Unsteady(observer))
    for problems, seeds in ((promises.reference_passes, (promises.SEED,)), (promises.no_false_failure, (0, 1))):
        told = [problem for problem in problems(unsteady) if problem.startswith("mixer.half")]
        assert [problem.split(" (")[0] for problem in told] == [f"mixer.half: the solution is failed under seed {seed}" for seed in seeds]


def test_numbers_that_do_not_repeat_are_named_by_their_probe(scene, observer):
    told = list(promises.observations_repeat(replace(scene, observer=Unsteady(observer))))
    assert [problem.split(":")[0] for problem in told] == [check.probe for check in scene.kit.checks if check.id != "adder.shape"]


def test_a_stub_that_earns_something_is_named(scene):
    told = list(promises.stubs_earn_nothing(replace(scene, cut=lambda text, name: text)))
    assert told[0] == "adder.value: the untouched stub is passed, not unfinished; let the probe need the student's code"
    assert len(told) == len(scene.kit.checks)


def test_a_stub_that_was_edited_by_hand_is_named(scene):
    (scene.kit.root / "exercises/adder.py").write_text("")
    [problem] = promises.stubs_are_current(scene)
    assert problem.startswith("exercises/adder.py: ")
    assert "python -m graders stubs" in problem


def test_a_mistake_that_nobody_notices_is_named(scene):
    harmless = Misconception("harmless", "adder", (Edit("return a + b", "return b + a"),), "No harm done.")
    [problem] = promises.mistakes_are_caught(replace(scene, kit=replace(scene.kit, misconceptions=(harmless,))))
    assert problem.startswith("graders/misconceptions/adder.toml: [harmless]: no check of adder notices it")


def test_a_mistake_without_its_hint_is_named(scene, observer):
    told = list(promises.mistakes_receive_their_hint(replace(scene, observer=Unsteady(observer))))
    assert {problem.split(" it is ")[0] for problem in told} == {
        "graders/misconceptions/adder.toml: [subtracts]:",
        "graders/misconceptions/mixer.toml: [shares_swapped]:",
    }


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("def test_nothing():\n    assert True\n", "test_nothing passes on the untouched stub"),
        ("def test_wrong():\n    assert add(1, 2) == 4\n", "test_wrong fails on the solution"),
    ],
)
def test_a_visible_test_that_tells_nothing_is_named(root, more, said):
    (root / "exercises/test_adder.py").write_text(f"{TEST}\n\n{more}")
    stubs = {name: (root / f"exercises/{name}.py").read_text() for name in ("adder", "mixer")}
    [problem] = visible_problems(root, stubs)
    assert said in problem


def test_a_kit_without_visible_tests_is_told(root):
    (root / "exercises/test_adder.py").unlink()
    [problem] = visible_problems(root, {})
    assert "no visible test" in problem
