"""What counts as the same numbers, for each way of comparing."""

import numpy as np
import pytest

from graders.engine.compare import difference, same
from graders.model import Check, Fault, Observation, Outcome


def check(**changes):
    return Check(**{"id": "g.c", "title": "", "points": 1, "takes": ("g",), "probe": "g.c", "rtol": 1e-3, "atol": 1e-6, **changes})


def seen(**arrays):
    return Observation({name: None if value is None else np.asarray(value) for name, value in arrays.items()})


def kind(how, student, right):
    found = difference(check(compare=how), seen(y=student), seen(y=right))
    return found and found.kind


def test_values_within_the_tolerance_agree_and_beyond_it_do_not():
    assert kind("values", [1.0, 2.001], [1.0, 2.0]) is None
    assert kind("values", [1.0, 2.01], [1.0, 2.0]) == "value"


def test_nan_equals_nan_and_infinity_equals_infinity_of_the_same_sign():
    odd = [np.nan, np.inf, -np.inf]
    assert kind("values", odd, odd) is None
    assert kind("values", [np.nan, np.inf, np.inf], odd) == "value"
    assert kind("values", [0.0], [np.nan]) == "value"
    assert kind("values", [np.inf], [1.0]) == "value"
    assert kind("values", [1.0], [np.inf]) == "value"


def test_shapes_never_broadcast():
    assert kind("values", [[1.0, 1.0]], [1.0, 1.0]) == "shape"
    assert kind("values", 1.0, [1.0]) == "shape"


def test_an_array_that_is_none_or_extra_is_told():
    assert kind("values", None, [1.0]) == "absent"
    assert kind("values", [1.0], None) == "extra"
    assert difference(check(), seen(y=[1.0], z=[1.0]), seen(y=[1.0])).kind == "extra"


def test_the_first_place_that_differs_is_named():
    right = np.zeros((2, 3))
    wrong = right.copy()
    wrong[1, 1] = wrong[1, 2] = 1
    found = difference(check(), seen(y=wrong), seen(y=right))
    assert (found.at, found.count, found.size) == ((1, 1), 2, 6)


def test_shapes_look_at_nothing_else():
    assert kind("shapes", [5.0, np.nan], [1.0, 2.0]) is None
    assert kind("shapes", [5.0], [1.0, 2.0]) == "shape"


def test_finite_asks_only_where_the_reference_is_finite():
    assert kind("finite", [7.0, np.nan], [1.0, np.inf]) is None
    assert kind("finite", [np.nan, 7.0], [1.0, np.inf]) == "nonfinite"
    assert kind("finite", None, [1.0]) is None


BASE, MOVED = np.zeros((1, 3, 2)), np.array([[[0.0, 0], [0, 0], [0, 1]]])
REFERENCE = np.concatenate([BASE, MOVED])  # the second run moves the last of three positions


@pytest.mark.parametrize(
    ("run", "unchanged", "changed"),
    [
        ([[5, 5], [5, 5], [9, 9]], None, None),  # other numbers, the same pattern
        ([[5, 5], [6, 5], [9, 9]], "unchanged", None),  # a leak
        ([[5, 5], [5, 5], [5, 5]], None, "changed"),  # deaf to the change
        ([[5, 5], [np.nan, 5], [9, 9]], "nonfinite", "nonfinite"),
    ],
)
def test_runs_are_compared_by_what_moved_not_by_their_numbers(run, unchanged, changed):
    student = np.stack([np.full((3, 2), 5.0), np.asarray(run, float)])
    assert kind("unchanged", student, REFERENCE) == unchanged
    assert kind("changed", student, REFERENCE) == changed


def test_runs_that_are_nan_throughout_earn_nothing():
    assert kind("unchanged", np.full((2, 3, 2), np.nan), REFERENCE) == "nonfinite"


def test_runs_may_have_another_last_axis_but_no_other_shape():
    assert kind("unchanged", np.zeros((2, 3, 7)), REFERENCE) is None
    assert kind("unchanged", np.zeros((2, 4, 2)), REFERENCE) == "shape"


def test_only_the_named_arrays_count():
    only_y = check(arrays=("y",))
    assert difference(only_y, seen(y=[1.0], z=[9.0]), seen(y=[1.0], z=[1.0])) is None


def test_a_mistake_explains_numbers_that_are_its_own_and_faults_of_its_own_kind():
    crash = Observation(fault=Fault(Outcome.CRASHED, "ValueError: 3 and 4"))
    assert same(check(), seen(y=[1.0]), seen(y=[1.0 + 1e-5]))
    assert not same(check(), seen(y=[1.0]), seen(y=[1.1]))
    assert same(check(), crash, Observation(fault=Fault(Outcome.CRASHED, "ValueError: 5 and 6")))
    assert not same(check(), crash, Observation(fault=Fault(Outcome.CRASHED, "TypeError: 3 and 4")))
    assert not same(check(), crash, seen(y=[1.0]))
