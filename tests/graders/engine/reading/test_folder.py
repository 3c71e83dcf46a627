"""Reading a folder of exercise files: what counts, what is left out, and what is said about it."""

import os
from pathlib import Path

import pytest

from graders.engine.reading.place import FILE_BYTES
from graders.engine.submission import read_submission
from graders.model import SubmissionError

NORM = "class Norm: pass\n"


def test_a_flat_folder_gives_its_parts_under_its_name(lay, read):
    found = read(lay({"norm.py": NORM, "block.py": "x = 1\n"}, "ann"))
    assert found.label == "ann"
    assert {name: part.text for name, part in found.parts.items()} == {"norm": NORM, "block": "x = 1\n"}
    assert found.parts["norm"].origin == "student"
    assert found.notes == ()


def test_files_in_exercises_count_too(lay, read):
    found = read(lay({"exercises/norm.py": NORM, "exercises/tools.py": "", "README.md": "hello"}))
    assert set(found.parts) == {"norm", "tools"}


def test_a_file_beside_exercises_comes_before_the_one_inside(lay, read):
    assert read(lay({"exercises/norm.py": "inside = 1", "norm.py": "outside = 1"})).parts["norm"].text == "outside = 1"


def test_a_folder_within_the_folder_is_found(lay, read):
    found = read(lay({"homework/week 3/norm.py": NORM}, "ann"))
    assert found.label == "ann"
    assert set(found.parts) == {"norm"}


def test_of_several_inner_folders_the_fullest_counts_and_it_is_told(lay, read):
    found = read(lay({"one/norm.py": NORM, "two/norm.py": "", "two/block.py": ""}))
    assert set(found.parts) == {"norm", "block"}
    assert found.notes[0] == "Several folders hold exercise files; only two/ was read."


def test_a_forest_of_folders_is_not_searched_for_long(lay, kit, monkeypatch):
    folder = lay({})
    for number in range(400):
        (folder / f"f{number:03}" / "inner").mkdir(parents=True)
    lay({"norm.py": NORM}, "student/f050/inner")
    opened, real = [], os.open
    monkeypatch.setattr(os, "open", lambda *args, **more: opened.append(args) or real(*args, **more))
    assert set(read_submission(folder, kit).parts) == {"norm"}
    assert len(opened) < 250


def test_other_python_files_are_kept_as_helpers(lay, read):
    files = [
        "norm.py",
        "tools.py",
        "torch.py",
        "résumé.py",
        "__init__.py",
        "conftest.py",
        "test_norm.py",
        "setup.py",
        "exercises.py",
        "my tools.py",
        "2.py",
    ]
    assert set(read(lay(dict.fromkeys(files, "a = 1\n"))).parts) == {"norm", "tools", "torch", "résumé"}


def test_packages_are_not_read_and_it_is_told(lay, read):
    found = read(lay({"norm.py": NORM, "solutions/norm.py": "", "tiny_lm/rope.py": "", "data/points.csv": ""}))
    assert set(found.parts) == {"norm"}
    assert found.notes == ("The folder solutions was not read: only files beside the exercise files count.",)


def test_a_file_of_more_than_a_megabyte_is_not_read(lay, read):
    found = read(lay({"norm.py": b"#" * (FILE_BYTES + 1), "block.py": b"#" * FILE_BYTES}))
    assert set(found.parts) == {"block"}
    assert found.notes == ("norm.py is larger than 1 MB and was not read.",)


def test_five_megabytes_are_the_most_and_parts_come_before_helpers(lay, read):
    found = read(lay({"zz.py": "", "norm.py": b"#" * 900_000, "block.py": b"#" * 900_000, **{f"a{n}.py": b"#" * 900_000 for n in range(5)}}))
    assert {"norm", "block", "a0", "a1", "a2", "zz"} == set(found.parts)
    assert "a3.py was not read: the submission is larger than 5 MB." in found.notes


def test_a_folder_with_thousands_of_files_still_gives_its_parts(lay, read):
    folder = lay({"norm.py": NORM, "aaa.py": ""})
    for number in range(2_001):
        (folder / f"{number}.txt").touch()
    found = read(folder)
    assert set(found.parts) == {"norm"}
    assert found.notes == ("A folder holds more than 2,000 files; only the exercise files in it were read.",)


def test_a_name_that_almost_fits_is_told(lay, read):
    found = read(lay({"norm (1).py": NORM, "Block.py": "", "norm.py.txt": NORM}))
    assert "norm (1).py was not taken for norm.py; rename it." in found.notes
    assert "Block.py was not taken for block.py; rename it." in found.notes
    assert "norm" not in found.parts


def test_an_empty_file_is_a_part_and_it_is_told(lay, read):
    found = read(lay({"norm.py": ""}))
    assert found.parts["norm"].text == ""
    assert found.notes == ("norm.py is empty.",)


@pytest.mark.parametrize("files", [{}, {"README.md": "hello"}, {"inner/notes.txt": ""}])
def test_a_folder_with_nothing_to_grade_is_an_error_that_names_path_reason_and_next_step(lay, read, files):
    folder = lay(files, "bob\x1b")
    with pytest.raises(SubmissionError) as caught:
        read(folder)
    said = str(caught.value)
    assert "bob\ufffd" in said
    assert said.endswith("holds no notebook and no exercise file, such as norm.py; check that these are the right files")


def test_a_path_that_is_not_there_is_an_error(tmp_path, read):
    for path in (tmp_path / "nobody", tmp_path / "a\0b", tmp_path / ("n" * 300)):
        with pytest.raises(SubmissionError, match="is not there"):
            read(path)


def test_a_single_file_counts_and_nothing_beside_it(lay, read):
    folder = lay({"norm.py": NORM, "block.py": "", "tools.py": ""})
    found = read(folder / "norm.py")
    assert found.label == "norm"
    assert set(found.parts) == {"norm"}
    with pytest.raises(SubmissionError, match="is not named like an exercise file; rename it to one of"):
        read(folder / "tools.py")


def test_no_more_than_twenty_notes_are_kept(lay, read):
    found = read(lay({"norm.py": NORM, **{f"h{n}.py": "" for n in range(40)}}))
    assert len(found.notes) == 21
    assert found.notes[-1] == "20 more notes of this kind were left out."


def test_nothing_of_a_submission_is_run(lay, read, tmp_path):
    trap = f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
    read(lay(dict.fromkeys(["norm.py", "__init__.py", "conftest.py", "sitecustomize.py", "json.py"], trap)))
    assert not (tmp_path / "ran").exists()


def test_no_descriptor_is_left_open(lay, kit):
    folder = lay({"a/norm.py": NORM, "b/norm.py": NORM, "exercises/x.txt": ""})
    read_submission(folder, kit)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        read_submission(folder, kit)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
