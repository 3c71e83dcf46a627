"""Archives made to harm the reader: bombs, false sizes, endless headers. Each ends soon, in one sentence."""

import io
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


def test_a_tar_whose_size_runs_backwards_ends(tmp_path):
    """A negative size has sent readers in a circle before."""
    info = tarfile.TarInfo("norm.py")
    head = bytearray(info.tobuf())
    head[124:136] = (256**12 - 10_240).to_bytes(12, "big")
    head[148:156] = b" " * 8
    head[148:155] = b"%06o\0" % sum(head)
    with pytest.raises(UnreadError):
        unpack(bytes(head) + bytes(10_240))


def header(name, kind, data):
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, len(data)
    return info.tobuf() + data + bytes(-len(data) % 512)


@pytest.mark.parametrize(
    "data",
    [
        header("x", tarfile.XHDTYPE, b"1" * 2_000_000),
        header("x", tarfile.XHDTYPE, b"4 a\n" * 500_000),
        header("x", tarfile.XHDTYPE, b"0 path=a\n" * 100_000),
        header("x", tarfile.XHDTYPE, b"-9 path=a\n" * 100_000),
        header("x", tarfile.XHDTYPE, b"") * 10_000,
        header("x", tarfile.GNUTYPE_LONGNAME, b"a/" * 1_000_000) + header("norm.py", tarfile.REGTYPE, b"a=1"),
        header("x" * 90 + ".py", tarfile.GNUTYPE_SPARSE, b""),
    ],
    ids=["digits", "many records", "no length", "a length below nothing", "headers of nothing", "a long name", "sparse"],
)
def test_headers_without_end_are_soon_given_up(data):
    start = time.process_time()
    try:
        unpack(data)
    except UnreadError as error:
        assert "damaged" in str(error) or "holds more than" in str(error)
    assert time.process_time() - start < 1


def test_a_gzip_of_endless_names_and_empty_members_is_soon_given_up():
    empty = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x03\0\0\0\0\0\0\0\0\0"
    for data in (empty * 500_000, b"\x1f\x8b\x08\x08\0\0\0\0\0\xff" + b"a" * 10_000_000):
        start = time.process_time()
        with pytest.raises(UnreadError):
            unpack(data)
        assert time.process_time() - start < 1


def test_members_of_nothing_that_share_a_long_stream_are_given_up():
    """Empty blocks unpack to nothing, again and again, for each of a thousand entries."""
    blocks = b"\0\0\0\xff\xff" * 400_000 + b"\x03\0"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.py", blocks)
        first = archive.filelist[0]
        first.compress_type, first.file_size, first.CRC = zipfile.ZIP_DEFLATED, 0, 0
        archive.filelist += [first] * 1_000
        archive._didModify = True
    start = time.process_time()
    with pytest.raises(UnreadError, match="unpacks to far more"):
        unpack(buffer.getvalue())
    assert time.process_time() - start < 1


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
