"""All that is told of a class, in one frozen value: reports come in, numbers with the students behind them go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    def nobody(self) -> tuple[Item, ...]:
        """Checks that nobody passed."""
        return tuple(item for item in self.items if item.rate == 0)

    @property
    def everybody(self) -> tuple[Item, ...]:
        """Checks that everybody passed."""
        return tuple(item for item in self.items if item.rate == 1)


def overview(reports: Sequence[Report], earlier: Sequence[Report] | None = None, alike: tuple[Alike, ...] | None = None) -> Overview:
    """The overview of a class of at least one, against an earlier run where one is given."""
    shared, alone = nameless(reports)
    return Overview(
        tuple(reports),
        bins(reports),
        items(reports),
        mistakes(reports),
        shared,
        alone,
        concerns(reports),
        slowest(reports, SLOWEST),
        compare(earlier, reports) if earlier is not None else None,
        alike,
    )
