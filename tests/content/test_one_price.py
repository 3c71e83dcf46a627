"""The promise of one price: mistakes in different parts cost the sum of what each costs alone, no more."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from graders.engine.grade import grade
from graders.engine.key import AnswerKey
from graders.engine.kit import mistaken, read_kit
from graders.engine.observer import Observer
from graders.model import Outcome, Submission

ROOT = Path(__file__).parents[2]
PAIRS = 40


@pytest.fixture(scope="module")
def lost():
    """The checks that a set of known mistakes of the real kit costs, over the checks of one part each."""
    kit = read_kit(ROOT)
    plain = replace(kit, misconceptions=())  # what a mistake is called does not matter here
    key = AnswerKey(plain, 11)
    with Observer(kit) as observer:

        def lost(*mistakes):
            parts = {**kit.reference.parts, **mistaken(kit, mistakes)}
            report = grade(Submission("s", parts), plain, key, observer)
            return {verdict.check.id for verdict in report.verdicts if verdict.outcome is not Outcome.PASSED}

        yield kit, lost


def test_two_mistakes_in_different_parts_cost_the_sum_of_both(lost):
    kit, cost = lost
    pairs = [pair for pair in combinations(kit.misconceptions, 2) if pair[0].part != pair[1].part]
    some = Random(5).sample(pairs, PAIRS)
    alone = {mistake: cost(mistake) for pair in some for mistake in pair}
    together = {(one.id, other.id): cost(one, other) for one, other in some}
    assert together == {(one.id, other.id): alone[one] | alone[other] for one, other in some}
