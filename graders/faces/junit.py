"""JUnit XML, as pytest writes it: a suite a student, a case a check. Wrong is a failure, what the grader could not decide an error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Tree

from graders.faces.text import OUTCOMES, clean, number, title
from graders.model import Outcome, Report, Verdict

NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(reports: Sequence[Report]) -> str:
    """The whole file."""
    suites = Tree.Element("testsuites")
    for report in reports:
        suites.append(_suite(report))
    Tree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Tree.tostring(suites, encoding="unicode") + "\n"


def _suite(report: Report) -> Tree.Element:
    void = sum(verdict.outcome is Outcome.VOID for verdict in report.verdicts)
    wrong = sum(verdict.outcome is not Outcome.PASSED for verdict in report.verdicts) - void
    counts = {"tests": len(report.verdicts), "failures": wrong, "errors": void, "skipped": 0}
    numbers = {name: str(count) for name, count in counts.items()}
    suite = Tree.Element("testsuite", {"name": _text(report.label), "time": f"{report.seconds:.3f}", **numbers})
    properties = Tree.SubElement(suite, "properties")
    about = {"points": number(report.points), "possible": number(report.possible), "seed": str(report.seed), "isolation": report.isolation}
    for name, value in about.items():
        Tree.SubElement(properties, "property", {"name": name, "value": _text(value)})
    suite.extend(_case(report.label, verdict) for verdict in report.verdicts)
    return suite


def _case(label: str, verdict: Verdict) -> Tree.Element:
    group, name = verdict.check.id.split(".")
    case = Tree.Element("testcase", {"classname": f"{_text(label)}.{group}", "name": name, "time": "0.000"})
    if verdict.outcome is not Outcome.PASSED:
        told = Tree.SubElement(case, "error" if verdict.outcome is Outcome.VOID else "failure", {"message": _text(title(verdict.check))})
        hint = f"\nHint: {clean(verdict.hint.text)}" if verdict.hint else ""
        told.text = NOT_XML.sub("?", f"{OUTCOMES[verdict.outcome]}: {clean(verdict.message)}".rstrip(": ") + hint)
    return case


def _text(text: str) -> str:
    """Text that XML can hold, on one line."""
    return NOT_XML.sub("?", clean(text))
