"""Reports read back from what a run wrote."""

import json

import pytest

from graders.engine.cohort.records import read_results
from graders.faces import json as face
from graders.model import SubmissionError
from tests.graders.faces.reports import hostile, mixed


def test_a_report_comes_back_as_it_was_but_for_what_no_report_shows(tmp_path):
    (tmp_path / "a.json").write_text(face.render(mixed()), encoding="utf-8")
    (found,) = read_results(tmp_path).reports
    assert face.render(found) == face.render(mixed())


def test_a_file_may_hold_a_report_a_line_and_the_last_on_a_label_counts(tmp_path):
    file = tmp_path / "all.jsonl"
    lines = [face.render(mixed("Zoe")), face.render(mixed("ann")), face.render(mixed("ann")).replace('"seed": 7', '"seed": 8')]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert [(report.label, report.seed) for report in read_results(file).reports] == [("ann", 8), ("Zoe", 7)]


def test_a_file_that_is_no_report_is_told_and_left_out(tmp_path):
    (tmp_path / "a.json").write_text(face.render(mixed()), encoding="utf-8")
    (tmp_path / "b.json").write_text('{"label": "half', encoding="utf-8")
    (tmp_path / "c.json").write_text("[" * 100_000, encoding="utf-8")
    found = read_results(tmp_path)
    assert len(found.reports) == 1
    assert ["b.json" in found.problems[0], "c.json" in found.problems[1]] == [True, True]


def test_fingerprints_and_tampering_are_read_where_a_report_has_them(tmp_path):
    document = {**face.document(mixed()), "fingerprints": {"norm": "ab"}, "tampering": ["opened a socket"], "of_later_versions": 1}
    (tmp_path / "a.json").write_text(json.dumps(document), encoding="utf-8")
    (report,) = read_results(tmp_path).reports
    assert (report.fingerprints, report.tampering) == ({"norm": "ab"}, ("opened a socket",))


def test_hostile_labels_are_data(tmp_path):
    (tmp_path / "a.json").write_text(face.render(hostile()), encoding="utf-8")
    assert read_results(tmp_path).reports[0].label == hostile().label.replace("\ud800", "?")


@pytest.mark.parametrize("name", ["nothing", "empty"])
def test_where_no_report_is_the_sentence_says_what_to_name(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SubmissionError, match=name):
        read_results(tmp_path / name)
