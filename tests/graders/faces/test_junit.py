"""Results as JUnit XML, read back by a parser."""

from xml.etree import ElementTree

from graders.faces import json, junit
from tests.graders.faces.conftest import program
from tests.graders.faces.reports import hostile, mixed


def test_a_suite_counts_wrong_as_failures_and_void_as_errors():
    suite = ElementTree.fromstring(junit.render([mixed()])).find("testsuite")
    assert {name: suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped", "time")} == {
        "name": "student-017",
        "tests": "9",
        "failures": "7",
        "errors": "1",
        "skipped": "0",
        "time": "0.051",
    }
    cases = {f"{case.get('classname')}.{case.get('name')}": case for case in suite.iter("testcase")}
    assert list(cases["student-017.norm.three_four"]) == []
    assert cases["student-017.norm.faint"].find("failure").text.startswith("failed: y: 2 of 2 numbers are wrong")
    assert "Hint: Add eps to the mean square" in cases["student-017.norm.faint"].find("failure").text
    assert cases["student-017.all.together"].find("error") is not None
    assert {prop.get("name"): prop.get("value") for prop in suite.iter("property")}["seed"] == "7"


def test_what_a_student_wrote_is_text_that_xml_can_hold():
    text = junit.render([hostile()])
    assert "\x1b" not in text
    assert ElementTree.fromstring(text).find("testsuite/testcase/failure").text.startswith("crashed: =1+1")


def test_the_command_reads_what_grade_wrote(tmp_path):
    (tmp_path / "results.json").write_text(json.render(mixed("ann")) + "\n" + json.render(mixed("bob")) + "\n")
    done = program("-m", "graders", "junit", tmp_path / "results.json", "--out", tmp_path / "results.xml")
    assert done.returncode == 0, done.stderr
    assert [suite.get("name") for suite in ElementTree.parse(tmp_path / "results.xml").getroot()] == ["ann", "bob"]
