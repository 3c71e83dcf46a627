"""All that is told of a class, in one frozen value: reports come in, numbers with the students behind them go out."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from graders.engine.cohort.changes import Comparison, compare
from graders.engine.cohort.human import Concern, concerns
from graders.engine.cohort.items import Bin, Item, Who, bins, items, slowest
from graders.engine.cohort.mistakes import Mistake, Nameless, mistakes, nameless
from graders.engine.cohort.similar import Alike
from graders.model import Report

SLOWEST = 10


@dataclass(frozen=True)
class Overview:
    """A class. Every `who` in it counts places in `reports`. `comparison` and `alike` are None where nobody asked for them."""

    reports: tuple[Report, ...]
    bins: tuple[Bin, ...]
    items: tuple[Item, ...]
    mistakes: tuple[Mistake, ...]
    nameless: tuple[Nameless, ...]
    alone: Who
    concerns: tuple[Concern, ...]
    slowest: Who
    comparison: Comparison | None
    alike: tuple[Alike, ...] | None

    @property
    def average(self) -> float:
        """Points of a student on average."""
        return statistics.fmean(report.points for report in self.reports)

    @property
    def median(self) -> float:
        """Points that half of the students reach: of an even number, the middle between two."""
        return statistics.median(report.points for report in self.reports)

    @property
    def nobody(self) -> tuple[Item, ...]:
        """Checks that nobody passed."""
        return tuple(item for item in self.items if item.rate == 0)

    @property
    def everybody(self) -> tuple[Item, ...]:
        """Checks that everybody passed."""
        return tuple(item for item in self.items if item.rate == 1)


def overview(
    reports: Sequence[Report],
    earlier: Sequence[Report] | None = None,
    alike: tuple[Alike, ...] | None = None,
    hints: Mapping[str, str] = MappingProxyType({}),
) -> Overview:
    """The overview of a class of at least one, against an earlier run where one is given. `hints`: of known mistakes by their names."""
    shared, alone = nameless(reports)
    return Overview(
        tuple(reports),
        bins(reports),
        items(reports),
        mistakes(reports, hints),
        shared,
        alone,
        concerns(reports),
        slowest(reports, SLOWEST),
        compare(earlier, reports) if earlier is not None else None,
        alike,
    )
