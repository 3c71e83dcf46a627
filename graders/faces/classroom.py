"""GitHub Classroom: a report becomes the result that its reporter reads, the output of a workflow's step, and the notice with the points.

A result always has `tests`: the reporter goes through them without asking. Nothing of a hidden check's source is in it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from graders.faces.text import OUTCOMES, clean, number, title
from graders.model import Outcome, Report, Verdict

Result = dict[str, Any]
VERSION = 1


def render(report: Report) -> Result:
    """The result for a report. A void check is an error that counts nothing."""
    passed = all(verdict.outcome is Outcome.PASSED for verdict in report.verdicts)
    return {
        "version": VERSION,
        "status": "error" if report.needs_human else "pass" if passed else "fail",
        "max_score": report.possible,
        "tests": [_test(verdict) for verdict in report.verdicts],
    }


def trouble(sentence: str) -> Result:
    """The result where nothing could be graded."""
    return {"version": VERSION, "status": "error", "max_score": 0.0, "tests": [_entry("submission", "error", clean(sentence), 0.0)]}


def step_output(result: Result) -> str:
    """The line for the file that GITHUB_OUTPUT names: in base64, so that no text in it can begin another line."""
    return f"result={base64.b64encode(json.dumps(result).encode()).decode()}\n"


def log(result: Result) -> str:
    """The lines to print: each check that did not pass, and the notices from which Classroom takes the points."""
    return "\n".join(_lines(result))


def _lines(result: Result) -> Iterator[str]:
    for test in result["tests"]:
        if test["status"] != "pass":
            yield clean(f"{test['name']}: {test['message']}")
    points, most = round(sum(test["score"] for test in result["tests"]), 6), round(result["max_score"], 6)
    yield f"::notice title=Autograding complete::Points {number(points)}/{number(most)}"
    yield f"::notice title=Autograding report::{json.dumps({'totalPoints': points, 'maxPoints': most})}"


def _test(verdict: Verdict) -> Result:
    kinds = {Outcome.PASSED: "pass", Outcome.FAILED: "fail"}
    return _entry(f"{verdict.check.id}: {title(verdict.check)}", kinds.get(verdict.outcome, "error"), _message(verdict), verdict.points)


def _message(verdict: Verdict) -> str:
    if verdict.outcome is Outcome.PASSED:
        return ""
    hint = f" Hint: {clean(verdict.hint.text)}" if verdict.hint else ""
    return f"{OUTCOMES[verdict.outcome]}: {clean(verdict.message)}{hint}"


def _entry(name: str, status: str, message: str, score: float) -> Result:
    return {"name": name, "status": status, "message": message, "test_code": "", "filename": "", "line_no": 0, "duration": 0, "score": score}
