"""What all faces share: text that nobody can abuse, numbers without clutter, verdicts by group.

Messages, labels and notes may hold what a student's code wrote. On the way out they become one plain line: nothing that moves
a cursor, turns the reading direction, starts a formula in a spreadsheet, or gives an order to the system that shows a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from graders.model import Check, Outcome, Report, Verdict

if TYPE_CHECKING:
    from graders.engine.resume import Scope

LONGEST = 400
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
# `::error ...` where a line starts, `##[group]` and `##vso[...]` anywhere. A table may break a line at any place, so none is left whole.
ORDERS = re.compile(r":(?=:[A-Za-z])|#(?=#\w*\[)")
OUTCOMES = {outcome: outcome.value.replace("_", " ") for outcome in Outcome}


def plain(text: str, longest: int = LONGEST) -> str:
    """One printable line of at most `longest` characters; whatever is not printable is written as its escape."""
    words = " ".join(text[: 4 * longest].split())
    line = "".join(char if char.isprintable() else _escape(char) for char in words)
    return line if len(line) <= longest else line[: longest - 1] + "…"


def clean(text: str, longest: int = LONGEST) -> str:
    """A plain line for a terminal or a log: it gives no orders to whatever shows the log."""
    return ORDERS.sub(lambda found: found[0] + " ", plain(text, longest))


def cell(text: str) -> str:
    """A plain line that a spreadsheet takes as text, not as a formula."""
    line = plain(text)
    return "'" + line if line.startswith(FORMULA) else line


def guarded(text: str) -> str:
    """The text as it is, unless a spreadsheet would take it for a formula."""
    return cell(text) if text.strip().startswith(FORMULA) else text


def title(check: Check) -> str:
    """A check's title as a label: some authors end it with a full stop, some do not."""
    return clean(check.title).rstrip(".")


def number(value: float) -> str:
    """Points without needless zeros: 17, 0.5."""
    return f"{round(value, 4):g}"


def noticed(report: Report) -> list[str]:
    """Signs of tampering, for instructors' eyes only."""
    return [f"noticed: {line}" for line in report.tampering]


def by_group(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """Verdicts by the table of grading.toml that their checks come from, in order."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault(verdict.check.id.split(".")[0], []).append(verdict)
    return groups


def earned(verdicts: Iterable[Verdict]) -> float:
    """Points earned together."""
    return sum(verdict.points for verdict in verdicts)


def possible(verdicts: Iterable[Verdict]) -> float:
    """Points that could be earned together."""
    return sum(verdict.possible for verdict in verdicts)


def other_lessons(scope: Scope) -> str:
    """Which checks one run has and the other not, for example `only lesson15 is graded now; 24 checks were not run`."""
    told = []
    if scope.not_run:
        told.append(f"only {' and '.join(scope.now)} is graded now; {_checks(scope.not_run)} not run")
    if scope.new:
        told.append(f"only {' and '.join(scope.before)} was graded before; {_checks(scope.new)} not run then")
    return clean("; ".join(told))


def _checks(count: int) -> str:
    return f"{count} {'check was' if count == 1 else 'checks were'}"


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
