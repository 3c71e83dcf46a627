"""The gate: what goes in comes out, and nothing else gets through."""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders import wire

LIMIT = 1 << 20


def one(frame):
    (body,) = wire.split(bytearray(frame), LIMIT)
    return wire.unpack(body)


def frame_of(listing, blob=b""):
    header = json.dumps({"head": {}, "arrays": listing}).encode()
    return len(header).to_bytes(4, "little") + header + blob


@pytest.mark.parametrize("dtype", wire.DTYPES)
def test_an_array_of_each_type_comes_back_bit_for_bit(dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    head, arrays = one(wire.pack({"probe": "a.b"}, {"y": array}))
    assert head == {"probe": "a.b"}
    assert arrays["y"].dtype == array.dtype and arrays["y"].tobytes() == array.tobytes() and arrays["y"].shape == (2, 3)


def test_nan_infinity_none_and_empty_arrays_pass():
    _, arrays = one(wire.pack({}, {"odd": np.array([np.nan, -np.inf]), "none": None, "empty": np.zeros((0, 3)), "hollow": np.zeros((2, 0))}))
    assert np.isnan(arrays["odd"][0]) and arrays["odd"][1] == -np.inf
    assert arrays["none"] is None and arrays["empty"].shape == (0, 3) and arrays["hollow"].shape == (2, 0)


@pytest.mark.parametrize("dtype", ["<c8", "|O", "<U3", "<f2", ">f4", "|V4"])
def test_other_types_are_refused_on_both_sides(dtype):
    if dtype != "|O":
        with pytest.raises(wire.GateError):
            wire.pack({}, {"y": np.zeros(2, dtype)})
    with pytest.raises(wire.GateError):
        wire.unpack(frame_of([["y", dtype, [1]]], b"\0" * 64))


@pytest.mark.parametrize(
    "listing",
    [
        [["y", "<f4", [1]], ["y", "<f4", [1]]],
        [["y", "<f4", [-1]]],
        [["y", "<f4", [True]]],
        [["y", "<f4", [2**62, 2**62]]],
        [["y", "<f4", [0] * 9]],
        [["y", "<f4", 4]],
        [["y" * 65, "<f4", [1]]],
        [[1, "<f4", [1]]],
        [["y", ["<f4"], [1]]],
        [["y"]],
        "y",
        [[f"y{n}", None, []] for n in range(65)],
    ],
)
def test_a_listing_of_another_form_is_refused(listing):
    with pytest.raises(wire.GateError):
        wire.unpack(frame_of(listing, b"\0" * 8))


def test_bytes_that_belong_to_no_array_are_refused():
    with pytest.raises(wire.GateError):
        wire.unpack(frame_of([], b"more"))


def test_a_frame_longer_than_the_limit_is_refused_before_it_is_read():
    with pytest.raises(wire.GateError):
        list(wire.split(bytearray((LIMIT + 1).to_bytes(8, "little")), LIMIT))


def test_half_a_frame_waits_for_the_rest():
    frame = wire.pack({"n": 1})
    buffer = bytearray(frame + frame[:-1])
    assert len(list(wire.split(buffer, LIMIT))) == 1
    buffer += frame[-1:]
    assert len(list(wire.split(buffer, LIMIT))) == 1
    assert not buffer


def test_deeply_nested_json_is_refused():
    header = b"[" * 100_000
    with pytest.raises(wire.GateError):
        wire.unpack(len(header).to_bytes(4, "little") + header)


@given(st.binary(max_size=400))
def test_no_bytes_raise_anything_but_a_gate_error(body):
    with contextlib.suppress(wire.GateError):
        wire.unpack(body)


ENTRY = st.tuples(st.text(max_size=70), st.sampled_from(["<f4", "<f8", "|b1", None, "x"]), st.lists(st.integers(-2, 9), max_size=4))


@given(st.lists(ENTRY, max_size=4), st.binary(max_size=200))
def test_no_listing_raises_anything_but_a_gate_error(listing, blob):
    with contextlib.suppress(wire.GateError):
        wire.unpack(frame_of([list(entry) for entry in listing], blob))
