"""Code that writes on the way of the results itself: what was not expected, or cannot be read, counts for nothing."""

import numpy as np
import pytest

from graders import wire
from graders.model import Outcome

SEND = """
import os
def send(data):
    for fd in range(3, 64):
        try:
            os.write(fd, data)
        except OSError:
            pass
"""
ADD = "\ndef add(a, b):\n    return a + b\n"
UNREADABLE = "what came out could not be read"


def frame(probe="adder.value", arrays=None, **head):
    return wire.pack({"probe": probe, **head}, {"y": np.zeros(3, np.float32)} if arrays is None else arrays)


def raw(header):
    return (len(header) + 4).to_bytes(8, "little") + len(header).to_bytes(4, "little") + header


FORGED = {
    "for a probe that nobody asked for": frame("adder.secret"),
    "for the next probe but one": frame("adder.zeros"),
    "for another part": frame("mixer.half"),
    "for a probe answered before": frame("adder.rule_short"),
    "that says it passed": frame(fault={"outcome": "passed", "text": ""}),
    "that says the kit failed": frame(fault={"outcome": "void", "text": "not my fault"}),
    "that says the time was up": frame(fault={"outcome": "timed_out", "text": ""}),
    "with a word too many": frame(points=100),
    "with a fault that is no fault": frame(fault=["crashed"]),
    "with a line that is no number": frame(fault={"outcome": "crashed", "text": "", "line": "x"}),
    "without a probe": wire.pack({}, {}),
    "that is no frame": b"\x05\0\0\0\0\0\0\0hello",
    "longer than allowed": (1 << 40).to_bytes(8, "little"),
    "that is pickled": b"\x20\0\0\0\0\0\0\0\x80\x04\x95" + b"c" * 29,
    "nested without end": raw(b"[" * 9000),
    "with an array that is not in it": raw(b'{"head": {"probe": "adder.value"}, "arrays": [["y", "<f4", [99999]]]}'),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_frame_that_should_not_be_there_is_a_crash(observe, what):
    seen = observe(f"{SEND}send({FORGED[what]!r}){ADD}")
    assert seen["adder.value"].fault.outcome is Outcome.CRASHED
    assert seen["adder.value"].fault.text == UNREADABLE


FLOOD = f"{SEND}junk = (1 << 19).to_bytes(8, 'little') + bytes(1 << 19)\nwhile True:\n    send(junk)\n"


def test_a_flood_is_cut_off(observe):
    seen = observe(FLOOD)
    assert seen["adder.value"].fault.text == UNREADABLE


def test_answering_twice_spoils_the_next_answer_and_no_other(observe, clean):
    """Its own value may well be made up: it has to be right all the same, and what is right is not known inside."""
    seen = observe(f"{SEND}send({frame('adder.value')!r}){ADD}")
    assert not np.array_equal(seen["adder.value"].arrays["y"], clean["adder.value"].arrays["y"])
    assert seen["adder.zeros"].fault.text == UNREADABLE


def test_frames_after_the_last_one_count_for_nothing(observe):
    late = "import torch, atexit\ndef add(a, b):\n    return a + b\nclass Late:\n    def __del__(self):\n        send(b'x' * 100)\nlate = Late()\n"
    seen = observe(SEND + late)
    assert seen["adder.zeros"].fault is None


def test_a_byte_more_than_nothing_is_not_an_answer(observe):
    seen = observe(f"{SEND}send(b'\\x10'){ADD}")
    assert seen["adder.value"].fault.outcome is Outcome.CRASHED


HOSTILE_ERRORS = {
    "its text raises": "class E(Exception):\n    def __str__(self):\n        raise SystemExit\n",
    "its text loops": "class E(Exception):\n    def __str__(self):\n        while True:\n            pass\n    __repr__ = __str__\n",
    "its text ends the process": "class E(Exception):\n    def __str__(self):\n        os._exit(0)\n",
    "its class has traps": (
        "class M(type):\n    def __getattribute__(cls, name):\n        os._exit(0)\nclass E(Exception, metaclass=M):\n    pass\n"
    ),
    "itself has traps": "class E(Exception):\n    def __getattribute__(self, name):\n        os._exit(0)\n",
    "its arguments have traps": (
        "class T:\n    def __str__(self):\n        os._exit(0)\n    __repr__ = __str__\n"
        "class E(Exception):\n    def __init__(self):\n        super().__init__(T())\n"
    ),
    "its name is a trap": (
        "class S(str):\n    def __format__(self, spec):\n        os._exit(0)\n    __str__ = __format__\n"
        "class E(Exception):\n    pass\nE.__name__ = S('E')\n"
    ),
    "its file is a trap": (
        "class T:\n    def __repr__(self):\n        os._exit(0)\nclass E(OSError):\n    def __init__(self):\n        super().__init__(2, 'no', T())\n"
    ),
    "it refuses to be changed": "class E(Exception):\n    def __setattr__(self, name, value):\n        os._exit(0)\n    __delattr__ = __setattr__\n",
    "its class is equal to everything": (
        "class M(type):\n    def __eq__(cls, other):\n        os._exit(0)\n    __hash__ = type.__hash__\n"
        "class E(Exception, metaclass=M):\n    pass\n"
    ),
    "the class of its argument is equal to everything": (
        "class M(type):\n    def __eq__(cls, other):\n        os._exit(0)\n    __hash__ = type.__hash__\nclass T(metaclass=M):\n    pass\n"
        "class E(Exception):\n    def __init__(self):\n        super().__init__(T())\n"
    ),
    "its outcome is equal to everything": "class O:\n    def __eq__(self, other):\n        os._exit(0)\nclass E(Exception):\n    outcome = O()\n",
    "a name in its class is equal to the one looked for": (
        "class S(str):\n    armed = False\n    def __eq__(self, other):\n        return os._exit(0) if S.armed else str.__eq__(self, other)\n"
        "    __hash__ = str.__hash__\nE = type('E', (Exception,), {S('__str__'): lambda self: 'x', S('outcome'): 1, '__module__': __name__})\n"
        "S.armed = True\n"
    ),
    "it is of the gate's kind": "import graders.wire\nclass E(graders.wire.GateError):\n    def __str__(self):\n        os._exit(0)\n",
    "it says that memory ran out": "class E(MemoryError):\n    def __getattribute__(self, name):\n        os._exit(0)\n",
    "it claims to have passed": "class E(Exception):\n    outcome = 'passed'\n",
    "it claims that something is missing": "class E(Exception):\n    outcome = 'missing'\n",
}


@pytest.mark.parametrize("what", HOSTILE_ERRORS)
def test_an_exception_is_described_without_running_it(observe, what):
    seen = observe(f"import os\n{HOSTILE_ERRORS[what]}\ndef add(a, b):\n    raise E()\n")
    fault = seen["adder.value"].fault
    assert fault.outcome is Outcome.CRASHED
    assert fault.part == "adder"
    assert "process" not in fault.text


def test_a_text_is_one_short_line_without_control_characters(observe):
    seen = observe("def add(a, b):\n    raise ValueError('\\x1b[31mred\\x07\\n::error::\\u202e' + 'x' * 5000)\n")
    text = seen["adder.value"].fault.text
    assert len(text) <= 300
    assert text.isprintable()
    assert text.startswith("ValueError: ?[31mred? ::error::?xxx")


def test_what_torch_and_the_worker_are_patched_to_say_is_only_its_own_answer(observe):
    patch = """
import sys, json, torch
import graders.wire as wire
wire.pack = lambda head, arrays=None: b'\\x00' * 8
"""
    seen = observe(patch + ADD)
    assert seen["adder.value"].fault.text == UNREADABLE
