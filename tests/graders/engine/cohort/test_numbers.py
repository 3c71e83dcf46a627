"""Points, checks, mistakes, troubles and changes of a class."""

import dataclasses

from graders.engine.cohort.changes import compare
from graders.engine.cohort.human import concerns
from graders.engine.cohort.items import bins, items, quantile
from graders.engine.cohort.mistakes import mistakes, nameless
from graders.model import Hint, Outcome
from tests.graders.faces.reports import EPS, mixed, report, verdict

FAILED, PASSED, VOID = Outcome.FAILED, Outcome.PASSED, Outcome.VOID
BOTH = Hint(("eps_outside_root", "sum_instead_of_mean"), EPS.text + " Divide by the number of entries.")


def test_a_void_check_counts_neither_as_passed_nor_as_lost():
    (item,) = items([report(verdict("norm.value", outcome)) for outcome in (PASSED, FAILED, VOID, Outcome.MISSING)])
    assert (item.passed, item.lost, item.void, item.rate) == ((0,), (1, 3), (2,), 1 / 3)
    assert item.check.points == 1.0


def test_a_check_that_is_void_for_all_has_no_rate():
    (item,) = items([report(verdict("norm.value", VOID))])
    assert item.rate is None


def test_a_check_tells_apart_by_the_points_of_the_others_alone():
    strong = [report(*(verdict(f"norm.{name}") for name in "abc"), verdict("norm.odd", FAILED))] * 3
    weak = [report(*(verdict(f"norm.{name}", FAILED) for name in "abc"), verdict("norm.odd"))] * 3
    apart = {item.check.id: item.apart for item in items(strong + weak)}
    assert apart["norm.a"] > 0.9
    assert apart["norm.odd"] < -0.9
    assert items(strong)[0].apart is None


def test_steps_of_points_hold_everybody_once_and_all_points_stand_alone():
    reports = [report(*(verdict(f"norm.c{check}", PASSED if check < right else FAILED) for check in range(30))) for right in range(31)]
    found = bins(reports)
    assert sorted(place for step in found for place in step.who) == list(range(31))
    assert found[-1].who == (30,)
    assert all(step.low <= place < step.high for step in found[:-1] for place in step.who)


def test_who_has_all_that_counts_has_all_points_though_a_check_was_void():
    assert bins([report(verdict("norm.a"), verdict("norm.b", VOID)), report(verdict("norm.a"), verdict("norm.b"))])[-1].who == (0, 1)


def test_a_quantile_is_a_value_that_occurs():
    assert [quantile([3, 1, 2, 10], share) for share in (0.5, 0.9, 1.0)] == [2, 10, 10]


def test_mistakes_count_students_once_and_name_the_checks_they_cost():
    twice = report(verdict("norm.value", FAILED, hint=EPS), verdict("norm.zero", FAILED, hint=EPS))
    once = report(verdict("norm.value", FAILED, hint=BOTH), verdict("norm.zero"))
    first, second = mistakes([once, twice])
    assert (first.name, first.who, dict(first.checks)) == ("eps_outside_root", (0, 1), {"norm.value": (0, 1), "norm.zero": (1,)})
    assert (second.name, second.who) == ("sum_instead_of_mean", (0,))
    assert first.hint == EPS.text


def test_students_with_the_same_messages_share_a_mistake_without_a_name():
    same = [report(verdict("norm.value", FAILED, "y: 3 of 4 numbers are wrong."), label=label) for label in ("ann", "bob")]
    other = report(verdict("norm.value", FAILED, "y: 1 of 4 numbers is wrong."), label="eve")
    named = report(verdict("norm.value", FAILED, "y: 3 of 4 numbers are wrong.", EPS), label="kim")
    ((group,), alone) = nameless([same[0], other, same[1], named])
    assert (group.part, group.who, dict(group.checks)) == ("norm", (0, 2), {"norm.value": "y: 3 of 4 numbers are wrong."})
    assert alone == (1,)


def test_a_fingerprint_counts_more_than_messages():
    texts = ("attention.py, line 3: KeyError", "attention.py, line 9: KeyError")
    crashed = [dataclasses.replace(report(verdict("norm.value", Outcome.CRASHED, text)), fingerprints={"norm": "f"}) for text in texts]
    ((group,), alone) = nameless(crashed)
    assert (group.who, alone) == ((0, 1), ())


def test_unfinished_work_and_broken_rules_are_no_nameless_mistakes():
    assert nameless([report(verdict("norm.value", Outcome.UNFINISHED), verdict("norm.rule_own_work", FAILED))] * 2) == ((), ())


def test_what_needs_a_human_is_told_the_gravest_first():
    found = concerns([dataclasses.replace(mixed(), tampering=("opened a socket",)), report(verdict("norm.a"))])
    assert [(one.name, one.who) for one in found] == [(name, (0,)) for name in ("void", "tampering", "crashed", "timed out", "missing")]
    assert found[1].said == ("opened a socket",)


def test_two_runs_differ_by_who_gained_or_lost_a_check_and_why():
    before = [report(verdict("norm.a", FAILED), label="ann"), report(verdict("norm.a"), label="bob"), report(verdict("norm.a"), label="gone")]
    now = [dataclasses.replace(report(verdict("norm.a"), label="ann"), graded={"norm": "01"}), before[1], report(verdict("norm.a"), label="new")]
    found = compare(before, now)
    assert [(one.place, one.before, one.change.gained, one.change.reasons) for one in found.changes] == [
        (0, 0.0, ("norm.a",), ("the submission changed (norm.py)",))
    ]
    assert (found.new, found.gone, found.same) == ((2,), ("gone",), 1)


def test_new_content_and_new_inputs_are_reasons_too():
    before = report(verdict("norm.a"))
    now = dataclasses.replace(report(verdict("norm.a", FAILED)), kit_version="0.2.0+ffff", seed=8)
    (one,) = compare([before], [now]).changes
    assert ["to 0.2.0+ffff" in one.change.reasons[0], "seed 7 to 8" in one.change.reasons[1]] == [True, True]
