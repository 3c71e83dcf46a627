"""Whether an earlier report still holds, and what a new one changes."""

from dataclasses import replace

import pytest

from graders.engine.grade import digests
from graders.engine.layers import KINDS, describe
from graders.engine.resume import change, holds
from graders.model import Check, Kit, Limits, Outcome, Part, Report, Submission, Verdict

ANN = Submission("ann", {"norm": Part("norm", "x = 1\n")}, ("two cells were left out",))
KIT = Kit(None, "none", (), ANN, (), Limits(), "0.1.0+aaaaaaaa", {})


def verdict(check, outcome=Outcome.PASSED):
    return Verdict(Check(check, "Try.", 1.0, (), check), outcome)


REPORT = Report("ann", (verdict("norm.a"), verdict("norm.b", Outcome.FAILED)), 7, "full", KIT.version, digests(ANN), 0.1, ANN.notes)


def test_a_report_holds_for_the_same_files_content_seed_and_wall():
    assert holds(REPORT, ANN, KIT, 7, "full")


@pytest.mark.parametrize(
    "earlier",
    [
        replace(REPORT, label="Ann"),
        replace(REPORT, seed=8),
        replace(REPORT, kit_version="0.1.0+bbbbbbbb"),
        replace(REPORT, graded={}),
        replace(REPORT, graded={**REPORT.graded, "norm": "00"}),
        replace(REPORT, graded={**REPORT.graded, "heads": "00"}),
        replace(REPORT, notes=()),
        replace(REPORT, isolation="basic"),
        replace(REPORT, verdicts=(verdict("norm.a", Outcome.VOID),)),
    ],
)
def test_a_report_does_not_hold_where_anything_differs_that_could_change_a_grade(earlier):
    assert not holds(earlier, ANN, KIT, 7, "full")


def test_a_wall_must_have_been_at_least_as_strong():
    names = [kind.name for kind in KINDS]
    kinds = [describe(dict.fromkeys(lost, "why")) for lost in ((), names[:1], names[1:2], names[:2], names)]
    stands = {(was, now) for was in kinds for now in kinds if holds(replace(REPORT, isolation=was), ANN, KIT, 7, now)}
    full, one, other, both, basic = kinds
    assert stands == {(was, was) for was in kinds} | {(full, now) for now in kinds} | {(was, basic) for was in kinds} | {(one, both), (other, both)}
    assert not holds(replace(REPORT, isolation="as strong as can be"), ANN, KIT, 7, "basic")


def test_odd_text_that_a_file_cannot_hold_is_no_reason_to_grade_again():
    odd = Submission("ann", {"no\ud800rm": Part("no\ud800rm", "x = '\ud800'\n")}, ("\ud800",))
    kept = {name.encode("utf-8", "replace").decode(): digest for name, digest in digests(odd).items()}
    assert holds(replace(REPORT, graded=kept, notes=("?",)), odd, KIT, 7, "full")


def test_nothing_changed_is_no_change_even_where_reasons_are_at_hand():
    assert change(REPORT, replace(REPORT, seed=8, seconds=9.0)) is None


def test_a_change_names_the_checks_won_and_lost_and_the_file_that_changed():
    now = replace(REPORT, verdicts=(verdict("norm.a", Outcome.CRASHED), verdict("norm.b")), graded={"norm": "00"})
    found = change(REPORT, now)
    assert (found.gained, found.lost) == (("norm.b",), ("norm.a",))
    assert found.reasons == ("the submission changed (norm.py)",)


def test_new_content_is_a_reason_also_where_checks_come_and_go():
    now = replace(REPORT, verdicts=(verdict("norm.c"), verdict("norm.b", Outcome.FAILED)), kit_version="0.1.0+bbbbbbbb")
    found = change(REPORT, now)
    assert (found.gained, found.lost) == (("norm.c",), ("norm.a",))
    assert found.reasons == ("the kit's content or code changed (from 0.1.0+aaaaaaaa to 0.1.0+bbbbbbbb)",)


def test_every_reason_is_given():
    now = replace(REPORT, verdicts=(verdict("norm.a", Outcome.VOID),), kit_version="2", seed=8, isolation="basic", graded={"heads": "00"})
    words = " ".join(change(REPORT, now).reasons)
    for reason in ("norm.py", "heads.py", "content or code changed", "from seed 7 to 8", "from full to basic", "grader itself failed"):
        assert reason in words
