"""A notebook becomes the text of each part: what defines the part's names and what that needs, nothing more."""

import json

import pytest

from graders.model import SubmissionError

NORM = "class Norm:\n    def forward(self, x):\n        return scaled(x)\n"
HELPER = "def scaled(x):\n    return x * factor\n"


def run(text, **modules):
    """What the text defines, its imports of other parts aside."""
    space = {}
    exec(compile(text, "exercises/norm.py", "exec"), space)
    return space


def test_each_part_is_cut_from_the_cells_that_define_it(notebook, read):
    found = read(notebook("import math", NORM, HELPER, "factor = math.sqrt(4)", "class Block: pass\nwidth = 3"))
    assert found.label == "student"
    assert set(found.parts) == {"norm", "block"}
    assert run(found.parts["norm"].text)["Norm"]().forward(3) == 6
    assert "Block" not in found.parts["norm"].text
    assert "Norm" not in found.parts["block"].text
    assert found.notes == ("student.ipynb was read: norm from code cell 2; block from code cell 5.",)


def test_a_name_of_another_part_is_borrowed_never_copied(notebook, read):
    text = read(notebook("class Norm: pass", "class Block:\n    def make(self):\n        return Norm()")).parts["block"].text
    assert text.startswith("from exercises.norm import Norm\n")
    assert "class Norm" not in text


def test_importing_a_part_is_not_defining_it(notebook, read, lay):
    lay({"norm.py": "class Norm: pass\n"})
    found = read(notebook("from exercises.norm import Norm", "class Block(Norm): pass", name="student/work.ipynb").parent)
    assert found.parts["norm"].text == "class Norm: pass\n"
    assert found.parts["block"].text.count("import Norm") == 1


def test_what_only_prints_plots_tests_or_asks_stays_out(notebook, read):
    text = (
        read(
            notebook(
                "import matplotlib.pyplot as plt",
                "class Norm: pass",
                "print(Norm())",
                "answer = input('ready? ')",
                "assert Norm()",
                "for n in range(3):\n    plt.plot(n)",
                "plt.show()",
                "def test_norm():\n    assert Norm",
            )
        )
        .parts["norm"]
        .text
    )
    assert text == "# code cell 2\nclass Norm: pass\n"


def test_statements_are_chosen_one_by_one_within_a_cell(notebook, read):
    text = read(notebook("a = 1; class_ = 2\nprint('hello'); factor = 3\nclass Norm:\n    kind = factor\nNorm().missing()")).parts["norm"].text
    assert run(text)["Norm"].kind == 3
    assert "hello" not in text
    assert "missing" not in text


def test_the_last_definition_counts(notebook, read):
    assert run(read(notebook("class Norm:\n    a = 1", "class Norm:\n    a = 2")).parts["norm"].text)["Norm"].a == 2


def test_a_default_keeps_the_value_it_had_and_a_global_the_value_at_the_end(notebook, read):
    cells = ["eps = 1\nk = 1", "class Norm:\n    def f(self, e=eps):\n        return e, k", "eps = 5\nk = 7", "print(eps)"]
    assert run(read(notebook(*cells)).parts["norm"].text)["Norm"]().f() == (1, 7)


def test_a_definition_that_builds_on_the_one_before_keeps_both(notebook, read):
    cells = ["class Norm:\n    a = 1", "class Norm(Norm):\n    b = 2", "Norm.c = 3", "def f(self): return 4\nNorm.d = f"]
    made = run(read(notebook(*cells)).parts["norm"].text)["Norm"]
    assert (made.a, made.b, made.c, made.d(None)) == (1, 2, 3, 4)


def test_numbers_that_grow_are_followed(notebook, read):
    assert run(read(notebook("width = 1", "class Block: pass", "width += 2", "print(width)")).parts["block"].text)["width"] == 3


def test_decorators_choices_and_future_imports_come_along(notebook, read):
    cells = [
        "from __future__ import annotations",
        "try:\n    from fast import speed\nexcept ImportError:\n    speed = 2",
        "def keep(cls):\n    cls.speed = speed\n    return cls",
        "@keep\nclass Norm:\n    def f(self, x: Unknown): pass",
    ]
    text = read(notebook(*cells)).parts["norm"].text
    assert text.startswith("from __future__ import annotations\n")
    assert run(text)["Norm"].speed == 2


def test_imports_are_taken_where_needed_and_once(notebook, read):
    text = read(
        notebook(
            "import os, math\nfrom google.colab import drive\ndrive.mount('/x')", "import math", "import os, math", "class Norm:\n    a = math.pi"
        )
    )
    assert text.parts["norm"].text == "# code cell 1\nimport os, math\n\n# code cell 2\nimport math\n\n# code cell 4\nclass Norm:\n    a = math.pi\n"


def test_a_module_within_a_module_stays_imported(notebook, read):
    text = (
        read(notebook("import xml.dom.minidom", "class Norm:\n    def f(self): return xml.dom.minidom.parseString", "import xml")).parts["norm"].text
    )
    assert run(text)["Norm"]().f()


def test_a_star_import_comes_along_only_where_a_name_has_no_other_source(notebook, read):
    assert "import *" in read(notebook("from math import *", "class Norm:\n    a = pi")).parts["norm"].text
    assert "import *" not in read(notebook("from math import *", "class Norm:\n    a = len")).parts["norm"].text


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


def test_a_class_under_nearly_its_name_is_kept_so_that_it_can_be_named(notebook, read):
    assert "class NORM" in read(notebook("class NORM: pass")).parts["norm"].text
    assert "class norm_" in read(notebook("class norm_: pass")).parts["norm"].text


def test_letters_of_full_width_are_the_same_name(notebook, read):
    """Python takes them for plain letters."""
    assert run(read(notebook("class Ｎｏｒｍ:\n    a = 1")).parts["norm"].text)["Norm"].a == 1


def test_a_python_file_beside_wins_for_its_part_and_it_is_told(notebook, read, lay):
    lay({"norm.py": "class Norm:\n    a = 1\n"})
    found = read(notebook("class Norm:\n    a = 2", "class Block: pass", name="student/work.ipynb").parent)
    assert run(found.parts["norm"].text)["Norm"].a == 1
    assert "class Block" in found.parts["block"].text
    assert found.notes[-1] == "work.ipynb also has norm; the Python file beside it counted."


def test_an_unfinished_file_beside_a_finished_notebook_does_not_win(notebook, read, lay):
    lay({"norm.py": "class Norm:\n    def forward(self, x):\n        raise NotImplementedError\n", "block.py": "class Block: pass\n"})
    path = notebook("class Norm:\n    a = 2", "class Block:\n    def f(self):\n        raise NotImplementedError", name="student/work.ipynb")
    found = read(path.parent)
    assert run(found.parts["norm"].text)["Norm"].a == 2
    assert found.parts["block"].text == "class Block: pass\n"
    assert found.notes == ("work.ipynb was read: norm from code cell 1.",)


def test_a_notebook_beside_finished_files_with_nothing_of_its_own_is_not_worth_a_word(notebook, read, lay):
    lay({"norm.py": "class Norm: pass\n"})
    stub = "class Norm:\n    def forward(self, x):\n        raise NotImplementedError"
    for cells in ([stub], ["print(1)"], ["assert True", "a b"]):
        assert read(notebook(*cells, name="student/work.ipynb").parent).notes == ()


def test_of_several_notebooks_the_one_that_defines_most_is_read(notebook, read):
    notebook("class Norm: pass", name="student/a.ipynb")
    notebook("print(1)", name="student/c.ipynb")
    notebook("print(1)", name="student/.ipynb_checkpoints/b.ipynb")
    found = read(notebook("class Norm: pass", "class Block: pass", name="student/b.ipynb").parent)
    assert set(found.parts) == {"norm", "block"}
    assert found.notes[0] == "Of 3 notebooks only b.ipynb was read."


def test_a_notebook_in_an_archive_is_read(notebook, zipped, read):
    data = notebook("class Norm: pass").read_bytes()
    assert set(read(zipped({"week/work.ipynb": data}, "ann.zip")).parts) == {"norm"}


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


def test_a_notebook_that_defines_nothing_asked_for_says_so(notebook, read):
    found = read(notebook("print(1)"))
    assert not found.parts
    assert found.notes == ("student.ipynb defines nothing that an exercise asks for.",)


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
