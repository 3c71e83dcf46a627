"""Names of submissions: printable, and still different on a file system that folds case or Unicode forms."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

LONGEST = 180  # bytes, so that `<label>.json` and a suffix stay below the 255 of most file systems
HOLE = "\ufffd"


def printable(name: str) -> str:
    """The name with every sign that could disturb a terminal or a table replaced. Bytes that are not UTF-8 become holes."""
    return name if name.isascii() and name.isprintable() else "".join(map(_sign, unicodedata.normalize("NFC", name)))


def _sign(sign: str) -> str:
    if sign.isprintable():
        return sign
    category = unicodedata.category(sign)
    return " " if category == "Zs" else "" if category == "Cf" else HOLE


def label(name: str) -> str:
    """A printable name that is short enough for a file's name, and never empty."""
    clean = printable(name).replace("/", HOLE).strip()
    return clean.encode()[:LONGEST].decode("utf-8", "ignore").strip() or "unnamed"


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """One label for each name, in order. Labels that some file system would take for one get a number, past any name that is taken."""
    plain = [label(name) for name in names]
    taken = {_folded(name) for name in plain}
    given: set[str] = set()
    labels = []
    for name in plain:
        chosen, number = name, 1
        while _folded(chosen) in given or (number > 1 and _folded(chosen) in taken):
            number += 1
            chosen = f"{name}-{number}"
        given.add(_folded(chosen))
        labels.append(chosen)
    return tuple(labels)


def _folded(name: str) -> str:
    """Equal for names that APFS, NTFS or ext4 with casefold could take for one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).rstrip(". ")
