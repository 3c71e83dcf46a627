"""THE GATE: the one file that both sides of the wall call.

In: a small JSON header and named plain arrays. Out: bytes with a length in front, and back again.
A frame is `length (8 bytes, little-endian) | header length (4 bytes) | header (JSON) | array bytes, one after another`.
No pickle, no types by name beyond DTYPES, and a limit on everything, for whoever wrote the bytes may be hostile.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from graders.model import Array

DTYPES = ("|b1", "|u1", "<i8", "<f4", "<f8")
MAX_ARRAYS = 64
MAX_AXES = 8
LONGEST_AXIS = 1 << 31
MAX_HEADER = 1 << 20
NO_LENGTH = 1 << 40  # no frame that a process could hold is as long
NAME = 64


class GateError(Exception):
    """The bytes are not a frame that this gate lets through."""


class TooLargeError(GateError):
    """A frame, or all frames of a job together, are larger than allowed: honest code can do that."""


def pack(head: Mapping[str, Any], arrays: Mapping[str, Array | None] | None = None) -> bytes:
    """One frame. A None among the arrays travels as None. Raises GateError for an array the gate would refuse."""
    listing: list[list[Any]] = []
    blobs: list[bytes] = []
    for name, array in (arrays or {}).items():
        if array is None:
            listing.append([name, None, []])
            continue
        if array.dtype.str not in DTYPES:
            raise GateError(f"{name[:NAME]} has the type {array.dtype}, which does not pass the gate")
        if array.ndim > MAX_AXES or len(name) > NAME or len(listing) >= MAX_ARRAYS:
            raise GateError(f"{name[:NAME]} has too many axes, too long a name, or too many arrays before it")
        listing.append([name, array.dtype.str, list(array.shape)])
        blobs.append(np.ascontiguousarray(array).tobytes())
    header = json.dumps({"head": head, "arrays": listing}).encode()
    body = len(header).to_bytes(4, "little") + header + b"".join(blobs)
    return len(body).to_bytes(8, "little") + body


def unpack(body: bytes) -> tuple[dict[str, Any], dict[str, Array | None]]:
    """The header and arrays of one frame's body. Raises GateError for anything that `pack` would not have written."""
    try:
        size = int.from_bytes(body[:4], "little")
        if size > min(MAX_HEADER, len(body)):
            raise GateError("the header is too long")
        document = json.loads(body[4 : 4 + size])
        head, listing = document["head"], document["arrays"]
        if not isinstance(head, dict) or not isinstance(listing, list) or len(listing) > MAX_ARRAYS:
            raise GateError("the header has another form")
        return head, _arrays(listing, memoryview(body)[4 + size :])
    except GateError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise GateError("the frame cannot be read") from error


def _arrays(listing: list[Any], blob: memoryview) -> dict[str, Array | None]:
    arrays: dict[str, Array | None] = {}
    at = 0
    for name, dtype, shape in listing:
        if not isinstance(name, str) or len(name) > NAME or name in arrays:
            raise GateError("an array has a bad name")
        if dtype is None:
            arrays[name] = None
            continue
        if dtype not in DTYPES or not isinstance(shape, list) or len(shape) > MAX_AXES:
            raise GateError("an array has a type or a rank that does not pass")
        if not all(type(n) is int and 0 <= n < LONGEST_AXIS for n in shape):
            raise GateError("an array has an impossible shape")
        count = 1
        for n in shape:
            count *= n
        size = count * np.dtype(dtype).itemsize
        if at + size > len(blob):
            raise GateError("an array is longer than its frame")
        arrays[name] = np.frombuffer(blob[at : at + size], dtype).reshape(shape)
        at += size
    if at != len(blob):
        raise GateError("the frame has bytes that belong to no array")
    return arrays


def split(buffer: bytearray, limit: int) -> Iterator[bytes]:
    """Take every whole frame off the front of `buffer`. Raises GateError for a frame longer than `limit` bytes."""
    while len(buffer) >= 8:
        size = int.from_bytes(buffer[:8], "little")
        if size > limit:
            raise TooLargeError("a frame is larger than allowed") if size < NO_LENGTH else GateError("the frame cannot be read")
        if len(buffer) < 8 + size:
            return
        body = bytes(buffer[8 : 8 + size])
        del buffer[: 8 + size]
        yield body
