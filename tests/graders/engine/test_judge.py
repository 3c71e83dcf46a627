"""From an observation to a verdict, and the sentence that goes with it."""

import numpy as np
import pytest

from graders.engine.judge import judge
from graders.engine.picture import picture
from graders.model import Check, Fault, Observation, Outcome


def check(**changes):
    return Check(**{"id": "g.c", "title": "", "points": 2, "takes": ("g",), "probe": "g.c", "rtol": 1e-3, "atol": 1e-6, **changes})


def seen(array):
    return Observation({"y": np.asarray(array)})


RIGHT = np.arange(1.0, 7.0).reshape(2, 3)


def test_the_right_numbers_pass_and_earn_the_points():
    verdict = judge(check(), seen(RIGHT), seen(RIGHT))
    assert (verdict.outcome, verdict.points, verdict.message) == (Outcome.PASSED, 2, "")


def test_no_observation_is_our_fault_and_costs_no_point():
    verdict = judge(check(), None, seen(RIGHT))
    assert (verdict.outcome, verdict.points, verdict.possible) == (Outcome.VOID, 0, 0)


@pytest.mark.parametrize("outcome", [Outcome.UNFINISHED, Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.MISSING])
def test_a_fault_is_the_outcome_and_names_the_line(outcome):
    verdict = judge(check(), Observation(fault=Fault(outcome, "ValueError: no", "g", 7)), seen(RIGHT))
    assert verdict.outcome is outcome and verdict.points == 0
    assert "g.py, line 7" in verdict.message and "ValueError: no" in verdict.message


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (RIGHT * 2, "every number is 2 times the right one"),
        (-RIGHT, "the sign is turned everywhere"),
        (RIGHT * [[2.0], [3.0]], "each row is off by a factor of its own"),
        (RIGHT + 0.5, "off by the same amount, +0.5"),
        (RIGHT * 0, "all of them are zero"),
        (RIGHT * [2.0, 3.0, 4.0], "each coordinate is off by a factor of its own"),
        (RIGHT * [[1.0, -1.0, 1.0]], "the sign is turned in 2 of them"),
        (RIGHT * np.nan, "6 of them are not finite"),
    ],
)
def test_a_difference_is_pictured_in_words(array, words):
    assert words in picture(array, RIGHT)
    assert judge(check(), seen(array), seen(RIGHT)).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("given", "asked"),
    [(False, True), (True, False), (2.5, True), (b"yes", True), (b"x", b"y"), (b"zeros", b"x"), (0, b"x")],
)
def test_of_yes_or_no_and_of_a_text_no_number_and_no_length_is_told(given, asked):
    """A text comes through the gate as its bytes."""
    one, other = (np.frombuffer(value, np.uint8) if type(value) is bytes else value for value in (given, asked))
    assert judge(check(), seen(one), seen(other)).message == "y: the answer is wrong."


def test_a_message_names_the_first_wrong_place_and_how_many():
    wrong = RIGHT.copy()
    wrong[1, 2] = 50
    assert "1 of 6 numbers are wrong, first at [1, 2]" in judge(check(), seen(wrong), seen(RIGHT)).message


def test_the_right_numbers_are_told_only_where_the_check_reveals_them():
    assert "expected" not in judge(check(), seen([3.0]), seen([4.25])).message
    assert "expected [4.2500]" in judge(check(reveal=True), seen([3.0]), seen([4.25])).message


@pytest.mark.parametrize(("how", "words"), [("unchanged", "moved at [1]"), ("changed", "did not move at [1]")])
def test_runs_are_told_by_run_and_place(how, words):
    assert f"in run 2, the output {words}" in judge(check(compare=how), *runs(how)).message


def test_runs_with_names_name_the_pair_of_positions():
    message = judge(check(compare="unchanged", axes=("text", "coordinate"), runs="position {} is changed"), *runs("unchanged")).message
    assert message == "y: when position 0 is changed, the output moved at text 1, where it must stay as in the first run."


def test_places_and_shapes_are_told_by_the_axes_names_where_they_fit():
    wrong = np.where(RIGHT == 2, 9, RIGHT)
    assert "first at row 0, coordinate 1" in judge(check(axes=("row", "coordinate")), seen(wrong), seen(RIGHT)).message
    assert "first at [0, 1]" in judge(check(axes=("text", "row", "coordinate")), seen(wrong), seen(RIGHT)).message
    assert "the shape is [3], expected [2, 3] (row, coordinate)." in judge(check(axes=("row", "coordinate")), seen(RIGHT[0]), seen(RIGHT)).message


def test_of_several_arrays_it_is_told_which_are_wrong_and_which_are_right():
    right = Observation({"q": RIGHT, "k": RIGHT, "v": RIGHT})
    message = judge(check(), Observation({"q": RIGHT, "k": None, "v": -RIGHT}), right).message
    assert message == "k: nothing came out (None) where numbers were expected. Wrong too: v. Right: q."


def test_a_factor_of_each_sample_is_told_from_one_of_each_row():
    cube = np.arange(1.0, 13.0).reshape(2, 2, 3)
    assert "each sample is off by a factor" in picture(cube * [[[2.0]], [[3.0]]], cube)
    assert "each row is off by a factor" in picture(cube * [[[2.0], [3.0]], [[4.0], [5.0]]], cube)


def runs(how):
    """What a student and the reference gave, the one moving where the other does not."""
    still, moved = np.zeros((2, 2, 3)), np.zeros((2, 2, 3))
    moved[1, 1] = 1
    return (seen(moved), seen(still)) if how == "unchanged" else (seen(still), seen(moved))


def texts(leaks=False):
    """Three runs of two texts with three positions: in run 1 the first position of one text is changed, in run 2 the last of both."""
    runs = np.zeros((3, 2, 3, 4))
    runs[1, 1] += 1
    runs[2, :, 2] += 1
    runs[2, 0, 0] += leaks
    return Observation({"runs": runs})


def test_a_leak_is_drawn_where_it_is_beside_what_moved_as_it_should():
    leak = check(compare="unchanged", axes=("text", "place", "coordinate"), runs="input {} is changed")
    verdict = judge(leak, texts(leaks=True), texts())
    assert verdict.picture == (
        ("", "place 0", "place 1", "place 2"),
        ("input 0 is changed", "moved", "moved", "moved"),
        ("input 1 is changed", "moved, must stay", "stayed", "moved"),
    )
    assert judge(leak, texts(), texts()).picture == ()


def test_what_did_not_react_is_drawn_where_it_must():
    verdict = judge(check(compare="changed"), texts(), texts(leaks=True))
    assert verdict.picture[0] == ("", "position 0", "position 1", "position 2")
    assert verdict.picture[2] == ("run 3", "stayed, must move", "stayed", "moved")


def test_nothing_is_drawn_of_values_of_one_run_or_of_a_long_text():
    assert judge(check(), texts(leaks=True), texts()).picture == ()
    two = (Observation({"runs": texts(leaks).arrays["runs"][[0, 2]]}) for leaks in (True, False))
    assert judge(check(compare="unchanged"), *two).picture == ()
    long = (Observation({"runs": np.repeat(texts(leaks).arrays["runs"], 5, axis=2)}) for leaks in (True, False))
    assert judge(check(compare="unchanged"), *long).picture == ()


def test_a_gradient_s_way_is_drawn_by_depth_beside_a_failed_check():
    sizes = np.array([0.0, *(10.0 ** (depth - 24) for depth in range(24))])
    one, other = (Observation({"x": np.array([number]), "path": sizes}) for number in (1.0, 2.0))
    verdict = judge(check(arrays=("x",)), one, other)
    assert verdict.picture[0] == ("", "size of the gradient")
    assert verdict.picture[1:3] == (("at the input", "0.0e+00"), ("after 2 blocks", "1.0e-23"))
    assert verdict.picture[-1] == ("after 24 blocks", "1.0e-01")
    assert judge(check(arrays=("x",)), one, one).picture == ()
