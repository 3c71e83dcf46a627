"""From the bytes of a Python file to its text, as Python itself would read it. Whatever Python refuses stays refused, with a plainer sentence."""

from __future__ import annotations

import codecs
import re

CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)  # PEP 263
BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
ENCODINGS = ("utf-8", "ascii", "iso", "cp", "koi8", "mac", "gb", "big5", "shift_jis", "euc", "tis")  # the rest is rare, and some take hours
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(data: bytes, file: str) -> tuple[str, tuple[str, ...]]:
    """Text with plain newlines, and notes for the student.

    Where Python would refuse the bytes, the text is one that raises a SyntaxError with the reason, on the line at fault.
    """
    if not data.removeprefix(codecs.BOM_UTF8).strip():
        return "", (f"{file} is empty.",)
    if data.startswith(WIDE):
        return _refused(file, 1, "is not UTF-8 but UTF-16")
    body = data.removeprefix(codecs.BOM_UTF8)
    coding = "utf-8" if body is not data else declared(body)
    try:
        if not codecs.lookup(coding).name.startswith(ENCODINGS):
            raise LookupError
        text = body.decode(coding)
    except UnicodeDecodeError as error:
        line = _lines(body[: error.start])
        return _refused(file, line, f"holds bytes that are not {'UTF-8' if coding == 'utf-8' else coding[:40]}")
    except Exception:  # noqa: BLE001 - a codec may be unknown, or no codec for text, or fail in a way of its own
        return _refused(file, 1, f"declares the encoding {coding[:40]}, which cannot be read")
    return plain_newlines(text.removeprefix("\ufeff")), ()


def plain_newlines(text: str) -> str:
    """The text with every line ended as Python ends it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def declared(data: bytes) -> str:
    """The encoding that one of the first two lines declares, else UTF-8."""
    for line in re.split(rb"\r\n|\r|\n", data[:2000], maxsplit=2)[:2]:
        found = CODING.match(line)
        if found:
            return found[1].decode("ascii")
        if not BLANK.match(line):
            break
    return "utf-8"


def _lines(before: bytes) -> int:
    return len(re.findall(rb"\r\n|\r|\n", before)) + 1


def _refused(file: str, line: int, why: str) -> tuple[str, tuple[str, ...]]:
    raising = f"raise SyntaxError({f'this line {why}; save the file as UTF-8'!a})\n"
    return "\n" * (line - 1) + raising, (f"{file}: line {line} {why}; save it as UTF-8.",)
