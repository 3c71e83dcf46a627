"""Unpack a .zip, .tar or .tar.gz in memory: bytes come in, a place goes out. Nothing is written to disk.

Sizes, counts and names inside are claims of whoever made the archive: every limit is on what really comes out.
"""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from graders.engine.reading.labels import printable
from graders.engine.reading.place import FILE_BYTES, LISTED, SUBMISSION_BYTES, Memory, UnreadError, whole

ARCHIVE_BYTES = 20_000_000
UNPACKED_BYTES = 30_000_000
RATIO = 100  # of unpacked to packed; Python source reaches about 10
DEEPEST = 12
BLOCK = 512  # of a tar
LONG_NAMES = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE)
SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar")
OTHERS = {b"Rar!": "a RAR archive", b"7z\xbc\xaf": "a 7-Zip archive", b"BZh": "packed with bzip2", b"\xfd7zX": "packed with xz"}
IGNORED = {"__MACOSX", "__pycache__"}
Content = bytes | UnreadError
TOO_MANY = f"holds more than {LISTED:,} files; hand in the exercise files alone"
TOO_LARGE = "unpacks to far more than exercise files could take; hand in the exercise files alone"


@dataclass
class Unpacked:
    """What came out: the tree, and what there is to say of it."""

    root: Memory = field(default_factory=Memory)
    notes: list[str] = field(default_factory=list)


def unpack(data: bytes) -> Unpacked:
    """The archive's Python files and notebooks as a place. Raises UnreadError, whose text says what is wrong with the archive."""
    into = Unpacked()
    try:
        for count, (name, content) in enumerate(_members(data)):
            if count >= LISTED:
                raise UnreadError(TOO_MANY)
            _put(into, name, content)
    except UnreadError:
        raise
    except Exception:  # noqa: BLE001 - bytes made to harm can draw any error from the libraries
        raise UnreadError("is cut short or damaged; pack it again") from None
    return into


def _members(data: bytes) -> Iterator[tuple[str, Content]]:
    most = min(UNPACKED_BYTES, max(SUBMISSION_BYTES, RATIO * len(data)))
    if data.startswith(b"PK"):
        return _zip(data, most)
    if data.startswith(b"\x1f\x8b"):
        data = _gunzip(data, most)
    if data[257:262] == b"ustar":
        return _tar(data)
    kind = next((what for start, what in OTHERS.items() if data.startswith(start)), "no archive of a kind that is read")
    raise UnreadError(f"is {kind}; pack the files as .zip or .tar.gz")


def _gunzip(data: bytes, most: int) -> bytes:
    stream = zlib.decompressobj(wbits=31)
    plain = stream.decompress(data, most + 1)
    if len(plain) > most:
        raise UnreadError(TOO_LARGE)
    if not stream.eof:
        raise EOFError
    return plain


def _zip(data: bytes, most: int) -> Iterator[tuple[str, Content]]:
    if data.count(b"PK\x01\x02") > LISTED:  # every member has this mark, so they are counted before the list is built
        raise UnreadError(TOO_MANY)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(member.compress_size for member in archive.infolist()) > len(data):  # members that share their bytes
            raise UnreadError(TOO_LARGE)
        for member in archive.infolist():
            if not member.is_dir():
                content = _zipped(archive, member)
                most -= len(content) if isinstance(content, bytes) else 0
                if most < 0:
                    raise UnreadError(TOO_LARGE)
                yield member.filename, content


def _zipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Content:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return UnreadError(f"is {'a link' if kind == stat.S_IFLNK else 'not a plain file'} and was not read")
    if member.flag_bits & 1:
        return UnreadError("is encrypted and was not read")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # the others unpack without a limit
        return UnreadError("is packed in an unusual way and was not read")
    if not _limit(member.filename):
        return UnreadError("was not read")
    with archive.open(member) as file:
        return _read(member.filename, file)


def _tar(data: bytes) -> Iterator[tuple[str, Content]]:
    """Header by header. tarfile's own walk has been led in circles and into endless searches by hostile headers."""
    at, name = 0, ""
    for _ in range(3 * LISTED):
        block = data[at : at + BLOCK]
        if not block.strip(b"\0"):
            return
        member = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        start = at + BLOCK
        size = member.size if member.isreg() or member.type not in tarfile.SUPPORTED_TYPES or member.type in LONG_NAMES else 0
        if not 0 <= size <= len(data) - start:
            raise EOFError
        inside = data[start : start + size]
        at = start + -(-size // BLOCK) * BLOCK
        if member.type in LONG_NAMES:
            name = _long_name(member.type, inside) or name
            continue
        if not member.isdir():
            yield name or member.name, _tarred(member, name or member.name, inside)
        name = ""
    raise UnreadError(TOO_MANY)


def _long_name(kind: bytes, data: bytes) -> str:
    """A name too long for its header: GNU keeps it alone, POSIX as one of several records `length key=value`."""
    if kind == tarfile.GNUTYPE_LONGNAME:
        return data.rstrip(b"\0").decode("utf-8", "surrogateescape")
    at = 0
    while kind == tarfile.XHDTYPE and at < len(data):
        length = data[at : at + 20].partition(b" ")[0]
        key, _, value = data[at + len(length) + 1 : at + int(length) - 1].partition(b"=")
        if key == b"path":
            return value.decode("utf-8", "surrogateescape")
        at += max(int(length), 4)
    return ""


def _tarred(member: tarfile.TarInfo, name: str, data: bytes) -> Content:
    if not member.isreg() or member.issparse():
        return UnreadError(f"is {'a link' if member.issym() or member.islnk() else 'not a plain file'} and was not read")
    return _read(name, io.BytesIO(data)) if _limit(name) else UnreadError("was not read")


def _read(name: str, file: IO[bytes]) -> Content:
    try:
        return whole(file.read(_limit(name) + 1), _limit(name))
    except UnreadError as error:
        return error.with_traceback(None)


def _limit(name: str) -> int:
    """How many bytes of such a file count: none of what is neither Python nor a notebook."""
    return FILE_BYTES if name.endswith(".py") else SUBMISSION_BYTES if name.endswith(".ipynb") else 0


def _put(into: Unpacked, name: str, content: Content) -> None:
    steps = [step for step in name.replace("\\", "/").split("/") if step not in ("", ".")]
    if name[:1] in ("/", "\\") or name[1:2] == ":" or ".." in steps or not steps:
        into.notes.append(f"{printable(name[:80])} leads out of the archive and was left out.")
        return
    if len(steps) > DEEPEST or not IGNORED.isdisjoint(steps):
        return
    place = into.root
    for step in steps[:-1]:
        inner = place.inside.get(step)
        if not isinstance(inner, Memory):
            inner = place.inside[step] = Memory()
        place = inner
    if steps[-1] in place.inside:
        into.notes.append(f"{printable(steps[-1])} is in the archive twice; the last one was read.")
    place.inside[steps[-1]] = content
