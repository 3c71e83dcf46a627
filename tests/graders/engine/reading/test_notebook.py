"""A notebook becomes the text of each part: what defines the part's names and what that needs, nothing more."""

NORM = "class Norm:\n    def forward(self, x):\n        return scaled(x)\n"
HELPER = "def scaled(x):\n    return x * factor\n"


def run(text):
    """What the text defines."""
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


def test_a_notebook_that_defines_nothing_asked_for_says_so(notebook, read):
    found = read(notebook("print(1)"))
    assert not found.parts
    assert found.notes == ("student.ipynb defines nothing that an exercise asks for.",)


def test_two_lessons_notebooks_both_count_and_a_copy_of_one_does_not(notebook, read):
    notebook("class Norm: pass", name="student/first.ipynb")
    notebook("class Block: pass", name="student/second.ipynb")
    found = read(notebook("class Block:\n    old = True", name="student/second copy.ipynb").parent)
    assert set(found.parts) == {"norm", "block"} and "old" not in found.parts["block"].text
    assert found.notes == (
        "Of 3 notebooks only first.ipynb and second.ipynb were read.",
        "first.ipynb was read: norm from code cell 1.",
        "second.ipynb was read: block from code cell 1.",
    )
