"""Which checks run together, and whose parts they get."""

from graders.engine.plan import assemble, dependencies, jobs
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


def test_parts_that_need_nobody_share_a_job_and_others_get_their_own():
    checks = (check("low.a", "low"), check("mid.a", "mid"), check("apart.a", "apart"), check("mid.b", "mid"))
    found = jobs(kit(*checks), checks)
    assert [[one.id for one in job.checks] for job in found] == [["low.a", "apart.a"], ["mid.a", "mid.b"]]
    assert [job.foreign for job in found] == [frozenset(), {"low"}]


def test_a_check_of_several_parts_gets_all_of_them_from_the_student():
    checks = (check("together.a", "low", "mid", "top"),)
    (job,) = jobs(kit(*checks), checks)
    assert job.foreign == frozenset()


def test_only_the_foreign_parts_come_from_the_reference():
    student = Submission("s", {name: Part(name, "mine") for name in REFERENCE.parts})
    checks = (check("top.a", "top"),)
    (job,) = jobs(kit(*checks), checks)
    origins = {name: one.origin for name, one in assemble(student, REFERENCE, job).items()}
    assert origins == {"low": "reference", "mid": "reference", "top": "student", "apart": "student"}


def test_no_job_holds_the_reference_of_a_part_it_tests():
    checks = tuple(check(f"{name}.a", name) for name in REFERENCE.parts)
    for job in jobs(kit(*checks), checks):
        assert not job.foreign.intersection(*[set(one.takes) for one in job.checks])


def test_a_job_cut_into_groups_keeps_every_check():
    checks = (check("low.a", "low"), check("apart.a", "apart"), check("low.b", "low"))
    (job,) = jobs(kit(*checks), checks)
    assert [[one.id for one in group.checks] for group in job.groups] == [["low.a", "low.b"], ["apart.a"]]
