"""The whole road on the toy kit: text in, a report out, with the wall in between. No machine file knows these exercises."""

from dataclasses import replace

import pytest

from graders.engine.grade import grade
from graders.engine.key import AnswerKey
from graders.engine.kit import read_kit
from graders.model import Edit, Fault, KitError, Misconception, Observation, Outcome, Part, Submission
from tests.conftest import TOYKIT

ADD = "def add(a, b):\n    return {}\n"
MIX = """from .adder import add


class Mixer:
    def __init__(self, share):
        self.share = share

    def mix(self, a, b):
        return {}
"""
RIGHT = {"adder": ADD.format("b + a"), "mixer": MIX.format("a * self.share + b * (1 - self.share)")}


@pytest.fixture(scope="module")
def kit():
    kit = read_kit(TOYKIT)
    halves = Misconception("halves", "adder", (Edit("a + b\n    ###", "a + b / 2\n    ###"),), "Half of the second is lost.")
    doubles = Misconception("doubles", "adder", (Edit("return a", "return 2 * a"),), "The first counts twice.")
    return replace(kit, misconceptions=(*kit.misconceptions, halves, doubles))


@pytest.fixture
def report(kit, observer):
    key = AnswerKey(kit, 5)
    return lambda **texts: grade(Submission("s", {name: Part(name, text) for name, text in texts.items()}), kit, key, observer)


def outcomes(report):
    return {verdict.check.id: verdict.outcome.value for verdict in report.verdicts}


def lost(report):
    return {verdict.check.id for verdict in report.verdicts if verdict.outcome is not Outcome.PASSED}


def hints(report):
    return {verdict.hint.misconceptions for verdict in report.verdicts if verdict.hint}


def test_another_right_style_gets_every_point(report):
    found = report(**RIGHT)
    assert (found.points, found.possible, found.needs_human) == (8, 8, False)
    assert set(found.graded) == {"adder", "mixer"} and found.seed == 5


def test_a_wrong_part_costs_its_own_points_and_those_of_checks_that_take_it(report):
    assert lost(report(**RIGHT | {"adder": ADD.format("a * b")})) == {"adder.value", "adder.zeros", "together.chain"}


def test_a_wrong_part_below_costs_nothing_above_it(report):
    """The student's mixer calls the student's wrong add, yet is graded with a right one."""
    calls = MIX.format("add(self.share * a, (1 - self.share) * b)")
    assert {"mixer.half", "mixer.ends"}.isdisjoint(lost(report(adder=ADD.format("a - b"), mixer=calls)))


def test_a_known_mistake_is_named_on_the_checks_that_failed(report):
    found = report(**RIGHT | {"adder": ADD.format("a - b")})
    by_check = {verdict.check.id: verdict.hint for verdict in found.verdicts}
    assert by_check["adder.value"].misconceptions == ("subtracts",)
    assert "look at the sign" in by_check["adder.value"].text
    assert by_check["adder.shape"] is None and by_check["mixer.half"] is None


def test_two_mistakes_at_once_are_both_named(report):
    assert hints(report(**RIGHT | {"adder": ADD.format("2 * a + b / 2")})) == {("halves", "doubles")}


def test_a_mistake_nobody_knows_gets_no_hint(report):
    assert hints(report(**RIGHT | {"adder": ADD.format("a + 3 * b")})) == set()


def test_stubs_are_unfinished_throughout_and_so_is_their_rule(report):
    stub = "def add(a, b):\n    raise NotImplementedError('write me')\n"
    found = outcomes(report(adder=stub, mixer=RIGHT["mixer"]))
    assert {found[check] for check in ("adder.value", "adder.zeros", "adder.shape", "adder.rule_short")} == {"unfinished"}
    assert found["mixer.half"] == "passed"


def test_a_part_that_was_not_handed_in_is_missing_and_named(report):
    found = report(adder=RIGHT["adder"])
    assert outcomes(found)["mixer.half"] == outcomes(found)["together.chain"] == "missing"
    assert "mixer.py was not handed in" in found.verdicts[4].message


def test_another_name_is_told_with_what_was_found(report):
    found = report(**RIGHT | {"mixer": RIGHT["mixer"].replace("Mixer", "Mixture")})
    assert "Mixer not found in mixer.py; found Mixture" in found.verdicts[4].message
    assert outcomes(found)["mixer.half"] == "missing"


def test_a_syntax_error_names_its_line_and_costs_only_its_part(report):
    found = report(**RIGHT | {"mixer": "x = 1\ndef broken(:\n"})
    assert "mixer.py, line 2: SyntaxError" in found.verdicts[4].message
    assert not any(check.startswith("adder") for check in lost(found))


def test_a_part_that_spoils_the_process_takes_nothing_from_its_neighbour(report):
    spoiler = "import torch\ntorch.Tensor.__mul__ = torch.Tensor.__rmul__ = lambda *_: 1 / 0\n" + RIGHT["adder"]
    assert lost(report(**RIGHT | {"adder": spoiler})) <= {"together.chain", "adder.zeros"}


def test_a_reference_that_fails_its_own_probe_stops_with_the_next_step(kit, observer):
    parts = kit.reference.parts | {"adder": Part("adder", "def add(a, b):\n    raise ValueError('no')\n", "reference")}
    with pytest.raises(KitError, match=r"the reference fails the probe adder\.value"):
        AnswerKey(replace(kit, reference=Submission("reference", parts)), 5).reference(observer)


def test_the_same_seed_gives_the_same_report_and_the_cache_changes_nothing(kit, observer, tmp_path):
    wrong = Submission("s", {"adder": Part("adder", ADD.format("a - b")), "mixer": Part("mixer", RIGHT["mixer"])})
    cold, warm, none = (grade(wrong, kit, AnswerKey(kit, 9, folder), observer) for folder in (tmp_path, tmp_path, None))
    assert list(tmp_path.rglob("*"))
    assert cold.verdicts == warm.verdicts == none.verdicts


def test_a_damaged_cache_is_made_anew(kit, observer, tmp_path):
    AnswerKey(kit, 9, tmp_path).reference(observer)
    for file in tmp_path.rglob("*"):
        if file.is_file():
            file.write_bytes(b"\x10" + file.read_bytes()[: 40])
    right = Submission("s", {name: Part(name, text) for name, text in RIGHT.items()})
    assert grade(right, kit, AnswerKey(kit, 9, tmp_path), observer).points == 8


def test_a_worker_that_fails_while_mistakes_are_run_takes_the_hint_from_no_later_student(kit, observer):
    """What failed is not kept: a neighbour's bad luck must not be seen in anybody else's report."""

    class Fails:
        isolation, observe, down = observer.isolation, staticmethod(observer.observe), True

        def observe_rounds(self, rounds, seed):
            if not self.down:
                return observer.observe_rounds(rounds, seed)
            return [{probe: Observation(fault=Fault(Outcome.VOID, "the grader's own worker failed")) for probe in each.probes} for each in rounds]

    fails, key = Fails(), AnswerKey(kit, 5)
    wrong = Submission("s", {"adder": Part("adder", ADD.format("a - b"))})
    first = grade(wrong, kit, key, fails)
    fails.down = False
    second = grade(wrong, kit, key, fails)
    assert hints(first) == set()
    assert hints(second) == {("subtracts",)}
    assert first.points == second.points
