"""Archives are read in memory, whatever they claim; each trouble is one sentence."""

import gzip
import io
import os
import shutil
import stat
import subprocess
import tarfile
import zipfile

import pytest

from graders.model import SubmissionError

NORM = "class Norm: pass\n"


def link(name, target="norm.py"):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info, target


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize("top", ["", "student/", "a/b/c/", "exercises/", "./"])
def test_a_zip_gives_its_parts_wherever_they_lie(zipped, read, top):
    found = read(zipped({f"{top}norm.py": NORM, f"{top}tools.py": "a = 1\n", f"{top}picture.png": b"\x89PNG"}))
    assert found.label == "student"
    assert {name: part.text for name, part in found.parts.items()} == {"norm": NORM, "tools": "a = 1\n"}
    assert found.notes == ()


@pytest.mark.parametrize(("name", "mode"), [("s.tar.gz", "w:gz"), ("s.tgz", "w:gz"), ("s.tar", "w"), ("s.zip", "w:gz"), ("S.TAR.GZ", "w:gz")])
def test_a_tar_gives_its_parts_and_its_bytes_tell_what_it_is(tarred, read, name, mode):
    found = read(tarred({"student/norm.py": NORM, "student/block.py": "b = 1\n"}, name, mode))
    assert found.label.lower() == "s"
    assert set(found.parts) == {"norm", "block"}


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("folder", ["a", "ü" * 20, "/".join(["long" * 12] * 3)])
def test_long_and_foreign_names_are_understood_in_every_form_of_tar(tmp_path, read, form, folder):
    with tarfile.open(tmp_path / "s.tar.gz", "w:gz", format=form) as archive:
        for name in (f"{folder}/norm.py", f"{folder}/exercises/block.py"):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = 4, 1.5
            archive.addfile(info, io.BytesIO(b"a=1\n"))
        directory = tarfile.TarInfo(f"{folder}/empty")
        directory.type = tarfile.DIRTYPE
        archive.addfile(directory)
    found = read(tmp_path / "s.tar.gz")
    assert {name: part.text for name, part in found.parts.items()} == {"norm": "a=1\n", "block": "a=1\n"}
    assert found.notes == ()


@pytest.mark.skipif(not shutil.which("tar"), reason="no tar program here")
def test_what_the_tar_program_writes_is_read(lay, read, tmp_path):
    lay({"norm.py": NORM, "exercises/block.py": "b = 1\n", "picture.png": bytes(70_000)}, "ann")
    subprocess.run(["tar", "-czf", "ann.tgz", "ann"], cwd=tmp_path, check=True)
    assert set(read(tmp_path / "ann.tgz").parts) == {"norm", "block"}


def test_names_made_on_windows_are_understood(zipped, read):
    info = zipfile.ZipInfo("x")
    info.filename = "student\\norm.py"
    assert set(read(zipped([(info, NORM)])).parts) == {"norm"}


@pytest.mark.parametrize("name", ["../norm.py", "a/../../norm.py", "/norm.py", "/etc/norm.py", "C:\\norm.py", "..\\norm.py", "\\\\host\\norm.py"])
@pytest.mark.parametrize("kind", ["zipped", "tarred"])
def test_names_that_lead_out_are_left_out(request, read, kind, name):
    found = read(request.getfixturevalue(kind)([(name, "evil = 1\n"), ("block.py", "b = 1\n")]))
    assert set(found.parts) == {"block"}
    assert found.notes == (f"{name} leads out of the archive and was left out.",)


def test_nothing_is_written_anywhere(tarred, zipped, read, tmp_path):
    for made in (tarred({"../slip.py": "a = 1", "norm.py": NORM}), zipped({"../slip.py": "a = 1", "norm.py": NORM})):
        before = sorted(tmp_path.parent.iterdir()), sorted(tmp_path.iterdir())
        read(made)
        assert (sorted(tmp_path.parent.iterdir()), sorted(tmp_path.iterdir())) == before


def test_links_in_a_zip_are_not_followed(zipped, read):
    found = read(zipped([link("norm.py", "/etc/passwd"), ("block.py", "b = 1\n")]))
    assert set(found.parts) == {"block"}
    assert found.notes == ("norm.py is a link and was not read.",)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (tarfile.SYMTYPE, "is a link and was not read."),
        (tarfile.LNKTYPE, "is a link and was not read."),
        (tarfile.FIFOTYPE, "is not a plain file and was not read."),
        (tarfile.CHRTYPE, "is not a plain file and was not read."),
        (tarfile.BLKTYPE, "is not a plain file and was not read."),
    ],
)
def test_links_and_devices_in_a_tar_are_not_read(tarred, read, kind, said):
    found = read(tarred([(special("norm.py", kind, "block.py"), ""), ("block.py", "b = 1\n")]))
    assert set(found.parts) == {"block"}
    assert found.notes == (f"norm.py {said}",)


def test_a_file_below_a_link_is_only_a_file_in_memory(tarred, read, tmp_path):
    found = read(tarred([(special("inner", tarfile.SYMTYPE, "/tmp"), ""), ("inner/norm.py", NORM)]))
    assert set(found.parts) == {"norm"}


def test_a_file_that_unpacks_to_more_than_a_megabyte_is_not_read(zipped, tarred, read):
    members = {"norm.py": b"#" * 3_000_000, "block.py": "b = 1\n"}
    for made in (zipped(members), tarred(members)):
        found = read(made)
        assert set(found.parts) == {"block"}
        assert found.notes == ("norm.py is larger than 1 MB and was not read.",)


def test_an_archive_within_an_archive_is_not_opened(zipped, read, tmp_path):
    inner = zipped({"norm.py": NORM}, "inner.zip").read_bytes()
    with pytest.raises(SubmissionError, match="holds no notebook and no exercise file"):
        read(zipped({"inner.zip": inner}))


def test_what_a_mac_adds_is_ignored(zipped, read):
    found = read(zipped({"s/norm.py": NORM, "__MACOSX/s/._norm.py": b"\0\5", "s/._norm.py": b"\0\5", "s/.DS_Store": b"\0"}))
    assert set(found.parts) == {"norm"}
    assert found.notes == ()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_a_member_that_is_there_twice_the_last_counts(zipped, tarred, read):
    members = [("norm.py", "first = 1\n"), ("norm.py", "last = 1\n")]
    for made in (zipped(members), tarred(members)):
        found = read(made)
        assert found.parts["norm"].text == "last = 1\n"
        assert found.notes == ("norm.py is in the archive twice; the last one was read.",)


@pytest.mark.parametrize("kind", ["zipped", "tarred"])
def test_an_archive_cut_short_is_one_sentence(request, read, kind):
    made = request.getfixturevalue(kind)({"norm.py": os.urandom(5_000), "block.py": os.urandom(5_000)})
    data = made.read_bytes()
    for part in (0.3, 0.6, 0.95):
        made.write_bytes(data[: int(len(data) * part)])
        with pytest.raises(SubmissionError) as caught:
            read(made)
        assert str(caught.value) == f"{made} is cut short or damaged; pack it again"


def test_a_damaged_member_is_noticed(zipped, read):
    made = zipped({"norm.py": os.urandom(5_000).hex()})
    data = bytearray(made.read_bytes())
    data[1_000] ^= 0xFF
    made.write_bytes(data)
    with pytest.raises(SubmissionError, match="damaged"):
        read(made)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"Rar!\x1a\7", "a RAR archive"),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
        (b"BZh91AY", "packed with bzip2"),
        (b"\xfd7zXZ", "packed with xz"),
    ],
)
def test_other_kinds_of_archive_are_named(tmp_path, read, start, said):
    (tmp_path / "s.zip").write_bytes(start + bytes(600))
    with pytest.raises(SubmissionError, match=f"is {said}; pack the files as .zip or .tar.gz"):
        read(tmp_path / "s.zip")


@pytest.mark.parametrize("data", [b"", b"hello", bytes(2_000), gzip.compress(b"hello"), b"class Norm: pass\n" * 100])
def test_what_is_no_archive_is_named(tmp_path, read, data):
    (tmp_path / "s.tar.gz").write_bytes(data)
    with pytest.raises(SubmissionError, match="is no archive of a kind that is read"):
        read(tmp_path / "s.tar.gz")


def test_an_archive_of_more_than_twenty_megabytes_is_not_even_read(tmp_path, read):
    with (tmp_path / "s.zip").open("wb") as file:
        file.truncate(20_000_001)
    with pytest.raises(SubmissionError, match="is larger than 20 MB and was not read"):
        read(tmp_path / "s.zip")


def test_a_loose_file_wins_and_an_archive_beside_it_is_not_opened(lay, tarred, read, tmp_path):
    folder = lay({"norm.py": NORM})
    tarred({"norm.py": "evil = 1", "../slip.py": ""}, "student/submission.tar.gz")
    assert read(folder).parts["norm"].text == NORM
