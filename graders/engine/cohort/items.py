"""The checks of a class: who passed each, who did not and how, and how well it tells students apart. Points and times too."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graders.model import Check, Outcome, Report

Who = tuple[int, ...]  # places in the list of reports
STEPS = 12


@dataclass(frozen=True)
class Item:
    """One check over a class. `apart` is the correlation of passing it with the points of all other checks (None: no spread)."""

    check: Check
    outcomes: Mapping[Outcome, Who]
    apart: float | None

    @property
    def passed(self) -> Who:
        """Who passed."""
        return self.outcomes.get(Outcome.PASSED, ())

    @property
    def lost(self) -> Who:
        """Who was judged and did not pass."""
        return tuple(sorted(place for outcome, who in self.outcomes.items() if outcome not in (Outcome.PASSED, Outcome.VOID) for place in who))

    @property
    def void(self) -> Who:
        """Where the kit itself failed."""
        return self.outcomes.get(Outcome.VOID, ())

    @property
    def rate(self) -> float | None:
        """The share that passed, from 0 to 1, of those for whom the check counts."""
        judged = len(self.passed) + len(self.lost)
        return len(self.passed) / judged if judged else None


@dataclass(frozen=True)
class Bin:
    """Students with points from `low` up to but without `high`; the last one holds `low` alone."""

    low: float
    high: float
    who: Who


def items(reports: Sequence[Report]) -> tuple[Item, ...]:
    """Every check that some report has, in their order."""
    checks: dict[str, Check] = {}
    outcomes: dict[str, dict[Outcome, list[int]]] = {}
    for place, report in enumerate(reports):
        for verdict in report.verdicts:
            name = verdict.check.id
            if name not in checks or verdict.check.points > checks[name].points:  # a void check says 0
                checks[name] = verdict.check
            outcomes.setdefault(name, {}).setdefault(verdict.outcome, []).append(place)
    totals = [report.points for report in reports]
    return tuple(_item(check, outcomes[name], totals) for name, check in checks.items())


def _item(check: Check, outcomes: Mapping[Outcome, Sequence[int]], totals: Sequence[float]) -> Item:
    passed = set(outcomes.get(Outcome.PASSED, ()))
    judged = [place for outcome, who in outcomes.items() if outcome is not Outcome.VOID for place in who]
    rest = [totals[place] - (check.points if place in passed else 0.0) for place in judged]
    own = [float(place in passed) for place in judged]
    ordered = {outcome: tuple(outcomes[outcome]) for outcome in Outcome if outcome in outcomes}
    return Item(check, ordered, _correlation(own, rest))


def _correlation(own: Sequence[float], rest: Sequence[float]) -> float | None:
    try:
        return statistics.correlation(own, rest)
    except statistics.StatisticsError:  # fewer than two students, or all alike
        return None


def bins(reports: Sequence[Report]) -> tuple[Bin, ...]:
    """At most twelve steps of points, and one more for those who have all."""
    most = max(sum(verdict.check.points for verdict in report.verdicts) for report in reports)
    step = _step(most)
    lows = [step * number for number in range(math.ceil(most / step))]
    found: dict[float, list[int]] = {low: [] for low in (*lows, most)}
    for place, report in enumerate(reports):
        full = report.points >= report.possible > 0
        found[most if full else lows[min(int(report.points / step), len(lows) - 1)]].append(place)
    return tuple(Bin(low, min(low + step, most), tuple(who)) for low, who in found.items())


def _step(most: float) -> float:
    """A round number of points that gives at most twelve steps: 1, 2 or 5 times a power of ten."""
    least = max(most, 1e-6) / STEPS
    power = 10.0 ** math.floor(math.log10(least))
    return next(step for step in (power, 2 * power, 5 * power, 10 * power) if step >= least - 1e-9)


def slowest(reports: Sequence[Report], count: int) -> Who:
    """Those whose grading took longest, the slowest first."""
    return tuple(sorted(range(len(reports)), key=lambda place: -reports[place].seconds)[:count])


def quantile(values: Iterable[float], share: float) -> float:
    """The value that this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
