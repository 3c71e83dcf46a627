"""Text from student code is hostile: what it may not do to whoever reads a report."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.faces.text import cell, clean, number
from tests.graders.faces.reports import HOSTILE


@given(st.text(st.characters()))
def test_a_clean_line_is_one_printable_line_of_bounded_length(text):
    line = clean(text)
    assert line.isprintable()
    assert len(line) <= 401  # an order to a log is broken by a space
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp") for char in line)


@given(st.text(":#[]aerror ", min_size=3))
def test_no_part_of_a_clean_line_is_an_order_to_a_log(text):
    line = clean(text)
    assert "::e" not in line
    assert "::a" not in line
    assert "##[" not in line
    assert "##e" + "[" not in line


@pytest.mark.parametrize("text", ["x[::2] is a slice", "y: 2 of 2 numbers are wrong", "# a comment", "é ü 中 ½ ∞"])
def test_ordinary_text_stays_as_it_is(text):
    assert clean(text) == text


def test_long_text_is_cut_with_a_sign():
    assert clean("a" * 1000, 10) == "aaaaaaaaa…"


def test_escapes_of_a_terminal_are_shown_not_obeyed():
    assert clean("\x1b[31mred\u202e\ud800") == "\\x1b[31mred\\u202e\\ud800"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", " =1", "＝1"])
def test_a_cell_never_starts_a_formula(text):
    assert cell(text).startswith("'")


def test_a_cell_keeps_a_label_as_it_is():
    assert cell("Zoë O'Neil::2") == "Zoë O'Neil::2"


def test_the_hostile_sample_holds_what_it_should():
    for danger in ("\n", "\x1b", "\x00", "\u202e", "\ud800", "\uffff", "::error::", "##[", "=", "["):
        assert danger in HOSTILE


def test_points_have_no_needless_zeros():
    assert [number(value) for value in (17.0, 0.5, 0.1 + 0.2, 0)] == ["17", "0.5", "0.3", "0"]
