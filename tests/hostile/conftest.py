"""One real worker for each file of tests. Each test lets a hostile `adder` loose on it, beside an honest `mixer` that must not notice."""


import numpy as np
import pytest

from graders.model import Part

PROBES = ("adder.value", "adder.zeros", "adder.rule_short", "mixer.half", "mixer.ends")
MIXER = """
class Mixer:
    def __init__(self, share):
        self.share = share

    def mix(self, a, b):
        return self.share * a + (1 - self.share) * b
"""
HONEST = "def add(a, b):\n    return a + b\n"


@pytest.fixture(scope="module")
def clean(observer):
    return _observe(observer, HONEST)


@pytest.fixture
def observe(observer, clean):
    """Run a hostile adder; the rule about it and the honest mixer must come out as they do in a clean run."""

    def run(text):
        seen = _observe(observer, text)
        assert list(seen) == list(PROBES)
        for probe in PROBES[2:]:
            assert seen[probe].fault is None, (probe, seen[probe].fault)
            for name, array in clean[probe].arrays.items():
                np.testing.assert_array_equal(seen[probe].arrays[name], array)
        return seen

    return run


@pytest.fixture
def tries(observe):
    """Run code that defines `attempt()`, inside add. True where it gave something that is true, False where it failed or raised."""

    def run(code):
        body = f"import torch\n{code}\n\ndef add(a, b):\n    try:\n        done = bool(attempt())\n    except Exception:\n        done = False\n"
        seen = observe(body + "    return torch.tensor(done)\n")
        assert seen["adder.value"].fault is None, seen["adder.value"].fault
        return bool(seen["adder.value"].arrays["y"])

    return run


@pytest.fixture
def observer_alone(observer):
    """Run a hostile adder that may spoil its neighbour's numbers too: that costs nobody else anything."""
    return lambda text: _observe(observer, text)


def _observe(observer, text):
    return observer.observe({"adder": Part("adder", text), "mixer": Part("mixer", MIXER)}, PROBES, 7)
