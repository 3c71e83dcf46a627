"""The second lesson's notebook: woven, run from top to bottom by a real kernel, in a course and in a release."""

import base64
import copy
import json
import os
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import nbformat
import pytest
from PIL import Image

from graders.engine.kit import read_kit
from graders.engine.lesson import read_lessons
from graders.publish.weave import Loom, weave

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: pip install -e '.[nbgrader]'")

ROOT = Path(__file__).parents[3]
SHORT = ("layers=20, epochs=3", "layers=12, epochs=2")


def woven(own=False):
    return nbformat.reads(weave(Loom(read_kit(ROOT), "residual", read_lessons(ROOT)["residual"], own)), as_version=4)


def released(folder):
    """A release as the command writes it."""
    command = [sys.executable, "-m", "graders", "release", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def solved(notebook, answers):
    """The student's copy with the solutions in the place of its stubs; the name of a cell is its part and what it defines."""
    notebook = copy.deepcopy(notebook)
    right = {cell.id: cell.source for cell in answers.cells}
    for cell in notebook.cells:
        if "YOUR CODE HERE" in cell.source or cell.source.endswith(" = ..."):
            cell.source = right[cell.id]
    return notebook


def run(notebook, folder, monkeypatch, lacking=(), errors=False):
    """What each cell of code shows, by its name: its text, and its pictures. Its kernel works in `folder` and finds nothing else of the kit."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(hidden(folder.parent, lacking)))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    notebook = copy.deepcopy(notebook)
    place = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=place, allow_errors=errors, kernel_name="python3").execute()
    return {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def hidden(place, lacking):
    """A folder whose sitecustomize makes libraries look as if they were not installed."""
    if not lacking:
        return []
    (place / "lacking").mkdir()
    text = f"import importlib.util as u\nfind = u.find_spec\nu.find_spec = lambda name, *more: None if name in {lacking!r} else find(name, *more)\n"
    (place / "lacking/sitecustomize.py").write_text(text)
    return [str(place / "lacking")]


def shortened(notebook):
    notebook = copy.deepcopy(notebook)
    [cell] = [cell for cell in notebook.cells if cell.id == "residual-ways"]
    assert SHORT[0] in cell.source
    cell.source = cell.source.replace(*SHORT)
    return notebook


def said(outputs):
    return "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in outputs)


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    return released(tmp_path_factory.mktemp("given") / "release")


@pytest.fixture
def folder(given, tmp_path):
    return shutil.copytree(given, tmp_path / "release")


def test_both_lessons_notebooks_are_in_a_release(given):
    assert sorted(file.name for file in given.glob("*.ipynb")) == ["lesson15.ipynb", "residual.ipynb"]


def test_the_experiment_stands_below_the_exercise_and_belongs_to_the_student():
    cells = {cell.id: cell for cell in woven().cells}
    names = list(cells)
    assert names.index("residual-checks") < names.index("residual-numbers") < names.index("residual-ways") < names.index("residual-picture")
    assert not any("nbgrader" in cells[name].metadata for name in ("residual-numbers", "residual-ways", "residual-picture"))
    text = "\n".join(cell.source for cell in cells.values() if cell.cell_type == "markdown")
    assert "python -m" not in text and "`--" not in text and "<!--" not in text


def test_it_is_valid_and_woven_twice_the_same():
    nbgraderformat = pytest.importorskip("nbgrader.nbgraderformat", reason="nbgrader is not installed: pip install -e '.[nbgrader]'")
    nbformat.validate(woven())
    nbgraderformat.MetadataValidator().validate_nb(woven())
    assert woven() == woven()


def test_a_release_s_notebook_runs_top_to_bottom_with_the_solutions_in(folder, monkeypatch):
    student = nbformat.read(folder / "residual.ipynb", 4)
    found = run(solved(shortened(student), woven()), folder, monkeypatch)
    assert "All visible tests of this cell pass" in said(found["residual-visible"])
    assert "[3325.3, 9975.8]" in said(found["residual-numbers"]) and "[-9.0, 13.0]" in said(found["residual-numbers"])
    lines = said(found["residual-ways"]).splitlines()
    assert [line.split("loss")[0].strip() for line in lines] == ["plain", "residual", "residual, pre-norm"]
    assert "it stays near ln 10" in lines[0] and "it learns" in lines[2]
    [picture] = found["residual-picture"]
    image = Image.open(BytesIO(base64.b64decode(picture["data"]["image/png"])))
    assert image.size == (1300, 500) and len(image.convert("L").getcolors(256)) > 20
    assert picture["data"]["text/plain"].count("loss") == 3


def test_a_release_s_first_notebook_runs_too(folder, monkeypatch):
    answers = nbformat.reads(weave(Loom(read_kit(ROOT), "lesson15", read_lessons(ROOT)["lesson15"])), as_version=4)
    found = run(solved(nbformat.read(folder / "lesson15.ipynb", 4), answers), folder, monkeypatch)
    shown = [said(outputs) for name, outputs in found.items() if name.endswith("-visible")]
    assert len(shown) == 4 and all("All visible tests of this cell pass" in text for text in shown)


def test_untouched_it_says_what_to_write_in_place_of_an_error(folder, monkeypatch):
    found = run(nbformat.read(folder / "residual.ipynb", 4), folder, monkeypatch, errors=True)
    assert said(found["residual-numbers"]).endswith("Write PlainBlock.__init__ in its cell first, run that cell, and then this one again.\n")
    assert said(found["residual-ways"]) == "Write PlainBlock.__init__ in its cell first, run that cell, and then this one again.\n"
    assert said(found["residual-picture"]) == "There is nothing to draw yet: run the cell that trains first.\n"


def test_without_matplotlib_the_experiment_runs_and_the_picture_is_asked_for_kindly(folder, monkeypatch):
    student = shortened(nbformat.read(folder / "residual.ipynb", 4))
    found = run(solved(student, woven()), folder, monkeypatch, lacking=("matplotlib",))
    assert "it learns" in said(found["residual-ways"])
    assert said(found["residual-picture"]).startswith("This needs matplotlib, which is not installed here. Run  %pip install matplotlib  in a cell")


def test_without_scikit_learn_the_rest_of_the_notebook_runs(folder, monkeypatch):
    student = nbformat.read(folder / "residual.ipynb", 4)
    found = run(solved(student, woven()), folder, monkeypatch, lacking=("sklearn",))
    assert "The residual stream" in said(found["residual-numbers"])
    assert said(found["residual-ways"]).startswith("This needs scikit-learn, which is not installed here. Run  %pip install scikit-learn  in a cell")


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [("layers=0", "layers takes a whole number from 1 to 200, not '0'."), ("init='none'", "init takes torch or gpt2, not 'none'.")],
)
def test_a_value_that_cannot_be_used_gets_one_sentence(wish, sentence):
    wishes = f"{{**dict(layers=20, epochs=3, seed=0, init='torch'), **dict({wish})}}"
    code = f"from solutions.residual import *\nfrom lessons.inline import train\ntrain(globals(), **{wishes})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == sentence + "\n"


def test_what_is_written_in_it_is_graded_as_in_files(tmp_path):
    notebook = solved(woven(own=True), woven())
    (tmp_path / "residual.ipynb").write_text(json.dumps(notebook))
    done = subprocess.run([sys.executable, "-m", "graders", "grade", "--json", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True)
    verdicts = json.loads(done.stdout)["verdicts"]
    assert {verdict["outcome"] for verdict in verdicts if verdict["check"].startswith("residual.")} == {"passed"}
