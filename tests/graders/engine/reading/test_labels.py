"""Labels can be shown anywhere, and no file system takes two of them for one."""

import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.engine.reading.labels import distinct, label, printable


@pytest.mark.parametrize("name", ["my home work", "$(touch pwned);&|*", "<script>", "ümlät тест 🙂", "-rf", 'o\'brien "x"', "山田 太郎"])
def test_an_odd_but_printable_name_stays_as_it_is(name):
    assert label(name) == name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\nb", "a\ufffdb"),
        ("a\x1b[31mb", "a\ufffd[31mb"),
        (os.fsdecode(b"caf\xe9"), "caf\ufffd"),
        ("a\u202eb", "ab"),
        ("山田\u3000太郎", "山田 太郎"),
        ("  a ", "a"),
        ("", "unnamed"),
        ("\n", "\ufffd"),
        ("\u200b", "unnamed"),
    ],
)
def test_what_would_disturb_a_terminal_is_replaced(name, shown):
    assert label(name) == shown


def test_a_long_name_fits_a_file_name():
    assert len((label("ü" * 255) + ".json").encode()) < 255


def test_names_that_differ_only_by_case_or_form_get_distinct_labels():
    composed, apart = "Jos\u00e9", "Jose\u0301"
    assert distinct(["alice", "Alice", composed, apart, "ALICE"]) == ("alice", "Alice-2", composed, composed + "-2", "ALICE-3")


def test_a_number_never_takes_the_label_of_a_student_who_has_that_name():
    assert distinct(["alice", "Alice", "alice-2"]) == ("alice", "Alice-3", "alice-2")


def test_a_full_stop_at_the_end_does_not_make_a_difference():
    """Windows drops it from a file's name."""
    assert distinct(["a", "a."]) == ("a", "a.-2")


@given(st.lists(st.text(st.characters(), max_size=8), max_size=12))
def test_labels_are_printable_and_distinct_after_folding(names):
    labels = distinct(names)
    folded = [unicodedata.normalize("NFC", one.casefold()) for one in labels]
    assert len(set(folded)) == len(names)
    assert all(one.isprintable() and one and "/" not in one and one == one.strip() for one in labels)
    for one in labels:
        one.encode()


def test_a_path_in_a_message_is_printable():
    assert printable("/tmp/\x1b]0;title\x07") == "/tmp/\ufffd]0;title\ufffd"
