"""The argument for one point, as text."""

from dataclasses import replace

import numpy as np
import pytest

from graders.engine.compare import difference
from graders.engine.evidence import Evidence
from graders.faces import explain
from graders.model import Fault, Observation, Outcome
from tests.graders.faces.reports import HOSTILE, report, verdict


def evidence(seen, right, compare="values", **changes):
    """Evidence on one check that compares these observations."""
    one = verdict("norm.value", Outcome.FAILED, "y: wrong.")
    one = replace(one, check=replace(one.check, compare=compare))
    found = difference(one.check, seen, right) if seen and not seen.fault else None
    return Evidence(report(one, **changes), one, "grading.toml:3: value = 1", "def value(parts, draw): ...", seen, right, found, ())


def observation(*numbers, shape=None):
    return Observation({"y": np.array(numbers, np.float32).reshape(shape or -1)})


@pytest.mark.parametrize(
    ("seen", "right", "compare", "said"),
    [
        (observation(1, 2), observation(1, 3), "values", "first at [1]: came out 2., right is 3."),
        (observation(1, 2), observation(1, 2, 3), "values", "came out [2], right is [3]"),
        (observation(1, np.nan), observation(1, 2), "finite", "first at [1]: came out nan, right is 2."),
        (observation(np.nan), observation(1, 2), "finite", "first at [0]: came out nan, right is 1."),
        (observation(1, 2, 1, 4, shape=(2, 2, 1)), observation(1, 2, 1, 2, shape=(2, 2, 1)), "unchanged", "first at run 1, position [1]"),
        (observation(1, 2, 1, 2, shape=(2, 2, 1)), observation(1, 2, 1, 4, shape=(2, 2, 1)), "changed", "run 1      [2.]; right [4.]"),
        (Observation({"y": None}), observation(1), "values", "Nothing came out where numbers are right in y."),
        (observation(1), observation(1), "values", "nowhere, by this check's measure"),
        (Observation(fault=Fault(Outcome.CRASHED, "ValueError: no", "norm", 3)), observation(1), "values", "crashed at norm.py:3: ValueError: no"),
        (None, observation(1), "values", "nothing: a part is missing, or the grader's own worker gave no result"),
    ],
)
def test_it_says_where_the_two_results_part(seen, right, compare, said):
    assert said in explain.render(evidence(seen, right, compare)).plain


def test_large_arrays_are_printed_short():
    text = explain.render(evidence(observation(*range(9000), shape=(90, 100)), observation(*range(9000), shape=(90, 100)))).plain
    assert "y [90, 100] float32 =" in text
    assert len(text.splitlines()) < 50


def test_hostile_text_is_harmless_here_too():
    fault = Fault(Outcome.CRASHED, HOSTILE, HOSTILE, 1)
    for seen in (Observation(fault=fault), Observation({HOSTILE: np.ones(2)})):
        text = explain.render(evidence(seen, observation(1), label=HOSTILE, isolation=HOSTILE)).plain
        assert text.replace("\n", "").isprintable()
        assert "##[" not in text
        assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
