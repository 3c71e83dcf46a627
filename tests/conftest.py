"""The toy kit, and a real worker on it. A test of something else has a `kit` of its own, and `observer` then runs that one."""

from pathlib import Path

import pytest

from graders.engine.kit import read_kit
from graders.engine.observer import Observer

TOYKIT = Path(__file__).parent / "toykit"


@pytest.fixture(scope="session")
def kit():
    """Read once: a kit is frozen."""
    return read_kit(TOYKIT)


@pytest.fixture(scope="module")
def observer(kit):
    """One for each file of tests, since starting one takes seconds."""
    with Observer(kit) as running:
        yield running
