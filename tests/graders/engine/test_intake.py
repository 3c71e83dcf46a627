"""What comes out of a child may be any bytes at all."""

import contextlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graders import wire
from graders.engine.intake import Intake, clean
from graders.model import Outcome

BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the machine may have other things to do
PROBES = ("a.one", "a.two")


def intake():
    return Intake(PROBES, ("a",), 1 << 16)


def frame(head, arrays=None):
    return wire.pack(head, arrays)


def test_frames_in_order_complete_it_however_they_are_cut():
    data = frame({"probe": "a.one"}, {"y": np.arange(3.0)}) + frame({"probe": "a.two"}, {"none": None})
    for size in (1, 7, len(data)):
        taken = intake()
        for start in range(0, len(data), size):
            taken.take(data[start : start + size], 0.1)
        assert taken.complete
        assert list(taken.came[0].arrays["y"]) == [0, 1, 2]
        assert taken.came[1].arrays == {"none": None}


@BUSY
@given(st.binary(max_size=300))
def test_no_bytes_do_more_than_be_refused(data):
    taken = intake()
    with contextlib.suppress(wire.GateError):
        taken.take(data, 0.1)
    assert not taken.came


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x), max_leaves=8
)


@BUSY
@given(st.dictionaries(st.sampled_from(["probe", "fault", "x"]), JSON | st.just("a.one")))
def test_no_header_does_more_than_be_refused_or_be_a_plain_fault(head):
    taken = intake()
    try:
        taken.take(frame(head), 0.1)
    except wire.GateError:
        return
    fault = taken.came[0].fault
    assert fault is None or fault.outcome in (Outcome.CRASHED, Outcome.MISSING, Outcome.UNFINISHED)


@pytest.mark.parametrize("outcome", ["passed", "failed", "timed_out", "void", "", None, 3])
def test_a_child_cannot_say_that_it_passed_or_that_the_kit_failed(outcome):
    with pytest.raises(wire.GateError):
        intake().take(frame({"probe": "a.one", "fault": {"outcome": outcome, "text": ""}}), 0.1)


def test_a_place_is_kept_only_where_it_is_in_a_part_of_the_job():
    head = {"probe": "a.one", "fault": {"outcome": "crashed", "text": "x", "part": "a", "line": 7}}
    here, elsewhere = intake(), intake()
    here.take(frame(head), 0.1)
    elsewhere.take(frame({**head, "fault": {**head["fault"], "part": "/etc/passwd"}}), 0.1)
    assert (here.came[0].fault.part, here.came[0].fault.line) == ("a", 7)
    assert (elsewhere.came[0].fault.part, elsewhere.came[0].fault.line) == ("", 0)


def test_all_frames_of_a_job_together_are_bounded():
    many = Intake([f"a.p{n}" for n in range(9)], ("a",), 1 << 12)
    with pytest.raises(wire.GateError, match="larger than allowed"):
        for n in range(9):
            many.take(frame({"probe": f"a.p{n}"}, {"y": np.zeros(450)}), 0.1)
    assert len(many.came) == 4


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("cannot import name 'x' from 'torch' (/home/prof/.venv/lib/torch/__init__.py)", "cannot import name 'x' from 'torch' (__init__.py)"),
        ("[Errno 2] No such file: '/home/prof/kit/data.csv'", "[Errno 2] No such file: 'data.csv'"),
        ("a and/or b, 1/2/3, x / y, ./here/it.py", "a and/or b, 1/2/3, x / y, ./here/it.py"),
    ],
)
def test_no_text_tells_the_folders_of_the_machine(said, told):
    assert clean(said) == told


@BUSY
@given(st.text())
def test_a_text_becomes_one_short_printable_line(text):
    line = clean(text)
    assert line.isprintable()
    assert len(line) <= 300
