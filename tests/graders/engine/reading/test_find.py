"""Which submissions some paths hold, in which order, and under which labels."""

import os
import tracemalloc

import pytest

from graders.engine.submission import read_submission
from graders.model import SubmissionError

NORM = "class Norm: pass\n"


def labels(found):
    return [one.label for one in found]


def test_a_folder_with_a_part_is_one_submission(lay, find):
    assert labels(find(lay({"norm.py": NORM, "inner/block.py": ""}, "ann"))) == ["ann"]
    assert labels(find(lay({"exercises/block.py": ""}, "ben"))) == ["ben"]


def test_a_folder_with_a_notebook_is_one_submission(notebook, find, tmp_path):
    notebook("a = 1", name="class/work.ipynb")
    assert labels(find(tmp_path / "class")) == ["class"]


def test_else_each_child_is_one_in_the_order_of_names(lay, zipped, find, tmp_path):
    for name in ("class/zoe", "class/Ben", "class/ann"):
        lay({"norm.py": NORM}, name)
    zipped({"norm.py": NORM}, "class/cy.tar.zip")
    lay({"a.txt": "", "grades.csv": "", ".hidden/norm.py": NORM, "__MACOSX/norm.py": ""}, "class")
    assert labels(find(tmp_path / "class")) == ["Ben", "ann", "cy.tar", "zoe"]


def test_paths_come_in_the_order_given(lay, find):
    one, two = lay({"norm.py": NORM}, "z"), lay({"norm.py": NORM}, "a")
    assert labels(find(one, two)) == ["z", "a"]


def test_an_nbgrader_tree_takes_the_students_names(lay, notebook, find, kit, tmp_path):
    notebook("class Norm: pass", name="course/submitted/ann/lesson15/lesson15.ipynb")
    notebook("class Norm: pass", name="course/submitted/ben/lesson15/lesson15.ipynb")
    lay({"lesson15/lesson15.ipynb": ""}, "course/source")
    for path in (tmp_path / "course", tmp_path / "course" / "submitted"):
        found = find(path)
        assert labels(found) == ["ann", "ben"]
        assert set(read_submission(found[0].path, kit).parts) == {"norm"}


def test_two_students_whose_names_differ_by_case_or_form_stay_two(lay, find, tmp_path):
    for name in ("alice", "Alice", "Jos\u00e9", "Jose\u0301"):
        lay({"norm.py": NORM}, f"class/{name}")
    found = labels(find(tmp_path / "class"))
    assert len({name.casefold() for name in found}) == 4


def test_a_name_that_is_no_utf8_is_read_under_a_printable_label(lay, find, kit, tmp_path):
    folder = tmp_path / "class" / os.fsdecode(b"caf\xe9\n-x")
    folder.mkdir(parents=True)
    (folder / "norm.py").write_text(NORM)
    (found,) = find(tmp_path / "class")
    assert found.label == "caf\ufffd\ufffd-x"
    assert read_submission(found.path, kit, found.label).label == found.label


def test_what_cannot_be_read_gets_a_handle_whose_reading_tells_why(lay, find, kit, tmp_path):
    lay({"norm.py": NORM}, "class/ann")
    lay({"bob.rar": b"Rar!....", "cy.py": "x = 1"}, "class")
    (tmp_path / "class" / "dan").symlink_to("/etc")
    said = []
    for one in find(tmp_path / "class", tmp_path / "nobody"):
        try:
            said.append(read_submission(one.path, kit, one.label).label)
        except SubmissionError as error:
            said.append(str(error).removeprefix(str(one.path) + " "))
    assert said == [
        "ann",
        "is a RAR archive; pack the files as .zip or .tar.gz",
        "is not named like an exercise file; rename it to one of norm.py, block.py",
        "is a link and was not read; give the path that it leads to",
        "is not there, or may not be seen; check the path",
    ]


def test_a_link_that_the_instructor_gives_is_followed(lay, find, kit, tmp_path):
    (tmp_path / "link").symlink_to(lay({"norm.py": NORM}))
    (found,) = find(tmp_path / "link")
    assert found.label == "link"
    assert set(read_submission(found.path, kit, found.label).parts) == {"norm"}


def test_links_in_a_circle_do_not_hang(tmp_path, find, read):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (found,) = find(tmp_path / "a")
    with pytest.raises(SubmissionError):
        read(found.path)


def test_the_current_folder_has_its_name_as_label(lay, find, monkeypatch):
    monkeypatch.chdir(lay({"norm.py": NORM}, "ann"))
    assert labels(find(".")) == ["ann"]


def test_an_archive_alone_in_a_students_folder_is_read(lay, zipped, find, kit, tmp_path):
    lay({"mail.txt": ""}, "class/ann")
    zipped({"week/norm.py": NORM}, "class/ann/homework.zip")
    (found,) = find(tmp_path / "class")
    assert found.label == "ann"
    assert set(read_submission(found.path, kit, found.label).parts) == {"norm"}


def test_a_thousand_folders_are_read_in_flat_memory(lay, find, kit, tmp_path):
    text = "# " + "x" * 20_000 + "\n"
    for number in range(1_000):
        lay({"norm.py": text}, f"class/s{number:04}")
    found = find(tmp_path / "class")
    assert len(found) == 1_000
    tracemalloc.start()
    try:
        for one in found[:100]:
            read_submission(one.path, kit, one.label)
        _, early = tracemalloc.get_traced_memory()
        for one in found[100:]:
            read_submission(one.path, kit, one.label)
        _, late = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert late < early + 100_000
