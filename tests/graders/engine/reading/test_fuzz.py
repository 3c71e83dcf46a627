"""Whatever bytes are handed in, reading ends with a Submission or a SubmissionError, and what comes out is plain text."""

import io
import json
import tarfile
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graders.model import SubmissionError

few = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def attempt(read, path, data):
    path.write_bytes(data)
    try:
        found = read(path)
    except SubmissionError as error:
        assert str(error).isprintable()
        assert str(error).startswith(str(path))
        return
    for part in found.parts.values():
        part.text.encode()
    for note in found.notes:
        assert note.isprintable()


def sample(kind):
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("s/norm.py", "class Norm: pass\n" * 9)
            archive.writestr("s/block.py", "b = 1\n")
    elif kind == "ipynb":
        buffer.write(json.dumps({"cells": [{"cell_type": "code", "source": "class Norm:\n    a = 1\n%time\n"}]}).encode())
    else:
        with tarfile.open(fileobj=buffer, mode="w" if kind == "tar" else "w:gz") as archive:
            info = tarfile.TarInfo("s/norm.py")
            info.size = 4
            archive.addfile(info, io.BytesIO(b"a=1\n"))
    return buffer.getvalue()


@few
@given(data=st.binary(max_size=3_000))
@pytest.mark.parametrize("name", ["norm.py", "s.zip", "s.tar.gz", "s.tar", "s.ipynb"])
def test_random_bytes_never_crash_the_reader(read, tmp_path, name, data):
    attempt(read, tmp_path / name, data)


@few
@given(changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=6), cut=st.integers(0, 200))
@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "ipynb"])
def test_a_spoiled_file_never_crashes_the_reader(read, tmp_path, kind, changes, cut):
    data = bytearray(sample(kind))
    for at, value in changes:
        data[at % len(data)] = value
    attempt(read, tmp_path / f"s.{kind}", bytes(data[: len(data) - cut]))


@few
@given(cells=st.lists(st.text(st.sampled_from("ab=:()[]{}'\"\\\n %!?#.,xNorm1é\t@*+-"), max_size=40), max_size=5))
def test_random_cells_never_crash_the_reader(read, tmp_path, cells):
    cells = [*({"cell_type": "code", "source": cell} for cell in cells), {"cell_type": "code", "source": "class Norm: pass"}]
    attempt(read, tmp_path / "s.ipynb", json.dumps({"cells": cells}).encode())


@few
@given(
    document=st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["cells", "cell_type", "source", "metadata", "code"]), inner, max_size=4)
        ),
        max_leaves=20,
    )
)
def test_random_documents_never_crash_the_reader(read, tmp_path, document):
    attempt(read, tmp_path / "s.ipynb", json.dumps({"cells": [document], "nbformat": 4}).encode())


@few
@given(names=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30), min_size=1, max_size=6))
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_random_names_in_an_archive_never_crash_the_reader(read, tmp_path, names):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in [*names, "norm.py"]:
            info = tarfile.TarInfo(name + ".py")
            archive.addfile(info, io.BytesIO())
    attempt(read, tmp_path / "s.tar", buffer.getvalue())
