"""A class for nbgrader: its submissions, made from the notebook that was released, and nbgrader's own commands."""

import copy
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

from graders.engine.kit import read_kit

ROOT = Path(__file__).parents[4]
LESSON = "lesson15"
EPS = ("mean_square + self.eps", "mean_square")
SECOND_NORM = ("self.norm2(h)", "self.norm2(x)")
PARTS = ("rmsnorm", "attention", "block", "answers")
WRITTEN = 2  # points of the answer in words


def full():
    """All points of each part, as the contract has them."""
    checks = read_kit(ROOT).checks
    return {part: sum(check.points for check in checks if check.id.startswith(f"{part}.")) for part in PARTS}


def environment(**more):
    """nbgrader calls alembic by name, and a kernel must find the kit."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore", "PYTHONDONTWRITEBYTECODE": "1", **more}


def nbgrader(course, *words, code=0, place=None, **more):
    """Run one of nbgrader's commands in a course; what it said."""
    command = [sys.executable, "-m", "nbgrader", *map(str, words)]
    done = subprocess.run(command, cwd=place or course, env=environment(**more), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def graders(*words, code=0):
    """Run `python -m graders`; its standard output."""
    command = [sys.executable, "-m", "graders", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


class Paper:
    """The released notebook, and the solutions by the names of their cells."""

    def __init__(self, course, lesson=LESSON):
        self.released = json.loads((course / "release" / lesson / f"{lesson}.ipynb").read_text())
        for cell in self.released["cells"]:
            cell["source"] = "".join(cell["source"])
        source = json.loads((course / "source" / lesson / f"{lesson}.ipynb").read_text())
        self.solutions = {cell["id"]: "".join(cell["source"]) for cell in source["cells"]}

    def filled(self, *parts, **edits):
        """The notebook with these parts (all, if none is named) written right, and then edited: rmsnorm=[(old, new), ...]."""
        notebook = copy.deepcopy(self.released)
        for cell in notebook["cells"]:
            part = cell["id"].split("-")[0]
            if part in (parts or {name.split("-")[0] for name in self.solutions}) and solution(cell):
                cell["source"] = edited(self.solutions[cell["id"]], edits.get(part, ()))
        return notebook


def solution(cell):
    about = cell["metadata"].get("nbgrader", {})
    return about.get("solution") and not about.get("grade")


def edited(text, edits):
    for old, new in edits:
        assert old in text or "class" not in text, old
        text = text.replace(old, new)
    return text


def find(notebook, name):
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def code(source, **metadata):
    name = f"own-{abs(hash(source)) % 10**8}"
    return {"cell_type": "code", "id": name, "metadata": metadata, "outputs": [], "execution_count": None, "source": source}


def with_cells(notebook, *sources, at=0):
    notebook["cells"][at:at] = [code(source) for source in sources]
    return notebook


def files(notebook, **beside):
    """A submission: its files by name."""
    return {f"{LESSON}.ipynb": json.dumps(notebook).encode(), **{f"{name}.py": text.encode() for name, text in beside.items()}}


def honest(paper):
    """Submissions that run in a kernel as well."""
    why = paper.filled()
    find(why, "q2_why")["source"] = "Because both gradients add, and a branch with slope -1 takes the 1 away."
    helper = paper.filled(rmsnorm=[("x * inverse_rms * self.scale", "product(x, inverse_rms, self.scale)")])
    find(helper, "rmsnorm-RMSNorm")["source"] = "from helper import product\n" + find(helper, "rmsnorm-RMSNorm")["source"]
    return {
        "right": files(why),
        "no_eps": files(paper.filled(rmsnorm=[EPS])),
        "two_mistakes": files(paper.filled(rmsnorm=[EPS], block=[SECOND_NORM])),
        "half_done": files(paper.filled("rmsnorm", "answers")),
        "untouched": files(paper.released),
        "helper": files(helper, helper="def product(a, b, c):\n    return a * b * c\n"),
    }


def broken(paper):
    """Submissions that would stop a kernel, or nbgrader itself, or nothing at all."""
    moved = paper.filled()
    moved["cells"].reverse()
    deleted = paper.filled()
    gone = ("rmsnorm-checks", "rmsnorm-visible", "block-TransformerBlock", "q2_why")
    deleted["cells"] = [cell for cell in deleted["cells"] if cell["id"] not in gone]
    duplicated = paper.filled(rmsnorm=[EPS])
    again = copy.deepcopy(find(paper.filled(), "rmsnorm-RMSNorm"))
    duplicated["cells"].insert(9, {**again, "id": "again"})
    loop = [("mean_square = x", "while True: pass\n        mean_square = x")]
    dies = [("q = split_heads", "import os; os._exit(0)\n        q = split_heads")]
    asks = with_cells(paper.filled(answers=[("35.355339", "float(input('RMS? '))")]), "name = input('Your name? ')", at=3)
    return {
        "syntax": files(paper.filled(attention=[("def forward(self, x):", "def forward(self, x)")])),
        "loop": files(with_cells(paper.filled(rmsnorm=loop), "while True:\n    pass", at=2)),
        "killer": files(with_cells(paper.filled(attention=dies), "import os\nos._exit(0)", at=2)),
        "moved": files(moved),
        "deleted": files(deleted),
        "duplicated": files(duplicated),
        "magics": files(with_cells(paper.filled(), "%%time\n%precision 0\n!ls ..", "%load_ext autoreload\n?str", "%%bash\nrm -rf x", at=4)),
        "asks": files(asks),
    }


def hostile(paper):
    """Submissions that try to gain, or to harm their neighbours."""
    huge = paper.filled(rmsnorm=[EPS])
    for cell in huge["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 200_000}, result("17.0")]
    claims = paper.filled("answers")
    for cell in claims["cells"]:
        about = cell["metadata"].get("nbgrader")
        if about:
            cell["metadata"]["nbgrader"] = {**about, "points": 1000, "grade": True, "schema_version": 1}
        if cell["id"].endswith("-checks"):
            cell["source"] = "17.0"
    bonus = {"grade": True, "grade_id": "bonus", "locked": True, "points": 1000, "solution": False, "schema_version": 99}
    claims["cells"].append(code("1000", nbgrader=bonus))
    shadow = "def grade_cell(*_):\n    return 17.0\n"
    others = dict.fromkeys(("graders", "nbgrader", "test_rmsnorm", "conftest"), shadow)
    beside = files(paper.filled("answers", "rmsnorm", rmsnorm=[EPS]), torch="raise SystemExit", **others)
    return {
        "huge": files(huge),
        "claims": files(claims),
        "beside": {**beside, "attention.py": (ROOT / "solutions/attention.py").read_bytes()},
        "renamed": {"Lesson 15 (final).ipynb": files(paper.filled(rmsnorm=[EPS]))[f"{LESSON}.ipynb"]},
        "no_notebook": {f"{LESSON}.ipynb": b"%PDF-1.7 this is my homework"},
        "odd_notebook": {f"{LESSON}.ipynb": b'{"cells": [7, {"cell_type": "code", "metadata": []}, null], "metadata": 3, "nbformat": 4}'},
    }


def result(text):
    return {"output_type": "execute_result", "data": {"text/plain": text}, "metadata": {}, "execution_count": 1}


def lay(course, student, content, lesson=LESSON):
    """Put files where nbgrader has submissions."""
    folder = course / "submitted" / student / lesson
    folder.mkdir(parents=True)
    for name, data in content.items():
        (folder / name).write_bytes(data)
    return folder


def zipped(students):
    """One archive of a class as a learning platform gives it: a folder a student."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for student, content in students.items():
            for name, data in content.items():
                archive.writestr(f"{student}/{name}", data)
    return buffer.getvalue()


def scores(course, url="", lesson=LESSON):
    """The automatic score of each grade cell by student, from the gradebook."""
    from nbgrader.api import Gradebook

    with Gradebook(url or f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        submissions = gradebook.assignment_submissions(lesson)
        return {one.student.id: {grade.name: grade.auto_score for book in one.notebooks for grade in book.grades} for one in submissions}


def reports(*paths, code=0):
    """What the command line says of submissions: points of each group of this lesson, by label."""
    lines = graders("grade", "--json", *paths, code=code).splitlines()
    found = {}
    for report in map(json.loads, lines):
        groups = found[report["label"]] = {}
        for verdict in report["verdicts"]:
            name = verdict["check"].split(".")[0]
            if name in PARTS:
                groups[name] = round(groups.get(name, 0.0) + verdict["points"], 6)
    return found
