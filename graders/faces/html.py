"""Pages of one file each: the class for an instructor, and one report for its student. Nothing on them is fetched from anywhere.

Texts that a student's code may have written go through `plain`, then through the templates' escaping; the script puts them in as text only.
A content security policy in the page allows the page's own script and styles, by their digests, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graders.engine.cohort.items import Who, quantile
from graders.engine.cohort.overview import Overview
from graders.engine.cohort.similar import CAUTION
from graders.engine.picture import MOVED, STAYED
from graders.faces.text import OUTCOMES, by_group, earned, noticed, number, other_lessons, plain, possible
from graders.model import Outcome, Report, Verdict

TEMPLATES = Path(__file__).parent / "templates"
MARKS = {MOVED: "●", STAYED: "○"}  # of the cells of a picture; what is wrong: ✗
KINDS = {MOVED: "moved", STAYED: "stayed"}  # their classes
SIGNS = {Outcome.PASSED: "✓", Outcome.FAILED: "✗", Outcome.VOID: "?", Outcome.UNFINISHED: "…"}  # the rest: !


def class_page(overview: Overview, heading: str) -> str:
    """The whole page about a class."""
    lists: list[dict[str, Any]] = []

    def link(title: str, who: Who) -> int:
        """The number of a new list of students, that a link on the page leads to."""
        lists.append({"title": title, "who": who})
        return len(lists) - 1

    groups = dict.fromkeys(group for report in overview.reports for group in by_group(report.verdicts))
    return _render(
        "class.html",
        heading=heading,
        o=overview,
        groups=list(groups),
        rows=[_row(report) for report in overview.reports],
        link=link,
        lists=lists,
        data=lambda: {"lists": lists, **details(overview.reports)},
        caution=CAUTION,
        other_lessons=other_lessons,
        seconds=[quantile((report.seconds for report in overview.reports), share) for share in (0.5, 0.9, 1.0)],
    )


def feedback_page(report: Report, heading: str) -> str:
    """One report for its student: points by exercise, each lost point with what was seen and the hint. No seed, no known mistake's name."""
    return _render("feedback.html", heading=heading, report=report, groups=by_group(report.verdicts))


def details(reports: Sequence[Report]) -> dict[str, Any]:
    """For the script: each student's checks that earned nothing, as numbers of texts that are told once."""
    texts: dict[str, int] = {}

    def text(words: str) -> int:
        return texts.setdefault(plain(words, 1000), len(texts))

    students = [
        [[text(one.check.id), text(OUTCOMES[one.outcome]), text(one.message), text(one.hint.text if one.hint else "")] for one in _lost(report)]
        for report in reports
    ]
    return {"students": students, "texts": list(texts)}


def _together(verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
    """Checks that stopped for one reason in one list, each other check in its own; in the order of the first of each."""
    lists: dict[object, list[Verdict]] = {}
    for verdict in verdicts:
        alone = verdict.outcome in (Outcome.FAILED, Outcome.VOID) or verdict.picture
        lists.setdefault(verdict.check.id if alone else (verdict.outcome, verdict.message), []).append(verdict)
    return list(lists.values())


def _lost(report: Report) -> list[Verdict]:
    return [verdict for verdict in report.verdicts if verdict.outcome is not Outcome.PASSED]


def _row(report: Report) -> dict[str, Any]:
    """What the table of students says of one."""
    named = dict.fromkeys(name for verdict in report.verdicts if verdict.hint for name in verdict.hint.misconceptions)
    groups = {group: earned(verdicts) for group, verdicts in by_group(report.verdicts).items()}
    odd = dict.fromkeys(OUTCOMES[one.outcome] for one in report.verdicts if one.outcome not in (Outcome.PASSED, Outcome.FAILED))
    notes = [plain(note) for note in (*report.notes, *noticed(report))]
    return {"report": report, "groups": groups, "remarks": ", ".join((*named, *odd)), "notes": notes}


def _render(template: str, **values: object) -> str:
    """A template filled in. What is not said in it is an error, not a gap."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # here, since every command loads this file
    from markupsafe import Markup

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}  # `tojson` itself escapes <, >, & and '
    environment.filters.update(words=_words, mark=lambda word: MARKS.get(word, "✗"), kind=lambda word: KINDS.get(word, "wrong"))
    environment.filters.update(share=_share, together=_together)
    environment.filters.update(plain=plain, number=number, percent=_percent, possible=possible, earned=earned)
    style, script = (Markup((TEMPLATES / name).read_text(encoding="utf-8")) for name in ("page.css", "class.js"))  # noqa: S704 - our own files
    environment.globals.update(style=style, script=script, policy=_policy(style, script), Outcome=Outcome, outcomes=OUTCOMES, sign=_sign)
    return environment.get_template(template).render(**values)


def _policy(style: str, script: str) -> str:
    """Only these two texts may style the page and run in it, and nothing may be fetched."""
    kinds = (f"{kind}-src 'sha256-{_digest(text)}'" for kind, text in (("style", style), ("script", script)))
    return f"default-src 'none'; {'; '.join(kinds)}; img-src data:; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _percent(share: float | None) -> str:
    """A share as a whole per cent; only all is 100 and only none is 0."""
    if share is None:
        return "–"
    return "100 %" if share == 1 else "0 %" if share == 0 else f"{min(99, max(1, round(100 * share)))} %"


def _sign(outcome: Outcome) -> str:
    return SIGNS.get(outcome, "!")


def _share(word: str, picture: Sequence[Sequence[str]]) -> float | None:
    """How long the bar of a number is among those of its picture, in per cent by powers of ten; None where it has none."""
    sizes = [math.log10(float(row[1])) for row in picture[1:] if 0 < float(row[1]) < math.inf]
    if not 0 < float(word) < math.inf:
        return None
    low, high = min(sizes) - 1, max(sizes)
    return 100 * (math.log10(float(word)) - low) / (high - low)


def _words(picture: Sequence[Sequence[str]]) -> list[str]:
    """The words in a picture's cells, each once; what is right first."""
    return sorted({word for row in picture[1:] for word in row[1:]}, key=lambda word: (word not in MARKS, word))
