"""The second lesson as an assignment of the same course: nbgrader's own commands, with the engine and without."""

import json
import shutil

import pytest

pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install -e '.[nbgrader]'")

from graders.engine.kit import read_kit
from tests.graders.faces.nbgrader.classroom import ROOT, Paper, edited, find, graders, lay, nbgrader, scores

NAME = "residual"
BY_N = ("1 / math.sqrt(len(branches))", "1 / len(branches)")


@pytest.fixture(scope="module")
def assigned(written, tmp_path_factory):
    """The course with this lesson's assignment made, and three students' work handed in."""
    folder = shutil.copytree(written, tmp_path_factory.mktemp("second") / "course")
    nbgrader(folder, "generate_assignment", NAME)
    paper = Paper(folder, NAME)
    by_n = paper.filled()
    cell = find(by_n, "residual-rescale_branches")
    cell["source"] = edited(cell["source"], [BY_N])
    for student, notebook in {"right": paper.filled(), "by_n": by_n, "untouched": paper.released}.items():
        lay(folder, student, {f"{NAME}.ipynb": json.dumps(notebook).encode()}, NAME)
    return folder


@pytest.fixture(scope="module")
def points(assigned):
    """What the command line says of the same files, asked for this lesson alone."""
    reports = [json.loads(line) for line in graders("grade", "--json", "--lesson", NAME, assigned / "submitted").splitlines()]
    return {report["label"]: report["points"] for report in reports}


@pytest.fixture(scope="module", params=[True, False], ids=["engine", "stock"])
def graded(assigned, tmp_path_factory, request):
    folder = shutil.copytree(assigned, tmp_path_factory.mktemp("graded") / "course")
    if not request.param:
        (folder / "nbgrader_config.py").unlink()
    nbgrader(folder, "autograde", NAME)
    return folder


def test_the_gradebook_says_what_the_command_line_says_of_this_lesson(graded, points):
    full = sum(check.points for check in read_kit(ROOT).checks if check.id.startswith(f"{NAME}."))
    assert points["right"] == full and 0 < points["by_n"] < full and points["untouched"] == 0
    found = scores(graded, lesson=NAME)
    assert found == {student: {"residual-checks": points[student], "residual-visible": 0} for student in found}
    assert set(found) == {"right", "by_n", "untouched"}


def test_the_grade_cell_has_the_hint_and_the_lesson_in_its_version(graded):
    notebook = json.loads((graded / f"autograded/by_n/{NAME}/{NAME}.ipynb").read_text())
    [cell] = [cell for cell in notebook["cells"] if cell["id"] == "residual-checks"]
    text = "".join(cell["outputs"][0]["data"]["text/plain"])
    assert "Hint: " in text and "." + NAME in text.splitlines()[-1]
