"""A report as one line of JSON."""

import json
from dataclasses import replace

from graders.engine.written import read
from graders.faces import json as face
from graders.model import Outcome
from tests.graders.faces.reports import EPS, hostile, mixed, report, verdict


def test_a_report_holds_the_promised_names():
    one = verdict("norm.faint", Outcome.FAILED, "y: the number is wrong.", EPS)
    assert json.loads(face.render(report(verdict("norm.value", points=2.0), one))) == {
        "label": "student-017",
        "points": 2.0,
        "possible": 3.0,
        "seed": 7,
        "isolation": "full",
        "kit_version": "0.1.0+abcdef12",
        "graded": {"norm": "00ff"},
        "seconds": 0.051,
        "notes": [],
        "fingerprints": {},
        "tampering": [],
        "verdicts": [
            {"check": "norm.value", "title": "Try value.", "outcome": "passed", "points": 2.0, "possible": 2.0, "message": "", "hint": None},
            {
                "check": "norm.faint",
                "title": "Try faint.",
                "outcome": "failed",
                "points": 0.0,
                "possible": 1.0,
                "message": "y: the number is wrong.",
                "hint": {"misconceptions": ["eps_outside_root"], "text": "Add eps to the mean square, before the square root."},
            },
        ],
    }


def test_a_picture_is_there_where_a_check_has_one_and_comes_back():
    drawn = replace(verdict("norm.faint", Outcome.FAILED), picture=(("", "position 0"), ("input 1 is changed", "moved, must stay")))
    line = face.render(report(verdict("norm.value"), drawn))
    assert ["picture" in one for one in json.loads(line)["verdicts"]] == [False, True]
    assert [one.picture for one in read(line).verdicts] == [(), drawn.picture]


def test_a_void_check_counts_nothing_and_asks_for_a_human():
    found = json.loads(face.render(mixed()))
    assert found["needs_human"] is True
    assert found["verdicts"][-1]["possible"] == 0.0


def test_hostile_text_is_one_line_of_ascii_without_orders():
    line = face.render(hostile())
    assert line.isascii()
    assert line.isprintable()
    assert line.startswith("{")
    assert "##[" not in line


def test_hostile_text_comes_back_whole_but_for_half_surrogates():
    message = json.loads(face.render(hostile()))["verdicts"][0]["message"]
    assert message == hostile().verdicts[0].message.replace("\ud800", "?")
