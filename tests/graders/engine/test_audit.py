"""The audit on the toy kit: what the checks catch, what they cannot tell from the solution, and what they miss."""

from dataclasses import replace

from graders.engine.audit import Bench, audit


def verdicts(found):
    return {survivor.diff.splitlines()[-1][1:].strip(): survivor.verdict for survivor in found.survivors}


def test_a_mutant_with_the_same_numbers_is_shown_equivalent(kit, observer):
    found = audit(Bench(kit, [observer], 3), "adder", 40)
    assert verdicts(found).pop("return (b) + (a)") == "equivalent"
    assert "return (a) - (b)" not in verdicts(found)
    assert found.caught == found.different > 20


def test_a_mutant_that_a_wide_tolerance_lets_pass_is_a_hole(kit, observer):
    wide = replace(kit, checks=tuple(replace(check, rtol=0.05) for check in kit.checks))
    found = verdicts(audit(Bench(wide, [observer], 3), "adder", 60))
    assert found["return (1.01 * (a + b))"] == "hole"


def test_other_styles_of_test_are_counted_on_the_same_mutants(kit, observer):
    found = audit(Bench(kit, [observer], 3), "mixer", 60)
    assert 0 < found.others["a snapshot of one output"] <= found.others["allclose on three random inputs"] < found.different
