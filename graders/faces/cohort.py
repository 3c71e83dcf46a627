"""A class in a terminal: what the page of `report --html` tells, shorter. Every number is followed by some of the students behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from graders.engine.cohort.changes import Changed, Comparison
from graders.engine.cohort.items import Item, Who
from graders.engine.cohort.overview import Overview
from graders.engine.cohort.similar import CAUTION, Alike
from graders.faces.text import OUTCOMES, clean, number, other_lessons
from graders.model import Outcome

WIDEST = 110
BAR = 30
MOST = 20  # rows of a section
NAMES = 5
FEW = 3  # names beside a check, in a column that has its counts too


def render(overview: Overview) -> RenderableType:
    """All sections, one below the other."""
    rows: list[RenderableType] = []
    for heading, body in _sections(overview):
        rows += [Text(f"\n{heading}", "bold"), body]
    return Constrain(Group(*rows), WIDEST)


def _sections(o: Overview) -> Iterator[tuple[str, RenderableType]]:
    most = number(o.bins[-1].low)
    yield f"{len(o.reports)} submissions, average {o.average:.1f} of {most}, median {number(o.median)}", _points(o)
    if o.concerns:
        rows = [(concern.name, len(concern.who), _names(o, concern.who), concern.said[0]) for concern in o.concerns]
        yield "Needs a human", _table(("trouble", "students", "who", "said first"), rows)
    named = [(one.name, len(one.who), len(one.combined), _names(o, one.who), len(one.checks)) for one in o.mistakes]
    yield "Mistakes the class made", _table(("mistake", "students", "only with another", "who", "checks"), named)
    groups = [(group.part, len(group.who), _names(o, group.who), "; ".join(map(": ".join, group.checks.items()))) for group in o.nameless]
    yield f"Mistakes without a name ({len(o.alone)} students are alone with theirs)", _table(("part", "students", "who", "what went wrong"), groups)
    yield _extremes(o), _table(("check", "pass rate", "tells apart", "did not pass"), [_item(o, item) for item in _worst(o)])
    if o.comparison:
        yield _counts(o.comparison), _table(("student", "points", "why"), [_change(o, change) for change in o.comparison.changes])
    if o.alike is not None:
        yield "Similar code", Group(Text(CAUTION, "yellow"), _table(("part", "students", "who", "size"), [_alike(o, group) for group in o.alike]))
    slow = ", ".join(f"{clean(o.reports[place].label)} {o.reports[place].seconds:.1f} s" for place in o.slowest[:NAMES])
    yield "Slowest", Text(slow)


def _points(o: Overview) -> RenderableType:
    most = max(len(step.who) for step in o.bins)
    rows = []
    for step in o.bins:
        span = f"all {number(step.low)}" if step is o.bins[-1] else f"{number(step.low)} to under {number(step.high)}"
        rows.append((span, len(step.who), "█" * round(BAR * len(step.who) / most)))
    return _table(("points", "students", ""), rows)


def _extremes(o: Overview) -> str:
    """Checks that tell nobody apart, in a heading for those that most students lose."""
    parts = [f"Checks: nobody passes {len(o.nobody)} of {len(o.items)}, everybody passes {len(o.everybody)}"]
    return "; ".join(parts) + ("; the hardest:" if len(o.items) > MOST else "")


def _worst(o: Overview) -> list[Item]:
    return sorted((item for item in o.items if item.rate != 1), key=lambda item: -1.0 if item.rate is None else item.rate)


def _item(o: Overview, item: Item) -> tuple[str, str, str, str]:
    rate = "-" if item.rate is None else f"{item.rate:.0%}"
    how = ", ".join(f"{len(who)} {OUTCOMES[outcome]}" for outcome, who in item.outcomes.items() if outcome is not Outcome.PASSED)
    return item.check.id, rate, "-" if item.apart is None else f"{item.apart:.2f}", f"{how}: {_names(o, item.lost, FEW)}"


def _counts(found: Comparison) -> str:
    return f"Changes: {len(found.changes)} changed, {found.same} the same, {len(found.new)} new, {len(found.gone)} gone" + (
        f"\n{other_lessons(found.scope)}" if found.scope else ""
    )


def _change(o: Overview, one: Changed) -> tuple[str, str, str]:
    report, change = o.reports[one.place], one.change
    moved = [f"gained {', '.join(change.gained)}"] * bool(change.gained) + [f"lost {', '.join(change.lost)}"] * bool(change.lost)
    why = ", ".join(change.reasons) or "nothing known differs"
    return report.label, f"{number(one.before)} to {number(one.now)}", f"{' and '.join(moved)}: {why}"


def _alike(o: Overview, group: Alike) -> tuple[str, int, str, str]:
    return group.part, len(group.who), _names(o, group.who), f"{group.size}{', like the solution' if group.solution else ''}"


def _names(o: Overview, who: Who, most: int = NAMES) -> str:
    names = ", ".join(o.reports[place].label for place in who[:most])
    return f"{names} and {len(who) - most} more" if len(who) > most else names


def _table(heads: Sequence[str], rows: Sequence[Sequence[str | int]]) -> RenderableType:
    """The first rows of a table; counts stand at the right of their column. Texts may be a student's."""
    if not rows:
        return Text("none", "dim")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if isinstance(rows[0][place], int) else "left", overflow="fold")
    for row in rows[:MOST]:
        table.add_row(*(Text(clean(str(one), 160)) for one in row))
    return Group(table, Text(f"and {len(rows) - MOST} more; --html shows all", "dim")) if len(rows) > MOST else table
