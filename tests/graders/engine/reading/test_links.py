"""Links, FIFOs, sockets, folders in the place of files, and what the system refuses: none is opened, each is told."""

import os
import socket
import time

import pytest

from graders.model import SubmissionError

NORM = "class Norm: pass\n"


def test_a_link_is_not_followed(lay, read):
    folder = lay({"norm.py": NORM})
    (folder / "block.py").symlink_to("/etc/passwd")
    (folder / "tools.py").symlink_to("norm.py")
    found = read(folder)
    assert set(found.parts) == {"norm"}
    assert found.notes == ("block.py is a link and was not read.",)


def test_a_linked_folder_is_not_followed(lay, read, tmp_path):
    other = lay({"block.py": "secret = 1\n"}, "other")
    folder = lay({"norm.py": NORM})
    (folder / "exercises").symlink_to(other)
    found = read(folder)
    assert set(found.parts) == {"norm"}
    assert len(found.notes) == 1
    assert "link" in found.notes[0]
    alone = lay({"x.txt": ""}, "alone")
    (alone / "inner").symlink_to(other)
    with pytest.raises(SubmissionError):
        read(alone)


def test_a_link_as_the_path_is_refused_with_the_next_step(lay, read, tmp_path):
    (tmp_path / "link").symlink_to(lay({"norm.py": NORM}))
    with pytest.raises(SubmissionError, match="is a link and was not read; give the path that it leads to"):
        read(tmp_path / "link")


def test_fifos_devices_and_sockets_are_never_opened(lay, read, tmp_path):
    folder = lay({"tools.py": "a = 1\n"})
    os.mkfifo(folder / "norm.py")
    here = os.open(folder, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{here}/block.py")
        found = read(folder)
    os.close(here)
    assert set(found.parts) == {"tools"}
    assert found.notes == ("norm.py is not a plain file and was not read.", "block.py is not a plain file and was not read.")


def test_a_fifo_as_the_path_is_refused_at_once(tmp_path, read):
    os.mkfifo(tmp_path / "norm.py")
    os.mkfifo(tmp_path / "student.zip")
    for name in ("norm.py", "student.zip"):
        start = time.monotonic()
        try:
            assert read(tmp_path / name).notes == ("norm.py is not a plain file and was not read.",)
        except SubmissionError as error:
            assert "is not a plain file" in str(error)
        assert time.monotonic() - start < 1


def test_a_folder_named_like_a_file_is_told(lay, read):
    found = read(lay({"block.py": "a = 1", "norm.py/inside.txt": ""}))
    assert set(found.parts) == {"block"}
    assert found.notes == ("norm.py is a folder and was not read.",)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told(lay, read):
    folder = lay({"norm.py": NORM, "block.py": ""})
    (folder / "norm.py").chmod(0)
    assert read(folder).notes[0] == "norm.py may not be read: its permissions forbid it."


def test_a_refusal_of_the_system_becomes_a_sentence(lay, read, monkeypatch):
    """Root is refused nothing, so the refusal is made here."""
    folder, real = lay({"norm.py": NORM, "block.py": "a = 1"}), os.open

    def refuse(path, *rest, **more):
        if path == "norm.py":
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    found = read(folder)
    assert set(found.parts) == {"block"}
    assert found.notes == ("norm.py may not be read: its permissions forbid it.",)
