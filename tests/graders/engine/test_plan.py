"""Which checks run together, and whose parts they get."""

from graders.engine.plan import assemble, dependencies, groups
from graders.model import Check, Kit, Limits, Part, Submission


def part(name, text, origin="reference"):
    return Part(name, text, origin)


REFERENCE = Submission(
    "reference",
    {
        "low": part("low", "x = 1"),
        "mid": part("mid", "from .low import x"),
        "top": part("top", "from exercises.mid import x"),
        "apart": part("apart", "import math"),
    },
)


def check(identity, *takes):
    return Check(identity, "", 1, takes, identity)


def kit(*checks):
    return Kit(None, "", checks, REFERENCE, (), Limits(), "", dependencies(REFERENCE))


def test_dependencies_reach_through_other_parts():
    needs = dependencies(REFERENCE)
    assert needs == {"low": frozenset(), "mid": {"low"}, "top": {"low", "mid"}, "apart": frozenset()}


def test_checks_are_grouped_by_what_they_take_and_those_that_build_on_less_come_first():
    checks = (check("mid.a", "mid"), check("low.a", "low"), check("apart.a", "apart"), check("mid.b", "mid"))
    found = groups(kit(*checks), checks)
    assert [[one.id for one in group.checks] for group in found] == [["low.a"], ["apart.a"], ["mid.a", "mid.b"]]
    assert [group.foreign for group in found] == [frozenset(), frozenset(), {"low"}]


def test_a_check_of_several_parts_gets_all_of_them_from_the_student():
    checks = (check("together.a", "low", "mid", "top"),)
    (group,) = groups(kit(*checks), checks)
    assert group.foreign == frozenset()


def test_only_the_foreign_parts_come_from_the_reference():
    student = Submission("s", {name: Part(name, "mine") for name in REFERENCE.parts})
    checks = (check("top.a", "top"),)
    (group,) = groups(kit(*checks), checks)
    origins = {name: one.origin for name, one in assemble(student, REFERENCE, group).items()}
    assert origins == {"low": "reference", "mid": "reference", "top": "student", "apart": "student"}


def test_no_job_holds_the_reference_of_a_part_it_tests():
    checks = tuple(check(f"{name}.a", name) for name in REFERENCE.parts)
    for group in groups(kit(*checks), checks):
        assert not group.foreign.intersection(*[set(one.takes) for one in group.checks])
