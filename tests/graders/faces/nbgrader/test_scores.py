"""What nbgrader's gradebook says after nbgrader's own commands, beside what the command line says of the same files."""

import csv
import getpass
import html
import json
import re
import tomllib

import pytest

from tests.graders.faces.nbgrader.classroom import LESSON, ROOT, WRITTEN, full

pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install -e '.[nbgrader]'")
FULL = full()
HONEST = ["right", "no_eps", "two_mistakes", "half_done", "untouched", "helper", "late"]
BROKEN = ["syntax", "loop", "killer", "moved", "deleted", "duplicated", "magics", "asks"]
CLASS = [*HONEST, *BROKEN, "huge", "claims", "beside", "renamed", "no_notebook", "odd_notebook"]


def by_group(cells):
    return {name.removesuffix("-checks"): score for name, score in cells.items() if name.endswith("-checks")}


def autograded(graded, student):
    return json.loads((graded.folder / "autograded" / student / LESSON / f"{LESSON}.ipynb").read_text())


def grade_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade") and cell["cell_type"] == "code"]


def said(cell):
    return "".join(cell["outputs"][0]["data"]["text/plain"])


@pytest.mark.parametrize("student", CLASS)
def test_the_gradebook_says_what_the_command_line_says(graded, student):
    assert by_group(graded.scores[student]) == pytest.approx(graded.points[student])


def test_the_submission_that_came_through_the_exchange_is_graded(graded):
    assert by_group(graded.scores[getpass.getuser()]) == FULL


def test_a_right_notebook_gets_all_points_and_a_wrong_one_loses_its_own_only(graded):
    for student in ("right", "helper", "moved", "duplicated", "magics"):
        assert by_group(graded.scores[student]) == FULL, student
    for student, part in (("no_eps", "rmsnorm"), ("loop", "rmsnorm"), ("syntax", "attention"), ("killer", "attention"), ("deleted", "block")):
        lost = {name for name, score in by_group(graded.scores[student]).items() if score < FULL[name]}
        assert lost == {part}, student
    assert not any(graded.scores["untouched"].values())


def test_two_mistakes_cost_the_sum_of_their_prices(graded):
    both, one = by_group(graded.scores["two_mistakes"]), by_group(graded.scores["no_eps"])
    assert 0 < both["rmsnorm"] == one["rmsnorm"] < FULL["rmsnorm"]
    assert 0 < both["block"] < FULL["block"]
    assert both["attention"] == FULL["attention"]


def test_what_is_no_notebook_earns_nothing_and_is_told_why(graded):
    for student in ("no_notebook", "odd_notebook"):
        assert not any(graded.scores[student].values())
    assert "is not a notebook that can be read" in said(grade_cells(autograded(graded, "no_notebook"))[1])


def test_a_notebook_of_another_name_is_graded_and_left_as_it_is(graded):
    assert by_group(graded.scores["renamed"]) == by_group(graded.scores["no_eps"])
    assert [file.name for file in (graded.folder / "submitted/renamed" / LESSON).glob("*.ipynb")] == ["Lesson 15 (final).ipynb"]
    assert "was taken for lesson15.ipynb" in said(grade_cells(autograded(graded, "renamed"))[1])


def test_claims_in_outputs_and_metadata_gain_nothing(graded):
    assert by_group(graded.scores["huge"]) == by_group(graded.scores["no_eps"])
    assert by_group(graded.scores["claims"]) == {**dict.fromkeys(FULL, 0), "answers": FULL["answers"]}
    assert set(graded.scores["claims"]) == set(graded.scores["right"])


def test_a_python_file_beside_the_notebook_counts_for_its_part_and_stands_for_nothing_else(graded):
    assert by_group(graded.scores["beside"]) == {**by_group(graded.scores["no_eps"]), "block": 0, "attention": FULL["attention"]}


@pytest.mark.parametrize("student", CLASS)
def test_every_grade_cell_holds_words_and_exactly_one_number(graded, student):
    cells = grade_cells(autograded(graded, student))
    assert len(cells) == 8
    for cell in cells:
        words, score = cell["outputs"]
        assert words["output_type"] == "display_data" and len("".join(words["data"]["text/plain"])) > 20
        assert score["output_type"] == "execute_result"
        assert 0 <= float("".join(score["data"]["text/plain"])) <= cell["metadata"]["nbgrader"]["points"]


@pytest.mark.parametrize("student", CLASS)
def test_outputs_that_a_student_sent_are_gone(graded, student):
    notebook = autograded(graded, student)
    graded_ids = {cell["id"] for cell in grade_cells(notebook)}
    assert not any(cell.get("outputs") for cell in notebook["cells"] if cell["id"] not in graded_ids)


@pytest.mark.parametrize("student", CLASS)
def test_locked_cells_hold_what_the_instructor_wrote(graded, student):
    source = {cell["id"]: "".join(cell["source"]) for cell in json.loads((graded.folder / f"source/{LESSON}/{LESSON}.ipynb").read_text())["cells"]}
    for cell in grade_cells(autograded(graded, student)):
        assert "".join(cell["source"]) == source[cell["metadata"]["nbgrader"]["grade_id"]]


def test_a_deleted_grade_cell_is_put_back_with_its_score(graded):
    assert by_group(graded.scores["deleted"])["rmsnorm"] == FULL["rmsnorm"]
    assert "put back for grading" in json.dumps(autograded(graded, "deleted"))


def test_hints_stand_in_the_cell_that_lost_the_points(graded):
    cells = {cell["id"]: said(cell) for cell in grade_cells(autograded(graded, "no_eps"))}
    assert "Hint: " in cells["rmsnorm-checks"] and "failed" in cells["rmsnorm-checks"]
    assert "Hint: " not in cells["attention-checks"]


def test_a_place_in_the_code_is_told_by_cell(graded):
    cells = {cell["id"]: said(cell) for cell in grade_cells(autograded(graded, "half_done"))}
    assert "code cell 4, at " in cells["attention-checks"]
    assert ".py, line" not in cells["attention-checks"]


def test_an_answer_in_words_waits_for_a_person(graded):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{graded.folder / 'gradebook.db'}") as gradebook:
        assert gradebook.find_grade("q2_why", LESSON, LESSON, "right").needs_manual_grade
        assert not gradebook.find_grade("q2_why", LESSON, LESSON, "untouched").needs_manual_grade


def test_a_late_submission_is_charged_by_nbgrader(graded):
    rows = {row["student_id"]: row for row in csv.DictReader((graded.folder / "grades.csv").open())}
    assert float(rows["late"]["raw_score"]) == float(rows["no_eps"]["raw_score"]) > 0
    assert float(rows["late"]["score"]) == 0
    assert float(rows["late"]["late_submission_penalty"]) == float(rows["late"]["raw_score"])


def test_the_export_has_every_student_with_the_gradebook_s_score(graded):
    rows = {row["student_id"]: row for row in csv.DictReader((graded.folder / "grades.csv").open())}
    assert set(rows) == set(graded.scores)
    for student, cells in graded.scores.items():
        assert float(rows[student]["raw_score"]) == pytest.approx(sum(score or 0 for score in cells.values())), student
        assert float(rows[student]["max_score"]) == sum(FULL.values()) + WRITTEN


def test_feedback_shows_hints_and_no_secret(graded):
    pages = {page.parts[-3]: plain(page.read_text()) for page in (graded.folder / "feedback").glob("*/*/*.html")}
    assert set(pages) == set(graded.scores)
    assert "Hint: " in pages["no_eps"]
    released = json.dumps(graded.paper.released)
    for student, page in pages.items():
        sent = released + "".join(data.decode(errors="replace") for data in graded.handed_in.get(student, graded.handed_in["right"]).values())
        shown = [secret for secret in secrets() if secret in page and json.dumps(secret)[1:-1] not in sent]
        assert not shown, student
    assert "35.355339" not in pages["untouched"]


def plain(page):
    """What a reader sees of a page: its code is coloured word by word."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def secrets():
    """What only the kit has: lines of solutions and probes, edits of the catalogue of mistakes."""
    for file in [*(ROOT / "solutions").glob("*.py"), *(ROOT / "graders/probes").glob("*.py")]:
        stub = ROOT / "exercises" / file.name
        given = stub.read_text() if stub.exists() else ""
        lines = [line.split("  #")[0].strip() for line in file.read_text().splitlines() if '"""' not in line]
        yield from (line for line in lines if len(line) > 25 and line not in given and not line.startswith("#"))
    for file in (ROOT / "graders/misconceptions").glob("*.toml"):
        stub = (ROOT / "exercises" / f"{file.stem}.py").read_text()
        for mistake in tomllib.loads(file.read_text()).values():
            edits = mistake.get("edits", [mistake])
            yield from (edit[side] for edit in edits for side in ("swap", "with") if len(edit[side]) > 25 and edit[side] not in stub)
