"""The item analysis as comma-separated values: a line a check. Counts of students, shares from 0 to 1."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from graders.engine.cohort.items import Item
from graders.engine.cohort.mistakes import Mistake
from graders.faces.text import OUTCOMES, cell
from graders.model import Outcome

HEAD = ("check", "title", "points", "pass_rate", "tells_apart", *(outcome.value for outcome in Outcome), "mistakes")


def render(items: Sequence[Item], mistakes: Sequence[Mistake]) -> str:
    """The whole file. A share that cannot be told is left empty; `mistakes` lists those that cost the check, each with its count."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(_row(item, mistakes) for item in items)
    return out.getvalue()


def _row(item: Item, mistakes: Sequence[Mistake]) -> list[str | float]:
    cost = [f"{mistake.name} {len(mistake.checks[item.check.id])}" for mistake in mistakes if item.check.id in mistake.checks]
    return [
        cell(item.check.id),
        cell(item.check.title),
        item.check.points,
        "" if item.rate is None else round(item.rate, 4),
        "" if item.apart is None else round(item.apart, 4),
        *(len(item.outcomes.get(outcome, ())) for outcome in OUTCOMES),
        cell("; ".join(cost)),
    ]
