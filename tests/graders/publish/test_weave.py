"""The notebook and the course as files, before nbgrader sees them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from graders.engine.kit import read_kit
from graders.engine.lesson import read_lessons
from graders.model import KitError
from graders.publish.course import CONFIG, MARK, course, outdated, write_course
from graders.publish.weave import Loom, weave

ROOT = Path(__file__).parents[3]


def loom(root=ROOT, own=False, name="lesson15"):
    return Loom(read_kit(root), name, read_lessons(root)[name], own)


@pytest.fixture(scope="module")
def notebook():
    return nbformat.reads(weave(loom()), as_version=4)


@pytest.fixture
def copied(tmp_path):
    """A copy of the kit, for tests that change its content."""
    for name in ("graders", "solutions", "exercises", "lessons", "tiny_lm"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "grading.toml", tmp_path)
    return tmp_path


def about(cell):
    return cell.metadata.get("nbgrader", {})


def test_the_notebook_is_valid_for_nbformat(notebook):
    nbformat.validate(notebook)


def test_the_notebook_is_valid_for_nbgrader(notebook):
    nbgraderformat = pytest.importorskip("nbgrader.nbgraderformat", reason="nbgrader is not installed: pip install -e '.[nbgrader]'")
    nbgraderformat.MetadataValidator().validate_nb(notebook)


def test_woven_twice_it_is_the_same_byte_for_byte():
    assert weave(loom()) == weave(loom())


def test_it_is_written_as_nbformat_writes():
    assert weave(loom()) == nbformat.writes(nbformat.reads(weave(loom()), as_version=4)) + "\n"


def test_the_points_are_those_of_the_contract(notebook):
    kit = read_kit(ROOT)
    points = {about(cell)["grade_id"]: about(cell)["points"] for cell in notebook.cells if about(cell).get("grade")}
    for group in ("rmsnorm", "attention", "block", "answers"):
        assert points[f"{group}-checks"] == sum(check.points for check in kit.checks if check.id.startswith(f"{group}."))
        assert points[f"{group}-visible"] == 0


def test_the_cells_of_an_exercise_stand_together_at_its_mark(notebook):
    names = [cell.id for cell in notebook.cells]
    at = names.index("rmsnorm-task")
    assert names[at : at + 4] == ["rmsnorm-task", "rmsnorm-RMSNorm", "rmsnorm-visible", "rmsnorm-checks"]
    assert notebook.cells[at - 1].source.startswith("## 5. Root mean square")


def test_an_answer_in_words_is_graded_by_hand(notebook):
    [manual] = [cell for cell in notebook.cells if cell.cell_type == "markdown" and about(cell)]
    assert (about(manual)["grade"], about(manual)["solution"], about(manual)["points"]) == (True, True, 2)


def test_every_hidden_test_region_closes_and_names_no_check(notebook):
    checks = {check.id.split(".")[1] for check in read_kit(ROOT).checks if len(check.id.split(".")[1]) > 5}
    for cell in notebook.cells:
        if cell.id.endswith("-checks"):
            assert cell.source.count("BEGIN HIDDEN TESTS") == cell.source.count("END HIDDEN TESTS") == 1
            assert not [name for name in checks if f"{name}" in cell.source.replace("grade_cell", "")]


def test_what_the_text_says_for_files_alone_is_said_otherwise(notebook):
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "exercises/answers.py" not in text and "python -m" not in text and "<!--" not in text
    assert "write them into the cells below" in text


def test_the_students_own_copy_holds_neither_solutions_nor_hidden_checks():
    text = weave(loom(own=True))
    assert not any(word in text for word in ("SOLUTION", "HIDDEN", "nbgrader", "rsqrt", "35.355339", "grade_cell"))
    cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(text)["cells"]}
    assert "raise NotImplementedError()" in cells["rmsnorm-RMSNorm"]
    assert cells["answers-q1_rms_shifted"].endswith("q1_rms_shifted = ...")


def test_names_of_cells_stay_when_a_section_comes_between(copied, notebook):
    text = copied / "lessons/l15.md"
    text.write_text(text.read_text().replace("## 4. Scale", "## 3b. Another\n\nWords.\n\n## 4. Scale"))
    names = [cell["id"] for cell in json.loads(weave(loom(copied)))["cells"]]
    assert [name for name in names if name != "3b-another"] == [cell.id for cell in notebook.cells]


def test_a_group_of_several_parts_is_graded_behind_the_last_of_them(copied):
    (copied / "graders/probes/assembly.py").write_text('def whole(parts, draw):\n    """All."""\n')
    with (copied / "grading.toml").open("a") as file:
        file.write('\n[assembly]\ntakes = ["rmsnorm", "block"]\n[assembly.points]\nwhole = 2\n')
    names = [cell["id"] for cell in json.loads(weave(loom(copied)))["cells"]]
    assert names.index("assembly-checks") == names.index("block-checks") + 1


@pytest.mark.parametrize(
    ("file", "old", "new", "sentence"),
    [
        ("lessons/l15.md", "exercise: block", "exercise: blok", "solutions/blok.py is not there"),
        ("lessons/l15.md", "written: q2_why", "written: q3_why", "needs both a mark"),
        ("grading.toml", '"lessons/l15.md"', '"lessons/l16.md"', r"see \[lesson\] in grading.toml"),
        ("grading.toml", "lesson.lesson15.written.q2_why", 'lesson.lesson15.written."q2 why"', "has the name 'q2 why'"),
        ("grading.toml", "[lesson.lesson15]\ntext", "[lesson.lesson15]\ntxt", "txt"),
        ("lessons/l15.md", "<!-- exercise: attention -->", "<!-- exercise: block -->", "would be named 'block-TransformerBlock'"),
    ],
)
def test_content_that_does_not_hold_together_stops_with_a_sentence(copied, file, old, new, sentence):
    text = (copied / file).read_text()
    assert old in text
    (copied / file).write_text(text.replace(old, new))
    with pytest.raises(KitError, match=sentence):
        weave(loom(copied))


def test_a_kit_without_lessons_says_what_to_write(tmp_path):
    (tmp_path / "grading.toml").write_text("[kit]\ntitle = 'x'\n")
    with pytest.raises(KitError, match=r"write a table \[lesson.NAME\]"):
        read_lessons(tmp_path)


def test_a_course_is_written_once_and_then_as_it_should_be(tmp_path):
    files = course(ROOT)
    assert set(write_course(files, tmp_path)) == set(files)
    assert outdated(files, tmp_path) == () == write_course(files, tmp_path)


def test_a_course_is_out_of_date_when_the_content_has_changed(copied, tmp_path):
    folder = tmp_path / "course"
    write_course(course(copied), folder)
    tests = copied / "exercises/test_block.py"
    tests.write_text(tests.read_text() + "\n\ndef test_more():\n    assert TransformerBlock\n")
    assert outdated(course(copied), folder) == ("source/lesson15/lesson15.ipynb",)


def test_a_config_of_the_instructors_own_stays(tmp_path):
    files = course(ROOT)
    (tmp_path / CONFIG).write_text(files[CONFIG].replace(MARK, "# mine"))
    assert CONFIG not in write_course(files, tmp_path)
    (tmp_path / CONFIG).write_text(MARK)
    assert CONFIG in outdated(files, tmp_path)


def test_the_command_writes_and_checks(tmp_path):
    def run(*words):
        command = [sys.executable, "-m", "graders", "notebook", str(tmp_path / "course"), *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    code, text = run("--check")
    assert code == 1 and "out of date" in text and not (tmp_path / "course").exists()
    code, text = run()
    assert code == 0 and "lesson15.ipynb" in text
    (tmp_path / "course/source/lesson15/lesson15.ipynb").write_text("{}")
    code, text = run("--check")
    assert code == 1 and text.splitlines()[0].endswith("source/lesson15/lesson15.ipynb")


def test_what_the_notebook_imports_installs_with_one_pip(tmp_path):
    write_course(course(ROOT), tmp_path)
    place = tmp_path / "site"
    folder = tmp_path / "source/lesson15"
    words = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(place), str(folder)]
    done = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=False)
    if "setuptools" in done.stderr:
        pytest.skip("setuptools is not installed, so nothing can be built without the network")
    assert done.returncode == 0, done.stderr
    assert (place / "tiny_lm/rope.py").exists() and (place / "lessons/visible.py").exists() and not (place / "graders").exists()
