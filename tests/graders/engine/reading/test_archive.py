"""Archives are read in memory, whatever they claim; each trouble is one sentence."""

import gzip
import io
import os
import stat
import struct
import tarfile
import time
import zipfile
import zlib

import pytest

from graders.engine.reading.archive import unpack
from graders.engine.reading.place import UnreadError
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


def test_an_encrypted_member_is_told(zipped, read):
    file = zipped({"norm.py": NORM, "block.py": "b = 1\n"})
    data = bytearray(file.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(mark) + at] |= 1
    file.write_bytes(data)
    found = read(file)
    assert set(found.parts) == {"block"}
    assert found.notes == ("norm.py is encrypted and was not read.",)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_ways_of_packing_that_unpack_without_a_limit_are_not_read(zipped, read, method):
    info = zipfile.ZipInfo("norm.py")
    info.compress_type = method
    assert read(zipped([(info, NORM)])).notes == ("norm.py is packed in an unusual way and was not read.",)


def test_a_file_that_unpacks_to_more_than_a_megabyte_is_not_read(zipped, tarred, read):
    members = {"norm.py": b"#" * 3_000_000, "block.py": "b = 1\n"}
    for made in (zipped(members), tarred(members)):
        found = read(made)
        assert set(found.parts) == {"block"}
        assert found.notes == ("norm.py is larger than 1 MB and was not read.",)


def test_a_size_in_a_header_is_not_believed(zipped, read):
    """The header says 10 bytes; what comes out counts."""
    file = zipped({"norm.py": b"#" * 3_000_000})
    data = bytearray(file.read_bytes())
    at = data.find(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 10)
    file.write_bytes(data)
    try:
        assert len(read(file).parts["norm"].text) <= 10
    except SubmissionError as error:
        assert "is cut short or damaged; pack it again" in str(error)


@pytest.mark.parametrize("size", [40_000_000, 120_000_000])
def test_a_bomb_is_given_up_early(tmp_path, read, size):
    info = tarfile.TarInfo("big.bin")
    info.size = size
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    chunk = bytes(1_000_000)
    packed = packer.compress(info.tobuf()) + b"".join(packer.compress(chunk) for _ in range(size // len(chunk))) + packer.flush()
    (tmp_path / "bomb.tar.gz").write_bytes(packed)
    start = time.process_time()
    with pytest.raises(SubmissionError, match="unpacks to far more than exercise files could take; hand in the exercise files alone"):
        read(tmp_path / "bomb.tar.gz")
    assert time.process_time() - start < 1


def test_a_bomb_of_many_members_that_share_their_bytes_is_given_up(tmp_path, read):
    """A thousand entries of the list point at one compressed member."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a0000.py", b"#" * 1_000_000)
        first = archive.filelist[0]
        for number in range(1, 1_000):
            copy = zipfile.ZipInfo(f"a{number:04}.py")
            for key in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(copy, key, getattr(first, key))
            archive.filelist.append(copy)
        archive._didModify = True
    (tmp_path / "s.zip").write_bytes(buffer.getvalue())
    with pytest.raises(SubmissionError, match=r"unpacks to far more|damaged"):
        read(tmp_path / "s.zip")


def test_more_than_two_thousand_members_are_refused_in_one_sentence(zipped, tarred, read):
    members = {f"{number}.txt": "" for number in range(2_001)}
    for made in (zipped(members), tarred(members)):
        with pytest.raises(SubmissionError) as caught:
            read(made)
        assert str(caught.value) == f"{made} holds more than 2,000 files; hand in the exercise files alone"


def test_a_very_deep_tree_is_left_alone(zipped, tarred, read):
    for made in (zipped({"a/" * 5_000 + "norm.py": "", "block.py": ""}), tarred({"a/" * 5_000 + "norm.py": "", "block.py": ""})):
        assert set(read(made).parts) == {"block"}


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


def test_a_tar_whose_size_runs_backwards_ends(tmp_path):
    """A negative size has sent readers in a circle before."""
    info = tarfile.TarInfo("norm.py")
    head = bytearray(info.tobuf())
    head[124:136] = (256**12 - 10_240).to_bytes(12, "big")
    head[148:156] = b" " * 8
    head[148:155] = b"%06o\0" % sum(head)
    with pytest.raises(UnreadError):
        unpack(bytes(head) + bytes(10_240))


def test_a_loose_file_wins_and_an_archive_beside_it_is_not_opened(lay, tarred, read, tmp_path):
    folder = lay({"norm.py": NORM})
    tarred({"norm.py": "evil = 1", "../slip.py": ""}, "student/submission.tar.gz")
    assert read(folder).parts["norm"].text == NORM
