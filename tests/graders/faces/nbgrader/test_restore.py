"""From whatever was handed in to a notebook that nbgrader can grade."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install -e '.[nbgrader]'")

import nbformat
from nbgrader.nbgraderformat import MetadataValidator

from graders.faces.nbgrader.lenient import before, read
from graders.faces.nbgrader.restore import PUT_BACK, Known, _built, _taken, _with_missing


def known(name, kind="code", grade=True, solution=False):
    metadata = {"grade": grade, "solution": solution, "task": False, "locked": not solution, "schema_version": 3, "grade_id": name}
    return Known(kind, f"# {name}", {**metadata, "checksum": 32 * "c", **({"points": 1.0} if grade else {})})


KNOWN = {
    "work": known("work", grade=False, solution=True),
    "checks": known("checks"),
    "why": known("why", "markdown", solution=True),
    "last": known("last"),
}


def restored(notebook):
    return nbformat.v4.new_notebook(cells=[_built(cell, number) for number, cell in enumerate(_with_missing(_taken(notebook, KNOWN), KNOWN))])


def cell(name="", source="x", kind="code", **about):
    return {"cell_type": kind, "source": source, "metadata": {"nbgrader": {"grade_id": name, **about}} if name or about else {}}


def names(notebook):
    return [cell.metadata.get("nbgrader", {}).get("grade_id", cell.source) for cell in notebook.cells]


def test_cells_keep_their_order_and_text():
    found = restored({"cells": [cell("last"), cell(source="own"), cell("checks"), cell("work", "class A: 1"), cell("why", "because", "markdown")]})
    assert names(found) == ["last", "own", "checks", "work", "why"]
    assert found.cells[3].source == "class A: 1"


def test_metadata_is_the_gradebook_s():
    found = restored({"cells": [cell("work", points=1000, grade=True, schema_version=99), cell("bonus", points=5, grade=True), *map(cell, KNOWN)]})
    MetadataValidator().validate_nb(found)
    assert [one.metadata.nbgrader.get("points") for one in found.cells if one.metadata] == [None, 1.0, 1.0, 1.0]


def test_of_two_cells_with_one_name_the_last_keeps_it_and_both_keep_their_text():
    found = restored({"cells": [cell("work", "old"), cell("work", "new"), *map(cell, ("checks", "why", "last"))]})
    assert names(found)[:2] == ["old", "work"]


def test_a_cell_whose_kind_was_changed_gets_it_back():
    found = restored({"cells": [cell("work", "class A: 1", "markdown"), cell("why", "because", "code")]})
    kinds = {one.source: one.cell_type for one in found.cells}
    assert kinds["class A: 1"] == "code" and kinds["because"] == "markdown"


def test_missing_cells_that_wait_for_a_score_are_put_back_behind_their_neighbour():
    found = restored({"cells": [cell("work"), cell(source="own")]})
    assert names(found) == ["work", PUT_BACK, "checks", PUT_BACK, "why", PUT_BACK, "last", "own"]


def test_a_notebook_without_cells_gets_all_that_wait_for_a_score():
    assert [name for name in names(restored({})) if name != PUT_BACK] == ["checks", "why", "last"]


plain = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8) | st.sampled_from([*KNOWN, "code", "markdown", "raw"])
keys = st.sampled_from(["cells", "cell_type", "source", "metadata", "nbgrader", "grade_id", "outputs", "nbformat", "id"]) | st.text(max_size=3)
deep = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=12)


def test_text_that_is_no_unicode_can_be_written_all_the_same():
    assert nbformat.writes(restored({"cells": [cell("work", "x = '\ud800'")]})).encode()


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.just("cells"), st.lists(deep, max_size=5)) | deep.filter(lambda value: isinstance(value, dict)))
def test_whatever_is_in_a_notebook_a_valid_one_with_all_graded_cells_comes_out(content):
    found = restored(content)
    nbformat.validate(found)
    MetadataValidator().validate_nb(found)
    assert {"checks", "why", "last"} <= set(names(found))


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=60) | deep.map(lambda value: json.dumps(value).encode()))
def test_whatever_is_in_a_file_a_notebook_comes_out(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("read") / "a.ipynb"
    path.write_bytes(data)
    notebook, _ = read(path)
    nbformat.validate(restored(notebook))


def test_a_file_that_is_none_is_told_from_one_that_is_not_there(tmp_path):
    path = tmp_path / "lesson.ipynb"
    assert read(path)[1] == ["lesson.ipynb was not handed in."]
    path.write_text("%PDF")
    assert read(path)[1] == ["lesson.ipynb is not a notebook that can be read; save it again in Jupyter."]


def test_a_notebook_of_another_name_is_taken_where_it_is_the_only_one(tmp_path):
    text = nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")]))
    (tmp_path / "mine.ipynb").write_text(text)
    notebook, notes = read(tmp_path / "lesson.ipynb")
    assert notebook.cells[0].source == "x = 1" and notes == ["mine.ipynb was taken for lesson.ipynb."]
    (tmp_path / "other.ipynb").write_text(text)
    assert not read(tmp_path / "lesson.ipynb")[0].cells


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "secret").write_text(nbformat.writes(nbformat.v4.new_notebook()))
    (tmp_path / "lesson.ipynb").symlink_to(tmp_path / "secret")
    notebook, notes = read(tmp_path / "lesson.ipynb")
    assert not notebook.cells and "is a link" in notes[0]


def test_a_notebook_of_format_3_is_read(tmp_path):
    old = nbformat.v3.new_notebook(worksheets=[nbformat.v3.new_worksheet(cells=[nbformat.v3.new_code_cell(input="x = 1")])])
    (tmp_path / "lesson.ipynb").write_text(nbformat.writes(old, version=3))
    assert read(tmp_path / "lesson.ipynb")[0].cells[0].source == "x = 1"


def test_the_hook_adds_the_lesson_s_notebook_and_leaves_other_assignments_alone(tmp_path):
    mine, other = [str(tmp_path / "lesson15/mine.ipynb")], [str(tmp_path / "ps1/mine.ipynb")]
    before(assignment="*", student="*", notebooks=mine)
    before(assignment="*", student="*", notebooks=other)
    assert mine[1:] == [str(tmp_path / "lesson15/lesson15.ipynb")] and not other[1:]
