"""The same course on other roads: nbgrader's Validate, nbgrader without the config, grading again, a grader that fails."""

import json
import shutil

import pytest

pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install -e '.[nbgrader]'")

import nbformat
from nbgrader.api import Gradebook

from graders.faces.nbgrader import desk, steps
from graders.model import KitError
from tests.graders.faces.nbgrader.classroom import EPS, LESSON, Paper, broken, files, full, honest, hostile, lay, nbgrader, reports, scores


@pytest.fixture
def course(written, tmp_path):
    return shutil.copytree(written, tmp_path / "course")


@pytest.fixture(scope="module")
def stock(written, tmp_path_factory):
    """The course without the config: nbgrader runs each notebook in a kernel."""
    folder = shutil.copytree(written, tmp_path_factory.mktemp("stock") / "course")
    (folder / "nbgrader_config.py").unlink()
    paper = Paper(folder)
    everybody = {**honest(paper), **broken(paper), **hostile(paper)}
    for student in ("no_eps", "helper", "magics", "beside"):
        lay(folder, student, everybody[student])
    nbgrader(folder, "autograde", LESSON)
    return folder


@pytest.fixture(scope="module")
def points(stock):
    """The command line's points on the same files."""
    return reports(stock / "submitted")


@pytest.mark.parametrize("student", ["no_eps", "helper", "magics", "beside"])
def test_without_the_config_nbgrader_gives_the_same_scores(stock, points, student):
    found = {name.removesuffix("-checks"): score for name, score in scores(stock)[student].items() if name.endswith("-checks")}
    assert found == pytest.approx(points[student])


def test_without_the_config_hints_stand_in_the_cell_too(stock):
    notebook = nbformat.read(stock / "autograded/no_eps" / LESSON / f"{LESSON}.ipynb", 4)
    [cell] = [cell for cell in notebook.cells if cell.id == "rmsnorm-checks"]
    words, score = cell.outputs
    assert "Hint: " in words.data["text/plain"] and "<table>" in words.data["text/html"]
    assert float(score.data["text/plain"]) == scores(stock)["no_eps"]["rmsnorm-checks"]


def validated(course, notebook):
    """What nbgrader's Validate says to a student about a notebook."""
    folder = course / "release" / LESSON
    (folder / f"{LESSON}.ipynb").write_text(json.dumps(notebook))
    return nbgrader(course, "validate", f"{LESSON}.ipynb", place=folder)


def test_validate_fails_on_untouched_work_and_names_every_class(course):
    said = validated(course, Paper(course).released)
    assert "VALIDATION FAILED ON 5 CELL(S)" in said  # four of visible tests, one to answer in words
    for name in ("RMSNorm", "CausalSelfAttention", "TransformerBlock", "q1_rms_scaled"):
        assert f"Write {name}" in said


def test_validate_succeeds_on_right_work(course):
    paper = Paper(course)
    assert "Success! Your notebook passes all the tests." in validated(course, json.loads(honest(paper)["right"][f"{LESSON}.ipynb"]))


def test_grading_again_takes_the_new_files_and_keeps_what_a_person_gave(course):
    paper = Paper(course)
    folder = lay(course, "ann", files(paper.filled(rmsnorm=[EPS])))
    nbgrader(course, "autograde", LESSON)
    before = scores(course)["ann"]["rmsnorm-checks"]
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        gradebook.find_grade("q2_why", LESSON, LESSON, "ann").manual_score = 1.5
        gradebook.find_grade("block-checks", LESSON, LESSON, "ann").manual_score = 2
        gradebook.db.commit()
    (folder / f"{LESSON}.ipynb").write_bytes(files(paper.filled())[f"{LESSON}.ipynb"])
    nbgrader(course, "autograde", LESSON, "--force")
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        again = gradebook.find_submission(LESSON, "ann")
        assert before < scores(course)["ann"]["rmsnorm-checks"] == full()["rmsnorm"]
        assert again.score == sum(full().values()) - full()["block"] + 2 + 1.5
        assert gradebook.find_grade("block-checks", LESSON, LESSON, "ann").needs_manual_grade


def test_where_the_grader_fails_a_person_is_asked_and_told_why(course, monkeypatch):
    monkeypatch.setattr(desk, "_open", {})
    monkeypatch.setattr(desk, "Observer", lambda kit: (_ for _ in ()).throw(KitError("the worker does not start; run doctor")))
    url = f"sqlite:///{course / 'gradebook.db'}"
    with Gradebook(url) as gradebook:
        gradebook.update_or_create_student("ann")
        for book in gradebook.update_or_create_submission(LESSON, "ann").notebooks:
            for grade in book.grades:
                grade.needs_manual_grade = False
        gradebook.db.commit()
    notebook = nbformat.read(course / "release" / LESSON / f"{LESSON}.ipynb", 4)
    about = {"nbgrader": {"notebook": LESSON, "assignment": LESSON, "student": "ann", "db_url": url}, "metadata": {"path": str(course)}}
    steps.flag(*steps.grade(notebook, about))
    words, score = next(cell for cell in notebook.cells if cell.id == "block-checks").outputs
    assert "the worker does not start; run doctor" in words.data["text/plain"] and score.data["text/plain"] == "0.0"
    with Gradebook(url) as gradebook:
        flagged = {grade.name for book in gradebook.find_submission(LESSON, "ann").notebooks for grade in book.grades if grade.needs_manual_grade}
    assert flagged == {f"{part}-checks" for part in ("rmsnorm", "attention", "block", "answers")}
