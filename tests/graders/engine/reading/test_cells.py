"""The code cells of a notebook: magics, cells that are not Python, and files that only look like notebooks."""

import json

import pytest

from graders.model import SubmissionError


def run(text):
    """What the text defines."""
    space = {}
    exec(compile(text, "exercises/norm.py", "exec"), space)
    return space


@pytest.mark.parametrize(
    "magic",
    [
        "%matplotlib inline",
        "%load_ext autoreload\n%autoreload 2",
        "!pip install -q 'torch'",
        "!pip install \\\n    torch \\\n    numpy",
        "files = !ls",
        "t = %timeit -o Norm()",
        "Norm?",
        "?Norm",
        "Norm.forward??",
        "if True:\n    %time x = 1\n    !ls",
        "!echo it's",
        "%cd /content/drive/My Drive",
        "!ls {path}  # (",
    ],
)
def test_magics_are_made_comments_and_the_cell_still_counts(notebook, read, magic):
    found = read(notebook(f"{magic}\nclass Norm:\n    a = 1\n    b = 7 % 4\n"))
    assert run(found.parts["norm"].text)["Norm"].b == 3
    assert len(found.notes) == 1


def test_a_percent_sign_that_begins_a_line_of_python_is_no_magic(notebook, read):
    text = read(notebook('class Norm:\n    a = (7\n% 4)\n    """\n!ls\n%time\n"""\n')).parts["norm"].text
    assert run(text)["Norm"].a == 3
    assert "\n!ls\n" in text


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "%%timeit -n 1", "%%writefile norm.py", "%%writefile exercises/norm.py"])
def test_a_cell_magic_around_python_keeps_the_cell(notebook, read, magic):
    assert run(read(notebook(f"\n{magic}\nclass Norm:\n    a = 1")).parts["norm"].text)["Norm"].a == 1


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%javascript", "%%writefile notes.txt", "%%latex"])
def test_a_cell_of_another_language_is_left_out(notebook, read, magic):
    found = read(notebook(f"{magic}\nclass Norm:\n    a = 2\nrm -rf (", "class Norm:\n    a = 1"))
    assert run(found.parts["norm"].text)["Norm"].a == 1
    assert len(found.notes) == 1


def test_a_broken_cell_is_left_out_and_cell_and_line_are_named(notebook, read):
    found = read(notebook("class Norm: pass", {"cell_type": "markdown", "source": "# text"}, "a = 1\nclass Block(:\n    pass"))
    assert set(found.parts) == {"norm"}
    assert found.notes[1] == "student.ipynb: code cell 2 was left out, for its line 2 is not Python."


@pytest.mark.parametrize(
    "source", [["class Norm:\n", "    a = 1"], "class Norm:\r\n    a = 1\r\n", "class Norm:\r    a = 1", ["class Norm:\n", 5, "    a = 1"]]
)
def test_sources_come_as_text_or_lines(notebook, read, source):
    assert run(read(notebook(source)).parts["norm"].text)["Norm"].a == 1


def test_cells_of_an_odd_form_are_passed_over(notebook, read):
    odd = [{"cell_type": "code", "source": 5, "metadata": {"nbgrader": "nonsense"}}, {"cell_type": "code"}, {"cell_type": ["code"]}, {}]
    assert set(read(notebook(*odd, "class Norm: pass")).parts) == {"norm"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not a notebook that can be read; save it again in Jupyter"),
        (b"{", "is not a notebook that can be read; save it again in Jupyter"),
        (b"\xff\xfe\x00", "is not a notebook that can be read; save it again in Jupyter"),
        (b"[" * 500_000, "is not a notebook that can be read; save it again in Jupyter"),
        (b'{"a":' * 500_000, "is not a notebook that can be read; save it again in Jupyter"),
        (b"9" * 10_000, "is not a notebook that can be read; save it again in Jupyter"),
        (b"[]", "is not a notebook of format 4; save it again in a current Jupyter"),
        (b"{}", "is not a notebook of format 4; save it again in a current Jupyter"),
        (b'{"worksheets": []}', "is not a notebook of format 4; save it again in a current Jupyter"),
        (b'{"cells": {}}', "is not a notebook of format 4; save it again in a current Jupyter"),
        (b" " * 5_000_001, "is larger than 5 MB and was not read"),
    ],
)
def test_a_file_that_is_no_notebook_is_one_sentence(tmp_path, read, lay, data, said):
    lay({"work.ipynb": data, "norm.py": "a = 1\n"})
    assert read(tmp_path / "student").notes == (f"work.ipynb {said}.",)
    with pytest.raises(SubmissionError, match=said.split(";", maxsplit=1)[0]):
        read(tmp_path / "student" / "work.ipynb")


def test_a_byte_order_mark_does_no_harm(tmp_path, read):
    cells = {"cells": [{"cell_type": "code", "source": "class Norm: pass"}]}
    (tmp_path / "w.ipynb").write_text(json.dumps(cells), encoding="utf-8-sig")
    assert set(read(tmp_path / "w.ipynb").parts) == {"norm"}


HOSTILE = {
    "brackets": "x = " + "[" * 45_000 + "]" * 45_000,
    "brackets left open": "(" * 95_000,
    "signs": "Norm = " + "-" * 95_000 + "1",
    "dots": "Norm = a" + ".b" * 45_000,
    "calls": "Norm = a" + "()" * 45_000,
    "sums": "Norm = 1" + "+1" * 45_000,
    "powers": "Norm = 2" + "**2" * 30_000,
    "lambdas": "Norm = " + "lambda:" * 13_000 + "1",
    "choices": "if 1:\n Norm = 1\n" + "elif 1:\n Norm = 1\n" * 4_500,
    "comparisons": "Norm = 1" + "<1" * 45_000,
    "a long integer": "Norm = " + "9" * 95_000,
    "a long name": "Norm = " + "a" * 95_000,
    "many magics": "%a\n" * 30_000,
    "spaces": " " * 95_000 + ")",
    "words before a mark": "a " * 45_000 + "!",
    "a chain of rebinding": "Norm = Norm\n" * 1_990,
    "a chain of growing": "Norm = 1\n" + "Norm += Norm\n" * 1_990,
    "imports of one name": "import a\n" * 1_000 + "a = a\n" * 900 + "Norm = a",
    "too many statements": "a;" * 45_000,
    "too many characters": "#" * 100_001,
    "a NUL": "Norm = 1\0",
    "half a sign": "Norm = '\ud800'",
    "nonlocal": "nonlocal x\nNorm = 1",
    "return": "return 1\nNorm = 1",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_code_made_to_harm_the_reader_costs_at_most_its_own_notebook(notebook, read, text):
    path = notebook(text, "class Block: pass")
    try:
        found = read(path)
    except SubmissionError as error:
        assert "holds more than" in str(error)
    else:
        assert "block" in found.parts
        for part in found.parts.values():
            assert len(part.text) < 110_000


def test_nothing_in_a_notebook_is_run(notebook, read, tmp_path):
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')"
    read(notebook(f"!touch {tmp_path / 'ran'}", f"class Norm:\n    a = {trap}", f"%run {trap}", trap))
    assert not (tmp_path / "ran").exists()
