"""The same mistake has the same fingerprint however it is computed, and another mistake another one."""

import numpy as np

from graders.engine.fingerprint import fingerprint
from graders.model import Check, Fault, Observation, Outcome, Verdict

CHECK = Check("g.c", "", 1, ("g",), "g.c", rtol=1e-3)
RULE = Check("g.rule_r", "", 1, ("g",), "g.rule_r")


def of(array, outcome=Outcome.FAILED):
    return fingerprint([Verdict(CHECK, outcome)], {"g.c": Observation({"y": np.asarray(array)})})


def numbers(seed):
    return np.random.default_rng(seed).normal(size=(3, 5)).astype(np.float32)


def test_rounding_leaves_it_as_it_is():
    kept = sum(of(numbers(seed)) == of(numbers(seed) * np.float32(1 + 3e-7)) for seed in range(300))
    assert kept >= 298


def test_other_numbers_shapes_and_values_that_are_not_finite_change_it():
    y = numbers(1)
    words = {of(y), of(1.02 * y), of(-y), of(y.T), of(y + 0.1), of(np.where(y > 0, np.nan, y)), of(0 * y), of(y[:2])}
    assert len(words) == 8


def test_only_what_failed_counts_and_no_rule_does():
    assert of(numbers(1), Outcome.PASSED) == ""
    assert fingerprint([Verdict(RULE, Outcome.FAILED)], {"g.rule_r": Observation({})}) == ""


def test_a_crash_is_known_by_its_kind():
    def crash(text):
        return fingerprint([Verdict(CHECK, Outcome.CRASHED)], {"g.c": Observation(fault=Fault(Outcome.CRASHED, text))})

    assert crash("ValueError: 3 is wrong") == crash("ValueError: 4 is wrong") != crash("TypeError: 3 is wrong")
