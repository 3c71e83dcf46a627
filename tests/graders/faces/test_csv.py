"""Reports as one CSV file."""

import csv
import io

from graders.faces import csv as face
from graders.model import Outcome
from tests.graders.faces.reports import hostile, mixed, report, verdict


def rendered(*reports):
    """The file on these reports, with a column for each of their checks."""
    checks = dict.fromkeys(verdict.check.id for one in reports for verdict in one.verdicts)
    return "".join(face.lines(list(checks), reports))


def rows(text):
    """The file as a reader of CSV sees it."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_file_has_a_column_for_each_group_and_check():
    text = rendered(report(verdict("norm.value", points=2.0), verdict("norm.zero", Outcome.FAILED), verdict("heads.value")))
    assert text == (
        '"label","points","possible","norm","heads","norm.value","norm.zero","heads.value","needs_human","seed","isolation","kit_version",'
        '"notes","tampering"\n'
        '"student-017",3.0,4.0,2.0,1.0,2.0,0.0,1.0,"no",7,"full","0.1.0+abcdef12","",""\n'
    )


def test_a_void_check_leaves_its_cell_empty_and_asks_for_a_human():
    [row] = rows(rendered(mixed()))
    assert row["all.together"] == ""
    assert row["needs_human"] == "yes"
    assert row["norm.faint"] == "0.0"


def test_reports_stay_in_their_order():
    assert [row["label"] for row in rows(rendered(*(report(label=name) for name in "bca")))] == ["b", "c", "a"]


def test_hostile_labels_and_notes_start_no_formula_and_no_line():
    text = rendered(hostile())
    [row] = rows(text)
    assert row["label"].startswith("'=")
    assert row["notes"].startswith("'=")
    assert text.count("\n") == 2
    assert text.isprintable() or set(text) - {"\n"} == {char for char in text if char.isprintable()}


def test_no_report_gives_a_file_with_its_head():
    assert rows(rendered()) == []
