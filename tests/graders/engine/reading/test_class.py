"""One student or a class: what a folder is, where it holds files of its own and more below them."""

import pytest

from graders.engine.submission import find_one, read_found
from graders.model import SubmissionError

NORM = "class Norm: pass\n"
BLOCK = "class Block: pass\n"


def told(found, kit):
    """For each handle the parts that are read, or why nothing is."""
    said = {}
    for one in found:
        try:
            said[one.label] = set(read_found(one, kit).parts)
        except SubmissionError as error:
            said[one.label] = str(error).removeprefix(f"{one.path} ")
    return said


def test_a_stray_notebook_makes_no_student_of_a_class_and_is_told(lay, notebook, zipped, find, kit, tmp_path):
    lay({"norm.py": NORM}, "class/ann")
    notebook("class Norm: pass", name="class/bob/week 1/lesson.ipynb")
    zipped({"norm.py": NORM}, "class/cy.zip")
    notebook("class Norm: pass", name="class/lesson.ipynb")
    assert told(find(tmp_path / "class"), kit) == {
        "ann": {"norm"},
        "bob": {"norm"},
        "cy": {"norm"},
        "lesson": "was not graded, for it lies beside 3 submissions; give it by itself if it is one too",
    }


def test_a_stray_that_is_named_by_itself_is_a_submission(lay, find, kit, tmp_path):
    for name in ("ann", "bob"):
        lay({"norm.py": NORM}, f"class/{name}")
    lay({"norm.py": NORM}, "class")
    assert told(find(tmp_path / "class", tmp_path / "class/norm.py"), kit) == {name: {"norm"} for name in ("ann", "bob", "norm")}


def test_a_stray_file_beside_archives_alone_is_told_too(lay, zipped, find, kit, tmp_path):
    for name in ("ann", "bob"):
        zipped({"norm.py": NORM, "block.py": BLOCK}, f"{name}.zip")
    (tmp_path / "norm.py").write_text(NORM)
    found = told(find(tmp_path), kit)
    assert found["ann"] == found["bob"] == {"norm", "block"}
    assert "beside 2 submissions" in found["norm"]


@pytest.mark.parametrize("stray", [["norm.py"], ["norm.py", "block.py"]])
def test_stray_python_files_are_fewer_than_a_students(lay, find, kit, tmp_path, stray):
    for name in ("ann", "bob"):
        lay({"norm.py": NORM, "block.py": BLOCK, "work.ipynb": "{}"}, f"class/{name}")
    lay(dict.fromkeys(stray, NORM), "class")
    assert set(told(find(tmp_path / "class"), kit)) == {"ann", "bob", *(name.removesuffix(".py") for name in stray)}


@pytest.mark.parametrize(
    "files",
    [
        ["norm.py", "block.py", "ann1/norm.py", "ann2/norm.py", "ann2/block.py"],
        ["norm.py", "old/norm.py", "backup 2/norm.py", "norm-copy/norm.py"],
        ["exercises/norm.py", "exercises/block.py", "solutions/norm.py", "mine/norm.py", "yours/norm.py"],
        ["norm.py", "__pycache__/norm.py", ".ipynb_checkpoints/norm.py", "lessons/norm.py", "other/norm.py"],
        ["norm.py", "block.py", "week1.zip", "week2.zip"],
    ],
)
def test_one_student_with_copies_stays_one(lay, find, kit, files):
    assert list(told(find(lay(dict.fromkeys(files, NORM), "ann")), kit)) == ["ann"]


def test_one_students_copies_are_told_whatever_they_are_called(lay, notebook, zipped, read):
    lay({"norm.py": NORM})
    zipped({"norm.py": NORM}, "student/mine.zip")
    notebook("class Block: pass", name="student/my copies/work.ipynb")
    assert read(lay({"pictures/a.png": ""})).notes == (
        "The folder my copies was not read: only files beside the exercise files count.",
        "mine.zip beside the exercise files was not read.",
    )


def test_a_flat_folder_from_canvas_has_a_submission_for_each_student(lay, notebook, find, kit, tmp_path):
    notebook("class Norm: pass", name="c/doeann_4321_98_lesson.ipynb")
    notebook("class Norm: pass", name="c/roebob_LATE_4322_98_lesson.ipynb")
    notebook("class Block: pass", name="c/roebob_4322_99_second.ipynb")
    lay({"poecy_4323_98_norm.py": NORM, "poecy_4323_99_block-1.py": BLOCK}, "c")
    lay({"zoe_4324_98_block.py": BLOCK}, "c")
    assert told(find(tmp_path / "c"), kit) == {
        "doeann_4321_98_lesson": {"norm"},
        "poecy_4323_98_norm": {"norm", "block"},
        "roebob_4322_99_second": {"norm", "block"},
        "zoe_4324_98_block": {"block"},
    }


def test_canvas_notebooks_of_one_student_and_a_stray(notebook, find, kit, tmp_path):
    notebook("class Norm: pass", name="ann/doeann_4321_98_lesson.ipynb")
    notebook("class Block: pass", name="ann/doeann_4321_99_second.ipynb")
    assert told(find(tmp_path / "ann"), kit) == {"ann": {"norm", "block"}}
    notebook("class Norm: pass", name="ann/roebob_4322_98_lesson.ipynb")
    notebook("class Norm: pass", name="ann/lesson.ipynb")
    found = told(find(tmp_path / "ann"), kit)
    assert found["doeann_4321_98_lesson"] == {"norm", "block"}
    assert "beside 2 submissions" in found["lesson"]


def test_notebooks_of_one_student_stay_one(notebook, find, kit, tmp_path):
    for name in ("lesson15", "residual", "lesson15-Copy1"):
        notebook("class Norm: pass", name=f"ann/{name}.ipynb")
    assert told(find(tmp_path / "ann"), kit) == {"ann": {"norm"}}


def test_a_stray_in_an_nbgrader_course_is_no_student(notebook, find, kit, tmp_path):
    notebook("class Norm: pass", name="course/submitted/ann/lesson15/lesson15.ipynb")
    notebook("class Norm: pass", name="course/source/lesson15/lesson15.ipynb")
    notebook("class Norm: pass", name="course/trial.ipynb")
    found = told(find(tmp_path / "course"), kit)
    assert found["ann"] == {"norm"}
    assert set(found) == {"ann", "trial"}


def test_where_one_submission_is_asked_for_its_own_files_decide(lay, kit, tmp_path):
    lay({"norm.py": NORM, "ann/norm.py": NORM, "bob/norm.py": NORM}, "repository")
    assert set(find_one(tmp_path / "repository", kit, "name one").parts) == {"norm"}
    with pytest.raises(SubmissionError, match="holds 2 submissions; name one"):
        find_one(lay({"ann/norm.py": NORM, "bob/norm.py": NORM}, "class"), kit, "name one")


def test_a_student_who_named_no_file_as_asked_is_one_by_either_path_and_the_file_is_told(lay, find, kit, tmp_path):
    lay({"my_norm.py": NORM, "tools.py": "a = 1\n"}, "class/ann")
    lay({"norm.py": NORM}, "class/bob")
    lay({"tools.py": "a = 1\n"}, "class/cy")
    here, (there, _, nothing) = find(tmp_path / "class/ann"), find(tmp_path / "class")
    assert [one.label for one in here] == ["ann"]
    for one in (*here, there):
        assert read_found(one, kit).notes == ("my_norm.py defines Norm and was not taken for norm.py; rename it.",)
    assert read_found(nothing, kit).notes == ("No file here is named like an exercise file, such as norm.py.",)


def test_a_helper_that_defines_what_is_there_already_is_not_worth_a_word(lay, read):
    assert read(lay({"norm.py": NORM, "old_norm.py": NORM, "broken.py": "a b"})).notes == ()
