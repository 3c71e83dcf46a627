"""The same checks the usual way: pytest imports the student's code into its own process and compares there. Run by bench/speed.py."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from graders.engine.compare import difference
from graders.engine.kit import read_kit
from graders.model import Observation
from graders.wire import split, unpack
from graders.worker.load import Parts
from graders.worker.run import run_probe


def some(kit):
    """The kit with the checks of the parts that PARTS names, or of all."""
    wanted = os.environ.get("PARTS", "").split(",")
    return kit if wanted == [""] else replace(kit, checks=tuple(check for check in kit.checks if set(check.takes) <= set(wanted)))


KIT = some(read_kit(Path(__file__).parents[1]))
SEED = 7


def observed(texts, probe):
    """What one probe gives on these parts, in this process."""
    (body,) = split(bytearray(run_probe(Parts(texts, SEED), texts, probe, SEED)), 1 << 30)
    return Observation(unpack(body)[1])


@pytest.mark.parametrize("check", KIT.checks, ids=lambda check: check.id)
def test_check(check):
    right = {name: part.text for name, part in KIT.reference.parts.items()}
    mine = {name: (Path(os.environ["SUBMISSION"]) / f"{name}.py").read_text() if name in check.takes else text for name, text in right.items()}
    assert difference(check, observed(mine, check.probe), observed(right, check.probe)) is None
