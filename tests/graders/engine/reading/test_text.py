"""The bytes of a file become the text that Python itself would read; what Python refuses is refused with a plain sentence."""

import codecs

import pytest

from graders.engine.reading.text import decode

PLAIN = "a = 'café'\nb = 2\n"


def names(text):
    space = {}
    exec(compile(text, "exercises/norm.py", "exec"), space)
    return space


def refusal(text):
    with pytest.raises(SyntaxError) as caught:
        exec(compile(text, "exercises/norm.py", "exec"), {})
    return str(caught.value), caught.tb.tb_next.tb_lineno


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode(),
        codecs.BOM_UTF8 + PLAIN.encode(),
        PLAIN.replace("\n", "\r\n").encode(),
        PLAIN.replace("\n", "\r").encode(),
        ("# coding: utf-8\n" + PLAIN).encode(),
        codecs.BOM_UTF8 + ("# coding: utf-8\n" + PLAIN).encode(),
        ("# -*- coding: latin-1 -*-\n" + PLAIN).encode("latin-1"),
        ("#!/usr/bin/env python\r\n# vim: set fileencoding=cp1252 :\r\n" + PLAIN).encode("cp1252"),
    ],
    ids=["utf-8", "byte order mark", "CRLF", "lone CR", "declared", "mark and declared", "latin-1 declared", "cp1252 in the second line"],
)
def test_a_file_python_can_read_keeps_its_text(data):
    text, notes = decode(data, "norm.py")
    assert names(text)["a"] == "café"
    assert names(text)["b"] == 2
    assert not notes
    assert "\r" not in text


def test_tabs_are_kept():
    text, _ = decode(b"if True:\n\ta = 1\n", "norm.py")
    assert "\ta = 1" in text


def test_an_encoding_counts_only_in_the_first_two_lines():
    text, _ = decode(b"a = 1\n# coding: latin-1\nb = '\xe9'\n", "norm.py")
    assert "raise SyntaxError" in text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_bytes_that_are_not_utf8_are_refused_as_python_does_and_the_line_is_named(end):
    data = end.join(["a = 1", "b = 'caf\xe9'", ""]).encode("latin-1")
    text, notes = decode(data, "norm.py")
    said, line = refusal(text)
    assert said == "this line holds bytes that are not UTF-8; save the file as UTF-8"
    assert notes == ("norm.py: line 2 holds bytes that are not UTF-8; save it as UTF-8.",)
    assert line == 2


def test_utf16_is_named():
    text, notes = decode(PLAIN.encode("utf-16"), "norm.py")
    assert "UTF-16" in refusal(text)[0]
    assert "UTF-16" in notes[0]


@pytest.mark.parametrize("coding", ["nonsense", "rot13", "hex", "undefined", "idna", "punycode", "utf-16"])
def test_an_encoding_that_is_none_is_refused(coding):
    text, notes = decode(f"# coding: {coding}\na = 'é'\n".encode(), "norm.py")
    assert coding in refusal(text)[0]
    assert coding in notes[0]


def test_nul_bytes_are_left_for_python_to_refuse():
    text, _ = decode(b"a = 1\0\n", "norm.py")
    with pytest.raises((SyntaxError, ValueError), match="null bytes"):
        compile(text, "norm.py", "exec")


@pytest.mark.parametrize("data", [b"", b"\n \n", codecs.BOM_UTF8])
def test_an_empty_file_is_told(data):
    assert decode(data, "norm.py") == ("", ("norm.py is empty.",))


def test_the_name_of_an_encoding_cannot_break_out_of_the_refusal():
    text, _ = decode(b"# coding: x');import-os;('\n", "norm.py")
    assert "declares the encoding x," in refusal(text)[0]
    assert text.count("\n") == 1
