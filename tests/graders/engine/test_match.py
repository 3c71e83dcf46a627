"""The search for known mistakes: what it asks, and how searches share a process."""

from dataclasses import replace

import pytest

from graders.engine import match
from graders.engine.key import AnswerKey, checks_of
from graders.engine.kit import read_kit
from graders.engine.plan import Round, is_rule
from graders.engine.scene import Scene
from graders.model import Edit, Misconception, Part
from tests.conftest import TOYKIT


@pytest.fixture(scope="module")
def kit():
    """The toy kit with a mistake that never ends, between two that do."""
    kit = read_kit(TOYKIT)
    text = kit.reference.parts["adder"].text
    line = next(line for line in text.splitlines() if "return" in line).strip()
    more = [
        Misconception(name, "adder", (Edit(line, code),), name.capitalize())
        for name, code in (("doubles", "return 2 * (a + b)"), ("loops", "while True: pass"), ("drops", "return a"))
    ]
    return replace(kit, misconceptions=(*kit.misconceptions, *more), limits=replace(kit.limits, probe_seconds=0.5, job_seconds=2.0))


class Counts:
    """An observer that remembers what was asked of it at a time."""

    def __init__(self, observer):
        self.observer, self.isolation, self.asked = observer, observer.isolation, []

    def observe(self, *job):
        return self.observer.observe(*job)

    def observe_rounds(self, rounds, seed):
        self.asked.append({probe.split(".")[0] for each in rounds for probe in each.probes})
        return self.observer.observe_rounds(rounds, seed)


def seen_of(kit, key, observer, name):
    """The scene of a student whose part is this known mistake."""
    mistake = next(mistake for mistake in kit.misconceptions if mistake.id == name)
    [variant] = key.variants(mistake.part, [(mistake,)], observer)
    checks = tuple(check for check in checks_of(kit, mistake.part) if not is_rule(check.id))
    here = Scene(mistake.part, checks, frozenset(), variant.seen)
    return replace(here, failed=here.fails(variant))


def test_searches_of_two_parts_ask_together_and_each_finds_its_own(kit, observer):
    scenes = [seen_of(kit, AnswerKey(kit, 4), observer, name) for name in ("drops", "shares_swapped")]
    counts = Counts(observer)
    hints = match.hints(scenes, AnswerKey(kit, 4), counts)
    assert {check.split(".")[0]: hint.misconceptions for check, hint in hints.items()} == {"adder": ("drops",), "mixer": ("shares_swapped",)}
    assert counts.asked[0] == {"adder", "mixer"}


def test_a_part_in_which_nothing_failed_asks_nothing(kit, observer):
    counts = Counts(observer)
    right = Scene("adder", checks_of(kit, "adder"), frozenset(), {})
    assert match.hints([right], AnswerKey(kit, 4), counts) == {}
    assert not any(counts.asked)


def test_a_variant_that_never_ends_costs_only_itself(kit, observer):
    """The ones before it keep what they gave, and the ones after it run in a fresh process."""
    codes = ("return a", "while True: pass", "return b")
    parts = [{**kit.reference.parts, "adder": Part("adder", f"def add(a, b):\n    {code}\n")} for code in codes]
    seen = observer.observe_rounds([Round(each, ("adder.value", "adder.zeros")) for each in parts], 4)
    assert [[one.fault is None for one in each.values()] for each in seen] == [[True, True], [False, False], [True, True]]
    alone = observer.observe(parts[2], ("adder.zeros",), 4)
    assert (alone["adder.zeros"].arrays["y"] == seen[2]["adder.zeros"].arrays["y"]).all()


def test_each_round_has_probes_of_its_own(kit, observer):
    rounds = [Round(kit.reference.parts, ("mixer.half",)), Round(kit.reference.parts, ("adder.value", "adder.zeros"))]
    assert [list(each) for each in observer.observe_rounds(rounds, 4)] == [["mixer.half"], ["adder.value", "adder.zeros"]]
