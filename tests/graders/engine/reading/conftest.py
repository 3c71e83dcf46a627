"""A kit of two parts, and short ways to lay out files and to read them."""

import io
import json
import tarfile
import zipfile

import pytest

from graders.engine.submission import find_submissions, read_submission
from graders.model import Kit, Limits, Part, Submission

NORM = "class Norm:\n    def forward(self, x):\n        return x\n"
BLOCK = "from .norm import Norm\n\n\nclass Block:\n    def __init__(self):\n        self.norm = Norm()\n\n\nwidth = 3\n"


@pytest.fixture(scope="session")
def kit(tmp_path_factory):
    """Two parts: norm defines Norm; block defines Block and width."""
    reference = Submission("reference", {"norm": Part("norm", NORM, "reference"), "block": Part("block", BLOCK, "reference")})
    return Kit(tmp_path_factory.mktemp("kit"), "toy", (), reference, (), Limits(), "1", {})


@pytest.fixture
def read(kit):
    """`read(path)` gives the Submission."""
    return lambda path: read_submission(path, kit)


@pytest.fixture
def find(kit):
    """`find(path, ...)` gives the handles."""
    return lambda *paths: find_submissions(paths, kit)


@pytest.fixture
def lay(tmp_path):
    """`lay({"norm.py": text or bytes}, "student")` makes a folder of these files."""

    def make(files, name="student"):
        root = tmp_path / name
        root.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return make


@pytest.fixture
def zipped(tmp_path):
    """`zipped({"norm.py": text})` makes a .zip; a key may also be a ZipInfo, and a list of pairs may repeat a name."""

    def make(members, name="student.zip"):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for key, content in members.items() if isinstance(members, dict) else members:
                archive.writestr(key, content)
        (tmp_path / name).write_bytes(buffer.getvalue())
        return tmp_path / name

    return make


@pytest.fixture
def tarred(tmp_path):
    """`tarred({"norm.py": text}, mode="w:gz")` makes a .tar.gz; a key may also be a TarInfo."""

    def make(members, name="student.tar.gz", mode="w:gz"):
        with tarfile.open(tmp_path / name, mode) as archive:
            for key, content in members.items() if isinstance(members, dict) else members:
                info = key if isinstance(key, tarfile.TarInfo) else tarfile.TarInfo(key)
                data = content.encode() if isinstance(content, str) else content
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return tmp_path / name

    return make


@pytest.fixture
def notebook(tmp_path):
    """`notebook("cell", "cell", ...)` makes student.ipynb; a dict is a cell as it is."""

    def make(*cells, name="student.ipynb"):
        full = [cell if isinstance(cell, dict) else {"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"cells": full, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        return file

    return make
